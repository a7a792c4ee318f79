"""Names of tf.contrib."""

from placewise.api.contrib import cluster_resolver as cluster_resolver
from placewise.api.contrib import data as data
from placewise.api.contrib import distribute as distribute
from placewise.api.contrib import eager as eager
from placewise.api.contrib import framework as framework
from placewise.api.contrib import layers as layers
from placewise.api.contrib import learn as learn
from placewise.api.contrib import lookup as lookup
from placewise.api.contrib import losses as losses
from placewise.api.contrib import metrics as metrics
from placewise.api.contrib import opt as opt
from placewise.api.contrib import rnn as rnn
from placewise.api.contrib import slim as slim
from placewise.api.contrib import tensorboard as tensorboard
from placewise.api.contrib import training as training
from placewise.api.contrib import util as util
from placewise.api.contrib import seq2seq as seq2seq
from placewise.api.contrib import legacy_seq2seq as legacy_seq2seq
from placewise.api.contrib import crf as crf
from placewise.api.contrib import distributions as distributions
from placewise.api.contrib import predictor as predictor
from placewise.api.contrib import summary as summary
from placewise.api.contrib import tfprof as tfprof
from placewise.api.v2 import keras as keras
from placewise.api.contrib import factorization as factorization
from placewise.api.contrib import quantize as quantize
