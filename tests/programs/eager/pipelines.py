"""Input pipelines: slices, generators, windows, padding, interleaving, caching and more."""

import tensorflow as tf

numbers = tf.data.Dataset.range(8)
print(
    list(numbers.batch(3).as_numpy_iterator())[-1].tolist(),
    len(numbers.batch(3, drop_remainder=True)),
)
print([int(n) for n in numbers.map(lambda n: n**2).filter(lambda n: n % 2 == 0)])
print(
    [int(n) for n in numbers.shuffle(8, seed=4).take(8)] != list(range(8)),
    numbers.cardinality().numpy(),
)

pairs = tf.data.Dataset.from_tensor_slices({"x": [[1, 2], [3, 4], [5, 6]], "y": [0, 1, 0]})
for element in pairs.take(1):
    print({key: value.numpy().tolist() for key, value in sorted(element.items())})
print(pairs.element_spec["x"])


def sentences():
    for length in (2, 4, 1):
        yield list(range(length)), length


ragged = tf.data.Dataset.from_generator(
    sentences, output_signature=(tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32))
)
for tokens, lengths in ragged.padded_batch(3, padding_values=(-1, 0)):
    print(tokens.numpy().tolist(), lengths.numpy().tolist())

windows = tf.data.Dataset.range(7).window(3, shift=2, drop_remainder=True)
print([w.numpy().tolist() for w in windows.flat_map(lambda part: part.batch(3))])
mixed = tf.data.Dataset.range(1, 4).interleave(
    lambda n: tf.data.Dataset.from_tensors(n).repeat(2), cycle_length=2, block_length=1
)
print([int(n) for n in mixed])
zipped = tf.data.Dataset.zip((numbers, numbers.skip(5))).enumerate(start=10)
print([(int(i), int(a), int(b)) for i, (a, b) in zipped])
joined = tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7)).repeat(2)
print([int(n) for n in joined])
print(int(numbers.reduce(tf.constant(0, tf.int64), lambda total, n: total + n)))

calls = tf.Variable(0)


def counted(n):
    calls.assign_add(1)
    return n


cached = numbers.map(counted).cache()
list(cached), list(cached)
print("computed once:", int(calls))
grouped = numbers.group_by_window(lambda n: n % 2, lambda key, part: part.batch(10), window_size=10)
print([g.numpy().tolist() for g in grouped])
scanned = numbers.scan(tf.constant(0, tf.int64), lambda total, n: (total + n, total + n))
print([int(n) for n in scanned], [int(n) for n in numbers.take_while(lambda n: n < 3)])
parallel = numbers.map(lambda n: n * 10, num_parallel_calls=tf.data.AUTOTUNE).prefetch(
    tf.data.AUTOTUNE
)
print([int(n) for n in parallel][-1], [int(n) for n in numbers.shard(3, 1)])
chosen = tf.data.Dataset.sample_from_datasets(
    [numbers.repeat(), numbers.map(lambda n: -n - 1).repeat()], [0.5, 0.5], seed=2
)
signs = {int(n) < 0 for n in chosen.take(40)}
print("from both:", len(signs), "options:", tf.data.Options().deterministic)
iterator = iter(numbers.batch(4))
print(next(iterator).numpy().tolist(), iterator.get_next_as_optional().has_value().numpy())
