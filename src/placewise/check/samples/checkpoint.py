"""Sample calls of the ops that save and restore; the files go into a folder of their own."""

import numpy as np

from placewise.check.samples.folder import FOLDER
from placewise.check.samples.sample import Sample
from placewise.ops.checkpoint.bundle_writer import BundleWriter
from placewise.ops.checkpoint.v1_format import SliceTableWriter

_ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
_WHOLE = np.arange(12, dtype=np.float32).reshape(4, 3)
_TEXTS = np.array([b"one", b"", b"three" * 50, bytes(range(200, 256))], dtype=object)


def _write(writer: BundleWriter | SliceTableWriter) -> None:
    writer.add("float32", _WHOLE)
    writer.add("int64", _WHOLE.astype(np.int64))
    writer.add("scalar", np.array(2.5, np.float32))
    writer.add("string", _TEXTS)
    writer.add("part", _WHOLE)
    writer.finish()


_write(BundleWriter(str(FOLDER / "names")))
_write(BundleWriter(str(FOLDER / "copy")))
_write(SliceTableWriter(str(FOLDER / "old")))

SAMPLES = {
    "SaveV2": [
        Sample((str(FOLDER / "v2"), ["a", "b"], ["", ""], [_ROWS, np.array(["x"])])),
        Sample((str(FOLDER / "v2"), ["a"], ["4 3 0,2:-"], [_ROWS])),
        Sample((str(FOLDER / "v2"), ["a"], [""], [_ROWS, _ROWS]), error="InvalidArgumentError"),
        Sample((str(FOLDER / "v2"), ["a"], ["4 3"], [_ROWS]), error="InvalidArgumentError"),
        Sample(
            (str(FOLDER / "v2"), ["a", "a"], ["", ""], [_ROWS, _ROWS]), error="InvalidArgumentError"
        ),
    ],
    "RestoreV2": [
        Sample(
            (str(FOLDER / "names"), ["float32", "string"], ["", ""]),
            {"dtypes": ["float32", "string"]},
        ),
        Sample((str(FOLDER / "names"), ["part"], ["4 3 1,2:-"]), {"dtypes": ["float32"]}),
        Sample((str(FOLDER / "old"), ["int64"], [""]), {"dtypes": ["int64"]}),
        Sample((str(FOLDER / "none"), ["a"], [""]), {"dtypes": ["float32"]}, error="NotFoundError"),
        Sample(
            (str(FOLDER / "names"), ["none"], [""]), {"dtypes": ["float32"]}, error="NotFoundError"
        ),
        Sample(
            (str(FOLDER / "names"), ["float32"], [""]),
            {"dtypes": ["int32"]},
            error="InvalidArgumentError",
        ),
    ],
    "ShardedFilename": [Sample(("base", np.int32(3), np.int32(12)))],
    "ShardedFilespec": [Sample(("base", np.int32(12)))],
    "MergeV2Checkpoints": [
        Sample(([str(FOLDER / "copy")], str(FOLDER / "copy")), {"delete_old_dirs": False}),
        Sample(([str(FOLDER / "none")], str(FOLDER / "all")), error="InvalidArgumentError"),
    ],
    "SaveSlices": [Sample((str(FOLDER / "v1"), ["a"], ["4 3 0,2:-"], [_ROWS]))],
    "Save": [Sample((str(FOLDER / "plain"), ["a"], [_ROWS]))],
    "RestoreSlice": [
        Sample((str(FOLDER / "old"), "part", "4 3 1,2:-"), {"dt": "float32"}),
        Sample((str(FOLDER / "old"), "none", ""), {"dt": "float32"}, error="NotFoundError"),
    ],
    "Restore": [Sample((str(FOLDER / "old"), "scalar"), {"dt": "float32"})],
}
