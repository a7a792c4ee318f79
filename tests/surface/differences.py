"""What the surface leaves out, adds and does otherwise than TensorFlow, with the reasons."""

from __future__ import annotations

EXCEPTED = {
    "tf2": {
        "compat.v1": "TensorFlow 1, listed as such",
        "compat.v2": "the root itself",
        "dtensor": "TensorFlow's own sharding runtime",
        "experimental.dtensor": "TensorFlow's own sharding runtime",
        "initializers": "Keras itself",
        "keras": "Keras itself",
        "lite": "another runtime",
        "losses": "Keras itself",
        "metrics": "Keras itself",
        "mlir": "TensorFlow's compiler",
        "optimizers": "Keras itself",
        "tools": "not part of the API",
        "tpu": "no TPU here",
    },
    "tf1": {
        "compat.v1": "the root itself",
        "compat.v2": "TensorFlow 2, listed as such",
        "contrib": "only the parts that programs use",
        "estimator.tpu": "no TPU here",
        "keras": "Keras itself",
        "lite": "another runtime",
        "pywrap_tensorflow": "TensorFlow's C++ library",
        "tpu": "no TPU here",
    },
}
