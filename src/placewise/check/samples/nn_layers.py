"""Sample calls of convolutions and poolings."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.check.samples.sample import Sample

_STATE = np.random.RandomState(11)


def values(*shape: int) -> Any:
    """Numbers far from each other and from 0, so that maxima and signs are clear."""
    count = int(np.prod(shape))
    spaced = _STATE.permutation(count) - count / 2 + 0.25 + _STATE.uniform(0, 0.5, count)
    return (spaced / max(count, 1) * 3).reshape(shape)


def f32(*shape: int) -> Any:
    return values(*shape).astype("float32")


STEP = {"strides": [1, 1, 1, 1], "padding": "SAME"}
STRIDE = {"strides": [1, 2, 2, 1], "padding": "VALID"}
FIRST = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NCHW"}
EXPLICIT = {
    "strides": [1, 1, 1, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0],
}
VOLUME = {"strides": [1, 1, 1, 1, 1], "padding": "SAME"}
BAD = "InvalidArgumentError"

SAMPLES: dict[str, list[Sample]] = {
    "Conv2D": [
        Sample((values(2, 4, 5, 2), values(3, 2, 2, 3)), STEP),
        Sample((values(1, 5, 5, 2), values(2, 2, 2, 1)), STRIDE),
        Sample((values(1, 4, 4, 4), values(2, 2, 2, 2)), STEP),
        Sample((values(1, 3, 3, 1), values(2, 2, 1, 1)), EXPLICIT),
        Sample((values(1, 2, 4, 4), values(2, 2, 2, 2)), FIRST),
        Sample((values(1, 6, 6, 1), values(2, 2, 1, 1)), {**STEP, "dilations": [1, 2, 2, 1]}),
        Sample((np.ones((1, 3, 3, 1), "int32"), np.ones((2, 2, 1, 1), "int32")), STEP),
        Sample((f32(0, 3, 3, 1), f32(2, 2, 1, 1)), STEP),
        Sample((f32(1, 4, 4, 2), f32(3, 3, 3, 3)), STEP, BAD),
        Sample((f32(4, 4, 2), f32(3, 3, 2, 3)), STEP, BAD),
        Sample((f32(1, 4, 4, 2), f32(3, 3, 2, 3)), {**STEP, "padding": "FULL"}, BAD),
        Sample(
            (f32(1, 4, 4, 2), f32(3, 3, 2, 3)),
            {**STEP, "strides": [2, 1, 1, 1]},
            "UnimplementedError",
        ),
    ],
    "Conv2DBackpropInput": [
        Sample(([1, 4, 5, 2], values(3, 2, 2, 3), values(1, 4, 5, 3)), STEP),
        Sample(([1, 5, 5, 1], values(2, 2, 1, 2), values(1, 2, 2, 2)), STRIDE),
        Sample(([1, 5, 5, 1], values(2, 2, 1, 2), values(1, 3, 2, 2)), STRIDE, BAD),
    ],
    "Conv2DBackpropFilter": [
        Sample((values(1, 4, 5, 2), [3, 2, 2, 3], values(1, 4, 5, 3)), STEP),
        Sample((values(1, 5, 5, 1), [2, 2, 1, 2], values(1, 2, 2, 2)), STRIDE),
        Sample((f32(1, 5, 5, 1), [2, 2, 1], f32(1, 2, 2, 2)), STRIDE, BAD),
    ],
    "Conv2DBackpropInputV2": [
        Sample((values(1, 4, 5, 2), values(3, 2, 2, 3), values(1, 4, 5, 3)), STEP),
    ],
    "Conv2DBackpropFilterV2": [
        Sample((values(1, 4, 5, 2), values(3, 2, 2, 3), values(1, 4, 5, 3)), STEP),
    ],
    "Conv": [
        Sample((values(2, 1, 3, 3, 2), values(2, 2, 2, 1)), {**STEP, "batch_dims": 2}),
        Sample((values(1, 3, 3, 3, 1), values(2, 2, 2, 1, 2)), VOLUME),
        Sample((f32(1, 3, 2), f32(2, 2, 2)), {"strides": [1, 1, 1], "padding": "SAME"}, BAD),
    ],
    "Conv3D": [
        Sample((values(1, 3, 4, 3, 2), values(2, 2, 2, 2, 2)), VOLUME),
        Sample((f32(1, 3, 3, 3, 1), f32(2, 2, 2, 2, 1)), VOLUME, BAD),
    ],
    "Conv3DBackpropInputV2": [
        Sample(([1, 3, 4, 3, 2], values(2, 2, 2, 2, 2), values(1, 3, 4, 3, 2)), VOLUME),
    ],
    "Conv3DBackpropFilterV2": [
        Sample((values(1, 3, 4, 3, 2), [2, 2, 2, 2, 2], values(1, 3, 4, 3, 2)), VOLUME),
    ],
    "DepthwiseConv2dNative": [
        Sample((values(1, 4, 4, 2), values(2, 2, 2, 2)), STEP),
        Sample((f32(1, 3, 3, 2), f32(2, 2, 3, 1)), STEP, BAD),
    ],
    "DepthwiseConv2dNativeBackpropInput": [
        Sample(([1, 4, 4, 2], values(2, 2, 2, 2), values(1, 4, 4, 4)), STEP),
    ],
    "DepthwiseConv2dNativeBackpropFilter": [
        Sample((values(1, 4, 4, 2), [2, 2, 2, 2], values(1, 4, 4, 4)), STEP),
    ],
    "Dilation2D": [
        Sample((values(1, 4, 4, 2), values(2, 2, 2)), {**STEP, "rates": [1, 1, 1, 1]}),
        Sample((f32(1, 4, 4, 1), f32(2, 2, 2)), {**STEP, "rates": [1, 1, 1, 1]}, BAD),
    ],
    "Dilation2DBackpropInput": [
        Sample(
            (values(1, 4, 4, 2), values(2, 2, 2), values(1, 4, 4, 2)), {**STEP, "rates": [1] * 4}
        ),
    ],
    "Dilation2DBackpropFilter": [
        Sample(
            (values(1, 4, 4, 2), values(2, 2, 2), values(1, 4, 4, 2)), {**STEP, "rates": [1] * 4}
        ),
    ],
}

POOL = {"ksize": [1, 2, 2, 1], **STRIDE}
WIDE = {"ksize": [1, 4, 3, 1], **STEP}
POOL3 = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
ARGMAX = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
_places = np.asarray([5, 7, 13, 15], "int64").reshape(1, 2, 2, 1)
_image, _volume = values(1, 4, 4, 1), f32(1, 4, 4, 4, 1)
_best = _image.reshape(1, 2, 2, 2, 2, 1).max((2, 4))
_best3 = _volume.reshape(1, 2, 2, 2, 2, 2, 2, 1).max((2, 4, 6))

SAMPLES.update(
    {
        "MaxPool": [
            Sample((values(1, 5, 4, 2),), POOL),
            Sample((values(1, 5, 4, 2),), WIDE),
            Sample((values(1, 2, 4, 4),), {"ksize": [1, 1, 2, 2], **FIRST}),
            Sample(
                (values(1, 2, 2, 4),),
                {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"},
            ),
            Sample((np.arange(16, dtype="int32").reshape(1, 4, 4, 1),), POOL),
            Sample((f32(1, 4, 4, 1),), {**POOL, "ksize": [1, 0, 0, 1]}, BAD),
            Sample((f32(4, 4, 1),), POOL, BAD),
        ],
        "MaxPoolGrad": [
            Sample((_image, _best, values(1, 2, 2, 1)), POOL, differentiable=False),
            Sample((_image, _best, values(1, 3, 2, 1)), POOL, BAD),
        ],
        "MaxPoolGradGrad": [
            Sample((_image, _best, values(1, 4, 4, 1)), POOL, differentiable=False)
        ],
        "MaxPool3D": [Sample((f32(1, 3, 4, 5, 2),), POOL3, differentiable=False)],
        "MaxPool3DGrad": [
            Sample((_volume, _best3, f32(1, 2, 2, 2, 1)), POOL3, differentiable=False)
        ],
        "MaxPool3DGradGrad": [
            Sample((_volume, _best3, f32(1, 4, 4, 4, 1)), POOL3, differentiable=False)
        ],
        "MaxPoolWithArgmax": [
            Sample((values(2, 5, 4, 2),), ARGMAX),
            Sample((f32(4, 4, 1),), ARGMAX, BAD),
        ],
        "MaxPoolGradWithArgmax": [
            Sample((_image, values(1, 2, 2, 1), _places), ARGMAX, differentiable=False),
        ],
        "MaxPoolGradGradWithArgmax": [
            Sample((_image, values(1, 4, 4, 1), _places), ARGMAX, differentiable=False),
        ],
        "AvgPool": [
            Sample((values(1, 5, 4, 2),), POOL),
            Sample((values(1, 5, 4, 2),), WIDE),
            Sample((f32(1, 4, 4, 4),), {**POOL, "padding": "EXPLICIT"}, BAD),
        ],
        "AvgPoolGrad": [
            Sample(([1, 5, 4, 2], values(1, 2, 2, 2)), POOL),
            Sample(([1, 5, 4, 2], values(1, 5, 4, 2)), WIDE),
            Sample(([5, 4, 2], values(1, 2, 2, 2)), POOL, BAD),
        ],
        "AvgPool3D": [Sample((values(1, 3, 4, 5, 2),), POOL3)],
        "AvgPool3DGrad": [Sample(([1, 3, 4, 5, 2], values(1, 2, 2, 3, 2)), POOL3)],
        "FractionalMaxPool": [
            Sample(
                (values(1, 7, 6, 2),),
                {
                    "pooling_ratio": [1.0, 1.5, 1.4, 1.0],
                    "deterministic": True,
                    "seed": 3,
                    "seed2": 4,
                },
            ),
            Sample((values(1, 2, 2, 1),), {"pooling_ratio": [1.0, 3.0, 3.0, 1.0]}, BAD),
        ],
        "FractionalAvgPool": [
            Sample(
                (values(1, 7, 6, 2),),
                {
                    "pooling_ratio": [1.0, 1.5, 1.4, 1.0],
                    "deterministic": True,
                    "seed": 3,
                    "seed2": 4,
                    "overlapping": True,
                    "pseudo_random": True,
                },
            ),
        ],
        "FractionalMaxPoolGrad": [
            Sample(
                (
                    _image,
                    _best,
                    values(1, 2, 2, 1),
                    np.array([0, 2, 4], np.int64),
                    np.array([0, 2, 4], np.int64),
                )
            ),
        ],
        "FractionalAvgPoolGrad": [
            Sample(
                (
                    np.array([1, 4, 4, 1], np.int64),
                    values(1, 2, 2, 1),
                    np.array([0, 1, 4], np.int64),
                    np.array([0, 2, 4], np.int64),
                )
            ),
        ],
    }
)

_SIZES = ([1, 2, 2, 1], [1, 2, 2, 1])
VALID = {"padding": "VALID"}
SAMPLES["MaxPoolV2"] = [
    Sample((values(1, 5, 4, 2), *_SIZES), VALID),
    Sample((values(1, 5, 4, 2), [2, 2], [1, 1]), VALID, BAD),
]
SAMPLES["MaxPoolGradV2"] = [
    Sample((_image, _best, values(1, 2, 2, 1), *_SIZES), VALID, differentiable=False)
]
SAMPLES["MaxPoolGradGradV2"] = [
    Sample((_image, _best, values(1, 4, 4, 1), *_SIZES), VALID, differentiable=False)
]
