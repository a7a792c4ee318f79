"""Clusters that a program describes itself."""

from .looking import brief, look


def test_a_cluster_in_the_program_is_judged_as_one_in_the_environment() -> None:
    text = """
    import json, os
    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 2}}
    )
    """
    assert brief(look(text)) == [("tf-config-index", "program.py:3")]
    assert brief(look("import os\nos.environ['TF_CONFIG'] = '{'\n")) == [
        ("tf-config-json", "program.py:2")
    ]


def test_a_cluster_that_is_computed_is_not_judged() -> None:
    text = "import json, os\nos.environ['TF_CONFIG'] = json.dumps({'cluster': make()})\n"
    assert look(text) == []


def test_two_servers_at_one_address() -> None:
    text = """
    import tensorflow as tf
    spec = tf.train.ClusterSpec({"ps": ["a:2222"], "worker": ["a:2222", "b:2222"]})
    """
    assert brief(look(text)) == [("cluster-duplicate", "program.py:3")]
