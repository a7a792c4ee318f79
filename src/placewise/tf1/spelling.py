"""How TensorFlow 1 spells functions of TensorFlow 2: other parameter names, order and defaults.

`spelled(function, "input, axis=None, dimension=None", dimension="axis")` is `function` with these
parameters; a parameter that TensorFlow 2 calls differently, or does not have, is named after it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.scope import current


def only(old_name: str, old: Any, new_name: str, new: Any) -> Any:
    """Return the one of two spellings of an argument that was given."""
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old


def spelled(
    function: Callable[..., Any],
    parameters: str,
    scope: str | None = None,
    names_result: bool = False,
    **renamed: str | None,
) -> Any:
    """Return `function` with TensorFlow 1's parameters.

    `renamed` maps a parameter to the one of `function` it stands for, or to None when it has no
    effect. What is None is left out of the call. `scope` opens a name scope in graphs, for
    functions that make several ops; with `names_result` the result has the scope's own name.
    """
    names = [part.partition("=")[0].strip() for part in parameters.split(",")]
    lines, required, options = [], [], []
    targets: dict[str, str] = {}
    for part in parameters.split(","):
        name, has_default, default = (each.strip() for each in part.partition("="))
        target = renamed.get(name, name)
        if target is None or (scope is not None and name == "name"):
            continue
        if target in targets:
            first = targets[target]
            lines.append(f"    if {name} is not None:")
            lines.append(f"        {first} = only({name!r}, {name}, {first!r}, {first})")
            continue
        targets[target] = name
        if has_default and default == "None":
            options.append((target, name))
        else:
            required.append((target, name))
    arguments = "".join(f"{target}={name}, " for target, name in required)
    for target, name in options:
        lines.append(f"    if {name} is not None:")
        lines.append(f"        options[{target!r}] = {name}")
    body = [f"def spelled({parameters}):", "    options = {}", *lines]
    if scope is not None and "name" in names:
        body.append("    if current.interpreter.graph is None:")
        body.append(f"        return function({arguments}**options)")
        body.append("    with current.interpreter.graph.name_scope(name or scope) as inside:")
        if names_result:
            body.append("        options['name'] = inside")
        body.append(f"        return function({arguments}**options)")
    else:
        body.append(f"    return function({arguments}**options)")
    space: dict[str, Any] = {
        "function": function,
        "only": only,
        "current": current,
        "scope": scope,
        "COMMA": ",",
        **{each.name: each for each in dtypes.ANY},
    }
    exec(compile("\n".join(body), __file__, "exec"), space)
    made = space["spelled"]
    made.__name__ = made.__qualname__ = getattr(function, "__name__", "spelled")
    made.__doc__ = _described(function, names, renamed)
    return made


def _described(function: Any, names: list[str], renamed: dict[str, str | None]) -> str:
    """Return the text of `function` and what its parameters are called here."""
    meanings = [
        f"`{name}` has no effect" if target is None else f"`{name}` stands for `{target}`"
        for name, target in renamed.items()
        if name in names
    ]
    text = inspect.cleandoc(function.__doc__ or "")
    if not meanings:
        return text
    return f"{text}\n\nAs TensorFlow 1 spells it: {'; '.join(meanings)}."
