"""`reduce_retracing=True` with composite arguments: the second trace takes any of their sizes."""

from typing import Any

import pytest

import placewise as tf


def _traces(arguments: list[Any]) -> list[Any]:
    seen = []

    @tf.function(reduce_retracing=True)
    def traced(x: Any) -> Any:
        seen.append(x._type_spec)
        return x

    for argument in arguments:
        traced(argument)
    return seen


def test_ragged_tensors_of_other_lengths_share_a_trace() -> None:
    rows = [[[1], [2, 3, 4]], [[1], [2], [3]], [[1], [2], [3], [4]], [[5]]]
    specs = _traces([tf.ragged.constant(row) for row in rows])
    assert [spec.shape.as_list() for spec in specs] == [[2, None], [None, None]]


def test_a_ragged_tensor_of_another_rank_has_its_own_trace() -> None:
    rows = [[[1]], [[[1]]], [[[1]], [[2]]]]
    specs = _traces([tf.ragged.constant(row) for row in rows])
    shapes = [spec.shape.as_list() for spec in specs]
    assert shapes == [[1, None], [1, None, None], [None, None, None]]


def test_sparse_tensors_of_other_shapes_share_a_trace() -> None:
    shapes = [[2, 2], [3, 2], [4, 2], [4, 5], [7, 8]]
    specs = _traces([tf.sparse.from_dense(tf.ones(shape)) for shape in shapes])
    assert [spec.shape.as_list() for spec in specs] == [[2, 2], [None, 2], [None, None]]


def test_iterators_of_other_elements_share_a_trace() -> None:
    shapes = [[2, 2], [3, 2], [4, 2]]
    datasets = [tf.data.Dataset.from_tensors(tf.ones(shape)) for shape in shapes]
    specs = _traces([iter(dataset) for dataset in datasets])
    elements = [spec._element_spec.shape.as_list() for spec in specs]
    assert elements == [[2, 2], [None, 2]]


def test_a_wider_trace_gives_the_values_of_each_argument() -> None:
    @tf.function(reduce_retracing=True)
    def total(pair: Any) -> Any:
        return tf.reduce_sum(pair["rows"]) + tf.cast(pair["rows"].nrows(), tf.int32)

    for rows in ([[1], [2, 3]], [[1], [2], [3]], [[4, 5]], [[], [], [], [1]]):
        ragged = tf.ragged.constant(rows, dtype=tf.int32)
        assert int(total({"rows": ragged})) == sum(map(sum, rows)) + len(rows)
    assert total.experimental_get_tracing_count() == 2


def test_a_trace_for_a_wide_spec_serves_narrow_arguments() -> None:
    @tf.function
    def rows(x: Any) -> Any:
        return x.nrows()

    rows.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
    assert int(rows(tf.ragged.constant([[1], [2, 3]]))) == 2
    assert rows.experimental_get_tracing_count() == 1


def test_a_method_with_any_number_of_arguments_takes_a_signature() -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
        def add(self, *terms: Any) -> Any:
            return tf.add(*terms)

    assert float(Model().add.get_concrete_function()(-12.0, 3.0)) == -9.0


def test_a_small_tensor_from_outside_is_among_the_captures() -> None:
    outside = tf.constant(1)

    @tf.function
    def add(x: Any) -> Any:
        return x + outside

    captures = add.get_concrete_function(tf.TensorSpec([], tf.int32)).function_type.captures
    assert captures[id(outside)] == tf.TensorSpec([], tf.int32)


@pytest.mark.parametrize("wide", [None, 3])
def test_plain_tensors_are_relaxed_beside_composites(wide: int | None) -> None:
    seen = []

    @tf.function(reduce_retracing=True)
    def traced(x: Any, rows: Any) -> Any:
        seen.append((x.shape.as_list(), rows.shape.as_list()))
        return x

    traced(tf.ones([3]), tf.ragged.constant([[1]]))
    traced(tf.ones([3 if wide else 4]), tf.ragged.constant([[1], [2]]))
    assert seen == [([3], [1, None]), ([wide], [None, None])]


def test_traces_inside_of_others_and_traces_asked_for_are_no_calls(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @tf.function
    def inner(x: int) -> int:
        return x + 1

    @tf.function
    def outer(x: int) -> int:
        return inner(x) * 2

    for number in range(3):
        inner.get_concrete_function(number)
        inner(10 + number)
        outer(20 + number)
    assert not caplog.records
    inner(30)
    inner(31)
    assert [record for record in caplog.records if "retracing" in record.getMessage()]
