"""Which files are loaded for the ops that a graph names."""

import subprocess
import sys
import textwrap


def test_loading_some_ops_imports_their_files_alone():
    program = """
        import sys
        from placewise.ops.declare import REGISTRY
        from placewise.ops.registry import load_ops

        load_ops(["Cholesky", "MatMul"])
        assert {"Cholesky", "MatMul"} <= REGISTRY.keys()
        assert "placewise.ops.image.decode" not in sys.modules
        load_ops(["ApplyAdam"])  # its name is put together where it is declared
        assert "ApplyAdam" in REGISTRY
        assert "placewise.ops.image.decode" in sys.modules
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=300)
