"""tf.quantization: numbers rounded to few bits, kept as floats."""

from placewise.ops.array.fake_quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from placewise.ops.array.fake_quantization import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from placewise.ops.array.fake_quantization import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from placewise.ops.array.fake_quantization import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from placewise.ops.array.fake_quantization import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from placewise.ops.array.fake_quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,  # noqa: E501 - the name itself is that long
)
from placewise.ops.array.quantization import quantize_and_dequantize as quantize_and_dequantize
from placewise.ops.array.quantization import (
    quantize_and_dequantize_v2 as quantize_and_dequantize_v2,
)
