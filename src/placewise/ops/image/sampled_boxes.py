"""Random crops that keep enough of an object: boxes drawn by lot, number for number as TF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, int8, int16, int32, int64, uint8
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import op
from placewise.ops.families import bracketed
from placewise.ops.random.philox import Philox
from placewise.ops.random.stateless import host_place, place_of_seed
from placewise.ops.random.streams import SEEDS, get_seed, refuse_no_seed
from placewise.ops.values import to_numpy


class SampleDistortedBoundingBoxV2(NamedTuple):
    """Where the crop begins, its size, and its box in relative coordinates."""

    begin: Any
    size: Any
    bboxes: Any


class StatelessSampleDistortedBoundingBox(NamedTuple):
    """Where the crop begins, its size, and its box in relative coordinates."""

    begin: Any
    size: Any
    bboxes: Any


_SIZES = frozenset({uint8, int8, int16, int32, int64})
_RANGES = (
    "aspect_ratio_range: list(float) = [0.75, 1.33], area_range: list(float) = [0.05, 1.0],"
    " max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = False"
)
_OUTPUTS = "-> begin: T, size: T, bboxes: float32"


def ranges_of(
    aspect_ratio_range: Any, area_range: Any, max_attempts: Any, use_image: Any
) -> dict[str, Any]:
    """Return the attributes a caller gave, with TensorFlow's defaults for None."""
    return {
        "aspect_ratio_range": tuple(aspect_ratio_range or (0.75, 1.33)),
        "area_range": tuple(area_range or (0.05, 1.0)),
        "max_attempts": 100 if max_attempts is None else max_attempts,
        "use_image_if_no_bounding_boxes": bool(use_image),
    }


@op(
    "SampleDistortedBoundingBoxV2(image_size: T, bounding_boxes: float32,"
    f" min_object_covered: float32; seed: int = 0, seed2: int = 0, {_RANGES}) {_OUTPUTS}",
    host=("image_size", "min_object_covered"),
    devices=("CPU",),
    stateful=True,
    differentiable=False,
    T=_SIZES,
)
def sample_distorted_bounding_box(
    image_size: Sequence[Any],
    bounding_boxes: TensorLike,
    seed: Any = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Return begin and size of a random crop that keeps some of a bounding box, for `tf.slice`.

    Tries `max_attempts` crops within the ranges of area and aspect ratio, until one covers
    `min_object_covered` of a box; after that, the whole image.
    """
    if not seed:
        refuse_no_seed("tf.image.sample_distorted_bounding_box", seed)
    seeds = get_seed(seed) if seed else (0, 0)
    return SampleDistortedBoundingBoxV2(
        *sample_distorted_bounding_box.bind(
            image_size,
            bounding_boxes,
            min_object_covered,
            seed=seeds[0],
            seed2=seeds[1],
            name=name,
            **ranges_of(
                aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
            ),
        )
    )


def sampled_box_shape(*_: Static, **__: object) -> list[Dims]:
    return [(3,), (3,), (1, 1, 4)]


sample_distorted_bounding_box.shape(sampled_box_shape)


@sample_distorted_bounding_box.kernel
def sample_distorted_bounding_box_kernel(
    image_size: np.ndarray[Any, Any],
    bounding_boxes: torch.Tensor,
    min_object_covered: np.ndarray[Any, Any],
    *,
    seed: int,
    seed2: int,
    **ranges: Any,
) -> Any:
    _check_ranges(min_object_covered, **ranges)
    stream = SEEDS.stream("SampleDistortedBoundingBoxV2", seed, seed2, image_size.dtype)
    place = stream.reserve_samples(4 * ranges["max_attempts"])
    return _sampled(image_size, bounding_boxes, min_object_covered, place, **ranges)


@op(
    "StatelessSampleDistortedBoundingBox(image_size: T, bounding_boxes: float32,"
    f" min_object_covered: float32, seed: Tseed; {_RANGES}) {_OUTPUTS}",
    host=("image_size", "min_object_covered", "seed"),
    devices=("CPU",),
    differentiable=False,
    T=_SIZES,
    Tseed=INDEX,
    default_types={"Tseed": None},
)
def stateless_sample_distorted_bounding_box(
    image_size: Sequence[Any],
    bounding_boxes: TensorLike,
    seed: Sequence[Any],
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Return begin and size of a crop that keeps some of a bounding box, fixed by `seed`."""
    return StatelessSampleDistortedBoundingBox(
        *stateless_sample_distorted_bounding_box.bind(
            image_size,
            bounding_boxes,
            min_object_covered,
            seed,
            name=name,
            **ranges_of(
                aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
            ),
        )
    )


stateless_sample_distorted_bounding_box.shape(sampled_box_shape)


@stateless_sample_distorted_bounding_box.kernel
def stateless_sample_distorted_bounding_box_kernel(
    image_size: np.ndarray[Any, Any],
    bounding_boxes: torch.Tensor,
    min_object_covered: np.ndarray[Any, Any],
    seed: np.ndarray[Any, Any],
    **ranges: Any,
) -> Any:
    _check_ranges(min_object_covered, **ranges)
    place = host_place(place_of_seed(seed))
    return _sampled(image_size, bounding_boxes, min_object_covered, place, **ranges)


def _shown(values: Any) -> str:
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"


def _check_ranges(
    min_object_covered: np.ndarray[Any, Any],
    aspect_ratio_range: tuple[Any, ...],
    area_range: tuple[Any, ...],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> None:
    if len(aspect_ratio_range) != 2:
        raise invalid("Aspect ratio range field must specify 2 dimensions")
    if min(aspect_ratio_range) <= 0:
        raise invalid(f"Aspect ratio range must be non-negative: {_shown(aspect_ratio_range)}")
    if len(area_range) != 2:
        raise invalid("Area range field must specify 2 dimensions")
    if min(area_range) <= 0:
        raise invalid(f"Area range must be non-negative: {_shown(area_range)}")
    if max(area_range) > 1:
        raise invalid(f"Area range must be less then or equal to 1.0: {_shown(area_range)}")
    if max_attempts <= 0:
        raise invalid(f"Max attempts must be non-negative: {max_attempts}")
    if min_object_covered.ndim:
        raise invalid(
            f"min_object_covered must be 0-D, got shape {bracketed(min_object_covered.shape)}"
        )
    if min_object_covered < 0:
        raise invalid(f"Min object covered must be non-negative: {min_object_covered.item():g}")


class _Words:
    """The numbers of a stream one by one, in the order TensorFlow takes them."""

    def __init__(self, place: Philox) -> None:
        self.place, self.block = place, 0
        self.words: list[int] = []

    def word(self) -> int:
        if not self.words:
            self.words = self.place.words(1, self.block)[0].tolist()
            self.block += 1
        return self.words.pop(0)

    def fraction(self) -> np.float32:
        bits = np.uint32((self.word() & 0x7FFFFF) | 0x3F800000)
        return bits.view(np.float32) - np.float32(1)

    def below(self, limit: int) -> int:
        """Return a number in [0, limit); those that would favour low ones are drawn again."""
        if limit & (limit - 1) == 0:
            return self.word() & (limit - 1)
        highest = 0xFFFFFFFF - ((0xFFFFFFFF % limit) + 1)
        while (word := self.word()) > highest:
            pass
        return word % limit


def _round(value: Any) -> int:
    return int(np.rint(np.float32(value)))


def _crop(width: int, height: int, areas: tuple[Any, ...], aspect: Any, words: _Words) -> Any:
    """Return left, top, width and height of a random crop, or None if it cannot be."""
    low, high = (np.float32(area) * np.float32(width) * np.float32(height) for area in areas)
    if width <= 0 or height <= 0 or low > high:
        return None
    rows, most = _round(np.sqrt(low / aspect)), _round(np.sqrt(high / aspect))
    if _round(np.float32(most) * aspect) > width:
        most = int((width + 0.5 - 1e-7) / float(aspect))
        most -= _round(np.float32(most) * aspect) > width
    most = min(most, height)
    rows = min(rows, most)
    if rows < most:
        rows += words.below(most - rows + 1)
    columns = _round(np.float32(rows) * aspect)
    # Rounding must not be what makes it fail: try one row more, then one less.
    if rows * columns < low:
        rows += 1
        columns = _round(np.float32(rows) * aspect)
    if rows * columns > high:
        rows -= 1
        columns = _round(np.float32(rows) * aspect)
    if not (low <= rows * columns <= high and 0 < columns <= width and 0 < rows <= height):
        return None
    top = words.below(height - rows) if rows < height else 0
    left = words.below(width - columns) if columns < width else 0
    return left, top, left + columns, top + rows


def _area(box: tuple[int, ...]) -> int:
    pixels: int = max(box[2] - box[0], 0) * max(box[3] - box[1], 0)
    return pixels


def _covers(crop: Any, boxes: list[Any], least: Any) -> bool:
    if _area(crop) < 1:
        return False
    for box in boxes:
        area = _area(box)
        if area < 1:
            continue
        shared = (
            max(crop[0], box[0]),
            max(crop[1], box[1]),
            min(crop[2], box[2]),
            min(crop[3], box[3]),
        )
        inside = shared[0] < shared[2] and shared[1] < shared[3]
        if np.float32(_area(shared) if inside else 0) / np.float32(area) >= least:
            return True
    return False


def _sampled(
    image_size: np.ndarray[Any, Any],
    bounding_boxes: torch.Tensor,
    min_object_covered: np.ndarray[Any, Any],
    place: Philox,
    *,
    aspect_ratio_range: tuple[Any, ...],
    area_range: tuple[Any, ...],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> Any:
    if image_size.ndim != 1:
        raise invalid(f"image_size must be 1-dimensional{bracketed(image_size.shape)}")
    if image_size.size != 3:
        raise invalid(f"image_size must contain 3 elements{bracketed(image_size.shape)}")
    height, width, _ = image_size.tolist()
    if height <= 0 or width <= 0:
        raise invalid(f"image height and width must be positive: {height}, {width}")
    boxes = _pixel_boxes(bounding_boxes, height, width)
    whole = (0, 0, width, height)
    if not boxes:
        if not use_image_if_no_bounding_boxes:
            raise invalid(
                "No bounding boxes provided as input. One must enable "
                "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes."
            )
        boxes = [whole]
    words = _Words(place)
    lowest, highest = np.array(aspect_ratio_range, np.float32)
    chosen: Any = whole
    for _ in range(max_attempts):
        aspect = words.fraction() * (highest - lowest) + lowest
        crop = _crop(width, height, area_range, aspect, words)
        if crop is not None and _covers(crop, boxes, np.float32(min_object_covered)):
            chosen = crop
            break
    left, top, right, bottom = chosen
    kind = image_size.dtype
    begin = np.array([top, left, 0]).astype(kind)
    size = np.array([bottom - top, right - left, -1]).astype(kind)
    relative = np.array([top, left, bottom, right], np.float32) / np.array(
        [height, width, height, width], np.float32
    )
    return (
        torch.from_numpy(begin),
        torch.from_numpy(size),
        torch.from_numpy(relative.reshape(1, 1, 4)),
    )


def _pixel_boxes(bounding_boxes: torch.Tensor, height: int, width: int) -> list[Any]:
    values = to_numpy(bounding_boxes)
    if values.ndim != 3:
        raise invalid(
            "input boxes must be 3-dimensional [batch, num_boxes, coords]: "
            f"{bracketed(values.shape)}"
        )
    if values.shape[2] != 4:
        raise invalid(
            f"bounding boxes must have shape [4] or [*, 4], got {bracketed(values.shape)}"
        )
    found = []
    for box in values.reshape(-1, 4):
        for value in box:
            if not 0 <= value <= 1:
                raise invalid(f"All bounding box coordinates must be in [0.0, 1.0]: {value:g}")
        y1, x1, y2, x2 = box
        found.append(
            (
                int(x1 * np.float32(width)),
                int(y1 * np.float32(height)),
                int(x2 * np.float32(width)),
                int(y2 * np.float32(height)),
            )
        )
    return found
