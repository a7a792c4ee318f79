"""Compiles the C files of `src/placewise/native` into the module `placewise._native`.

    python tools/build_native.py    # for the sources' folder: an editable installation has it then

Without a compiler or Python's headers nothing is written and the reason is printed: placewise works
without, its loops are in Python then. Used by hatch_build.py, with the standard library only.
"""

from __future__ import annotations

import os
import platform
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "placewise" / "native"
FILE_NAME = "_native.abi3.so"
# No contraction to FMA: numbers are the same on every processor.
FLAGS = ("-std=c11", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-Wall", "-Wextra")
# Nobody reads errno or floating-point traps; loops with choices become wide without them.
FLAGS += ("-fno-math-errno", "-fno-trapping-math")
FLAGS += ("-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Wno-cast-function-type")
LINK = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)


def wheel_tag() -> str:
    """Return the tag of a wheel with the module: this platform, Python 3.11 and later."""
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp311-abi3-{system}"


def build(folder: Path) -> Path | None:
    """Compile into a folder and return the file; None, with the reason printed, if it cannot be."""
    reason = _obstacle()
    if reason is None:
        reason = _compile(folder / FILE_NAME)
    if reason is None:
        return folder / FILE_NAME
    print(f"placewise is installed without its native module: {reason}", file=sys.stderr)
    return None


def _obstacle() -> str | None:
    if sys.platform == "win32" or platform.python_implementation() != "CPython":
        return f"{platform.python_implementation()} on {sys.platform} has no build of it"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "this Python has no limited API"
    if not _compiler():
        return "no C compiler is on the path"
    header = Path(sysconfig.get_path("include"), "Python.h")
    return None if header.is_file() else f"{header} is missing"


def _compiler() -> list[str]:
    configured = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    for command in filter(None, configured):
        words = shlex.split(command)
        if shutil.which(words[0]):
            return words
    return []


def _compile(target: Path) -> str | None:
    """Compile, and return what went wrong. A running process keeps the file that it loaded."""
    described = runpy.run_path(str(SOURCES / "sources.py"))
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    command = [*_compiler(), *FLAGS, *LINK, f"-I{sysconfig.get_path('include')}"]
    command += [f"-DSOURCES_FINGERPRINT={described['fingerprint'](SOURCES)}u"]
    command += [*map(str, described["sources"](SOURCES)), "-lm", "-o", str(partial)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            return f"{command[0]} failed:\n{done.stderr}"
        partial.replace(target)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        partial.unlink(missing_ok=True)
    return None


if __name__ == "__main__":
    built = build(SOURCES.parent)
    print(built or "not built")
