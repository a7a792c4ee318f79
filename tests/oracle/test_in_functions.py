"""Every recorded question whose answer is made of tensors, asked inside a `tf.function`.

Asked twice: as it is, and with arrays of which only rank and dtype are known when it is traced.
Many cases share a test, since tracing one takes less time than collecting one.
"""

import re
import traceback
from pathlib import Path
from typing import Any

import pytest

import placewise

from .known_differences import KNOWN_DIFFERENCES
from .table import Case, load_topic, topics
from .test_answers import answers_of
from .values import compare, describe, evaluate

_PYTHON = "asks a tensor for a Python value, which TensorFlow refuses in functions too"
_READ = "an eager TensorArray forgets what was read; in a function TensorFlow keeps it"
_SMALL = "a window larger than what it moves over is refused in TensorFlow's functions too"

# What differs inside functions, of cases that agree eagerly: case, reason.
IN_FUNCTIONS = {
    "array_shape:3:tf.cond": "a function's tf.cond refuses a Python bool, as TensorFlow's does",
    "constants_conversion:0:list_A_1_2": _PYTHON,
    "operators_indexing:0:max_A_1_3_2": _PYTHON,
    "operators_indexing:0:sum_A_1_2_3": _PYTHON,
    "operators_indexing:0:A_3_if_A_True_else_A_4": _PYTHON,
    "operators_indexing:0:A_1_and_A_2": _PYTHON,
    "operators_indexing:0:A_0_or_A_2": _PYTHON,
    "nn_conv_pool:5:tf.nn.max_pool": _SMALL,
    "nn_conv_pool:16:tf.nn.conv2d": _SMALL,
    "variables:2:tf.TensorArray": _READ,
}

# What needs to know a shape, in TensorFlow too unless said otherwise: case, reason.
_COUNT = "tf.unstack needs to know how many, in TensorFlow too"
WITH_OPEN_SHAPES = {
    "array_shape:0:tf.unstack": _COUNT,
    "array_shape:1:tf.unstack": _COUNT,
    "array_shape:3:tf.unstack": _COUNT,
    "gradients:0:tf.abs": "the gradient of tf.linalg.qr needs to know sizes, in TensorFlow too",
    "gradients:0:tf.unstack": _COUNT,
}

MAKES_SHAPES = re.compile(r"\b(R|P|I|B|SPD)\(")
CASES_AT_ONCE = 60


def is_made_of_tensors(answer: Any) -> bool:
    """Return True if a function may return the value that a recorded answer describes."""
    if isinstance(answer, list):
        return bool(answer) and all(map(is_made_of_tensors, answer))
    if not isinstance(answer, dict):
        return False
    if "tuple" in answer:
        return is_made_of_tensors(answer["tuple"])
    if "fields" in answer:
        return is_made_of_tensors(list(answer["fields"].values()))
    if "dict" in answer:
        return is_made_of_tensors([item for _, item in answer["dict"]])
    return bool({"tensor", "sparse", "ragged", "slices"} & set(answer))


def groups(differences: dict[str, str], relaxed: bool) -> list[Any]:
    """Return the cases to ask, so many of a topic at once."""
    found = []
    for topic in topics():
        answers = answers_of(topic)
        cases = [
            case
            for case in load_topic(topic)
            if is_made_of_tensors(answers.get(case.code))
            and not {case.id} & (set(KNOWN_DIFFERENCES) | set(IN_FUNCTIONS) | set(differences))
            and (not relaxed or MAKES_SHAPES.search(case.code))
        ]
        for start in range(0, len(cases), CASES_AT_ONCE):
            part = cases[start : start + CASES_AT_ONCE]
            found.append(pytest.param(part, id=f"{topic}:{start // CASES_AT_ONCE}"))
    return found


def problem_of(case: Case, relaxed: bool) -> str:
    """How the answer inside a function differs from the recorded one; empty if it does not."""
    function = placewise.function(lambda: evaluate(placewise, case.code, relaxed), autograph=False)
    try:
        got = function()
        # Draws that depend on the program's seed depend on the graph they are in.
        if case.topic != "random" or "stateless" in case.code:
            compare(answers_of(case.topic)[case.code], describe(placewise, got), case.options)
    except AssertionError as problem:
        return f"{case.id}: {case.code}\n{str(problem)[:500]}"
    except Exception as error:
        if "only supports singleton tf.Variables" in str(error):
            return ""  # the case makes a variable, and TensorFlow says the same
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return f"{case.id}: {case.code}\n{type(error).__name__}: {str(error)[:300]} ({place})"
    return ""


def check(cases: list[Case], relaxed: bool) -> None:
    problems = [found for case in cases if (found := problem_of(case, relaxed))]
    if problems:
        pytest.fail("\n\n".join([f"{len(problems)} of {len(cases)} differ", *problems]), False)


@pytest.mark.parametrize("cases", groups({}, relaxed=False))
def test_answers_in_functions_are_those_of_tensorflow(cases: list[Case]) -> None:
    check(cases, relaxed=False)


@pytest.mark.parametrize("cases", groups(WITH_OPEN_SHAPES, relaxed=True))
def test_answers_are_the_same_if_shapes_are_not_known(cases: list[Case]) -> None:
    check(cases, relaxed=True)


def test_known_differences_in_functions_name_cases() -> None:
    ids = {case.id for topic in topics() for case in load_topic(topic)}
    assert not (set(IN_FUNCTIONS) | set(WITH_OPEN_SHAPES)) - ids
