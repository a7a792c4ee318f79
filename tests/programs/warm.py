"""A process with everything loaded, that becomes a `placewise run` of its own for each program.

Started by `running.py`; reads one JSON line a program from its standard input: the arguments of
`placewise`, the folder to run in, where to write what is printed. A forked process is a new one in
all that placewise keeps; only the seconds that loading torch and Keras takes are saved.
"""

import faulthandler
import gc
import importlib
import json
import os
import sys

import torch


def load(with_keras: bool) -> None:
    """Import all the modules that programs will; runs no op and looks at no device."""
    importlib.import_module("PIL.Image")
    for name in ("placewise", "placewise.compat.v1"):
        module = importlib.import_module(name)
        for public in module.__all__:
            getattr(module, public)
    if with_keras:
        # Keras finds `tensorflow` to be placewise, as it is under `placewise run`.
        dir(importlib.import_module("placewise.keras"))


def serve() -> dict:
    """Fork for each request; return what is asked, in the forked process."""
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            return asked
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    sys.exit()


def become(asked: dict) -> None:
    """Take the folder, the environment and the files that the program is to have."""
    os.chdir(asked["folder"])
    os.environ.update(asked["environment"])
    os.environ.pop("TORCH_DEVICE_BACKEND_AUTOLOAD")
    sys.path[1:1] = filter(None, asked["environment"].get("PYTHONPATH", "").split(os.pathsep))
    torch._import_device_backends()
    for number, name in enumerate((os.devnull, asked["stdout"], asked["stderr"])):
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    faulthandler.dump_traceback_later(asked["seconds"], exit=True)


if __name__ == "__main__":
    load("keras" in sys.argv[1:])
    gc.freeze()
    asked = serve()
    become(asked)
    from placewise.cli.main import main

    sys.exit(main(asked["arguments"]))
