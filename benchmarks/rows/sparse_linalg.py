"""Linear algebra and sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}


def numbers(tf: Any, *shape: int, seed: int = 0) -> Any:
    """Return normal numbers, the same in both frameworks."""
    return tf.constant(np.random.RandomState(seed).randn(*shape), tf.float32)


def sparse(tf: Any, seed: int = 0) -> Any:
    """Return a sparse matrix of 10,000 values in order, the same in both frameworks."""
    random = np.random.RandomState(seed)
    flat = np.sort(random.choice(1_000_000, 10_000, replace=False))
    places = np.stack(np.unravel_index(flat, (1000, 1000)), 1)
    return tf.sparse.SparseTensor(places, random.randn(10_000).astype("float32"), [1000, 1000])


def svd(tf: Any) -> Callable[[], object]:
    """Decompose matrices."""
    x = numbers(tf, 8, 128, 128)
    return lambda: tf.linalg.svd(x)


def qr(tf: Any) -> Callable[[], object]:
    """Decompose matrices."""
    x = numbers(tf, 8, 128, 128)
    return lambda: tf.linalg.qr(x)


def cholesky(tf: Any) -> Callable[[], object]:
    """Decompose symmetric matrices."""
    x = numbers(tf, 8, 128, 128)
    x = tf.matmul(x, x, transpose_b=True) + 128 * tf.eye(128)
    return lambda: tf.linalg.cholesky(x)


def eigh(tf: Any) -> Callable[[], object]:
    """Find eigenvalues of symmetric matrices."""
    x = numbers(tf, 8, 128, 128)
    x = x + tf.linalg.matrix_transpose(x)
    return lambda: tf.linalg.eigh(x)


def inv(tf: Any) -> Callable[[], object]:
    """Invert matrices."""
    x = numbers(tf, 8, 128, 128)
    return lambda: tf.linalg.inv(x)


def inv_large(tf: Any) -> Callable[[], object]:
    """Invert a large matrix."""
    x = numbers(tf, 512, 512)
    return lambda: tf.linalg.inv(x)


def solve(tf: Any) -> Callable[[], object]:
    """Solve systems."""
    x, y = numbers(tf, 8, 128, 128), numbers(tf, 8, 128, 16)
    return lambda: tf.linalg.solve(x, y)


def det(tf: Any) -> Callable[[], object]:
    """Find determinants."""
    x = numbers(tf, 8, 128, 128) / 10
    return lambda: tf.linalg.det(x)


def lstsq(tf: Any) -> Callable[[], object]:
    """Solve systems of more equations than unknowns."""
    x, y = numbers(tf, 8, 128, 64), numbers(tf, 8, 128, 4)
    return lambda: tf.linalg.lstsq(x, y)


def expm(tf: Any) -> Callable[[], object]:
    """Exponentiate matrices."""
    x = numbers(tf, 8, 64, 64) / 64
    return lambda: tf.linalg.expm(x)


def matmul(tf: Any) -> Callable[[], object]:
    """Multiply matrices."""
    x = numbers(tf, 512, 512)
    return lambda: tf.matmul(x, x)


def einsum(tf: Any) -> Callable[[], object]:
    """Multiply matrices by letters."""
    x = numbers(tf, 512, 512)
    return lambda: tf.einsum("ij,jk->ik", x, x)


def norm(tf: Any) -> Callable[[], object]:
    """Find a length."""
    x = numbers(tf, 1000, 1000)
    return lambda: tf.norm(x)


def band_part(tf: Any) -> Callable[[], object]:
    """Keep the lower triangle."""
    x = numbers(tf, 512, 512)
    return lambda: tf.linalg.band_part(x, -1, 0)


def band_part_narrow(tf: Any) -> Callable[[], object]:
    """Keep three diagonals."""
    x = numbers(tf, 8, 128, 128)
    return lambda: tf.linalg.band_part(x, 1, 1)


def sparse_matmul(tf: Any) -> Callable[[], object]:
    """Multiply a sparse matrix by a dense one."""
    x, y = sparse(tf), numbers(tf, 1000, 256)
    return lambda: tf.sparse.sparse_dense_matmul(x, y)


def sparse_reorder(tf: Any) -> Callable[[], object]:
    """Put places in order that are."""
    x = sparse(tf)
    return lambda: tf.sparse.reorder(x).values


def sparse_reorder_shuffled(tf: Any) -> Callable[[], object]:
    """Put places in order."""
    x = sparse(tf)
    mixed = np.random.RandomState(1).permutation(10_000)
    x = tf.sparse.SparseTensor(x.indices.numpy()[mixed], x.values.numpy()[mixed], [1000, 1000])
    return lambda: tf.sparse.reorder(x).values


def sparse_add(tf: Any) -> Callable[[], object]:
    """Add sparse matrices."""
    x, y = sparse(tf), sparse(tf, 1)
    return lambda: tf.sparse.add(x, y).values


def sparse_sum(tf: Any) -> Callable[[], object]:
    """Sum rows of a sparse matrix."""
    x = sparse(tf)
    return lambda: tf.sparse.reduce_sum(x, 1)


def sparse_to_dense(tf: Any) -> Callable[[], object]:
    """Make a sparse matrix dense."""
    x = sparse(tf)
    return lambda: tf.sparse.to_dense(x)


def sparse_from_dense(tf: Any) -> Callable[[], object]:
    """Find what is not zero."""
    x = tf.sparse.to_dense(sparse(tf))
    return lambda: tf.sparse.from_dense(x).values


def sparse_concat(tf: Any) -> Callable[[], object]:
    """Join sparse matrices."""
    x, y = sparse(tf), sparse(tf, 1)
    return lambda: tf.sparse.concat(0, [x, y]).values


def sparse_slice(tf: Any) -> Callable[[], object]:
    """Cut a part out of a sparse matrix."""
    x = sparse(tf)
    return lambda: tf.sparse.slice(x, [100, 100], [500, 500]).values


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "svd 128": svd,
    "qr 128": qr,
    "cholesky 128": cholesky,
    "eigh 128": eigh,
    "inv 128": inv,
    "inv 512": inv_large,
    "solve 128": solve,
    "det 128": det,
    "lstsq 128 x 64": lstsq,
    "expm 64": expm,
    "matmul 512": matmul,
    "einsum 512": einsum,
    "norm of 1M": norm,
    "band_part 512": band_part,
    "band_part, one below and one above": band_part_narrow,
    "sparse times dense": sparse_matmul,
    "sparse reorder, in order": sparse_reorder,
    "sparse reorder, shuffled": sparse_reorder_shuffled,
    "sparse add": sparse_add,
    "sparse reduce_sum": sparse_sum,
    "sparse to_dense": sparse_to_dense,
    "sparse from_dense": sparse_from_dense,
    "sparse concat": sparse_concat,
    "sparse slice": sparse_slice,
}
