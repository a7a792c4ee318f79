"""Without ai-edge-litert, what needs it says what to install."""

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["ai_edge_litert"] = None
import placewise as tf
assert str(tf.lite.Optimize.DEFAULT) == "DEFAULT"
for call in (
    lambda: tf.lite.Interpreter(model_path="x"),
    tf.lite.TFLiteConverter.from_concrete_functions(
        [tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([1]))]
    ).convert,
):
    try:
        call()
    except ImportError as problem:
        print("placewise[lite]" in str(problem))
"""


def test_it_says_what_to_install():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True"], done.stderr[-2000:]
