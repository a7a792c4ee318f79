"""Slices, masks, where, unique, partitions and set operations on tensors."""

LINES = """
tf.slice(R(3, 4), [1, 0], [2, 3])
tf.slice(R(3, 4), [0, 2], [-1, -1])
tf.slice(R(3), [1], [0])
tf.slice(A(['a', 'b']), [1], [1])
tf.slice(input_=R(2, 2), begin=A([0, 1], 'int64'), size=A([1, 1], 'int64'))
tf.strided_slice(R(3, 4), [0, 0], [3, 4], [2, 2])
tf.strided_slice(R(4), [3], [0], [-1])
tf.strided_slice(R(3, 4), [1], [2], shrink_axis_mask=1)
tf.strided_slice(R(3, 4), [0, 1], [0, 3], begin_mask=1, end_mask=1)
tf.strided_slice(R(2, 3), [0, 0], [0, 0], [1, 1], new_axis_mask=1, end_mask=2)
tf.strided_slice(R(2, 3, 4), [0, 1], [0, 2], [1, 1], ellipsis_mask=1)
tf.boolean_mask(R(3), [True, False, True])
tf.boolean_mask(R(2, 3), A([True, False]))
tf.boolean_mask(R(2, 3), B(2, 3))
tf.boolean_mask(R(2, 3), [True, False, True], axis=1)
tf.boolean_mask(tensor=A(['a', 'b']), mask=[False, True])
tf.boolean_mask(R(2), [False, False])
tf.where(A([True, False, True]), A([1, 2, 3]), A([10, 20, 30]))
tf.where(A([[True], [False]]), R(2, 2), 0.)
tf.where(True, A([1., 2.]), A([3., 4.]))
tf.where(A([False, True]), 1, 2)
tf.where(A([False, True]), x='a', y='b')
tf.where(A([[True, False], [True, True]]))
tf.where(A([0., 1.5, 0., -2.]))
tf.where(A([0, 3, 4], 'int8')), tf.where(A([1j, 0j]))
tf.where(A([False, False]))
tf.where(tf.zeros([0, 2], tf.bool))
tf.where(B(2, 1, 3), R(2, 1), R(3, seed=1))
tf.where(tf.math.is_nan(A([nan, 1.])), 0., A([nan, 1.]))
tf.compat.v1.where(A([True, False]), R(2, 2), tf.zeros([2, 2]))
tf.compat.v1.where(A([True, False])), tf.compat.v1.where_v2(A([True, False]), 1, 2)
tf.unique(A([4, 1, 4, 2]))
tf.unique(A(['b', 'a', 'b']))
tf.unique(A([1.5, 1.5]), out_idx=tf.int64)
tf.unique(A([], 'float32'))
tf.unique_with_counts(A([4, 1, 4, 2]))
tf.unique_with_counts(x=A(['b', 'a', 'b']), out_idx=tf.int64)
tf.dynamic_partition(A([1, 2, 3, 4]), [0, 1, 0, 1], 2)
tf.dynamic_partition(R(3, 2), A([2, 0, 2]), num_partitions=4)
tf.dynamic_partition(A(5.), 1, 2)
tf.dynamic_partition(R(2, 2), [[0, 1], [1, 0]], 2)
tf.dynamic_stitch([[0, 2], [1, 3]], [A([1, 3]), A([2, 4])])
tf.dynamic_stitch([A([0]), A([1, 0])], [R(1, 2), R(2, 2, seed=1)])
tf.dynamic_stitch([A(1), A([0, 3])], [R(2), R(2, 2, seed=1)])
tf.unravel_index([5, 1], [2, 3])
tf.unravel_index(A(7), A([2, 2, 3]))
tf.math.invert_permutation(A([2, 0, 1]))
tf.math.invert_permutation(A([1, 0], 'int64'))
tf.searchsorted([1., 3., 5.], [0., 1., 4., 9.])
tf.searchsorted(A([[1, 3], [2, 4]]), A([[3], [4]]), side='right')
tf.searchsorted([1, 3, 3, 5], [3], side='left', out_type=tf.int64)
tf.edit_distance(SP([[0, 0]], ['a'], [1, 1]), SP([[0, 0], [0, 1]], ['a', 'b'], [1, 2]))
tf.edit_distance(SP([[0, 0]], ['x'], [2, 1]), SP([[0, 0], [1, 0]], ['a', 'b'], [2, 1]),
  normalize=False)
tf.edit_distance(SP([[0, 0]], [1], [1, 1]), SP([[0, 0]], [1], [1, 1]))
tf.sets.size(SP([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]))
tf.sets.intersection(A([[1, 2, 3], [4, 5, 6]]), A([[2, 3, 9], [4, 4, 7]]))
tf.sets.union(A([[1, 2]]), A([[2, 3]]))
tf.sets.difference(A([[1, 2, 3]]), A([[2]]))
tf.sets.difference(A([[1, 2]]), A([[2, 3]]), aminusb=False)
tf.sets.union(A([['a', 'b']]), A([['b', 'c']]))
tf.raw_ops.ListDiff(x=A([1, 2, 3, 4]), y=A([2, 4]))
tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4])
tf.fingerprint(A(['ab', 'cd']))
tf.fingerprint(A([[1, 2], [3, 4]]))
tf.bitcast(A([1.]), tf.int32)
tf.bitcast(A([1, 2], 'int32'), tf.uint8)
tf.bitcast(A([[1, 2, 3, 4]], 'uint8'), tf.int32)
tf.bitcast(A([-1], 'int8'), 'uint8')
tf.bitcast(A([1.5], 'float64'), tf.int64)
tf.random_index_shuffle(A(3), A([1, 2, 3], 'uint32'), A(9))
tf.quantization.fake_quant_with_min_max_args(A([-7., -1.03, 0., 3.3, 8.]))
tf.quantization.fake_quant_with_min_max_args(R(4), min=-1.0, max=1.0, num_bits=4, narrow_range=True)
tf.quantization.fake_quant_with_min_max_args_gradient(A([1., 1., 1.]), A([-7., 0., 8.]))
tf.quantization.fake_quant_with_min_max_vars(R(4), -1., 1.5)
tf.quantization.fake_quant_with_min_max_vars_gradient(tf.ones([4]), R(4), -1., 0.5)
tf.quantization.fake_quant_with_min_max_vars_per_channel(R(3, 2), A([-1., -0.5]), A([1., 0.5]))
tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient( tf.ones([3, 2]), R(3, 2),
  A([-1., -0.5]), A([1., 0.5]))
tf.quantization.quantize_and_dequantize_v2(R(4), -1., 1., range_given=True)
tf.quantization.quantize_and_dequantize(R(4), -1., 1., num_bits=4)
tf.quantization.dequantize(tf.quantization.quantize(R(4), -2., 2., tf.quint8)[0], -2., 2.)
tf.cast(tf.quantization.quantize(R(4), -2., 2., tf.qint8)[0], tf.int32)
tf.quantization.quantized_concat(A(0), [tf.bitcast(A([1, 2], 'uint8'), tf.quint8),
  tf.bitcast(A([3], 'uint8'), tf.quint8)], [0., 0.], [1., 1.])[1]
"""

FAMILIES = [
    (
        "tf.where(B(3), I(3, dtype='<d>'), I(3, seed=2, dtype='<d>'))",
        {"d": "bool int8 int64 uint8 uint16 float16 bfloat16 float64 complex64"},
    ),
    (
        "tf.unique(I(6, high=3, dtype='<d>'))",
        {"d": "int8 int64 uint8 uint16 float16 float64 bool complex64"},
    ),
    (
        "tf.bitcast(I(4, dtype='<a>'), '<b>')",
        {"a": "int32 float32 int64 uint8 float16", "b": "float32 int32 int16 int64 bfloat16 bool"},
    ),
    (
        "tf.searchsorted(A([1, 2, 3], '<d>'), A([2], '<d>'))",
        {"d": "int64 float64 float16 int8 uint8 string"},
    ),
]

ERRORS = """
tf.slice(R(3), [1], [3])
tf.slice(R(3), [4], [0])
tf.slice(R(3, 4), [1], [1])
tf.slice(R(3), [-1], [1])
tf.strided_slice(R(3), [0], [3], [0])
tf.strided_slice(R(3), [0, 0], [1, 1])
tf.strided_slice(R(3), [5], [6], shrink_axis_mask=1)
tf.boolean_mask(R(3), [True, False])
tf.boolean_mask(R(3), True)
tf.boolean_mask(R(2, 3), [True, False], axis=1)
tf.where(A([True, False]), A([1, 2]), A([1., 2.]))
tf.where(A([True, False]), A([1, 2, 3]), A([1, 2, 3]))
tf.where(A([True, False]), A([1, 2]))
tf.where(A([1, 0]), A([1, 2]), A([3, 4]))
tf.unique(A([[1, 2]]))
tf.dynamic_partition(A([1, 2]), [0, 2], 2)
tf.dynamic_partition(A([1, 2]), [0, -1], 2)
tf.dynamic_partition(A([1, 2]), [0, 1, 1], 2)
tf.dynamic_partition(A([1, 2]), [0, 1], 0)
tf.dynamic_stitch([[0, -1]], [A([1, 2])])
tf.dynamic_stitch([[0, 1]], [A([1, 2, 3])])
tf.unravel_index([9], [2, 3])
tf.math.invert_permutation(A([0, 2]))
tf.math.invert_permutation(A([0, 0]))
tf.searchsorted([1., 2.], [1.], side='middle')
tf.searchsorted(A([[1, 3], [2, 4]]), A([3, 4]))
tf.bitcast(A([1, 2, 3], 'uint8'), tf.int32)
tf.bitcast(A(['a']), tf.uint8)
tf.sets.intersection(A([[1, 2]]), A([['a']]))
tf.quantization.fake_quant_with_min_max_args(R(2), min=1.0, max=-1.0)
tf.quantization.fake_quant_with_min_max_args(R(2), num_bits=20)
tf.where(A(True))
"""
