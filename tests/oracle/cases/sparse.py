"""Sparse tensors: making, changing, reducing and multiplying them."""

LINES = """
SP([[0, 1], [1, 0]], [1., 2.], [2, 2])
tf.SparseTensor(indices=[[0]], values=['a'], dense_shape=[3])
tf.sparse.SparseTensor([[0, 0]], [1], [1, 2]).values, SP([[0]], [1.], [2]).dense_shape
SP([[0]], [1.], [2]).dtype
SP([[0, 1]], [1.], [2, 2]).indices, SP([[0, 1]], [1.], [2, 2]).shape
SP([[0, 1]], [1.], [2, 2]).get_shape()
SP([[0, 1]], [1.], [2, 2]).with_values(A([5.])), tf.sparse.from_dense(A([[0, 1], [2, 0]]))
tf.sparse.from_dense(A(['', 'a']))
tf.sparse.from_dense(R(2, 2)), tf.sparse.from_dense(A([0., nan]))
tf.sparse.from_dense(tf.zeros([2]))
tf.sparse.to_dense(SP([[0, 1], [1, 0]], [1., 2.], [2, 2]))
tf.sparse.to_dense(SP([[1]], [5], [3]), default_value=-1)
tf.sparse.to_dense(SP([[1]], ['a'], [2]), default_value='x')
tf.sparse.to_dense(SP([[1]], ['a'], [2]))
tf.sparse.to_dense(SP(tf.zeros([0, 2], tf.int64), A([], 'float32'), [2, 2]))
tf.sparse.to_dense(SP([[1], [0]], [1, 2], [2]), validate_indices=False)
tf.sparse.reorder(SP([[1, 0], [0, 1]], [1., 2.], [2, 2]))
tf.sparse.reshape(SP([[0, 1], [1, 0]], [1., 2.], [2, 2]), [4])
tf.sparse.reshape(SP([[0, 1], [1, 0]], [1., 2.], [2, 2]), [-1, 1])
tf.sparse.transpose(SP([[0, 1]], [1.], [2, 3]))
tf.sparse.transpose(SP([[0, 1, 0]], [1.], [2, 3, 1]), perm=[2, 0, 1])
tf.sparse.add(SP([[0]], [1.], [2]), SP([[0]], [2.], [2]))
tf.sparse.add(SP([[0]], [1.], [2]), A([1., 1.]))
tf.sparse.add(SP([[0], [1]], [1., 0.1], [2]), SP([[0]], [-1.], [2]), threshold=0.5)
tf.sparse.add(A([1.]), SP([[0]], [1.], [1]))
tf.sparse.concat(0, [SP([[0, 0]], [1], [1, 2]), SP([[0, 1]], [2], [1, 2])])
tf.sparse.concat(axis=1, sp_inputs=[SP([[0, 0]], [1], [1, 2]), SP([[0, 1]], [2], [1, 3])])
tf.sparse.concat(-1, [SP([[0, 0]], [1], [1, 2]), SP([[1, 1]], [2], [2, 3])],
  expand_nonconcat_dims=True)
tf.sparse.expand_dims(SP([[0, 1]], [1.], [2, 2]), 0)
tf.sparse.expand_dims(SP([[0, 1]], [1.], [2, 2]))
tf.sparse.eye(2), tf.sparse.eye(2, 3, dtype=tf.int32)
tf.sparse.fill_empty_rows(SP([[1, 0]], [5], [3, 2]), -1)
tf.sparse.map_values(tf.add, SP([[0]], [1.], [2]), 5.)
tf.sparse.map_values(tf.square, SP([[0], [1]], [2, 3], [2]))
tf.sparse.mask(tf.IndexedSlices(R(3, 2), A([5, 7, 9])), [7])
tf.sparse.maximum(SP([[0]], [1.], [2]), SP([[1]], [-2.], [2]))
tf.sparse.minimum(SP([[0]], [1.], [2]), SP([[0]], [-2.], [2]))
tf.sparse.reduce_sum(SP([[0, 0], [1, 1]], [1., 2.], [2, 2]))
tf.sparse.reduce_sum(SP([[0, 0], [1, 1]], [1., 2.], [2, 2]), axis=1)
tf.sparse.reduce_sum(SP([[0, 0], [1, 1]], [1, 2], [2, 2]), axis=0, keepdims=True)
tf.sparse.reduce_sum(SP([[0, 0], [1, 1]], [1., 2.], [2, 2]), axis=1, output_is_sparse=True)
tf.sparse.reduce_max(SP([[0, 0], [1, 1]], [-1., 2.], [2, 2]), axis=1)
tf.sparse.reduce_max(SP([[0]], [-1], [2]))
tf.sparse.reset_shape(SP([[0, 1]], [1.], [3, 4]))
tf.sparse.reset_shape(SP([[0, 1]], [1.], [3, 4]), [5, 5])
tf.sparse.retain(SP([[0], [1], [3]], [1, 2, 3], [4]), [True, False, True])
tf.sparse.slice(SP([[0, 0], [1, 1]], [1., 2.], [2, 2]), [1, 0], [1, 2])
tf.sparse.softmax(SP([[0, 0], [0, 1]], [1., 2.], [1, 3]))
tf.sparse.sparse_dense_matmul(SP([[0, 1], [1, 0]], [1., 2.], [2, 2]), R(2, 3))
tf.sparse.sparse_dense_matmul(SP([[0, 1]], [1.], [2, 3]), R(2, 2), adjoint_a=True)
tf.sparse.sparse_dense_matmul(SP([[0, 1]], [1.], [2, 3]), R(2, 3), adjoint_b=True)
tf.sparse.sparse_dense_matmul(R(2, 2), SP([[0, 1]], [1.], [2, 2]))
tf.sparse.sparse_dense_matmul(SP([[0, 1]], [1], [1, 2]), A([[1], [2]]))
tf.sparse.split(SP([[0, 0], [0, 3]], [1., 2.], [1, 4]), 2, axis=1)
tf.sparse.split(sp_input=SP([[0], [2]], [1, 2], [3]), num_split=2, axis=0)
tf.sparse.to_indicator(SP([[0, 0], [1, 0]], A([2, 0], 'int64'), [2, 1]), 3)
tf.sparse.bincount(A([1, 1, 3]))
tf.sparse.bincount(A([[1, 1], [2, 0]]), axis=-1)
tf.sparse.bincount(SP([[0, 0], [1, 0]], [1, 2], [2, 2]), axis=-1, minlength=4)
tf.sparse.bincount(A([[1, 1], [2, 0]]), weights=A([[1., 2.], [3., 4.]]), axis=-1)
tf.sparse.bincount(A([1, 1]), binary_output=True)
tf.sparse.cross([A([['a'], ['b']]), A([['c'], ['d']])])
tf.sparse.cross([A([['a']]), A([['c', 'd']])], separator='-')
tf.sparse.cross_hashed([A([['a'], ['b']]), A([['c'], ['d']])], num_buckets=100)
tf.sparse.cross_hashed([A([['a']])])
tf.sparse.segment_sum(R(4, 2), [0, 1, 3], [0, 0, 1])
tf.sparse.sampled_addmm(A([[0, 1], [1, 0]]), A([1., 2.]), A([2, 2]), R(2, 3), R(3, 2, seed=1))
SP([[0, 1]], [4.], [2, 2]) * A([[2., 3.], [4., 5.]])
SP([[0, 1]], [4.], [2, 2]) / A([[2., 2.], [4., 5.]])
tf.nn.embedding_lookup_sparse(R(3, 2), SP([[0, 0]], [1], [1, 1]), None, combiner='sum')
tf.sparse.to_dense(tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(SP([[0, 1], [1, 0]],
  [1., 2.], [2, 2])), tf.float32))
tf.abs(SP([[0]], [-1.], [2]))
tf.square(SP([[0]], [-3.], [2])), tf.negative(SP([[0]], [-3.], [2])), tf.sqrt(SP([[0]], [4.], [2]))
tf.tanh(SP([[0]], [0.5], [2]))
tf.zeros_like(A([1.])), tf.shape(SP([[0, 1]], [1.], [2, 3])), tf.size(SP([[0, 1]], [1.], [2, 3]))
tf.rank(SP([[0, 1]], [1.], [2, 3]))
tf.expand_dims(A([1]), 0), str(SP([[0, 1]], [1.], [2, 2]))
repr(tf.SparseTensorSpec([2, None], tf.int32))
tf.compat.v1.sparse_tensor_to_dense(SP([[1]], [5], [3]))
tf.compat.v1.sparse_to_dense([[0], [2]], [3], [1, 2])
tf.compat.v1.sparse_reduce_sum(SP([[0, 0], [1, 1]], [1., 2.], [2, 2]), 1)
tf.compat.v1.sparse_matmul(A([[1., 0.]]), A([[2.], [3.]]))
tf.compat.v1.sparse_tensor_dense_matmul(SP([[0, 1]], [1.], [2, 2]), R(2, 2))
"""

FAMILIES = [
    (
        "tf.sparse.to_dense(SP([[0], [2]], I(2, dtype='<d>'), [3]))",
        {"d": "bool int8 int64 uint8 float16 bfloat16 float64 complex64"},
    ),
    (
        "tf.sparse.from_dense(I(2, 3, high=2, dtype='<d>'))",
        {"d": "bool int8 int64 uint8 float16 float64 complex64"},
    ),
    (
        "tf.sparse.reduce_<f>(SP([[0, 0], [0, 2], [1, 1]], [1., 2., 3.], [2, 3]), "
        "axis=<a>, keepdims=<k>)",
        {"f": "sum max", "a": ["0", "-1", "None", "[0, 1]"], "k": "True False"},
    ),
    (
        "tf.sparse.sparse_dense_matmul(SP([[0, 1], [1, 0]], I(2, dtype='<d>'), [2, 2]), "
        "I(2, 2, dtype='<d>'))",
        {"d": "int64 float64 bfloat16 complex64 float16 int8"},
    ),
]

ERRORS = """
SP([[0, 1], [1, 0]], [1.], [2, 2])
SP([0, 1], [1., 2.], [2])
SP([[0, 1]], [1.], [2])
SP([[0.5]], [1.], [2])
SP([[0]], [1.], None)
tf.sparse.to_dense(SP([[1], [0]], [1, 2], [2]))
tf.sparse.to_dense(SP([[5]], [1], [2]))
tf.sparse.to_dense(SP([[0], [0]], [1, 2], [2]))
tf.sparse.to_dense(A([1.]))
tf.sparse.reshape(SP([[0, 1]], [1.], [2, 2]), [3])
tf.sparse.reshape(SP([[0, 1]], [1.], [2, 2]), [-1, -1])
tf.sparse.transpose(SP([[0, 1]], [1.], [2, 2]), perm=[0])
tf.sparse.add(SP([[0]], [1.], [2]), SP([[0]], [2.], [3]))
tf.sparse.add(SP([[0]], [1.], [2]), SP([[0]], [2], [2]))
tf.sparse.add(A([1.]), A([2.]))
tf.sparse.concat(0, [SP([[0, 0]], [1], [1, 2]), SP([[0, 0]], [1], [1, 3])])
tf.sparse.concat(5, [SP([[0, 0]], [1], [1, 2]), SP([[0, 0]], [1], [1, 2])])
tf.sparse.expand_dims(SP([[0, 1]], [1.], [2, 2]), 5)
tf.sparse.reset_shape(SP([[0, 3]], [1.], [3, 4]), [2, 2])
tf.sparse.retain(SP([[0], [1]], [1, 2], [4]), [True])
tf.sparse.sparse_dense_matmul(SP([[0, 1]], [1.], [2, 2]), R(3, 2))
tf.sparse.sparse_dense_matmul(SP([[0]], [1.], [2]), R(2, 2))
tf.sparse.sparse_dense_matmul(SP([[0, 1]], [1.], [2, 2]), R(2, 2, dtype='float64'))
tf.sparse.softmax(SP([[0]], [1.], [2]))
tf.sparse.split(SP([[0, 0]], [1.], [1, 4]), 5, axis=1)
tf.sparse.map_values(tf.add, A([1.]), 5.)
tf.sparse.bincount(A([-1]))
tf.convert_to_tensor(SP([[0]], [1.], [2]))
tf.add(SP([[0]], [1.], [2]), 1.)
SP([[0]], [1.], [2]) + 1.
SP([[0]], [1.], [2]).numpy()
tf.sparse.eye(-1)
"""
