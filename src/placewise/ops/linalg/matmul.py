"""Products of matrices, of batches of matrices, and of matrices with vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import (
    COMPLEX,
    FLOATS,
    INDEX,
    UNSIGNED,
    DType,
    as_dtype,
    bfloat16,
    float32,
    int8,
    int16,
    uint8,
)
from placewise.core.errors import invalid
from placewise.core.scope import current, watch
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import expand_dims, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed, through_numpy
from placewise.ops.linalg.matrix_products import product
from placewise.ops.math.arithmetic import conjugate
from placewise.ops.math.cast import cast
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.name_scopes import in_scope
from placewise.ops.values import TORCH, EagerTensor, wrap
from placewise.ops.work import matmul_work

if TYPE_CHECKING:
    import numpy as np


_PRODUCT = FLOATS | INDEX | UNSIGNED | COMPLEX
_BATCHED = _PRODUCT | {int16}
# TensorFlow multiplies matrices of integers on the CPU; nor has torch kernels for them on GPUs.
_ON_GPU = FLOATS | COMPLEX
_PLAIN = frozenset(TORCH[d] for d in _PRODUCT & _ON_GPU)
_MIXED = FLOATS | INDEX | COMPLEX | {uint8, int8, int16}


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the matrix product of `a` and `b`.

    `a`, `b`: tensors of rank 2 or more of one dtype. The last two dimensions are the matrices,
        those before are a batch, and broadcast.
    `transpose_a`, `transpose_b`: transpose the matrix first.
    `adjoint_a`, `adjoint_b`: transpose and conjugate it first; not together with transpose.
    `a_is_sparse`, `b_is_sparse`: hints that many elements are zero. The result is the same.
    `output_type`: the dtype of the result; int32 is possible for int8.
    `grad_a`, `grad_b`: accepted for TensorFlow's sake, without effect.

    Raises InvalidArgumentError if inner sizes differ, ValueError for transpose and adjoint
    together. CPU and GPU add in different orders: last digits may differ.

    >>> tf.matmul([[1, 2]], [[3], [4]]).numpy()
    array([[11]], dtype=int32)
    """
    if type(a) is not EagerTensor or type(b) is not EagerTensor:
        if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
            # What is converted is named below the product: "MatMul/ReadVariableOp".
            with in_scope(name, "MatMul") as name:
                a = convert_to_tensor(a, name="a")
                b = convert_to_tensor(b, dtype_hint=a.dtype, name="b")
    elif not (adjoint_a or adjoint_b or a_is_sparse or b_is_sparse) and output_type is None:
        x, y = a._value, b._value
        if x.ndim != 2 or y.ndim != 2:
            if x.ndim > 1 and y.ndim > 1 and not a.dtype.is_complex:
                return batch_matrix_product(a, b, adj_x=transpose_a, adj_y=transpose_b, name=name)
        elif transpose_a or transpose_b or current.tapes or watch.on:
            if x.dtype is y.dtype:
                return matrix_product(
                    a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name
                )
        # The plainest call of all: `bind` written out for it, as two fifths of its time is calls.
        elif (
            (device := current.fast) is a._device
            and device is b._device
            and device.account is None
            and x.dtype in _PLAIN
        ):
            try:
                return wrap(product(x, y), device, "MatMul")
            except Exception:
                pass  # the general way puts the error into words
    return _general(
        a,
        b,
        (transpose_a, transpose_b),
        (adjoint_a, adjoint_b),
        (a_is_sparse, b_is_sparse),
        output_type,
        (grad_a, grad_b),
        name,
    )


def _general(
    a: Tensor,
    b: Tensor,
    transposed: tuple[Any, ...],
    adjoint: tuple[Any, ...],
    sparse: tuple[Any, ...],
    output_type: DType | None,
    grad: tuple[Any, ...],
    name: str | None,
) -> Any:
    for letter, first, second in zip("ab", transposed, adjoint, strict=True):
        if first and second:
            raise ValueError(
                f"Only one of `transpose_{letter}` and `adjoint_{letter}` can be True. Received "
                f"`transpose_{letter}`={first}, `adjoint_{letter}`={second}."
            )
    x_shape, y_shape = a._shape_tuple, b._shape_tuple
    batched = x_shape is None or len(x_shape) > 2 or y_shape is None or len(y_shape) > 2
    wanted = None if output_type is None else as_dtype(output_type)
    mixed = wanted is not None and (wanted is not a.dtype or wanted is not b.dtype)
    if (batched and not any(sparse)) or mixed:
        x, y = (conjugate(v) if t else v for v, t in zip((a, b), transposed, strict=True))
        flags = {
            "adj_x": bool(transposed[0] or adjoint[0]),
            "adj_y": bool(transposed[1] or adjoint[1]),
            "grad_x": grad[0],
            "grad_y": grad[1],
            "name": name or "MatMul",  # as TensorFlow calls all products of tf.matmul
        }
        if mixed:
            return mixed_matrix_product(x, y, Tout=wanted, **flags)
        return batch_matrix_product(x, y, **flags)
    x, y = (conjugate(v) if c else v for v, c in zip((a, b), adjoint, strict=True))
    flags = {
        "transpose_a": bool(transposed[0] or adjoint[0]),
        "transpose_b": bool(transposed[1] or adjoint[1]),
        "name": name,
    }
    kinds = {a.dtype, b.dtype}
    if kinds <= {bfloat16, float32} and (any(sparse) or len(kinds) == 2):
        product = sparse_matrix_product(
            x, y, a_is_sparse=bool(sparse[0]), b_is_sparse=bool(sparse[1]), **flags
        )
        return cast(product, bfloat16) if kinds == {bfloat16} else product
    return matrix_product(x, y, grad_a=grad[0], grad_b=grad[1], **flags)


matrix_product = define(
    "MatMul(a: T, b: T; transpose_a: bool = False, transpose_b: bool = False,"
    " grad_a: bool = False, grad_b: bool = False) -> product: T",
    T=_PRODUCT,
    gpu_types=_ON_GPU,
    doc="The product of two matrices.",
    result="whole",
    work=matmul_work,
)


@matrix_product.shape
def matmul_shape(
    a: Static, b: Static, *, transpose_a: bool, transpose_b: bool, **_: object
) -> Dims:
    x, y = _matrix(a.shape), _matrix(b.shape)
    inner = x[0 if transpose_a else 1], y[1 if transpose_b else 0]
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(f"Dimensions must be equal, but are {inner[0]} and {inner[1]}")
    return (x[1 if transpose_a else 0], y[0 if transpose_b else 1])


def _matrix(shape: Dims) -> tuple[int | None, ...]:
    if shape is None:
        return (None, None)
    if len(shape) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(shape)}")
    return shape


@matrix_product.kernel
def matmul_kernel(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    grad_a: bool,
    grad_b: bool,
) -> Any:
    return product(a.mT if transpose_a else a, b.mT if transpose_b else b)


@through_numpy
def _wide(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], *, left: bool, right: bool) -> Any:
    return (x.swapaxes(-1, -2) if left else x) @ (y.swapaxes(-1, -2) if right else y)


@matrix_product.kernel(on="wide_unsigned")
def wide_matmul_kernel(
    a: torch.Tensor, b: torch.Tensor, *, transpose_a: bool, transpose_b: bool, **_: object
) -> Any:
    if told := matmul_error(a, b, transpose_a=transpose_a, transpose_b=transpose_b):
        raise invalid(told)
    return _wide(a, b, left=transpose_a, right=transpose_b)


@matrix_product.error
def matmul_error(
    a: torch.Tensor, b: torch.Tensor, *, transpose_a: bool, transpose_b: bool, **_: object
) -> str | None:
    if a.dim() != b.dim():
        return f"In[0] and In[1] has different ndims: {bracketed(a.shape)} vs. {bracketed(b.shape)}"
    if a.dim() != 2:
        return f"In[0] and In[1] ndims must be == 2: {a.dim()}"
    return _inner_error(a, b, transpose_a, transpose_b)


def _inner_error(a: torch.Tensor, b: torch.Tensor, left: bool, right: bool) -> str | None:
    if a.shape[-2 if left else -1] != b.shape[-1 if right else -2]:
        return f"Matrix size-incompatible: In[0]: {bracketed(a.shape)}, In[1]: {bracketed(b.shape)}"
    return None


@matrix_product.gradient
def matmul_gradient(call: Call, dy: Tensor) -> Any:
    a, b = call.inputs
    transpose_a, transpose_b = call.attrs["transpose_a"], call.attrs["transpose_b"]
    da = db = None
    if call.wants(0):
        b = conjugate(b)
        if transpose_a:
            da = matrix_product(b, dy, transpose_a=transpose_b, transpose_b=True, grad_a=True)
        else:
            da = matrix_product(dy, b, transpose_b=not transpose_b, grad_a=True)
    if call.wants(1):
        a = conjugate(a)
        if transpose_b:
            db = matrix_product(dy, a, transpose_a=True, transpose_b=transpose_a, grad_b=True)
        else:
            db = matrix_product(a, dy, transpose_a=not transpose_a, grad_b=True)
    return da, db


sparse_matrix_product = define(
    "SparseMatMul(a: Ta, b: Tb; transpose_a: bool = False, transpose_b: bool = False,"
    " a_is_sparse: bool = False, b_is_sparse: bool = False) -> product: float32",
    devices=("CPU",),
    Ta=frozenset({float32, bfloat16}),
    Tb=frozenset({float32, bfloat16}),
    doc="The product of two matrices with many zeros.",
    work=matmul_work,
)


@sparse_matrix_product.shape
def sparse_matmul_shape(a: Static, b: Static, **attrs: Any) -> Dims:
    return matmul_shape(a, b, **attrs)


@sparse_matrix_product.kernel
def sparse_matmul_kernel(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    a_is_sparse: bool,
    b_is_sparse: bool,
) -> Any:
    a, b = a.float(), b.float()
    return product(a.mT if transpose_a else a, b.mT if transpose_b else b)


@sparse_matrix_product.error
def sparse_matmul_error(a: torch.Tensor, b: torch.Tensor, **attrs: Any) -> str | None:
    for letter, value in (("a", a), ("b", b)):
        if value.dim() != 2:
            return f"{letter} is not a matrix"
    if _inner_error(a, b, attrs["transpose_a"], attrs["transpose_b"]):
        return f"Matrix size incompatible: a: {bracketed(a.shape)}, b: {bracketed(b.shape)}"
    return None


@sparse_matrix_product.gradient
def sparse_matmul_gradient(call: Any, dy: Tensor) -> Any:
    a, b = (cast(x, float32) for x in call.inputs)
    found = matmul_gradient(call._replace(inputs=(a, b)), dy)
    return _narrowed(found, call.inputs)


def _narrowed(gradients: Tensor, inputs: Tensor) -> Any:
    """Return gradients in the dtypes of the inputs; integers have none."""
    return tuple(
        None if g is None or x.dtype.is_integer else cast(g, x.dtype)
        for g, x in zip(gradients, inputs, strict=True)
    )


batch_matrix_product = define(
    "BatchMatMulV2(x: T, y: T; adj_x: bool = False, adj_y: bool = False, grad_x: bool = False,"
    " grad_y: bool = False) -> output: T",
    T=_BATCHED,
    gpu_types=_ON_GPU,
    doc="The products of batches of matrices; the batch dimensions broadcast.",
    result="new",
    work=matmul_work,
)

mixed_matrix_product = define(
    "BatchMatMulV3(x: Ta, y: Tb; Tout: type, adj_x: bool = False, adj_y: bool = False,"
    " grad_x: bool = False, grad_y: bool = False) -> output: Tout",
    Ta=_MIXED,
    Tb=_MIXED,
    doc="The products of batches of matrices of other dtypes than the result.",
    work=matmul_work,
    default_types={"Ta": None, "Tb": None},
)

batch_matrix_product_v1 = define(
    "BatchMatMul(x: T, y: T; adj_x: bool = False, adj_y: bool = False, grad_x: bool = False,"
    " grad_y: bool = False) -> output: T",
    T=FLOATS | INDEX | COMPLEX,
    gpu_types=_ON_GPU,
    doc="The products of equally large batches of matrices.",
    result="new",
    work=matmul_work,
)


@batch_matrix_product.shape
@mixed_matrix_product.shape
@batch_matrix_product_v1.shape
def batch_matmul_shape(x: Static, y: Static, *, adj_x: bool, adj_y: bool, **_: object) -> Dims:
    if x.shape is None or y.shape is None:
        return None
    for each in (x.shape, y.shape):
        if len(each) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(each)}")
    left = Static(x.shape[-2:], x.dtype, None)
    right = Static(y.shape[-2:], y.dtype, None)
    last = matmul_shape(left, right, transpose_a=adj_x, transpose_b=adj_y)
    batch = broadcast(x.shape[:-2], y.shape[:-2])
    return None if batch is None or last is None else batch + last


@batch_matrix_product.kernel
def batch_matmul_kernel(
    x: torch.Tensor, y: torch.Tensor, *, adj_x: bool, adj_y: bool, grad_x: bool, grad_y: bool
) -> Any:
    if x.dim() < 2 or y.dim() < 2:
        raise invalid(_rank_error(x, y))
    return torch.matmul(x.mH if adj_x else x, y.mH if adj_y else y)


@batch_matrix_product.kernel(on="wide_unsigned")
def wide_batch_matmul_kernel(
    x: torch.Tensor, y: torch.Tensor, *, adj_x: bool, adj_y: bool, **_: object
) -> Any:
    if told := batch_matmul_error(x, y, adj_x=adj_x, adj_y=adj_y):
        raise invalid(told)
    return _wide(x, y, left=adj_x, right=adj_y)


@mixed_matrix_product.kernel
def mixed_matmul_kernel(
    x: torch.Tensor,
    y: torch.Tensor,
    *,
    Tout: DType,  # noqa: N803
    adj_x: bool,
    adj_y: bool,
    **_: object,
) -> Any:
    kind = TORCH[Tout]
    return batch_matmul_kernel(
        x.to(kind), y.to(kind), adj_x=adj_x, adj_y=adj_y, grad_x=False, grad_y=False
    )


@batch_matrix_product_v1.kernel
def equal_batch_matmul_kernel(x: torch.Tensor, y: torch.Tensor, **flags: Any) -> Any:
    if x.dim() != y.dim():
        raise invalid(
            f"In[0] and In[1] has different ndims: {bracketed(x.shape)} vs. {bracketed(y.shape)}"
        )
    if x.shape[:-2] != y.shape[:-2]:
        raise invalid(_batch_error(x, y))
    return batch_matmul_kernel(x, y, **flags)


def _rank_error(x: torch.Tensor, y: torch.Tensor) -> str:
    place, rank = (0, x.dim()) if x.dim() < 2 else (1, y.dim())
    return f"In[{place}] ndims must be >= 2: {rank}"


def _batch_error(x: torch.Tensor, y: torch.Tensor) -> str:
    return (
        "In[0] and In[1] must have compatible batch dimensions: "
        f"{bracketed(x.shape)} vs. {bracketed(y.shape)}"
    )


@batch_matrix_product.error
@mixed_matrix_product.error
@batch_matrix_product_v1.error
def batch_matmul_error(
    x: torch.Tensor, y: torch.Tensor, *, adj_x: bool, adj_y: bool, **_: object
) -> str | None:
    if x.dim() < 2 or y.dim() < 2:
        return _rank_error(x, y)
    try:
        broadcast(tuple(x.shape[:-2]), tuple(y.shape[:-2]))
    except ValueError:
        return _batch_error(x, y)
    return _inner_error(x, y, adj_x, adj_y)


@batch_matrix_product.gradient
@batch_matrix_product_v1.gradient
def batch_matmul_gradient(call: Call, dy: Tensor) -> Any:
    x, y = call.inputs
    adj_x, adj_y = call.attrs["adj_x"], call.attrs["adj_y"]
    dx = dz = None
    if call.wants(0):
        if adj_x:
            dx = batch_matrix_product(y, dy, adj_x=adj_y, adj_y=True, grad_x=True)
        else:
            dx = batch_matrix_product(dy, y, adj_y=not adj_y, grad_x=True)
        dx = sum_to_shape_of(dx, x)
    if call.wants(1):
        if adj_y:
            dz = batch_matrix_product(dy, x, adj_x=True, adj_y=adj_x, grad_y=True)
        else:
            dz = batch_matrix_product(x, dy, adj_x=not adj_x, grad_y=True)
        dz = sum_to_shape_of(dz, y)
    return dx, dz


@mixed_matrix_product.gradient
def mixed_matmul_gradient(call: Any, dy: Tensor) -> Any:
    x, y = (cast(each, call.attrs["Tout"]) for each in call.inputs)
    found = batch_matmul_gradient(call._replace(inputs=(x, y)), dy)
    return _narrowed(found, call.inputs)


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product of the matrices `a` and the vectors `b`."""
    column = expand_dims(convert_to_tensor(b), -1)
    product = matmul(
        a,
        column,
        transpose_a=transpose_a,
        adjoint_a=adjoint_a,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )
    return squeeze(product, axis=[-1])
