"""What a public name is, as one line: its kind and, if it can be called, its parameters.

Used on TensorFlow by `record.py` (under Python 3.7 too) and on placewise by the tests, so that both
are described by the same rules.
"""

from __future__ import annotations

import enum
import inspect
import re
import types

PLAIN = (type(None), bool, int, float, str)
UNKNOWN = re.compile(r"\*\w+, \*\*\w+")


def describe(value) -> str:
    """Return `function(x, name=None)`, `class(…)`, `module` or `constant`."""
    kind = kind_of(value)
    if kind not in ("function", "class"):
        return kind
    told = parameters_of(value)
    return kind if told is None else f"{kind}({told})"


def kind_of(value) -> str:
    """Return one of module, class, function, constant."""
    if isinstance(value, types.ModuleType):
        return "module"
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "constant"


def parameters_of(value):
    """Return the parameters as text, or None where Python cannot tell them."""
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        return None  # Python's own, and another in each version
    told = _signature(value)
    if inspect.isclass(value) and is_unknown(told):
        # The __call__ of a metaclass, as tf.Variable has, says nothing: __init__ does.
        told = _signature(value.__init__, skip=1)
    if is_unknown(told):
        spec = getattr(getattr(value, "_tf_decorator", None), "decorator_argspec", None)
        told = told if spec is None else _from_spec(spec)
    # A class that takes anything hands it on: nothing is known. A function means what it says.
    return None if inspect.isclass(value) and is_unknown(told) else told


def is_unknown(told) -> bool:
    """Return whether a signature says no more than that there may be arguments."""
    return told is None or UNKNOWN.fullmatch(told) is not None


def _signature(value, skip=0):
    try:
        told = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    parts = []
    starred = False
    for one in list(told.parameters.values())[skip:]:
        if one.kind is one.VAR_POSITIONAL:
            starred = True
        elif one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            parts.append("*")
        parts.append(_text(one))
    return ", ".join(parts)


def _text(parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    name = stars.get(parameter.kind, "") + parameter.name
    return name if parameter.default is parameter.empty else f"{name}={_default(parameter.default)}"


def _default(value) -> str:
    plain = type(value) in PLAIN
    # Text with brackets or commas would make the line ambiguous to read back.
    return repr(value) if plain and not re.search(r"[,()=]", repr(value)) else "..."


def _from_spec(spec) -> str:
    defaults = list(spec.defaults or ())
    first = len(spec.args) - len(defaults)
    parts = [
        name if index < first else f"{name}={_default(defaults[index - first])}"
        for index, name in enumerate(spec.args)
    ]
    if spec.varargs:
        parts.append("*" + spec.varargs)
    keywords = getattr(spec, "varkw", getattr(spec, "keywords", None))
    if keywords:
        parts.append("**" + keywords)
    return ", ".join(parts)
