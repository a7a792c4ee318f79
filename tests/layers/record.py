"""Record what TensorFlow 1.15 answers: `/path/to/tf1/bin/python tests/layers/record.py`."""

import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import cases  # noqa: E402


def plain(value):
    """Return an answer as what JSON can hold, numbers rounded to what float32 tells apart."""
    if isinstance(value, list) and value and isinstance(value[0], (str, int)):
        return value
    array = np.asarray(value)
    if array.dtype.kind == "f":
        flat = [float(f"{each:.7g}") for each in array.ravel().astype(np.float64)]
    else:
        flat = array.ravel().tolist()
    return {"shape": list(array.shape), "dtype": array.dtype.name, "values": flat}


def main():
    """Run every case, or those named, and write the answers."""
    import tensorflow as tf

    path = os.path.join(HERE, "answers.json")
    answers = {}
    if os.path.exists(path):
        with open(path) as file:
            answers = json.load(file)
    for name in sys.argv[1:] or cases.CASES:
        tf.reset_default_graph()
        answers[name] = [plain(each) for each in cases.CASES[name](tf)]
    with open(path, "w") as file:
        lines = [f"{json.dumps(k)}: {json.dumps(answers[k])}" for k in sorted(answers)]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
