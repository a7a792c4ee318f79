"""Namespaces of tf.contrib that are other namespaces: keras, tfprof, cluster_resolver."""

import subprocess
import sys

import placewise.compat.v1 as tf

PROGRAM = """
import placewise
placewise.install_as_tensorflow(1)
import tensorflow as tf
from tensorflow.contrib.keras.python.keras.layers import Dense
from tensorflow.contrib.keras.api.keras.models import Sequential
from tensorflow.contrib.keras import backend
from tensorflow.contrib.eager.python import tfe
from tensorflow.contrib.cluster_resolver import TPUClusterResolver
assert tf.contrib.keras.layers.Dense is Dense is tf.keras.layers.Dense
assert tfe.Network is tf.contrib.eager.Network
from tensorflow.keras import *
assert layers.Dense is Dense
print(tf.Session().run(tf.keras.losses.mean_squared_error([[0.0, 2.0]], [[0.0, 0.0]])))
"""


def test_contrib_keras_is_keras_under_all_its_names():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[2.]\n"


def test_the_model_analyzer_counts_parameters(graph_mode, capsys):
    tf.get_variable("v", [3, 4])
    analyzer = tf.contrib.tfprof.model_analyzer
    found = analyzer.print_model_analysis(
        tf.get_default_graph(), tfprof_options=analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    )
    assert found.total_parameters == 12
    assert "v (3x4, 12/12 params)" in capsys.readouterr().out


def test_cluster_resolvers_of_contrib():
    resolver = tf.contrib.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec({"worker": ["a:1"]})
    )
    assert resolver.cluster_spec().as_dict() == {"worker": ["a:1"]}
