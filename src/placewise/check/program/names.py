"""Rules about names: those below `tensorflow`, and those of Python 2."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.program.facts import ProgramFacts
from placewise.check.program.name_tables import Missing, find_missing, say_why
from placewise.check.program.scan import Scan, Use

# What Python 2 had under another name, and what to write.
_PYTHON_2 = {
    "xrange": "range",
    "raw_input": "input",
    "unicode": "str",
    "basestring": "str",
    "unichr": "chr",
    "reduce": "functools.reduce",
    "execfile": "exec(open(file).read())",
}


def missing_names(facts: ProgramFacts) -> Iterator[Finding]:
    """A name below `tensorflow` that this TensorFlow, or no TensorFlow, has."""
    for scan in facts.scans:
        stored = _stored(scan)
        reported: set[str] = set()
        for use in sorted(scan.uses, key=lambda use: use.line):
            if scan.is_conditional(use.node) or use.path in stored:
                continue
            missing = _missing(use.path, facts)
            if missing is None:
                continue
            full = f"{missing.parent}.{missing.name}".strip(".")
            if full not in reported:
                reported.add(full)
                yield _say(full, missing, use, scan, facts)


def _missing(path: str, facts: ProgramFacts) -> Missing | None:
    missing = find_missing(path, is_tf1=facts.is_tf1)
    if missing and facts.has_tf1_names and find_missing(path, is_tf1=True) is None:
        return None
    return missing


def _stored(scan: Scan) -> set[str]:
    """Return names that the program itself puts into `tensorflow`: `tf.mul = tf.multiply`."""
    return {
        path
        for node in scan.source.nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and (path := scan.path_of(node))
    }


def _say(full: str, missing: Missing, use: Use, scan: Scan, facts: ProgramFacts) -> Finding:
    where = scan.source.where(use.line)
    kind = "ImportError" if use.is_import else "AttributeError"
    why = f"The program stops there with an {kind}."
    if not full.startswith("compat.") and find_missing(full, is_tf1=not facts.is_tf1) is None:
        return _of_other_era(full, why, where, facts)
    root = "tensorflow" if full.startswith(("python.", "core.", "compiler.")) else "tf"
    reason = say_why(full, is_tf1=facts.is_tf1)
    close = _nearest(full, missing, facts)
    fix = f"write {root}.{close}" if close else "docs/coverage.md lists what there is"
    return Finding(
        "name-missing",
        "error",
        f"There is no {root}.{full}" + (f": {reason}." if reason else "."),
        why,
        fix,
        where,
    )


def _nearest(full: str, missing: Missing, facts: ProgramFacts) -> str:
    """Return the nearest name below `tensorflow`, of this era or, if that is nearer, the other."""
    own = f"{missing.parent}.{missing.close}".strip(".") if missing.close else ""
    other = find_missing(full, is_tf1=not facts.is_tf1)
    if other is None or not other.close or other.parent != missing.parent:
        return own
    if own and _likeness(missing.name, missing.close) >= _likeness(missing.name, other.close):
        return own
    module = "compat.v2" if facts.is_tf1 else "compat.v1"
    return f"{module}.{other.parent}.{other.close}".replace("..", ".")


def _likeness(name: str, other: str) -> float:
    return difflib.SequenceMatcher(None, name.lower(), other.lower()).ratio()


def _of_other_era(full: str, why: str, where: str, facts: ProgramFacts) -> Finding:
    this, other, module = ("1", "2", "v2") if facts.is_tf1 else ("2", "1", "v1")
    return Finding(
        f"name-of-tf{other}",
        "error",
        f"tf.{full} is a name of TensorFlow {other}, and this is a program of TensorFlow {this}"
        + (f" ({facts.era_reason})." if facts.is_tf1 and facts.era_reason else "."),
        why,
        f"write tf.compat.{module}.{full}"
        if not full.startswith(("contrib", "estimator"))
        else f"placewise run --tf{other} {facts.name}",
        where,
    )


def python_2_names(facts: ProgramFacts) -> Iterator[Finding]:
    """A builtin name of Python 2."""
    for scan in facts.scans:
        bound = _bound_names(scan)
        reported: set[str] = set()
        for node in scan.source.nodes:
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            name = node.id
            if name not in _PYTHON_2 or name in bound | reported or hasattr(builtins, name):
                continue
            if scan.is_conditional(node):
                continue
            reported.add(name)
            yield Finding(
                "python-2-name",
                "error",
                f"{name} is a name of Python 2.",
                "The program stops there with a NameError.",
                f"write {_PYTHON_2[name]}",
                scan.source.where(node.lineno),
            )


def _bound_names(scan: Scan) -> set[str]:
    names: set[str] = set()
    for node in scan.source.nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(item.asname or item.name for item in node.names)
            if any(item.name == "*" for item in node.names):
                names.update(_PYTHON_2)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names


def unreadable_files(facts: ProgramFacts) -> Iterator[Finding]:
    """A file that this Python cannot read."""
    for file in facts.unreadable:
        is_old = file.text.startswith(("print ", "exec ")) or "Missing parentheses" in file.message
        is_old = is_old or ("except" in file.text and "," in file.text)
        yield Finding(
            "syntax",
            "error",
            f"This is no Python 3: {file.message}" + (f": {file.text}" if file.text else ""),
            "The program stops before its first line.",
            _syntax_fix(file.file) if is_old else "correct this line",
            file.where,
        )


def _syntax_fix(file: str) -> str:
    if file.endswith(".ipynb"):
        return "it is written for Python 2: write print(...) and the like as Python 3 has them"
    return f"2to3 -w {file}  (it is written for Python 2)"


def skipped_lines(facts: ProgramFacts) -> Iterator[Finding]:
    """Lines of a notebook that only Jupyter runs."""
    for where, line in facts.skipped:
        installs = "pip" in line or "conda" in line or "apt" in line
        yield Finding(
            "notebook-command",
            "note",
            f"placewise run passes over this line of the notebook: {line}",
            "It is a command of Jupyter or of the shell, and no Python.",
            f"run it once in a shell: {line.lstrip('!%')}"
            if installs or line[:1] == "!"
            else "nothing",
            where,
        )


RULES = (unreadable_files, missing_names, python_2_names, skipped_lines)
