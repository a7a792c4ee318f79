"""Datasets in TensorFlow 2: iteration, functions, errors, options, prefetching."""

import gc
import threading
import time

import numpy as np
import pytest

import placewise as tf

INT64 = tf.TensorSpec((), tf.int64)


def _slow(count):
    for number in range(count):
        time.sleep(0.002)
        yield number


def _slow_dataset(count):
    return tf.data.Dataset.from_generator(lambda: _slow(count), output_signature=INT64)


def _prefetching():
    return [t for t in threading.enumerate() if t.name == "placewise prefetch"]


def test_an_iterator_ends_in_both_ways():
    iterator = iter(tf.data.Dataset.range(1))
    assert next(iterator).numpy() == 0
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()
    assert not iterator.get_next_as_optional().has_value()


def test_elements_are_on_the_host():
    (element,) = tf.data.Dataset.from_tensors([1.0])
    assert element.device.endswith("CPU:0")


def test_a_function_is_traced_once_and_reads_variables_as_they_are():
    traces = []
    variable = tf.Variable(1, dtype=tf.int64)

    def add(x):
        traces.append(x)
        return x + variable

    dataset = tf.data.Dataset.range(2).map(add)
    assert list(dataset.as_numpy_iterator()) == [1, 2]
    variable.assign(5)
    assert list(dataset.as_numpy_iterator()) == [5, 6]
    assert len(traces) == 1


def test_random_ops_go_on_from_element_to_element():
    values = [float(x) for x in tf.data.Dataset.range(5).map(lambda _: tf.random.uniform([]))]
    assert len(set(values)) == 5


def test_a_tf_function_takes_iterators_and_datasets():
    @tf.function
    def twice(iterator):
        return iterator.get_next() * 2

    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for element in dataset:
            found += element
        return found

    iterator = iter(tf.data.Dataset.range(3))
    assert [int(twice(iterator)) for _ in range(3)] == [0, 2, 4]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        twice(iterator)
    assert int(total(tf.data.Dataset.range(5))) == 10


def test_reduce_widens_what_varies():
    dataset = tf.data.Dataset.range(3)
    longer = dataset.reduce(np.zeros(0, np.int64), lambda s, x: tf.concat([s, [x]], 0))
    assert longer.numpy().tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="element types for the new state must match"):
        dataset.reduce(0, lambda s, x: x)


def test_a_slow_pipeline_is_prefetched_and_its_thread_ends():
    assert list(_slow_dataset(5).prefetch(2).as_numpy_iterator()) == [0, 1, 2, 3, 4]
    iterator = iter(_slow_dataset(100).prefetch(2))
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
    assert len(_prefetching()) == 1
    del iterator
    gc.collect()
    until = time.monotonic() + 2
    while _prefetching() and time.monotonic() < until:
        time.sleep(0.005)
    assert not _prefetching()


def test_errors_cross_a_prefetch():
    def failing():
        yield from _slow(3)
        raise KeyError("boom")

    dataset = tf.data.Dataset.from_generator(failing, output_signature=INT64).prefetch(1)
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'boom'"):
        list(dataset)


@pytest.mark.parametrize(
    ("build", "kind", "words"),
    [
        (
            lambda d: d.range(3).batch(0),
            tf.errors.InvalidArgumentError,
            "Batch size must be greater than zero.",
        ),
        (
            lambda d: d.range(3).shuffle(0),
            tf.errors.InvalidArgumentError,
            "buffer_size must be greater than zero or UNKNOWN_CARDINALITY",
        ),
        (
            lambda d: d.range(3).shard(2, 3),
            tf.errors.InvalidArgumentError,
            r"Index must be between 0 and 1 \(currently index = 3\).",
        ),
        (
            lambda d: d.from_tensor_slices(1),
            ValueError,
            "Unbatching a tensor is only supported for rank >= 1",
        ),
        (
            lambda d: d.from_tensor_slices(([1, 2], [1, 2, 3])),
            ValueError,
            "Dimensions 2 and 3 are not compatible",
        ),
        (lambda d: d.range(3).filter(lambda x: x), ValueError, "must return a `tf.bool` scalar"),
        (lambda d: d.range(3).flat_map(lambda x: x), TypeError, "must return a `Dataset` object"),
        (
            lambda d: d.range(3).concatenate(d.from_tensors("a")),
            TypeError,
            "Incompatible dataset elements",
        ),
        (lambda d: d.range(), ValueError, "should be between 1 and 3 but was 0"),
        (lambda d: d.zip(1), TypeError, "encountered object of type <class 'int'>"),
        (lambda d: len(d.range(3).repeat()), TypeError, "The dataset is infinite."),
        (lambda d: len(d.range(3).filter(lambda x: True)), TypeError, "length is unknown."),
        (
            lambda d: d.range(2).get_single_element(),
            tf.errors.InvalidArgumentError,
            "Dataset had more than one element.",
        ),
        (
            lambda d: d.range(0).get_single_element(),
            tf.errors.InvalidArgumentError,
            "Dataset was empty.",
        ),
        (
            lambda d: d.list_files("/nowhere/*"),
            tf.errors.InvalidArgumentError,
            "No files matched pattern: /nowhere/",
        ),
        (
            lambda d: list(tf.data.TextLineDataset("/nowhere")),
            tf.errors.NotFoundError,
            "/nowhere; No such file or directory",
        ),
        (
            lambda d: list(d.range(1, 3).map(lambda x: tf.fill([x], x)).batch(2)),
            tf.errors.InvalidArgumentError,
            "Cannot batch tensors with different shapes in component "
            r"0. First element had shape \[1\] and element 1 had shape \[2\].",
        ),
        (
            lambda d: list(d.from_generator(lambda: iter(["a"]), output_signature=INT64)),
            tf.errors.InvalidArgumentError,
            "could not be converted to the expected type",
        ),
        (
            lambda d: list(d.from_generator(lambda: iter([[1]]), output_signature=INT64)),
            tf.errors.InvalidArgumentError,
            r"of shape \(1,\) where an element of shape \(\)",
        ),
    ],
)
def test_errors_have_tensorflows_classes_and_words(build, kind, words):
    with pytest.raises(kind, match=words):
        build(tf.data.Dataset)


def test_options_merge_and_what_is_told_cannot_be_changed():
    first, second = tf.data.Options(), tf.data.Options()
    first.deterministic = False
    second.threading.private_threadpool_size = 3
    found = tf.data.Dataset.range(3).with_options(first).batch(2).with_options(second).options()
    assert (found.deterministic, found.threading.private_threadpool_size) == (False, 3)
    with pytest.raises(ValueError, match="has no effect"):
        found.deterministic = True
    with pytest.raises(AttributeError, match="Cannot set the property"):
        first.nonsense = 1
    with pytest.raises(TypeError, match='Property "deterministic" must be of type'):
        first.deterministic = "yes"


def test_optionals_hold_a_value_or_nothing():
    optional = tf.experimental.Optional.from_value((1, "a"))
    assert [part.numpy() for part in optional.get_value()] == [1, b"a"]
    empty = tf.experimental.Optional.empty(INT64)
    assert not empty.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        empty.get_value()


def test_an_array_from_a_dataset_cannot_change_it():
    dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    for element in dataset:
        element.numpy()[:] = 0
    assert next(iter(dataset.batch(2))).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="read-only"):
        next(dataset.as_numpy_iterator())[:] = 0


def test_a_memory_cache_is_filled_by_a_whole_pass():
    calls = []

    def noted(x):
        calls.append(1)
        return x

    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(noted, [x], tf.int64))
    cached = dataset.cache()
    list(cached)
    list(cached)
    assert len(calls) == 3


def test_classes_bear_tensorflows_names():
    dataset = tf.data.Dataset.range(3)
    named = [f"{c.__module__}.{c.__name__}" for c in type(dataset).__mro__]
    assert "tensorflow.python.data.ops.dataset_ops.DatasetV2" in named
    assert type(iter(dataset)).__name__ == "OwnedIterator"
    assert isinstance(iter(dataset), tf.data.Iterator)
    assert repr(dataset.batch(2)) == (
        "<_BatchDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>"
    )


def test_python_cannot_go_over_a_dataset_for_ever_while_tracing():
    @tf.function(autograph=False)
    def stuck(dataset):
        return list(dataset)

    with pytest.raises(ValueError, match="it has no end"):
        stuck(tf.data.Dataset.range(3))


def test_elements_may_be_sent_to_a_device(monkeypatch):
    monkeypatch.setenv("PLACEWISE_SIMULATE", "1")
    dataset = tf.data.Dataset.from_tensors([1.0])
    (element,) = dataset.apply(tf.data.experimental.prefetch_to_device("/gpu:0"))
    assert element.device.endswith("GPU:0")
    with tf.device("/gpu:0"):
        (element,) = tf.data.Dataset.from_tensors([1.0]).map(lambda x: x + 1.0)
    assert element.device.endswith("CPU:0")


def test_strings_that_fill_up_a_batch_keep_their_zeros():
    rows = tf.data.Dataset.from_generator(
        lambda: iter([["a"], ["b", "c"]]), output_signature=tf.TensorSpec([None], tf.string)
    )
    (batch,) = rows.padded_batch(2, padding_values=b"p\x00")
    assert batch.numpy().tolist() == [[b"a", b"p\x00"], [b"b", b"c"]]


def test_a_warm_start_prefetches_before_the_first_element_is_asked_for():
    begun = threading.Event()

    def noted(x):
        begun.set()
        return x

    options = tf.data.Options()
    options.experimental_warm_start = True
    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(noted, [x], tf.int64))
    iterator = iter(dataset.with_options(options).prefetch(2))
    assert begun.wait(60)
    assert [int(x) for x in iterator] == [0, 1, 2]


def test_arguments_are_refused_as_tensorflow_does():
    dataset = tf.data.Dataset
    with pytest.raises(TypeError, match=r"`type_value`: \[tf.int64\] to a TensorFlow DType"):
        dataset.from_generator(lambda: iter([[1]]), output_types=[tf.int64])
    with pytest.raises(TypeError, match=r"either `tf.float32` or `tf.float64`"):
        dataset.sample_from_datasets([dataset.range(1), dataset.range(2)], weights=[1, 1])
    with pytest.raises(TypeError, match="must have compatible element specs"):
        dataset.sample_from_datasets([dataset.from_tensors(0), dataset.from_tensors(0.0)])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"initial_state=1, output=0"):
        dataset.range(5).reduce(0, lambda _, __: ())


def test_framework_types_add_up():
    first, second = tf.data.Options(), tf.data.Options()
    first.framework_type, second.framework_type = ["one"], ["two"]
    dataset = tf.data.Dataset.range(2).with_options(first).map(lambda x: x).with_options(second)
    assert dataset.options().framework_type == ["one", "two"]


def test_a_loop_over_a_data_set_widens_the_shapes_of_its_variables():
    dataset = tf.data.Dataset.range(3)

    @tf.function
    def collected():
        found = tf.zeros([1], tf.int64)
        for element in dataset:
            found = tf.concat([found, [element]], 0)
        return found

    assert collected().numpy().tolist() == [0, 0, 1, 2]
    assert collected.get_concrete_function().structured_outputs.shape.as_list() == [None]

    @tf.function
    def of_iterator(iterator):
        found = tf.zeros([1], tf.int64)
        for element in iterator:
            found = tf.concat([found, [element]], 0)
        return found

    with pytest.raises(ValueError, match="'found' has shape"):  # as in TensorFlow
        of_iterator(iter(dataset))


def test_datasets_are_batched_and_come_back():
    datasets = tf.data.Dataset.range(5).map(tf.data.Dataset.from_tensors).batch(3)
    assert datasets.element_spec._dataset_shape.as_list() == [None]
    same = datasets.map(lambda batch: batch)
    assert same.element_spec == datasets.element_spec
    elements = same.unbatch().flat_map(lambda dataset: dataset)
    assert list(elements.as_numpy_iterator()) == [0, 1, 2, 3, 4]


def test_a_single_dataset_is_not_unbatched():
    datasets = tf.data.Dataset.range(2).map(tf.data.Dataset.from_tensors)
    with pytest.raises(ValueError, match="not supported for rank 0"):
        datasets.unbatch()


def test_only_sparse_tensors_are_cut_into_sparse_rows():
    make = tf.compat.v1.data.Dataset.from_sparse_tensor_slices
    rows = list(make(tf.sparse.from_dense([[1, 0], [0, 2]])))
    assert [tf.sparse.to_dense(row).numpy().tolist() for row in rows] == [[1, 0], [0, 2]]
    with pytest.raises(TypeError, match=r"must be a `tf\.sparse\.SparseTensor`"):
        make(tf.constant([1]))
