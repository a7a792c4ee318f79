"""Asks TensorFlow every question of `cases/` and writes its answers to `answers/`.

Run from the project's root with a Python that has TensorFlow 2:
`python -m tests.oracle.record [--raises] [topic ...]`; `--raises` prints each exception recorded.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from .table import Case, load_topic, topics
from .values import outcome

ANSWERS = Path(__file__).parent / "answers"


def main() -> int:
    """Record the topics asked for (all by default); 1 when an outcome is not the kind promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topics", nargs="*", default=topics())
    parser.add_argument("--raises", action="store_true", help="print each exception recorded")
    arguments = parser.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    surprises = 0
    for topic in arguments.topics:
        cases = load_topic(topic)
        answers = [outcome(tf, case.code) for case in cases]
        write(topic, cases, answers)
        raised = 0
        for case, answer in zip(cases, answers, strict=True):
            is_error = isinstance(answer, dict) and "raises" in answer
            raised += is_error
            surprise = case.should_raise is not None and case.should_raise != is_error
            surprises += surprise
            if surprise or (is_error and arguments.raises):
                print(f"{'SURPRISE ' * surprise}{case.id}\n  {case.code}\n  {answer}"[:700])
        print(f"{topic}: {len(cases)} cases, {raised} of them raise")
    return 1 if surprises else 0


def write(topic: str, cases: list[Case], answers: list[Any]) -> None:
    """One line a case: id, code, answer."""
    lines = [
        json.dumps([case.id, case.code, answer], separators=(",", ":"))
        for case, answer in zip(cases, answers, strict=True)
    ]
    (ANSWERS / f"{topic}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    sys.exit(main())
