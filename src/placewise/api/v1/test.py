"""tf.test of TensorFlow 1: test cases, gradients checked, what runs here."""

from unittest import mock as mock

from placewise.devices.test_queries import gpu_device_name as gpu_device_name
from placewise.devices.test_queries import is_built_with_cuda as is_built_with_cuda
from placewise.devices.test_queries import is_built_with_gpu_support as is_built_with_gpu_support
from placewise.devices.test_queries import is_built_with_rocm as is_built_with_rocm
from placewise.devices.test_queries import is_gpu_available as is_gpu_available
from placewise.test.benchmark import Benchmark as Benchmark
from placewise.test.case import get_temp_dir as get_temp_dir
from placewise.test.case import main as main
from placewise.tf1.gradient_check import compute_gradient as compute_gradient
from placewise.tf1.gradient_check import compute_gradient_error as compute_gradient_error
from placewise.tf1.test_case import TestCase as TestCase
from placewise.tf1.test_places import (
    StubOutForTesting as StubOutForTesting,
)
from placewise.tf1.test_places import (
    assert_equal_graph_def as assert_equal_graph_def,
)
from placewise.tf1.test_places import create_local_cluster as create_local_cluster
from placewise.tf1.test_places import test_src_dir_path as test_src_dir_path
