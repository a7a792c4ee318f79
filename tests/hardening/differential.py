"""Random calls over all ops, and what TensorFlow answered: values, dtypes, shapes, error classes.

`python -m tests.hardening.differential write CALLS COUNT [FIRST]` writes calls with placewise;
`python tests/hardening/record_answers.py CALLS ANSWERS` asks a TensorFlow for the answers, and
`python -m tests.hardening.differential keep ANSWERS` keeps them beside this file. A call is made
again from its op's name and number: its arguments' checksum tells if the samples have changed.
`python -m tests.hardening.differential renew CALLS` writes the calls that have, to be asked again.
`python -m tests.hardening.differential compare [ANSWERS]` compares all of those that are kept, or
of a file that `record_answers.py` wrote, and counts the reasons.
"""

from __future__ import annotations

import gzip
import json
import pickle
import random
import resource
import shutil
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import placewise as tf
from placewise.check.samples.folder import FOLDER
from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape
from placewise.ops.declare import REGISTRY
from placewise.ops.raw_ops import raw_op
from tests.hardening.digests import SAMPLES, digest
from tests.hardening.explanations import Call, changes_in, explained
from tests.hardening.op_calls import Calls

ANSWERS = Path(__file__).parent / "answers.json.gz"


def arguments_of(calls: Calls, name: str, number: int) -> dict[str, Any]:
    """Return the arguments of a call."""
    return calls.arguments(random.Random(f"{name} {number}"), REGISTRY[name])


def plain(value: Any) -> Any:
    """Return an argument as NumPy and Python have it, without where the samples' files are."""
    if isinstance(value, str):
        return value.replace(str(FOLDER), SAMPLES)
    if isinstance(value, bytes):
        return value.replace(str(FOLDER).encode(), SAMPLES.encode())
    if isinstance(value, np.ndarray) and value.dtype == object:
        items = np.empty(value.size, object)
        items[:] = [plain(item) for item in value.reshape(-1)]
        return items.reshape(value.shape)
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
    return digested(calls, name, arguments_of(calls, name, number))


def digested(calls: Calls, name: str, arguments: dict[str, Any]) -> Any:
    """Return what a call with some arguments gives here, in the form of the recorded answers."""
    function = calls.functions.get(name)
    if function is None:
        function = calls.functions[name] = raw_op(name)
    return digest(name, function, arguments, tf.io.decode_image, str(FOLDER))


def write_calls(path: str, count: int, first: int = 0) -> None:
    """Write calls for `record_answers.py`: all that can be pickled."""
    calls = Calls()
    numbers = range(first, first + count)
    _write(path, calls, [(calls.names[number % len(calls.names)], number) for number in numbers])


def renew_calls(path: str) -> None:
    """Write the recorded calls whose arguments have changed since."""
    calls = Calls()
    _write(path, calls, [entry[:2] for entry in recorded() if not is_current(calls, entry)])


def is_current(calls: Calls, entry: list[Any]) -> bool:
    """Return whether a call is still made with the arguments that its answer is for."""
    name, number, checked, _ = entry
    return checksum(arguments_of(calls, name, number)) == checked


def _write(path: str, calls: Calls, wanted: list[Any]) -> None:
    written = []
    for name, number in wanted:
        arguments = arguments_of(calls, name, number)
        call = (name, number, checksum(arguments), {k: plain(v) for k, v in arguments.items()})
        try:
            pickle.dumps(call)
        except Exception:  # an object of ours among the arguments: TensorFlow could not read it
            continue
        written.append(call)
    Path(path).write_bytes(pickle.dumps(written))
    shutil.copytree(FOLDER, f"{path}.files", dirs_exist_ok=True)


def keep(path: str) -> None:
    """Keep answers beside this file, with those of other calls that are not out of date."""
    calls = Calls()
    answers = {tuple(entry[:2]): entry for entry in recorded() if is_current(calls, entry)}
    answers |= {tuple(entry[:2]): entry for entry in json.loads(Path(path).read_text())}
    lines = [json.dumps(entry) for entry in sorted(answers.values(), key=lambda entry: entry[1])]
    text = "[" + ",\n".join(lines) + "]"
    ANSWERS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def recorded() -> list[list[Any]]:
    """Return [op, number, checksum, answer] of each call that TensorFlow answered."""
    answers: list[list[Any]] = json.loads(gzip.decompress(ANSWERS.read_bytes()))
    return answers


# How many results are told by the arguments alone. The rest of a batch normalisation is what its
# library keeps for the gradient: shapes depend on the processor, contents may not be written.
_UNIQUE = dict.fromkeys(
    [
        *("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"),
        *("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"),
    ],
    3,
)


def is_same(name: str, here: Any, there: Any) -> bool:
    """Return whether two answers are one but for rounding; random numbers need not be the same."""
    if here[:1] != ["error"] and there[:1] != ["error"]:
        unique = _UNIQUE.get(name)
        here, there = here[:unique], there[:unique]
    if here == there:
        return True
    if [len(here), here[:1] == ["error"]] != [len(there), there[:1] == ["error"]]:
        return False
    if here[:1] == ["error"] or [item[:2] for item in here] != [item[:2] for item in there]:
        return False
    if REGISTRY[name].stateful or "Random" in name:
        return True
    return all(_is_close(*pair) for pair in zip(here, there, strict=True))


def _is_close(here: list[Any], there: list[Any]) -> bool:
    if not isinstance(here[2], list):
        return bool(here[2] == there[2])
    try:
        one, other = np.array(here[2], float), np.array(there[2], float)
    except ValueError:
        return False
    sizes = [np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0) for numbers in (one, other)]
    steps = {"float16": 4e-3, "bfloat16": 2e-2}.get(here[0], 1e-6)
    return np.allclose(one, other, 2e-3, max(sizes) * steps, equal_nan=True)


class Answers:
    """The recorded calls: what the n-th gives here, beside what it gave there."""

    def __init__(self, answers: list[list[Any]] | None = None) -> None:
        self.calls = Calls()
        self.recorded = recorded() if answers is None else answers
        self.last = ""

    def run(self, index: int) -> str | None:
        """Make a call; return what was wrong, if it differs without a reason."""
        found = self.compared(index % len(self.recorded))  # whichever case is the first
        return found[0] if found and found[1] is None else None

    def compared(self, index: int) -> tuple[str | None, str | None] | None:
        """Return what differs, if anything, and the rule that explains it; None if out of date."""
        name, number, checked, there = self.recorded[index]
        self.last = f"{name} {number}"
        arguments = arguments_of(self.calls, name, number)
        if checksum(arguments) != checked:
            return None
        here = json.loads(json.dumps(answer(self.calls, name, number)))
        if is_same(name, here, there):
            return None, None
        arguments = arguments_of(self.calls, name, number)  # the op may have changed an array
        call = Call(
            name,
            arguments,
            here,
            there,
            changes_in(self.calls, name, arguments),
            lambda others: json.loads(json.dumps(digested(self.calls, name, others))),
            lambda one, other: is_same(name, one, other),
        )
        return f"{name} {number}: {here} instead of {there}", explained(call)


def report(path: str | None = None) -> int:
    """Compare all; print how many differ for which reason, and what has none."""
    counts: Counter[str] = Counter()
    faults = []
    limit = 8 << 30  # some calls ask for as much memory as there is
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    answers = Answers(json.loads(Path(path).read_text()) if path else None)
    for found in map(answers.compared, range(len(answers.recorded))):
        if found is None:
            counts["out of date"] += 1
            continue
        problem, rule = found
        counts["the same" if problem is None else rule or "no reason"] += 1
        if problem and rule is None:
            faults.append(problem)
    for what, count in counts.most_common():
        print(f"{count:7,} {what}")
    print("\n".join(faults))
    return int(bool(faults))


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        sys.exit(report(*sys.argv[2:]))
    if sys.argv[1] == "renew":
        renew_calls(sys.argv[2])
    elif sys.argv[1] == "write":
        write_calls(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        keep(sys.argv[2])
