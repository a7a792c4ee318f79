"""tf.io of TensorFlow 1: files, images, examples, records and tensors read and written."""

from placewise.api.v2.io import gfile as gfile
from placewise.ops.image.decode import decode_bmp as decode_bmp
from placewise.ops.image.decode import decode_gif as decode_gif
from placewise.ops.image.decode import decode_image as decode_image
from placewise.ops.image.decode import decode_png as decode_png
from placewise.ops.image.jpeg import decode_and_crop_jpeg as decode_and_crop_jpeg
from placewise.ops.image.jpeg import decode_jpeg as decode_jpeg
from placewise.ops.image.jpeg import encode_jpeg as encode_jpeg
from placewise.ops.image.jpeg import extract_jpeg_shape as extract_jpeg_shape
from placewise.ops.image.jpeg import is_jpeg as is_jpeg
from placewise.ops.io.features import FixedLenFeature as FixedLenFeature
from placewise.ops.io.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from placewise.ops.io.features import SparseFeature as SparseFeature
from placewise.ops.io.features import VarLenFeature as VarLenFeature
from placewise.ops.io.files import match_filenames_once as match_filenames_once
from placewise.ops.io.files import matching_files as matching_files
from placewise.ops.io.files import read_file as read_file
from placewise.ops.io.files import write_file as write_file
from placewise.ops.io.json_examples import decode_json_example as decode_json_example
from placewise.ops.io.raw import decode_compressed as decode_compressed
from placewise.ops.io.records import TFRecordOptions as TFRecordOptions
from placewise.ops.io.records import TFRecordWriter as TFRecordWriter
from placewise.ops.io.records import tf_record_iterator as tf_record_iterator
from placewise.ops.io.sequence_examples import parse_sequence_example as parse_sequence_example
from placewise.ops.io.sequence_examples import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from placewise.ops.io.tensors import deserialize_many_sparse as deserialize_many_sparse
from placewise.ops.io.tensors import parse_tensor as parse_tensor
from placewise.ops.io.tensors import serialize_tensor as serialize_tensor
from placewise.ops.strings.base64 import decode_base64 as decode_base64
from placewise.ops.strings.base64 import encode_base64 as encode_base64
from placewise.saving.meta_graph import write_graph as write_graph
from placewise.tf1.ops_io import decode_csv as decode_csv
from placewise.tf1.ops_io import decode_raw as decode_raw
from placewise.tf1.ops_io import parse_example as parse_example
from placewise.tf1.ops_io import parse_single_example as parse_single_example
from placewise.tf1.ops_io import serialize_many_sparse as serialize_many_sparse
from placewise.tf1.ops_io import serialize_sparse as serialize_sparse
