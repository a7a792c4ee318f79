"""Which placewise module stands for which TensorFlow module. Pure names; loads nothing.

A public namespace (`tensorflow.nn`, `tensorflow.config.experimental`) needs no line here: it is
found through placewise's own tables. The lines below are modules that programs import although they
are not public, where one module of placewise is the whole of it; those whose names live in several
places are in `private_table.py`. A line whose target does not exist (yet) counts as absent.
"""

from __future__ import annotations

from placewise.core.namespace import public_name

ROOT = "tensorflow"

# tensorflow module → the placewise module it is.
SAME = {
    ROOT: "placewise",
    "tensorflow.compat.v2": "placewise",
    "tensorflow.compat.v1": "placewise.api.v1",
    "tensorflow.contrib.learn.python.learn.estimators.estimator": (
        "placewise.contrib.learn.estimators"
    ),
    "tensorflow.contrib.learn.python.learn.estimators.model_fn": (
        "placewise.contrib.learn.estimators"
    ),
    "tensorflow.contrib.learn.python.learn.learn_runner": (
        "placewise.api.contrib.learn.learn_runner"
    ),
    "tensorflow.contrib.learn.python.learn.datasets.base": "placewise.contrib.learn.datasets.base",
    "tensorflow.contrib.learn.python.learn.datasets.mnist": (
        "placewise.contrib.learn.datasets.mnist"
    ),
    "tensorflow.examples.tutorials.mnist.input_data": "placewise.contrib.learn.datasets.mnist",
    "tensorflow.examples.tutorials.mnist.mnist": "placewise.tensorflow.mnist_model",
    "tensorflow.python.eager.context": "placewise.tensorflow.eager_context",
    "tensorflow.compiler.tf2xla.python.xla": "placewise.tensorflow.xla",
    "tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops": (
        "placewise.tensorflow.sparse_matrices"
    ),
    "tensorflow.python.trackable.data_structures": "placewise.core.trackable",
    "tensorflow.python.framework.config": "placewise.tensorflow.framework_config",
    "tensorflow.python.client.device_lib": "placewise.tensorflow.device_lib",
    "tensorflow.python.client.timeline": "placewise.session.timeline",
    "tensorflow.python.framework.dtypes": "placewise.core.dtypes",
    "tensorflow.python.framework.errors": "placewise.api.v2.errors",
    "tensorflow.python.framework.errors_impl": "placewise.api.v2.errors",
    "tensorflow.python.framework.tensor_shape": "placewise.core.shapes",
    "tensorflow.python.tools.freeze_graph": "placewise.tensorflow.freeze_graph",
    "tensorflow.python.tools.inspect_checkpoint": "placewise.tensorflow.inspect_checkpoint",
    "tensorflow.python.ops.resources": "placewise.tensorflow.resources",
    "tensorflow.python.util.compat": "placewise.api.v2.compat",
}

# Other beginnings of the same names: TensorFlow 1.15's own package, and where editors find names.
SPELLINGS = {
    "tensorflow.contrib.keras.api.keras": "tensorflow.keras",
    "tensorflow.contrib.keras.python.keras": "tensorflow.keras",
    "tensorflow.contrib.keras.api": "tensorflow.keras",
    "tensorflow.contrib.keras.python": "tensorflow.keras",
    "tensorflow.contrib.keras": "tensorflow.keras",
    "tensorflow_core": ROOT,
    "tensorflow._api.v2.v2": ROOT,
    "tensorflow._api.v2": ROOT,
    "tensorflow._api.v1": "tensorflow.compat.v1",
}

# Packages that exist only to hold the modules above.
PACKAGES = frozenset(
    name.rsplit(".", depth)[0] for name in SAME for depth in range(1, name.count("."))
) - set(SAME)

# What to say of a namespace that one of the two TensorFlows has.
ELSEWHERE = {
    "tensorflow.contrib.lite": "phones are not served here",
    "tensorflow.contrib.tpu": "there are no TPUs here",
    "tensorflow.contrib.quantize": "graphs are not rewritten for 8-bit numbers here",
    "tensorflow.contrib.boosted_trees": "there are no boosted trees here",
    "tensorflow.contrib.tensor_forest": "there are no tree kernels here",
    "tensorflow.contrib": "it is part of TensorFlow 1: placewise run --tf1",
    "tensorflow.estimator": "it is part of TensorFlow 1 now: placewise run --tf1",
    "tensorflow.lite": "phones are not served here",
    "tensorflow.tpu": "there are no TPUs here",
}


def in_tensorflow(name: str) -> str:
    """Return how a placewise module's name is spelled under tensorflow.

    >>> in_tensorflow("placewise.compat.v1.nn")
    'tensorflow.compat.v1.nn'
    """
    name = public_name(name)
    for ours in ("placewise.v1", "placewise"):
        if name == ours or name.startswith(ours + "."):
            return ROOT + name[len(ours) :]
    return name


def usual_spelling(name: str) -> str:
    """Return a module's name as it begins with `tensorflow`, or an empty string if it is another's.

    >>> usual_spelling("tensorflow_core.python.ops"), usual_spelling("tensorflow._api.v1.nn")
    ('tensorflow.python.ops', 'tensorflow.compat.v1.nn')
    """
    for other, usual in SPELLINGS.items():
        if name == other or name.startswith(other + "."):
            return usual + name[len(other) :]
    return name if name == ROOT or name.startswith(ROOT + ".") else ""
