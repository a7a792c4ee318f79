"""Assertions and checks of `tf.debugging`."""

LINES = """
tf.debugging.assert_equal(A([1, 2]), A([1, 2])), tf.debugging.assert_equal(1, 1, message='m')
tf.debugging.assert_none_equal(A([1, 2]), A([2, 3])), tf.debugging.assert_less(A([1]), 2)
tf.debugging.assert_less_equal(A([1, 2]), 2), tf.debugging.assert_greater(A([3]), 2)
tf.debugging.assert_greater_equal(A([3, 2]), 2), tf.debugging.assert_near(A([1.]), A([1. + 1e-7]))
tf.debugging.assert_near(A([1.]), A([1.1]), atol=0.2)
tf.debugging.assert_near(A([1.]), A([1.1]), rtol=0.2)
tf.debugging.assert_positive(A([1.])), tf.debugging.assert_negative(A([-1.]))
tf.debugging.assert_non_negative(A([0, 1])), tf.debugging.assert_non_positive(A([0, -1]))
tf.debugging.assert_rank(R(2, 3), 2), tf.debugging.assert_rank_at_least(R(2, 3), 1)
tf.debugging.assert_rank_in(R(2, 3), [2, 3]), tf.debugging.assert_scalar(A(1))
tf.debugging.assert_integer(A([1])), tf.debugging.assert_type(A([1.]), tf.float32)
tf.debugging.assert_shapes([(R(2, 3), ('N', 'M')), (R(3), ('M',))])
tf.debugging.assert_shapes({'x': ('N',)} if False else [(R(4), (4,)), (A(1), ())])
tf.debugging.assert_same_float_dtype([A(1.), A(2.)])
tf.debugging.assert_same_float_dtype(dtype=tf.float64)
tf.debugging.assert_proper_iterable([1, 2]), tf.debugging.assert_all_finite(A([1., 2.]), 'msg')
tf.debugging.check_numerics(A([1., 2.]), 'msg'), tf.debugging.is_numeric_tensor(A([1]))
tf.debugging.is_numeric_tensor(A(['a'])), tf.debugging.is_numeric_tensor([1])
tf.debugging.Assert(A(True), [A(1)]), tf.debugging.Assert(True, ['x']), tf.Assert(True, [])
tf.assert_equal(A([]), A([])), tf.assert_less(A([1]), A([2])), tf.assert_rank(A(1), 0)
tf.assert_greater(2, 1)
tf.debugging.get_log_device_placement(), tf.debugging.is_traceback_filtering_enabled()
tf.compat.v1.assert_equal(A([1]), A([1])), tf.compat.v1.assert_rank(R(2), 1)
tf.compat.v1.assert_positive(A([1]))
tf.compat.v1.verify_tensor_all_finite(A([1.]), 'm'), tf.compat.v1.check_numerics(A([1.]), 'm')
"""

FAMILIES = [
    (
        "tf.debugging.assert_<f>(A([1, 2, 3]), A([2, 2, 2]))",
        {"f": "equal none_equal less less_equal greater greater_equal"},
    ),
    (
        "tf.debugging.assert_<f>(A([1., 0., -1.]))",
        {"f": "positive negative non_negative non_positive"},
    ),
    (
        "tf.debugging.assert_<f>(A([]))",
        {"f": "positive negative non_negative non_positive integer scalar"},
    ),
]

ERRORS = """
tf.debugging.assert_equal(A([1, 2]), A([1, 3]), message='numbers differ')
tf.debugging.assert_equal(A([1, 2]), A([1, 2, 3]))
tf.debugging.assert_equal(A([1.]), A([1]))
tf.debugging.assert_equal(A(['a']), A(['b']), summarize=1)
tf.debugging.assert_near(A([1.]), A([1.1]))
tf.debugging.assert_near(A([1., nan]), A([1., nan]))
tf.debugging.assert_near(A([1]), A([2]))
tf.debugging.assert_less(A([1., nan]), A([2., 2.]))
tf.debugging.assert_rank(R(2, 3), 3)
tf.debugging.assert_rank(R(2, 3), 1, message='bad rank')
tf.debugging.assert_rank(R(2, 3), 1.5)
tf.debugging.assert_rank_at_least(R(2), 2)
tf.debugging.assert_rank_in(R(2), [0, 2])
tf.debugging.assert_scalar(R(2))
tf.debugging.assert_integer(A([1.]))
tf.debugging.assert_type(A([1]), tf.float32)
tf.debugging.assert_shapes([(R(2, 3), ('N', 'N'))])
tf.debugging.assert_shapes([(R(2, 3), ('N', 4))], message='shapes')
tf.debugging.assert_shapes([(R(2, 3), ('N',))])
tf.debugging.assert_same_float_dtype([A(1.), A(2., 'float64')])
tf.debugging.assert_same_float_dtype([A(1)])
tf.debugging.assert_proper_iterable(A([1]))
tf.debugging.assert_proper_iterable('abc')
tf.debugging.assert_proper_iterable(5)
tf.debugging.assert_all_finite(A([1., nan]), 'found nan')
tf.debugging.assert_all_finite(A([inf]), 'found inf')
tf.debugging.check_numerics(A([1., nan]), 'the message')
tf.debugging.check_numerics(A([inf, 1.]), 'the message')
tf.debugging.check_numerics(A([1]), 'the message')
tf.debugging.Assert(A(False), [A([1, 2])])
tf.debugging.Assert(False, ['some data', A(3)])
tf.Assert(A([True, False]), [A(1)])
tf.assert_equal(2, 3)
tf.assert_greater(A([1]), A([2]), 'must be greater')
tf.assert_rank(A([1]), 0)
tf.errors.InvalidArgumentError(None, None, 'text').message and tf.raw_ops.Assert(condition=False,
  data=['d'])
"""

SNIPPETS = """
tf.debugging.enable_check_numerics()
try:
    tf.math.log(A([-1.]))
    outcome = 'nothing'
except tf.errors.InvalidArgumentError as error:
    outcome = 'NaN' in str(error)
finally:
    tf.debugging.disable_check_numerics()
outcome

tf.debugging.set_log_device_placement(True)
on = tf.debugging.get_log_device_placement()
tf.debugging.set_log_device_placement(False)
[on, tf.debugging.get_log_device_placement()]

tf.debugging.disable_traceback_filtering()
off = tf.debugging.is_traceback_filtering_enabled()
tf.debugging.enable_traceback_filtering()
[off, tf.debugging.is_traceback_filtering_enabled()]
"""
