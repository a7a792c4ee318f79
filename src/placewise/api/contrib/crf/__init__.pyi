"""Names of tf.contrib.crf."""

from placewise.contrib.crf.chain import crf_binary_score as crf_binary_score
from placewise.contrib.crf.chain import crf_decode as crf_decode
from placewise.contrib.crf.chain import crf_log_likelihood as crf_log_likelihood
from placewise.contrib.crf.chain import crf_log_norm as crf_log_norm
from placewise.contrib.crf.chain import crf_sequence_score as crf_sequence_score
from placewise.contrib.crf.chain import crf_unary_score as crf_unary_score
from placewise.contrib.crf.chain import viterbi_decode as viterbi_decode
