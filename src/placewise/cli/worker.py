"""One worker of `placewise run --workers`: sets its TF_CONFIG, then runs the program."""

from __future__ import annotations

import argparse
import json
import sys

from placewise.cli.run import run
from placewise.core import environment


def main(addresses: str, options: str) -> int:
    """Run the program as the worker whose number torchrun gave."""
    rank, workers = int(environment.read("RANK") or 0), json.loads(addresses)
    task = {"type": "worker", "index": rank}
    environment.put("TF_CONFIG", json.dumps({"cluster": {"worker": workers}, "task": task}))

    return run(argparse.Namespace(**json.loads(options) | {"share": (rank, len(workers))}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
