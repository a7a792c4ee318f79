"""tf.nn.rnn_cell of TensorFlow 1."""

from placewise.layers.cells import BasicRNNCell as BasicRNNCell
from placewise.layers.cells import GRUCell as GRUCell
from placewise.layers.cells import RNNCell as RNNCell
from placewise.layers.lstm_cells import BasicLSTMCell as BasicLSTMCell
from placewise.layers.lstm_cells import LSTMCell as LSTMCell
from placewise.layers.lstm_cells import LSTMStateTuple as LSTMStateTuple
from placewise.layers.wrapper_cells import DeviceWrapper as DeviceWrapper
from placewise.layers.wrapper_cells import DropoutWrapper as DropoutWrapper
from placewise.layers.wrapper_cells import MultiRNNCell as MultiRNNCell
from placewise.layers.wrapper_cells import ResidualWrapper as ResidualWrapper
