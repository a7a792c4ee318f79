"""`GCEClusterResolver`: the cluster that an instance group of Google Compute Engine makes."""

from __future__ import annotations

from typing import Any

from placewise.distribute.resolvers import ClusterResolver, address_with
from placewise.training.cluster import ClusterSpec


class GCEClusterResolver(ClusterResolver):
    """The running instances of an instance group, all of one job.

    `service`: what answers for the Compute API; else the `google-api-python-client` package asks
        it, with `credentials`. Raises ImportError if that is not installed.
    """

    def __init__(
        self,
        project: str,
        zone: str,
        instance_group: str,
        port: int,
        task_type: Any = "worker",
        task_id: Any = 0,
        rpc_layer: str = "grpc",
        credentials: Any = "default",
        service: Any = None,
    ) -> None:
        self._service = service or _compute_service(credentials)
        self._project, self._zone, self._group, self._port = project, zone, instance_group, port
        self._task_type, self.task_id = task_type, task_id
        self.rpc_layer = rpc_layer

    @property
    def task_type(self) -> Any:
        """The job of all instances; given once."""
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        raise RuntimeError(
            "You cannot reset the task_type of the GCEClusterResolver after it has been created."
        )

    def cluster_spec(self) -> Any:
        """Return the addresses of the instances that run, in order."""
        groups = self._service.instanceGroups()
        request = self._list(groups)
        addresses: list[str] = []
        while request is not None:
            response = request.execute()
            addresses += [self._address(item["instance"]) for item in response.get("items", ())]
            request = groups.listInstances_next(
                previous_request=request, previous_response=response
            )
        return ClusterSpec({self._task_type: sorted(addresses)})

    def _list(self, groups: Any) -> Any:
        asked = {
            "project": self._project,
            "zone": self._zone,
            "body": {"instanceState": "RUNNING"},
            "orderBy": "name",
        }
        try:
            return groups.listInstances(instanceGroups=self._group, **asked)
        except TypeError:  # the API's own name of it, which stand-ins for TensorFlow do not have
            return groups.listInstances(instanceGroup=self._group, **asked)

    def _address(self, url: str) -> str:
        name = url.rpartition("/")[2]
        asked = {"project": self._project, "zone": self._zone, "instance": name}
        instance = self._service.instances().get(**asked).execute()
        return f"{instance['networkInterfaces'][0]['networkIP']}:{self._port}"

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Return the address of a task, this one's if none is named; '' if that is not known."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        address = self.cluster_spec().task_address(task_type, task_id)
        return address_with(address, rpc_layer or self.rpc_layer)


def _compute_service(credentials: Any) -> Any:
    try:
        from googleapiclient import discovery  # noqa: PLC0415 - optional, and only this resolver needs it
        from oauth2client.client import GoogleCredentials  # noqa: PLC0415 - optional, and only this resolver needs it
    except ImportError:
        raise ImportError(
            "googleapiclient must be installed before using the GCE cluster resolver: pip install "
            "google-api-python-client oauth2client, or give `service`"
        ) from None
    if credentials == "default":
        credentials = GoogleCredentials.get_application_default()
    if credentials is None:
        return discovery.build("compute", "v1")
    return discovery.build("compute", "v1", credentials=credentials)


GCEClusterResolver.__module__ = "tensorflow.python.distribute.cluster_resolver.gce_cluster_resolver"
