"""Ragged tensors: making, indexing, reducing and converting them."""

LINES = """
tf.ragged.constant([[1, 2], [], [3]]), tf.ragged.constant([['a'], ['b', 'c']])
tf.ragged.constant([[1.5], []], dtype=tf.float64)
tf.ragged.constant([]), tf.ragged.constant([[], []]), tf.ragged.constant([[[1], []], [[2, 3]]])
tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)
tf.ragged.constant([[1]], row_splits_dtype=tf.int32)
tf.ragged.constant([[[1, 2]], [[3, 4]]], inner_shape=(2,)), tf.ragged.constant(5)
tf.ragged.constant([1, 2])
tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3])
tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])
tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4)
tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 2])
tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 3])
tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])
tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])
tf.RaggedTensor.from_tensor(A([[1, 2, 0], [3, 0, 0]]))
tf.RaggedTensor.from_tensor(A([[1, 2, 0], [3, 0, 0]]), padding=0)
tf.RaggedTensor.from_tensor(A([[1, 2, 0], [3, 0, 0]]), lengths=[2, 1])
tf.RaggedTensor.from_tensor(R(2, 2, 2), ragged_rank=2)
tf.RaggedTensor.from_sparse(SP([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2]))
RAG([[1, 2], [], [3]]).to_tensor(), RAG([[1, 2], [], [3]]).to_tensor(default_value=-1)
RAG([[1, 2], [3]]).to_tensor(shape=[2, 4])
RAG([['a'], ['b', 'c']]).to_tensor('x'), RAG([[1, 2], [3]]).to_tensor(shape=[None, 1])
RAG([[1, 2], [3]]).to_list()
RAG([[1, 2], [], [3]]).to_sparse(), RAG([[1, 2], [], [3]]).row_lengths()
RAG([[1, 2], [], [3]]).row_splits
RAG([[1, 2], [], [3]]).value_rowids(), RAG([[1, 2], [], [3]]).nrows()
RAG([[1, 2], [], [3]]).row_starts(), RAG([[1, 2], [3]]).row_limits()
RAG([[1, 2], [], [3]]).values, RAG([[[1], []], [[2]]]).flat_values
RAG([[[1], []], [[2]]]).nested_row_lengths()
RAG([[1, 2], [3]]).bounding_shape(), RAG([[1, 2], [3]]).bounding_shape(axis=1)
RAG([[1, 2], [3]]).shape, RAG([[1, 2], [3]]).dtype
RAG([[[1], []], [[2]]]).ragged_rank, RAG([[1, 2], [3]]).merge_dims(0, 1), RAG([[1, 2], [3]]).numpy()
RAG([[[1], []], [[2]]]).merge_dims(1, 2)
RAG([[1, 2], [3]]).with_values(A([5., 6., 7.]))
RAG([[1, 2], [3]]).with_flat_values(A(['a', 'b', 'c']))
RAG([[1, 2], [3]]).with_row_splits_dtype(tf.int32), RAG([[1, 2], [3]]).uniform_row_length
RAG([[1, 2], [], [3]])[0], RAG([[1, 2], [], [3]])[-1], RAG([[1, 2], [], [3]])[1:]
RAG([[1, 2], [], [3]])[0, 1]
RAG([[1, 2], [], [3]])[:, :1], RAG([[1, 2], [], [3]])[:, 1:], RAG([[1, 2], [], [3]])[..., -1:]
RAG([[1, 2], [3]])[::-1]
RAG([[1, 2], [3]])[:, None], RAG([[1, 2], [3, 4]])[:, -1:], RAG([[[1], [2, 3]], [[4]]])[0, 1]
RAG([[1, 2], [3]])[tf.newaxis]
RAG([[1, 2], [3]]) + 1, RAG([[1, 2], [3]]) * RAG([[10, 20], [30]]), RAG([[1., 2.], [3.]]) / 2.
-RAG([[1, 2], [3]])
RAG([[1, 2], [3]]) + A([[10], [20]]), RAG([[1, 2], [3]]) > 1
RAG([[1, 2], [3]]) == RAG([[1, 0], [3]]), 10 - RAG([[1, 2], [3]])
RAG([[True], [False, True]]) & RAG([[True], [True, True]]), ~RAG([[True], [False]])
abs(RAG([[-1], [2, -3]])), RAG([[5, 6], [7]]) % 4
tf.square(RAG([[1, 2], [3]])), tf.cast(RAG([[1, 2], [3]]), tf.float32)
tf.exp(RAG([[1., 2.], [3.]])), tf.maximum(RAG([[1, 2], [3]]), 2)
tf.add(RAG([[1, 2], [3]]), RAG([[1, 2], [3]])), tf.math.log(RAG([[1.], [2., 3.]]))
tf.nn.relu(RAG([[-1.], [2., 3.]])), tf.identity(RAG([[1], [2, 3]]))
tf.reduce_sum(RAG([[1, 2], [], [3]])), tf.reduce_sum(RAG([[1, 2], [], [3]]), axis=1)
tf.reduce_sum(RAG([[1, 2], [], [3]]), axis=0)
tf.reduce_mean(RAG([[1., 2.], [3.]]), axis=1), tf.reduce_max(RAG([[1, 2], [3]]), axis=1)
tf.reduce_min(RAG([[1, 2], [3]]), axis=0)
tf.reduce_prod(RAG([[2, 3], [4]]), axis=1), tf.reduce_any(RAG([[True, False], [False]]), axis=1)
tf.reduce_all(RAG([[True, False], [True]]), axis=1)
tf.reduce_sum(RAG([[1, 2], [3]]), axis=1, keepdims=True)
tf.math.reduce_variance(RAG([[1., 2.], [3.]]), axis=1)
tf.math.reduce_std(RAG([[1., 3.], [3.]]), axis=1)
tf.concat([RAG([[1], [2, 3]]), RAG([[4, 5], []])], axis=0)
tf.concat([RAG([[1], [2, 3]]), RAG([[4, 5], []])], axis=1)
tf.stack([RAG([[1], [2, 3]]), RAG([[4, 5], []])])
tf.stack([RAG([[1], [2, 3]]), RAG([[4, 5], []])], axis=1), tf.ragged.stack([A([1]), A([2, 3])])
tf.ragged.stack([RAG([[1], [2, 3]]), RAG([[4]])], axis=0), tf.expand_dims(RAG([[1], [2, 3]]), 0)
tf.expand_dims(RAG([[1], [2, 3]]), -1)
tf.tile(RAG([[1], [2, 3]]), [2, 1]), tf.reverse(RAG([[1], [2, 3]]), axis=[1])
tf.gather(RAG([[1], [2, 3]]), [1, 0, 1]), tf.gather_nd(RAG([[1], [2, 3]]), [[1, 1], [0, 0]])
tf.gather(A([10, 20, 30]), RAG([[0], [2, 1]]))
tf.gather(RAG([[1, 2], [3]]), RAG([[1], [0]]), batch_dims=1), tf.one_hot(RAG([[0], [1, 2]]), 3)
tf.where(RAG([[True], [False, True]]), RAG([[1], [2, 3]]), RAG([[4], [5, 6]]))
tf.where(RAG([[True], [False, True]])), tf.size(RAG([[1], [2, 3]])), tf.rank(RAG([[1], [2, 3]]))
tf.shape(RAG([[1], [2, 3]])), tf.ones_like(RAG([[1], [2, 3]])), tf.zeros_like(RAG([[1.], [2., 3.]]))
tf.split(RAG([[1], [2, 3]]), 2), tf.squeeze(RAG([[[1]], [[2]]]), 2)
tf.boolean_mask(A([[1, 2], [3, 4]]), A([[True, False], [True, True]]))
tf.ragged.boolean_mask(A([[1, 2], [3, 4]]), A([[True, False], [True, True]]))
tf.ragged.boolean_mask(RAG([[1, 2], [3]]), RAG([[True, False], [True]]))
tf.ragged.boolean_mask(RAG([[1, 2], [3]]), A([True, False]))
tf.ragged.cross([RAG([['a'], ['b', 'c']]), RAG([['d'], ['e']])])
tf.ragged.cross_hashed([RAG([['a'], ['b', 'c']]), RAG([['d'], ['e']])], num_buckets=100)
tf.ragged.map_flat_values(tf.square, RAG([[1, 2], [3]]))
tf.ragged.map_flat_values(tf.add, RAG([[1, 2], [3]]), 5)
tf.ragged.map_flat_values(tf.add, RAG([[1, 2], [3]]), RAG([[1, 2], [3]]))
tf.ragged.range([3, 0, 2]), tf.ragged.range([1, 2], [4, 3]), tf.ragged.range(0, [3, 5], 2)
tf.ragged.range([5], [0], -2), tf.ragged.range([2], row_splits_dtype=tf.int32)
tf.ragged.range([1., 2.], [2., 3.], 0.5), tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3])
tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=4)
tf.ragged.segment_ids_to_row_splits([0, 0, 2])
tf.ragged.row_splits_to_segment_ids(A([0, 2], 'int32'), out_type=tf.int64)
tf.ragged.stack_dynamic_partitions(A(['a', 'b', 'c']), [1, 0, 1], 3)
tf.ragged_fill_empty_rows(A([0, 2], 'int64'), A([1, 2]), A(4, 'int64'), A(-1))
tf.map_fn(tf.reduce_sum, RAG([[1, 2], [3]]), fn_output_signature=tf.int32)
tf.strings.join([RAG([['a'], ['b', 'c']]), 'x']), tf.strings.length(RAG([['a'], ['bb', 'c']]))
tf.strings.reduce_join(RAG([['a'], ['b', 'c']]), axis=-1), tf.strings.upper(RAG([['a'], ['b']]))
tf.math.unsorted_segment_sum(A([1., 2.]), [0, 0], 1)
tf.random.experimental.stateless_shuffle(tf.range(3), [1, 2])
tf.nn.softmax(RAG([[1., 2.], [3.]])), tf.nn.dropout(RAG([[1.], [2.]]), rate=0.)
tf.math.bincount(RAG([[1, 1], [2]]), axis=-1), tf.sparse.bincount(RAG([[1, 1], [2]]), axis=-1)
tf.cumsum(A([1])), tf.argmax(RAG([[1, 2], [3]]).to_tensor(), 1)
tf.sequence_mask(RAG([[1, 2], [3]]).row_lengths())
str(RAG([[1, 2], [], [3]])), repr(RAG([[1, 2], [], [3]]))
repr(tf.RaggedTensorSpec([2, None], tf.int32)), RAG([[1]]).nrows(tf.int32)
tf.type_spec_from_value(RAG([[1], [2, 3]])), tf.convert_to_tensor(A([[1]]))
[list(r.numpy()) for r in RAG([[1], [2, 3]])], tf.bitcast(RAG([[1], [2]]), tf.uint32)
tf.matmul(RAG([[[1., 2.]], [[3., 4.], [5., 6.]]], ragged_rank=1), tf.ones([2, 2, 1]))
tf.reshape(RAG([[1], [2, 3]]), [3])
"""

FAMILIES = [
    (
        "tf.ragged.constant([[1, 2], [], [3]], dtype='<d>')",
        {"d": "int8 int64 uint8 float16 bfloat16 complex64 float64"},
    ),
    (
        "tf.reduce_<f>(RAG([[[1., 2.], [3.]], [], [[4.]]]), axis=<a>)",
        {"f": "sum mean max prod", "a": ["0", "1", "2", "[1, 2]", "None"]},
    ),
    (
        "RAG([[1, 2], [], [3, 4, 5]])[<i>]",
        {"i": ["0:2", ":, 0:2", "2, 1", "..., :2", "2:0:-1", ":, ::2", "1:1"]},
    ),
]

ERRORS = """
tf.unstack(RAG([[1], [2, 3]]))
tf.ragged.constant([[1], 2])
tf.ragged.constant([[1], ['a']])
tf.ragged.constant([[1]], ragged_rank=5)
tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 4])
tf.RaggedTensor.from_row_splits([1, 2, 3], [1, 3])
tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 3, 2])
tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 2])
tf.RaggedTensor.from_row_lengths([1, 2, 3], [4, -1])
tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 2, 1])
tf.RaggedTensor.from_tensor(A([1, 2]))
tf.RaggedTensor.from_uniform_row_length([1, 2, 3], 2)
RAG([[1, 2], [3]])[5]
RAG([[1, 2], [3]])[:, 5]
RAG([[1, 2], [3]])['a']
RAG([[1, 2], [3]])[:, 0]
RAG([[1, 2], [3]]) + RAG([[1], [2, 3]])
RAG([[1, 2], [3]]) + 1.5
RAG([[1, 2], [3]]) + A([1, 2, 3])
tf.convert_to_tensor(RAG([[1], [2, 3]]))
tf.matmul(RAG([[1], [2, 3]]), A([[1]]))
tf.concat([RAG([[1], [2, 3]]), RAG([[4]])], axis=1)
tf.concat([RAG([[1]]), RAG([[1.5]])], axis=0)
tf.ragged.range([1, 2], [3, 4, 5])
tf.ragged.range([1], [5], 0)
tf.ragged.boolean_mask(RAG([[1, 2], [3]]), RAG([[True], [True]]))
tf.gather(RAG([[1]]), [3])
tf.expand_dims(RAG([[1]]), 5)
tf.reduce_sum(RAG([[1]]), axis=4)
RAG([[1, 2], [3]]).merge_dims(1, 0)
RAG([[1, 2], [3]]).with_values(A([1]))
bool(RAG([[1]]) == 1)
tf.math.segment_sum(RAG([[1, 2], [3], [4]]), [0, 0, 1])
"""
