"""Memory of simulated GPUs: what counting costs an op, 64 MiB copies, the peak of a CNN step."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import numpy as np
import torch

import placewise as tf
from placewise.devices.inventory import inventory, simulate
from placewise.memory.ledgers import attach, copied_content, ledger_of
from placewise.memory.pool import Block, Pool

ROUNDS = 60
ALONE = "torch.add alone"


def best(
    cases: dict[str, Callable[[], object]],
    count: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Return the best seconds per call of each case, taken in turn."""
    found = dict.fromkeys(cases, float("inf"))
    for _ in range(ROUNDS):
        for name, call in cases.items():
            start = clock()
            for _ in range(count):
                call()
            found[name] = min(found[name], (clock() - start) / count)
    return found


def pool_cost() -> float:
    """Return the seconds of one small allocation with its release, told a hundred at once."""
    pool = Pool(8 << 30)
    held = [pool.allocate(256 << (k % 12)) for k in range(600)]
    for block in held[::2]:
        pool.free(block)

    pieces = [Block() for _ in range(50)]
    for piece in pieces:
        piece.nbytes = 1024

    def pairs() -> None:
        for piece in pieces:
            piece.holder = None
        pool.apply(pieces + pieces[::-1])

    return best({"pairs": pairs}, 20)["pairs"] / len(pieces)


def counting_cost() -> dict[str, float]:
    """Return the seconds that counting adds to an op, by what happens to its result."""
    gpu = inventory().default
    attach([gpu])
    count, x, add = gpu.account, torch.ones(16, 16), torch.add
    dtype = x.dtype  # ops know it of their results

    def plain() -> None:
        for _ in range(100):
            add(x, x)

    def replaced() -> None:
        for _ in range(100):
            count(add(x, x), "Add", dtype, True)

    def followed() -> None:
        value = x
        for _ in range(100):
            value = add(value, x)
            count(value, "Add", dtype, True)

    def kept_plain() -> None:
        _ = [add(x, x) for _ in range(100)]

    def kept() -> None:
        held = []
        for _ in range(100):
            value = add(x, x)
            count(value, "Add", dtype, True)
            held.append(value)

    def views_plain() -> None:
        for _ in range(100):
            x[1:]

    def views() -> None:
        for _ in range(100):
            count(x[1:], "Slice", dtype)

    count(x, "Const")
    cases = (plain, replaced, followed, kept_plain, kept, views_plain, views)
    taken = best({case.__name__: case for case in cases}, 10)
    taken = {name: seconds / 100 for name, seconds in taken.items()}
    return {
        ALONE: taken["plain"],
        "result dropped before the next": taken["replaced"] - taken["plain"],
        "result dropped after the next": taken["followed"] - taken["plain"],
        "100 results kept, then dropped": taken["kept"] - taken["kept_plain"],
        "a view": taken["views"] - taken["views_plain"],
        "result dropped before the next, at the peak": _at_the_peak(replaced) - taken["plain"],
    }


def _at_the_peak(run: Callable[[], None]) -> float:
    """Return the seconds an op takes where each result makes what is in use the most there was."""
    run()
    ledger_of(inventory().default).reset_peak()
    run()
    return best({"run": run}, 10)["run"] / 100


def op_cost() -> dict[str, float]:
    """Return the seconds of tf.add on the CPU and on a simulated GPU."""
    operands = {}
    for name in ("CPU:0", "GPU:0"):
        with tf.device(name):
            operands[name] = tf.constant(np.ones((16, 16), np.float32))

    def on(name: str) -> Callable[[], None]:
        a = operands[name]

        def run() -> None:
            with tf.device(name):
                for _ in range(100):
                    tf.add(a, a)

        return run

    taken = best({name: on(name) for name in operands}, 5)
    return {name: seconds / 100 for name, seconds in taken.items()}


def step_cost() -> dict[str, float]:
    """Return the seconds of an eager training step of a small network, and how much it makes."""
    sizes = ((32, 48), (48,), (48, 24), (24,), (24, 4), (4,))

    def on(name: str) -> Callable[[], None]:
        with tf.device(name):
            x, y = tf.random.normal((8, 32)), tf.random.normal((8, 4))
            weights = [tf.Variable(tf.random.normal(size)) for size in sizes]

        def run() -> None:
            with tf.device(name):
                with tf.GradientTape() as tape:
                    h = tf.nn.relu(tf.matmul(x, weights[0]) + weights[1])
                    h = tf.nn.tanh(tf.matmul(h, weights[2]) + weights[3])
                    y_ = tf.matmul(h, weights[4]) + weights[5]
                    loss = tf.reduce_mean(tf.square(y_ - y))
                gradients = tape.gradient(loss, weights)
                for weight, gradient in zip(weights, gradients, strict=True):
                    weight.assign_sub(0.01 * gradient)

        return run

    ledger = ledger_of(inventory().default)
    steps = {name: on(name) for name in ("CPU:0", "GPU:0")}
    for step in steps.values():
        step()
    before = ledger.settle().count
    steps["GPU:0"]()
    made = ledger.settle().count - before
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the products are too small to share out
    try:
        return {**best(steps, 5), "made": made}
    finally:
        torch.set_num_threads(threads)


def copies() -> dict[str, float]:
    """Return the seconds of a 64 MiB copy in several ways, all warm."""
    _, one, other = inventory().devices[:3]
    source = torch.ones(16 << 20)
    target = np.empty(16 << 20, np.float32)
    array = source.numpy()
    return best(
        {
            "memcpy": lambda: ctypes.memmove(target.ctypes.data, array.ctypes.data, array.nbytes),
            "np.copyto": lambda: np.copyto(target, array),
            "torch.clone": source.clone,
            "between simulated GPUs": lambda: copied_content(source, one, other),
        },
        1,
        time.perf_counter,  # torch copies with several threads
    )


def peak_of_a_step() -> tuple[int, int]:
    """Return the peak bytes of a CNN step on a simulated GPU, and what must live at that point.

    Must live: weights, their gradients, the input, and each layer's result until it was used.
    """
    with tf.device("GPU:0"):
        x = tf.constant(np.ones((32, 32, 32, 3), np.float32))
        first = tf.Variable(np.ones((5, 5, 3, 32), np.float32))
        second = tf.Variable(np.ones((5, 5, 32, 32), np.float32))

        def step() -> object:
            with tf.GradientTape() as tape:
                a = tf.nn.conv2d(x, first, 1, "SAME")
                b = tf.nn.relu(a)
                c = tf.nn.conv2d(b, second, 1, "SAME")
                d = tf.nn.relu(c)
                loss = tf.reduce_sum(d)
            return tape.gradient(loss, [first, second])

        step()
        ledger_of(inventory().default).reset_peak()
        step()
    layer = 32 * 32 * 32 * 32 * 4
    weights = (5 * 5 * 3 * 32 + 5 * 5 * 32 * 32) * 4
    # a, b, c, d; going back through the last relu its gradient and the one it makes live as well.
    must = 4 * layer + 2 * layer + 32 * 32 * 32 * 3 * 4 + 2 * weights
    return ledger_of(inventory().default).settle().peak_bytes, must


def main() -> int:
    """Print all figures; return 1 if a promise is not kept, and say which."""
    simulate("2xV100")
    broken: list[str] = []

    def show(name: str, figure: float, unit: str, is_kept: bool = True, promise: str = "") -> None:
        print(f"{name:48}{figure:8.2f} {unit}{'' if is_kept else '  not ' + promise}")
        if not is_kept:
            broken.append(f"{name}: {figure:.2f} {unit}, not {promise}")

    show("pool: allocate and free 1 KiB", pool_cost() * 1e6, "µs")
    for name, seconds in counting_cost().items():
        is_kept = seconds <= 1e-6 or name == ALONE
        show("counting: " + name, seconds * 1e6, "µs", is_kept, "at most 1 µs")
    for name, seconds in op_cost().items():
        show("tf.add of 16 x 16 on " + name, seconds * 1e6, "µs")
    taken = step_cost()
    made = int(taken.pop("made"))
    for name, seconds in taken.items():
        show("eager training step on " + name, seconds * 1e6, "µs")
    extra = (taken["GPU:0"] - taken["CPU:0"]) / made
    show(f"  all that a GPU adds, for each of {made} results", extra * 1e6, "µs")
    taken = copies()
    for name, seconds in taken.items():
        speed = taken["memcpy"] / seconds
        is_kept = name != "between simulated GPUs" or speed >= 0.8
        show(f"64 MiB: {name}, {seconds * 1e3:.2f} ms", speed, "x memcpy", is_kept, "at least 0.8")
    peak, must = peak_of_a_step()
    ratio = peak / must
    show("CNN step: peak against what must live", ratio, "", ratio <= 1.15, "at most 1.15")
    for line in broken:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
