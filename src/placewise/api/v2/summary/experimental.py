"""tf.summary.experimental: the step of summaries that are given none, and raw messages."""

from placewise.summary.records import get_step as get_step
from placewise.summary.records import set_step as set_step
from placewise.summary.records import summary_scope as summary_scope
from placewise.summary.records import write_raw_pb as write_raw_pb
