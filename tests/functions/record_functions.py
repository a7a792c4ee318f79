"""Records what TensorFlow 2 answers to the cases: run with its Python, in this folder."""

import importlib
import json
import re

import numpy as np

GROUPS = ("branches", "loops", "calls", "errors", "leftovers")


def load(tf, group):
    """Return the cases of one file."""
    return importlib.import_module(f"cases_{group}").make(tf)


def plain(tf, value):
    """Return a result as JSON: tensors with their dtype."""
    if isinstance(value, dict):
        return {str(key): plain(tf, value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [plain(tf, each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    value = np.asarray(value)
    kind = "string" if value.dtype == object else str(value.dtype)
    found = value.tolist()
    return {"dtype": kind, "value": found.decode() if isinstance(found, bytes) else found}


def told(problem):
    """Return an error as its class and words, without where it happened."""
    text = str(problem)
    name = type(problem).__name__
    if text.startswith("in user code:"):
        parts = re.split(r"\n    (?=[A-Za-z]*(?:Error|Exception): )", text)
        text = parts[-1].split(": ", 1)[-1]
    text = re.sub(r"\s+", " ", text).strip()
    return {"error": name, "text": re.sub(r"0x[0-9a-f]+", "0x", text)[:160]}


def tensors(tf, call):
    """Return the arguments of a call as tensors."""
    return [tf.constant(each) for each in call]


def gradient(tf, function, call):
    """Return the gradient of the sum of what a function gives, by its first argument."""
    given = tensors(tf, call)
    with tf.GradientTape() as tape:
        tape.watch(given[0])
        found = function(*given)
    return plain(tf, tape.gradient(found, given[0]))


def answer(tf, case):
    """Return what the calls of one case give, and how often it was traced."""
    function, calls, differentiated, options = case
    settings = {}
    if "signature" in options:
        specs = [tf.TensorSpec(shape, dtype) for shape, dtype in options["signature"]]
        settings["input_signature"] = specs
    compiled = tf.function(function, **settings)
    found = []
    for call in calls:
        try:
            found.append({"found": plain(tf, compiled(*tensors(tf, call)))})
            if differentiated:
                found[-1]["gradient"] = gradient(tf, compiled, call)
        except Exception as problem:
            found.append(told(problem))
    return {"calls": found, "traces": compiled.experimental_get_tracing_count()}


if __name__ == "__main__":
    import tensorflow

    answers = {
        group: {name: answer(tensorflow, case) for name, case in load(tensorflow, group).items()}
        for group in GROUPS
    }
    with open("functions_answers.json", "w") as file:
        json.dump(answers, file, indent=1, sort_keys=True)
        file.write("\n")
    for group, found in answers.items():
        print(group, len(found))
