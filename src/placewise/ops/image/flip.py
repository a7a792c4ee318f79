"""Images mirrored, turned and transposed."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import int32
from placewise.core.tensor import Tensor
from placewise.ops.array.reverse import reverse
from placewise.ops.array.shape import identity, reshape, shape
from placewise.ops.array.static import get_static_value
from placewise.ops.array.transpose import transpose as transposed
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.control import cond
from placewise.ops.image.images import at_least_3d, rank_of
from placewise.ops.image.random_adjustments import drawing, drawing_stateless
from placewise.ops.math.cast import cast
from placewise.ops.math.rounding import round
from placewise.ops.name_scopes import in_scope
from placewise.ops.tf1_spelling import after_check
from placewise.ops.values import EagerTensor

_NAMES = ("flip_up_down", "flip_left_right")


def _flip(image: Any, axis: int) -> Any:
    with in_scope(None, _NAMES[axis]):
        image = after_check(at_least_3d(image))
        return reverse(image, [axis + rank_of(image, "") - 3])


def flip_left_right(image: Any) -> Any:
    """Return images mirrored so that left is right."""
    return _flip(image, 1)


def flip_up_down(image: Any) -> Any:
    """Return images mirrored so that up is down."""
    return _flip(image, 0)


def _random_flip(image: Any, axis: int, draw: Any) -> Any:
    with in_scope(None, f"random_{_NAMES[axis]}"):
        return _maybe_flipped(after_check(at_least_3d(image)), axis, draw)


def _maybe_flipped(image: Any, axis: int, draw: Any) -> Any:
    if rank_of(image) == 3:
        flips = draw(shape=[], minval=0, maxval=1.0) < 0.5
        if isinstance(flips, EagerTensor):
            return reverse(image, [axis]) if flips else image
        return where(flips, reverse(image, [axis]), image)
    count = image.shape[0]
    if count is None:
        count = shape(image)[0]
    draws = round(reshape(draw(shape=[count], minval=0, maxval=1.0), [count, 1, 1, 1]))
    flips = cast(draws, image.dtype)
    return flips * reverse(image, [axis + 1]) + (1 - flips) * image


def random_flip_up_down(image: Any, seed: Any = None) -> Any:
    """Return images of which each is flipped upside down or not, at random."""
    return _random_flip(image, 0, drawing(seed))


def random_flip_left_right(image: Any, seed: Any = None) -> Any:
    """Return images of which each is mirrored or not, at random."""
    return _random_flip(image, 1, drawing(seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Return images flipped upside down or not, as `seed` (two integers) decides."""
    return _random_flip(image, 0, drawing_stateless(seed))


def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Return images mirrored or not, as `seed` (two integers) decides."""
    return _random_flip(image, 1, drawing_stateless(seed))


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Return images turned `k` times by a quarter, against the clock."""
    image = at_least_3d(image)
    k = convert_to_tensor(k, int32)
    k.shape.assert_has_rank(0)
    down = rank_of(image) - 3
    across = down + 1
    order = [*range(down), across, down, across + 1]
    known = get_static_value(k)
    if known is not None:
        turns = int(known) % 4
        if turns == 1:
            return transposed(reverse(image, [across]), order, name=name)
        if turns == 2:
            return reverse(image, [down, across], name=name)
        if turns == 3:
            return reverse(transposed(image, order), [across], name=name)
        return image
    return _turned(image, k, down, order)


def _turned(image: Any, k: Tensor, down: int, order: list[int]) -> Any:
    """Turn by a number known only when the program runs."""
    turns = k % 4
    half = where(turns >= 2, reverse(image, [down, down + 1]), image)
    sides = image.shape[down : down + 2]
    if sides.is_fully_defined() and sides[0] == sides[1]:
        return where(turns % 2 > 0, transposed(reverse(half, [down + 1]), order), half)
    return cond(
        turns % 2 > 0, lambda: transposed(reverse(half, [down + 1]), order), lambda: identity(half)
    )


def transpose(image: Any, name: str | None = None) -> Any:
    """Return images with height and width exchanged."""
    image = at_least_3d(image)
    down = rank_of(image) - 3
    return transposed(image, [*range(down), down + 1, down, down + 2], name=name)
