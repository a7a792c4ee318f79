"""`KubernetesClusterResolver`: the cluster that the pods of some labels make."""

from __future__ import annotations

import enum
from typing import Any

from placewise.distribute.resolvers import ClusterResolver, address_with
from placewise.training.cluster import ClusterSpec


class KubernetesExecutableLocation(enum.Enum):
    """Where the program runs: in a pod of the cluster, or outside of it."""

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


class KubernetesClusterResolver(ClusterResolver):
    """The running pods that Kubernetes lists for the labels of each job.

    `job_to_label_mapping`: label selectors by job, `{"worker": ["job-name=tensorflow"]}` if none
        are given.
    `override_client`: what answers `list_pod_for_all_namespaces`; else the `kubernetes` package
        asks the API server. Raises ImportError if that is not installed.
    """

    def __init__(
        self,
        job_to_label_mapping: Any = None,
        tf_server_port: int = 8470,
        rpc_layer: str = "grpc",
        override_client: Any = None,
        executable_location: Any = KubernetesExecutableLocation.WITHIN_CLUSTER,
    ) -> None:
        self._client = override_client or _api_client(executable_location)
        self._labels = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port = tf_server_port
        self.task_type, self.task_id = None, None
        self.rpc_layer = rpc_layer

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Return the address of a task, this one's if none is named; '' if that is not known."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        address = self.cluster_spec().task_address(task_type, task_id)
        return address_with(address, rpc_layer or self.rpc_layer)

    def cluster_spec(self) -> Any:
        """Return the pods of each job, by name; raise RuntimeError for one that does not run."""
        return ClusterSpec({job: self._addresses(labels) for job, labels in self._labels.items()})

    def _addresses(self, labels: Any) -> list[str]:
        addresses = []
        for label in labels:
            pods = self._client.list_pod_for_all_namespaces(label_selector=label).items
            for pod in sorted(pods, key=lambda pod: pod.metadata.name):
                if pod.status.phase != "Running":
                    raise RuntimeError(
                        f'Pod "{pod.metadata.name}" is not running; phase: "{pod.status.phase}"'
                    )
                addresses.append(f"{pod.status.host_ip}:{self._port}")
        return addresses


def _api_client(location: Any) -> Any:
    try:
        from kubernetes import client, config  # noqa: PLC0415 - optional, and only this resolver needs it
    except ImportError:
        raise ImportError(
            "The Kubernetes Python client must be installed before using the Kubernetes Cluster "
            "Resolver. To install the Kubernetes Python client, run `pip install kubernetes` on "
            "your command line."
        ) from None
    if location is KubernetesExecutableLocation.WITHIN_CLUSTER:
        config.load_incluster_config()
    elif location is KubernetesExecutableLocation.OFF_CLUSTER:
        config.load_kube_config()
    else:
        raise ValueError(
            f"executable_location must be a KubernetesExecutableLocation, got {location!r}"
        )
    return client.CoreV1Api()


_HERE = "tensorflow.python.distribute.cluster_resolver.kubernetes_cluster_resolver"
KubernetesExecutableLocation.__name__ = "ExecutableLocation"
for _kind in (KubernetesClusterResolver, KubernetesExecutableLocation):
    _kind.__module__ = _HERE
