"""DType objects, casts between all dtypes, saturating casts."""

ALL = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 "
    "float64 complex64"
)

LINES = """
tf.cast(A([1]), np.float64), tf.cast(A([1]), float), tf.cast(A([1.5]), bool)
tf.as_dtype('string'), tf.as_dtype(tf.uint8), tf.as_dtype(np.dtype('complex64'))
tf.cast(A([1.7, -1.7]), tf.int32)
tf.cast(A([1, 0, -3]), tf.bool), tf.cast(A([0.5, 0., nan]), tf.bool)
tf.cast(A([True, False]), 'float32'), tf.cast([1, 2], tf.float64), tf.cast(3, tf.float16)
tf.cast(A([300, -1]), tf.uint8), tf.cast(A([200]), tf.int8), tf.cast(A([2**40], 'int64'), tf.int32)
tf.cast(A([1 + 2j]), tf.complex64)
tf.cast(A([1.5]), tf.complex128)
tf.cast(A([70000.]), tf.float16), tf.cast(A([1e-8]), tf.float16), tf.cast(A([3.14159]), tf.bfloat16)
tf.cast(x=A([1]), dtype=tf.dtypes.float32, name='c')
tf.cast(A(['a']), tf.string)
tf.cast(tf.zeros([0, 2]), tf.int64)
tf.cast(SP([[0]], [1.5], [2]), tf.int32)
tf.cast(RAG([[1.5], [2.5, 3.]]), tf.int64)
tf.cast(tf.IndexedSlices(R(1, 2), A([0])), tf.float64)
tf.dtypes.saturate_cast(A([300., -5., 3.7]), tf.uint8), tf.saturate_cast(A([300, -300]), tf.int8)
tf.saturate_cast(A([1e10]), tf.int32), tf.saturate_cast(A([70000.]), tf.float16)
tf.saturate_cast(A([-1], 'int64'), tf.uint32), tf.saturate_cast(A([2.5]), tf.float64)
tf.as_dtype('float32'), tf.as_dtype(np.int64), tf.as_dtype(1), tf.as_dtype(float), tf.as_dtype(bool)
tf.as_dtype('half'), tf.as_dtype('double'), tf.as_dtype('float'), tf.as_dtype(np.array([1.5]).dtype)
tf.float32.name, tf.float32.size, tf.float32.as_numpy_dtype.__name__, tf.float32.as_datatype_enum
tf.float32.max, tf.float32.min, tf.int8.max, tf.int8.min, tf.uint64.max, tf.float16.max
tf.bfloat16.max, tf.bfloat16.min
tf.float32.is_floating, tf.int32.is_integer, tf.complex64.is_complex, tf.uint8.is_unsigned
tf.bool.is_bool
tf.int32.is_floating, tf.bfloat16.is_floating, tf.qint8.is_quantized, tf.string.is_integer
tf.complex64.real_dtype, tf.complex128.real_dtype, tf.float32.real_dtype
tf.float32.base_dtype, tf.float32.is_compatible_with(tf.float32)
tf.float32.is_compatible_with('int32')
tf.uint8.limits, tf.int16.limits, tf.float32.limits, tf.bool.limits
str(tf.float32), repr(tf.float32), str(tf.string), repr(tf.variant), repr(tf.resource)
str(tf.qint8)
tf.float32 == 'float32', tf.float32 == np.float32, tf.float32 != tf.float64, tf.float32 == float
tf.float32 == None, hash(tf.float32) == hash(tf.as_dtype('float32')), tf.half == tf.float16
tf.double == tf.float64, tf.dtypes.float32 is tf.float32, isinstance(tf.int8, tf.DType)
tf.string.size, tf.bool.size, tf.complex128.size, tf.bfloat16.size, tf.qint32.size, tf.variant.size
tf.dtypes.cast(A([1]), tf.float32), tf.dtypes.complex(1., 2.), tf.dtypes.as_dtype('int8')
A([1.5]).dtype, A([1]).dtype, A([True]).dtype, A(['a']).dtype, A([1j]).dtype, A(np.float64(1)).dtype
A([1]).dtype == np.int32, A([1.]).dtype.as_numpy_dtype is np.float32
A(['a']).dtype.as_numpy_dtype is object
tf.uint8.as_numpy_dtype(5), tf.int32.as_numpy_dtype is np.int32, tf.bool.as_numpy_dtype is np.bool_
"""

FAMILIES = [
    (
        "tf.cast(A([0, 1, 3], '<a>') if '<a>' != 'bool' else A([False, True, True]), '<b>')",
        {"a": ALL, "b": ALL},
    ),
    (
        "tf.cast(A([-1.5, 2.5, 100.7], '<a>'), '<b>')",
        {
            "a": "float16 float32 float64",
            "b": "int8 int16 int32 int64 bfloat16 float16 float64 bool",
        },
    ),
    (
        "tf.cast(A([-1, 127, -128], 'int8'), '<b>')",
        {"b": "uint8 uint16 uint32 uint64 int64 float16"},
    ),
    (
        "tf.cast(A([-1, 40000, 2000000000]), '<b>')",
        {"b": "int8 uint8 int16 uint16 uint32 uint64 float16"},
    ),
    (
        "tf.saturate_cast(A([-1000., -1., 0.5, 1000., 1e6]), '<b>')",
        {"b": "int8 uint8 int16 uint16 int32 uint32 float16 float64"},
    ),
    (
        "tf.saturate_cast(A([-1000, -1, 1000, 100000]), '<b>')",
        {"b": "int8 uint8 int16 uint16 uint32 int64 float16"},
    ),
    (
        "tf.<d>.max, tf.<d>.min, tf.<d>.size, tf.<d>.as_datatype_enum, tf.<d>.is_integer",
        {"d": "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float64 complex64 string"},
    ),
]

ERRORS = """
tf.cast(A(['a']), tf.int32)
tf.cast(A([1]), tf.string)
tf.cast(A([1]), 'nothing')
tf.cast(A([1]), None)
tf.cast(None, tf.int32)
tf.saturate_cast(A(['a']), tf.int32)
tf.as_dtype('nothing')
tf.as_dtype(None)
tf.as_dtype(9999)
tf.as_dtype([1])
tf.string.max
tf.complex64.max
tf.string.limits
tf.bool.max
tf.cast(A([1.5]), int)
tf.as_dtype(int)
"""
