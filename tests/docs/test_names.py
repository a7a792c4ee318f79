"""Files, and what is in them, that pages and docstrings name exist."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from .examples import PAGES, ROOT, SOURCE

PACKAGE = SOURCE / "placewise"
README_FILES = sorted(PACKAGE.rglob("README.md"))
FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:pyi?|md|json|toml|yml))(?::\s*(\w+))?`")
# Files of the user, of other projects, or made by a run.
OTHERS = {
    "report.json",
    "train.py",
    "program.py",
    "saved_model.pb",
    "timeline-STEP.json",
    "old.py",
    "train_with_placewise.py",
    "docs/decisions/NNN-title.md",
}


def _texts() -> Iterator[tuple[Path, str]]:
    for page in (*PAGES, *README_FILES):
        if page.exists() and page.name != "coverage.md":
            yield page, page.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, path.read_text(encoding="utf-8")


def _places(named: str, page: Path) -> Iterator[Path]:
    """Yield the files that a page may mean by a name: beside it, in the package, in the project."""
    for folder in (page.parent, PACKAGE, SOURCE, ROOT, ROOT / "docs"):
        if (folder / named).is_file():
            yield folder / named
    if "/" not in named:
        yield from PACKAGE.rglob(named)


def test_files_named_in_texts_exist():
    missing = {
        f"{page.relative_to(ROOT)}: {named}"
        for page, text in _texts()
        for named, _ in FILE.findall(text)
        if named not in OTHERS and not any(_places(named, page))
    }
    assert missing == set()


def _defined(path: Path) -> set[str]:
    """Return the names a module defines: functions, classes, their methods, values."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names.update(f"{node.name}.{m.name}" for m in node.body if hasattr(m, "name"))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def _calls(readme: Path) -> Iterator[tuple[Path, str]]:
    """Yield module and name of each row `| module | call | …` of a README."""
    module = readme
    for line in readme.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 5 or cells[1] in ("from", "---", "file"):
            continue
        if cells[1]:
            module = readme.parent / f"{cells[1].strip('`').replace('.', '/')}.py"
        for name in re.findall(r"`(\w[\w.]*)", cells[2]):
            yield module, name


def test_calls_listed_in_readmes_exist():
    tables = (PACKAGE / "devices" / "README.md", PACKAGE / "memory" / "README.md")
    missing = {
        f"{module.relative_to(PACKAGE)}: {name}"
        for readme in tables
        for module, name in _calls(readme)
        if not module.is_file() or name not in _defined(module)
    }
    assert missing == set()


def _variables(path: Path) -> Iterator[str]:
    """Yield the names of environment variables in a module: capitals in a string of its own."""
    text = path.read_text(encoding="utf-8")
    if re.search(r"\benviron\b|\bgetenv\b", text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from re.findall(r"^(?:[A-Z]+_)+[A-Z]+$|^RANK$", node.value)


def test_environment_variables_are_documented():
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    variables = {name for path in PACKAGE.rglob("*.py") for name in _variables(path)}
    # Slurm's are written without their beginning.
    assert {name for name in variables if not re.search(rf"\b(SLURM_)?{name}\b", page)} == set()


def test_links_lead_somewhere():
    broken = {
        f"{page.relative_to(ROOT)}: {target}"
        for page in (*PAGES, *README_FILES)
        if page.name != "coverage.md"
        for target in re.findall(r"\]\((?!\w+:)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    }
    assert broken == set()


def _steps() -> Iterator[tuple[Path, str]]:
    """Yield file and function of each row `| file | functions | …` of the walks."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for walk in re.findall(r"^## Walk .*?(?=^## )", page, re.MULTILINE | re.DOTALL):
        for file, functions in re.findall(r"^\| `([\w/]+\.py)` \| ([^|]+) \|", walk, re.MULTILINE):
            for function in re.findall(r"`([\w.]+)`", functions):
                yield PACKAGE / file, function


def test_walks_lead_through_files_and_functions_that_exist():
    steps = list(_steps())
    assert len(steps) > 60
    missing = {
        f"{file.relative_to(PACKAGE)}: {function}"
        for file, function in steps
        if not file.is_file() or function not in _defined(file)
    }
    assert missing == set()


def _folders() -> set[str]:
    return {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_architecture_explains_every_folder():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert _folders() - set(re.findall(r"`(\w+)`", page)) == set()


def test_the_layers_contract_covers_every_folder():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    layers = {layer.removeprefix("placewise.") for layer in contract["layers"]}
    assert _folders() - layers == set()
