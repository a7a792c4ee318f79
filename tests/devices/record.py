"""Records TensorFlow's answers about device names into `golden.json`.

Run by hand in an environment that has TensorFlow 2.21: `python tests/devices/record.py`.
"""

import contextlib
import itertools
import json
from pathlib import Path

NAMES = [
    "",
    "/",
    "/:0",
    "/job:",
    "job:w",
    "/job:w:x",
    "//cpu:0//",
    "/gpu",
    "gpu",
    "/gpu:",
    "/gpu:*",
    "/gpu:*:1",
    "/device:GPU",
    "/device:*",
    "/device:*:0",
    "/device:GPU:*",
    "/device::0",
    "/job:*",
    "/replica:*",
    "/task:*",
    "/gpu:-1",
    "/gpu: 1",
    "/gpu:01",
    "/gpu:+1",
    "/gpu:1_0",
    "/Cpu:0",
    "/device:Cpu:0",
    "/device:cpu:0",
    "/device:gpu:*",
    "/tpu:0",
    "/custom:0",
    "/epu:0",
    "/xla_gpu:0",
    "/device:XLA_GPU:0",
    "/cpu:0/gpu:1",
    "/task:1:2",
    "/task:",
    "cPu:0",
    "CPU",
    "/replica:1/replica:2",
    "/job:a/job:b",
    "/foo",
    "/foo:0",
    "/device",
    "/device:",
    "device:GPU:1",
    "/cpu:0:0",
    "/device:GPU:1:2",
    "/JOB:x",
    "/Device:GPU:0",
    "/device:GPU:x",
    " /cpu:0",
    "/job:w/task:2/cpu:*",
    "/job:w /cpu:0",
    "/cpu:0 ",
    "/sycl:0",
    "/gpu:1.5",
    "/gpu:\u0663",
    "gpu:1/job:w/task:2/replica:0",
    "/job:localhost/replica:0/task:0/device:GPU:3",
    "::",
    "a/b",
    "/cpu:0/device:GPU:1",
    "/device:GPU:0/device:GPU:1",
    "/gpu/gpu",
]
SCOPES = ["/job:worker/task:1", "/gpu:2", None, "/cpu:*", "/job:ps", "/replica:0", "", "GPU"]
EAGER = [
    "",
    "/",
    "/job:localhost",
    "/task:0",
    "CPU",
    "/device:CPU:*",
    "GPU",
    "GPU:1",
    "/job:foo",
    None,
]

SPECS = [
    "S()",
    "S(job=1, replica='2', task=3.7, device_type='gpu', device_index='4')",
    "S(device_type='Gpu')",
    "S(device_index=3)",
    "S(device_index=3).to_string()",
    "S(job='')",
    "S(job='').to_string()",
    "S(replica='x')",
    "S(device_type=5)",
    "S.from_string(None)",
    "S(job='a') == S(job='a')",
    "S() == 'x'",
    "S(job='a') == V(job='a')",
    "V(job='a') == S(job='a')",
    "hash(S(job='a')) == hash('/job:a')",
    "S(job='a').make_merged_spec(S(task=1, device_type='CPU'))",
    "S(job='a').replace(job=None, task=2)",
    "S.from_string(3)",
    "S('w', 0, 1, 'CPU', 2)",
    "S(job='a', device_type='GPU').parse_from_string('/task:3')",
    "str(S(job='x'))",
    "S(job='a').make_merged_spec('/cpu:0')",
    "S(job='a:b/c').to_string()",
    "S(replica=True)",
    "V(job='a', device_type='GPU', device_index=1).replace(job='z')",
    "S(device_type='cpu').device_type",
    "V(job='a').parse_from_string('/cpu:0')",
    "V(job='a').merge_from(V(task=3))",
]


def answer(ask, *arguments):
    """Return what a call gives, or the class and text of what it raises."""
    try:
        return repr(ask(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Write the answers."""
    import tensorflow as tf
    from tensorflow.python.eager import context

    def graph(scopes):
        with tf.Graph().as_default(), contextlib.ExitStack() as stack:
            for scope in scopes:
                stack.enter_context(tf.compat.v1.device(scope))
            return tf.constant(1).device

    def eager(scopes):
        with contextlib.ExitStack() as stack:
            for scope in scopes:
                stack.enter_context(tf.device(scope))
            return context.context().device_name

    space = {"S": tf.DeviceSpec, "V": tf.compat.v1.DeviceSpec}
    golden = {
        "tensorflow": tf.__version__,
        "names": {
            name: answer(lambda n: tf.DeviceSpec.from_string(n).to_string(), name) for name in NAMES
        },
        "specs": {spec: answer(eval, spec, space) for spec in SPECS},
        "graph": [
            [list(s), graph(s)] for n in (1, 2, 3) for s in itertools.permutations(SCOPES, n)
        ],
        "eager": [[list(s), eager(s)] for n in (1, 2) for s in itertools.product(EAGER, repeat=n)],
    }
    file = Path(__file__).with_name("golden.json")
    file.write_text(json.dumps(golden, indent=0, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
