"""tf.nn of TensorFlow 1: neural-network functions."""

# ruff: noqa: F401 - names of a table, some under other names than at their source

from placewise.api.v1 import rnn_cell as rnn_cell
from placewise.api.v2.nn import experimental as experimental
from placewise.distribute.average_loss import compute_average_loss as compute_average_loss
from placewise.distribute.average_loss import scale_regularization_loss as scale_regularization_loss
from placewise.layers.dynamic_rnn import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from placewise.layers.dynamic_rnn import dynamic_rnn as dynamic_rnn
from placewise.layers.raw_rnn import raw_rnn as raw_rnn
from placewise.layers.static_rnn import static_bidirectional_rnn as static_bidirectional_rnn
from placewise.layers.static_rnn import static_rnn as static_rnn
from placewise.layers.static_rnn import static_state_saving_rnn as static_state_saving_rnn
from placewise.ops.math.exponential import sigmoid as sigmoid
from placewise.ops.math.exponential import softplus as softplus
from placewise.ops.math.exponential import softsign as softsign
from placewise.ops.math.statistics import zero_fraction as zero_fraction
from placewise.ops.math.trigonometric import tanh as tanh
from placewise.ops.nn.activations import elu as elu
from placewise.ops.nn.activations import leaky_relu as leaky_relu
from placewise.ops.nn.activations import relu as relu
from placewise.ops.nn.activations import relu6 as relu6
from placewise.ops.nn.activations import selu as selu
from placewise.ops.nn.activations import swish as swish
from placewise.ops.nn.batch_norm import fused_batch_norm as fused_batch_norm
from placewise.ops.nn.bias import bias_add as bias_add
from placewise.ops.nn.candidates import all_candidate_sampler as all_candidate_sampler
from placewise.ops.nn.candidates import compute_accidental_hits as compute_accidental_hits
from placewise.ops.nn.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from placewise.ops.nn.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from placewise.ops.nn.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from placewise.ops.nn.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from placewise.ops.nn.conv_functions import atrous_conv2d as atrous_conv2d
from placewise.ops.nn.conv_functions import atrous_conv2d_transpose as atrous_conv2d_transpose
from placewise.ops.nn.conv_functions import conv1d_transpose as conv1d_transpose
from placewise.ops.nn.conv_functions import conv_transpose as conv_transpose
from placewise.ops.nn.ctc_decoder import collapse_repeated as collapse_repeated
from placewise.ops.nn.ctc_decoder import ctc_beam_search_decoder as ctc_beam_search_decoder_v2
from placewise.ops.nn.ctc_decoder import ctc_greedy_decoder as ctc_greedy_decoder
from placewise.ops.nn.ctc_decoder import ctc_unique_labels as ctc_unique_labels
from placewise.ops.nn.ctc_loss import ctc_loss as ctc_loss_v2
from placewise.ops.nn.depthwise import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from placewise.ops.nn.depthwise import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_native_backprop_filter,
)
from placewise.ops.nn.depthwise import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from placewise.ops.nn.depthwise import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_native_backprop_input,
)
from placewise.ops.nn.losses import l2_loss as l2_loss
from placewise.ops.nn.losses import log_poisson_loss as log_poisson_loss
from placewise.ops.nn.moments import normalize_moments as normalize_moments
from placewise.ops.nn.pooling import avg_pool as avg_pool_v2
from placewise.ops.nn.pooling import avg_pool1d as avg_pool1d
from placewise.ops.nn.pooling import avg_pool3d as avg_pool3d
from placewise.ops.nn.pooling import max_pool as max_pool_v2
from placewise.ops.nn.pooling import max_pool1d as max_pool1d
from placewise.ops.nn.pooling import max_pool2d as max_pool2d
from placewise.ops.nn.pooling import max_pool3d as max_pool3d
from placewise.ops.nn.response_norm import (
    local_response_normalization as local_response_normalization,
)
from placewise.ops.nn.response_norm import lrn as lrn
from placewise.ops.nn.space_to_batch import with_space_to_batch as with_space_to_batch
from placewise.tf1.ops_array import depth_to_space as depth_to_space
from placewise.tf1.ops_array import space_to_batch as space_to_batch
from placewise.tf1.ops_array import space_to_depth as space_to_depth
from placewise.tf1.ops_math import in_top_k as in_top_k
from placewise.tf1.ops_math import top_k as top_k
from placewise.tf1.ops_nn import avg_pool as avg_pool
from placewise.tf1.ops_nn import avg_pool as avg_pool2d
from placewise.tf1.ops_nn import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from placewise.tf1.ops_nn import batch_normalization as batch_normalization
from placewise.tf1.ops_nn import conv1d as conv1d
from placewise.tf1.ops_nn import conv2d as conv2d
from placewise.tf1.ops_nn import conv2d_backprop_filter as conv2d_backprop_filter
from placewise.tf1.ops_nn import conv2d_backprop_input as conv2d_backprop_input
from placewise.tf1.ops_nn import conv2d_transpose as conv2d_transpose
from placewise.tf1.ops_nn import conv3d as conv3d
from placewise.tf1.ops_nn import conv3d_backprop_filter as conv3d_backprop_filter
from placewise.tf1.ops_nn import conv3d_backprop_filter as conv3d_backprop_filter_v2
from placewise.tf1.ops_nn import conv3d_transpose as conv3d_transpose
from placewise.tf1.ops_nn import convolution as convolution
from placewise.tf1.ops_nn import crelu as crelu
from placewise.tf1.ops_nn import ctc_beam_search_decoder as ctc_beam_search_decoder
from placewise.tf1.ops_nn import ctc_loss_v1 as ctc_loss
from placewise.tf1.ops_nn import depthwise_conv2d as depthwise_conv2d
from placewise.tf1.ops_nn import depthwise_conv2d_native as depthwise_conv2d_native
from placewise.tf1.ops_nn import dilation2d as dilation2d
from placewise.tf1.ops_nn import dropout as dropout
from placewise.tf1.ops_nn import embedding_lookup as embedding_lookup
from placewise.tf1.ops_nn import embedding_lookup_sparse as embedding_lookup_sparse
from placewise.tf1.ops_nn import erosion2d as erosion2d
from placewise.tf1.ops_nn import fractional_avg_pool as fractional_avg_pool
from placewise.tf1.ops_nn import fractional_max_pool as fractional_max_pool
from placewise.tf1.ops_nn import l2_normalize as l2_normalize
from placewise.tf1.ops_nn import log_softmax as log_softmax
from placewise.tf1.ops_nn import max_pool as max_pool
from placewise.tf1.ops_nn import max_pool_with_argmax as max_pool_with_argmax
from placewise.tf1.ops_nn import moments_v1 as moments
from placewise.tf1.ops_nn import nce_loss as nce_loss
from placewise.tf1.ops_nn import pool as pool
from placewise.tf1.ops_nn import relu_layer as relu_layer
from placewise.tf1.ops_nn import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from placewise.tf1.ops_nn import sampled_softmax_loss as sampled_softmax_loss
from placewise.tf1.ops_nn import separable_conv2d as separable_conv2d
from placewise.tf1.ops_nn import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from placewise.tf1.ops_nn import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from placewise.tf1.ops_nn import (
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
)
from placewise.tf1.ops_nn import softmax_v1 as softmax
from placewise.tf1.ops_nn import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from placewise.tf1.ops_nn import sufficient_statistics as sufficient_statistics
from placewise.tf1.ops_nn import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from placewise.tf1.ops_nn import weighted_moments as weighted_moments
from placewise.tf1.ops_nn import xw_plus_b as xw_plus_b
