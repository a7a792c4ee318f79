"""Compiles the device once and keeps it in the user's cache; `NotBuiltError` says why it cannot.

What is kept is named after its sources, torch and Python, so that a change of any builds anew.
Processes that build at the same time wait for the first. Run as a program, it compiles: that loads
the device, which the process that asked may not want yet.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

NAME = "test_accelerator_native"
FOLDER = Path(__file__).parent / "native"
SOURCES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".cpp", ".h"))
_OP = re.compile(r"^- func: (\w+(?:\.\w+)?)\(", re.MULTILINE)


class NotBuiltError(Exception):
    """The device cannot be compiled here; says what is missing."""


def cache() -> Path:
    """Return the folder for everything that is compiled."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "test-accelerator"


def versions() -> str:
    """Return what compiled code depends on beside its sources."""
    import torch

    return f"{torch.__version__} {sys.version} {sysconfig.get_platform()}"


def library() -> Path:
    """Return where the compiled device is, or will be."""
    key = hashlib.sha256(versions().encode())
    for source in (*SOURCES, Path(__file__)):
        key.update(source.name.encode() + b"\0" + source.read_bytes())
    return cache() / key.hexdigest()[:16] / f"{NAME}{EXTENSION_SUFFIXES[-1]}"


def build() -> Path:
    """Return the compiled device, after compiling it if need be."""
    target = library()
    if target.exists():
        return target
    check_tools()
    target.parent.mkdir(parents=True, exist_ok=True)
    with (cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            compile_apart(target)
    return target


def check_tools() -> None:
    """Raise NotBuiltError where something that compiling needs is missing."""
    if sys.platform != "linux":
        raise NotBuiltError("the test device needs Linux, for its memory files")
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        raise NotBuiltError(f"there is no C++ compiler: {compiler} is not found")
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        raise NotBuiltError("there are no headers of Python: Python.h is not found")
    if shutil.which("ninja", path=tool_path()) is None:
        raise NotBuiltError("there is no ninja: pip install ninja")


def tool_path() -> str:
    """Return PATH with the folder of this Python: a virtual environment need not be active."""
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))


def compile_apart(target: Path) -> None:
    """Compile in a process of its own, and put the result where `library` says."""
    variables = {**os.environ, "PATH": tool_path(), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    done = subprocess.run(
        [sys.executable, __file__, str(target)],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotBuiltError(f"the test device does not compile:\n{done.stdout}{done.stderr}")


def compile_sources(target: Path) -> None:
    """Compile what changed since the last time, and put the result at `target`."""
    from torch.utils import cpp_extension

    kept = hashlib.sha256(f"{FOLDER} {versions()}".encode()).hexdigest()[:16]
    work = cache() / f"objects-{kept}"
    work.mkdir(parents=True, exist_ok=True)
    write_if_changed(work / "unchecked_ops.h", unchecked_ops())
    module = cpp_extension.load(
        NAME,
        [str(source) for source in SOURCES if source.suffix == ".cpp"],
        extra_cflags=["-O1", "-g0", "-Wall"],
        extra_include_paths=[str(work)],
        build_directory=str(work),
    )
    # Other processes see the whole file or none.
    beside = target.with_suffix(f".{os.getpid()}")
    shutil.copyfile(module.__file__, beside)
    beside.replace(target)


def write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def unchecked_ops() -> str:
    """Return C++ with the ops whose devices CUDA leaves to TensorIterator, by torch's own list."""
    import torchgen

    table = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    parts = _OP.split(table.read_text(encoding="utf-8"))
    lines = [
        f'    "{name}",\n'
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
        if "device_check: NoCheck" in text
    ]
    return f"constexpr const char* kUncheckedOps[] = {{\n{''.join(lines)}}};\n"


if __name__ == "__main__":
    compile_sources(Path(sys.argv[1]))
