"""tf.summary of TensorFlow 1: ops that make summaries, and writers of event files."""

from placewise.messages import Event as Event
from placewise.messages import SessionLog as SessionLog
from placewise.messages import Summary as Summary
from placewise.messages import SummaryDescription as SummaryDescription
from placewise.messages import TaggedRunMetadata as TaggedRunMetadata
from placewise.summary.file_writer import FileWriter as FileWriter
from placewise.summary.file_writer import FileWriterCache as FileWriterCache
from placewise.summary.merging import all_v2_summary_ops as all_v2_summary_ops
from placewise.summary.merging import audio as audio
from placewise.summary.merging import get_summary_description as get_summary_description
from placewise.summary.merging import histogram as histogram
from placewise.summary.merging import image as image
from placewise.summary.merging import initialize as initialize
from placewise.summary.merging import merge as merge
from placewise.summary.merging import merge_all as merge_all
from placewise.summary.merging import scalar as scalar
from placewise.summary.merging import tensor_summary as tensor_summary
from placewise.summary.merging import text as text
