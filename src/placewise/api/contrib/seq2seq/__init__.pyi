"""Names of tf.contrib.seq2seq."""

from placewise.contrib.seq2seq.attention import AttentionMechanism as AttentionMechanism
from placewise.contrib.seq2seq.attention import AttentionWrapper as AttentionWrapper
from placewise.contrib.seq2seq.attention import AttentionWrapperState as AttentionWrapperState
from placewise.contrib.seq2seq.attention import BahdanauAttention as BahdanauAttention
from placewise.contrib.seq2seq.attention import LuongAttention as LuongAttention
from placewise.contrib.seq2seq.attention import hardmax as hardmax
from placewise.contrib.seq2seq.decoders import BasicDecoder as BasicDecoder
from placewise.contrib.seq2seq.decoders import BasicDecoderOutput as BasicDecoderOutput
from placewise.contrib.seq2seq.decoders import Decoder as Decoder
from placewise.contrib.seq2seq.decoders import dynamic_decode as dynamic_decode
from placewise.contrib.seq2seq.helpers import CustomHelper as CustomHelper
from placewise.contrib.seq2seq.helpers import GreedyEmbeddingHelper as GreedyEmbeddingHelper
from placewise.contrib.seq2seq.helpers import Helper as Helper
from placewise.contrib.seq2seq.helpers import SampleEmbeddingHelper as SampleEmbeddingHelper
from placewise.contrib.seq2seq.helpers import ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper
from placewise.contrib.seq2seq.helpers import TrainingHelper as TrainingHelper
from placewise.contrib.seq2seq.loss import sequence_loss as sequence_loss
from placewise.contrib.seq2seq.helpers import tile_batch as tile_batch
from placewise.contrib.seq2seq.beam_search import BeamSearchDecoder as BeamSearchDecoder
from placewise.contrib.seq2seq.beam_search import BeamSearchDecoderOutput as BeamSearchDecoderOutput
from placewise.contrib.seq2seq.beam_search import BeamSearchDecoderState as BeamSearchDecoderState
from placewise.contrib.seq2seq.beam_search import FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput
from placewise.contrib.seq2seq.beam_search import gather_tree as gather_tree
