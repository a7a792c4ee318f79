"""The names that programs use most have docstrings that help: parameters, and an example."""

import inspect
import itertools
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import placewise as tf
import placewise.compat.v1 as tf1
from tests.surface.surface import read

from .examples import MARK, SOURCE, Text, failures, texts_of_source

COUNT = 200
ROOTS = {"tf2": tf, "tf1": tf1}

# Whose documentation is not ours to write.
OF_OTHERS = {
    "keras": "Keras has its own",
    "app.flags": "absl has its own",
}


class Name(NamedTuple):
    """A public function or class, by the first of its names."""

    path: str
    era: str
    value: Any

    def __str__(self) -> str:
        return f"{self.era}-{self.path}"


def _used() -> Iterator[Name]:
    """Yield the functions and classes of the list of usage, most used first, each once."""
    seen = set()
    for path, era, _ in read("usage.json"):
        if any(path == other or path.startswith(f"{other}.") for other in OF_OTHERS):
            continue
        value: Any = ROOTS[era]
        for part in path.split("."):
            value = getattr(value, part, None)
        if (inspect.isroutine(value) or inspect.isclass(value)) and id(value) not in seen:
            seen.add(id(value))
            yield Name(path, era, value)


@cache
def most_used() -> list[Name]:
    """Return the most used names."""
    return list(itertools.islice(_used(), COUNT))


def _parameters(value: Any) -> set[str]:
    """Return the parameters that a docstring has to explain: all but `name` and *args, **kwargs."""
    own = inspect.signature(value).parameters.values()
    if inspect.isclass(value) and all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in own):
        own = inspect.signature(value.__init__).parameters.values()
    named = (p.name for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return set(named) - {"self", "name"}


def _unexplained(value: Any) -> set[str]:
    """Return the parameters, or fields of a message, that its docstring does not mention."""
    is_message = hasattr(value, "DESCRIPTOR")
    names = (f.name for f in value.DESCRIPTOR.fields) if is_message else _parameters(value)
    return {name for name in names if not re.search(rf"\b{name}\b", value.__doc__ or "")}


def test_docstrings_explain_all_parameters():
    unexplained = {str(name): _unexplained(name.value) for name in most_used()}
    assert {name: missing for name, missing in unexplained.items() if missing} == {}


def test_docstrings_have_an_example():
    assert [str(name) for name in most_used() if MARK not in (name.value.__doc__ or "")] == []


def test_docstrings_begin_with_one_sentence():
    for name in most_used():
        summary, _, rest = inspect.cleandoc(name.value.__doc__).partition("\n")
        assert summary.endswith((".", ":")) and rest.startswith("\n"), name


def test_examples_of_docstrings_made_at_run_time_hold():
    written = {inspect.cleandoc(text.content) for text in texts_of_source()}
    for name in most_used():
        example = inspect.cleandoc(name.value.__doc__)
        if example not in written:
            report = failures(Text(example, SOURCE, 1), {"tf": tf, "np": np})
            assert not report, report
