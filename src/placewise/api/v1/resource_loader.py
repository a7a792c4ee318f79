"""tf.resource_loader of TensorFlow 1: files beside a program."""

from placewise.tf1.data_files import get_data_files_path as get_data_files_path
from placewise.tf1.data_files import get_path_to_datafile as get_path_to_datafile
from placewise.tf1.data_files import (
    get_root_dir_with_all_resources as get_root_dir_with_all_resources,
)
from placewise.tf1.data_files import load_resource as load_resource
from placewise.tf1.data_files import readahead_file_path as readahead_file_path
