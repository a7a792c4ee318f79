"""Beginning with the values of another model: `WarmStartSettings`."""

from __future__ import annotations

import os
import re
from collections import namedtuple
from typing import Any

from placewise.core.log import get_logger
from placewise.graph.collections import GraphKeys, get_collection
from placewise.saving.init_from_checkpoint import init_from_checkpoint
from placewise.saving.reader import list_variables


class WarmStartSettings(
    namedtuple(
        "WarmStartSettings",
        (
            "ckpt_to_initialize_from",
            "vars_to_warm_start",
            "var_name_to_vocab_info",
            "var_name_to_prev_var_name",
        ),
    )
):
    """Which variables begin with values of which checkpoint."""

    def __new__(
        cls,
        ckpt_to_initialize_from: Any,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: Any = None,
        var_name_to_prev_var_name: Any = None,
    ) -> WarmStartSettings:
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        if var_name_to_vocab_info:
            raise NotImplementedError(
                "WarmStartSettings: vocabularies that changed are not supported here"
            )
        # A model function may fill the names when it has made its variables.
        names = {} if var_name_to_prev_var_name is None else var_name_to_prev_var_name
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start, {}, names)


def settings_of(given: Any) -> WarmStartSettings | None:
    """Return the settings that a path or settings stand for."""
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if isinstance(given, (str, os.PathLike)):
        return WarmStartSettings(os.fspath(given))
    raise ValueError(
        f"warm_start_from must be a string or a WarmStartSettings, instead got {type(given)}"
    )


def apply(settings: WarmStartSettings | None, trained: int) -> None:
    """Have the default graph's variables begin with a checkpoint's values, if not trained yet."""
    if settings is None or trained > 0:
        return
    get_logger().info("Warm-starting with WarmStartSettings: %s", settings)
    pattern = settings.vars_to_warm_start
    kept = get_collection(GraphKeys.TRAINABLE_VARIABLES)
    if isinstance(pattern, str) and pattern != ".*":
        kept = [each for each in kept if re.search(pattern, each.op.name)]
    elif isinstance(pattern, list):
        kept = [
            each
            for each in get_collection(GraphKeys.GLOBAL_VARIABLES)
            if any(re.search(one, each.op.name) for one in pattern)
        ]
    elif pattern is None:
        kept = []
    there = {name for name, _ in list_variables(settings.ckpt_to_initialize_from)}
    names = settings.var_name_to_prev_var_name
    wanted = {names.get(each.op.name, each.op.name): each for each in kept}
    init_from_checkpoint(
        settings.ckpt_to_initialize_from,
        {name: each for name, each in wanted.items() if name in there},
    )
