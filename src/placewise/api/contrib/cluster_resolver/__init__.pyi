"""Names of tf.contrib.cluster_resolver."""

from placewise.distribute.resolvers import ClusterResolver as ClusterResolver
from placewise.distribute.gce import GCEClusterResolver as GCEClusterResolver
from placewise.distribute.kubernetes import KubernetesClusterResolver as KubernetesClusterResolver
from placewise.distribute.resolvers import SimpleClusterResolver as SimpleClusterResolver
from placewise.distribute.slurm import SlurmClusterResolver as SlurmClusterResolver
from placewise.distribute.tf_config import TFConfigClusterResolver as TFConfigClusterResolver
from placewise.distribute.tpu import TPUClusterResolver as TPUClusterResolver
from placewise.distribute.resolvers import UnionResolver as UnionClusterResolver
