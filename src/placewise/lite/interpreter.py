"""The interpreter of TensorFlow Lite models: ai-edge-litert's, where it is installed."""

from __future__ import annotations

from typing import Any

from placewise.lite.package import litert

try:
    _module: Any = litert("interpreter")
except ImportError:
    _module = None


class _Absent:
    """Says what to install, when it is used."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        litert("interpreter")


Interpreter: Any = _module.Interpreter if _module else _Absent
OpResolverType: Any = _module.OpResolverType if _module else _Absent
load_delegate: Any = _module.load_delegate if _module else _Absent
