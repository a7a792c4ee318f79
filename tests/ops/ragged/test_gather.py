"""Gathering from and by ragged tensors: what TensorFlow gives and says, case by case."""

import json
from pathlib import Path
from typing import Any

import pytest

import placewise as tf

ANSWERS = json.loads((Path(__file__).parent / "gather_answers.json").read_text())
PARAMS: dict[str, Any] = {
    "d3": ([[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]], 0),
    "r2b": ([[1, 2, 3], [4, 5], [6, 7]], 1),
    "r3": ([[[1, 2], [3]], [[4], [5, 6, 7]]], 2),
    "r3u": ([[[1, 2], [3, 4]], [[5, 6]]], 1),
    "r4u": ([[[[1, 1], [2, 3]], [[4, 4]]], [[[5, 6]], [[7, 7], [8, 9]]]], 2),
    "ru": ([1, 2, 3, 4, 5, 6], "uniform"),
}
INDICES: dict[str, Any] = {
    "s1": (1, 0),
    "v": ([0, 1], 0),
    "m": ([[0], [0]], 0),
    "m2": ([[0, 1], [1, 0]], 0),
    "rv": ([[0], [1, 0]], 1),
    "rv3": ([[0], [1, 0], []], 1),
    "rt": ([[[0], [1, 0]], [[0]]], 2),
    "rtu": ([[[0, 0]], [[0, 1], [1, 1]]], 1),
}


def made(values: Any, ragged_rank: Any, dtype: Any) -> Any:
    if ragged_rank == "uniform":
        return tf.RaggedTensor.from_uniform_row_length(tf.constant(values, dtype), 2)
    if ragged_rank == 0:
        return tf.constant(values, dtype)
    return tf.ragged.constant(values, dtype, ragged_rank=ragged_rank)


def listed(value: Any) -> Any:
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


@pytest.mark.parametrize("params", PARAMS)
def test_every_axis_and_batch_gives_what_tensorflow_gives(params: str) -> None:
    source = made(*PARAMS[params], tf.int32)
    for case, answer in ANSWERS.items():
        name, index, *numbers = case.split(",")
        if name != params:
            continue
        axis, batch_dims = (
            None if text == "None" else int(text) for text in (n.split("=")[1] for n in numbers)
        )
        indices = made(*INDICES[index], tf.int64)
        if isinstance(answer, list):
            found = tf.gather(source, indices, axis=axis, batch_dims=batch_dims)
            assert [listed(found), str(found.shape)] == answer, case
            continue
        kind, words = next(iter(answer.items()))
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as problem:
            tf.gather(source, indices, axis=axis, batch_dims=batch_dims)
        assert type(problem.value).__name__ == kind, case
        assert str(problem.value).startswith(words), case


def test_rows_that_do_not_fit_are_an_error() -> None:
    params, indices = tf.ragged.constant([[1, 2, 3], [4, 5], [6]]), tf.ragged.constant([[0], [1]])
    with pytest.raises(ValueError, match=r"batch shape from indices \(2,\) does not match"):
        tf.gather(params, indices, batch_dims=1)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)] * 2)
    def gathered(params, indices):  # type: ignore[no-untyped-def]
        return tf.gather(params, indices, batch_dims=1)

    assert gathered(params, tf.ragged.constant([[0, 1], [1], []])).to_list() == [[1, 2], [5], []]
    with pytest.raises(tf.errors.InvalidArgumentError):
        gathered(params, indices)


def test_gradients_reach_the_rows_that_a_batch_picked() -> None:
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.RaggedTensor.from_row_splits(x, [0, 3, 4])
        picked = tf.gather(rows, tf.ragged.constant([[2, 0], [0]]), batch_dims=1)
        total = tf.reduce_sum(picked * picked)
    assert tf.convert_to_tensor(tape.gradient(total, x)).numpy().tolist() == [2, 0, 6, 8]


def test_a_scalar_names_one_row() -> None:
    rows = tf.ragged.constant([[1], [2, 3]])
    assert tf.gather(rows, 1).numpy().tolist() == [2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^indices = 5 is not in \[0, 2\)"):
        tf.gather(rows, 5)


def test_index_vectors_lead_through_ragged_levels() -> None:
    rt = tf.ragged.constant([[[1, 2], [3]], [[4], [5, 6, 7]]])
    assert tf.gather_nd(rt, [[0, 1], [1, 1]]).to_list() == [[3], [5, 6, 7]]
    assert tf.gather_nd(rt, [[0, 1, 0], [1, 1, 2]]).numpy().tolist() == [3, 7]
    assert tf.gather_nd(rt, [0]).to_list() == [[[1, 2], [3]]]
    assert tf.gather_nd(rt, tf.zeros([1, 0], tf.int32)).to_list() == [rt.to_list()]
    several = tf.gather_nd(rt, [[[0, 0]], [[1, 0]]])
    assert several.to_list() == [[[1, 2]], [[4]]]
    assert several.shape.as_list() == [2, 1, None]


def test_index_vectors_that_cannot_be_are_errors() -> None:
    rt = tf.ragged.constant([[1], [2, 3]])
    with pytest.raises(ValueError, match="batch_dims != 0 is not supported for ragged gather"):
        tf.gather_nd(rt, [[0], [1]], batch_dims=1)
    with pytest.raises(ValueError, match="innermost dimension of indices may not be ragged"):
        tf.gather_nd(rt, tf.ragged.constant([[0], [1, 0]]))
    with pytest.raises(ValueError, match=r"indices\.rank must be at least 1"):
        tf.gather_nd(rt, 0)
