"""tf.summary of TensorFlow 1: ops that make summaries, and writers of event files."""

from placewise.messages import Event as Event
from placewise.messages import SessionLog as SessionLog
from placewise.messages import Summary as Summary
from placewise.messages import SummaryDescription as SummaryDescription
from placewise.messages import TaggedRunMetadata as TaggedRunMetadata
from placewise.summary.file_writer import FileWriter as FileWriter
from placewise.summary.file_writer import FileWriterCache as FileWriterCache
from placewise.summary.tf1 import all_v2_summary_ops as all_v2_summary_ops
from placewise.summary.tf1 import audio as audio
from placewise.summary.tf1 import get_summary_description as get_summary_description
from placewise.summary.tf1 import histogram as histogram
from placewise.summary.tf1 import image as image
from placewise.summary.tf1 import initialize as initialize
from placewise.summary.tf1 import merge as merge
from placewise.summary.tf1 import merge_all as merge_all
from placewise.summary.tf1 import scalar as scalar
from placewise.summary.tf1 import tensor_summary as tensor_summary
from placewise.summary.tf1 import text as text
