"""Files that reports and traces are written to: checked before a program runs, one per task."""

from __future__ import annotations

import os
from pathlib import Path


def check_writable(path: str, option: str) -> None:
    """Raise ValueError if a file cannot be written; nothing is left behind."""
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"{option} {path}: it is a folder; give the name of a file in it")
    is_new = not file.exists()
    try:
        with file.open("ab"):
            pass
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ValueError(f"{option} {path}: it cannot be written: {reason}") from None
    if is_new:
        file.unlink(missing_ok=True)


def of_task(path: str, task: str) -> str:
    """Return the file of one task of a cluster.

    >>> of_task("out.html", "worker-1"), of_task("runs/out.json.gz", "ps-0")
    ('out.worker-1.html', 'runs/out.ps-0.json.gz')
    """
    file = Path(path)
    suffixes = "".join(file.suffixes[-2:]) if file.suffix == ".gz" else file.suffix
    stem = file.name.removesuffix(suffixes) if suffixes else file.name
    return str(file.with_name(f"{stem}.{task}{suffixes}"))
