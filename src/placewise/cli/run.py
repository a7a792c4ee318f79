"""`placewise run`: an unmodified program, with `import tensorflow` meaning placewise."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from placewise.cli import frames, program
from placewise.cli.era import Era, judge
from placewise.cli.errors import NoneFreeError, UnusableError
from placewise.cli.recording import check_files, recorded
from placewise.cli.settings import apply
from placewise.core import namespace
from placewise.core.era import begin_program
from placewise.monitor import publisher
from placewise.tensorflow import hook
from placewise.watchdog import watchdog

# The exit status of BSD's sysexits for "try again later".
TRY_LATER = 75


if TYPE_CHECKING:
    from placewise.cli.era import Era


def run(arguments: argparse.Namespace) -> int:
    """Run the program that the arguments name; what it raises passes through."""
    full = arguments.traceback == "full"
    try:
        return _run(arguments, full)
    except UnusableError as error:
        print(f"placewise run: {error}", file=sys.stderr)
        return 2
    except NoneFreeError as error:
        print(f"placewise run: {error}", file=sys.stderr)
        return TRY_LATER
    except program.CannotRunError as error:
        print(f"placewise run: {error}", file=sys.stderr)
        return error.status
    except BaseException:
        frames.fold(full)
        raise


def _run(arguments: argparse.Namespace, full: bool) -> int:
    given = words_of(arguments)
    check_files(arguments)
    apply(arguments)
    _publish(arguments, given)
    found = load(arguments, given[0])
    frames.fold_threads(full)
    if arguments.watch:
        watchdog.start(arguments.watch, shows_all=True)
    with recorded(arguments, given[0]):
        program.execute(found, given[1:])
    return 0


def _publish(arguments: argparse.Namespace, given: list[str]) -> None:
    """Let `placewise top` see what the program does."""
    flag = ["-m"] * bool(arguments.module) + ["-c"] * bool(arguments.text)
    target = " ".join([*flag, *given])
    if arguments.share is None:
        publisher.start(" ".join(["placewise", *sys.argv[1:]]), target)
    else:
        rank, workers = arguments.share
        publisher.start(f"placewise run --workers {workers} {target}", f"[worker {rank}] {target}")


def words_of(arguments: argparse.Namespace) -> list[str]:
    """Return the program and its arguments; raise UnusableError if there is none."""
    given: list[str] = arguments.module or arguments.text or arguments.program
    if not given:
        raise UnusableError("which program? give SCRIPT, - for standard input, or -m MODULE")
    return given


def load(arguments: argparse.Namespace, target: str) -> program.Program:
    """Return the program, with the hook in place for the TensorFlow it was written for."""
    if arguments.module:
        _install(arguments, program.find_text(target))
        return program.load_module(target)
    if arguments.text:
        text: program.Text | None = program.given_text(target, "<string>")
        argv0 = "-c"
    elif target == "-":
        text = program.given_text(sys.stdin.read(), "<stdin>")
        argv0 = "-"
    else:
        text = program.read_text(target)
        argv0 = target
    _install(arguments, text or program.archive_text(target))
    return program.compile_text(text, argv0) if text else program.load_archive(target)


def _install(arguments: argparse.Namespace, text: program.Text | None) -> None:
    era = _era(arguments, text)
    if arguments.verbose:
        number = 1 if era.is_old else 2
        print(f"placewise run: TensorFlow {number}: {era.why}", file=sys.stderr)
    namespace.TF1_NAMES.on = era.with_old_names
    begin_program()
    hook.install("placewise.v1" if era.is_old else "placewise")


def _era(arguments: argparse.Namespace, text: program.Text | None) -> Era:
    """Return whether the program is one of TensorFlow 1, as told or as its names say, and why."""
    if arguments.era:
        return Era(arguments.era == "tf1", f"--{arguments.era} says so")
    if text is None:
        return Era(False, "its text was not found")
    if text.asks_for_old:
        return Era(True, "%tensorflow_version 1.x says so")
    return judge(text.source, text.file, Path(text.folder))
