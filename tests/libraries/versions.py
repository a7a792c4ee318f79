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
        "2.21.0",
        "tf_keras",
        (
            "losses [0.6091, 0.2673, 0.1758]",
            "same after loading",
            "hdf5 goes on at step 12",
            "sparse [0.7947, 0.3679, 0.208]",
            "LSTM [18.8622, 18.3416, 17.6836]",
            "GRU [18.2433, 17.3792, 16.3504]",
        ),
    ),
    "tf-slim": Job("1.1.0", "tf_slim", ("learned True", "checkpoint True", "accuracy 0.6667")),
    "deepxde": Job("1.15.0", "deepxde", ("learns True", "error small True", "restored True")),
    "keras-tuner": Job(
        "1.4.8", "keras_tuner", ("trials 4", "best rate 0.1", "ordered True", "loading True")
    ),
    "tensorflow-hub": Job("0.16.1", "tensorflow_hub", ("losses [5.0964, 3.4481, 2.3868, 1.6956]",)),
    "tensorflow-lattice": Job(
        "2.1.1",
        "tensorflow_lattice",
        ("losses [0.1548, 0.0919, 0.0639, 0.055,", "grows True", "loading True"),
    ),
    "tensorflow-model-optimization": Job(
        "0.8.0",
        "tensorflow_model_optimization",
        ("zeros 0.5", "values 4", "quantized [37.319, 36.575, 35.597]"),
    ),
    "tensorflow-probability": Job(
        "0.25.0",
        "tensorflow_probability",
        (
            "divergence 0.0321",
            "fit [5.752, 2.308, 2.294]",
            "restored True",
            "accepted True",
            "mean near True",
            "posterior near True",
            "process [0.9821, 0.1401] [0.1251, 0.1243]",
        ),
    ),
    "tflearn": Job("0.5.0", "tflearn", ("accuracy True", "same after loading True")),
    "trfl": Job("1.2.0", "trfl", ("losses [2.8862, 0.7216, 0.1804, 0.0451, 0.0113]",)),
    "gpflow": Job(
        "2.11.2", "gpflow", ("before -25.098", "sparse [146.385, 54.83, 27.475]", "restored True")
    ),
    "tensorflow-ranking": Job(
        "0.5.5",
        "tensorflow_ranking",
        ("SoftmaxLoss 4.336", "NDCGMetric 0.8357", "losses [2.5511, 2.1, 2.01, 1.9581]"),
    ),
    "larq": Job(
        "0.14.0",
        "larq",
        (
            "losses [4.0717, 4.1285, 4.4368, 3.2739]",
            "binary [-1.0, 1.0]",
            "bop [5.5061, 2.3696, 2.4535]",
            "same after loading True",
        ),
    ),
    "spektral": Job(
        "1.3.1",
        "spektral",
        (
            "nodes [0.7641, 0.6863, 0.654, 0.6278, 0.5918]",
            "model learns True",
            "graphs learn True steps 18",
            "pooled [8, 2, 3] [8, 2, 2]",
            "restored True",
        ),
    ),
    "tensorlayer": Job(
        "2.2.5",
        "tensorlayer",
        (
            "losses [1.0487, 0.6156, 0.6298, 0.6135, 0.5744, 0.5323]",
            "layers 7 weights 10",
            "restored True",
        ),
    ),
    "tensorpack": Job(
        "0.11",
        "tensorpack",
        ("learns True epochs 4", "checkpoints 4", "['conv/W', 'conv/b']", "agrees True"),
    ),
    "tf2onnx": Job(
        "1.17.0",
        "tf2onnx",
        ("file True", "convolution True", "function True", "frozen graph True"),
    ),
    "tensorflow-recommenders": Job(
        "0.7.7",
        "tensorflow_recommenders",
        (
            "retrieval [33.139, 30.971, 30.671, 30.613]",
            "top above a half True",
            "found ['0', '6', '8'] streaming agrees True",
            "ranking [2.529, 2.079, 2.029, 2.008]",
            "tables [1.5, 0.5]",
            "index restored True",
            "weights restored True",
        ),
    ),
}
