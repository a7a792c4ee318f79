"""The work of an op until op declarations say it themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from placewise.ops.work import TensorFact, Work


def work_of(
    op: Any,
    inputs: Sequence[TensorFact | list[TensorFact]],
    outputs: Sequence[TensorFact],
    attrs: dict[str, Any],
) -> Work:
    """Return the work of an op."""

    def nbytes(fact: TensorFact) -> int:
        try:
            return fact.elements * np.dtype(fact.dtype).itemsize
        except TypeError:
            return fact.elements * 2

    flat = [one for fact in inputs for one in (fact if type(fact) is list else (fact,))]
    read = sum(nbytes(fact) for fact in flat)  # type: ignore[arg-type]
    written = sum(nbytes(fact) for fact in outputs)
    elements = sum(fact.elements for fact in outputs)
    if op.name in ("MatMul", "BatchMatMulV2", "BatchMatMul"):
        shape = flat[0].shape  # type: ignore[union-attr]
        inner = shape[-2 if attrs.get("transpose_a") or attrs.get("adj_x") else -1]
        return Work("matmul", 2.0 * elements * inner, read, written)
    return Work("elementwise", float(elements), read, written)
