"""Compiles the test device before the tests run; says why where that cannot be."""

import os
import sys

from tests.accelerator import BACKEND

if __name__ == "__main__":
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # compiling comes first
    sys.path.insert(0, str(BACKEND))
    from test_accelerator.build import NotBuiltError, build

    try:
        build()
    except NotBuiltError as error:
        print(f"the tests of tests/accelerator are skipped: {error}")
