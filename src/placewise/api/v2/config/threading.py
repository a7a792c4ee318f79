"""tf.config.threading: how many threads ops use."""

from placewise.devices.configuration import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from placewise.devices.configuration import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
from placewise.devices.configuration import (
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
)
from placewise.devices.configuration import (
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
