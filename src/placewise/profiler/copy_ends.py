"""Which op run made what a copy carries, and which one read it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

from placewise.profiler.recording import CopyRun, Recording


def connect(recording: Recording) -> None:
    """Fill in the maker and the reader of each copy, as far as they can be told."""
    by_name: dict[tuple[int, str], list[int]] = defaultdict(list)
    of_thread: dict[int, list[int]] = defaultdict(list)
    for number, op in enumerate(recording.ops):
        by_name[op.run, recording.nodes[op.node].name].append(number)
        of_thread[op.thread].append(number)
    starts = {
        thread: [recording.ops[number].start for number in numbers]
        for thread, numbers in of_thread.items()
    }
    for copy in recording.copies:
        if copy.maker < 0:
            copy.maker = _maker(recording, copy, by_name)
        if copy.reader < 0:
            numbers = by_name.get((copy.run, copy.copy.op), ())
            after = [number for number in numbers if recording.ops[number].start >= copy.start]
            copy.reader = after[0] if after else -1
        if copy.reader < 0 and copy.copy.op:
            numbers = of_thread.get(copy.thread, [])
            place = bisect_left(starts.get(copy.thread, []), copy.finish)
            # An eager copy is named after the type of the op that is about to run.
            if place < len(numbers):
                node = recording.nodes[recording.ops[numbers[place]].node]
                copy.reader = numbers[place] if node.op == copy.copy.op else -1


def _maker(recording: Recording, copy: CopyRun, by_name: dict[tuple[int, str], list[int]]) -> int:
    name = copy.copy.tensor.partition(":")[0]
    numbers = by_name.get((copy.run, name), ()) if name else ()
    before = [number for number in numbers if recording.ops[number].finish <= copy.start]
    return before[-1] if before else -1
