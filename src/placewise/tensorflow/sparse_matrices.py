"""`sparse_csr_matrix_ops` and `linalg.sparse`: products of two sparse matrices."""

from __future__ import annotations

from typing import Any

from placewise.api.v2 import linalg, sparse


class CSRSparseMatrix:
    """A sparse matrix on its way through a product."""

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        is_sparse = isinstance(value, sparse.SparseTensor)
        self.tensor = value if is_sparse else sparse.from_dense(value)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.tensor.dtype

    @property
    def shape(self) -> Any:
        """What is known of the shape."""
        return self.tensor.shape

    def to_sparse_tensor(self) -> Any:
        """Return the matrix as a SparseTensor."""
        return self.tensor

    def to_dense(self) -> Any:
        """Return the matrix with its zeros."""
        return sparse.to_dense(self.tensor)


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> CSRSparseMatrix:
    """Return a matrix from the parts of a SparseTensor."""
    return CSRSparseMatrix(sparse.SparseTensor(indices, values, dense_shape))


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: CSRSparseMatrix, type: Any, name: str | None = None
) -> Any:
    """Return a matrix as a SparseTensor."""
    return sparse_matrix.tensor


def sparse_matrix_sparse_mat_mul(
    a: CSRSparseMatrix,
    b: CSRSparseMatrix,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> CSRSparseMatrix:
    """Return the product of two sparse matrices, or of two batches of them."""
    dense = linalg.matmul(
        sparse.to_dense(a.tensor),
        sparse.to_dense(b.tensor),
        transpose_a,
        transpose_b,
        adjoint_a,
        adjoint_b,
    )
    return CSRSparseMatrix(sparse.from_dense(dense))


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """Return a product of which one or both sides are CSRSparseMatrix; sparse if both are."""
    x, y = (side.to_dense() if isinstance(side, CSRSparseMatrix) else side for side in (a, b))
    product = linalg.matmul(x, y, transpose_a, transpose_b, adjoint_a, adjoint_b)
    both = isinstance(a, CSRSparseMatrix) and isinstance(b, CSRSparseMatrix)
    return CSRSparseMatrix(product) if both else product
