"""Patterns of tf.data."""

from .table import pattern


@pattern
def flat_map_returns_a_dataset_of_outside(tf, folder):
    outside = tf.data.Dataset.range(3)
    return [int(x) for x in tf.data.Dataset.range(2).flat_map(lambda i: outside)]


@pattern
def map_returns_a_dataset_of_outside(tf, folder):
    outside = tf.data.Dataset.range(3)
    mapped = tf.data.Dataset.range(2).map(lambda i: outside)
    return [[[int(x) for x in dataset] for dataset in mapped], mapped.element_spec]


@pattern
def map_returns_a_ragged_tensor_of_outside(tf, folder):
    outside = tf.ragged.constant([[1, 2], [3]])
    mapped = tf.data.Dataset.range(2).map(lambda i: (i, outside))
    return [[int(i), ragged.to_list()] for i, ragged in mapped]


@pattern
def iterators_are_in_checkpoints(tf, folder):
    dataset = tf.data.Dataset.range(10)
    first = iter(dataset)
    next(first), next(first)
    path = tf.train.Checkpoint(it=first).save(folder + "/c")
    next(first)
    second = iter(dataset)
    tf.train.Checkpoint(it=second).restore(path)
    return int(next(second))


@pattern
def iterators_of_unseeded_order_go_on_in_that_order(tf, folder):
    dataset = tf.data.Dataset.range(20).shuffle(8).repeat().batch(3).map(lambda x: x * 2)
    first = iter(dataset)
    for _ in range(9):
        next(first)
    path = tf.train.Checkpoint(it=first).save(folder + "/c")
    rest = [next(first).numpy().tolist() for _ in range(4)]
    second = iter(dataset)
    next(second)
    tf.train.Checkpoint(it=second).restore(path)
    return [next(second).numpy().tolist() for _ in range(4)] == rest


@pattern
def generators_are_in_checkpoints(tf, folder):
    generator = tf.random.Generator.from_seed(1)
    generator.normal([3])
    path = tf.train.Checkpoint(g=generator).save(folder + "/c")
    expected = generator.normal([2]).numpy().tolist()
    other = tf.random.Generator.from_seed(7)
    tf.train.Checkpoint(g=other).restore(path)
    return other.normal([2]).numpy().tolist() == expected


@pattern
def slices_of_a_list_of_datasets(tf, folder):
    one = tf.data.Dataset.range(3)
    dataset = tf.data.Dataset.from_tensor_slices([one, one])
    return [dataset.element_spec, [[int(x) for x in inner] for inner in dataset]]


@pattern
def at_in_eager_code(tf, folder):
    dataset = tf.data.Dataset.range(5).batch(2).map(lambda x: x * 2)
    return tf.data.experimental.at(dataset, 1)


@pattern
def at_beyond_the_end(tf, folder):
    return tf.data.experimental.at(tf.data.Dataset.range(5), 7)


@pattern
def at_in_graphs_and_functions(tf, folder):
    dataset = tf.data.Dataset.range(5)
    in_function = tf.function(lambda i: tf.data.experimental.at(dataset, i))(3)
    with tf.Graph().as_default():
        element = tf.data.experimental.at(tf.data.Dataset.range(5), 2)
        return [int(in_function), tf.compat.v1.Session().run(element)]


@pattern
def batches_are_summed_into_a_scalar_in_a_function(tf, folder):
    dataset = tf.data.Dataset.range(10).batch(3)

    @tf.function
    def total():
        result = tf.constant(0, tf.int64)
        for batch in dataset:
            result += tf.reduce_sum(batch)
        return result

    @tf.function
    def mean():
        result, count = 0.0, 0
        for batch in dataset:
            result += tf.cast(tf.reduce_sum(batch), tf.float32)
            count += 1
        return result / tf.cast(count, tf.float32)

    return [total(), mean()]
