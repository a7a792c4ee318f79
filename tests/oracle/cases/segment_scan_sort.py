"""Segment reductions, cumulative sums and products, sorting."""

LINES = """
tf.math.segment_sum(A([1., 2., 3., 4.]), [0, 0, 1, 3])
tf.math.segment_sum(R(4, 2), A([0, 1, 1, 2], 'int64'))
tf.math.segment_sum(data=A([1, 2]), segment_ids=A([1, 1]))
tf.math.segment_sum(tf.zeros([0, 2]), A([], 'int32'))
tf.math.segment_mean(R(4, 2), [0, 0, 1, 3])
tf.math.segment_mean(A([1., 2., 4.]), A([0, 0, 2]))
tf.math.segment_max(A([1., 2., 3., 4.]), [0, 0, 1, 3])
tf.math.segment_min(A([1., 2., 3., 4.]), [0, 0, 1, 3])
tf.math.segment_prod(A([1., 2., 3., 4.]), [0, 0, 1, 3])
tf.math.unsorted_segment_sum(A([1., 2., 3.]), [1, 0, 1], 3)
tf.math.unsorted_segment_sum(R(2, 3), [[0, 1, 0], [1, 1, 2]], num_segments=3)
tf.math.unsorted_segment_sum(A([1, 2, 3]), [0, -1, 0], 2)
tf.math.unsorted_segment_sum(R(3, 2), A([2, 0, 2], 'int64'), A(4, 'int64'))
tf.math.unsorted_segment_sum(tf.zeros([0]), A([], 'int32'), 2)
tf.math.unsorted_segment_mean(A([1., 2., 3.]), [1, 0, 1], 3)
tf.math.unsorted_segment_max(A([1., 2., 3.]), [1, 0, 1], 3)
tf.math.unsorted_segment_max(A([1, 2, 3]), [1, 0, 1], 3)
tf.math.unsorted_segment_min(A([1., 2., 3.]), [1, 0, 1], 3)
tf.math.unsorted_segment_min(A([1, 2, 3], 'int64'), [1, 0, 1], 3)
tf.math.unsorted_segment_prod(A([1., 2., 3.]), [1, 0, 1], 3)
tf.math.unsorted_segment_sqrt_n(A([1., 2., 3.]), [1, 0, 1], 3)
tf.sparse.segment_sum(R(4, 2), [0, 1, 3], [0, 0, 1])
tf.sparse.segment_sum(R(4, 2), A([0, 3]), A([0, 2]), num_segments=4)
tf.sparse.segment_mean(R(4, 2), [0, 1, 3], [0, 0, 1])
tf.sparse.segment_sqrt_n(R(4, 2), [0, 1, 3], [0, 0, 1])
tf.sparse.segment_mean(R(4, 2), [0, 1, 3], [0, 0, 3], num_segments=5)
tf.compat.v1.segment_sum(R(3), [0, 0, 1]), tf.compat.v1.unsorted_segment_sum(R(3), [0, 2, 1], 3)
tf.cumsum(A([1, 2, 3]))
tf.cumsum(R(2, 3), axis=1)
tf.cumsum(R(2, 3), axis=-2)
tf.cumsum(A([1., 2., 3.]), exclusive=True)
tf.cumsum(A([1., 2., 3.]), reverse=True)
tf.cumsum(A([1., 2., 3.]), exclusive=True, reverse=True)
tf.cumsum(tf.zeros([0]))
tf.cumsum(A([1., nan, 3.]))
tf.cumsum(A([100, 100], 'int8'))
tf.math.cumsum(x=A([[1, 2]]), axis=A(1))
tf.math.cumprod(A([1, 2, 3, 4]))
tf.math.cumprod(R(2, 3), axis=1, exclusive=True)
tf.math.cumprod(R(2, 3), axis=0, reverse=True)
tf.math.cumprod(A([2., 0., 3.]), exclusive=True, reverse=True)
tf.math.cumulative_logsumexp(R(4))
tf.math.cumulative_logsumexp(R(2, 3), axis=1, exclusive=True)
tf.math.cumulative_logsumexp(R(2, 3), axis=1, reverse=True)
tf.sort(A([3., 1., 2.]))
tf.sort(A([3, 1, 2]), direction='DESCENDING')
tf.sort(R(2, 4), axis=0)
tf.sort(R(2, 4), axis=-1, direction='DESCENDING')
tf.sort(A([3, 1, 2], 'uint8')), tf.sort(A([3, 1, 2], 'int64'), direction='DESCENDING')
tf.sort(tf.zeros([0])), tf.sort(tf.zeros([2, 0]))
tf.sort(A([1., -0.0, 0.0, -inf, inf]))
tf.argsort(A([3., 1., 2.]))
tf.argsort(A([3, 1, 2]), direction='DESCENDING')
tf.argsort(A([1, 1, 0, 0]), stable=True)
tf.argsort(R(2, 4), axis=0, direction='ASCENDING')
tf.argsort(R(2, 2, 3), axis=1, direction='DESCENDING', stable=True)
tf.argsort(A([2, 2, 2]))
tf.argsort(values=A([1.5, 0.5], 'float64'), name='order')
"""

FAMILIES = [
    (
        "tf.math.segment_<f>(I(4, 2, low=1, dtype='<d>'), [0, 0, 2, 2])",
        {"f": "sum mean max min prod", "d": "int8 int64 uint8 float16 bfloat16 float64 complex64"},
    ),
    (
        "tf.math.unsorted_segment_<f>(I(4, low=1, dtype='<d>'), [2, 0, 2, 0], 3)",
        {"f": "sum max min prod", "d": "int8 int64 uint8 float16 bfloat16 float64 complex64"},
    ),
    (
        "tf.math.<f>(I(2, 3, low=1, dtype='<d>'), axis=1)",
        {
            "f": "cumsum cumprod",
            "d": "int8 int16 int64 uint8 uint16 uint32 float16 bfloat16 float64 complex64 bool",
        },
    ),
    (
        "tf.sort(I(5, dtype='<d>'), direction='<o>')",
        {
            "d": "int8 int16 uint16 uint32 uint64 float16 bfloat16 float64",
            "o": "ASCENDING DESCENDING",
        },
    ),
    (
        "tf.<f>(R(2, 2, 3), axis=<a>, exclusive=<e>, reverse=<r>)",
        {"f": "cumsum", "a": "0 2 -2", "e": "True False", "r": "True False"},
    ),
]

ERRORS = """
tf.math.segment_sum(R(3), [0, 2, 1])
tf.math.segment_sum(R(3), [0, 1])
tf.math.segment_sum(R(3), [-1, 0, 1])
tf.math.segment_sum(R(3), [0., 1., 2.])
tf.math.segment_sum(R(3), [[0, 1, 2]])
tf.math.segment_max(A([1j]), [0])
tf.math.unsorted_segment_sum(R(3), [0, 1, 3], 3)
tf.math.unsorted_segment_sum(R(3), [0, 1], 3)
tf.math.unsorted_segment_sum(R(3), [0, 1, 1], -1)
tf.math.unsorted_segment_sum(A(['a']), [0], 1)
tf.sparse.segment_sum(R(4, 2), [0, 4], [0, 0])
tf.sparse.segment_sum(R(4, 2), [0, 1], [1, 0])
tf.sparse.segment_sum(R(4, 2), [0, 1], [0])
tf.sparse.segment_sum(R(4, 2), [0, 1], [0, 3], num_segments=2)
tf.cumsum(R(2, 3), axis=2)
tf.cumsum(A(['a']))
tf.cumsum(R(2, 3), axis=[0, 1])
tf.math.cumprod(R(2), axis=-2)
tf.math.cumulative_logsumexp(A([1, 2]))
tf.sort(A([1, 2]), direction='UP')
tf.sort(A([1, 2]), axis=1)
tf.sort(A(['a', 'b']))
tf.sort(A(1.))
tf.argsort(A([1, 2]), direction='UP')
tf.argsort(R(2, 2), axis=5)
"""
