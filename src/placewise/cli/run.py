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
        target, *args = module or script
        hook.install("placewise.v1" if _is_old(arguments, module, target) else "placewise")
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


def _is_old(arguments: argparse.Namespace, module: list[str], target: str) -> bool:
    """Return whether the program is one of TensorFlow 1: as told, or as its names say."""
    if arguments.era:
        return bool(arguments.era == "tf1")
    if module:
        return False
    from placewise.cli.era import is_tensorflow_1

    return is_tensorflow_1(target)
