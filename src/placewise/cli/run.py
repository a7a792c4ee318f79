"""`placewise run`: an unmodified program, with `import tensorflow` meaning placewise."""

from __future__ import annotations

import argparse
import sys

from placewise.cli import program
from placewise.cli.settings import UnusableError, apply


def run(arguments: argparse.Namespace) -> int:
    """Run the program that the arguments name; what it raises passes through."""
    module: list[str] = arguments.module or []
    script: list[str] = arguments.program or []
    if not (module or script):
        print("placewise run: which program? give SCRIPT or -m MODULE", file=sys.stderr)
        return 2
    from placewise.compat import hook

    try:
        apply(arguments)
        hook.install()
        target, *args = module or script
        found = program.load_module(target) if module else program.load_script(target)
    except UnusableError as error:
        print(f"placewise run: {error}", file=sys.stderr)
        return 2
    except program.CannotRunError as error:
        print(f"placewise run: {error}", file=sys.stderr)
        return error.status
    except BaseException:
        program.hide_own_frames()
        raise
    try:
        program.execute(found, args)
    except BaseException:
        program.hide_own_frames()
        raise
    return 0
