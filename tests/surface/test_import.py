"""What importing placewise loads: itself, small files, and Python's own library."""

from __future__ import annotations

import subprocess
import sys

import pytest

LISTING = "import sys; before = set(sys.modules); {}; print(*sorted(set(sys.modules) - before))"
# Each takes longer to load than all of placewise's names.
HEAVY = ("google.protobuf", "keras", "ml_dtypes", "numpy", "optree", "rich", "tensorflow", "torch")


def loaded(statement: str) -> list[str]:
    """Return the modules that a statement loads in a fresh Python, Python's own left out."""
    text = LISTING.format(statement)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    names = done.stdout.split()
    return [name for name in names if name.partition(".")[0] not in sys.stdlib_module_names]


def test_importing_loads_the_resolver_the_logger_and_the_scope_stack_alone() -> None:
    assert loaded("import placewise") == [
        "placewise",
        "placewise.core",
        "placewise.core.environment",
        "placewise.core.era",
        "placewise.core.heap",
        "placewise.core.interpreter",
        "placewise.core.log",
        "placewise.core.namespace",
        "placewise.core.runtime",
        "placewise.core.scope",
        "placewise.core.threads",
    ]


def test_listing_the_names_loads_nothing_more() -> None:
    assert loaded("import placewise; dir(placewise)") == loaded("import placewise")


def test_importing_tensorflow_1_loads_its_names_besides() -> None:
    assert loaded("import placewise.v1") == [
        "placewise",
        "placewise.api",
        "placewise.api.v1",
        "placewise.core",
        "placewise.core.environment",
        "placewise.core.era",
        "placewise.core.heap",
        "placewise.core.interpreter",
        "placewise.core.log",
        "placewise.core.namespace",
        "placewise.core.runtime",
        "placewise.core.scope",
        "placewise.core.threads",
        "placewise.v1",
    ]


@pytest.mark.parametrize("statement", ["placewise.config", "placewise.errors", "placewise.version"])
def test_settings_and_errors_load_no_kernels(statement: str) -> None:
    found = loaded(f"import placewise; {statement}")
    assert not {"torch", "keras", "google.protobuf", "tensorflow"} & set(found)


def test_nothing_heavy_is_loaded_by_either_era() -> None:
    found = loaded("import placewise, placewise.v1")
    assert not set(HEAVY) & set(found)
