"""Asks TensorFlow for answers: `python tests/hardening/record_answers.py CALLS ANSWERS`.

Run by a Python that has TensorFlow 2. A call that ends the process has no answer.
"""

import json
import os
import pickle
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from digests import SAMPLES, digest

SECONDS = 10


def own(value, files):
    """Return an argument as TensorFlow has it; the samples' files are in `files`."""
    if isinstance(value, str):
        return value.replace(SAMPLES, files)
    if isinstance(value, bytes):
        return value.replace(SAMPLES.encode(), files.encode())
    if isinstance(value, np.ndarray) and value.dtype == object:
        items = np.empty(value.size, object)
        items[:] = [own(item, files) for item in value.reshape(-1)]
        return items.reshape(value.shape)
    if isinstance(value, tuple) and len(value) == 2 and value[0] == "dtype":
        return tf.as_dtype(value[1])
    if isinstance(value, tuple) and len(value) == 2 and value[0] == "shape":
        return tf.TensorShape(value[1])
    if isinstance(value, np.ndarray):
        return value.copy()  # calls share a sample's array, and some ops write into it
    return [own(item, files) for item in value] if isinstance(value, list) else value


def answer(name, arguments, files):
    """Return what TensorFlow makes of a call."""
    return digest(name, getattr(tf.raw_ops, name), arguments, tf.io.decode_image, files)


def answers(calls, files, out):
    """Write a line for each call; a process of its own, which a call may end."""
    for name, number, checksum, arguments in calls:
        if not hasattr(tf.raw_ops, name):
            continue
        out.write(json.dumps([name, number, checksum, None]) + "\n")
        out.flush()
        signal.alarm(SECONDS)
        try:
            arguments = {key: own(value, files) for key, value in arguments.items()}
            line = [name, number, checksum, answer(name, arguments, files)]
        except Exception:  # it cannot be asked
            continue
        finally:
            signal.alarm(0)
        out.write(json.dumps(line) + "\n")


def main(source, target):
    calls = pickle.loads(Path(source).read_bytes())
    lines = Path(target + ".lines")
    lines.write_text("")
    while calls:
        child = os.fork()
        if not child:
            with lines.open("a") as out:
                answers(calls, source + ".files", out)
            os._exit(0)
        os.waitpid(child, 0)
        last = [json.loads(line) for line in lines.read_text().splitlines()[-1:]]
        at = [i for i, call in enumerate(calls) if last and call[:2] == tuple(last[0][:2])]
        if not at or (last[0][3] is not None and at[0] == len(calls) - 1):
            break
        calls = calls[at[0] + 1 :]
    kept = [line for line in lines.read_text().splitlines() if json.loads(line)[3] is not None]
    Path(target).write_text("[" + ",\n".join(kept) + "]")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
