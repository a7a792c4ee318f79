"""Gather and scatter in all forms."""

LINES = """
tf.gather(R(4), [0, 3, 1])
tf.gather(R(3, 2), A([2, 0]), axis=0)
tf.gather(R(2, 3), [2, 0], axis=1)
tf.gather(R(2, 3), [[0, 1], [2, 0]], axis=-1)
tf.gather(R(2, 3), 1, axis=1)
tf.gather(R(2, 3), A([[2], [0]]), axis=1, batch_dims=1)
tf.gather(R(2, 3, 2), A([[2, 1], [0, 0]]), batch_dims=1)
tf.gather(R(2, 3, 2), A([[1], [0]], 'int64'), batch_dims=-1)
tf.gather(A(['a', 'b']), [1, 1])
tf.gather(params=R(3), indices=A([], 'int32'))
tf.gather(R(3), A([1, 2], 'int64'), axis=A(0))
tf.gather(R(3), A([1], 'int16'))
tf.gather([1, 2, 3], 2)
tf.gather(V([1., 2., 3.]), [2, 0])
tf.gather_nd(R(2, 3), [[0, 1], [1, 2]])
tf.gather_nd(R(2, 3), [[1], [0]])
tf.gather_nd(R(2, 3), [1, 2])
tf.gather_nd(R(2, 2, 2), [[[0, 1]], [[1, 0]]])
tf.gather_nd(R(2, 3, 2), A([[1], [2]]), batch_dims=1)
tf.gather_nd(params=A(['a', 'b']), indices=[[1]])
tf.gather_nd(R(2, 3), tf.zeros([0, 2], tf.int32))
tf.gather_nd(R(2, 3), tf.zeros([1, 0], tf.int32))
tf.scatter_nd([[0], [2]], A([5., 6.]), [4])
tf.scatter_nd([[0], [0]], A([5., 6.]), [2])
tf.scatter_nd([[1]], R(1, 3), A([2, 3]))
tf.scatter_nd(indices=[[0, 1], [1, 0]], updates=A([1, 2]), shape=[2, 2])
tf.scatter_nd(A([[1]], 'int64'), A([7]), A([3], 'int64'))
tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [2])
tf.scatter_nd([[1]], A([True]), [2])
tf.scatter_nd([[0]], A(['a']), [2])
tf.tensor_scatter_nd_add(A([1., 2., 3.]), [[0], [0], [2]], A([1., 1., 5.]))
tf.tensor_scatter_nd_sub(R(2, 2), [[1]], R(1, 2, seed=1))
tf.tensor_scatter_nd_update(R(3, 2), [[2], [0]], tf.zeros([2, 2]))
tf.tensor_scatter_nd_update(A(['a', 'b']), [[1]], ['z'])
tf.tensor_scatter_nd_update(tensor=A([1, 2, 3]), indices=[[1]], updates=[9])
tf.tensor_scatter_nd_max(A([1, 5, 3]), [[0], [1], [0]], [4, 2, 9])
tf.tensor_scatter_nd_min(A([1, 5, 3]), [[0], [1], [2]], [4, 2, 9])
tf.tensor_scatter_nd_update(R(2, 3), [[0, 1], [1, 2]], [10., 20.])
tf.compat.v1.batch_gather(R(2, 3), A([[2, 1], [0, 0]]))
tf.raw_ops.TensorScatterUpdate(tensor=A([1, 2]), indices=A([[0]]), updates=A([5]))
tf.nn.embedding_lookup(R(4, 2), [[0, 3], [1, 1]])
tf.nn.embedding_lookup(params=R(4, 2), ids=A([2], 'int64'))
tf.nn.embedding_lookup(R(4, 2), [0, 3], max_norm=1.0)
tf.nn.embedding_lookup([R(2, 2), R(2, 2, seed=1)], [0, 1, 2, 3])
tf.compat.v1.nn.embedding_lookup([R(2, 2), R(2, 2, seed=1)], [0, 1, 3], partition_strategy='div')
tf.gather_nd(R(2, 2), [[0, 0], [5, 5]], bad_indices_policy='IGNORE')
tf.tensor_scatter_nd_add(A([1., 2.]), [[0], [7]], A([1., 1.]), bad_indices_policy='IGNORE')
tf.gather(R(2, 3), [[0], [1]], axis=0, batch_dims=1)
"""

FAMILIES = [
    (
        "tf.gather(I(3, 2, dtype='<d>'), [2, 0], axis=<a>)",
        {"d": "bool int8 int64 uint8 uint16 float16 bfloat16 float64 complex64", "a": "0"},
    ),
    (
        "tf.gather(I(2, 3, 2, dtype='float32'), <i>, axis=<a>, batch_dims=<b>)",
        {"i": ["[[0, 1], [1, 0]]"], "a": "0 1 2 -1", "b": "0 1 2"},
    ),
    (
        "tf.scatter_nd([[1], [1]], I(2, low=1, dtype='<d>'), [3])",
        {"d": "int8 int64 uint8 uint16 float16 bfloat16 float64 complex64"},
    ),
    (
        "tf.tensor_scatter_nd_<f>(I(4, dtype='<d>'), [[1], [3], [1]], I(3, seed=3, dtype='<d>'))",
        {"f": "add sub max min", "d": "int8 int64 uint8 float16 float64"},
    ),
    (
        "tf.tensor_scatter_nd_<f>(R(3, 2), [[0, 1], [2, 0]], A([1., -1.]))",
        {"f": "add sub max min update"},
    ),
]

ERRORS = """
tf.gather(R(3), [3])
tf.gather(R(3), [-1])
tf.gather(R(3), [0.5])
tf.gather(R(3), [0], axis=1)
tf.gather(R(2, 3), [0], batch_dims=1)
tf.gather(R(2, 3), [[0], [1], [2]], batch_dims=1)
tf.gather(A(5.), [0])
tf.gather_nd(R(2, 3), [[2, 0]])
tf.gather_nd(R(2, 3), [[0, 0, 0]])
tf.gather_nd(R(2, 3), [[0.5]])
tf.gather_nd(R(2, 3), [[-1, 0]])
tf.scatter_nd([[5]], A([1.]), [4])
tf.scatter_nd([[-1]], A([1.]), [4])
tf.scatter_nd([[0]], A([1., 2.]), [4])
tf.scatter_nd([[0, 0]], A([1.]), [4])
tf.scatter_nd([0], A([1., 2.]), [4])
tf.tensor_scatter_nd_add(A([1., 2.]), [[2]], A([1.]))
tf.tensor_scatter_nd_update(A([1., 2.]), [[0]], A([1]))
tf.tensor_scatter_nd_update(A([1., 2.]), [[0]], A([1., 2.]))
tf.tensor_scatter_nd_max(A([1j]), [[0]], A([2j]))
tf.nn.embedding_lookup(R(4, 2), [4])
tf.nn.embedding_lookup(None, [0])
tf.nn.embedding_lookup([], [0])
"""
