"""Names of tf.contrib."""

from placewise.contrib import data as data
from placewise.contrib import distribute as distribute
from placewise.contrib import eager as eager
from placewise.contrib import framework as framework
from placewise.contrib import layers as layers
from placewise.contrib import learn as learn
from placewise.contrib import lookup as lookup
from placewise.contrib import losses as losses
from placewise.contrib import metrics as metrics
from placewise.contrib import opt as opt
from placewise.contrib import rnn as rnn
from placewise.contrib import slim as slim
from placewise.contrib import tensorboard as tensorboard
from placewise.contrib import training as training
from placewise.contrib import util as util
from placewise.contrib import seq2seq as seq2seq
from placewise.contrib import legacy_seq2seq as legacy_seq2seq
from placewise.contrib import crf as crf
