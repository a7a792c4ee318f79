"""Datasets in TensorFlow 1: iterators that sessions begin and read; orders are those of 1.15."""

import numpy as np
import pytest

import placewise.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def _read_all(tensor, session):
    found = []
    while True:
        try:
            found.append(np.asarray(session.run(tensor)).tolist())
        except tf.errors.OutOfRangeError:
            return found


def _once(dataset):
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as session:
        return _read_all(element, session)


def test_a_one_shot_iterator_begins_by_itself():
    dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * 2).batch(2)
    assert _once(dataset) == [[2, 4], [6]]


def test_each_session_reads_from_the_beginning():
    element = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
    assert element.op.type == "IteratorGetNext"
    for _ in range(2):
        with tf.Session() as session:
            assert _read_all(element, session) == [0, 1, 2]


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (
            lambda d: d.range(20).shuffle(5, seed=1),
            [0, 5, 3, 6, 7, 4, 2, 8, 12, 9, 14, 10, 16, 13, 18, 11, 15, 17, 19, 1],
        ),
        (
            lambda d: d.range(10).shuffle(4, seed=1).repeat(2),
            [3, 4, 0, 5, 2, 7, 8, 9, 1, 6, 0, 4, 3, 2, 6, 8, 9, 7, 1, 5],
        ),
        (
            lambda d: d.range(5).shuffle(10, seed=1).repeat(3),
            [2, 4, 0, 3, 1, 4, 3, 0, 2, 1, 2, 4, 1, 3, 0],
        ),
        (
            lambda d: d.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, 3, seed=1)),
            [0, 3, 2, 1, 4, 2, 1, 4, 0, 3, 2, 3, 4, 1, 0],
        ),
    ],
)
def test_seeds_give_the_order_of_tensorflow_1(build, expected):
    assert _once(build(tf.data.Dataset)) == expected


def test_the_end_names_the_node():
    element = tf.data.Dataset.range(0).make_one_shot_iterator().get_next()
    with tf.Session() as session, pytest.raises(tf.errors.OutOfRangeError) as caught:
        session.run(element)
    assert caught.value.message.startswith("End of sequence\n\t [[node IteratorGetNext")


def test_placeholders_feed_an_initializable_iterator():
    rows = tf.placeholder(tf.float32, [None, 2])
    dataset = tf.data.Dataset.from_tensor_slices(rows).map(tf.reduce_sum)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        for given, expected in (([[1, 2]], [3]), ([[1, 1], [2, 2]], [2, 4])):
            session.run(iterator.initializer, {rows: given})
            assert _read_all(element, session) == expected


def test_an_iterator_must_be_initialized():
    element = tf.data.Dataset.range(3).make_initializable_iterator().get_next()
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError) as caught:
        session.run(element)
    assert "GetNext() failed because the iterator has not been initialized" in str(caught.value)


def test_a_graph_def_has_the_dataset_of_a_one_shot_iterator():
    dataset = tf.data.Dataset.range(6).map(lambda x: x * x).batch(4)
    tf.identity(dataset.make_one_shot_iterator().get_next(), name="element")
    graph = tf.get_default_graph()
    for _ in range(2):  # what was imported is written again
        written = graph.as_graph_def()
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(written, name="")
        with graph.as_default(), tf.Session() as session:
            assert session.run("element:0").tolist() == [0, 1, 4, 9]
            assert session.run("element:0").tolist() == [16, 25]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run("element:0")


def test_a_placeholder_cannot_feed_a_one_shot_iterator():
    dataset = tf.data.Dataset.range(tf.placeholder(tf.int64, []))
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        dataset.make_one_shot_iterator()


def test_variables_are_read_as_they_are_then():
    variable = tf.get_variable("v", initializer=np.int64(1))
    dataset = tf.data.Dataset.range(2).map(lambda x: x + variable)
    with pytest.raises(ValueError, match="stateful"):
        dataset.make_one_shot_iterator()
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer)
        assert _read_all(element, session) == [1, 2]
        session.run(variable.assign(10))
        session.run(iterator.initializer)
        assert _read_all(element, session) == [10, 11]


def test_one_iterator_serves_datasets_of_one_structure():
    train, test = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 6)
    iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
    element = iterator.get_next()
    for_train, for_test = iterator.make_initializer(train), iterator.make_initializer(test)
    with tf.Session() as session:
        session.run(for_train)
        assert _read_all(element, session) == [0, 1]
        session.run(for_test)
        assert _read_all(element, session) == [5]
    with pytest.raises(TypeError, match=r"Expected output types tf\.int64"):
        iterator.make_initializer(tf.data.Dataset.from_tensors("a"))


def test_string_handles_choose_the_iterator_to_read():
    handle = tf.placeholder(tf.string, [])
    first = tf.data.Dataset.range(3).make_one_shot_iterator()
    second = tf.data.Dataset.range(10, 13).make_initializable_iterator()
    element = tf.data.Iterator.from_string_handle(
        handle, first.output_types, first.output_shapes
    ).get_next()
    with tf.Session() as session:
        session.run(second.initializer)
        one, two = session.run([first.string_handle(), second.string_handle()])
        read = [session.run(element, {handle: h}) for h in (one, two, one, two, two)]
        assert read == [0, 10, 1, 11, 12]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(element, {handle: b"nobody"})


def test_old_descriptions_of_elements():
    dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}).batch(2)
    assert dataset.output_types == {"a": tf.int32, "b": tf.string}
    assert {key: shape.as_list() for key, shape in dataset.output_shapes.items()} == {
        "a": [None],
        "b": [None],
    }
    assert str(tf.data.Dataset.range(3).batch(2)) == (
        "<DatasetV1Adapter shapes: (?,), types: tf.int64>"
    )
    pairs = tf.data.Dataset.from_tensor_slices(([[1, 2]], ["x"])).batch(1)
    assert str(pairs) == ("<DatasetV1Adapter shapes: ((?, 2), (?,)), types: (tf.int32, tf.string)>")


def test_python_cannot_iterate_in_a_graph():
    with pytest.raises(RuntimeError, match=r"only supported inside of tf\.function or when eager"):
        iter(tf.data.Dataset.range(3))


def test_generators_and_python_functions_run_in_sessions():
    dataset = tf.data.Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int32, [])
    mapped = dataset.map(lambda x: tf.py_func(lambda y: y * np.int32(2), [x], tf.int32))
    assert _once(mapped) == [2, 4, 6]


def test_nested_elements_arrive_as_structures():
    dataset = tf.data.Dataset.from_tensor_slices(({"a": [1, 2]}, [3.0, 4.0]))
    features, label = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run([features["a"], label]) == [1, 3.0]


def test_datasets_stay_on_the_host_whatever_device_is_in_force():
    with tf.device("/gpu:0"):
        element = tf.data.Dataset.range(2).batch(2).make_one_shot_iterator().get_next()
    assert element.device == "/device:CPU:0"
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(element).tolist() == [0, 1]


@pytest.mark.parametrize("graph_seed", [None, 0, 3])
def test_the_seed_of_an_order_may_be_fed(graph_seed):
    def order(seed, value):
        dataset = tf.data.Dataset.range(8).shuffle(8, seed=seed)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer, {fed: value})
            return [int(session.run(element)) for _ in range(8)]

    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        fed = tf.placeholder(tf.int64, [])
        for value in (0, 5):
            assert order(fed, value) == order(value, value)


def test_a_function_may_return_a_dataset_made_outside_in_the_same_graph():
    with tf.Graph().as_default(), tf.Session() as session:
        outer = tf.data.Dataset.range(2)
        sparse = tf.SparseTensor([[1]], [2.0], [3])
        flat = tf.data.Dataset.range(2).flat_map(lambda _: outer)
        element = flat.make_one_shot_iterator().get_next()
        assert [session.run(element) for _ in range(4)] == [0, 1, 0, 1]
        mapped = tf.data.Dataset.range(2).map(lambda _: sparse)
        value = session.run(mapped.make_one_shot_iterator().get_next())
        assert value.values.tolist() == [2.0]
