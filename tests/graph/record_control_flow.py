"""Records what TensorFlow 1.15 answers to the programs: run with its Python, in this folder."""

import json
import re

import numpy as np
from control_flow_programs import PROGRAMS


def plain(value):
    """Return a result as JSON: arrays with their dtype, names and texts as they are."""
    if isinstance(value, dict):
        return {str(key): plain(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (np.ndarray, np.generic)):
        return {"dtype": str(value.dtype), "value": value.tolist()}
    return value


def told(problem):
    """Return an error as its class and the part of its message that does not depend on the run."""
    text = str(problem).split("\n")[0].rstrip()
    text = re.sub(r"TensorArray_\d+", "TensorArray_N", text)
    return {"error": type(problem).__name__, "text": text}


def answer(tf, name):
    """Run one program in a graph of its own."""
    with tf.Graph().as_default():
        session = []

        def run(fetches, feeds=None):
            if not session:
                session.append(tf.Session())
            return session[0].run(fetches, feeds)

        try:
            return {"found": plain(PROGRAMS[name](tf, run))}
        except Exception as problem:
            return told(problem)


if __name__ == "__main__":
    import tensorflow

    answers = {name: answer(tensorflow, name) for name in sorted(PROGRAMS)}
    with open("control_flow_answers.json", "w") as file:
        json.dump(answers, file, indent=1, sort_keys=True)
        file.write("\n")
    print(len(answers), "answers")
