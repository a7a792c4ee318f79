"""TensorFlow 1's ParameterServerStrategy: each worker builds its own graph, the servers are shared.

`tf.estimator.train_and_evaluate` runs it: every process calls it, and TF_CONFIG says what it is.
"""

from __future__ import annotations

from typing import Any

from placewise.core.scope import Scope, current
from placewise.devices.inventory import inventory
from placewise.distribute.one_device import OneDeviceExtended
from placewise.distribute.tf1 import Strategy
from placewise.distribute.tf_config import TFConfigClusterResolver
from placewise.graph.defaults import get_default_graph
from placewise.training.cluster import ClusterSpec
from placewise.training.device_setter import replica_device_setter


class ParameterServerExtended(OneDeviceExtended):
    """One replica on this worker; variables on the parameter servers in turn."""

    def __init__(self, cluster: ClusterSpec, worker: str) -> None:
        super().__init__((worker or inventory().default.name,))
        self._num_workers = sum(
            len(hosts) for job, hosts in cluster.as_dict().items() if job != "ps"
        )
        servers = len(cluster.as_dict().get("ps", ()))
        # Without servers the host keeps the variables.
        self._setter: Any = "/device:CPU:0"
        if servers:
            self._setter = replica_device_setter(
                ps_tasks=servers, worker_device=worker, cluster=cluster
            )

    def make_variable(self, next_creator: Any, options: Any) -> Any:
        """Make an ordinary variable, on the next server."""
        if current.interpreter is Scope.eager:
            raise NotImplementedError(
                "ParameterServerStrategy of TensorFlow 1 makes variables of graphs: build the "
                "model in a tf.Graph or an Estimator's model_fn, or use "
                "tf.distribute.ParameterServerStrategy of TensorFlow 2"
            )
        with get_default_graph().device(self._setter):
            made = next_creator(**options)
        made._distribute_strategy = self._strategy
        return made


class ParameterServerStrategy(Strategy):
    """Variables on parameter servers, a replica on each worker, which takes steps on its own.

    `cluster_resolver`: the cluster and which task this is, by default what TF_CONFIG says. Without
        a cluster everything is in this process.
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        cluster = ClusterSpec(resolver.cluster_spec() or {})
        worker = ""
        if cluster.jobs:
            if resolver.task_type is None or resolver.task_id is None:
                raise ValueError(
                    "When `cluster_spec` is given, you must also specify `task_type` and `task_id`"
                )
            worker = f"/job:{resolver.task_type}/task:{resolver.task_id}"
        self._cluster_resolver = resolver
        super().__init__(ParameterServerExtended(cluster, worker))

    @property
    def cluster_resolver(self) -> Any:
        """The cluster that it was made for."""
        return self._cluster_resolver


_HERE = "tensorflow.python.distribute.parameter_server_strategy"
ParameterServerStrategy.__module__ = _HERE
ParameterServerStrategy.__name__ = ParameterServerStrategy.__qualname__ = (
    "ParameterServerStrategyV1"
)
