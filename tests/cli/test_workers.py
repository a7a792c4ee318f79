"""`placewise run --workers N`: what the workers are told, what they say, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import time

PROGRAM = (
    "import json, os, sys\n"
    "config = json.loads(os.environ['TF_CONFIG'])\n"
    "print(json.dumps([config['task'], len(config['cluster']['worker']), sys.argv[1:]]))\n"
    "sys.exit(int(sys.argv[1]) if config['task']['index'] == 1 else 0)\n"
)


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "placewise", "run", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_each_worker_is_told_which_one_it_is_and_says_it():
    done = run("--workers", "2", "-c", PROGRAM, "0", "more")
    assert done.returncode == 0, done.stderr
    for index in range(2):
        told = json.dumps([{"type": "worker", "index": index}, 2, ["0", "more"]])
        assert f"[worker {index}] {told}" in done.stdout


def test_the_status_is_that_of_the_first_worker_that_failed():
    done = run("--workers", "2", "--restarts", "1", "-c", PROGRAM, "5")
    assert done.returncode == 5
    assert "placewise run: worker 1 ended with status 5 after 1 restarts" in done.stderr
    assert done.stdout.count("[worker 1]") == 2


def test_ctrl_c_ends_all_workers(tmp_path):
    program = (
        "import os, pathlib, sys, time\n"
        "pathlib.Path(sys.argv[1], os.environ['RANK']).write_text(str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    command = [sys.executable, "-m", "placewise", "run", "--workers", "2", "-c", program]
    started = subprocess.Popen(
        [*command, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    deadline = time.monotonic() + 90
    while not all((tmp_path / n).exists() and (tmp_path / n).read_text() for n in "01"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=60)
    assert started.returncode == 130
    for name in "01":
        assert not os.path.exists(f"/proc/{(tmp_path / name).read_text()}")


def test_a_number_of_workers_that_is_none_is_refused():
    assert run("--workers", "0", "x.py").returncode == 2
    assert "needs a SCRIPT" in run("--workers", "2").stderr


def test_more_workers_than_the_machine_has_room_for_are_refused():
    done = run("--workers", "999999999", "-c", PROGRAM)
    assert done.returncode == 2
    assert "999999999 tasks are too many for this machine" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_that_is_not_there_starts_no_workers():
    done = run("--workers", "2", "nothing.py")
    assert done.returncode == 2
    assert "placewise run: can't open file" in done.stderr
    assert "[worker" not in done.stdout + done.stderr
