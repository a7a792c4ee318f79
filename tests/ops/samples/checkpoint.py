"""Sample calls of the ops that save and restore; the files go into a folder of their own."""

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np

from tests.ops.samples.sample import Sample

_FOLDER = Path(tempfile.mkdtemp(prefix="placewise-samples-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
_DATA = Path(__file__).parents[2] / "saving" / "data"
_ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
for _end in ("index", "data-00000-of-00001"):
    shutil.copy(_DATA / f"names.{_end}", _FOLDER / f"copy.{_end}")

SAMPLES = {
    "SaveV2": [
        Sample((str(_FOLDER / "v2"), ["a", "b"], ["", ""], [_ROWS, np.array(["x"])])),
        Sample((str(_FOLDER / "v2"), ["a"], ["4 3 0,2:-"], [_ROWS])),
        Sample((str(_FOLDER / "v2"), ["a"], [""], [_ROWS, _ROWS]), error="InvalidArgumentError"),
        Sample((str(_FOLDER / "v2"), ["a"], ["4 3"], [_ROWS]), error="InvalidArgumentError"),
        Sample((str(_FOLDER / "v2"), ["a", "a"], ["", ""], [_ROWS, _ROWS]),
               error="InvalidArgumentError"),
    ],
    "RestoreV2": [
        Sample((str(_DATA / "names"), ["float32", "string"], ["", ""]),
               {"dtypes": ["float32", "string"]}),
        Sample((str(_DATA / "names"), ["part"], ["4 3 1,2:-"]), {"dtypes": ["float32"]}),
        Sample((str(_DATA / "v1"), ["int64"], [""]), {"dtypes": ["int64"]}),
        Sample((str(_DATA / "none"), ["a"], [""]), {"dtypes": ["float32"]},
               error="NotFoundError"),
        Sample((str(_DATA / "names"), ["none"], [""]), {"dtypes": ["float32"]},
               error="NotFoundError"),
        Sample((str(_DATA / "names"), ["float32"], [""]), {"dtypes": ["int32"]},
               error="InvalidArgumentError"),
    ],
    "ShardedFilename": [Sample(("base", np.int32(3), np.int32(12)))],
    "ShardedFilespec": [Sample(("base", np.int32(12)))],
    "MergeV2Checkpoints": [
        Sample(([str(_FOLDER / "copy")], str(_FOLDER / "copy")), {"delete_old_dirs": False}),
        Sample(([str(_FOLDER / "none")], str(_FOLDER / "all")), error="NotFoundError"),
    ],
    "SaveSlices": [Sample((str(_FOLDER / "v1"), ["a"], ["4 3 0,2:-"], [_ROWS]))],
    "Save": [Sample((str(_FOLDER / "plain"), ["a"], [_ROWS]))],
    "RestoreSlice": [
        Sample((str(_DATA / "v1"), "part", "4 3 1,2:-"), {"dt": "float32"}),
        Sample((str(_DATA / "v1"), "none", ""), {"dt": "float32"}, error="NotFoundError"),
    ],
    "Restore": [Sample((str(_DATA / "v1"), "scalar"), {"dt": "float32"})],
}  # fmt: skip
