"""Random eager programs on four logical CPUs: `python eager_draws.py MODULE FIRST COUNT`.

MODULE is `tensorflow` or `placewise`; each prints a JSON line a program: where each op ran, or the
class and first line of its error. `--compare PYTHON` asks the TensorFlow of another Python, too,
and prints where they differ.
"""

import importlib
import json
import os
import random
import re
import subprocess
import sys

SCOPES = ["/cpu:0", "/cpu:1", "CPU:2", "cpu:3", "/device:CPU:3", "/job:localhost/cpu:1", "", "/"]
SCOPES += ["/job:localhost/replica:0/task:0/device:CPU:2", "/task:0/cpu:1", "/replica:0", "CPU"]
SCOPES += ["/device:CPU:*", "/job:localhost", None, "/device:cpu:1"]
WRONG = [
    "GPU:0",
    "/device:GPU:*",
    "GPU",
    "CPU:9",
    "/job:foo",
    "/task:7/CPU:0",
    "/replica:3",
    "TPU:0",
]
WRONG += ["/device:CPU:-1", "/cpu:x", "nonsense", "/device:CPU", "CPU:0/CPU:1", "/device:XLA_CPU:0"]
WRONG += [
    "/job:foo/task:7/CPU:0",
    "/device:*:0",
    "/task:*",
    "/cpu:1:2",
    "/Device:CPU:0",
    "//cpu:1//",
]


def ops(tf):
    """Return name → function of (rng, values, variables) → tensor or variable."""
    table = {}

    def op(function):
        table[function.__name__] = function

    @op
    def constant(rng, values, variables):
        return tf.constant(rng.choice([1.5, [1.5, 2.5], 7, [3, 4], "text", True, [[2.5]]]))

    @op
    def add(rng, values, variables):
        return values[0] + values[-1]

    @op
    def number(rng, values, variables):
        return values[-1] * rng.choice([2.0, 3.0])

    @op
    def text(rng, values, variables):
        return tf.strings.as_string(values[-1])

    @op
    def identity(rng, values, variables):
        return tf.identity(values[0])

    @op
    def shape(rng, values, variables):
        return tf.shape(values[-1])

    @op
    def integers(rng, values, variables):
        return tf.range(3) + 1

    @op
    def random_numbers(rng, values, variables):
        return tf.random.uniform([2])

    @op
    def variable(rng, values, variables):
        made = tf.Variable(rng.choice([1.0, 2, True]))
        if made.dtype == tf.float32:
            variables.append(made)
        return made

    @op
    def assign(rng, values, variables):
        return variables[-1].assign_add(1.0)

    @op
    def read(rng, values, variables):
        return variables[0].read_value()

    @op
    def convert(rng, values, variables):
        return tf.convert_to_tensor(variables[-1])

    @op
    def plus(rng, values, variables):
        return variables[0] + 1.0

    @op
    def two_handles(rng, values, variables):
        tf.raw_ops.ResourceApplyMomentum(
            var=variables[0].handle,
            accum=variables[-1].handle,
            lr=0.1,
            grad=1.0,
            momentum=0.1,
        )
        return variables[0]

    @op
    def raw_read(rng, values, variables):
        return tf.raw_ops.ReadVariableOp(resource=variables[-1].handle, dtype=tf.float32)

    @op
    def call(rng, values, variables):
        return tf.function(lambda x: x + 1.0)(values[0])

    @op
    def call_with_scope(rng, values, variables):
        inner = rng.choice(SCOPES + WRONG[:4])

        def body(x):
            with tf.device(inner):
                return x * 2.0

        return tf.function(body)(values[0])

    @op
    def call_of_variable(rng, values, variables):
        v = variables[-1]
        return tf.function(lambda: v.assign_add(1.0))()

    @op
    def table_size(rng, values, variables):
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        return table.lookup(tf.constant("a"))

    @op
    def queue_size(rng, values, variables):
        queue = tf.queue.FIFOQueue(2, [tf.float32])
        return queue.size()

    @op
    def dataset(rng, values, variables):
        return next(iter(tf.data.Dataset.range(3)))

    @op
    def gradient(rng, values, variables):
        x = values[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    @op
    def branch(rng, values, variables):
        return tf.function(lambda x: tf.cond(x > 0, lambda: x + 1.0, lambda: x))(values[0])

    @op
    def python(rng, values, variables):
        return tf.py_function(lambda x: x + 1.0, [values[0]], tf.float32)

    @op
    def zeros(rng, values, variables):
        return tf.zeros_like(values[-1])

    @op
    def cast(rng, values, variables):
        return tf.cast(values[-1], rng.choice([tf.int32, tf.float64]))

    return table


def program(number):
    """Return the n-th program: whether placement is soft, and (scopes, op, seed) a step."""
    rng = random.Random(f"eager placement {number}")
    wrong = rng.choice([0.0, 0.2, 0.5])
    steps = []
    for _ in range(rng.choice([3, 5, 8])):
        scopes = [
            rng.choice(WRONG if rng.random() < wrong else SCOPES)
            for _ in range(rng.choice([0, 1, 1, 2, 3]))
        ]
        steps.append((scopes, rng.random(), rng.randrange(10**6)))
    return rng.random() < 0.5, steps


def run(tf, table, number):
    """Return the answers of a program, a line each op."""
    soft, steps = program(number)
    tf.config.set_soft_device_placement(soft)
    with tf.device(None):
        variables, values = [tf.Variable(1.0)], [tf.constant(1.0)]
    answers = []
    names = sorted(table)
    for scopes, which, seed in steps:
        rng = random.Random(seed)
        name = names[int(which * len(names))]
        line = f"{name} {scopes}"
        entered = []
        try:
            for scope in scopes:
                manager = tf.device(scope)
                manager.__enter__()
                entered.append(manager)
            result = table[name](rng, values, variables)
            line += f" {result.device}"
            if result.dtype == tf.float32 and not isinstance(result, tf.Variable):
                values.append(result)
        except Exception as error:
            kind = type(error).__name__.replace("UnknownDeviceError", "InvalidArgumentError")
            line += f" {kind}: {first_line(error)}"
        finally:
            for manager in reversed(entered):
                manager.__exit__(None, None, None)
        answers.append(line)
    return {"soft": soft, "answers": answers}


def first_line(error):
    """Return the first line of an error, as far as TensorFlow and placewise mean to agree on it.

    TensorFlow says "unknown device" of a device it was asked for before, and names the conversion
    of a constant where placewise names the op, or the other way round. placewise has the guides'
    words for constants on devices that do not exist, and those of sessions for functions.
    """
    text = re.sub(r" \[Op:.*", "", str(error).partition("\n")[0])
    text = re.sub(r"(Malformed device specification '\S+').*", r"\1", text)
    missing = "Error copying tensor to device: (\\S+)\\. .*|(\\S+) unknown device\\."
    missing += "|Could not satisfy device specification '(\\S+)'.*"
    text = re.sub(missing, lambda m: f"no {m[1] or m[2] or m[3]}", text)
    node = r"Cannot assign a device to node \S+ Could not satisfy explicit device specification"
    text = re.sub(f"{node} '(.*)'|Unable to find any devices for spec (.*)", r"no \1\2", text)
    return text.replace("/device:*:0", "")


def divide(tf):
    """Make four devices of the CPU."""
    (cpu,) = tf.config.list_physical_devices("CPU")
    parts = [tf.config.LogicalDeviceConfiguration() for _ in range(4)]
    tf.config.set_logical_device_configuration(cpu, parts)


def main(module, first, count):
    """Print a line a program."""
    tf = importlib.import_module(module)
    divide(tf)
    table = ops(tf)
    for number in range(first, first + count):
        print(json.dumps([number, run(tf, table, number)]), flush=True)


def asked(python, module, first, count):
    """Return number → answers, from a process."""
    variables = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    if module == "tensorflow":
        variables.pop("PYTHONPATH", None)
    out = subprocess.run(
        [python, __file__, module, str(first), str(count)],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    ).stdout
    return dict(json.loads(line) for line in out.splitlines())


def compare(python, first, count):
    """Print the ops on which two modules differ; return how many."""
    theirs, own = (
        asked(python, "tensorflow", first, count),
        asked(sys.executable, "placewise", first, count),
    )
    different = steps = 0
    for number, answer in theirs.items():
        for here, there in zip(own[number]["answers"], answer["answers"], strict=True):
            steps += 1
            if here != there:
                different += 1
                print(f"program {number}, soft={answer['soft']}")
                print(f"  here       {here}\n  TensorFlow {there}")
    print(f"{len(theirs)} programs, {steps} ops, {different} differ")
    return different


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        sys.exit(compare(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])) > 0)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
