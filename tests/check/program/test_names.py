"""Names that are not there: of TensorFlow, of modules, of Python 2."""

import json
from pathlib import Path

import pytest

import placewise
from placewise.api import v1
from placewise.check.program.name_tables import find_missing

from .looking import brief, look

SURFACE = Path(__file__).parents[2] / "surface"


def test_a_misspelt_name_is_named_with_the_nearest() -> None:
    findings = look("import tensorflow as tf\nx = 1\ny = tf.nn.relux(x)\n")
    assert brief(findings) == [("name-missing", "program.py:3")]
    assert (findings[0].what, findings[0].fix) == ("There is no tf.nn.relux.", "write tf.nn.relu")
    assert findings[0].severity == "error"


def test_the_nearest_name_may_be_one_of_the_other_tensorflow() -> None:
    findings = look("import tensorflow as tf\nsession = tf.Sesion()\n")
    assert [finding.fix for finding in findings] == ["write tf.compat.v1.Session"]


def test_a_name_of_keras_is_looked_up_in_keras() -> None:
    findings = look("from tensorflow.keras.layers import Dens\nfrom tensorflow import keras\n")
    assert [finding.fix for finding in findings] == ["write tf.keras.layers.Dense"]


def test_a_name_of_tensorflow_1_in_a_program_of_2() -> None:
    text = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
    findings = look(text, is_tf1=False)
    assert brief(findings) == [("name-of-tf1", "program.py:2")]
    assert findings[0].fix == "write tf.compat.v1.placeholder"
    assert look(text) == []  # its names make it a program of TensorFlow 1


def test_a_name_of_tensorflow_2_in_a_program_of_1() -> None:
    findings = look(
        """
        import tensorflow as tf
        session = tf.Session()
        generator = tf.random.Generator.from_seed(1)
        """
    )
    assert brief(findings) == [("name-of-tf2", "program.py:4")]
    assert findings[0].fix == "write tf.compat.v2.random.Generator"


def test_contrib_in_a_program_of_2_says_how_to_run_it() -> None:
    findings = look("import tensorflow as tf\ntf.contrib.layers.flatten\n", is_tf1=False)
    assert findings[0].fix == "placewise run --tf1 program.py"


@pytest.mark.parametrize(
    "text",
    [
        "try:\n  from tensorflow import nowhere\nexcept ImportError:\n  nowhere = None",
        "import tensorflow as tf\nif tf.__version__ < '2':\n  tf.nowhere()",
        "import tensorflow as tf\nx = tf.nowhere if hasattr(tf, 'nowhere') else None",
        "import tensorflow as tf\ntf.nowhere = 1\nprint(tf.nowhere)",
        "import tensorflow as tf\ndef f(tf):\n  return tf.nowhere",
        "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session()",
        "import tensorflow as tf\nlayers = tf.keras.layers\nlayers.Dense(1)",
        "from tensorflow.python.client import device_lib\ndevice_lib.list_local_devices()",
        "import placewise.v1 as tf\ntf.Session()",
        "import placewise as tf\ntf.simulate('2')",
        "from placewise import cost\nfrom placewise.devices.machine import parse_machine",
        "from placewise import v1 as tf\ntf.Session()",
        "import sys, os, numpy",
        "import sys\nsys.path.append('..')\nimport nobody_knows_where",
        "xrange = range\nfor i in xrange(3): pass",
        "try:\n  unicode\nexcept NameError:\n  unicode = str",
    ],
)
def test_what_the_program_has_provided_for_raises_no_alarm(text: str) -> None:
    assert look(text) == []


def test_a_module_that_is_not_installed() -> None:
    findings = look("import cv3_of_nobody\nimport cPickle\n")
    assert brief(findings) == [("module-missing", f"program.py:{line}") for line in (1, 2)]
    assert [finding.fix for finding in findings] == [
        "pip install cv3-of-nobody",
        "import pickle",
    ]


def test_modules_beside_the_program_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "model.py").write_text("import tensorflow as tf\ntf.nn.relux\n")
    findings = look("from parts import model\n", folder=tmp_path)
    assert brief(findings) == [("name-missing", "parts/model.py:2")]


def test_an_expression_too_deep_to_follow_is_said_so() -> None:
    text = "import tensorflow as tf\nx = " + " + ".join(["1"] * 1500) + "\ntf.nowhere\n"
    findings = look(text)
    assert ("name-missing", "program.py:3") in brief(findings)
    assert {finding.code for finding in findings} <= {"name-missing", "too-deep"}
    assert "too-deep" in {finding.code for finding in findings}


@pytest.mark.parametrize(
    "text", ["", "\0", "\xff\xfe", "x = [" * 300, "import\n", "lambda: (yield)"]
)
def test_any_text_can_be_looked_at(text: str) -> None:
    assert {finding.code for finding in look(text)} <= {"syntax"}


def test_names_and_text_of_python_2() -> None:
    assert brief(look("for i in xrange(3):\n    pass\n")) == [("python-2-name", "program.py:1")]
    findings = look("import os\nprint 'hello'\n")
    assert brief(findings) == [("syntax", "program.py:2")]
    assert findings[0].fix.startswith("2to3 -w program.py")


@pytest.mark.parametrize("is_tf1", [False, True])
def test_the_tables_say_what_the_modules_say(is_tf1: bool) -> None:
    """Every tenth public name of TensorFlow: there by the tables exactly if it is there."""
    file = SURFACE / ("tensorflow1.json" if is_tf1 else "tensorflow2.json")
    names = [name for name in json.loads(file.read_text()) if not name.startswith("raw_ops.")]
    wrong = [
        name
        for name in names[::10]
        if (find_missing(name, is_tf1=is_tf1) is None) != _is_there(name, is_tf1)
    ]
    assert wrong == []


def _is_there(name: str, is_tf1: bool) -> bool:
    value = v1 if is_tf1 else placewise
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None:
            return part == "newaxis"
    return True
