"""Where placewise answers otherwise than TensorFlow, and why: case id → reason.

Such a case must go on failing (xfail, strict): once it passes, its line here goes.
"""

_USER_CODE = "the message does not begin with 'in user code:'; the traceback shows the line"
_QUANTIZED = "tensors of quantized dtypes are not there yet"
_LAYOUT = "NCHW is computed on the CPU too, where TensorFlow refuses it"

KNOWN_DIFFERENCES: dict[str, str] = {
    "array_index:0:tf.quantization.dequantize": _QUANTIZED,
    "array_index:0:tf.cast": _QUANTIZED,
    "array_index:0:tf.quantization.quantized_concat": _QUANTIZED,
    "raw_ops:0:tf.raw_ops.QuantizeV2": _QUANTIZED,
    "gradients:12:tf.reduce_sum": "names the ranks asked for, where TensorFlow runs out of a list",
    "gradients:0:tf.constant": "watching before the tape is entered works",
    "image:0:tf.image.generate_bounding_box_proposals": "the op has no CPU kernel in TensorFlow",
    "math_elementwise:0:tf.math.log": "torch keeps a denormal; TensorFlow rounds it first",
    "nn_conv_pool:7:tf.nn.max_pool": _LAYOUT,
    "nn_conv_pool:2:tf.nn.avg_pool": _LAYOUT,
    "nn_conv_pool:21:tf.nn.max_pool2d": _LAYOUT,
    "raw_ops:0:tf.raw_ops.TopK": "the old op runs here; TensorFlow has no kernel for it any more",
    "tensor_printing:0:str_A_0_0": "-0.0 stays; TensorFlow's cache of scalars mixes it with 0.0",
    "variables:0:V_1_None": "a variable is not None, as a tensor is not",
    "array_shape:6:tf.function": _USER_CODE,
    "array_shape:7:tf.function": _USER_CODE,
}
