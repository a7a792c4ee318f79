"""Sample calls of the ops that read and write files, examples and serialized tensors."""

from __future__ import annotations

import zlib

import numpy as np

from placewise import messages
from placewise.check.samples.folder import FOLDER
from placewise.check.samples.sample import Sample
from placewise.core import dtypes
from placewise.ops.io.tensor_proto import make_tensor_proto

_FILE = FOLDER / "read.txt"
_FILE.write_bytes(b"some text")

_EXAMPLE = messages.Example()
_EXAMPLE.features.feature["a"].int64_list.value.extend([1, 2])
_EXAMPLE.features.feature["f"].float_list.value.extend([0.5])
_DATA = _EXAMPLE.SerializeToString(deterministic=True)  # the order of its map may differ
_SEQUENCE = messages.SequenceExample()
_SEQUENCE.context.feature["c"].int64_list.value.append(7)
for _number in (1, 2):
    _SEQUENCE.feature_lists.feature_list["s"].feature.add().int64_list.value.append(_number)


def _strings(*values: object) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = [v.encode() if isinstance(v, str) else v for v in values]
    return array


_NONE = _strings()
_TENSOR = make_tensor_proto([1.5, 2.5]).SerializeToString()
_SPARSE = (
    np.array([[0, 1], [1, 0]], np.int64),
    np.array([5, 6], np.float32),
    np.array([2, 3], np.int64),
)
_ROWS = np.array(
    [
        [
            make_tensor_proto(np.array([[1]], np.int64)).SerializeToString(),
            make_tensor_proto(np.array([5], np.float32)).SerializeToString(),
            make_tensor_proto(np.array([3], np.int64)).SerializeToString(),
        ]
    ],
    dtype=object,
)
_TYPES = {
    "num_sparse": 1,
    "sparse_types": (dtypes.int64,),
    "ragged_value_types": (dtypes.int64,),
    "ragged_split_types": (dtypes.int32,),
    "dense_shapes": ((1,),),
}

SAMPLES: dict[str, list[Sample]] = {
    "ReadFile": [Sample((str(_FILE),)), Sample((str(FOLDER / "none"),), error="NotFoundError")],
    "WriteFile": [
        Sample((str(FOLDER / "written"), "text")),
        Sample((str(FOLDER), "text"), error="FailedPreconditionError"),
    ],
    "MatchingFiles": [Sample((str(FOLDER / "r*.txt"),))],
    "DecodeRaw": [
        Sample((_strings("abcd", "efgh"),), {"out_type": dtypes.int16, "little_endian": False}),
        Sample((_strings("abc"),), {"out_type": dtypes.int16}, error="InvalidArgumentError"),
        Sample((_strings("abc", "d"),), {"out_type": dtypes.uint8}, error="InvalidArgumentError"),
    ],
    "DecodePaddedRaw": [
        Sample((_strings("abc", "d"), np.int32(4)), {"out_type": dtypes.int16}),
        Sample(
            (_strings("a"), np.int32(3)), {"out_type": dtypes.int16}, error="InvalidArgumentError"
        ),
    ],
    "DecodeCompressed": [
        Sample((_strings(zlib.compress(b"hello")),), {"compression_type": "ZLIB"}),
        Sample((_strings("abc"),), {"compression_type": "GZIP"}, error="DataLossError"),
    ],
    "DecodeCSV": [
        Sample((_strings("1,x", ",y"), [np.array([9], np.int32), _strings("d")])),
        Sample(
            (_strings("1"), [np.array([9], np.int32), _strings("d")]), error="InvalidArgumentError"
        ),
    ],
    "DecodeJSONExample": [
        Sample(('{"features": {"feature": {"a": {"int64List": {"value": ["5"]}}}}}',)),
        Sample(("nothing",), error="InvalidArgumentError"),
    ],
    "SerializeTensor": [Sample((np.array([1, 2], np.float32),)), Sample((_strings("a"),))],
    "ParseTensor": [
        Sample((_TENSOR,), {"out_type": dtypes.float32}),
        Sample((_TENSOR,), {"out_type": dtypes.int32}, error="InvalidArgumentError"),
        Sample((b"junk",), {"out_type": dtypes.int32}, error="InvalidArgumentError"),
    ],
    "SerializeSparse": [Sample(_SPARSE)],
    "SerializeManySparse": [Sample(_SPARSE)],
    "DeserializeManySparse": [
        Sample((_ROWS,), {"dtype": dtypes.float32}),
        Sample((_ROWS,), {"dtype": dtypes.int32}, error="InvalidArgumentError"),
    ],
    "DeserializeSparse": [Sample((_ROWS[0],), {"dtype": dtypes.float32})],
    "ParseExampleV2": [
        Sample(
            (
                serialized,
                _NONE,
                _strings("a"),
                _strings("f"),
                _strings("b"),
                [np.array([0], np.float32)],
            ),
            _TYPES,
        )
        for serialized in (_strings(_DATA, _DATA), _DATA)
    ]
    + [
        Sample(
            (
                _strings("junk"),
                _NONE,
                _strings("a"),
                _strings("f"),
                _strings("b"),
                [np.array([0], np.float32)],
            ),
            _TYPES,
            error="InvalidArgumentError",
        ),
    ],
    "ParseSequenceExampleV2": [
        Sample(
            (
                _strings(_SEQUENCE.SerializeToString()),
                _NONE,
                _strings("c"),
                _NONE,
                _NONE,
                _strings("s"),
                _strings("s"),
                _strings("s"),
                np.array([False]),
                [],
            ),
            {
                "Ncontext_sparse": 1,
                "context_sparse_types": (dtypes.int64,),
                "Nfeature_list_sparse": 1,
                "feature_list_sparse_types": (dtypes.int64,),
                "Nfeature_list_dense": 1,
                "feature_list_dense_types": (dtypes.int64,),
                "feature_list_dense_shapes": ((),),
                "feature_list_ragged_value_types": (dtypes.int64,),
                "feature_list_ragged_split_types": (dtypes.int32,),
            },
        ),
    ],
}
