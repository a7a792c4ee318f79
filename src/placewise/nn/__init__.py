"""tf.nn: neural network functions, in TF 2 spelling."""

from placewise.ops.math.exponential import sigmoid as sigmoid
from placewise.ops.math.exponential import softplus as softplus
from placewise.ops.math.exponential import softsign as softsign
from placewise.ops.math.statistics import l2_normalize as l2_normalize
from placewise.ops.math.statistics import zero_fraction as zero_fraction
from placewise.ops.math.trigonometric import tanh as tanh
from placewise.ops.nn.activations import crelu as crelu
from placewise.ops.nn.activations import elu as elu
from placewise.ops.nn.activations import gelu as gelu
from placewise.ops.nn.activations import leaky_relu as leaky_relu
from placewise.ops.nn.activations import relu as relu
from placewise.ops.nn.activations import relu6 as relu6
from placewise.ops.nn.activations import selu as selu
from placewise.ops.nn.activations import silu as silu
from placewise.ops.nn.activations import swish as swish
from placewise.ops.nn.bias import bias_add as bias_add
from placewise.ops.nn.conv_functions import atrous_conv2d as atrous_conv2d
from placewise.ops.nn.conv_functions import atrous_conv2d_transpose as atrous_conv2d_transpose
from placewise.ops.nn.conv_functions import conv1d as conv1d
from placewise.ops.nn.conv_functions import conv1d_transpose as conv1d_transpose
from placewise.ops.nn.conv_functions import conv2d as conv2d
from placewise.ops.nn.conv_functions import conv2d_transpose as conv2d_transpose
from placewise.ops.nn.conv_functions import conv3d as conv3d
from placewise.ops.nn.conv_functions import conv3d_transpose as conv3d_transpose
from placewise.ops.nn.conv_functions import conv_transpose as conv_transpose
from placewise.ops.nn.conv_functions import convolution as convolution
from placewise.ops.nn.depthwise import depthwise_conv2d as depthwise_conv2d
from placewise.ops.nn.depthwise import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from placewise.ops.nn.depthwise import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from placewise.ops.nn.depthwise import separable_conv2d as separable_conv2d
from placewise.ops.nn.losses import l2_loss as l2_loss
from placewise.ops.nn.losses import log_poisson_loss as log_poisson_loss
from placewise.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from placewise.ops.nn.losses import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from placewise.ops.nn.losses import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from placewise.ops.nn.losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from placewise.ops.nn.pooling import avg_pool as avg_pool
from placewise.ops.nn.pooling import avg_pool1d as avg_pool1d
from placewise.ops.nn.pooling import avg_pool2d as avg_pool2d
from placewise.ops.nn.pooling import avg_pool3d as avg_pool3d
from placewise.ops.nn.pooling import max_pool as max_pool
from placewise.ops.nn.pooling import max_pool1d as max_pool1d
from placewise.ops.nn.pooling import max_pool2d as max_pool2d
from placewise.ops.nn.pooling import max_pool3d as max_pool3d
from placewise.ops.nn.pooling import max_pool_with_argmax as max_pool_with_argmax
from placewise.ops.nn.pooling import pool as pool
from placewise.ops.nn.softmax import log_softmax as log_softmax
from placewise.ops.nn.softmax import softmax as softmax
