"""Bit operations and complex numbers."""

LINES = """
tf.bitwise.bitwise_and(A([12, 10]), A([10, 6]))
tf.bitwise.bitwise_or(A([12, 10]), A([10, 6]))
tf.bitwise.bitwise_xor(A([12, 10]), A([10, 6]))
tf.bitwise.invert(A([0, 1, -1])), tf.bitwise.invert(A([0, 1], 'uint8'))
tf.bitwise.left_shift(A([1, 3, -1]), A([2, 31, 1]))
tf.bitwise.right_shift(A([8, -8, 7]), A([2, 1, 31]))
tf.bitwise.left_shift(A([1], 'uint8'), A([7], 'uint8'))
tf.bitwise.right_shift(A([200], 'uint8'), A([1], 'uint8'))
tf.bitwise.left_shift(A([1]), A([32])), tf.bitwise.right_shift(A([-5]), A([40]))
tf.bitwise.bitwise_and(A([[1], [2]]), A([1, 2, 3])), tf.bitwise.bitwise_and(A([5]), 4)
tf.bitwise.invert(A([], 'int32'))
tf.complex(A([1., 2.]), A([3., 4.])), tf.complex(1., 2.)
tf.complex(A(1., 'float64'), A(2., 'float64'))
tf.complex(A([1., 2.]), 0.)
tf.math.real(A([1 + 2j])), tf.math.imag(A([1 + 2j])), tf.math.real(A([1.5])), tf.math.imag(A([1.5]))
tf.math.real(A([1 + 2j], 'complex64')), tf.math.imag(A([1 + 2j], 'complex64'))
tf.math.conj(A([1 + 2j])), tf.math.conj(A([1.5])), tf.math.conj(A([1, 2]))
tf.math.angle(A([1 + 1j, -1 + 0j, 1j, -1j])), tf.math.angle(A([1., -1., 0.]))
tf.math.abs(A([3 + 4j])), tf.abs(A([1 + 1j], 'complex64')), tf.sign(A([3 + 4j]))
tf.math.sin(A([1 + 2j])), tf.math.cos(A([1 + 2j])), tf.math.tan(A([1 + 2j]))
tf.math.sinh(A([1 + 2j])), tf.math.cosh(A([1 + 2j])), tf.math.tanh(A([1 + 2j]))
tf.math.exp(A([1 + 2j])), tf.math.log(A([1 + 2j])), tf.math.sqrt(A([1 + 2j]))
tf.math.rsqrt(A([1 + 2j]))
tf.math.log1p(A([1 + 2j])), tf.math.expm1(A([1 + 2j])), tf.math.sigmoid(A([1 + 2j]))
tf.math.asin(A([0.5 + 0.5j])), tf.math.acos(A([0.5 + 0.5j])), tf.math.atan(A([0.5 + 0.5j]))
tf.math.asinh(A([0.5 + 0.5j])), tf.math.acosh(A([1.5 + 0.5j])), tf.math.atanh(A([0.5 + 0.5j]))
tf.math.reciprocal(A([1 + 2j])), tf.math.square(A([1 + 2j])), tf.negative(A([1 + 2j]))
A([1 + 2j]) * A([3 - 1j]), A([1 + 2j]) / A([3 - 1j]), A([1 + 2j]) ** 2, A([1 + 2j]) - 1
tf.equal(A([1 + 2j]), A([1 + 2j])), A([1j]) != A([1j]), tf.math.is_finite(tf.math.real(A([1j])))
tf.reduce_sum(A([1 + 2j, 3j])), tf.reduce_prod(A([1 + 2j, 3j])), tf.cumsum(A([1 + 2j, 3j]))
tf.math.divide_no_nan(A([1 + 2j, 1j]), A([0j, 1j])), tf.math.multiply_no_nan(A([1j * inf]), A([0j]))
tf.math.xlogy(A([0j, 1j]), A([0j, 2j])), tf.linalg.matmul(A([[1j]]), A([[2j]]))
tf.zeros([1], tf.complex64), tf.ones([1], tf.complex128), tf.fill([1], 1j)
tf.math.imag(A([1]))
"""

FAMILIES = [
    (
        "tf.bitwise.<f>(I(3, dtype='<d>'), I(3, seed=1, high=4, dtype='<d>'))",
        {
            "f": "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
            "d": "int8 int16 int64 uint8 uint16 uint32 uint64",
        },
    ),
    ("tf.bitwise.invert(I(3, dtype='<d>'))", {"d": "int8 int16 int64 uint8 uint16 uint32 uint64"}),
    (
        "tf.math.<f>(R(3, dtype='complex64'))",
        {"f": "exp log sqrt sin cos tanh sigmoid square reciprocal conj real imag angle abs"},
    ),
]

ERRORS = """
tf.bitwise.bitwise_and(A([1.]), A([2.]))
tf.bitwise.bitwise_and(A([1]), A([2], 'int64'))
tf.bitwise.invert(A([True]))
tf.bitwise.left_shift(A([1, 2]), A([1, 2, 3]))
tf.complex(A([1.]), A([1.], 'float64'))
tf.complex(A([1]), A([2]))
tf.complex(A([1., 2.]), A([1., 2., 3.]))
tf.math.real(A(['a']))
tf.math.angle(A([1]))
tf.math.conj(A(['a']))
tf.floor(A([1j]))
"""
