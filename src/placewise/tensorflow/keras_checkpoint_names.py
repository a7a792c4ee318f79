"""The names under which an estimator of a Keras model keeps its variables in checkpoints.

As TensorFlow 1 names them: after variables (`dense/kernel`, `training/Adam/dense/kernel/m`), or
after layers (`layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE`).
"""

from __future__ import annotations

import re
from typing import Any

_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
# Keras 2's words for what optimizers keep for each variable, by optimizer.
_SLOTS = {
    "RMSprop": {"velocity": "rms", "average_gradient": "mg"},
    "Adadelta": {"accumulated_grad": "accum_grad", "accumulated_delta_var": "accum_var"},
    "Adamax": {"m": "m", "u": "v"},
}
_ADAM = {"momentum": "m", "velocity": "v", "velocity_hat": "vhat"}
_OF_ADAM = ("Adam", "AdamW", "Nadam")


def step_name(by_layers: bool) -> str:
    """Return the name of the global step."""
    return f"estimator_global_step{_VALUE}" if by_layers else "global_step"


def of_variables(model: Any, by_layers: bool) -> dict[str, Any]:
    """Return the variables of a model by their names in checkpoints."""
    if not by_layers:
        return _unique((_path(model, variable), variable) for variable in _all(model))
    return {f"{path}{_VALUE}": variable for path, variable in _by_layers(model, "").items()}


def of_optimizer(model: Any, optimizer: Any, by_layers: bool) -> dict[str, Any]:
    """Return the variables of a built optimizer by their names in checkpoints."""
    kind = type(optimizer).__name__
    found: dict[str, Any] = {}
    owners = {variable.path.replace("/", "_"): variable for variable in model.trainable_variables}
    places = {id(variable): path for path, variable in _by_layers(model, "").items()}
    for variable in optimizer.variables:
        if variable is optimizer._iterations:  # it is the global step
            continue
        owner = _owner(variable.name, owners)
        if owner is None:
            name = variable.name
            found[f"optimizer/{name}{_VALUE}" if by_layers else f"training/{kind}/{name}"] = (
                variable
            )
            continue
        slot = _slot(kind, variable.name[len(owner) + 1 :])
        of = owners[owner]
        if by_layers:
            name = f"{places[id(of)]}/.OPTIMIZER_SLOT/optimizer/{slot}{_VALUE}"
        else:
            name = f"training/{kind}/{_path(model, of)}/{slot}"
        found[name] = variable
    return found


def _slot(kind: str, name: str) -> str:
    return (_ADAM if kind in _OF_ADAM else _SLOTS.get(kind, {})).get(name, name)


def _owner(name: str, owners: dict[str, Any]) -> str | None:
    return max((each for each in owners if name.startswith(f"{each}_")), key=len, default=None)


def _all(model: Any) -> list[Any]:
    """Return weights and the states of random layers, but not what metrics keep."""
    of_metrics = {id(variable) for variable in getattr(model, "metrics_variables", ())}
    optimizer = getattr(model, "optimizer", None)
    of_metrics.update(id(variable) for variable in getattr(optimizer, "variables", ()))
    return [variable for variable in model.variables if id(variable) not in of_metrics]


def _path(model: Any, variable: Any) -> str:
    path = variable.path.removeprefix(f"{model.name}/")
    return re.sub(r"/(lstm|gru|simple_rnn)_cell(_\d+)?/", "/", path)


def _by_layers(layer: Any, prefix: str) -> dict[str, Any]:
    """Return the variables below a layer, by the attributes that lead to them."""
    if hasattr(layer, "_functional") or hasattr(layer, "_operations"):
        children = enumerate(each for each in layer.layers if each.variables)
        inner = {f"layer_with_weights-{number}": child for number, child in children}
    else:
        inner = {
            key: value
            for key, value in vars(layer).items()
            if hasattr(value, "_trainable_variables") and not key.startswith("_")
        }
    found: dict[str, Any] = {}
    for key, child in inner.items():
        for path, variable in _by_layers(child, f"{prefix}{key}/").items():
            found.setdefault(path, variable)
    known = {id(variable) for variable in found.values()}
    own = ((f"{prefix}{each.name}", each) for each in layer.variables if id(each) not in known)
    return {**found, **_unique(own)}


def _unique(pairs: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, variable in pairs:
        free, number = name, 0
        while free in found:
            number += 1
            free = f"{name}_{number}"
        found[free] = variable
    return found
