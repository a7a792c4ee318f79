"""The folder for files that samples read and write; it goes when the process ends."""

import atexit
import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="placewise-samples-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
