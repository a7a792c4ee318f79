"""Checkpoints of iterators: what they refuse to leave out."""

import pytest

import placewise as tf


def _saved(dataset, folder):
    return tf.train.Checkpoint(it=iter(dataset)).save(str(folder / "c"))


def _random(x):
    return tf.random.uniform([])


def _nested(x):
    return tf.data.Dataset.range(3).map(_random)


@pytest.mark.parametrize(
    ("dataset", "op"),
    [
        (lambda: tf.data.Dataset.range(5).map(_random).batch(2), "RandomUniform"),
        (lambda: tf.data.Dataset.range(5).flat_map(_nested), "RandomUniform"),
        (lambda: tf.data.Dataset.from_generator(lambda: range(5), tf.int64), "PyFunc"),
        (
            lambda: tf.data.Dataset.range(5).map(
                lambda x: tf.numpy_function(lambda a: a, [x], tf.int64)
            ),
            "PyFunc",
        ),
    ],
)
def test_state_of_functions_is_not_left_out_silently(dataset, op, tmp_path):
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"{op} is stateful"):
        _saved(dataset(), tmp_path)


def test_a_variable_read_by_a_function_is_refused(tmp_path):
    v = tf.Variable(1, dtype=tf.int64)
    with pytest.raises(tf.errors.FailedPreconditionError, match="ReadVariableOp is stateful"):
        _saved(tf.data.Dataset.range(5).map(lambda x: x + v), tmp_path)


def test_tables_prints_and_random_order_are_no_such_state(tmp_path):
    keys = tf.lookup.KeyValueTensorInitializer(tf.constant([1], tf.int64), [2])
    table = tf.lookup.StaticHashTable(keys, 0)

    def looked_up(x):
        tf.debugging.assert_less(x, tf.constant(9, tf.int64))
        return table.lookup(x)

    assert _saved(tf.data.Dataset.range(5).shuffle(3).map(looked_up).cache(), tmp_path)


@pytest.mark.parametrize("policy", ["WARN", "IGNORE"])
def test_the_policy_of_the_options_lets_it_pass(policy, tmp_path, caplog):
    options = tf.data.Options()
    options.experimental_external_state_policy = getattr(
        tf.data.experimental.ExternalStatePolicy, policy
    )
    with caplog.at_level("WARNING", logger="absl"):
        assert _saved(tf.data.Dataset.range(5).map(_random).with_options(options), tmp_path)
    assert ("RandomUniform is stateful" in caplog.text) == (policy == "WARN")


def test_numpy_iterators_are_in_checkpoints(tmp_path):
    dataset = tf.data.Dataset.range(9)
    first = dataset.as_numpy_iterator()
    assert [next(first), next(first)] == [0, 1]
    path = tf.train.Checkpoint(it=first).save(str(tmp_path / "c"))
    second = dataset.as_numpy_iterator()
    tf.train.Checkpoint(it=second).restore(path)
    assert next(second) == 2


def test_another_dataset_is_not_read_from_the_middle(tmp_path):
    path = _saved(tf.data.Dataset.range(9), tmp_path)
    same = tf.data.Dataset.range(20).map(lambda x: x).prefetch(2)
    tf.train.Checkpoint(it=iter(same)).restore(path)
    other = tf.data.Dataset.from_tensor_slices([1, 2, 3])
    with pytest.raises(tf.errors.NotFoundError, match="the dataset definition has not changed"):
        tf.train.Checkpoint(it=iter(other)).restore(path)


def test_fingerprints_tell_datasets_apart():
    def number(dataset):
        return int(dataset.fingerprint())

    made = tf.data.Dataset.range(10)
    assert number(made) == number(tf.data.Dataset.range(10))
    assert number(made) != number(tf.data.Dataset.range(11))
    ranges = made.flat_map(tf.data.Dataset.range)
    assert number(ranges) != number(made.flat_map(lambda x: tf.data.Dataset.range(x + 1)))


def test_fingerprints_and_counters_work_in_graphs():
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        counted = tf.data.Dataset.counter(2, 10).take(3)
        total = counted.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)
        assert session.run(total) == 36
        numbers = [session.run(tf.data.Dataset.range(n).fingerprint()) for n in (3, 3, 4)]
        assert numbers[0] == numbers[1] != numbers[2]
    with v1.Graph().as_default() as graph:
        v1.data.make_initializable_iterator(tf.data.Dataset.counter(2, 10))
        v1.import_graph_def(graph.as_graph_def(), name="again")


def test_windows_by_key_are_read_from_a_graph_def():
    v1 = tf.compat.v1
    with v1.Graph().as_default() as graph:
        grouped = tf.data.Dataset.range(10).group_by_window(
            lambda x: x % 2, lambda key, window: window.batch(4), window_size=4
        )
        iterator = v1.data.make_initializable_iterator(grouped)
        tf.identity(iterator.get_next(), name="rows")
        graph_def, begin = graph.as_graph_def(), iterator.initializer.name
    with v1.Graph().as_default(), v1.Session() as session:
        v1.import_graph_def(graph_def, name="")
        session.run(begin)
        assert session.run("rows:0").tolist() == [0, 2, 4, 6]
