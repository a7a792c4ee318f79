"""Forward-mode derivatives: how an output changes when the inputs move along given tangents."""

from __future__ import annotations

from typing import Any

from placewise.autodiff.backward import differentiate
from placewise.autodiff.gradient_tape import GradientTape, _followed
from placewise.autodiff.unconnected import UnconnectedGradients
from placewise.core import nest
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.reduction import reduce_sum


class ForwardAccumulator:
    """Compute Jacobian-vector products of what a `with` block computes.

    Two backward passes: the gradient is linear in its seed, so its derivative by the seed, along
    the tangents, is the product asked for.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._primals = [_followed(primal) for primal in nest.flatten(primals)]
        self._tangents = [convert_to_tensor(tangent) for tangent in nest.flatten(tangents)]
        if len(self._primals) != len(self._tangents):
            raise ValueError("primals and tangents must have the same structure")
        seen: set[int] = set()
        for primal in self._primals:
            if id(primal) in seen:
                raise ValueError(
                    f"Tensor {primal} was specified multiple times. This may indicate an error. If "
                    "it was intended, please sum the corresponding tangents."
                )
            seen.add(id(primal))
        self._tape = GradientTape(persistent=True)
        for primal in self._primals:
            self._tape.watch(primal)

    def __enter__(self) -> ForwardAccumulator:
        self._tape.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._tape.__exit__(*exception)

    def jvp(self, primals: Tensor, unconnected_gradients: str = "none") -> Any:
        """Return the change of `primals` along the tangents; None where nothing connects them."""
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return nest.map_structure(lambda leaf: self._one(_followed(leaf), zero), primals)

    def _one(self, target: Any, zero: bool) -> Any:
        for primal, tangent in zip(self._primals, self._tangents, strict=True):
            if primal is target:
                return tangent
        tape = self._tape._for_use()
        seed = ones_like(target)
        with GradientTape() as outer:
            outer.watch(seed)
            gradients = differentiate(tape, [target], self._primals, [seed])
            products = [
                reduce_sum(convert_to_tensor(gradient) * tangent)
                for gradient, tangent in zip(gradients, self._tangents, strict=True)
                if gradient is not None
            ]
            total = products[0] if products else None
            for product in products[1:]:
                total = total + product
        if total is None:
            return zeros_like(target) if zero else None
        return outer.gradient(total, seed)
