"""Names of tf.contrib.losses."""

from placewise.contrib.losses.loss_ops import absolute_difference as absolute_difference
from placewise.contrib.losses.loss_ops import add_loss as add_loss
from placewise.contrib.losses.loss_ops import compute_weighted_loss as compute_weighted_loss
from placewise.contrib.losses.loss_ops import cosine_distance as cosine_distance
from placewise.contrib.losses.loss_ops import get_losses as get_losses
from placewise.contrib.losses.loss_ops import get_regularization_losses as get_regularization_losses
from placewise.contrib.losses.loss_ops import get_total_loss as get_total_loss
from placewise.contrib.losses.loss_ops import hinge_loss as hinge_loss
from placewise.contrib.losses.loss_ops import log_loss as log_loss
from placewise.contrib.losses.loss_ops import mean_pairwise_squared_error as mean_pairwise_squared_error
from placewise.contrib.losses.loss_ops import mean_squared_error as mean_squared_error
from placewise.contrib.losses.loss_ops import sigmoid_cross_entropy as sigmoid_cross_entropy
from placewise.contrib.losses.loss_ops import softmax_cross_entropy as softmax_cross_entropy
from placewise.contrib.losses.loss_ops import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
