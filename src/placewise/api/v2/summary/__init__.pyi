# The table of tf.summary: one line a name.
from placewise.api.v2.summary import experimental as experimental
from placewise.summary.plugins import audio as audio
from placewise.summary.plugins import histogram as histogram
from placewise.summary.plugins import image as image
from placewise.summary.plugins import scalar as scalar
from placewise.summary.plugins import text as text
from placewise.summary.records import flush as flush
from placewise.summary.records import graph as graph
from placewise.summary.records import record_if as record_if
from placewise.summary.records import should_record_summaries as should_record_summaries
from placewise.summary.records import write as write
from placewise.summary.trace import trace_export as trace_export
from placewise.summary.trace import trace_off as trace_off
from placewise.summary.trace import trace_on as trace_on
from placewise.summary.writers import SummaryWriter as SummaryWriter
from placewise.summary.writers import create_file_writer as create_file_writer
from placewise.summary.writers import create_noop_writer as create_noop_writer
