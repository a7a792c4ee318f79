"""tf.summary.experimental: the step of summaries that are given none, and raw messages."""

from placewise.summary.recording import get_step as get_step
from placewise.summary.recording import set_step as set_step
from placewise.summary.recording import summary_scope as summary_scope
from placewise.summary.recording import write_raw_pb as write_raw_pb
