"""Names of tf.contrib.legacy_seq2seq."""

from placewise.contrib.legacy_seq2seq.models import attention_decoder as attention_decoder
from placewise.contrib.legacy_seq2seq.models import basic_rnn_seq2seq as basic_rnn_seq2seq
from placewise.contrib.legacy_seq2seq.models import embedding_attention_decoder as embedding_attention_decoder
from placewise.contrib.legacy_seq2seq.models import embedding_attention_seq2seq as embedding_attention_seq2seq
from placewise.contrib.legacy_seq2seq.models import embedding_rnn_decoder as embedding_rnn_decoder
from placewise.contrib.legacy_seq2seq.models import embedding_rnn_seq2seq as embedding_rnn_seq2seq
from placewise.contrib.legacy_seq2seq.models import model_with_buckets as model_with_buckets
from placewise.contrib.legacy_seq2seq.models import rnn_decoder as rnn_decoder
from placewise.contrib.legacy_seq2seq.models import sequence_loss as sequence_loss
from placewise.contrib.legacy_seq2seq.models import sequence_loss_by_example as sequence_loss_by_example
from placewise.contrib.legacy_seq2seq.models import tied_rnn_seq2seq as tied_rnn_seq2seq
