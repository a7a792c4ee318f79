"""A matrix product and the bias added to it, as one call."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.ops.linalg.matrix_products import product_plus
from placewise.planning.plan import Combined, Step, blaming
from placewise.planning.plan_index import PlanIndex

_TYPES = (dtypes.float32, dtypes.float64)


def add_to_product(step: Step, index: PlanIndex) -> bool:
    """AddV2(MatMul(a, b), bias) and BiasAdd(MatMul(a, b), bias), the bias a vector."""
    if step.op.outputs[0].dtype not in _TYPES or len(step.op.inputs[1]._dims or ()) != 1:
        return False
    product = index.only_maker(step.inputs[0], step, "MatMul")
    if product is None:
        return False
    step.kernel = sum_of_product(product, step)
    step.inputs, step.attrs = [*product.inputs, step.inputs[1]], {}
    step.combined = Combined("MatMulAdd", product)
    return True


def sum_of_product(product: Step, step: Step) -> Any:
    """Return the kernel that does a product and an addition."""
    left, right = product.attrs["transpose_a"], product.attrs["transpose_b"]
    multiply, add = blaming(product), blaming(step)

    def matmul_add(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> Any:
        try:
            return product_plus(bias, a.mT if left else a, b.mT if right else b)
        except RuntimeError:
            # Shapes that do not fit: the kernels of the two steps say so in TensorFlow's words.
            return add(multiply(a, b), bias)

    return matmul_add


RULES = {"Add": add_to_product, "AddV2": add_to_product, "BiasAdd": add_to_product}
