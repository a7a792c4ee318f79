"""What a case of the core is: a function of a TensorFlow that returns plain values."""

import contextlib
import logging
import re

import numpy as np


class Cases(dict):
    """Cases by the names of their functions."""

    def __call__(self, function):
        """Keep a function as a case."""
        if function.__name__ in self:
            raise ValueError(f"two cases named {function.__name__}")
        self[function.__name__] = function
        return function


def plain(value):
    """Return a result as JSON: tensors as what they hold."""
    if isinstance(value, dict):
        return {str(key): plain(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(np.float32(value))
    if isinstance(value, bytes):
        return value.decode()
    if type(value).__name__ in ("DType", "TensorShape") or type(value).__name__.endswith("Spec"):
        return repr(value)
    if type(value).__name__ == "RaggedTensor" or type(value).__name__ == "RaggedTensorValue":
        return value.to_list()
    if type(value).__name__ == "SparseTensor":
        return {"indices": plain(value.indices), "values": plain(value.values)}
    if type(value).__name__ == "IndexedSlices":
        return {"indices": plain(value.indices), "values": plain(value.values)}
    found = np.asarray(value)
    if found.dtype == object:
        return plain(found.tolist())
    return [str(found.dtype), plain(found.tolist())]


def told(problem):
    """Return an error as its class and words, without where it happened."""
    text = str(problem)
    if text.startswith("in user code:"):
        parts = re.split(r"\n    (?=[A-Za-z_.]*(?:Error|Exception)\w*: )", text)
        text = parts[-1].split(": ", 1)[-1]
    if text.startswith("Graph execution error"):
        text = text.rpartition("\n\n")[2]
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"(_[0-9]+)(?=[\]'\"}) ]|$)", "_N", text)
    return {"error": type(problem).__name__, "text": text[:240]}


def attempt(function, *args, **kwargs):
    """Return what a call gives, or its error."""
    try:
        return function(*args, **kwargs)
    except Exception as problem:
        return told(problem)


@contextlib.contextmanager
def log_of_tensorflow():
    """Collect the messages of TensorFlow's logger."""
    found = []

    class Keep(logging.Handler):
        def emit(self, record):
            found.append(record.getMessage())

    keep, logger = Keep(), logging.getLogger("tensorflow")
    before, propagates = logger.level, logger.propagate
    logger.addHandler(keep)
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    try:
        yield found
    finally:
        logger.removeHandler(keep)
        logger.setLevel(before)
        logger.propagate = propagates


def answer(tf, case):
    """Return what one case gives."""
    try:
        return plain(case(tf))
    except Exception as problem:
        return told(problem)
