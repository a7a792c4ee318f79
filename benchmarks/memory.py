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
from placewise.memory.pool import Pool

ROUNDS = 60


def best(cases: dict[str, Callable[[], object]], count: int) -> dict[str, float]:
    """Return the best seconds per call of each case, taken in turn."""
    found = dict.fromkeys(cases, float("inf"))
    for _ in range(ROUNDS):
        for name, call in cases.items():
            start = time.perf_counter()
            for _ in range(count):
                call()
            found[name] = min(found[name], (time.perf_counter() - start) / count)
    return found


def pool_cost() -> float:
    """Return the seconds of one small allocation with its release, in the pool alone."""
    pool = Pool(8 << 30)
    held = [pool.allocate(256 << (k % 12)) for k in range(600)]
    for block in held[::2]:
        pool.free(block)

    def pair() -> None:
        pool.free(pool.allocate(1024))

    return best({"pair": pair}, 1000)["pair"]


def counting_cost() -> dict[str, float]:
    """Return the seconds that counting adds to an op, by what happens to its result."""
    gpu = inventory().default
    attach([gpu])
    count, x, add = gpu.account, torch.ones(16, 16), torch.add

    def plain() -> None:
        for _ in range(100):
            add(x, x)

    def replaced() -> None:
        for _ in range(100):
            count(add(x, x), "Add")

    def kept_plain() -> None:
        _ = [add(x, x) for _ in range(100)]

    def kept() -> None:
        held = []
        for _ in range(100):
            value = add(x, x)
            count(value, "Add")
            held.append(value)

    def views_plain() -> None:
        for _ in range(100):
            x[1:]

    def views() -> None:
        for _ in range(100):
            count(x[1:], "Slice")

    count(x, "Const")
    taken = best(
        {f.__name__: f for f in (plain, replaced, kept_plain, kept, views_plain, views)}, 10
    )
    taken = {name: seconds / 100 for name, seconds in taken.items()}
    return {
        "torch.add alone": taken["plain"],
        "result dropped before the next": taken["replaced"] - taken["plain"],
        "100 results kept, then dropped": taken["kept"] - taken["kept_plain"],
        "a view": taken["views"] - taken["views_plain"],
    }


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
        pool = ledger_of(inventory().default).settle()
        pool.reset_peak()
        step()
    layer = 32 * 32 * 32 * 32 * 4
    weights = (5 * 5 * 3 * 32 + 5 * 5 * 32 * 32) * 4
    # a, b, c, d; going back through the last relu its gradient and the one it makes live as well.
    must = 4 * layer + 2 * layer + 32 * 32 * 32 * 3 * 4 + 2 * weights
    return ledger_of(inventory().default).settle().peak_bytes, must


def main() -> int:
    """Print all figures; return 1 if a promise is not kept."""
    simulate("2xV100")
    kept = True
    print(f"{'pool: allocate and free 1 KiB':44}{pool_cost() * 1e6:8.2f} µs")
    for name, seconds in counting_cost().items():
        print(f"{'counting: ' + name:44}{seconds * 1e6:8.2f} µs")
    for name, seconds in op_cost().items():
        print(f"{'tf.add of 16 x 16 on ' + name:44}{seconds * 1e6:8.2f} µs")
    taken = copies()
    for name, seconds in taken.items():
        speed = taken["memcpy"] / seconds
        fails = "" if name != "between simulated GPUs" or speed >= 0.8 else "  below 0.8x memcpy"
        kept &= not fails
        print(f"{'64 MiB: ' + name:44}{seconds * 1e3:8.2f} ms{speed:8.2f} x memcpy{fails}")
    peak, must = peak_of_a_step()
    fails = "" if peak <= 1.15 * must else "  above 1.15"
    kept &= not fails
    print(f"{'CNN step: peak against what must live':44}{peak / must:8.2f}{fails}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
