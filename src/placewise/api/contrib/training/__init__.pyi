"""Names of tf.contrib.training."""

from placewise.contrib.training.hparams import HParams as HParams
from placewise.contrib.training.hparams import parse_values as parse_values
from placewise.contrib.training.steps import add_gradients_summaries as add_gradients_summaries
from placewise.contrib.training.steps import clip_gradient_norms as clip_gradient_norms
from placewise.contrib.training.steps import clip_gradient_norms_fn as clip_gradient_norms_fn
from placewise.contrib.training.steps import create_train_op as create_train_op
from placewise.contrib.training.steps import multiply_gradients as multiply_gradients
from placewise.contrib.training.steps import train as train
from placewise.training.evaluation import StopAfterNEvalsHook as StopAfterNEvalsHook
from placewise.training.evaluation import SummaryAtEndHook as SummaryAtEndHook
from placewise.training.evaluation import evaluate_once as evaluate_once
from placewise.training.evaluation import evaluate_repeatedly as evaluate_repeatedly
from placewise.training.evaluation import get_or_create_eval_step as get_or_create_eval_step
from placewise.saving.checkpoint_state import checkpoints_iterator as checkpoints_iterator
from placewise.saving.checkpoint_state import wait_for_new_checkpoint as wait_for_new_checkpoint
