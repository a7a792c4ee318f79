"""Convolutions, pooling and their transposes in `tf.nn`."""

LINES = """
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3, seed=1), 1, 'SAME')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3, seed=1), [1, 1, 1, 1], 'VALID')
tf.nn.conv2d(R(1, 5, 5, 1), R(2, 2, 1, 1, seed=1), strides=[1, 2, 2, 1], padding='SAME')
tf.nn.conv2d(R(1, 5, 4, 1), R(2, 3, 1, 2, seed=1), strides=(2, 1), padding='VALID')
tf.nn.conv2d(R(1, 6, 6, 1), R(2, 2, 1, 1, seed=1), 1, 'VALID', dilations=2)
tf.nn.conv2d(R(1, 6, 6, 1), R(2, 2, 1, 1, seed=1), 1, 'SAME', dilations=[1, 2, 1, 1])
tf.nn.conv2d(R(1, 3, 3, 1), R(2, 2, 1, 1, seed=1), 1, [[0, 0], [1, 2], [0, 1], [0, 0]])
tf.nn.conv2d(R(1, 3, 3, 4), R(2, 2, 2, 2, seed=1), 1, 'VALID')
tf.nn.conv2d(R(1, 3, 3, 1, dtype='float64'), R(2, 2, 1, 1, seed=1, dtype='float64'), 1, 'SAME')
tf.nn.conv2d(R(1, 3, 3, 1, dtype='float16'), R(2, 2, 1, 1, seed=1, dtype='float16'), 1, 'SAME')
tf.nn.conv2d(R(1, 3, 3, 1, dtype='bfloat16'), R(2, 2, 1, 1, seed=1, dtype='bfloat16'), 1, 'SAME')
tf.nn.conv2d(I(1, 3, 3, 1), I(2, 2, 1, 1, seed=1), 1, 'SAME')
tf.nn.conv2d(tf.zeros([0, 3, 3, 1]), R(2, 2, 1, 1), 1, 'SAME')
tf.nn.conv2d(R(2, 2, 3, 3, 1), R(2, 2, 1, 1, seed=1), 1, 'VALID')
tf.nn.conv2d(R(1, 1, 1, 2), R(3, 3, 2, 1, seed=1), 1, 'SAME')
tf.nn.conv2d(input=R(1, 3, 3, 1), filters=R(1, 1, 1, 2), strides=1, padding='SAME',
  data_format='NHWC')
tf.nn.conv1d(R(1, 5, 2), R(3, 2, 2, seed=1), 1, 'SAME')
tf.nn.conv1d(R(1, 5, 2), R(3, 2, 2, seed=1), stride=2, padding='VALID')
tf.nn.conv1d(R(1, 6, 1), R(2, 1, 1, seed=1), 1, 'VALID', dilations=2)
tf.nn.conv1d(R(2, 2, 5, 1), R(3, 1, 1, seed=1), 1, 'SAME')
tf.nn.conv3d(R(1, 3, 3, 3, 1), R(2, 2, 2, 1, 2, seed=1), [1, 1, 1, 1, 1], 'SAME')
tf.nn.conv3d(R(1, 3, 3, 3, 1), R(2, 2, 2, 1, 1, seed=1), [1, 1, 1, 1, 1], 'VALID')
tf.nn.conv3d(R(1, 4, 4, 4, 1), R(2, 2, 2, 1, 1, seed=1), [1, 2, 2, 2, 1], padding='SAME')
tf.nn.depthwise_conv2d(R(1, 3, 3, 2), R(2, 2, 2, 2, seed=1), [1, 1, 1, 1], 'SAME')
tf.nn.depthwise_conv2d(R(1, 4, 4, 1), R(2, 2, 1, 2, seed=1), [1, 2, 2, 1], 'VALID')
tf.nn.depthwise_conv2d(R(1, 5, 5, 1), R(2, 2, 1, 1, seed=1), [1, 1, 1, 1], 'VALID', dilations=[2,
  2])
tf.nn.depthwise_conv2d(R(1, 3, 3, 1), R(2, 2, 1, 1, seed=1), [1, 1, 1, 1], [[0, 0], [1, 1], [2, 0],
  [0, 0]])
tf.nn.separable_conv2d(R(1, 3, 3, 2), R(2, 2, 2, 1, seed=1), R(1, 1, 2, 3, seed=2), [1, 1, 1, 1],
  'SAME')
tf.nn.separable_conv2d(R(1, 4, 4, 1), R(2, 2, 1, 2, seed=1), R(1, 1, 2, 1, seed=2), [1, 2, 2, 1],
  padding='VALID')
tf.nn.conv2d_transpose(R(1, 2, 2, 2), R(3, 3, 1, 2, seed=1), [1, 4, 4, 1], 2)
tf.nn.conv2d_transpose(R(1, 2, 2, 1), R(2, 2, 1, 1, seed=1), output_shape=[1, 3, 3, 1], strides=1,
  padding='VALID')
tf.nn.conv2d_transpose(R(1, 2, 3, 1), R(2, 2, 1, 1, seed=1), A([1, 4, 5, 1]), strides=[1, 2, 2, 1],
  padding='SAME')
tf.nn.conv1d_transpose(R(1, 3, 2), R(3, 1, 2, seed=1), [1, 6, 1], 2)
tf.nn.conv1d_transpose(R(1, 3, 1), R(2, 1, 1, seed=1), [1, 4, 1], strides=1, padding='VALID')
tf.nn.conv3d_transpose(R(1, 2, 2, 2, 1), R(2, 2, 2, 1, 1, seed=1), [1, 4, 4, 4, 1], 2)
tf.nn.conv_transpose(R(1, 2, 2, 2), R(3, 3, 1, 2, seed=1), [1, 4, 4, 1], 2)
tf.nn.atrous_conv2d(R(1, 5, 5, 1), R(2, 2, 1, 1, seed=1), 2, 'VALID')
tf.nn.atrous_conv2d(R(1, 4, 4, 1), R(2, 2, 1, 1, seed=1), rate=2, padding='SAME')
tf.nn.atrous_conv2d_transpose(R(1, 3, 3, 1), R(2, 2, 1, 1, seed=1), [1, 5, 5, 1], 2, 'VALID')
tf.nn.convolution(R(1, 4, 4, 1), R(2, 2, 1, 2, seed=1))
tf.nn.convolution(R(1, 4, 4, 1), R(2, 2, 1, 2, seed=1), strides=2, padding='SAME')
tf.nn.convolution(R(1, 5, 1), R(2, 1, 2, seed=1), padding='VALID', dilations=2)
tf.nn.convolution(R(1, 3, 3, 3, 1), R(2, 2, 2, 1, 1, seed=1), padding='VALID')
tf.nn.convolution(R(1, 5, 5, 1), R(2, 2, 1, 1, seed=1), padding='SAME', dilations=[2, 1])
tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 1], R(2, 2, 1, 1), R(1, 3, 3, 1), [1, 1, 1, 1],
  'SAME')
tf.nn.depthwise_conv2d_backprop_filter(R(1, 3, 3, 1), [2, 2, 1, 1], R(1, 3, 3, 1), [1, 1, 1, 1],
  'SAME')
tf.nn.dilation2d(R(1, 4, 4, 1), R(2, 2, 1, seed=1), [1, 1, 1, 1], 'VALID', 'NHWC', [1, 1, 1, 1])
tf.nn.dilation2d(R(1, 4, 4, 1), R(2, 2, 1, seed=1), [1, 2, 2, 1], 'SAME', 'NHWC', [1, 1, 1, 1])
tf.nn.erosion2d(R(1, 4, 4, 1), R(2, 2, 1, seed=1), [1, 1, 1, 1], 'VALID', 'NHWC', [1, 1, 1, 1])
tf.nn.max_pool(R(1, 4, 4, 2), 2, 2, 'VALID')
tf.nn.max_pool(R(1, 5, 5, 1), [1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
tf.nn.max_pool(R(1, 5, 2), 2, 2, 'SAME')
tf.nn.max_pool(R(1, 3, 3, 3, 1), 2, 1, 'VALID')
tf.nn.max_pool2d(R(1, 4, 4, 1), ksize=3, strides=1, padding='SAME')
tf.nn.max_pool2d(R(1, 3, 3, 1), 2, 1, [[0, 0], [1, 0], [0, 1], [0, 0]])
tf.nn.max_pool2d(input=I(1, 4, 4, 1), ksize=[2, 2], strides=[2, 2], padding='VALID')
tf.nn.max_pool1d(R(1, 5, 2), 2, 1, 'VALID')
tf.nn.max_pool3d(R(1, 4, 4, 4, 1), 2, 2, 'VALID')
tf.nn.avg_pool(R(1, 4, 4, 2), 2, 2, 'VALID')
tf.nn.avg_pool(R(1, 5, 5, 1), ksize=2, strides=2, padding='SAME')
tf.nn.avg_pool2d(R(1, 3, 3, 1), 3, 1, 'SAME')
tf.nn.avg_pool1d(R(1, 5, 2), 2, 1, 'SAME')
tf.nn.avg_pool3d(R(1, 4, 4, 4, 1), 2, 2, 'VALID')
tf.nn.avg_pool3d(R(1, 3, 3, 3, 1), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'SAME')
tf.nn.max_pool_with_argmax(R(1, 4, 4, 2), 2, 2, 'VALID')
tf.nn.max_pool_with_argmax(R(2, 4, 4, 1), 2, 2, 'SAME', include_batch_in_index=True)
tf.nn.max_pool_with_argmax(R(1, 3, 3, 1), 2, 1, 'SAME', output_dtype=tf.int32)
tf.nn.max_pool(A([[[[nan], [1.]], [[2.], [3.]]]]), 2, 2, 'VALID')
tf.nn.pool(R(1, 4, 4, 1), [2, 2], 'MAX')
tf.nn.pool(R(1, 4, 4, 1), [2, 2], 'AVG', strides=[2, 2], padding='SAME')
tf.nn.pool(R(1, 5, 5, 1), [2, 2], 'MAX', dilations=[2, 2], padding='VALID')
tf.nn.pool(R(1, 5, 1), [2], pooling_type='AVG')
tf.nn.fractional_max_pool(R(1, 4, 4, 1), 1.5, seed=3)
tf.nn.fractional_avg_pool(R(1, 4, 4, 1), [1.0, 1.4, 1.4, 1.0], pseudo_random=True,
  overlapping=True, seed=3)
tf.nn.bias_add(R(2, 3), A([1., 2., 3.]))
tf.nn.bias_add(R(1, 2, 2, 3), A([1., 2., 3.]), data_format='NHWC')
tf.nn.bias_add(R(1, 3, 2, 2), A([1., 2., 3.]), data_format='NCHW')
tf.nn.bias_add(R(1, 3, 2), A([1., 2., 3.]), 'NC..')
tf.nn.bias_add(I(2, 3), A([1, 2, 3]))
tf.nn.with_space_to_batch(R(1, 4, 4, 1), [2, 2], 'VALID', lambda x, num, pad: x * 2.,
  filter_shape=[1, 1])
tf.compat.v1.nn.conv2d(R(1, 3, 3, 1), R(2, 2, 1, 1), strides=[1, 1, 1, 1], padding='SAME')
tf.compat.v1.nn.max_pool(R(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
tf.compat.v1.nn.avg_pool(value=R(1, 4, 4, 1), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
  padding='SAME')
tf.compat.v1.nn.conv2d_backprop_input([1, 3, 3, 1], R(2, 2, 1, 1), R(1, 3, 3, 1), [1, 1, 1, 1],
  'SAME')
tf.compat.v1.nn.conv2d_backprop_filter(R(1, 3, 3, 1), [2, 2, 1, 1], R(1, 3, 3, 1), [1, 1, 1, 1],
  'SAME')
tf.compat.v1.nn.depthwise_conv2d_native(R(1, 3, 3, 1), R(2, 2, 1, 1), [1, 1, 1, 1], 'SAME')
tf.raw_ops.Conv2DBackpropInput(input_sizes=[1, 4, 4, 1], filter=R(2, 2, 1, 1), out_backprop=R(1, 2,
  2, 1), strides=[1, 2, 2, 1], padding='VALID')
tf.raw_ops.MaxPoolGrad(orig_input=R(1, 4, 4, 1), orig_output=tf.nn.max_pool2d(R(1, 4, 4, 1), 2, 2,
  'VALID'), grad=R(1, 2, 2, 1, seed=3), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID')
tf.raw_ops.AvgPoolGrad(orig_input_shape=[1, 4, 4, 1], grad=R(1, 2, 2, 1), ksize=[1, 2, 2, 1],
  strides=[1, 2, 2, 1], padding='VALID')
tf.raw_ops.Conv2D(input=R(1, 4, 4, 1), filter=R(3, 3, 1, 1), strides=[1, 1, 1, 1],
  padding='EXPLICIT', explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0])
tf.nn.conv2d(R(1, 2, 2, 1), R(3, 3, 1, 1), 1, 'VALID')
tf.nn.conv2d_transpose(R(1, 2, 2, 2), R(3, 3, 1, 2), [4, 4], 2)
tf.nn.max_pool(R(1, 4, 4, 2), 5, 2, 'VALID')
tf.nn.max_pool(input=R(1, 4, 4, 1), ksize=2, strides=2, padding='VALID')
tf.nn.depthwise_conv2d(R(1, 3, 3, 1), R(2, 2, 1, 1), strides=[1, 1, 1, 1], padding='SAME')
tf.conv(R(1, 3, 3, 1), R(2, 2, 1, 1), [1, 1, 1, 1], 'VALID')
tf.compat.v1.nn.conv2d(R(1, 3, 3, 1), filter=R(2, 2, 1, 1), strides=[1, 1, 1, 1], padding='SAME')
"""

FAMILIES = [
    (
        "tf.nn.conv2d(R(1, 5, 6, 2), R(<k>, <k>, 2, 1, seed=1), <s>, '<p>', dilations=<d>)",
        {"k": "1 2 3", "s": "1 2", "p": "SAME VALID", "d": "1 2"},
    ),
    (
        "tf.nn.<f>2d(R(1, 5, 4, 1), <k>, <s>, '<p>')",
        {"f": "max_pool avg_pool", "k": "1 2 3", "s": "1 2 3", "p": "SAME VALID"},
    ),
    (
        "tf.nn.<f>(R(1, 2, 4, 4), 2, 2, 'VALID', data_format='NCHW')",
        {"f": "max_pool avg_pool max_pool2d"},
    ),
    (
        "tf.nn.conv2d(R(1, 2, 4, 4), R(2, 2, 2, 1, seed=1), 1, '<p>', data_format='NCHW')",
        {"p": "SAME VALID"},
    ),
    (
        "tf.nn.<f>_pool2d(I(1, 4, 4, 1, dtype='<d>'), 2, 2, 'VALID')",
        {"f": "max avg", "d": "float16 bfloat16 float64 int8 uint8 int64 int32"},
    ),
    (
        "tf.nn.conv1d_transpose(R(1, 3, 1), R(<k>, 1, 1, seed=1), [1, <n>, 1], <s>, '<p>')",
        {"k": "2 3", "n": "3 6", "s": "1 2", "p": "SAME VALID"},
    ),
    (
        "tf.nn.conv2d_transpose(R(1, 3, 3, 1), R(<k>, <k>, 1, 1, seed=1), [1, <n>, <n>, "
        "1], <s>, '<p>')",
        {"k": "2 3", "n": "3 5 6", "s": "1 2", "p": "SAME VALID"},
    ),
    (
        "tf.nn.depthwise_conv2d(R(1, 5, 5, 2), R(<k>, <k>, 2, 1, seed=1), [1, <s>, <s>, 1], '<p>')",
        {"k": "1 2 3", "s": "1 2", "p": "SAME VALID"},
    ),
    (
        "tf.nn.pool(R(1, 5, 5, 1), [2, 2], '<t>', padding='<p>', dilations=<d>)",
        {"t": "MAX AVG", "p": "SAME VALID", "d": ["[1, 1]", "[2, 1]"]},
    ),
]

ERRORS = """
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 3, 3), 1, 'SAME')
tf.nn.conv2d(R(4, 4, 2), R(3, 3, 2, 3), 1, 'SAME')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2), 1, 'SAME')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3), 1, 'FULL')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3), 0, 'SAME')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3), [2, 1, 1, 1], 'SAME')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3), [1, 2, 3], 'SAME')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3, dtype='float64'), 1, 'SAME')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3), 1, 'SAME', data_format='HWNC')
tf.nn.conv2d(R(1, 4, 4, 2), R(3, 3, 2, 3), 1, 'SAME', dilations=0)
tf.nn.conv2d(R(1, 4, 4, 1), R(3, 3, 1, 1), 1, [[0, 0], [-1, 0], [0, 0], [0, 0]])
tf.nn.conv2d(R(1, 4, 4, 1), R(3, 3, 1, 1), 1, [[1, 1], [1, 0], [0, 0], [0, 0]])
tf.nn.conv1d(R(1, 5), R(3, 1, 1), 1, 'SAME')
tf.nn.conv3d(R(1, 3, 3, 3, 1), R(2, 2, 2, 2, 1), [1, 1, 1, 1, 1], 'SAME')
tf.nn.conv3d(R(1, 3, 3, 3, 1), R(2, 2, 2, 1, 1), [1, 1, 1], 'SAME')
tf.nn.depthwise_conv2d(R(1, 3, 3, 2), R(2, 2, 3, 1), [1, 1, 1, 1], 'SAME')
tf.nn.depthwise_conv2d(R(1, 3, 3, 2), R(2, 2, 2, 1), [1, 1], 'SAME')
tf.nn.separable_conv2d(R(1, 3, 3, 2), R(2, 2, 2, 1), R(1, 1, 3, 3), [1, 1, 1, 1], 'SAME')
tf.nn.conv2d_transpose(R(1, 2, 2, 2), R(3, 3, 1, 3), [1, 4, 4, 1], 2)
tf.nn.conv2d_transpose(R(1, 2, 2, 2), R(3, 3, 1, 2), [1, 9, 9, 1], 2)
tf.nn.conv2d_transpose(R(1, 2, 2, 2), R(3, 3, 1, 2), [1, 4, 4, 2], 2)
tf.nn.conv2d_transpose(R(1, 2, 2, 2), R(3, 3, 1, 2), [1, 4, 4, 1], 2, padding='HALF')
tf.nn.convolution(R(1, 4, 4, 1), R(2, 2, 2, 2))
tf.nn.convolution(R(4, 4), R(2, 2))
tf.nn.convolution(R(1, 4, 4, 1), R(2, 2, 1, 2), strides=2, padding='SAME', dilations=2)
tf.nn.max_pool(R(1, 4, 4, 2), 2, 2, 'HALF')
tf.nn.max_pool(R(1, 4, 4, 2), 0, 2, 'VALID')
tf.nn.max_pool(R(1, 4, 4, 2), 2, 0, 'VALID')
tf.nn.max_pool(R(4, 4), 2, 2, 'VALID')
tf.nn.max_pool2d(R(4, 4, 1), 2, 2, 'VALID')
tf.nn.max_pool2d(R(1, 4, 4, 1), [1, 2, 2], 2, 'VALID')
tf.nn.max_pool2d(R(1, 4, 4, 1), 2, 2, [[0, 0], [2, 2], [0, 0], [0, 0]])
tf.nn.avg_pool2d(R(1, 4, 4, 1), 2, 2, 'VALID', data_format='XYZ')
tf.nn.avg_pool2d(A([[[['a']]]]), 1, 1, 'VALID')
tf.nn.pool(R(1, 4, 4, 1), [2, 2], 'SUM')
tf.nn.pool(R(1, 4, 4, 1), [2], 'MAX')
tf.nn.pool(R(1, 4, 4, 1), [2, 2], 'MAX', strides=[2, 2], dilations=[2, 2])
tf.nn.bias_add(R(2, 3), A([1., 2.]))
tf.nn.bias_add(R(2, 3), R(3, 1))
tf.nn.bias_add(R(3), R(3))
tf.nn.bias_add(R(2, 3), R(3), data_format='CHWN')
tf.nn.dilation2d(R(1, 4, 4, 1), R(2, 2, 1), [1, 1, 1, 1], 'VALID', 'NCHW', [1, 1, 1, 1])
tf.nn.fractional_max_pool(R(1, 4, 4, 1), 0.5)
tf.conv2d_backprop_filter_v2(R(1, 3, 3, 1), R(2, 2, 1, 1), R(1, 2, 2, 1), [1, 1, 1, 1], 'VALID')
tf.conv2d_backprop_input_v2(R(1, 3, 3, 1), R(2, 2, 1, 1), R(1, 2, 2, 1), [1, 1, 1, 1], 'VALID')
"""
