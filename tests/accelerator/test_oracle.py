"""Every recorded answer of TensorFlow, asked on a device that is not the host: eager, in functions.

Many cases share a test: to switch the device on takes longer than to ask one.
"""

from typing import Any

import pytest

from tests.oracle import test_answers, test_in_functions
from tests.oracle.known_differences import KNOWN_DIFFERENCES
from tests.oracle.table import Case, load_topic, topics

_CASES_AT_ONCE = 200
_RULE = "a GPU does not look at indices: what is out of range is zero, or left out"
_DEVICE = "it asks for the name of the device"

# What is otherwise on a GPU, in TensorFlow too: case, reason.
ON_A_GPU: dict[str, str] = {
    "array_gather_scatter:36:tf.gather": _RULE,
    "array_gather_scatter:37:tf.gather": _RULE,
    "array_gather_scatter:9:tf.gather_nd": _RULE,
    "array_gather_scatter:12:tf.gather_nd": _RULE,
    "array_gather_scatter:16:tf.scatter_nd": _RULE,
    "array_gather_scatter:17:tf.scatter_nd": _RULE,
    "array_gather_scatter:8:tf.tensor_scatter_nd_add": _RULE,
    "array_gather_scatter:4:tf.nn.embedding_lookup": _RULE,
    "array_shape:2:tf.reverse_sequence": _RULE,
    "image:5:tf.image.crop_and_resize": _RULE,
    "nn_activation_loss:12:tf.nn.sparse_softmax_cross_entropy_with_logits": _RULE,
    "nn_activation_loss:13:tf.nn.sparse_softmax_cross_entropy_with_logits": _RULE,
    "nn_norm_embedding_ctc:9:tf.nn.embedding_lookup_sparse": _RULE,
    "segment_scan_sort:11:tf.math.segment_sum": _RULE,
    "segment_scan_sort:13:tf.math.segment_sum": _RULE,
    "segment_scan_sort:12:tf.math.unsorted_segment_sum": _RULE,
    "segment_scan_sort:2:tf.sparse.segment_sum": _RULE,
    "segment_scan_sort:3:tf.sparse.segment_sum": _RULE,
    "segment_scan_sort:5:tf.sparse.segment_sum": _RULE,
    "variables:31:tf.IndexedSlices": _RULE,
    "variables:0:V_1_2_scatter_nd_add_3_1": _RULE,
    "variables:0:V_1_2_sparse_read_4": _RULE,
    "constants_conversion:0:A_1_device_5": _DEVICE,
    "tensor_printing:0:A_1_device": _DEVICE,
    "variables:0:V_1_2_device_5": _DEVICE,
    "image:3:tf.image.rgb_to_grayscale": "it computes in float32, and rounds in another order",
    "nn_conv_pool:4:tf.nn.max_pool": "torch's pooling passes NaN on",
}


def groups(in_functions: bool) -> list[Any]:
    """Return the cases to ask, so many of a topic at once."""
    found = []
    for topic in topics():
        cases = [case for case in load_topic(topic) if _is_asked(case, in_functions)]
        for start in range(0, len(cases), _CASES_AT_ONCE):
            part = cases[start : start + _CASES_AT_ONCE]
            found.append(pytest.param(part, id=f"{topic}:{start // _CASES_AT_ONCE}"))
    return found


def _is_asked(case: Case, in_functions: bool) -> bool:
    if case.id in KNOWN_DIFFERENCES or case.id in ON_A_GPU:
        return False
    if not in_functions:
        return True
    answer = test_answers.answers_of(case.topic).get(case.code)
    return (
        test_in_functions.is_made_of_tensors(answer)
        and case.id not in test_in_functions.IN_FUNCTIONS
    )


def check(problems: list[str], count: int) -> None:
    if problems:
        pytest.fail("\n\n".join([f"{len(problems)} of {count} differ", *problems]), False)


@pytest.mark.parametrize("cases", groups(in_functions=False))
def test_answers_on_a_device_are_those_of_tensorflow(cases: list[Case], accelerator: Any) -> None:
    problems = [
        f"{case.id}: {case.code}\n{problem}"
        for case in cases
        if (problem := test_answers.problem_of(case))
    ]
    accelerator.synchronize()  # raises if an index out of range got to the device
    check(problems, len(cases))


@pytest.mark.parametrize("cases", groups(in_functions=True))
def test_answers_in_functions_on_a_device_are_those_of_tensorflow(
    cases: list[Case], accelerator: Any
) -> None:
    problems = [
        problem for case in cases if (problem := test_in_functions.problem_of(case, relaxed=False))
    ]
    accelerator.synchronize()
    check(problems, len(cases))


def test_differences_name_cases() -> None:
    ids = {case.id for topic in topics() for case in load_topic(topic)}
    assert not set(ON_A_GPU) - ids
