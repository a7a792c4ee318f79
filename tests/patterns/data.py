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


def _drained(tf, dataset):
    iterator, items = iter(dataset), []
    while len(items) < 20:
        try:
            items.append(next(iterator).numpy().tolist())
        except StopIteration:
            return items
        except tf.errors.OpError as error:
            items.append(type(error).__name__)
    return items


@pattern
def elements_after_a_failure_can_be_had(tf, folder):
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0, 8.0])
    some = numbers.map(lambda x: tf.debugging.check_numerics(1.0 / x, "no number"))
    datasets = [
        some,
        some.batch(2),
        some.prefetch(2),
        some.filter(lambda x: x > 0),
        some.repeat(2),
        some.take(4),
        some.skip(1),
        some.shard(2, 1),
        some.shuffle(3, seed=1),
        tf.data.Dataset.zip((some, some)).map(lambda a, b: a + b),
        some.concatenate(tf.data.Dataset.from_tensors(9.0)),
        tf.data.Dataset.range(2).flat_map(lambda i: some),
        some.enumerate().map(lambda i, x: x),
        some.cache(),
        some.cache(folder + "/cache"),
        some.scan(0.0, lambda state, x: (state + x, state)),
        some.window(2).flat_map(lambda window: window),
        some.take_while(lambda x: x > 0),
        some.batch(2).unbatch(),
        some.padded_batch(2),
        some.shuffle(3, seed=1).ignore_errors(),
        some.take(4).prefetch(1).ignore_errors(),
    ]
    return [_drained(tf, dataset) for dataset in datasets]


@pattern
def generators_go_on_after_an_element_of_the_wrong_shape(tf, folder):
    def generator():
        yield [1, 2]
        yield [1, 2, 3]
        yield [4, 5]

    spec = tf.TensorSpec([2], tf.int64)
    return _drained(tf, tf.data.Dataset.from_generator(generator, output_signature=spec))


@pattern
def caches_are_complete_when_their_elements_were_taken(tf, folder):
    def pairs(datasets):
        both = tf.data.Dataset.zip(tuple(datasets))
        return [[int(a), int(b)] for a, b in both]

    def numbers(*path):
        return tf.data.Dataset.range(30).shuffle(30).filter(lambda x: x > 4).cache(*path)

    in_memory, in_files = (
        [numbers(), numbers()],
        [numbers(folder + "/one"), numbers(folder + "/two")],
    )
    counted = tf.data.Dataset.range(30).shuffle(30).cache()
    taken = [int(x) for x, _ in zip(counted, range(30), strict=False)]
    return [
        pairs(in_memory) == pairs(in_memory),
        pairs(in_files) == pairs(in_files),
        taken == [int(x) for x in counted],
    ]


@pattern
def savers_keep_the_place_of_an_iterator(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(10))
        element = iterator.get_next()
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
        saver = v1.train.Saver()
        with v1.Session() as session:
            session.run(iterator.initializer)
            session.run(element), session.run(element)
            path = saver.save(session, folder + "/model")
            session.run(element)
        with v1.Session() as session:
            session.run(iterator.initializer)
            saver.restore(session, path)
            return session.run(element)


@pattern
def specs_of_datasets_compare_shapes_of_datasets(tf, folder):
    def spec(shape, dataset_shape):
        return tf.data.DatasetSpec(tf.TensorSpec(shape, tf.int32), dataset_shape)

    specs = [spec([1, None], [5, None]), spec([None, None], [None, None]), spec([1, 2], [5, 3])]
    return [
        [one.is_subtype_of(other), str(one.most_specific_common_supertype([other]))]
        for one in specs
        for other in specs
    ]


@pattern
def weights_of_sampled_datasets_may_be_zero_or_tensors(tf, folder):
    numbers = tf.data.Dataset.range(3)
    none = tf.data.Dataset.sample_from_datasets([numbers, numbers], weights=[0.0, 0.0])
    with tf.Graph().as_default():
        weights = tf.compat.v1.placeholder_with_default([0.5, 0.5], [2])
        spec = tf.data.Dataset.sample_from_datasets(
            [tf.data.Dataset.range(3), tf.data.Dataset.range(3)], weights=weights
        ).element_spec
    return [list(none.as_numpy_iterator()), str(spec)]


@pattern
def padding_to_a_cardinality_in_a_graph(tf, folder):
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
        dataset = dataset.apply(tf.data.experimental.pad_to_cardinality(3))
        element = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        with tf.compat.v1.Session() as session:
            return [session.run(element) for _ in range(3)]


@pattern
def end_of_iteration_in_a_function_is_not_the_end_of_the_dataset(tf, folder):
    def stop(_):
        raise StopIteration

    dataset = tf.data.Dataset.range(2).map(lambda x: tf.numpy_function(stop, [x], tf.int64))
    endless = tf.data.Dataset.range(3).repeat()
    try:
        tf.data.experimental.at(endless, 0)
    except tf.errors.OpError as error:
        return [_drained(tf, dataset), type(error).__name__]


@pattern
def a_tensor_array_is_an_element(tf, folder):
    array = tf.TensorArray(tf.float32, 2, element_shape=[1]).write(0, [1.0]).write(1, [2.0])
    pair = tf.data.Dataset.from_tensors((tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]), 5))
    return [
        str(pair.element_spec[0]),
        [[array.stack(), number] for array, number in pair],
        list(pair.map(lambda array, number: array.read(1) + tf.cast(number, tf.float32))),
        [row.read(1) for row in tf.data.Dataset.from_tensors(array).repeat(2)],
    ]
