"""placewise on a torch device that is not the host, and the tests of that device.

`backend` has the device; with that folder on PYTHONPATH any program finds its four cards.
"""

from pathlib import Path

BACKEND = Path(__file__).parent / "backend"
