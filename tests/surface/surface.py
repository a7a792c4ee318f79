"""placewise's own public paths, and how each compares with TensorFlow's.

A path is listed where a table lists it: a line of a stub, or an import `as` a name in the module of
a namespace. What importing happens to leave on a package (`placewise.ops`) is no part of it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from placewise.core.namespace import read_table

from .differences import BEFORE_1, DIFFERENT, EXCEPTED, KINDS, OWN, PARTLY
from .parameters import describe

HERE = Path(__file__).parent
ERAS = ("tf2", "tf1")
# compat.v1 is the table of placewise.v1, and importing it leaves eager execution as it is.
ROOTS = {"tf2": "placewise", "tf1": "placewise.compat.v1"}


def read(name: str) -> Any:
    """Return the contents of one of the files beside this one."""
    return json.loads((HERE / name).read_text(encoding="utf-8"))


@cache
def recorded(era: str) -> dict[str, str]:
    """Return TensorFlow's public paths, described."""
    return dict(read(f"tensorflow{era[2:]}.json"))


@cache
def later(era: str) -> dict[str, str]:
    """Return what TensorFlow 2's tf.compat.v1 has that 1.15 had not, or otherwise."""
    return dict(read("later1.json")) if era == "tf1" else {}


@cache
def usage(era: str) -> dict[str, int]:
    """Return in how many files of public programs each path is used."""
    return {path: files for path, of, files in read("usage.json") if of == era}


@cache
def ours(era: str) -> dict[str, str]:
    """Return placewise's public paths, described."""
    return {
        path: describe(value)
        for path, value in walk(importlib.import_module(ROOTS[era]), "", era)
        if not isinstance(value, Unresolved)
    }


def unresolved(era: str) -> dict[str, str]:
    """Return path → what was raised, for names of the tables that lead nowhere."""
    found = walk(importlib.import_module(ROOTS[era]), "", era)
    return {path: f"raises {value}" for path, value in found if isinstance(value, Unresolved)}


class Unresolved(str):
    """What asking for a name raised, in words."""


def walk(
    module: ModuleType, prefix: str, era: str, above: tuple[ModuleType, ...] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield path and value of every name of a namespace, and of the namespaces in it."""
    for name in table_of(module):
        path = prefix + name
        if path in EXCEPTED[era]:
            continue
        try:
            value = getattr(module, name)
        except Exception as error:
            value = Unresolved(repr(error))
        yield path, value
        # tf.contrib.learn.python.learn is tf.contrib.learn: a namespace may be in itself.
        inside = (*above, module)
        is_ours = isinstance(value, ModuleType) and value.__name__.startswith("placewise")
        if is_ours and value not in inside:
            yield from walk(value, f"{path}.", era, inside)


def table_of(module: ModuleType) -> list[str]:
    """Return the names that a namespace's table lists."""
    source = Path(inspect.getfile(module))
    if source.stem == "raw_ops":
        return [name for name in dir(module) if not name.startswith("_")]
    if source.with_suffix(".pyi").exists():
        return sorted(read_table(source.with_suffix(".pyi")))
    found: set[str] = set()
    for line in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Import | ast.ImportFrom):
            found.update(alias.asname for alias in line.names if alias.asname)
        elif isinstance(line, ast.FunctionDef | ast.ClassDef):
            found.add(line.name)
        elif isinstance(line, ast.Assign):
            found.update(target.id for target in line.targets if isinstance(target, ast.Name))
        elif isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            found.add(line.target.id)
    return sorted(name for name in found if not name.startswith("_"))


def disagreement(path: str, theirs: str, mine: str) -> str:
    """Return in words how a path of ours differs from TensorFlow's, or nothing."""
    kind, has, parameters = theirs.partition("(")
    own_kind, own_has, own_parameters = mine.partition("(")
    if kind != own_kind and (own_kind, kind) != ("class", "function"):
        return f"is a {own_kind}, not a {kind}"
    if not has or not own_has:
        return ""
    wanted, got = parse(parameters), parse(own_parameters)
    wanted_names, got_names = list(wanted), list(got)
    if path.startswith("raw_ops."):  # called by keywords only, in any order
        wanted_names, got_names = (sorted(n for n in x if n != "*") for x in (wanted, got))
    if [optional(n, wanted) for n in wanted_names] != [optional(n, got) for n in got_names]:
        return f"has ({shown(got)}), not ({shown(wanted)})"
    changed = [n for n in wanted if not same_default(wanted[n], got[n])]
    return "; ".join(f"has {n}={got[n]} by default, not {wanted[n]}" for n in changed)


def parse(parameters: str) -> dict[str, str]:
    """Return name → default, empty where there is none. What `*args` is called does not matter."""
    found = {}
    for part in parameters.removesuffix(")").split(", "):
        name, _, default = part.partition("=")
        if name.startswith("*") and name != "*":
            name = "**kwargs" if name.startswith("**") else "*args"
        if name:
            found[name] = default
    return found


def optional(name: str, parameters: dict[str, str]) -> tuple[str, bool]:
    """Return a parameter's name and whether it may be left out."""
    return name, bool(parameters[name])


def shown(parameters: dict[str, str]) -> str:
    """Return parameters as the report writes them."""
    return ", ".join(f"{name}={value}" if value else name for name, value in parameters.items())


def same_default(wanted: str, got: str) -> bool:
    """Return whether two defaults are one: 1 is 1.0, and None means False in TensorFlow 1."""
    if "..." in (wanted, got) or wanted == got or {wanted, got} == {"None", "False"}:
        return True
    try:
        return float(wanted) == float(got)
    except ValueError:
        return False


def extends(theirs: str, mine: str) -> bool:
    """Return whether ours only adds, at the end, parameters that may be left out."""
    wanted, got = parse(theirs.partition("(")[2]), parse(mine.partition("(")[2])
    added = list(got)[len(wanted) :]
    return all(got[name] or name.startswith("*") for name in added) and not disagreement(
        "", theirs, f"{mine.partition('(')[0]}({shown(dict(list(got.items())[: len(wanted)]))})"
    )


@cache
def disagreements(era: str) -> dict[str, str]:
    """Return path → words for every path that both have and that differs.

    A TensorFlow 1 name may also be as TensorFlow 2's tf.compat.v1 has it, or have more parameters
    at its end: no program of 1.15 can tell.
    """
    found = {}
    for path, mine in ours(era).items():
        theirs = recorded(era).get(path)
        words = disagreement(path, theirs, mine) if theirs else ""
        if words and era == "tf1":
            since = later(era).get(path) or (
                path.startswith("raw_ops.") and recorded("tf2").get(path)
            )
            if extends(theirs, mine) or (since and not disagreement(path, since, mine)):
                continue
        if words:
            found[path] = words
    return dict(sorted(found.items()))


def reason(era: str, path: str) -> str:
    """Return why a path differs on purpose, or nothing."""
    of_kind = next((said for words, said in KINDS.items() if re.fullmatch(words, path)), "")
    return DIFFERENT[era].get(path) or DIFFERENT["both"].get(path) or of_kind


def unexplained(era: str) -> dict[str, str]:
    """Return the disagreements that nobody has given a reason for."""
    return {path: said for path, said in disagreements(era).items() if not reason(era, path)}


def added(era: str) -> list[str]:
    """Return our paths that no TensorFlow of the era has; TensorFlow 1 has also what 2 has."""
    known = {*recorded(era)}
    if era == "tf1":
        known |= {*recorded("tf2"), *later("tf1"), *BEFORE_1}
    apart = PARTLY[era]
    return sorted(p for p in ours(era) if p not in known and p.partition(".")[0] not in apart)


def own_reason(path: str) -> str:
    """Return why placewise has a path of its own: its own reason or its namespace's."""
    while path and path not in OWN:
        path = path.rpartition(".")[0]
    return OWN.get(path, "")
