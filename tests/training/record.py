"""Records TensorFlow 1.15's answers: `python3.7 tests/training/record.py` in its environment."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import cases
import tensorflow as tf


def main():
    """Write answers.json."""
    kinds = {
        "reference": lambda value, name: tf.Variable(value, name=name),
        "resource": lambda value, name: tf.Variable(value, name=name, use_resource=True),
    }
    answers = {"optimizers": {}, "decays": {}, "averages": {}}
    for kind, variable in kinds.items():
        for optimizer in cases.optimizers(tf):
            for loss in cases.losses(tf):
                for dtype in ("f4", "f8"):
                    key = " ".join([optimizer, kind, loss, dtype])
                    try:
                        found = cases.optimize(tf, variable, optimizer, loss, dtype)
                    except TypeError:
                        continue  # the proximal ones of TensorFlow take float32 alone
                    answers["optimizers"][key] = found
        for name, options in cases.AVERAGES.items():
            answers["averages"][name + " " + kind] = cases.average(tf, variable, options)
    for name in cases.decays(tf):
        answers["decays"][name] = cases.decay(tf, name)
    path = pathlib.Path(__file__).with_name("answers.json")
    path.write_text(json.dumps(answers, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
