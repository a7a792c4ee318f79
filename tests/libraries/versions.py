"""The libraries that `make library-tests` installs, their versions, and what each job prints."""

from typing import NamedTuple


class Job(NamedTuple):
    """A library: its version, the job's module, and lines that the job prints."""

    version: str
    module: str
    prints: tuple[str, ...]


JOBS = {
    "dm-sonnet": Job("2.0.2", "dm_sonnet", ("losses [3.5652, 3.0931, 2.5727, 2.1078, 1.8527]",)),
    "keras-hub": Job("0.32.0", "keras_hub", ("learns True", "metric 4.0")),
    "tensorflow-datasets": Job(
        "4.9.10",
        "tensorflow_datasets",
        ("20 ['low', 'high']", "images [0, 1, 2, 3, 4]", "loss 0.5"),
    ),
    "tf-keras": Job(
        "2.21.0", "tf_keras", ("losses [0.6091, 0.2673, 0.1758]", "same after loading")
    ),
    "tf-slim": Job("1.1.0", "tf_slim", ("learned True", "checkpoint True", "accuracy 0.6667")),
}
