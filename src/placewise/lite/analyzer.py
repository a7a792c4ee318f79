"""`tf.lite.experimental.Analyzer`: a model's operators and tensors as text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from placewise.lite.package import litert


class Analyzer:
    """Prints what a TensorFlow Lite model holds."""

    @staticmethod
    def analyze(
        model_path: str | None = None,
        model_content: bytes | None = None,
        gpu_compatibility: bool = False,
        **kwargs: Any,
    ) -> None:
        """Print the subgraphs, operators and tensors of a model, of a file or of bytes."""
        if not model_path and not model_content:
            raise ValueError("neither `model_path` nor `model_content` is provided")
        content = Path(model_path).read_bytes() if model_path else model_content
        text = litert("_pywrap_analyzer_wrapper").ModelAnalyzer(content, False, gpu_compatibility)
        sys.stdout.write(f"{text}\n")
