"""`import tensorflow` under `placewise run`: the same modules, and clear words for the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest


def run(folder: Path, text: str, *, hooked: bool = True) -> subprocess.CompletedProcess[str]:
    program = folder / "program.py"
    program.write_text(textwrap.dedent(text))
    command = ["-m", "placewise", "run"] if hooked else []
    return subprocess.run(
        [sys.executable, *command, str(program)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


@pytest.mark.parametrize(
    ("tensorflow", "placewise"),
    [
        ("tensorflow", "placewise"),
        ("tensorflow.errors", "placewise.errors"),
        ("tensorflow.compat", "placewise.compat"),
        ("tensorflow.compat.v2", "placewise"),
        ("tensorflow.compat.v2.errors", "placewise.errors"),
        ("tensorflow.python.framework.errors", "placewise.errors"),
        ("tensorflow.python.framework.errors_impl", "placewise.errors"),
        ("tensorflow.python.framework.dtypes", "placewise.core.dtypes"),
        ("tensorflow.python.util.compat", "placewise.compat"),
    ],
)
def test_each_is_the_very_module(tmp_path: Path, tensorflow: str, placewise: str) -> None:
    done = run(
        tmp_path,
        f"""
        import importlib, {tensorflow} as theirs
        ours = importlib.import_module("{placewise}")
        print(theirs is ours, ours.__name__ == ours.__spec__.name)
        """,
    )
    assert done.stdout == "True True\n", done.stderr


def test_every_way_of_importing_works(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import tensorflow as tf
        import tensorflow.python.framework.errors
        from tensorflow import errors
        from tensorflow.errors import NotFoundError
        from tensorflow.python.framework import errors_impl
        import tensorflow.python
        assert tf is tensorflow and tf.errors is errors is errors_impl
        assert NotFoundError is tensorflow.python.framework.errors.NotFoundError
        assert "framework" in dir(tensorflow.python), dir(tensorflow.python)
        print("done")
        """,
    )
    assert done.stdout == "done\n", done.stderr


COVERAGE = "; what it has is listed in docs/coverage.md"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import tensorflow.nonesuch", "No module named 'tensorflow.nonesuch': placewise does not"),
        ("import tensorflow.eror", "the nearest name is tensorflow.errors"),
        ("from tensorflow import eror", "cannot import name 'eror' from 'tensorflow': placewise"),
        ("from tensorflow import eror", "the nearest name is tensorflow.errors"),
        ("from tensorflow.nonesuch import x", "No module named 'tensorflow.nonesuch'"),
        ("from tensorflow.errors import NotFoundEror", "tensorflow.errors.NotFoundError"),
        ("from tensorflow.python.framework import error", "tensorflow.python.framework.errors"),
        ("from tensorflow.python.nonesuch import x", "No module named 'tensorflow.python.nonesuc"),
        ("import tensorflow.core.nonesuch", "No module named 'tensorflow.core.nonesuch'"),
        ("import tensorflow.eager", "No module named 'tensorflow.eager'"),
    ],
)
def test_what_is_not_there_says_so(tmp_path: Path, line: str, said: str) -> None:
    done = run(tmp_path, line)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("ModuleNotFoundError: ")
    assert said in last
    assert last.endswith(COVERAGE)
    # The program's own line, and no frame of the hook.
    assert done.stderr.count("  File ") == 1, done.stderr


def test_a_missing_attribute_of_an_inner_package_is_an_attribute_error(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "import tensorflow.python\nprint(hasattr(tensorflow.python, 'nonesuch'))\n",
    )
    assert done.stdout == "False\n", done.stderr


def test_an_installed_tensorflow_stays_out_of_the_way(tmp_path: Path) -> None:
    package = tmp_path / "tensorflow"
    package.mkdir()
    (package / "__init__.py").write_text("print('the other one')\n")
    (package / "extra.py").write_text("print('the other one')\n")
    done = run(tmp_path, "import tensorflow as tf\nprint(tf.__name__)\nimport tensorflow.extra\n")
    assert done.stdout == "placewise\n"
    assert "No module named 'tensorflow.extra'" in done.stderr


def test_outside_run_tensorflow_is_untouched(tmp_path: Path) -> None:
    package = tmp_path / "tensorflow"
    package.mkdir()
    (package / "__init__.py").write_text("print('the other one')\n")
    done = run(tmp_path, "import placewise.tensorflow.hook, tensorflow\n", hooked=False)
    assert done.stdout == "the other one\n", done.stderr


def test_the_hook_refuses_to_come_second(tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text("")
    done = run(
        tmp_path,
        """
        import tensorflow
        from placewise.tensorflow import hook
        hook.install()
        """,
        hooked=False,
    )
    assert "tensorflow is already imported in this process" in done.stderr


def test_installing_twice_and_taking_out(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import sys
        from placewise.tensorflow import hook
        before = list(sys.meta_path)
        hook.install(); hook.install()
        import tensorflow.errors
        print(len(sys.meta_path) - len(before))
        hook.uninstall()
        left = [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]
        print(sys.meta_path == before, left)
        """,
        hooked=False,
    )
    assert done.stdout == "2\nTrue []\n", done.stderr


INNER = """
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, types_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.core.util.event_pb2 import Event
from tensorflow.python.client import device_lib, session
from tensorflow.python.framework import constant_op, dtypes, ops
from tensorflow.python.ops import array_ops, gen_math_ops, math_ops, nn_ops, variables
from tensorflow.python.ops.math_ops import reduce_sum_v1, reduce_sum
from tensorflow.python.ops.rnn_cell_impl import BasicLSTMCell
from tensorflow.python.platform import gfile, tf_logging
from tensorflow.python.training import moving_averages
from tensorflow.python.training.adam import AdamOptimizer
from tensorflow.python.util import deprecation, nest, tf_inspect
from tensorflow.python.util.tf_export import keras_export
import tensorflow.python.ops.init_ops as init_ops
v1 = tf.compat.v1

assert array_ops.concat is v1.concat and array_ops.gather_v2 is tf.compat.v2.gather
assert nn_ops.softmax is v1.nn.softmax and nn_ops.softmax_v2 is tf.compat.v2.nn.softmax
assert reduce_sum is v1.reduce_sum and math_ops.neg is v1.negative
assert variables.VariableV1 is v1.Variable and session.Session is v1.Session
assert ops.reset_default_graph is v1.reset_default_graph and ops.Graph is tf.Graph
assert AdamOptimizer is v1.train.AdamOptimizer and BasicLSTMCell is v1.nn.rnn_cell.BasicLSTMCell
assert init_ops.Zeros is v1.zeros_initializer
assert types_pb2.DT_FLOAT == 1 and config_pb2.ConfigProto is v1.ConfigProto
assert graph_pb2.GraphDef is v1.GraphDef and Event.__name__ == "Event"
assert nest.flatten([[1], 2]) == [1, 2] and nest.is_sequence([1])
assert keras_export("x")(print) is print and tf_inspect.isfunction(keras_export)
assert moving_averages.assign_moving_average and tf_logging.info and gfile.Exists("/")
assert "concat" in dir(array_ops) and "array_ops" in dir(tf.python.ops)
print(gen_math_ops.add_v2(constant_op.constant(1), 2).dtype is dtypes.int32)
"""


@pytest.mark.parametrize("era", ["--tf1", "--tf2"])
def test_inner_modules_have_their_names(tmp_path: Path, era: str) -> None:
    (tmp_path / "program.py").write_text(INNER)
    done = subprocess.run(
        [sys.executable, "-m", "placewise", "run", era, "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tf.nn.reluu", "module 'placewise.nn' has no attribute 'reluu'; did you mean 'relu'?"),
        ("tf.train.Exampel", "did you mean 'Example'?"),
        ("tf.config.experimental.set_memory_groth", "did you mean 'set_memory_growth'?"),
        ("tf.compat.v1.train.AdamOptimiser", "did you mean 'AdamOptimizer'?"),
        ("tensorflow.python.ops.array_ops.concatt", "did you mean 'concat'?"),
        ("tf.nn._private", "module 'placewise.nn' has no attribute '_private'"),
    ],
)
def test_a_missing_name_has_a_suggestion_everywhere(tmp_path: Path, line: str, said: str) -> None:
    done = run(tmp_path, f"import tensorflow.python.ops.array_ops, tensorflow as tf\n{line}\n")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("AttributeError: ")
    assert said in last
    assert last.count("id you mean") <= 1


def test_other_spellings_of_the_same_modules(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import tensorflow as tf
        import tensorflow_core.python.framework.errors as errors
        from tensorflow._api.v2.v2 import nn
        from tensorflow._api.v1 import train
        print(errors is tf.errors, nn is tf.nn, train is tf.compat.v1.train)
        """,
    )
    assert done.stdout == "True True True\n", done.stderr


def test_what_belongs_to_the_other_tensorflow_says_so(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import tensorflow.contrib.slim\n")
    done = subprocess.run(
        [sys.executable, "-m", "placewise", "run", "--tf2", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "it is part of TensorFlow 1: placewise run --tf1" in done.stderr


def test_packages_that_only_begin_alike_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tensorflow_hub.py").write_text("print('hub')\n")
    assert run(tmp_path, "import tensorflow_hub\n").stdout == "hub\n"
