"""Which placewise module stands for which TensorFlow module. Pure names; loads nothing.

A public namespace (`tensorflow.nn`, `tensorflow.config.experimental`) needs no line here: it is
found through placewise's own tables. The lines below are TensorFlow's inner modules that programs
import although they are not public. A line whose target does not exist (yet) counts as absent.
"""

from __future__ import annotations

ROOT = "tensorflow"

# tensorflow module → the placewise module it is.
SAME = {
    ROOT: "placewise",
    "tensorflow.compat.v2": "placewise",
    "tensorflow.compat.v1": "placewise.compat.v1",
    "tensorflow.python.client.device_lib": "placewise.compat.device_lib",
    "tensorflow.python.client.timeline": "placewise.session.timeline",
    "tensorflow.python.layers.layers": "placewise.compat.v1.layers",
    "tensorflow.python.ops.losses.losses": "placewise.compat.v1.losses",
    "tensorflow.python.ops.metrics": "placewise.compat.v1.metrics",
    "tensorflow.python.ops.rnn_cell": "placewise.compat.v1.rnn_cell",
    "tensorflow.python.framework.dtypes": "placewise.core.dtypes",
    "tensorflow.python.framework.errors": "placewise.errors",
    "tensorflow.python.framework.errors_impl": "placewise.errors",
    "tensorflow.python.framework.tensor_shape": "placewise.core.shapes",
    "tensorflow.python.framework.test_util": "placewise.test.case",
    "tensorflow.python.platform.test": "placewise.test",
    "tensorflow.python.util.compat": "placewise.compat",
}

# Packages that exist only to hold the modules above.
PACKAGES = frozenset(
    name.rsplit(".", depth)[0]
    for name in SAME
    for depth in range(1, name.count("."))
    if name.startswith("tensorflow.python.")
)


def in_placewise(name: str) -> str:
    """Return how a TensorFlow module's name is spelled under placewise.

    >>> in_placewise("tensorflow.nn")
    'placewise.nn'
    """
    return "placewise" + name[len(ROOT) :]


def in_tensorflow(name: str) -> str:
    """Return how a placewise module's name is spelled under tensorflow."""
    return ROOT + name[len("placewise") :]
