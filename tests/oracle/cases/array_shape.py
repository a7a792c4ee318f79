"""Making tensors and changing their shape: fill, range, reshape, transpose, concat, pad, tile."""

LINES = """
tf.zeros([2, 3])
tf.zeros([])
tf.zeros([0, 2], tf.int32)
tf.zeros(3)
tf.zeros((2,), dtype=tf.string)
tf.zeros([2], tf.bool)
tf.zeros(A([1, 2]), tf.complex64)
tf.zeros(tf.TensorShape([2, 1]))
tf.zeros(shape=[A(2), 1])
tf.ones([2, 3])
tf.ones([2], tf.bool)
tf.ones([1], dtype='int64')
tf.ones((2, 2), tf.bfloat16)
tf.zeros_like(R(2, 3))
tf.zeros_like(A([1, 2]), dtype=tf.float64)
tf.zeros_like(A(['a', 'b']))
tf.zeros_like([1, 2])
tf.zeros_like(A([True]))
tf.ones_like(R(2, 3))
tf.ones_like(A([1, 2]), tf.bool)
tf.ones_like([1.5, 2.5])
tf.fill([2, 3], 7)
tf.fill([2], 'x')
tf.fill([0], 1.)
tf.fill([], True)
tf.fill(dims=A([1, 2], 'int64'), value=A(2., 'float64'))
tf.eye(3)
tf.eye(2, 3)
tf.eye(3, num_columns=2, dtype=tf.int32)
tf.eye(2, batch_shape=[2])
tf.eye(0)
tf.eye(2, dtype=tf.complex64)
tf.linspace(0., 1., 5)
tf.linspace(0., 1., 1)
tf.linspace(A([0., 1.]), A([1., 3.]), 3)
tf.linspace(A([0., 1.]), A([1., 3.]), 3, axis=1)
tf.linspace(0, 10, 3)
tf.linspace(start=A(1., 'float64'), stop=A(2., 'float64'), num=4)
tf.range(5)
tf.range(2, 5)
tf.range(0, 10, 3)
tf.range(5, 0, -2)
tf.range(0)
tf.range(0., 1., 0.3)
tf.range(3, dtype=tf.float32)
tf.range(3.5)
tf.range(A(2), A(8), A(2))
tf.range(1, A(4, 'int64'))
tf.range(start=1, limit=10, delta=4)
tf.range(1, 3, 0.5)
tf.shape(R(2, 3))
tf.shape(R(2, 3), out_type=tf.int64)
tf.shape(5), tf.shape([[1, 2]]), tf.shape(tf.zeros([0, 2]))
tf.shape_n([R(2), R(1, 3)])
tf.size(tf.zeros([2, 0])), tf.rank(tf.zeros([2, 0]))
tf.reshape(R(2, 3), [3, 2])
tf.reshape(R(2, 3), [-1])
tf.reshape(R(2, 3), (-1, 2))
tf.reshape(A([5]), [])
tf.reshape(A(5), [1, 1])
tf.reshape(tf.zeros([0, 3]), [3, 0])
tf.reshape(tf.zeros([0]), [-1, 2])
tf.reshape(R(4), A([2, 2], 'int64'))
tf.reshape(R(2, 3), [A(3), -1])
tf.reshape(tensor=A(['a', 'b']), shape=[2, 1])
tf.reshape(R(6), tf.TensorShape([2, 3]))
tf.expand_dims(R(2), 0)
tf.expand_dims(R(2, 3), -1)
tf.expand_dims(R(2, 3), axis=1)
tf.expand_dims(5, 0)
tf.expand_dims(R(2, 3), A(-2))
tf.squeeze(R(1, 2, 1))
tf.squeeze(R(1, 2, 1), axis=0)
tf.squeeze(R(1, 2, 1), axis=[-1])
tf.squeeze(R(1, 2, 1), [0, 2])
tf.squeeze(R(2, 2))
tf.squeeze([[1]])
tf.transpose(R(2, 3))
tf.transpose(R(2, 3, 4), [1, 0, 2])
tf.transpose(R(2, 3, 4), perm=[2, 0, 1])
tf.transpose(R(2, 3, 2))
tf.transpose(R(2, 3, 4), perm=[-1, 0, 1])
tf.transpose(A(5))
tf.transpose(R(2, 2, dtype='complex64'), conjugate=True)
tf.transpose(A([['a', 'b']]))
tf.transpose([[1, 2], [3, 4]])
tf.transpose(tf.zeros([0, 2, 3]), [2, 1, 0])
tf.concat([R(2, 2), R(1, 2, seed=1)], 0)
tf.concat([R(2, 2), R(2, 1, seed=1)], axis=-1)
tf.concat([A([1]), A([2]), A([], 'int32')], 0)
tf.concat([A(['a']), A(['b'])], axis=0)
tf.concat(values=[[1], [2, 3]], axis=0)
tf.concat([R(2, 2)], 1)
tf.concat(R(2, 2), 0)
tf.concat([A([True]), A([False])], A(0))
tf.stack([A(1), A(2)])
tf.stack([R(2), R(2, seed=1)], axis=1)
tf.stack([R(2), R(2, seed=1)], axis=-1)
tf.stack([1, 2, 3])
tf.stack([[1., 2.], A([3., 4.])])
tf.stack([A(['a']), A(['b'])])
tf.stack(R(2, 2))
tf.unstack(R(2, 3))
tf.unstack(R(2, 3), axis=1)
tf.unstack(R(2, 3), num=2, axis=0)
tf.unstack(R(2, 3), axis=-1)
tf.unstack(tf.zeros([0, 2]))
tf.split(R(4, 2), 2)
tf.split(R(2, 6), 3, axis=1)
tf.split(R(2, 6), [1, 2, 3], axis=-1)
tf.split(R(5), [2, -1])
tf.split(R(2, 4), num_or_size_splits=2, axis=1)
tf.split(A([1, 2, 3]), A([1, 2]))
tf.split(R(4), [4, 0])
tf.split(A([1, 2]), 1)
tf.tile(A([1, 2]), [2])
tf.tile(R(1, 2), [2, 3])
tf.tile(A([['a']]), [1, 2])
tf.tile(R(2, 2), [0, 1])
tf.tile(A(3), A([], 'int32'))
tf.tile(input=A([1]), multiples=A([3], 'int64'))
tf.repeat(A([1, 2]), 2)
tf.repeat(A([1, 2, 3]), [1, 0, 2])
tf.repeat(R(2, 2), 2, axis=0)
tf.repeat(R(2, 2), repeats=[1, 2], axis=1)
tf.repeat(R(2, 2), [2])
tf.repeat(5, 3)
tf.pad(A([[1, 2], [3, 4]]), [[1, 0], [0, 2]])
tf.pad(R(2, 2), [[1, 1], [1, 1]], constant_values=9)
tf.pad(R(3), [[2, 2]], 'REFLECT')
tf.pad(R(3), [[2, 3]], 'SYMMETRIC')
tf.pad(R(2, 3), A([[0, 1], [2, 0]]), mode='CONSTANT', constant_values=-1.5)
tf.pad(R(2, 3), [[1, 1], [2, 2]], mode='reflect')
tf.pad(A(['a']), [[0, 1]], constant_values='z')
tf.pad(R(2), [[0, 0]])
tf.pad(tensor=R(1, 2), paddings=[[0, 0], [1, 0]])
tf.broadcast_to(A([1, 2]), [3, 2])
tf.broadcast_to(A(5.), [2, 2])
tf.broadcast_to(R(2, 1), [1, 2, 3])
tf.broadcast_to(A(['a']), [2])
tf.broadcast_to(R(1), [0])
tf.broadcast_dynamic_shape(A([1, 3]), A([2, 1]))
tf.broadcast_static_shape(tf.TensorShape([1, 3]), tf.TensorShape([5, 3]))
tf.broadcast_static_shape(tf.TensorShape([None, 3]), tf.TensorShape([5, 1]))
tf.meshgrid([1, 2], [3, 4, 5])
tf.meshgrid([1, 2], [3, 4, 5], indexing='ij')
tf.meshgrid(A([1.]), A([2.]), A([3., 4.]))
tf.roll(R(4), shift=1, axis=0)
tf.roll(R(2, 3), shift=[1, -1], axis=[0, 1])
tf.roll(R(2, 3), -2, -1)
tf.roll(R(2, 3), shift=[1, 1], axis=[1, 1])
tf.reverse(R(2, 3), axis=[0])
tf.reverse(R(2, 3), [-1, 0])
tf.reverse(A(['a', 'b']), [0])
tf.reverse(R(2), [])
tf.reverse_sequence(R(3, 4), [2, 3, 0], seq_axis=1, batch_axis=0)
tf.reverse_sequence(R(4, 3), A([1, 2, 4], 'int64'), seq_axis=0, batch_axis=1)
tf.sequence_mask([1, 3, 0])
tf.sequence_mask([1, 3, 0], 5)
tf.sequence_mask([[1, 2]], maxlen=3, dtype=tf.float32)
tf.sequence_mask(2, maxlen=A(3), dtype=tf.int32)
tf.sequence_mask([4.0], 5)
tf.ensure_shape(R(2, 3), [None, 3])
tf.ensure_shape(R(2, 3), tf.TensorShape(None))
tf.identity(R(2)), tf.identity([1, 2]), tf.identity('a')
tf.identity_n([A(1), A(2.)])
tf.stop_gradient(R(2)), tf.guarantee_const(A(1))
tf.space_to_batch(R(1, 4, 4, 1), [2, 2], [[0, 0], [0, 0]])
tf.space_to_batch(R(1, 3, 3, 1), block_shape=[2, 2], paddings=[[1, 0], [0, 1]])
tf.space_to_batch_nd(R(1, 4, 2), [2], [[0, 0]])
tf.batch_to_space(R(4, 2, 2, 1), block_shape=[2, 2], crops=[[0, 0], [0, 1]])
tf.nn.space_to_batch(R(1, 2, 2, 1), [2, 2], [[0, 0], [0, 0]])
tf.nn.space_to_depth(R(1, 4, 4, 1), 2)
tf.nn.depth_to_space(R(1, 2, 2, 4), 2)
tf.nn.depth_to_space(R(1, 1, 2, 8), block_size=2, data_format='NHWC')
tf.required_space_to_batch_paddings([5, 7], [2, 3])
tf.required_space_to_batch_paddings([5, 7], [2, 3], base_paddings=[[1, 0], [0, 1]])
tf.one_hot([0, 2, -1, 5], 3)
tf.one_hot([0, 1], depth=2, on_value=5, off_value=-1)
tf.one_hot([[0, 1]], 2, axis=1)
tf.one_hot([0, 1], 3, axis=0, dtype=tf.int32)
tf.one_hot(1, 3, on_value=True, off_value=False)
tf.one_hot(A([0, 1], 'uint8'), 2, on_value='y', off_value='n')
tf.one_hot(A([], 'int32'), 2)
tf.one_hot(indices=A([1], 'int64'), depth=A(3), dtype=tf.float16)
tf.one_hot([0, 1], 0)
tf.extract_volume_patches(R(1, 3, 3, 3, 1), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID')
tf.get_static_value(A([1, 2])), tf.get_static_value(tf.shape(R(2, 3)))
tf.is_tensor(A(1)), tf.is_tensor(1), tf.is_tensor(V(1.)), tf.is_tensor(np.ones(1))
tf.type_spec_from_value(R(2, 3))
tf.TensorShape([1, None, 3]), tf.TensorShape(None), tf.TensorShape(5), tf.TensorShape([])
tf.TensorShape([1, 2]).concatenate([3]), tf.TensorShape([1, 2])[1], tf.TensorShape([1, 2, 3])[1:]
tf.TensorShape([None, 2]).merge_with([3, None]), tf.TensorShape([1, None]).as_list()
tf.TensorShape([2, 3]).num_elements(), tf.TensorShape([2, None]).num_elements()
tf.TensorShape([2, None]).is_compatible_with([2, 5]), tf.TensorShape([2]).is_compatible_with([3])
tf.TensorShape([2, 3]).is_fully_defined(), tf.TensorShape([2, 3]).rank, tf.TensorShape(None).rank
str(tf.TensorShape([2, None])), repr(tf.TensorShape([2, None])), str(tf.TensorShape(None))
tf.TensorShape([2, None]).as_proto() is not None, tf.TensorShape([1, 2]) == [1, 2]
tf.TensorShape([2, 3]) == tf.TensorShape([2, 3]), tf.TensorShape([None]) == tf.TensorShape([None])
tf.TensorShape([2]) + [3], [1] + tf.TensorShape([2]), len(tf.TensorShape([2, 3]))
tf.TensorShape([1, 2]).with_rank(2), tf.TensorShape(None).with_rank(2)
tf.TensorShape([2, 3]).with_rank_at_least(1)
tf.TensorShape([2, None]).most_specific_compatible_shape([3, 4])
tf.TensorSpec([2, None], tf.float32, name='x'), tf.TensorSpec.from_tensor(R(2))
tf.TensorSpec([2, None]).is_compatible_with(R(2, 3))
tf.TensorSpec([2], tf.int32).is_compatible_with(R(2))
tf.IndexedSlices(R(2, 2), A([0, 2]), A([3, 2]))
tf.convert_to_tensor(tf.IndexedSlices(R(2, 2), A([0, 2]), A([3, 2])))
tf.zeros_initializer()([2]), tf.ones_initializer()([2], tf.int32), tf.constant_initializer(3.)([2])
tf.constant_initializer([1., 2., 3., 4.])([2, 2])
tf.compat.v1.zeros_initializer()([2]), tf.compat.v1.constant_initializer(2)([2], tf.int32)
tf.compat.v1.transpose(R(2, 3), perm=[1, 0]), tf.compat.v1.squeeze(R(1, 2), squeeze_dims=[0])
tf.compat.v1.expand_dims(R(2), dim=0), tf.compat.v1.shape(R(2, 3)), tf.compat.v1.pad(R(2), [[1, 1]])
tf.tuple([A(1), A(2)])
tf.vectorized_map(lambda x: x * 2. + 1., R(3, 2))
tf.map_fn(lambda x: x * x, A([1., 2., 3.]))
tf.map_fn(lambda x: (x[0] + x[1], x[0]), (A([1., 2.]), A([3., 4.])), dtype=(tf.float32, tf.float32))
tf.map_fn(lambda x: tf.cast(x, tf.int32), A([1.5, 2.5]), fn_output_signature=tf.int32)
tf.map_fn(tf.reduce_sum, R(3, 2)), tf.foldl(lambda a, x: a + x, A([1, 2, 3]))
tf.foldr(lambda a, x: a - x, A([1, 2, 3]))
tf.foldl(lambda a, x: a * x, A([1., 2.]), initializer=5.)
tf.scan(lambda a, x: a + x, A([1, 2, 3, 4]))
tf.scan(lambda a, x: a + x, A([1., 2., 3.]), initializer=10., reverse=True)
tf.while_loop(lambda i, s: i < 5, lambda i, s: [i + 1, s + i], [A(0), A(0)])
tf.cond(A(True), lambda: A(1), lambda: A(2)), tf.cond(A(3) > 5, lambda: 'a', lambda: 'b')
tf.case([(A(False), lambda: A(1)), (A(True), lambda: A(2))], default=lambda: A(3))
tf.switch_case(A(1), [lambda: A(10), lambda: A(20)])
tf.switch_case(A(7), [lambda: A(10), lambda: A(20)])
tf.numpy_function(lambda x: x + 1, [A([1., 2.])], tf.float32)
tf.py_function(lambda x: x.numpy().sum(), [A([1., 2.])], tf.float32)
tf.no_op() is None, tf.group(A(1), A(2)) is None, tf.executing_eagerly(), tf.inside_function()
tf.compat.as_bytes('é'), tf.compat.as_str(b'abc'), tf.compat.as_text(b'abc')
tf.compat.as_str_any(3)
tf.compat.dimension_value(tf.TensorShape([3])[0]), tf.compat.path_to_str('a/b')
tf.linspace(0., 1., 0)
tf.stack([])
tf.ones(shape=[2], dtype=tf.int8), tf.split(value=R(4), num_or_size_splits=2), tf.shape(input=R(2))
tf.size(input=R(2)), tf.transpose(a=R(2, 3), perm=[1, 0])
tf.ones_like(A([1, 2]), dtype=tf.float32), tf.ones_like(input=A([1, 2]))
tf.zeros_like(input=A([1.])), tf.reshape(R(4), shape=(2, -1))
tf.map_fn(fn=lambda x: x + 1, elems=A([1, 2]), parallel_iterations=2)
tf.map_fn(lambda x: x * 2., R(2), back_prop=False)
tf.cond(pred=A(True), true_fn=lambda: A(1), false_fn=lambda: A(2))
tf.cond(False, lambda: (A(1), A(2)), lambda: (A(3), A(4)))
tf.while_loop(cond=lambda i: i < 3, body=lambda i: [i + 1], loop_vars=[A(0)], parallel_iterations=1)
tf.while_loop(lambda x: tf.size(x) < 4, lambda x: [tf.concat([x, x], 0)], [A([1])],
  shape_invariants=[tf.TensorShape([None])])
tf.py_function(func=lambda x: x + 1, inp=[A([1.])], Tout=tf.float32)
tf.numpy_function(func=np.sum, inp=[A([1., 2.])], Tout=tf.float32)
tf.py_function(lambda x, y: (x + y, x), [A(1), A(2)], [tf.int32, tf.int32])
tf.compat.v1.py_func(lambda x: x * 2, [A([1.])], tf.float32)
tf.TensorSpec(shape=[2], dtype=tf.int32), tf.TensorSpec(shape=(), dtype=tf.string, name='s').name
tf.RaggedTensorSpec([None, None], dtype=tf.int32).dtype
tf.TensorSpec([2], tf.int32) == tf.TensorSpec([2], tf.int32)
tf.TensorSpec([2, 3]).most_specific_compatible_type(tf.TensorSpec([2, 4]))
tf.TensorSpec([None]).is_subtype_of(tf.TensorSpec(None))
tf.ragged_fill_empty_rows_grad(A([0, 1], 'int64'), A([1., 2., 3.])), tf.dtypes.string
tf.dtypes.int64, tf.dtypes.uint8.name
tf.executing_eagerly(), tf.get_current_name_scope(), tf.__version__.split('.')[0]
tf.timestamp().dtype
"""

FAMILIES = [
    (
        "tf.<f>([2], dtype='<d>')",
        {
            "f": "zeros ones",
            "d": "float16 float64 int8 int16 uint8 uint16 uint32 uint64 complex128",
        },
    ),
    (
        "tf.fill([2], A(<v>, '<d>'))",
        {
            "v": "1",
            "d": "float16 bfloat16 int8 int16 int64 uint8 uint16 uint32 uint64 complex64 float64",
        },
    ),
    ("tf.eye(2, dtype='<d>')", {"d": "float16 bfloat16 float64 int8 int64 uint8 bool string"}),
    (
        "tf.range(<a>, dtype='<d>')",
        {
            "a": ["3", "1, 6, 2"],
            "d": "float16 bfloat16 float64 int8 int16 int64 uint16 uint32 bool string",
        },
    ),
    (
        "tf.pad(I(2, 3, dtype='<d>'), [[1, 0], [1, 1]], '<m>')",
        {"m": "CONSTANT REFLECT SYMMETRIC", "d": "int8 int64 uint8 float16 bool complex64"},
    ),
    (
        "tf.<f>(I(2, 3, dtype='<d>'), <a>)",
        {
            "f": "transpose",
            "a": "[1,0]",
            "d": "bool int8 uint16 int64 float16 bfloat16 complex128 uint64",
        },
    ),
    (
        "tf.concat([I(2, 2, dtype='<d>'), I(1, 2, seed=1, dtype='<d>')], 0)",
        {"d": "bool int8 uint16 int64 float16 bfloat16 complex128 uint64"},
    ),
]

ERRORS = """
tf.zeros([-1])
tf.zeros([2, None])
tf.zeros([1.5])
tf.zeros('a')
tf.zeros([2], dtype='nothing')
tf.fill([-1], 1)
tf.fill([[1]], 1)
tf.fill([2], [1, 2])
tf.eye(-1)
tf.linspace(0., 1., -2)
tf.range(0, 5, 0)
tf.range(A([1, 2]))
tf.range('a')
tf.reshape(R(2, 3), [4, 2])
tf.reshape(R(2, 3), [-1, -1])
tf.reshape(R(2, 3), [-1, 4])
tf.reshape(R(2, 3), [2, -3])
tf.reshape(R(2, 3), [[2, 3]])
tf.reshape(R(2, 3), [2., 3.])
tf.reshape(R(2, 3), None)
tf.expand_dims(R(2, 3), 3)
tf.expand_dims(R(2, 3), -4)
tf.expand_dims(R(2), 0.5)
tf.squeeze(R(2, 1), axis=0)
tf.squeeze(R(2, 1), axis=5)
tf.transpose(R(2, 3), [0])
tf.transpose(R(2, 3), [0, 0])
tf.transpose(R(2, 3), [0, 2])
tf.concat([R(2, 2), R(2, 3)], 0)
tf.concat([R(2, 2), R(2)], 0)
tf.concat([A([1]), A([1.])], 0)
tf.concat([R(2, 2), R(2, 2)], 2)
tf.concat([], 0)  #: any_message=True
tf.concat([A(1), A(2)], 0)
tf.stack([R(2), R(3)])
tf.stack([R(2), R(2)], axis=2)
tf.stack([A([1]), A([1.])])
tf.unstack(R(2, 3), num=3)
tf.unstack(R(2, 3), axis=2)
tf.unstack(A(1))
tf.split(R(5), 2)
tf.split(R(5), [2, 2])
tf.split(R(5), [-1, -1])
tf.split(R(5), [7, -1])
tf.split(R(4), 2, axis=1)
tf.split(R(4), 0)
tf.tile(R(2, 2), [2])
tf.tile(R(2), [-1])
tf.tile(R(2), 2)
tf.repeat(R(2, 2), [1, 2, 3], axis=0)
tf.repeat(R(2), -1)
tf.repeat(R(2, 2), 2, axis=3)
tf.pad(R(2, 2), [[1, 1]])
tf.pad(R(2), [[-1, 0]])
tf.pad(R(3), [[3, 0]], 'REFLECT')
tf.pad(R(3), [[4, 0]], 'SYMMETRIC')
tf.pad(R(3), [[1, 0]], 'MIRROR')
tf.pad(R(3), [1, 0])
tf.broadcast_to(R(2), [3])
tf.broadcast_to(R(2, 2), [2])
tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))
tf.broadcast_dynamic_shape(A([2]), A([3]))
tf.meshgrid([1], [2], indexing='yx')
tf.roll(R(3), shift=1, axis=1)
tf.roll(R(3), shift=[1, 2], axis=[0])
tf.reverse(R(2, 3), [2])
tf.reverse(R(2, 3), [0, 0])
tf.reverse_sequence(R(2, 3), [5, 1], seq_axis=1, batch_axis=0)
tf.reverse_sequence(R(2, 3), [1, 1, 1], seq_axis=1, batch_axis=0)
tf.sequence_mask([1, 2], maxlen=[3, 4])
tf.ensure_shape(R(2, 3), [2, 2])
tf.ensure_shape(R(2, 3), [6])
tf.one_hot([0.5], 2)
tf.one_hot([0], -1)
tf.one_hot([0], 2, on_value=1, off_value=0.5)
tf.one_hot([0], 2, axis=3)
tf.space_to_batch(R(1, 3, 3, 1), [2, 2], [[0, 0], [0, 0]])
tf.batch_to_space(R(3, 2, 2, 1), [2, 2], [[0, 0], [0, 0]])
tf.nn.depth_to_space(R(1, 2, 2, 3), 2)
tf.nn.space_to_depth(R(1, 3, 3, 1), 2)
tf.nn.space_to_depth(R(1, 4, 4, 1), 1)
tf.TensorShape([2, 3]).merge_with([3, 3])
tf.TensorShape([1, 2]).with_rank(3)
tf.TensorShape(None).as_list()
tf.TensorShape([2]).assert_is_compatible_with([3])
tf.TensorShape([-2])
tf.TensorShape('ab')
tf.map_fn(lambda x: x, A(1.))
tf.while_loop(lambda i: i < 5, lambda i: [i, i], [A(0)])
tf.cond(A([True, False]), lambda: 1, lambda: 2)
tf.cond(True, 1, 2)
tf.case([], default=None)
tf.range(5, 2)
tf.range(3, dtype=tf.int8)
tf.parallel_stack([R(2), R(2, seed=1)])
tf.while_loop(lambda i: i < 100, lambda i: i + 1, [A(0)], maximum_iterations=7)
"""

SNIPPETS = """
with tf.device('/CPU:0'):
    x = A([1., 2.]) + 1.
[x, x.device[-12:]]

x = A([1., 2.])
with tf.control_dependencies([x]):
    y = x + 1.
y

with tf.init_scope():
    y = tf.executing_eagerly()
y

with tf.name_scope('a'):
    first = tf.get_current_name_scope()
    with tf.name_scope('b'):
        second = tf.get_current_name_scope()
[first, second]

@tf.function
def f(x):
    total = tf.zeros([])
    for i in tf.range(4):
        if i % 2 == 0:
            total += x[i]
    return total
[f(A([1., 2., 3., 4.])), f(A([10., 20., 30., 40.]))]

@tf.function(input_signature=[tf.TensorSpec(shape=[None], dtype=tf.float32)])
def f(x):
    return tf.reduce_sum(x), tf.shape(x)
[f(A([1., 2.])), f(A([1., 2., 3.]))]

@tf.function
def f(n):
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
    return n
f(A(6))

@tf.function(autograph=False)
def f(x):
    return tf.cond(x > 0, lambda: x, lambda: -x)
[f(A(3)), f(A(-3))]

traces = []
@tf.function
def f(x):
    traces.append(1)
    return x + 1
f(A(1)), f(A(2)), f(A([1, 2])), f(3), f(3), f(4)
len(traces)

f = tf.function(lambda x: x * 2.)
g = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
[g(A([1., 2.])), g.structured_outputs.shape, g.structured_input_signature[0][0].shape]

class Money:
    def __init__(self, cents):
        self.cents = cents
tf.register_tensor_conversion_function(
    Money, lambda v, dtype=None, name=None, as_ref=False: A(v.cents, dtype))
tf.add(A([1]), Money([5]))

q = tf.queue.FIFOQueue(3, [tf.int32], shapes=[[]])
q.enqueue_many([[1, 2, 3]])
[q.dequeue(), q.size(), q.dequeue_many(2)]

#: raises=True
@tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
def f(x):
    return x
f(A([1., 2., 3.]))

#: raises=True
@tf.function
def f(x):
    return x.numpy()
f(A(1.))

#: raises=True
@tf.function
def f(x):
    if x > 0:
        y = 1
    return y
f(A(1.))
"""
