"""Samples of the string ops."""

from __future__ import annotations

import numpy as np

from placewise.check.samples.sample import Sample

TEXTS = [["a b", "Été", ""], ["x", "1.5", " z "]]
BAD = "InvalidArgumentError"


def _on_texts(**attrs: object) -> Sample:
    return Sample((TEXTS,), dict(attrs))


SAMPLES: dict[str, list[Sample]] = {
    "StringLower": [
        _on_texts(),
        _on_texts(encoding="utf-8"),
        Sample((TEXTS,), {"encoding": "latin"}, error=BAD),
    ],
    "StringUpper": [_on_texts(), _on_texts(encoding="utf-8")],
    "StringStrip": [_on_texts()],
    "StringLength": [
        _on_texts(),
        _on_texts(unit="UTF8_CHAR"),
        Sample((TEXTS,), {"unit": "WORD"}, error=BAD),
    ],
    "Substr": [
        Sample((["hello", "world"], np.int32(1), np.int32(3))),
        Sample(
            (["hello", "world"], np.array([1, -2], np.int64), np.array([3, 9], np.int64)),
            {"unit": "UTF8_CHAR"},
        ),
        Sample((["hello"], np.int32(9), np.int32(3)), error=BAD),
        Sample((["hello"], np.array([1, 2], np.int32), np.int32(3)), error=BAD),
    ],
    "StringJoin": [
        Sample(([["a", "b"], "-", ["c", "d"]],), {"separator": " "}),
        Sample(([["a", "b"], ["c", "d", "e"]],), error=BAD),
    ],
    "ReduceJoin": [
        Sample((TEXTS, np.int32(1))),
        Sample((TEXTS, np.array([1, 0], np.int32)), {"keep_dims": True, "separator": "-"}),
        Sample((TEXTS, np.int32(5)), error="OutOfRangeError"),
    ],
    "UnsortedSegmentJoin": [
        Sample((["a", "b", "c"], np.array([1, 0, 1], np.int32), np.int32(3)), {"separator": ":"}),
        Sample((["a"], np.array([4], np.int32), np.int32(3)), error=BAD),
    ],
    "StringNGrams": [
        Sample(
            (["a", "b", "c"], np.array([0, 2, 3], np.int64)),
            {
                "separator": " ",
                "ngram_widths": (2,),
                "left_pad": "<",
                "right_pad": ">",
                "pad_width": -1,
                "preserve_short_sequences": False,
            },
        ),
    ],
    "StringSplit": [Sample((["a b", "c"], " ")), Sample((["ab"], ""), {"skip_empty": False})],
    "StringSplitV2": [
        Sample((["a b", "c  d"], "")),
        Sample((["a,b,c"], ","), {"maxsplit": 1}),
        Sample((TEXTS, ","), error=BAD),
    ],
    "RegexFullMatch": [Sample((TEXTS, "[a-z ]+")), Sample((TEXTS, ["a"]), error=BAD)],
    "StaticRegexFullMatch": [
        _on_texts(pattern="[a-z ]+"),
        Sample((TEXTS,), {"pattern": "("}, error=BAD),
    ],
    "RegexReplace": [Sample((TEXTS, "[a-z]", r"<\0>"))],
    "StaticRegexReplace": [
        _on_texts(pattern="[a-z]", rewrite=r"<\0>"),
        Sample((TEXTS,), {"pattern": "[", "rewrite": ""}, error=BAD),
    ],
    "StringToHashBucket": [_on_texts(num_buckets=10)],
    "StringToHashBucketFast": [
        _on_texts(num_buckets=10),
        Sample((TEXTS,), {"num_buckets": 0}, error=BAD),
    ],
    "StringToHashBucketStrong": [
        _on_texts(num_buckets=10, key=(1, 2)),
        Sample((TEXTS,), {"num_buckets": 9, "key": (1,)}, error=BAD),
    ],
    "StringToNumber": [
        Sample((["1.5", "-2e3"],)),
        Sample((["12", "-7"],), {"out_type": "int64"}),
        Sample((["x"],), error=BAD),
    ],
    "AsString": [
        Sample((np.array([1.5, -2.0], np.float32),), {"precision": 2}),
        Sample((np.array([True, False]),)),
        Sample((np.array([1, 2], np.uint32),), {"width": 5, "fill": "0"}),
        Sample((np.array([1 + 2j]),)),
        Sample((np.array([1]),), {"scientific": True}, error=BAD),
    ],
    "StringFormat": [
        Sample(([np.arange(9), "a"],), {"template": "x %s y %s"}),
        Sample(([np.arange(9)],), {"template": "x"}, error=BAD),
    ],
    "EncodeBase64": [_on_texts(), _on_texts(pad=True)],
    "DecodeBase64": [Sample((["aGVsbG8", "YQ=="],)), Sample((["a"],), error=BAD)],
    "UnicodeDecode": [
        Sample((["aé", ""],), {"input_encoding": "UTF-8"}),
        Sample((["a"],), {"input_encoding": "UTF-9"}, error=BAD),
    ],
    "UnicodeDecodeWithOffsets": [Sample((["aé", ""],), {"input_encoding": "UTF-8"})],
    "UnicodeEncode": [
        Sample(
            (np.array([72, 233, 74], np.int32), np.array([0, 2, 3], np.int64)),
            {"output_encoding": "UTF-8"},
        ),
        Sample(
            (np.array([72], np.int32), np.array([0, 2], np.int64)),
            {"output_encoding": "UTF-8"},
            error=BAD,
        ),
    ],
    "UnicodeTranscode": [
        _on_texts(input_encoding="UTF-8", output_encoding="UTF-16-BE"),
        Sample((TEXTS,), {"input_encoding": "UTF-8", "output_encoding": "LATIN"}, error=BAD),
    ],
    "UnicodeScript": [Sample((np.array([65, 955, -1], np.int32),))],
}
