"""How Python, NumPy and other values become tensors, and back."""

LINES = """
tf.constant(1), tf.constant(1.5), tf.constant(True), tf.constant('a'), tf.constant(b'a')
tf.constant(1j), tf.constant([])
tf.constant([1, 2]), tf.constant([1, 2.5]), tf.constant([[1], [2]]), tf.constant((1, 2))
tf.constant([True, False]), tf.constant(['a', b'b'])
tf.constant([1, 2], tf.float32), tf.constant([1, 2], dtype='int64'), tf.constant(1.0, tf.float64)
tf.constant(3, tf.uint8), tf.constant(5, 'bfloat16')
tf.constant(0, shape=[2, 2]), tf.constant([1, 2, 3, 4], shape=[2, 2])
tf.constant(7., tf.float16, [2]), tf.constant('x', shape=[2]), tf.constant([5], shape=[3])
tf.constant(np.array([1, 2])), tf.constant(np.array([1., 2.])), tf.constant(np.float32(1.5))
tf.constant(np.int8(3)), tf.constant(np.array(['a', 'b']))
tf.constant(np.array([b'a', b'bc'])), tf.constant(np.array([1, 2], 'uint16'))
tf.constant(np.array([[True]])), tf.constant(np.zeros((0, 2))), tf.constant(np.bool_(True))
tf.constant(np.array([1, 2]), tf.int32), tf.constant(np.array([1., 2.]), tf.float32)
tf.constant(np.array([1.5, 2.]), 'float16'), tf.constant(np.array([1, 2]), 'float32')
tf.constant(np.array([1j], 'complex64')), tf.constant(2**31), tf.constant(2**40)
tf.constant([1, 2**40]), tf.constant(-2**31), tf.constant(2**31 - 1), tf.constant(-2**63)
tf.constant(1e-50), tf.constant(float('nan')), tf.constant([True, True])
tf.constant(1e40, tf.float64)
tf.constant(A([1, 2])), tf.constant([np.float32(1), np.float32(2)])
tf.constant([np.array([1, 2]), [3, 4]])
tf.constant([np.float64(1.5)]), tf.constant([np.int64(1), 2]), tf.constant(range(3))
tf.constant(np.arange(3)), tf.constant([[], []]), tf.constant([1, 0], tf.int8)
tf.constant([0.1, 0.2], tf.float64), tf.constant([1.5], tf.complex64), tf.constant(1, tf.complex128)
tf.constant([1 + 2j, 3]), tf.constant(tf.TensorShape([2, 3])), tf.constant(True, tf.bool)
tf.constant(np.array(5)), tf.constant(np.array('abc')), tf.constant(np.array([1, 2])[::-1])
tf.constant(np.ones((2, 3)).T), tf.constant(np.array([1, 2], '>i4')), tf.constant(np.float16(0.1))
tf.constant('héllo'), tf.constant(['a' * 5, '']), tf.constant([['a'], ['b']])
tf.constant(b'\\x00\\xff'), tf.constant(np.str_('a')), tf.constant(np.bytes_(b'x'))
tf.convert_to_tensor(1), tf.convert_to_tensor([1.5, 2]), tf.convert_to_tensor(np.array([1, 2]))
tf.convert_to_tensor(A([1])), tf.convert_to_tensor('a'), tf.convert_to_tensor([A(1), A(2)])
tf.convert_to_tensor([1, 2], dtype=tf.float32), tf.convert_to_tensor([1, 2], dtype_hint=tf.float64)
tf.convert_to_tensor(['a'], dtype_hint=tf.int32), tf.convert_to_tensor([1.5], dtype_hint=tf.int32)
tf.convert_to_tensor(V([1., 2.])), tf.convert_to_tensor(value=(1, 2), name='x')
tf.convert_to_tensor(np.float64(2)), tf.convert_to_tensor([[A([1, 2])], [A([3, 4])]])
tf.convert_to_tensor(tf.TensorShape([2]))
tf.convert_to_tensor(True), tf.convert_to_tensor(tf.TensorShape([2]), dtype=tf.int64)
tf.convert_to_tensor([V(1.), V(2.)]), tf.convert_to_tensor(np.array([1.5], 'float32'), tf.float32)
tf.constant([1, 2]).numpy(), tf.constant(1.5).numpy(), tf.constant('a').numpy()
tf.constant(['a']).numpy(), tf.constant(True).numpy(), tf.constant(1j).numpy()
tf.constant([]).numpy()
np.array(A([1, 2])), np.asarray(A([1.5])), np.sum(A([1., 2.])), np.add(A([1]), 1), np.array(A(5))
np.float32(A(2.)), np.array([A(1), A(2)]), np.array(A([1, 2]), dtype='float64')
int(A(3)), float(A(2.5)), bool(A(1)), complex(A(1j)), list(A([1, 2])), len(A([1, 2, 3]))
A(3).__index__(), [10, 20, 30][A(1)], bool(A([True])), float(A(3))
A([1, 2]).shape, A(1).shape, A([1, 2]).dtype, A([1, 2]).ndim, A([[1, 2]]).shape.as_list()
A([1.]).device[-5:], A([1, 2]).get_shape(), hasattr(A(1), 'numpy'), A([1, 2]).shape[0]
A([[1, 2]]).shape == (1, 2), A([1]).shape.rank, A([1, 2]).numpy().dtype.name
A(1.5).numpy().dtype.name, type(A(1.5).numpy()).__name__, type(A([1])).__name__
isinstance(A(1), tf.Tensor), A(['a']).numpy().dtype.name
np.array(tf.constant([1.5], 'bfloat16')).dtype.name
tf.constant([1.5], 'bfloat16').numpy().astype('float32'), A([1, 2]).numpy().flags.writeable
A([1, 2]).numpy() is not A([1, 2]).numpy()
tf.get_static_value(A([1, 2])), tf.get_static_value(A('a'))
tf.make_ndarray(tf.make_tensor_proto([1, 2])), tf.make_ndarray(tf.make_tensor_proto([[1.5], [2.5]]))
tf.make_ndarray(tf.make_tensor_proto('a'))
tf.make_ndarray(tf.make_tensor_proto([1, 2], dtype=tf.int64))
tf.make_ndarray(tf.make_tensor_proto(0, shape=[2, 2])), tf.make_tensor_proto([1, 2]).dtype
tf.make_ndarray(tf.make_tensor_proto([True])), tf.make_ndarray(tf.make_tensor_proto(1j))
tf.is_tensor(A(1)), tf.is_tensor([1]), tf.is_symbolic_tensor(A(1)), tf.is_tensor(RAG([[1]]))
tf.is_tensor(SP([[0]], [1], [1])), tf.is_tensor(tf.IndexedSlices(A([1]), A([0])))
tf.experimental.numpy.array([1, 2]), tf.experimental.numpy.asarray([1.5])
tf.experimental.numpy.sum(A([1., 2.])), tf.experimental.numpy.arange(3)
tf.experimental.numpy.mean(A([1., 2.]))
tf.identity(5), tf.identity(np.array([1.5])), tf.Variable(1).numpy(), tf.Variable([1.5]).dtype
tf.Variable('a').numpy(), tf.Variable(np.array([1, 2])).dtype, tf.Variable(5, dtype=tf.int64).dtype
tf.constant(-1, tf.uint8)
tf.constant(256, tf.uint8)
tf.constant(2**40, tf.int32)
"""

FAMILIES = [
    (
        "tf.constant(<v>, tf.<d>)",
        {
            "v": "1 1.5 True 'a' -1 300 1j None",
            "d": "float32 int32 bool string uint8 complex64 bfloat16 int64 float16",
        },
        {"any_message": True},
    ),
    (
        "tf.constant(<v>)",
        {
            "v": [
                "[[1, 2], [3]]",
                "[1, 'a']",
                "[1, None]",
                "None",
                "{'a': 1}",
                "[1, [2]]",
                "object()",
                "2**64",
                "[2**63]",
                "{1, 2}",
                "[1, True]",
                "['a', 1]",
                "[True, 1]",
                "[1.5, True]",
                "[1, 2j]",
                "['a', b'b']",
                "[[1], [2.5]]",
                "np.array([None])",
                "np.array([1, 'a'], dtype=object)",
                "[np.int32(1), 2.5]",
                "2**63 - 1",
            ]
        },
    ),
    (
        "tf.constant(np.array([1, 2], '<a>'), '<b>')",
        {"a": "int64 float64 int8 uint8 bool", "b": "int32 float32 float16 uint8 bool complex64"},
    ),
    (
        "tf.convert_to_tensor(A([1, 2], '<a>'), dtype='<b>')",
        {"a": "int32 float32", "b": "float32 int64 int32"},
    ),
    (
        "tf.constant(np.array([1, 0], '<d>'))",
        {
            "d": "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
            "complex64 complex128"
        },
    ),
]

ERRORS = """
tf.constant([1, 2], shape=[3])
tf.constant([1, 2, 3], shape=[2])
tf.constant(1, 'nothing')
tf.constant('a', tf.int32)
tf.constant([1.5], tf.int32)
tf.constant(A([1.5]), tf.int32)
tf.convert_to_tensor(A([1.5]), dtype=tf.int32)
tf.convert_to_tensor(None)
tf.convert_to_tensor([1, None])
tf.convert_to_tensor(object())
tf.convert_to_tensor(tf.float32)
tf.convert_to_tensor([A([1]), A([1, 2])])
tf.convert_to_tensor([A(1), A(1.5)])
tf.convert_to_tensor(V([1., 2.]), dtype=tf.int32)
tf.convert_to_tensor(tf.TensorShape([None, 2]))
tf.convert_to_tensor(['a'], dtype=tf.float32)
tf.constant(1, tf.resource)
int(A([1, 2]))
float(A('a'))
bool(A([1, 2]))
len(A(5))
list(A(5))
range(A(2.5))
A([1, 2]).foo
A([1, 2]).numpy().foo
hash(A(1))
{A(1): 1}
A(1.5).__index__()
[1, 2, 3][A([1])]
A([1, 2]).shape.foo
np.array([1, 2, 3])[A(1.5)]
tf.make_tensor_proto([1, 'a'])
tf.make_tensor_proto([1, 2, 3], shape=[2])
A([1, 2]).reshape([2, 1])
tf.constant(1e40)
tf.constant([A(1), A(2)])
tf.constant([[A(1.), 2.]])
int(A([5]))
"""
