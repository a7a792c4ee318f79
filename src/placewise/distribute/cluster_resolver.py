"""tf.distribute.cluster_resolver: who is in the cluster, and which task this process is."""

from placewise.distribute.gce import GCEClusterResolver as GCEClusterResolver
from placewise.distribute.kubernetes import KubernetesClusterResolver as KubernetesClusterResolver
from placewise.distribute.kubernetes import (
    KubernetesExecutableLocation as KubernetesExecutableLocation,
)
from placewise.distribute.resolvers import ClusterResolver as ClusterResolver
from placewise.distribute.resolvers import SimpleClusterResolver as SimpleClusterResolver
from placewise.distribute.resolvers import UnionResolver as UnionResolver
from placewise.distribute.slurm import SlurmClusterResolver as SlurmClusterResolver
from placewise.distribute.tf_config import TFConfigClusterResolver as TFConfigClusterResolver
from placewise.distribute.tpu import TPUClusterResolver as TPUClusterResolver
