"""Which TensorFlow a program was written for, and how `run -v` says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from placewise.cli.era import judge

from .conftest import Run


@pytest.mark.parametrize(
    ("text", "is_old"),
    [
        ("import tensorflow as tf\ntf.Session()", True),
        ("import tensorflow as tf\ntf.train.AdamOptimizer(0.1)", True),
        ("import tensorflow as tf\ntf.nn.rnn_cell.LSTMCell(3)", True),
        ("from tensorflow import placeholder", True),
        ("import tensorflow.contrib.slim as slim", True),
        ("from tensorflow.contrib import layers", True),
        ("from tensorflow.examples.tutorials.mnist import input_data", True),
        ("import tensorflow\ntensorflow.reset_default_graph()", True),
        ("from tensorflow import nn\nnn.dynamic_rnn", True),
        ("import tensorflow as tf\ntf.enable_eager_execution()", True),
        ("import tensorflow as tf\ntf.function(print)", False),
        ("import tensorflow as tf\ntf.compat.v1.Session()", False),
        ("import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session()", False),
        ("import tensorflow as tf\ntf = tf.compat.v1\ntf.Session()", False),
        ("import tensorflow as tf\ntf1 = tf.compat.v1\ntf1.placeholder", False),
        (
            "try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
            "  import tensorflow as tf\ntf.Session()",
            False,
        ),
        (
            "import tensorflow as tf\nif tf.__version__ < '2':\n  tf.Session()\nelse:\n"
            "  tf.random.set_seed(1)",
            False,
        ),
        ("import tensorflow as tf\ntf.keras.Sequential()\ntf.estimator.Estimator", False),
        ("import numpy as tf\ntf.Session", False),
        ("Session = 1\nprint(Session)", False),
        ("not python at all", False),
    ],
)
def test_names_tell(text: str, is_old: bool) -> None:
    assert judge(text, "program.py", Path("/nonexistent")).is_old is is_old


def test_modules_beside_the_program_count(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "__init__.py").write_text("from .layers import dense\n")
    (tmp_path / "net" / "layers.py").write_text("from . import deep\nfrom .. import net\n")
    (tmp_path / "net" / "deep.py").write_text("import tensorflow as tf\nx = tf.get_variable\n")
    era = judge("import net", "program.py", tmp_path)
    assert era[:2] == (True, "only TensorFlow 1 has tf.get_variable (deep.py:2)")


def test_run_says_which_and_why(tmp_path: Path, placewise: Run) -> None:
    (tmp_path / "old.py").write_text(
        "import tensorflow as tf\nprint(tf.__version__)\nuse = lambda: tf.placeholder\n"
    )
    done = placewise("run", "-v", "old.py")
    assert done.stdout == "1.15.5\n"
    assert done.stderr == (
        "placewise run: TensorFlow 1: only TensorFlow 1 has tf.placeholder (old.py:3)\n"
    )
    told = placewise("run", "-v", "--tf2", "-c", "import tensorflow as tf; print(tf.__version__)")
    assert told.stdout == "2.21.0\n"
    assert told.stderr == "placewise run: TensorFlow 2: --tf2 says so\n"


def test_a_module_given_by_name_is_looked_at_too(tmp_path: Path, placewise: Run) -> None:
    (tmp_path / "pack").mkdir()
    text = "import tensorflow as tf\nprint(tf.__version__)\nuse = lambda: tf.placeholder\n"
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "old.py").write_text(text)
    (tmp_path / "pack" / "__main__.py").write_text("from pack import old\n")
    assert placewise("run", "-m", "pack.old").stdout == "1.15.5\n"
    assert placewise("run", "-m", "pack").stdout == "1.15.5\n"
