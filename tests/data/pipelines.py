"""Small pipelines as text: TensorFlow's answers to them are in `answers.json`.

Each is a name and an expression over `tf`, `D` (tf.data.Dataset) and `np`. `python pipelines.py`
under TensorFlow 2.21 writes the answers anew.
"""

PIPELINES = """
range: D.range(5)
range_start: D.range(2, 5)
range_step: D.range(10, 1, -3)
range_int32: D.range(3, output_type=tf.int32)
range_float: D.range(3, output_type=tf.float32)
range_empty: D.range(5, 2)
from_tensors: D.from_tensors([1, 2, 3])
from_tensors_nested: D.from_tensors((1.5, {"a": [1, 2], "b": "x"}))
from_tensors_none: D.from_tensors((1, None))
slices: D.from_tensor_slices([1, 2, 3])
slices_2d: D.from_tensor_slices([[1, 2], [3, 4]])
slices_strings: D.from_tensor_slices(["a", "bc"])
slices_dict: D.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]})
slices_tuple: D.from_tensor_slices(([1, 2], [[1.0], [2.0]]))
slices_numpy: D.from_tensor_slices(np.arange(6, dtype=np.uint8).reshape(3, 2))
slices_bool: D.from_tensor_slices([True, False])
slices_ragged: D.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]]))
slices_ragged_deep: D.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [], [[4]]]))
slices_sparse: D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]]))
generator: D.from_generator(lambda: iter([1, 2, 3]), output_signature=tf.TensorSpec((), tf.int32))
generator_types: D.from_generator(lambda: iter([(1, "a"), (2, "b")]), (tf.int64, tf.string))
generator_shapes: D.from_generator(lambda: iter([[1, 2], [3]]), tf.int32, [None])
generator_args: D.from_generator(lambda n: iter(range(n)), tf.int64, [], args=[3])
generator_dict: D.from_generator(lambda: iter([{"a": 1}]), output_signature={"a": tf.TensorSpec((), tf.int32)})
generator_arrays: D.from_generator(lambda: iter(np.ones((2, 2), np.float32)), output_signature=tf.TensorSpec([2], tf.float32))
generator_ragged: D.from_generator(lambda: iter([tf.ragged.constant([[1], [2, 3]])]), output_signature=tf.RaggedTensorSpec([None, None], tf.int32))
zip: D.zip((D.range(3), D.range(10, 15)))
zip_args: D.zip(D.range(3), D.range(10, 15))
zip_nested: D.zip({"a": D.range(2), "b": (D.range(2), D.range(2).batch(1))})
concatenate: D.range(2).concatenate(D.range(5, 7))
concatenate_shapes: D.from_tensors([1, 2]).concatenate(D.from_tensors([1, 2, 3]))
map: D.range(3).map(lambda x: x * 2)
map_tuple: D.range(3).map(lambda x: (x, tf.cast(x, tf.float32) / 2))
map_dict: D.range(2).map(lambda x: {"a": x, "b": [x, x]})
map_list: D.range(2).map(lambda x: [x, x + 1])
map_two: D.zip((D.range(3), D.range(3))).map(lambda a, b: a + b)
map_parallel: D.range(5).map(lambda x: x + 1, num_parallel_calls=2)
map_autotune: D.range(5).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
map_constant: D.range(2).map(lambda x: 7)
map_string: D.from_tensor_slices(["a", "b"]).map(lambda s: s + "!")
map_py_function: D.range(3).map(lambda x: tf.py_function(lambda y: y * 10, [x], tf.int64))
map_numpy_function: D.range(3).map(lambda x: tf.numpy_function(lambda y: y + np.int64(1), [x], tf.int64))
map_ragged: D.range(1, 4).map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x), [x]))
map_sparse: D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]])).map(lambda s: s)
map_none: D.range(2).map(lambda x: (x, None))
map_cond: D.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 10, lambda: x))
map_shape: D.from_tensor_slices([[1, 2], [3, 4]]).map(lambda x: tf.reshape(x, [2, 1]))
batch: D.range(5).batch(2)
batch_drop: D.range(5).batch(2, drop_remainder=True)
batch_twice: D.range(8).batch(2).batch(2)
batch_parallel: D.range(5).batch(2, num_parallel_calls=2)
batch_nested: D.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]}).batch(2)
batch_ragged: D.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])).batch(2)
batch_ragged_deep: D.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [], [[4]]])).batch(3)
batch_sparse: D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2], [3, 3]])).batch(2)
batch_strings: D.from_tensor_slices([["a", "b"], ["c", "d"]]).batch(2)
batch_none: D.range(4).map(lambda x: (x, None)).batch(2)
batch_more: D.range(3).batch(10)
unbatch: D.from_tensor_slices([[1, 2], [3, 4]]).unbatch()
unbatch_tuple: D.range(6).batch(4).map(lambda x: (x, x * 2)).unbatch()
unbatch_ragged: D.from_tensors(tf.ragged.constant([[1, 2], [3]])).unbatch()
unbatch_sparse: D.from_tensors(tf.sparse.from_dense([[1, 0], [0, 2]])).unbatch()
padded_batch: D.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2)
padded_batch_shape: D.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(3, padded_shapes=[4])
padded_batch_value: D.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(3, padding_values=np.int64(-1))
padded_batch_tuple: D.range(1, 4).map(lambda x: (tf.fill([x], x), x)).padded_batch(2, ([None], []))
padded_batch_drop: D.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, [None], drop_remainder=True)
padded_batch_strings: D.range(1, 3).map(lambda x: tf.fill([x], "s")).padded_batch(2, padding_values="-")
padded_batch_2d: D.range(1, 3).map(lambda x: tf.fill([x, 2], x)).padded_batch(2, [None, 3])
ragged_batch: D.range(4).map(lambda x: tf.range(x)).ragged_batch(2)
ragged_batch_plain: D.range(4).ragged_batch(2)
ragged_batch_2d: D.range(1, 4).map(lambda x: tf.ensure_shape(tf.zeros([x, 2]), [None, 2])).ragged_batch(3)
sparse_batch: D.range(1, 4).map(lambda x: tf.fill([x], x)).sparse_batch(2, [4])
rebatch: D.range(7).batch(3).rebatch(2)
rebatch_list: D.range(8).batch(4).rebatch([2, 1, 1])
rebatch_drop: D.range(7).batch(3).rebatch(2, drop_remainder=True)
window: D.range(7).window(3).flat_map(lambda w: w.batch(3))
window_shift: D.range(7).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
window_stride: D.range(7).window(3, 1, 2).flat_map(lambda w: w.batch(3))
window_gap: D.range(10).window(2, 4).flat_map(lambda w: w.batch(2))
window_tuple: D.zip((D.range(4), D.range(4))).window(2).flat_map(lambda a, b: D.zip((a.batch(2), b.batch(2))))
window_count: D.range(7).window(3, shift=2, stride=2)
shuffle: D.range(10).shuffle(4, seed=1)
shuffle_all: D.range(10).shuffle(100, seed=2)
shuffle_one: D.range(5).shuffle(1, seed=2)
shuffle_fixed: D.range(6).shuffle(4, seed=1, reshuffle_each_iteration=False).repeat(2)
shuffle_repeat: D.range(6).shuffle(4, seed=1).repeat(3)
shuffle_batch: D.from_tensor_slices([10, 11, 12, 13, 14]).shuffle(3, seed=5).batch(2)
shuffle_zero_seed: D.range(10).shuffle(4, seed=0)
shuffle_take: D.range(100).shuffle(10, seed=4).take(5)
shuffle_map: D.range(10).map(lambda x: x).shuffle(4, seed=1)
shuffle_and_repeat: D.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=1))
repeat: D.range(2).repeat(3)
repeat_forever: D.range(2).repeat().take(5)
repeat_zero: D.range(2).repeat(0)
repeat_empty: D.range(0).repeat().take(3)
take: D.range(5).take(2)
take_all: D.range(3).take(-1)
take_more: D.range(3).take(10)
skip: D.range(5).skip(2)
skip_all: D.range(5).skip(-1)
skip_more: D.range(3).skip(10)
shard: D.range(10).shard(3, 1)
cache: D.range(3).cache()
prefetch: D.range(3).prefetch(2)
prefetch_autotune: D.range(3).batch(2).prefetch(tf.data.AUTOTUNE)
enumerate: D.from_tensor_slices(["a", "b"]).enumerate(start=5)
filter: D.range(6).filter(lambda x: x % 2 == 0)
filter_tuple: D.zip((D.range(4), D.range(4))).filter(lambda a, b: a + b > 2)
flat_map: D.range(3).flat_map(lambda x: D.range(x))
flat_map_slices: D.from_tensor_slices([[1, 2], [3, 4]]).flat_map(D.from_tensor_slices)
flat_map_batch: D.range(2).flat_map(lambda x: D.from_tensors(x).repeat(3).batch(2))
interleave: D.range(1, 4).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=2)
interleave_blocks: D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(4), cycle_length=2, block_length=3)
interleave_wide: D.range(3).interleave(lambda x: D.range(x), cycle_length=5)
interleave_parallel: D.range(1, 5).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, num_parallel_calls=2, deterministic=True)
scan: D.range(5).scan(np.int64(0), lambda s, x: (s + x, s * x))
scan_tuple: D.range(3).scan((np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1] * 2), s))
take_while: D.range(10).take_while(lambda x: x < 3)
unique: D.from_tensor_slices([1, 2, 1, 3, 2]).unique()
unique_strings: D.from_tensor_slices(["a", "b", "a"]).unique()
group_by_window: D.range(10).group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), 3)
group_by_window_size: D.range(10).group_by_window(lambda x: x % 2, lambda k, d: d.batch(9), window_size_func=lambda k: k + 2)
bucket: D.from_tensor_slices([1, 5, 2, 7, 3, 9]).map(lambda n: tf.range(n)).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 6], [2, 2, 2])
bucket_boundary: D.from_tensor_slices([1, 2, 4, 5]).map(lambda n: tf.range(n)).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 6], [2, 2, 2], pad_to_bucket_boundary=True)
bucket_drop: D.from_tensor_slices([1, 2, 4]).map(lambda n: tf.range(n)).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2], drop_remainder=True)
random: D.random(seed=3).take(3)
random_again: D.random(seed=3, rerandomize_each_iteration=True).take(3).repeat(2)
counter: D.counter(start=3, step=2).take(3)
counter_int32: D.counter(dtype=tf.int32).take(2)
sample: D.sample_from_datasets([D.from_tensors(i).repeat() for i in range(3)], weights=[0.2, 0.3, 0.5], seed=1).take(12)
sample_uniform: D.sample_from_datasets([D.from_tensors(i).repeat(5) for i in range(2)], seed=5)
sample_stop: D.sample_from_datasets([D.from_tensors(0).repeat(2), D.from_tensors(1).repeat()], weights=[0.5, 0.5], seed=5, stop_on_empty_dataset=True)
choose: D.choose_from_datasets([D.range(3), D.range(10, 13)], D.from_tensor_slices(np.array([0, 1, 1, 0, 1], np.int64)))
choose_on: D.choose_from_datasets([D.range(2), D.range(10, 13)], D.from_tensor_slices(np.array([0, 0, 0, 1, 1], np.int64)), stop_on_empty_dataset=False)
with_options: D.range(3).with_options(tf.data.Options())
ignore_errors: D.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad")).ignore_errors()
ignore_errors_batch: D.from_tensor_slices([1.0, 0.0, 2.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad")).ignore_errors().batch(2)
apply: D.range(4).apply(lambda d: d.batch(2).map(lambda x: -x))
map_and_batch: D.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 2))
assert_cardinality: D.range(4).filter(lambda x: True).apply(tf.data.experimental.assert_cardinality(4))
group_by_reducer: D.range(6).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s)))
parallel_interleave: D.range(1, 4).apply(tf.data.experimental.parallel_interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=2))
dense_to_sparse: D.range(1, 3).map(lambda x: tf.fill([x], x)).apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))
from_list: tf.data.experimental.from_list([(1, "a"), (2, "b")])
pad_to_cardinality: D.from_tensor_slices({"a": [1, 2]}).apply(tf.data.experimental.pad_to_cardinality(3))
keras_batches: D.zip((D.range(1).map(lambda _: tf.range(5, dtype=tf.int64)).prefetch(1).flat_map(lambda i: D.from_tensor_slices(tf.reshape(i[:4], [2, 2]))), D.from_tensors((np.arange(5.0),)).repeat())).map(lambda i, d: tf.nest.map_structure(lambda x: tf.gather(x, i, axis=0), d))
capture: (lambda c: D.range(3).map(lambda x: x + c))(tf.constant(5, tf.int64))
capture_array: (lambda c: D.range(3).map(lambda x: tf.gather(c, x)))(tf.range(1000))
capture_dataset: (lambda d: D.range(2).flat_map(lambda x: d.map(lambda y: x + y)))(D.range(10, 12))
nested_reduce: D.range(6).window(2).map(lambda w: w.reduce(np.int64(0), lambda s, x: s + x))
nested_single: D.range(4).window(2).map(lambda w: w.batch(2).get_single_element())
random_ops: D.range(3).map(lambda x: tf.random.stateless_uniform([2], seed=[x, 1]))
text_split: D.from_tensor_slices(["a b", "c d e"]).flat_map(lambda s: D.from_tensor_slices(tf.strings.split(s)))
one_hot: D.range(3).map(lambda x: tf.one_hot(x, 3)).batch(3)
uneven_ragged: D.from_tensor_slices([3, 1]).map(lambda n: tf.ones([n])).ragged_batch(2).map(lambda r: r.row_lengths())
"""


def pipelines():
    """Return (name, expression) pairs."""
    return [line.split(": ", 1) for line in PIPELINES.strip().splitlines()]


def plain(value):
    """Return an element as JSON has it."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    name = type(value).__name__
    if name == "SparseTensor":
        return [
            "sparse",
            *(plain(part) for part in (value.indices, value.values, value.dense_shape)),
        ]
    if name == "RaggedTensor":
        return ["ragged", _decoded(value.to_list())]
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    if hasattr(value, "element_spec"):
        return [plain(each) for each in value]
    found = value.numpy()
    return _decoded(found.tolist() if hasattr(found, "tolist") else found)


def _decoded(value):
    if isinstance(value, bytes):
        return value.decode()
    return [_decoded(each) for each in value] if isinstance(value, list) else value


def answer(expression, tf):
    """Return what a pipeline gives: elements, structure and cardinality."""
    import numpy as np

    dataset = eval(expression, {"tf": tf, "D": tf.data.Dataset, "np": np})
    return {
        "elements": [plain(each) for each in dataset],
        "spec": repr(dataset.element_spec),
        "count": int(dataset.cardinality()),
        "kind": type(dataset).__name__,
    }


if __name__ == "__main__":
    import json
    import pathlib

    import tensorflow

    answers = {name: answer(text, tensorflow) for name, text in pipelines()}
    place = pathlib.Path(__file__).parent / "answers.json"
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in answers.items()]
    place.write_text("{\n" + ",\n".join(lines) + "\n}\n")
