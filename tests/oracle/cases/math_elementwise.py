"""Arithmetic, comparison, rounding and elementary functions, element by element."""

LINES = """
tf.add(A([1., 2.]), A([3., 4.]))
tf.add(1, 2)
tf.add(A([[1], [2]]), A([10, 20, 30]))
tf.add(A(['a', 'b']), A(['c', 'd']))
tf.add(R(2, 1, 3), R(4, 1, seed=1))
tf.add(tf.zeros([0, 3]), tf.zeros([1, 3]))
tf.add(A([1., 2.]), 1)
tf.add(x=A(1.), y=A(2.), name='plus')
tf.subtract(A([1., 2.]), A([3., 4.]))
tf.subtract(A([0], 'uint8'), A([1], 'uint8'))
tf.subtract(A(-2147483648), A(1))
tf.multiply(A([1, 2, 3]), A([4, 5, 6]))
tf.multiply(A([200], 'uint8'), A([2], 'uint8'))
tf.multiply(A([100], 'int8'), A([2], 'int8'))
tf.multiply(A(2147483647), A(2))
tf.multiply(A([-0.0, 0.0]), A([1., -1.]))  #: signed_zero=True
tf.divide(A([1, 2, 3]), A([2, 2, 2]))
tf.divide(A([1., -1., 0.]), A([0., 0., 0.]))
tf.divide(7, 2)
tf.divide(A([7, -7], 'int8'), A([2, 2], 'int8'))
tf.truediv(A([7, -7], 'int8'), A([2, 2], 'int8'))
tf.truediv(A([7, -7], 'int32'), A([2, 2], 'int32'))
tf.truediv(A([7, 5], 'uint16'), A([2, 2], 'uint16'))
tf.truediv(A([7, 5], 'int64'), 2)
tf.math.floordiv(A([7, -7, 7, -7]), A([2, 2, -2, -2]))
tf.math.floordiv(A([7., -7., 0.5]), A([2., 2., -0.2]))
tf.math.floordiv(A([7, 250], 'uint8'), A([2, 100], 'uint8'))
tf.math.floordiv(A([1., -1., 0.]), A([0., 0., 0.]))
tf.math.floormod(A([7, -7, 7, -7]), A([2, 2, -2, -2]))
tf.math.floormod(A([7.5, -7.5, 7.5, -7.5]), A([2., 2., -2., -2.]))
tf.math.floormod(A([7, -7]), 4)
tf.math.mod(A([7, -7, 7, -7]), A([3, 3, -3, -3]))
tf.math.mod(A([5., -5., inf, nan]), A([3., 3., 3., 3.]))
tf.math.floormod(A([1.]), A([0.]))
tf.math.floormod(A([3., -3.]), A([inf, inf]))
tf.truncatediv(A([7, -7, 7, -7]), A([2, 2, -2, -2]))
tf.truncatediv(A([7., -7.5]), A([2., 2.]))
tf.truncatemod(A([7, -7, 7, -7]), A([2, 2, -2, -2]))
tf.truncatemod(A([7.5, -7.5]), A([2., 2.]))
tf.realdiv(A([7., -7.]), A([2., 2.]))
tf.math.divide_no_nan(A([1., 2., 0.]), A([0., 4., 0.]))
tf.math.divide_no_nan(A([1., nan, inf]), A([0., 0., 0.]))
tf.math.divide_no_nan(A([1, 2], 'float64'), 0.)
tf.math.multiply_no_nan(A([nan, inf, 1.]), A([0., 0., 2.]))
tf.math.multiply_no_nan(A([nan]), A([2.]))
tf.math.reciprocal_no_nan(A([0., 2., -4., nan, inf]))
tf.math.reciprocal(A([2., 4., 0., -0.0]))
tf.math.scalar_mul(2., A([1., 2.]))
tf.math.scalar_mul(A(3), A([1, 2]))
tf.scalar_mul(2, A([1.5]))
tf.math.accumulate_n([A([1., 2.]), A([3., 4.]), A([5., 6.])])
tf.math.add_n([A([1., 2.]), A([3., 4.]), A([5., 6.])])
tf.add_n([A(1)])
tf.add_n([R(2, 2), R(2, 2, seed=1)], name='sum')
tf.add_n([A([1], 'int64')] * 5)
tf.math.pow(A([2., 3., -2.]), A([3., 0.5, 2.]))
tf.math.pow(A([2, 3]), A([3, 2]))
tf.math.pow(A([-8.]), A([1 / 3]))
tf.math.pow(A([0., 0., -0.0]), A([0., -1., -1.]))
tf.math.pow(2., A([1., 2., 3.]))
tf.math.pow(A([2]), A([40]))
tf.pow(A([2], 'int64'), A([40], 'int64'))
tf.pow(A([1 + 2j], 'complex64'), A([2], 'complex64'))
tf.math.squared_difference(A([1., 5.]), A([3., 2.]))
tf.math.squared_difference(A([1, 5]), A([3, 2]))
tf.math.squared_difference(A([1 + 1j]), A([2 - 1j]))
tf.math.abs(A([-1., 0., 2., -0.0, nan, -inf]))  #: signed_zero=True
tf.math.abs(A([-128, 127], 'int8'))
tf.math.abs(A([3 + 4j, -1j]))
tf.math.abs(A([3 + 4j], 'complex64'))
tf.abs(-5)
tf.math.sign(A([-3., 0., 2., nan, -0.0]))
tf.math.sign(A([-3, 0, 2]))
tf.math.sign(A([3 + 4j, 0j]))
tf.math.negative(A([1., -2., 0.]))  #: signed_zero=True
tf.math.negative(A([-128], 'int8'))
tf.negative(A([1, 2], 'int64'))
tf.math.square(A([3, -4]))
tf.math.square(A([46341]))
tf.math.square(A([1 + 2j]))
tf.math.round(A([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.6]))  #: signed_zero=True
tf.math.round(A([1, 2]))
tf.math.rint(A([0.5, 1.5, 2.5, -0.5, -1.5, nan]))
tf.math.ceil(A([0.2, -0.2, 1.0, -1.7, inf]))  #: signed_zero=True
tf.math.floor(A([0.2, -0.2, 1.0, -1.7, -inf]))
tf.math.sqrt(A([4., 2., 0., -1., inf]))
tf.math.sqrt(A([-1 + 0j, 2j]))
tf.math.rsqrt(A([4., 2., 0., -1., inf]))
tf.math.exp(A([0., 1., -inf, inf, 100., -200.]))
tf.math.exp(A([1j * 3.14159265]))
tf.math.expm1(A([1e-8, 1., -1.]))
tf.math.log(A([1., 2., 0., -1., inf, 1e-40]))
tf.math.log(A([-1 + 0j, 1j]))
tf.math.log1p(A([1e-8, 1., -1., -2.]))
tf.math.sin(A([0., 1., 100., 1e6, inf]))
tf.math.cos(A([0., 1., 100., 1e6, inf]))
tf.math.tan(A([0., 1., 1.5707963, -2.]))  #: rtol=1e-4
tf.math.asin(A([0., 1., -1., 0.3, 2.]))
tf.math.acos(A([0., 1., -1., 0.3, 2.]))
tf.math.atan(A([0., 1., -inf, inf, 30.]))
tf.math.sinh(A([0., 1., -2., 10.]))
tf.math.cosh(A([0., 1., -2., 10.]))
tf.math.tanh(A([0., 1., -20., 20., nan]))
tf.math.asinh(A([0., 1., -20., 1e5]))
tf.math.acosh(A([1., 2., 0.5, 1e5]))
tf.math.atanh(A([0., 0.5, 1., -1., 2.]))
tf.math.atan2(A([1., -1., 0., -0.0, 0.]), A([1., -1., -1., -1., 0.]))
tf.math.sigmoid(A([0., 1., -1., 100., -100., nan]))
tf.math.log_sigmoid(A([0., 1., -1., 100., -100.]))
tf.math.softplus(A([0., 1., -1., 100., -100.]))
tf.math.softsign(A([0., 1., -1., 100., -100.]))
tf.math.maximum(A([1., nan, 3., nan]), A([2., 1., nan, nan]))
tf.math.minimum(A([1., nan, 3., nan]), A([2., 1., nan, nan]))
tf.math.maximum(A([1, 5], 'int64'), 3)
tf.math.minimum(A([1, 250], 'uint8'), A([3, 4], 'uint8'))
tf.maximum(0., A([-1., 1.]))
tf.minimum(R(2, 3), R(3, seed=1))
tf.math.nextafter(A([1.0, 0.0], 'float64'), A([2.0, -1.0], 'float64'))  #: exact=True
tf.math.nextafter(A([1.0, 0.0], 'float32'), A([2.0, -1.0], 'float32'))  #: exact=True
tf.math.is_nan(A([1., nan, inf, -inf]))
tf.math.is_inf(A([1., nan, inf, -inf]))
tf.math.is_finite(A([1., nan, inf, -inf]))
tf.math.is_nan(A([1., nan], 'float16'))
tf.math.is_finite(A([1., inf], 'bfloat16'))
tf.math.equal(A([1., nan, 3.]), A([1., nan, 4.]))
tf.math.equal(A([1, 2]), A([[1], [2]]))
tf.math.equal(A(['a', 'b']), A(['a', 'c']))
tf.math.equal(A([True, False]), A([True, True]))
tf.math.equal(A([1 + 1j]), A([1 + 1j]))
tf.equal(A([1, 2]), 2)
tf.math.not_equal(A([1., nan]), A([1., nan]))
tf.math.not_equal(A(['a']), 'b')
tf.not_equal(A([1, 2, 3]), 2)
tf.math.less(A([1, 2, 3]), A([2, 2, 2]))
tf.math.less(A([nan, 1.]), A([1., nan]))
tf.math.less_equal(A([1, 2, 3]), A([2, 2, 2]))
tf.math.greater(A([1., 2., 3.]), 2)
tf.math.greater_equal(A([1, 2, 3], 'uint8'), A([2, 2, 2], 'uint8'))
tf.less(3, 4)
tf.greater_equal(R(2, 3), 0.)
tf.less_equal(A([1.], 'float16'), A([1.], 'float16'))
tf.greater(A([[1], [2]]), A([1, 2]))
tf.math.logical_and(A([True, True, False]), A([True, False, False]))
tf.math.logical_or(A([True, True, False]), False)
tf.math.logical_not(A([True, False]))
tf.math.logical_xor(A([True, True, False]), A([True, False, False]))
tf.logical_and(True, A([[True], [False]]))
tf.logical_or(B(2, 2), B(2, 2, seed=1))
tf.logical_not([True, False])
tf.clip_by_value(A([-5., 0.5, 5., nan]), -1., 1.)
tf.clip_by_value(A([-5, 0, 5]), -1, 1)
tf.clip_by_value(R(2, 3), A([-1., 0., 0.5]), 1.)
tf.clip_by_value(R(2, 2), clip_value_min=0.0, clip_value_max=0.5)
tf.clip_by_value(A([1., 5.]), 3., 2.)
tf.clip_by_norm(A([3., 4.]), 1.)
tf.clip_by_norm(A([3., 4.]), 10.)
tf.clip_by_norm(R(2, 3), 1., axes=[1])
tf.clip_by_norm(tf.zeros([3]), 1.0)
tf.clip_by_global_norm([A([3., 4.]), A([12.])], 6.5)
tf.clip_by_global_norm([A([3., 4.]), None, A([12.])], clip_norm=100.0)
tf.clip_by_global_norm([A([3., 4.])], 1.0, use_norm=A(10.))
tf.clip_by_global_norm([A([inf])], 1.0)
tf.math.polyval([A([1., 2.]), A([3., 4.]), A([5., 6.])], A([2., 3.]))
tf.math.polyval([1, 2, 3], A(2))
tf.math.xdivy(A([0., 1., 0.]), A([0., 2., nan]))
tf.math.xlogy(A([0., 1., 2.]), A([0., 2., 0.]))
tf.math.xlog1py(A([0., 1., 2.]), A([-1., 2., 0.5]))
tf.sin(A([1., 2.])), tf.cos(A([1., 2.])), tf.tan(A(0.5)), tf.tanh(A(0.5)), tf.exp(A(1.))
tf.asin(A(0.5)), tf.acos(A(0.5)), tf.atan(A(0.5)), tf.atan2(A(1.), A(2.)), tf.atanh(A(0.5))
tf.sinh(A(0.5)), tf.cosh(A(0.5)), tf.asinh(A(0.5)), tf.acosh(A(1.5)), tf.sigmoid(A(0.5))
tf.round(A(2.5)), tf.floor(A(2.5)), tf.sqrt(A(2.)), tf.square(A(3.)), tf.sign(A(-3.))
tf.compat.v1.div(A([7, -7]), A([2, 2]))
tf.compat.v1.div(A([7., -7.]), A([2., 2.]))
tf.compat.v1.floor_div(A([7, -7]), A([2, 2]))
tf.compat.v1.mod(A([7, -7]), A([3, 3]))
tf.compat.v1.div_no_nan(A([1., 2.]), A([0., 2.]))
tf.compat.v1.log(A([1., 2.])), tf.compat.v1.ceil(A([1.5])), tf.compat.v1.is_nan(A([nan]))
tf.compat.v1.to_float(A([1, 2])), tf.compat.v1.to_double(A([1, 2]))
tf.compat.v1.to_int32(A([1.7, -2.7])), tf.compat.v1.to_int64(A([1.7]))
tf.compat.v1.to_bfloat16(A([1.7]))
tf.compat.v1.floordiv(A([7, -7]), A([2, 2]))
tf.math.divide_no_nan(A([1]), A([1]))
"""

NUMERIC = (
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64"
)
FLOATING = "float16 bfloat16 float64 complex64 complex128 int32"
SMALL = "[0.25, 0.5, 0.75]"

FAMILIES = [
    (
        "tf.<f>(I(4, low=1, dtype='<d>'), I(4, seed=1, low=1, dtype='<d>'))",
        {"f": "add subtract multiply", "d": NUMERIC.replace("complex64", "bool")},
    ),
    (
        "tf.<f>(I(4, low=1, dtype='<d>'), I(4, seed=1, low=1, dtype='<d>'))",
        {
            "f": "math.floordiv math.floormod maximum less",
            "d": "float16 bfloat16 float64 int8 int16 int64 uint8 uint16 uint32 uint64",
        },
    ),
    (
        "tf.truediv(I(4, low=1, dtype='<d>'), I(4, seed=1, low=1, dtype='<d>'))",
        {"d": "float16 bfloat16 float64 int8 int16 int64 uint8 uint16 uint32 uint64"},
    ),
    (
        "tf.math.<f>(R(3, dtype='complex128'), R(3, seed=1, dtype='complex128'))",
        {"f": "add subtract multiply divide pow equal maximum floordiv"},
    ),
    (
        "tf.math.<f>(I(3, low=-5, high=5, dtype='<d>'))",
        {"f": "abs negative sign square", "d": "int8 int16 int64 float16 bfloat16 float64 uint8"},
    ),
    (
        "tf.math.<f>(A([0.25, 0.5, 0.75], '<d>'))",
        {
            "f": "exp log sqrt rsqrt sin tanh sigmoid reciprocal",
            "d": "float16 bfloat16 float64 complex128",
        },
    ),
    (
        "tf.math.<f>(A([0.25, 0.5, 0.75], '<d>'))",
        {
            "f": "expm1 log1p cos tan asin acos atan sinh cosh asinh atanh softplus softsign "
            "floor ceil rint",
            "d": "float16 float64",
        },
    ),
    ("tf.math.<f>(tf.zeros([0, 2]))", {"f": "exp abs floor is_nan sigmoid"}),
    ("tf.math.<f>(A([1, 2]))", {"f": "exp sqrt sin tanh floor sigmoid log is_nan softplus"}),
    ("tf.math.<f>(2)", {"f": "exp sqrt square negative"}),
    ("tf.math.<f>([1., 2.])", {"f": "exp sqrt square log1p tanh"}),
]

ERRORS = """
tf.add(A([1., 2.]), A([1., 2., 3.]))
tf.add(A([1.]), A([1]))
tf.add(A([1], 'int32'), A([1], 'int64'))
tf.add(A([1]), 1.5)
tf.add('a', 1)
tf.subtract(A(['a']), A(['b']))
tf.multiply(A([True]), A([False]))
tf.math.floordiv(A([1, 2]), A([0, 1]))
tf.math.floormod(A([1, 2]), A([0, 1]))
tf.truncatediv(A([1]), A([0]))
tf.math.floordiv(A([1.]), A([1]))
tf.math.pow(A([2]), A([-1]))
tf.truediv(A([1.]), A([1.], 'float64'))
tf.truediv(A(['a']), A(['b']))
tf.math.abs(A(['a']))
tf.math.sign(A([True]))
tf.math.exp(A(['a']))
tf.math.less(A(['a']), A(['b']))
tf.math.less(A([True]), A([False]))
tf.math.less(A([1j]), A([2j]))
tf.math.logical_and(A([1]), A([2]))
tf.math.logical_not(A([1.]))
tf.math.logical_xor(A([1]), A([0]))
tf.equal(A([1., 2.]), A(['a', 'b']))
tf.math.maximum(A([1.]), A([1]))
tf.math.maximum(A([1., 2.]), A([1., 2., 3.]))
tf.clip_by_value(A([1, 2]), 0.5, 1.5)
tf.clip_by_value(R(2, 3), A([0., 0.]), 1.)
tf.clip_by_norm(A([1, 2]), 1.)
tf.add_n([A([1.]), A([1., 2.])])
tf.add_n([A([1.]), A([1])])
tf.add_n([])
tf.add_n(3.)
tf.math.accumulate_n([A([1.]), A([1., 2.])])
tf.math.is_nan(A([True]))
tf.math.atan2(A([1]), A([2]))
tf.math.scalar_mul(A([1., 2.]), A([1., 2.]))
tf.math.polyval(A([1., 2.]), A(2.))
tf.math.add(A([1.]))
tf.math.add(A([1.]), None)
tf.math.sqrt(None)
tf.math.exp()
tf.clip_by_global_norm(A([3., 4.]), 1.)
tf.math.nextafter(A([1], 'int32'), A([2], 'int32'))
tf.add(2, A([1.5, 2.5]))
tf.math.reciprocal(A([2, 4, -3]))
tf.equal(1, 1.0)
"""
