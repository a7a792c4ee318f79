"""The clusters that Kubernetes and Compute Engine list, as answered by stand-ins."""

from types import SimpleNamespace as Answer

import pytest

import placewise as tf

resolvers = tf.distribute.cluster_resolver


class Kubernetes:
    def __init__(self, **pods):
        self.pods = {label: [self.pod(*pod) for pod in listed] for label, listed in pods.items()}

    @staticmethod
    def pod(name, address, phase="Running"):
        status = Answer(phase=phase, host_ip=address)
        return Answer(metadata=Answer(name=name), status=status)

    def list_pod_for_all_namespaces(self, label_selector):
        return Answer(items=self.pods.get(label_selector.partition("=")[2], []))


def test_running_pods_are_tasks_in_the_order_of_their_names():
    client = Kubernetes(tensorflow=[("b", "10.0.0.1"), ("a", "10.0.0.2")])
    resolver = resolvers.KubernetesClusterResolver(override_client=client)
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.0.0.2:8470", "10.0.0.1:8470"]}
    assert resolver.master() == ""
    assert resolver.master("worker", 1) == "grpc://10.0.0.1:8470"
    assert (resolver.task_type, resolver.task_id, resolver.environment) == (None, None, "")


def test_jobs_have_labels_and_a_port():
    client = Kubernetes(w=[("w", "10.0.0.1")], p=[("p", "10.0.0.9")])
    labels = {"worker": ["job-name=w"], "ps": ["job-name=p", "job-name=none"]}
    resolver = resolvers.KubernetesClusterResolver(labels, 99, "x", client)
    resolver.task_type, resolver.task_id = "ps", 0
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.0.0.1:99"], "ps": ["10.0.0.9:99"]}
    assert resolver.master() == "x://10.0.0.9:99"


def test_a_pod_that_does_not_run_is_named():
    client = Kubernetes(tensorflow=[("b", "10.0.0.1", "Pending")])
    resolver = resolvers.KubernetesClusterResolver(override_client=client)
    with pytest.raises(RuntimeError, match='Pod "b" is not running; phase: "Pending"'):
        resolver.cluster_spec()


def test_without_the_client_package_the_error_says_what_to_install():
    with pytest.raises(ImportError, match="pip install kubernetes"):
        resolvers.KubernetesClusterResolver()
    with pytest.raises(ImportError, match="googleapiclient must be installed"):
        resolvers.GCEClusterResolver("p", "z", "g", 8470)


class Compute:
    """Compute Engine's answers, a page of one instance at a time."""

    group_word = "instanceGroups"

    def __init__(self, **instances):
        self.addresses, self.names = instances, list(instances)

    def instanceGroups(self):
        return self

    instances = instanceGroups

    def listInstances(self, **asked):
        if self.group_word not in asked:
            raise TypeError("unexpected keyword")
        assert asked["body"] == {"instanceState": "RUNNING"} and asked["project"] == "p"
        return self._page(0)

    def _page(self, number):
        items = [{"instance": f"https://compute/zones/z/{self.names[number]}"}]
        return Answer(number=number, execute=lambda: {"items": items})

    def listInstances_next(self, previous_request, previous_response):
        following = previous_request.number + 1
        return self._page(following) if following < len(self.names) else None

    def get(self, project, zone, instance):
        address = {"networkInterfaces": [{"networkIP": self.addresses[instance]}]}
        return Answer(execute=lambda: address)


class ComputeAsGoogleNamesIt(Compute):
    group_word = "instanceGroup"


@pytest.mark.parametrize("kind", [Compute, ComputeAsGoogleNamesIt])
def test_running_instances_of_a_group_are_tasks(kind):
    service = kind(i2="10.2.2.2", i1="10.1.1.1")
    resolver = resolvers.GCEClusterResolver("p", "z", "g", 8470, service=service)
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.1.1.1:8470", "10.2.2.2:8470"]}
    assert resolver.master() == "grpc://10.1.1.1:8470"
    resolver.task_id, resolver.rpc_layer = 1, "y"
    assert resolver.master() == "y://10.2.2.2:8470"
    with pytest.raises(RuntimeError, match="cannot reset the task_type"):
        resolver.task_type = "ps"
