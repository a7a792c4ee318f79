"""tf.dtypes: the data types, and changing from one to another."""

from placewise.api.v2.dtypes import experimental as experimental
from placewise.core.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from placewise.core.dtypes import DType as DType
from placewise.core.dtypes import as_dtype as as_dtype
from placewise.core.dtypes import bfloat16 as bfloat16
from placewise.core.dtypes import bool as bool
from placewise.core.dtypes import complex64 as complex64
from placewise.core.dtypes import complex128 as complex128
from placewise.core.dtypes import double as double
from placewise.core.dtypes import float16 as float16
from placewise.core.dtypes import float32 as float32
from placewise.core.dtypes import float64 as float64
from placewise.core.dtypes import half as half
from placewise.core.dtypes import int8 as int8
from placewise.core.dtypes import int16 as int16
from placewise.core.dtypes import int32 as int32
from placewise.core.dtypes import int64 as int64
from placewise.core.dtypes import qint8 as qint8
from placewise.core.dtypes import qint16 as qint16
from placewise.core.dtypes import qint32 as qint32
from placewise.core.dtypes import quint8 as quint8
from placewise.core.dtypes import quint16 as quint16
from placewise.core.dtypes import resource as resource
from placewise.core.dtypes import string as string
from placewise.core.dtypes import uint8 as uint8
from placewise.core.dtypes import uint16 as uint16
from placewise.core.dtypes import uint32 as uint32
from placewise.core.dtypes import uint64 as uint64
from placewise.core.dtypes import variant as variant
from placewise.ops.math.cast import cast as cast
from placewise.ops.math.cast import saturate_cast as saturate_cast
from placewise.ops.math.complex_numbers import to_complex as complex  # noqa: F401
