"""Reads the case tables of `cases/` into a flat list of named cases.

A topic module holds up to four tables, all plain data:
LINES and ERRORS (text, one or more expressions a line with commas between, each of them a case;
an indented line continues the one above; those of ERRORS must raise), FAMILIES (templates whose
`<word>` is filled with each value in turn; either outcome is fine) and SNIPPETS (text, statements
separated by blank lines, the last one an expression whose value is the answer). Options follow
`#:` at the end of a line, or stand on a `#:` line at the top of a snippet.
"""

import ast
import importlib
import itertools
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from . import cases

OPTIONS = {"rtol", "atol", "exact", "signed_zero", "exact_message", "any_message", "raises"}


@dataclass(frozen=True)
class Case:
    """One question: code, the options of its comparison, and whether it should raise."""

    topic: str
    index: int
    name: str
    code: str
    should_raise: bool | None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """`topic:index:name`, where index counts the topic's cases of that name."""
        return f"{self.topic}:{self.index}:{self.name}"


def topics() -> list[str]:
    """The names of all topics, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(cases.__path__))


def load_topic(topic: str) -> list[Case]:
    """All cases of one topic, in file order, without repetitions."""
    module = importlib.import_module(f"{cases.__name__}.{topic}")
    seen: set[str] = set()
    counts: Counter[str] = Counter()
    result = []
    for code, should_raise, options in _entries(module):
        if code in seen:
            continue
        seen.add(code)
        unknown = set(options) - OPTIONS
        if unknown:
            raise ValueError(f"{topic}: unknown options {sorted(unknown)} in {code!r}")
        name = short_name(code)
        result.append(Case(topic, counts[name], name, code, should_raise, options))
        counts[name] += 1
    return result


def short_name(code: str) -> str:
    """The public name the code is about: the first `tf.` path called, past mere input makers."""
    paths = re.findall(r"\btf(?:\.[A-Za-z_]\w*)+(?=\()", code)
    paths = paths or re.findall(r"\btf(?:\.[A-Za-z_]\w*)+", code)
    makers = ("tf.constant", "tf.Variable", "tf.GradientTape", "tf.random.set_seed")
    for path in paths:
        if path not in makers and not path.startswith("tf.errors"):
            return path
    return paths[-1] if paths else re.sub(r"\W+", "_", code)[:30].strip("_")


def _entries(module: ModuleType) -> Iterator[tuple[str, bool | None, dict[str, Any]]]:
    for code, options in _lines(getattr(module, "LINES", "")):
        yield code, False, options
    for template, words, *rest in getattr(module, "FAMILIES", []):
        for code in _expand(template, words):
            yield code, None, dict(rest[0]) if rest else {}
    for code, options in _snippets(getattr(module, "SNIPPETS", "")):
        yield code, bool(options.get("raises", False)), options
    for code, options in _lines(getattr(module, "ERRORS", "")):
        yield code, True, options


def _lines(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    joined: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] == " " and joined:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.rstrip())
    for line in joined:
        code, _, options = line.partition("  #: ")
        for expression in _split(code.strip()):
            yield expression, _options(options)


def _split(code: str) -> list[str]:
    body = ast.parse(code, mode="eval").body
    if not isinstance(body, ast.Tuple) or code.startswith("("):
        return [code]
    return [ast.get_source_segment(code, item) or code for item in body.elts]


def _snippets(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.splitlines()
        options: dict[str, Any] = {}
        if lines and lines[0].startswith("#: "):
            options = _options(lines.pop(0)[3:])
        if lines:
            yield "\n".join(lines), options


def _options(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    call = ast.parse(f"options({text})", mode="eval").body
    if not isinstance(call, ast.Call):
        raise ValueError(f"not a list of options: {text!r}")
    return {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}


def _expand(template: str, words: dict[str, str | list[str]]) -> Iterator[str]:
    values = [w.split() if isinstance(w, str) else w for w in words.values()]
    for combination in itertools.product(*values):
        code = template
        for word, value in zip(words, combination, strict=True):
            code = code.replace(f"<{word}>", value)
        yield code
