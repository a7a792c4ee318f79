"""Every recorded question, asked of placewise: the answer must be TensorFlow's.

ORACLE_MODULE names another module to ask (`tensorflow` checks the harness itself).
"""

import functools
import importlib
import json
import os
import traceback
from pathlib import Path
from typing import Any

import pytest

from .known_differences import KNOWN_DIFFERENCES
from .table import Case, load_topic, topics
from .values import compare, compare_error, describe, evaluate

MODULE = os.environ.get("ORACLE_MODULE", "placewise")
ANSWERS = Path(__file__).parent / "answers"


@functools.cache
def answers_of(topic: str) -> dict[str, Any]:
    """Recorded answers of a topic, by the code that was asked."""
    file = ANSWERS / f"{topic}.json"
    rows = json.loads(file.read_text()) if file.exists() else []
    return {code: answer for _, code, answer in rows}


def parameters() -> list[Any]:
    result = []
    for topic in topics():
        for case in load_topic(topic):
            reason = KNOWN_DIFFERENCES.get(case.id) if MODULE == "placewise" else None
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            result.append(pytest.param(case, id=case.id, marks=marks))
    return result


@pytest.mark.parametrize("case", parameters())
def test_answer_is_that_of_tensorflow(case: Case) -> None:
    problem = problem_of(case)
    if problem:
        pytest.fail(f"{case.code}\n{problem}", pytrace=False)


def problem_of(case: Case) -> str:
    """How the answer differs from the recorded one; empty if it does not."""
    answers = answers_of(case.topic)
    assert case.code in answers, f"not recorded yet, run record.py {case.topic}: {case.code}"
    expected = answers[case.code]
    tf = importlib.import_module(MODULE)
    try:
        got = describe(tf, evaluate(tf, case.code))
    except Exception as error:
        problem = difference(compare_error, expected, error, case.options)
        if problem:
            last = traceback.extract_tb(error.__traceback__)[-1]
            problem += f"\n     raised in {Path(last.filename).name}:{last.lineno} ({last.name})"
    else:
        problem = difference(compare, expected, got, case.options)
    return problem


def difference(compare_with: Any, expected: Any, got: Any, options: dict[str, Any]) -> str:
    """How the two differ; empty when they agree."""
    try:
        compare_with(expected, got, options)
    except AssertionError as problem:
        return str(problem)[:2000]
    return ""


def test_known_differences_name_cases() -> None:
    ids = {case.id for topic in topics() for case in load_topic(topic)}
    assert not set(KNOWN_DIFFERENCES) - ids
