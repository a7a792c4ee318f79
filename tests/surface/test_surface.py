"""The public names: they resolve, are called as TensorFlow's are, and the coverage page is true."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from placewise.core.namespace import read_table
from placewise.ops.declare import REGISTRY
from placewise.ops.raw_ops import is_public
from placewise.ops.registry import load_all

from . import coverage, surface
from .differences import DIFFERENT, OWN
from .surface import ERAS

PACKAGE = Path(importlib.import_module("placewise").__file__ or "").parent


def listed(paths: dict[str, str] | list[str]) -> str:
    """Return one path a line, for a message, and what is said of it."""
    words = paths if isinstance(paths, dict) else {}
    return "".join(f"\n  tf.{path} {words.get(path, '')}".rstrip() for path in paths)


@pytest.mark.parametrize("era", ERAS)
def test_every_name_of_the_tables_resolves(era: str) -> None:
    lost = surface.unresolved(era)
    assert not lost, f"these lines of the tables lead nowhere:{listed(lost)}"


@pytest.mark.parametrize("era", ERAS)
def test_dir_lists_every_name_of_the_table(era: str) -> None:
    root = importlib.import_module(surface.ROOTS[era])
    assert not set(surface.table_of(root)) - set(dir(root))


def test_v1_resolves_to_the_names_of_compat_v1() -> None:
    # In a process of its own: importing placewise.v1 makes the program one of TensorFlow 1.
    text = (
        "import placewise.v1 as tf, placewise.compat.v1 as names\n"
        "for name in names.__all__:\n"
        "    assert getattr(tf, name) is getattr(names, name) and name in dir(tf), name\n"
        "print(len(tf.__all__))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert int(done.stdout) == len(importlib.import_module("placewise.compat.v1").__all__)


@pytest.mark.parametrize("stub", sorted(PACKAGE.rglob("*.pyi")), ids=lambda stub: stub.parent.name)
def test_a_table_names_nothing_twice(stub: Path) -> None:
    lines = [line for line in stub.read_text().splitlines() if line.startswith("from placewise")]
    times = Counter(line.split()[-1] for line in lines)
    assert sorted(times) == sorted(read_table(stub))
    assert not [name for name, number in times.items() if number > 1]


@pytest.mark.parametrize("era", ERAS)
def test_parameters_are_those_of_tensorflow(era: str) -> None:
    known = surface.read("not_yet.json")[era]
    new = {path: said for path, said in surface.unexplained(era).items() if path not in known}
    assert not new, (
        f"called otherwise than in TensorFlow:{listed(new)}\nmend them, or give the reason in "
        "tests/surface/differences.py"
    )


@pytest.mark.parametrize("era", ERAS)
def test_what_has_been_mended_is_no_longer_listed(era: str) -> None:
    mended = sorted(set(surface.read("not_yet.json")[era]) - set(surface.unexplained(era)))
    assert not mended, f"run `{coverage.COMMAND}`; these are well now:{listed(mended)}"


@pytest.mark.parametrize("era", [*ERAS, "both"])
def test_every_reason_is_still_needed(era: str) -> None:
    eras = ERAS if era == "both" else (era,)
    differ = {path for each in eras for path in surface.disagreements(each)}
    assert not set(DIFFERENT[era]) - differ


@pytest.mark.parametrize("era", ERAS)
def test_a_name_of_our_own_has_a_reason(era: str) -> None:
    unknown = [path for path in surface.added(era) if not surface.own_reason(path)]
    assert not unknown, f"no TensorFlow has these; say why in differences.OWN:{listed(unknown)}"


def test_every_name_of_our_own_exists() -> None:
    assert not set(OWN) - {path for era in ERAS for path in surface.added(era)}


def test_every_op_has_a_doc_and_a_raw_name() -> None:
    load_all()
    assert not [name for name, op in REGISTRY.items() if not op.doc.strip()]
    raw = {path.removeprefix("raw_ops.") for path in surface.ours("tf2")}
    public = [name for name, op in REGISTRY.items() if is_public(op)]
    assert not [name for name in public if name not in raw]


def test_the_coverage_page_is_up_to_date() -> None:
    said = f"docs/coverage.md is not what the names are now: run `{coverage.COMMAND}`"
    # In a process of its own: ops that other tests declare are not to be on the page.
    program = "import sys; from tests.surface import coverage; sys.stdout.write(coverage.page())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    # Not compared by pytest itself, whose account of a difference would fill pages.
    is_up_to_date = coverage.PAGE.read_text(encoding="utf-8") == done.stdout
    assert is_up_to_date, said
