"""The namespace a process uses first decides whether ops run at once."""

import subprocess
import sys


def said(program: str) -> tuple[str, str]:
    """Return what a program prints, and what it warns of."""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return ran.stdout, ran.stderr


def test_the_older_namespace_alone_writes_graphs():
    program = """
import placewise.v1 as tf
print(tf.executing_eagerly())
with tf.Session() as session:
    print(session.run(tf.constant(3)))
"""
    assert said(program) == ("False\n3\n", "")


def test_the_older_namespace_leaves_a_program_that_ran_ops_as_it_is():
    program = """
import placewise as tf
x = tf.constant(1)
import placewise.v1
print(tf.executing_eagerly(), (x + 1).numpy())
"""
    printed, warned = said(program)
    assert printed == "True 2\n"
    assert warned.count("WARNING") == 1
    assert "tf.compat.v1.disable_v2_behavior()" in warned


def test_what_the_warning_names_turns_graphs_on():
    program = """
import placewise as tf
tf.float32
import placewise.v1 as tf1
tf1.disable_v2_behavior()
print(tf.executing_eagerly())
"""
    assert said(program)[0] == "False\n"


def test_the_newer_namespace_says_that_it_comes_second():
    program = """
import placewise as tf
import placewise.v1 as tf1
session = tf1.Session()
print(tf.executing_eagerly())
tf.constant(1)
"""
    printed, warned = said(program)
    assert printed == "False\n"
    assert warned.count("WARNING") == 1
    assert "enable_eager_execution()" in warned


def test_compat_v1_changes_nothing():
    program = """
import placewise as tf
import placewise.compat.v1 as tf1
print(tf1.executing_eagerly())
"""
    assert said(program) == ("True\n", "")
