"""Record what TensorFlow 1.15 answers: `/path/to/tf1/bin/python -m tests.layers.record`."""

import json
import sys
from pathlib import Path

import numpy as np

from tests.layers.programs import CASES, load

ANSWERS = Path(__file__).parent / "answers.json"


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
    """Run every program, or those named, and write the answers."""
    import tensorflow as tf

    load()
    answers = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    for name in sys.argv[1:] or CASES:
        tf.reset_default_graph()
        answers[name] = [plain(each) for each in CASES[name](tf)]
    lines = [f"{json.dumps(name)}: {json.dumps(answers[name])}" for name in sorted(answers)]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
