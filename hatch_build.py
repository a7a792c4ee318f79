"""Adds to the wheel what is made when it is built: the native module and the man page.

The man page is written from the parser, so that it never lags behind. An editable installation gets
the native module beside the sources. Where it cannot be compiled the wheel is one of Python only.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface):
    """Compiles the native module, and writes placewise.1 before a wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make both, and tell the wheel where they belong."""
        sys.path.insert(0, str(Path(self.root, "tools")))
        import build_native  # noqa: PLC0415 - found by the line above

        if version == "editable":
            build_native.build(Path(self.root, "src", "placewise"))
            return
        self._folder = tempfile.TemporaryDirectory()
        module = build_native.build(Path(self._folder.name))
        if module is not None:
            build_data["force_include"][str(module)] = f"placewise/{module.name}"
            build_data["pure_python"] = False
            build_data["tag"] = build_native.wheel_tag()
        self._write_man_page(build_data)

    def _write_man_page(self, build_data: dict[str, Any]) -> None:
        """Write the page, and let the wheel have it where `man` looks."""
        sys.path.insert(0, str(Path(self.root, "src")))
        from placewise.cli.completion.described import describe  # noqa: PLC0415 - found by the line above
        from placewise.cli.main import build_parser  # noqa: PLC0415 - found by the line above
        from placewise.cli.man import page  # noqa: PLC0415 - found by the line above

        target = Path(self._folder.name, "placewise.1")
        target.write_text(page(*describe(build_parser()), self.metadata.version))
        build_data["shared_data"][str(target)] = "share/man/man1/placewise.1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made: the wheel has it."""
        if version != "editable":
            self._folder.cleanup()
