"""One dry run of `placewise plan`: runs the program, and writes the forecasts of its machines."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from placewise.cli import frames, program
from placewise.cli.run import load, words_of
from placewise.core import environment
from placewise.forecast.dry_run import dry_run
from placewise.forecast.estimate import forecasts


def main(options: str) -> int:
    """Run the program on the first of the machines, and estimate its step on all of them."""
    arguments = argparse.Namespace(**json.loads(options))
    if arguments.place is not None:
        environment.put("PLACEWISE_PLACE", arguments.place)
    words = words_of(arguments)

    def run() -> None:
        program.execute(load(arguments, words[0]), words[1:])

    try:
        seen = dry_run(
            run, arguments.machines[0], steps=arguments.steps, max_seconds=arguments.max_seconds
        )
    except program.CannotRunError as error:
        print(error)
        return error.status
    except BaseException:
        frames.fold(False)
        raise
    served = list(arguments.machines)
    if seen.serves_fewer_gpus and arguments.place is None:
        served += arguments.smaller_machines
    several = forecasts(seen, served, arguments.precision)
    by_machine = {one.machine: one.to_json() for one in several}
    Path(arguments.result).write_text(json.dumps(by_machine))
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1])
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of a program that was ended in the middle may wait for ever.
    os._exit(status)
