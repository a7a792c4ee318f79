# The table of tf.test: one line a name, grouped by source.
from placewise.devices.test_queries import gpu_device_name as gpu_device_name
from placewise.devices.test_queries import is_built_with_cuda as is_built_with_cuda
from placewise.devices.test_queries import is_built_with_gpu_support as is_built_with_gpu_support
from placewise.devices.test_queries import is_built_with_rocm as is_built_with_rocm
from placewise.devices.test_queries import is_built_with_xla as is_built_with_xla
from placewise.devices.test_queries import is_gpu_available as is_gpu_available
from placewise.test.benchmark import Benchmark as Benchmark
from placewise.test.benchmark import benchmark_config as benchmark_config
from placewise.test.case import TestCase as TestCase
from placewise.test.case import get_temp_dir as get_temp_dir
from placewise.test.case import main as main
from placewise.test.conditions import disable_with_predicate as disable_with_predicate
from placewise.test.conditions import is_cpu_target_available as is_cpu_target_available
from placewise.test.conditions import with_eager_op_as_function as with_eager_op_as_function
from placewise.test.gradient import compute_gradient as compute_gradient
