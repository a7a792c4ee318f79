"""tf.config.gpu: memory of all GPUs of this process at once, as the guides write it."""

from placewise.devices.configuration import (
    get_per_process_memory_fraction as get_per_process_memory_fraction,
)
from placewise.devices.configuration import (
    get_per_process_memory_growth as get_per_process_memory_growth,
)
from placewise.devices.configuration import (
    set_per_process_memory_fraction as set_per_process_memory_fraction,
)
from placewise.devices.configuration import (
    set_per_process_memory_growth as set_per_process_memory_growth,
)
