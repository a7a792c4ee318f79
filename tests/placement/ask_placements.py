"""Asks TensorFlow where graphs run: `python tests/placement/ask_placements.py GRAPHS ANSWERS`.

Run by a Python that has TensorFlow. GRAPHS has a JSON list a line: number, GraphDef in base64,
whether placement is soft. A line of ANSWERS is the number, and where each operation runs or the
message of the error.
"""

import base64
import json
import os
import re
import sys
import tempfile

import tensorflow as tf

tf = getattr(tf, "compat", tf).v1
tf.disable_eager_execution()
LINE = re.compile(r"^(\S+): \((\w+)\): (/job:\S+)$", re.MULTILINE)


def answer(graph_def, soft):
    """Return operation → device and what was passed over, or the error."""
    graph = tf.Graph()
    config = tf.ConfigProto(
        device_count={"CPU": 4}, allow_soft_placement=soft, log_device_placement=True
    )
    try:
        with graph.as_default():
            tf.import_graph_def(graph_def, name="")
            go = tf.no_op(name="go")
    except Exception as error:
        return {"import": type(error).__name__, "message": str(error)}
    sys.stdout.flush()
    saved = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            with tf.Session(graph=graph, config=config) as session:
                session.run(go)
            problem = None
        except Exception as error:
            problem = {"error": type(error).__name__, "message": str(error)}
        finally:
            sys.stdout.flush()
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
            os.close(saved[0])
            os.close(saved[1])
        out.seek(0)
        err.seek(0)
        text, log = out.read().decode(), err.read().decode()
    if problem:
        return problem
    placed = {
        name: device.rpartition("/device:")[2] for name, _, device in LINE.findall(text + log)
    }
    placed.pop("go", None)
    ignored = sorted(set(re.findall(r"Ignoring .*", log)))
    return {"placed": placed, "ignored": ignored}


def main(graphs, answers):
    """Answer each line."""
    with open(graphs) as lines, open(answers, "w") as out:
        for line in lines:
            number, message, soft = json.loads(line)
            graph_def = tf.GraphDef.FromString(base64.b64decode(message))
            out.write(json.dumps([number, answer(graph_def, soft)]) + "\n")
            out.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
