"""Sample calls of the image ops."""

from __future__ import annotations

import struct

import numpy as np

from placewise.check.samples.sample import Sample
from placewise.core import dtypes
from placewise.ops.image import jpeg_format, png_format

_random = np.random.RandomState(7)


def _floats(*shape: int) -> np.ndarray:
    return _random.uniform(0.1, 0.9, shape).astype(np.float32)


_IMAGE = _floats(1, 3, 4, 2)
_BYTES = _random.randint(0, 255, (5, 6, 3)).astype(np.uint8)
_SIZE = np.array([5, 2], np.int32)
_ONE_BOX = np.array([[0.1, 0.1, 0.8, 0.7]], np.float32)
_BOXES = np.array([[0, 0, 1, 1], [0, 0, 0.9, 1], [2, 2, 3, 3]], np.float32)
_SCORES = np.array([0.9, 0.8, 0.7], np.float32)
_LIMITS = (np.int32(3), np.float32(0.5), np.float32(0.1))
_PNG = png_format.encode(_BYTES, -1)
_JPEG = jpeg_format.encode(_BYTES, 95)
_GIF = (
    b"GIF89a\x02\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff,\x00\x00\x00\x00"
    b"\x02\x00\x01\x00\x00\x02\x02D\n\x00;"
)
_BMP = struct.pack(
    "<2sIHHIIiiHHIIiiII", b"BM", 70, 0, 0, 54, 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0
) + bytes(range(16))
_EMPTY = _floats(1, 0, 4, 2)
_DISTORTED = (np.array([20, 30, 3], np.int32), _ONE_BOX[None], np.float32(0.3))
_HALF = {"half_pixel_centers": True}
_PATCHES = {
    "ksizes": (1, 2, 2, 1),
    "strides": (1, 1, 2, 1),
    "rates": (1, 1, 1, 1),
    "padding": "SAME",
}


def _resizes(name: str, **attrs: object) -> list[Sample]:
    return [
        # Computed in float32 whatever comes in: gradients have a test of their own.
        Sample((_IMAGE, _SIZE), dict(attrs), differentiable=False),
        Sample((_IMAGE, _SIZE), {"align_corners": True}, differentiable=False),
        Sample((_BYTES[None], _SIZE)),
        Sample((_EMPTY, _SIZE), error="InvalidArgumentError"),
        Sample((_IMAGE, np.array([0, 2], np.int32)), error="InvalidArgumentError"),
    ]


_TURN = np.array([[1.0, 0.1, 0.5, 0.0, 1.0, -0.3, 0.0, 0.01]], np.float32)
_SMOOTH = {"interpolation": "BILINEAR"}
_ROUGH = {"interpolation": "NEAREST"}


def _projections(*filling: np.float32) -> list[Sample]:
    # The gradient is TensorFlow's: through the inverse transform, not the exact derivative.
    return [
        *(
            Sample(
                (_IMAGE, _TURN, _SIZE, *filling),
                {**_SMOOTH, "fill_mode": mode},
                differentiable=False,
            )
            for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
        ),
        Sample((_BYTES[None], _TURN, _SIZE, *filling), _ROUGH, differentiable=False),
        Sample((_IMAGE, _TURN[:, :7], _SIZE, *filling), _SMOOTH, error="InvalidArgumentError"),
    ]


SAMPLES: dict[str, list[Sample]] = {
    "ImageProjectiveTransformV2": _projections(),
    "ImageProjectiveTransformV3": _projections(np.float32(0.5)),
    "ResizeBilinear": _resizes("ResizeBilinear", **_HALF),
    "ResizeNearestNeighbor": _resizes("ResizeNearestNeighbor", **_HALF),
    "ResizeBicubic": _resizes("ResizeBicubic", **_HALF),
    "ResizeArea": _resizes("ResizeArea"),
    "ResizeBilinearGrad": [Sample((_floats(1, 5, 2, 2), _IMAGE), _HALF, differentiable=False)],
    "ResizeBicubicGrad": [Sample((_floats(1, 5, 2, 2), _IMAGE), _HALF, differentiable=False)],
    "ResizeNearestNeighborGrad": [Sample((_floats(1, 5, 2, 2), np.array([3, 4], np.int32)))],
    "ScaleAndTranslate": [
        Sample(
            (_IMAGE, _SIZE, np.array([1.5, 0.5], np.float32), np.array([0.2, 0.1], np.float32)),
            {"kernel_type": kernel},
            differentiable=False,
        )
        for kernel in ("lanczos3", "triangle", "keyscubic", "gaussian")
    ]
    + [
        Sample(
            (_IMAGE, _SIZE, np.array([0, 1], np.float32), np.array([0, 0], np.float32)),
            error="InvalidArgumentError",
        ),
    ],
    "ScaleAndTranslateGrad": [
        Sample(
            (
                _floats(1, 5, 2, 2),
                _IMAGE,
                np.array([1.5, 0.5], np.float32),
                np.array([0.2, 0.1], np.float32),
            ),
            differentiable=False,
        ),
    ],
    "CropAndResize": [
        Sample(
            (_IMAGE, _ONE_BOX, np.array([0], np.int32), np.array([2, 3], np.int32)),
            differentiable=False,
        ),
        Sample(
            (_IMAGE, _ONE_BOX, np.array([0], np.int32), np.array([1, 1], np.int32)),
            {"method": "nearest"},
            differentiable=False,
        ),
        Sample(
            (_IMAGE, _ONE_BOX, np.array([3], np.int32), np.array([2, 3], np.int32)),
            error="OutOfRangeError",
        ),
    ],
    "CropAndResizeGradImage": [
        Sample(
            (
                _floats(1, 2, 3, 2),
                _ONE_BOX,
                np.array([0], np.int32),
                np.array([1, 3, 4, 2], np.int32),
            ),
            {"T": dtypes.float32},
            differentiable=False,
        ),
    ],
    "CropAndResizeGradBoxes": [
        Sample(
            (_floats(1, 2, 3, 2), _IMAGE, _ONE_BOX, np.array([0], np.int32)), differentiable=False
        ),
    ],
    "RGBToHSV": [
        Sample((_floats(2, 3),)),
        Sample((_floats(2, 4),), error="FailedPreconditionError"),
    ],
    "HSVToRGB": [Sample((_floats(2, 3),)), Sample((_floats(2),), error="FailedPreconditionError")],
    "AdjustContrastv2": [Sample((_IMAGE, np.float32(2)))],
    "AdjustHue": [
        Sample((_floats(2, 2, 3), np.float32(0.3)), differentiable=False),
        Sample((_floats(2, 2, 2), np.float32(0.3)), error="InvalidArgumentError"),
    ],
    "AdjustSaturation": [Sample((_floats(2, 2, 3), np.float32(0.3)), differentiable=False)],
    "ExtractImagePatches": [
        Sample((_IMAGE,), _PATCHES),
        Sample((_IMAGE,), _PATCHES | {"padding": "VALID", "rates": (1, 2, 1, 1)}),
        Sample((_IMAGE,), _PATCHES | {"padding": "HALF"}, error="InvalidArgumentError"),
    ],
    "ExtractGlimpse": [
        Sample(
            (_IMAGE, np.array([2, 2], np.int32), np.array([[0, 0]], np.float32)),
            {"noise": "zero", "uniform_noise": False},
        ),
    ],
    "ExtractGlimpseV2": [
        Sample(
            (_IMAGE, np.array([2, 5], np.int32), np.array([[0.5, -1]], np.float32)),
            {"noise": "zero", "uniform_noise": False},
        ),
        Sample(
            (_IMAGE, np.array([2], np.int32), np.array([[0, 0]], np.float32)),
            error="InvalidArgumentError",
        ),
    ],
    "NonMaxSuppressionV3": [
        Sample((_BOXES, _SCORES, *_LIMITS)),
        Sample((_BOXES, _SCORES[:2], *_LIMITS), error="InvalidArgumentError"),
    ],
    "NonMaxSuppressionV4": [Sample((_BOXES, _SCORES, *_LIMITS), {"pad_to_max_output_size": True})],
    "NonMaxSuppressionV5": [
        Sample((_BOXES, _SCORES, *_LIMITS, np.float32(0.5)), {"pad_to_max_output_size": True}),
        Sample((_BOXES, _SCORES, *_LIMITS, np.float32(0))),
    ],
    "NonMaxSuppressionWithOverlaps": [Sample((_floats(3, 3), _SCORES, *_LIMITS))],
    "CombinedNonMaxSuppression": [
        Sample(
            (
                _BOXES[None, :, None],
                _floats(1, 3, 2),
                np.int32(2),
                np.int32(3),
                np.float32(0.5),
                np.float32(0.1),
            ),
            {"pad_per_class": True},
        ),
        Sample(
            (_BOXES, _floats(1, 3, 2), np.int32(2), np.int32(3), np.float32(0.5), np.float32(0.1)),
            error="InvalidArgumentError",
        ),
    ],
    "DrawBoundingBoxes": [Sample((_floats(1, 5, 6, 3), _ONE_BOX[None]))],
    "DrawBoundingBoxesV2": [
        Sample((_floats(1, 5, 6, 3), _ONE_BOX[None], np.array([[1, 0, 0]], np.float32))),
        Sample(
            (_floats(1, 5, 6, 3), _ONE_BOX, np.array([[1, 0, 0]], np.float32)),
            error="InvalidArgumentError",
        ),
    ],
    "SampleDistortedBoundingBoxV2": [Sample(_DISTORTED, {"seed": 1, "seed2": 2})],
    "StatelessSampleDistortedBoundingBox": [
        Sample((*_DISTORTED, np.array([1, 2], np.int32))),
        Sample(
            (*_DISTORTED, np.array([1, 2], np.int32)),
            {"max_attempts": 0},
            error="InvalidArgumentError",
        ),
    ],
    "DecodePng": [
        Sample((_PNG,)),
        Sample((_PNG,), {"channels": 4, "dtype": dtypes.uint16}),
        Sample((_PNG[:-20],), error="InvalidArgumentError"),
        Sample((b"",), error="InvalidArgumentError"),
    ],
    "DecodeBmp": [Sample((_BMP,)), Sample((_BMP[:-1],), error="InvalidArgumentError")],
    "DecodeGif": [Sample((_GIF,)), Sample((_GIF[:20],), error="InvalidArgumentError")],
    "DecodeWebP": [Sample((_PNG,)), Sample((b"RIFF1234WEBPxx",), error="InvalidArgumentError")],
    "DecodeJxl": [Sample((_PNG,)), Sample((b"\xff\x0axx",), error="UnimplementedError")],
    "DecodeImage": [
        Sample((_JPEG,), {"dtype": dtypes.float32}),
        Sample((_GIF,)),
        Sample((_GIF,), {"expand_animations": False}),
        Sample((b"nothing",), error="InvalidArgumentError"),
    ],
    "DecodeJpeg": [
        Sample((_JPEG,)),
        Sample((_JPEG,), {"channels": 1, "ratio": 2}),
        Sample((_JPEG[:60],), error="InvalidArgumentError"),
    ],
    "DecodeAndCropJpeg": [
        Sample((_JPEG, np.array([1, 2, 3, 4], np.int32))),
        Sample((_JPEG, np.array([1, 2, 30, 4], np.int32)), error="InvalidArgumentError"),
    ],
    "ExtractJpegShape": [Sample((_JPEG,)), Sample((b"x",), error="InvalidArgumentError")],
    "EncodeJpeg": [
        Sample((_BYTES,), {"quality": 50, "progressive": True}),
        Sample((_BYTES,), {"quality": 101}, error="InvalidArgumentError"),
    ],
    "EncodeJpegVariableQuality": [Sample((_BYTES, np.int32(40)))],
    "EncodePng": [
        Sample((np.stack([_BYTES, _BYTES]),)),
        Sample((_BYTES[..., 0],), error="InvalidArgumentError"),
    ],
}
