"""tf.lite.constants: the dtypes that TensorFlow 1's converter is told."""

from placewise.lite.constants import FLOAT as FLOAT
from placewise.lite.constants import FLOAT16 as FLOAT16
from placewise.lite.constants import INT8 as INT8
from placewise.lite.constants import INT32 as INT32
from placewise.lite.constants import INT64 as INT64
from placewise.lite.constants import QUANTIZED_UINT8 as QUANTIZED_UINT8
from placewise.lite.constants import STRING as STRING
