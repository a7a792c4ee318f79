"""Importing tf.test, and its test case, loads no torch."""

import subprocess
import sys


def test_importing_loads_no_torch() -> None:
    text = (
        "import sys, placewise.test as test; test.TestCase, test.compute_gradient;"
        "print([name for name in ('torch', 'google.protobuf', 'keras') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr


def test_a_program_of_tests_runs() -> None:
    text = (
        "import placewise as tf\n"
        "import placewise.test\n"
        "class Two(tf.test.TestCase):\n"
        "    def test_good(self): self.assertAllEqual([1], [1])\n"
        "    def test_bad(self): self.assertAllEqual([1], [2])\n"
        "if __name__ == '__main__': tf.test.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    # The third is test_session, a method of the class that unittest takes for a test.
    assert "Ran 3 tests" in done.stderr
    assert "FAILED (failures=1, skipped=1)" in done.stderr
