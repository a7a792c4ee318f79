"""The process that runs samples on a GPU, and writes what came of each as a line of JSON.

An op may end this process, or leave the GPU unable to compute; whoever started it sees which case
was announced last, and starts another for the rest.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from dataclasses import asdict
from typing import Any

import placewise as tf
from placewise.check.facts import describe_torch
from placewise.check.samples import load_samples
from placewise.devices.inventory import inventory
from placewise.ops.registry import load_all


def main(gpu_index: int, first: int) -> int:
    """Run the samples on a GPU, beginning with one, and write what came of them."""
    # Ops print, and so do drivers: lines of the protocol go where nobody else writes.
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(**message: Any) -> None:
        lines.write(json.dumps(message) + "\n")
        lines.flush()

    warnings.simplefilter("ignore")
    logging.disable()
    from placewise.check.kernels import check_sample  # noqa: PLC0415 - keeps torch out
    from placewise.ops.declare import REGISTRY  # noqa: PLC0415 - keeps torch out

    load_all()
    # The CPU has no such numbers to compare with.
    tf.config.experimental.enable_tensor_float_32_execution(False)
    found = inventory()
    gpu = found.of_kind("GPU")[gpu_index]
    samples = load_samples()
    cases = [(name, index) for name in sorted(samples) for index in range(len(samples[name]))]
    tell(facts=describe_torch(gpu), cases=cases)
    for name, index in cases[first:]:
        tell(start=[name, index])
        outcome = check_sample(REGISTRY[name], index, samples[name][index], found.cpu, gpu)
        tell(outcome=asdict(outcome))
        if outcome.has_broken_the_device:
            return 1  # in this process the GPU never works again
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
