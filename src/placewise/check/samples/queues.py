"""Samples of the ops that make queues and readers."""

from placewise.check.samples.sample import Sample
from placewise.core import dtypes

_TYPES = {"component_types": [dtypes.float32]}

SAMPLES: dict[str, list[Sample]] = {
    "FIFOQueueV2": [Sample((), {**_TYPES, "shapes": [()]})],
    "PaddingFIFOQueueV2": [Sample((), {**_TYPES, "shapes": [(None,)]})],
    "PriorityQueueV2": [Sample((), {**_TYPES, "shapes": [()]})],
    "RandomShuffleQueueV2": [
        Sample((), {**_TYPES, "capacity": 5, "min_after_dequeue": 2, "seed": 3}),
        Sample((), {**_TYPES, "capacity": 2, "min_after_dequeue": 5}, error="InvalidArgumentError"),
    ],
    "TextLineReaderV2": [Sample((), {"skip_header_lines": 1})],
    "WholeFileReaderV2": [Sample((), {})],
    "IdentityReaderV2": [Sample((), {})],
    "TFRecordReaderV2": [Sample((), {})],
    "FixedLengthRecordReaderV2": [
        Sample((), {"record_bytes": 4}),
        Sample((), {"record_bytes": 4, "header_bytes": -1}, error="InvalidArgumentError"),
    ],
}
