"""Names of tf.contrib.eager."""

from placewise.contrib.eager.functions import Iterator as Iterator
from placewise.contrib.eager.functions import gradients_function as gradients_function
from placewise.contrib.eager.functions import implicit_gradients as implicit_gradients
from placewise.contrib.eager.functions import implicit_value_and_gradients as implicit_value_and_gradients
from placewise.contrib.eager.functions import in_eager_mode as in_eager_mode
from placewise.contrib.eager.functions import list_devices as list_devices
from placewise.contrib.eager.functions import num_gpus as num_gpus
from placewise.contrib.eager.functions import value_and_gradients_function as value_and_gradients_function
from placewise.api.contrib.eager import metrics as metrics
from placewise.contrib.eager.network import Network as Network
from placewise.contrib.eager.network import Sequential as Sequential
from placewise.contrib.eager.saver import Saver as Saver
from placewise.contrib.eager.saver import get_optimizer_variables as get_optimizer_variables
from placewise.autodiff.gradient_tape import GradientTape as GradientTape
from placewise.ops.state.variable import Variable as Variable
from placewise import custom_gradient as custom_gradient
from placewise import function as function
from placewise import executing_eagerly as executing_eagerly
from placewise import py_function as py_func
from placewise import TensorSpec as TensorSpec
from placewise import function as defun
from placewise.graph.defaults import enable_eager_execution as enable_eager_execution
from placewise.api.v1.app import run as run
from placewise.graph.template import make_template as make_template
from placewise.saving.checkpoint_v1 import Checkpoint as Checkpoint
