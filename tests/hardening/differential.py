"""Random calls over all ops, and what TensorFlow answered: values, dtypes, shapes, error classes.

`python -m tests.hardening.differential write CALLS COUNT` writes calls with placewise;
`python tests/hardening/record_answers.py CALLS ANSWERS` asks a TensorFlow for the answers, and
`python -m tests.hardening.differential keep ANSWERS` keeps them beside this file. A call is made
again from its op's name and number: its arguments' checksum tells if the samples have changed.
"""

from __future__ import annotations

import gzip
import json
import pickle
import random
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape
from placewise.ops.declare import REGISTRY
from placewise.ops.raw_ops import raw_op
from tests.hardening.digests import digest
from tests.hardening.op_calls import Calls

ANSWERS = Path(__file__).parent / "answers.json.gz"


def arguments_of(calls: Calls, name: str, number: int) -> dict[str, Any]:
    """Return the arguments of a call."""
    return calls.arguments(random.Random(f"{name} {number}"), REGISTRY[name])


def plain(value: Any) -> Any:
    """Return an argument as NumPy and Python have it."""
    if isinstance(value, DType):
        return ("dtype", value.name)
    if isinstance(value, TensorShape):
        return ("shape", value.as_list() if value.rank is not None else None)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def checksum(arguments: dict[str, Any]) -> int:
    """Return a number that changes with the arguments."""
    return zlib.crc32(repr({k: _shown(plain(v)) for k, v in arguments.items()}).encode())


def _shown(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tolist())
    return [_shown(item) for item in value] if isinstance(value, list) else value


def answer(calls: Calls, name: str, number: int) -> Any:
    """Return what a call gives here, in the form of the recorded answers."""
    function = calls.functions.get(name)
    if function is None:
        function = calls.functions[name] = raw_op(name)
    return digest(function, arguments_of(calls, name, number))


def write_calls(path: str, count: int) -> None:
    """Write calls for `record_answers.py`: all that can be pickled."""
    calls = Calls()
    written = []
    for number in range(count):
        name = calls.names[number % len(calls.names)]
        arguments = arguments_of(calls, name, number)
        call = (name, number, checksum(arguments), {k: plain(v) for k, v in arguments.items()})
        try:
            pickle.dumps(call)
        except Exception:  # an object of ours among the arguments: TensorFlow could not read it
            continue
        written.append(call)
    Path(path).write_bytes(pickle.dumps(written))


def keep(path: str) -> None:
    """Keep answers beside this file."""
    ANSWERS.write_bytes(gzip.compress(Path(path).read_bytes(), 9, mtime=0))


def recorded() -> list[list[Any]]:
    """Return [op, number, checksum, answer] of each call that TensorFlow answered."""
    answers: list[list[Any]] = json.loads(gzip.decompress(ANSWERS.read_bytes()))
    return answers


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write_calls(sys.argv[2], int(sys.argv[3]))
    else:
        keep(sys.argv[2])
