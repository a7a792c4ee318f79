"""Names of tf.contrib.summary."""

from placewise.contrib.summary.records import all_summary_ops as all_summary_ops
from placewise.contrib.summary.records import always_record_summaries as always_record_summaries
from placewise.contrib.summary.records import audio as audio
from placewise.contrib.summary.records import create_file_writer as create_file_writer
from placewise.contrib.summary.records import eval_dir as eval_dir
from placewise.contrib.summary.records import flush as flush
from placewise.contrib.summary.records import generic as generic
from placewise.contrib.summary.records import histogram as histogram
from placewise.contrib.summary.records import image as image
from placewise.contrib.summary.records import initialize as initialize
from placewise.contrib.summary.records import never_record_summaries as never_record_summaries
from placewise.contrib.summary.records import record_summaries_every_n_global_steps as record_summaries_every_n_global_steps
from placewise.contrib.summary.records import scalar as scalar
from placewise.contrib.summary.records import should_record_summaries as should_record_summaries
from placewise.contrib.summary.records import summary_writer_initializer_op as summary_writer_initializer_op
from placewise.summary.writers import SummaryWriter as SummaryWriter
from placewise.contrib.summary.records import create_file_writer as create_summary_file_writer
