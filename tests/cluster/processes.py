"""Clusters of real processes, for tests: started, killed, stopped and started again.

Tasks are forked from a process that has imported placewise already: a start takes milliseconds.
"""

import multiprocessing
import os
import runpy
import signal
import socket
import sys
import time
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


def free_port():
    """Return a port that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _context():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.cluster.preload"])
    return context


def _run(command, log, environment):
    os.environ.update(environment)
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.argv = command
    runpy.run_path(command[0], run_name="__main__")


class Cluster:
    """The tasks of a program, each a process of its own; output goes to files."""

    def __init__(self, folder, program, jobs, arguments=(), environment=None):
        self.folder, self.program, self.arguments = Path(folder), program, list(arguments)
        self.hosts = {
            job: [f"localhost:{free_port()}" for _ in range(count)] for job, count in jobs.items()
        }
        self.environment = environment or {}
        self.processes = {}

    def start(self, job, task):
        """Start a task, or start it again."""
        hosts = [f"--{name}_hosts={','.join(items)}" for name, items in self.hosts.items()]
        command = [str(PROGRAMS / self.program), *hosts]
        command += [f"--job_name={job}", f"--task_index={task}", *self.arguments]
        log, environment = str(self.log(job, task)), {"OMP_NUM_THREADS": "1", **self.environment}
        process = _context().Process(target=_run, args=(command, log, environment), daemon=True)
        process.start()
        self.processes[job, task] = process

    def start_all(self):
        """Start every task."""
        for job, items in self.hosts.items():
            for task in range(len(items)):
                self.start(job, task)
        return self

    def log(self, job, task):
        """Return the file with what a task printed."""
        return self.folder / f"{job}{task}.log"

    def output(self, job, task):
        """Return what a task printed so far."""
        log = self.log(job, task)
        return log.read_text() if log.exists() else ""

    def signal(self, job, task, number=signal.SIGKILL):
        """Send a signal to a task."""
        os.kill(self.processes[job, task].pid, number)
        if number == signal.SIGKILL:
            self.processes[job, task].join()

    def wait_for(self, job, task, text, seconds=60):
        """Wait until a task has printed a text."""
        end = time.monotonic() + seconds
        while text not in self.output(job, task):
            if time.monotonic() > end:
                raise TimeoutError(f"{job}{task} did not print {text!r}: {self.output(job, task)}")
            if self.processes[job, task].exitcode not in (None, 0):
                raise RuntimeError(f"{job}{task} ended: {self.output(job, task)}")
            time.sleep(0.02)

    def join(self, job, task, seconds=120):
        """Return the exit status of a task."""
        process = self.processes[job, task]
        process.join(seconds)
        if process.exitcode is None:
            raise TimeoutError(f"{job}{task} still runs: {self.output(job, task)}")
        return process.exitcode

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for process in self.processes.values():
            if process.exitcode is None:
                os.kill(process.pid, signal.SIGCONT)
                process.kill()
                process.join()
