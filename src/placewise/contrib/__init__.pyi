"""Names of tf.contrib."""

from placewise.contrib import framework as framework
from placewise.contrib import layers as layers
from placewise.contrib import losses as losses
from placewise.contrib import slim as slim
from placewise.contrib import training as training
from placewise.contrib import rnn as rnn
