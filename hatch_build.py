"""Adds the man page to the wheel: written from the parser, so that it never lags behind."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManPageHook(BuildHookInterface):
    """Writes placewise.1 before a wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the page, and let the wheel have it where `man` looks."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "src")))
        from placewise.cli.completion.described import describe  # noqa: PLC0415 - found by the line above
        from placewise.cli.main import build_parser  # noqa: PLC0415 - found by the line above
        from placewise.cli.man import page  # noqa: PLC0415 - found by the line above

        self._folder = tempfile.TemporaryDirectory()
        target = Path(self._folder.name, "placewise.1")
        target.write_text(page(*describe(build_parser()), self.metadata.version))
        build_data["shared_data"][str(target)] = "share/man/man1/placewise.1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the page: the wheel has it."""
        if version != "editable":
            self._folder.cleanup()
