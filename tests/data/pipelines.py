"""Small pipelines as text, in `pipelines.txt`; TensorFlow's answers to them are in `answers.json`.

Each is a name and an expression over `tf`, `D` (tf.data.Dataset) and `np`. `python pipelines.py`
under TensorFlow 2.21 writes the answers anew.
"""

import pathlib

HERE = pathlib.Path(__file__).parent


def pipelines():
    """Return (name, expression) pairs."""
    return [line.split(": ", 1) for line in (HERE / "pipelines.txt").read_text().splitlines()]


def plain(value):
    """Return an element as JSON has it."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    name = type(value).__name__
    if name == "SparseTensor":
        return [
            "sparse",
            *(plain(part) for part in (value.indices, value.values, value.dense_shape)),
        ]
    if name == "RaggedTensor":
        return ["ragged", _decoded(value.to_list())]
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if hasattr(value, "element_spec"):
        return [plain(each) for each in value]
    found = value.numpy()
    return _decoded(found.tolist() if hasattr(found, "tolist") else found)


def _decoded(value):
    if isinstance(value, bytes):
        return value.decode()
    return [_decoded(each) for each in value] if isinstance(value, list) else value


def answer(expression, tf):
    """Return what a pipeline gives: elements, structure and cardinality."""
    import numpy as np

    dataset = eval(expression, {"tf": tf, "D": tf.data.Dataset, "np": np})
    return {
        "elements": [plain(each) for each in dataset],
        "spec": repr(dataset.element_spec),
        "count": int(dataset.cardinality()),
        "kind": type(dataset).__name__,
    }


if __name__ == "__main__":
    import json

    import tensorflow

    answers = {name: answer(text, tensorflow) for name, text in pipelines()}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in answers.items()]
    (HERE / "answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
