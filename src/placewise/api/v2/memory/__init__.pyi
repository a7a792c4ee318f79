"""placewise.memory: who holds the memory of each GPU, which limits are in force, giving it back."""

from placewise.devices.budget import Budget as Budget
from placewise.devices.policy import Policy as Policy
from placewise.devices.policy import parse_policy as parse_policy
from placewise.memory.exhausted import Shortage as Shortage
from placewise.memory.snapshots import Released as Released
from placewise.memory.snapshots import Snapshot as Snapshot
from placewise.memory.snapshots import options as options
from placewise.memory.snapshots import record as record
from placewise.memory.snapshots import release_memory as release_memory
from placewise.memory.snapshots import snapshot as snapshot
