"""The package ai-edge-litert, which has the schema of the files and their interpreter."""

from __future__ import annotations

import importlib
from typing import Any

_ADVICE = (
    "TensorFlow Lite needs the package ai-edge-litert, which is not installed"
    "\n  pip install 'placewise[lite]'"
)


def litert(module: str) -> Any:
    """Return a module of ai-edge-litert; raise ImportError with what to install without it."""
    try:
        return importlib.import_module(f"ai_edge_litert.{module}")
    except ModuleNotFoundError as problem:
        if (problem.name or "").split(".")[0] != "ai_edge_litert":
            raise
        raise ImportError(_ADVICE, name="ai_edge_litert") from None
