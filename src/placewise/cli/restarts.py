"""What is said when workers are started anew, from what torchrun's launcher logs about it."""

from __future__ import annotations

import logging
import signal
import sys

_AGENT = "torch.distributed.elastic.agent.server.api"
_PROCESSES = "torch.distributed.elastic.multiprocessing.api"


class Restarts(logging.Handler):
    """Says which worker failed and which restart this is; the launcher's own words are dropped."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._failed = "a worker failed"
        for name in (_AGENT, _PROCESSES):
            logger = logging.getLogger(name)
            logger.handlers[:], logger.propagate = [self], False
            logger.setLevel(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        """Take notice of a failure, and say that the workers are started anew."""
        args = record.args if isinstance(record.args, tuple) else ()
        if record.name == _PROCESSES and "exitcode" in record.msg:
            self._failed = f"worker {args[1]} {how_it_ended(int(str(args[0])))}"
        elif record.name == _AGENT and "attempts left" in record.msg:
            left, most = int(str(args[2])), int(str(args[3]))
            print(
                f"placewise run: {self._failed}; all workers are started anew, restart "
                f"{most - left + 1} of {most}",
                file=sys.stderr,
            )


def how_it_ended(status: int) -> str:
    """Return how a process ended, from its exit status as Python has it.

    >>> how_it_ended(-9), how_it_ended(3)
    ('was ended by SIGKILL', 'ended with status 3')
    """
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
