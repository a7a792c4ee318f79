"""tf.losses of TensorFlow 1."""

from placewise.layers.losses import absolute_difference as absolute_difference
from placewise.layers.losses import cosine_distance as cosine_distance
from placewise.layers.losses import hinge_loss as hinge_loss
from placewise.layers.losses import huber_loss as huber_loss
from placewise.layers.losses import log_loss as log_loss
from placewise.layers.losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from placewise.layers.losses import mean_squared_error as mean_squared_error
from placewise.layers.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from placewise.layers.losses import softmax_cross_entropy as softmax_cross_entropy
from placewise.layers.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from placewise.layers.weighted_loss import Reduction as Reduction
from placewise.layers.weighted_loss import add_loss as add_loss
from placewise.layers.weighted_loss import compute_weighted_loss as compute_weighted_loss
from placewise.layers.weighted_loss import get_losses as get_losses
from placewise.layers.weighted_loss import get_regularization_loss as get_regularization_loss
from placewise.layers.weighted_loss import get_regularization_losses as get_regularization_losses
from placewise.layers.weighted_loss import get_total_loss as get_total_loss
