"""The wheel has every file of the package, and says what it is."""

from __future__ import annotations

import tomllib
from email.message import Message
from email.parser import Parser
from zipfile import ZipFile

import pytest

from .building import ROOT, build_wheel

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INFO = f"placewise-{PROJECT['version']}.dist-info"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    return ZipFile(build_wheel(tmp_path_factory.mktemp("wheel")))


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    return Parser().parsestr(wheel.read(f"{INFO}/METADATA").decode())


def test_every_file_of_the_package_is_in_it(wheel: ZipFile) -> None:
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in (source / "placewise").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so")
    }
    assert files - set(wheel.namelist()) == set()


def test_tables_of_names_and_the_mark_of_types_are_in_it(wheel: ZipFile) -> None:
    names = set(wheel.namelist())
    assert {
        "placewise/__init__.pyi",
        "placewise/py.typed",
        "placewise/api/v1/__init__.pyi",
    } <= names


def test_nothing_else_is_in_it(wheel: ZipFile) -> None:
    roots = {name.partition("/")[0] for name in wheel.namelist()}
    shared = INFO.replace("dist-info", "data")  # the man page
    assert roots - {shared} == {"placewise", INFO}
    assert not [name for name in wheel.namelist() if name.endswith(".pyc")]


def test_the_command_and_the_license_are_in_it_and_no_entry_of_pytest(wheel: ZipFile) -> None:
    commands = wheel.read(f"{INFO}/entry_points.txt").decode()
    assert "placewise = placewise.cli.main:main" in commands
    assert "pytest11" not in commands  # pytest would load it everywhere
    assert f"{INFO}/licenses/LICENSE" in wheel.namelist()


def test_its_metadata_say_what_it_is(metadata: Message) -> None:
    assert (metadata["Name"], metadata["Version"]) == ("placewise", PROJECT["version"])
    assert metadata["Author"] == "placewise maintainers"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "tensorflow" in metadata["Keywords"].split(",")
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    assert metadata.get_payload().startswith("# placewise")


def test_extras_that_readme_names_exist(metadata: Message) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = metadata.get_all("Provides-Extra", [])
    for extra in extras:
        assert f'".[{extra}]"' in text, f"README.md does not name the extra {extra}"
    assert text.count('pip install ".[') == len(extras)
