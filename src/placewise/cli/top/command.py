"""The command `placewise top`: the live view on a terminal, else frames as text, JSON or CSV."""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
import time
from collections.abc import Callable

from placewise.cli import leases
from placewise.cli.errors import UnusableError
from placewise.cli.lease_files import Lease
from placewise.cli.top.export import to_csv, to_json
from placewise.cli.top.plain import to_text
from placewise.cli.top.snapshot import Snapshot, summarize
from placewise.core import environment
from placewise.devices.machine import parse_machine
from placewise.monitor.frame import Monitor
from placewise.monitor.processes import find_openers

_INSTALL = (
    "placewise top: the live view needs the package textual; install it with "
    "pip install 'placewise[top]'. --once, --json and --csv work without it."
)
# The load of the host is that of the time between two readings, and clocks tick 100 times a second.
_SETTLE_SECONDS = 0.1
DEFAULT_INTERVAL_SECONDS = 2.0


def top(arguments: argparse.Namespace) -> int:
    """Show what cards and programs do, until the user has seen enough."""
    try:
        machine = _machine(arguments.simulate)
    except UnusableError as error:
        print(f"placewise top: {error}", file=sys.stderr)
        return 2
    began = time.monotonic()
    monitor = Monitor(machine)
    is_live = sys.stdout.isatty() and not (arguments.once or arguments.json or arguments.csv)
    if is_live and importlib.util.find_spec("textual") is not None:
        return _live(arguments, monitor)
    time.sleep(max(began + _SETTLE_SECONDS - time.monotonic(), 0))
    try:
        _write_frames(arguments, lambda: take(monitor), repeats=not (arguments.once or is_live))
    except KeyboardInterrupt:
        return 130
    if is_live:
        print(_INSTALL, file=sys.stderr)
        return 2
    return 0


def take(monitor: Monitor) -> Snapshot:
    """Return what there is now."""
    held, gone = leases.look()
    return summarize(monitor.read(lease.pid for lease in held), held, gone, _holders)


def _holders(lease: Lease) -> list[int]:
    return find_openers(f"/placewise-lease-{lease.pid}-")


def _machine(simulate: str | None) -> str | None:
    said = "--simulate" if simulate is not None else "PLACEWISE_SIMULATE"
    machine = simulate if simulate is not None else environment.read("PLACEWISE_SIMULATE")
    if simulate is None and not (machine or "").strip():
        return None
    try:
        parse_machine(machine or "")
    except ValueError as error:
        raise UnusableError(f"{said} {machine}: {error}") from None
    return machine


def _write_frames(
    arguments: argparse.Namespace, take_snapshot: Callable[[], Snapshot], *, repeats: bool
) -> None:
    """Write one frame, or one after the other if an interval was asked for."""
    count = 0
    while True:
        due = time.monotonic() + (arguments.interval or 0)
        snapshot = take_snapshot()
        if arguments.json:
            indent = None if repeats and arguments.interval else 2
            text = json.dumps(to_json(snapshot), indent=indent) + "\n"
        elif arguments.csv:
            text = to_csv(snapshot, with_header=count == 0)
        else:
            text = ("\n" if count else "") + to_text(snapshot)
        sys.stdout.write(text)
        sys.stdout.flush()
        if not repeats or not arguments.interval:
            return
        count += 1
        time.sleep(max(due - time.monotonic(), 0))


def _live(arguments: argparse.Namespace, monitor: Monitor) -> int:
    snapshot = take(monitor)
    # Drawn before textual is loaded, which takes longer than all else: a frame is seen at once.
    size = shutil.get_terminal_size()
    lines = [line[: size.columns] for line in to_text(snapshot).splitlines()]
    sys.stdout.write("\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H" + "\r\n".join(lines[: size.lines]))
    sys.stdout.flush()
    from placewise.cli.top.app import TopApp  # noqa: PLC0415 - textual takes a while to load

    interval = arguments.interval or DEFAULT_INTERVAL_SECONDS
    TopApp(lambda: take(monitor), interval, snapshot).run()
    return 0
