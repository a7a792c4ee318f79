"""tf.distribute.experimental.partitioners: into how many pieces a variable is cut."""

from placewise.distribute.partitioners import FixedShardsPartitioner as FixedShardsPartitioner
from placewise.distribute.partitioners import MaxSizePartitioner as MaxSizePartitioner
from placewise.distribute.partitioners import MinSizePartitioner as MinSizePartitioner
from placewise.distribute.partitioners import Partitioner as Partitioner
