"""Malformed calls of every op by its raw name, in eager programs and in graphs."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import placewise as tf
from placewise.check.samples import load_samples
from placewise.ops.declare import REGISTRY, REQUIRED, Op
from placewise.ops.raw_ops import raw_op, raw_op_names
from tests.hardening.judgement import describe, judge
from tests.hardening.mutations import array, attribute, mutated

# They wait for what another thread does, end the process, or run any Python there is.
_WAITING = ("Dequeue", "Unstage", "Barrier", "TakeGradient", "Recv", "Sleep", "StagePeek", "Reader")
_LEFT_OUT = {"Abort", "PyFunc", "EagerPyFunc", "PyFuncStateless", "PrintV2", "Print", "MapPeek"}


def callable_ops() -> list[str]:
    """Return the ops that may be called with anything, alone."""
    return [
        name
        for name in raw_op_names()
        if name not in _LEFT_OUT and not any(word in name for word in _WAITING)
    ]


class Calls:
    """The n-th malformed call: always the same for the same n."""

    def __init__(self) -> None:
        self.names = callable_ops()
        self.samples = load_samples()
        self.functions: dict[str, Any] = {}
        self.last = ""

    def run(self, number: int) -> str | None:
        """Make one call; return what was wrong with how it ended."""
        rng = random.Random(number)
        name = self.names[number % len(self.names)]
        function = self.functions.get(name)
        if function is None:
            function = self.functions[name] = raw_op(name)
        arguments = self.arguments(rng, REGISTRY[name])
        self.last = f"{name}({', '.join(f'{k}={describe(v)}' for k, v in arguments.items())})"
        try:
            if rng.random() < 0.2:
                with tf.Graph().as_default():
                    function(**arguments)
            else:
                with np.errstate(all="ignore"):
                    function(**arguments)
        except Exception as error:
            return judge(error)
        return None

    def arguments(self, rng: random.Random, declared: Op) -> dict[str, Any]:
        """Return arguments for an op: those of a sample, some of them made wrong."""
        renamed = declared.argument_names or {}
        good = [sample for sample in self.samples.get(declared.name, []) if sample.error is None]
        sample = rng.choice(good) if good and rng.random() < 0.85 else None
        arguments: dict[str, Any] = {}
        for index, arg in enumerate(declared.inputs):
            if sample is not None and index < len(sample.inputs):
                value = sample.inputs[index]
            else:
                value = [array(rng), array(rng)] if arg.is_list else array(rng)
            arguments[renamed.get(arg.name, arg.name)] = value
        names = list(arguments)
        for name in rng.sample(names, min(len(names), rng.choice([0, 1, 1, 2]))):
            arguments[name] = mutated(rng, arguments[name])
        for attr in declared.attrs:
            name = renamed.get(attr.name, attr.name)
            if rng.random() < 0.15:
                arguments[name] = attribute(rng, attr.kind)
            elif sample is not None and attr.name in sample.attrs:
                arguments[name] = sample.attrs[attr.name]
            elif attr.default is REQUIRED:
                arguments[name] = attribute(rng, attr.kind)
        return arguments
