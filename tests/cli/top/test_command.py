"""`placewise top` without a terminal: text, JSON, CSV, and what it loads."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys

import pytest

from tests.cli.conftest import Run
from tests.cli.test_devices import HEAVY, cpu_seconds

from .terminal import Terminal


def test_a_pipe_gets_one_frame_as_text(placewise: Run) -> None:
    done = placewise("top", "--simulate", "2xK40c")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Tesla K40c") == 2
    assert "\x1b" not in done.stdout


def test_without_a_gpu_it_says_so_and_shows_the_host(placewise: Run) -> None:
    done = placewise("top", "--once", "--simulate", "0")
    assert "No GPU was found.\n" in done.stdout
    assert " cores, memory " in done.stdout or " core, memory " in done.stdout


def test_json(placewise: Run) -> None:
    said = json.loads(placewise("top", "--json", "--simulate", "V100").stdout)
    assert [gpu["name"] for gpu in said["gpus"]] == ["Tesla V100-SXM2-16GB"]
    assert said["host"]["memory_total_bytes"] > said["host"]["memory_used_bytes"] > 0
    assert said["host"]["load_percent"] is not None


def test_csv_goes_on_with_an_interval_until_it_is_interrupted() -> None:
    command = [sys.executable, "-m", "placewise", "top", "--csv", "--interval", "0.1"]
    with subprocess.Popen([*command, "--simulate", "V100"], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline()]
        while (
            sum(b",gpu,sim" in line for line in lines) < 2
        ):  # programs of other tests have rows, too
            lines.append(child.stdout.readline())
        text = b"".join(lines).decode()
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=20) == 130
    rows = list(csv.DictReader(io.StringIO(text)))
    kinds = [row["kind"] for row in rows if row["kind"] in ("host", "gpu")]
    assert kinds == ["host", "gpu", "host", "gpu"]


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = [sys.executable, "-m", "placewise", "top", "--interval", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(timeout=20) == 0


@pytest.mark.parametrize("variable", [{}, {"PLACEWISE_SIMULATE": "4xK21"}])
def test_a_machine_that_is_none(placewise: Run, variable: dict[str, str]) -> None:
    options = [] if variable else ["--simulate", "4xK21"]
    done = placewise("top", *options, **variable)
    assert done.returncode == 2
    assert "there is no model 'K21'" in done.stderr


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "soon"])
def test_an_interval_that_is_none(placewise: Run, seconds: str) -> None:
    done = placewise("top", "--interval", seconds)
    assert done.returncode == 2
    assert "--interval" in done.stderr


WITHOUT_TEXTUAL = (
    "import sys; sys.modules['textual'] = None\n"
    "from placewise.cli.main import main\n"
    "status = main(['top', '--simulate', 'V100', *sys.argv[1:]])\n"
    f"print([name for name in {HEAVY!r} if name in sys.modules], status)"
)


def test_without_textual_frames_work_and_nothing_heavy_is_loaded() -> None:
    command = [sys.executable, "-c", WITHOUT_TEXTUAL, "--once"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Tesla V100" in done.stdout
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_without_textual_the_live_view_says_what_to_install(tmp_path: object) -> None:
    with Terminal(program=["-c", WITHOUT_TEXTUAL]) as terminal:
        shown = terminal.wait_for("Tesla V100", "pip install 'placewise[top]'", "[] 2")
    assert "--once, --json and --csv work without it." in " ".join(shown.split())


def test_the_first_frame_is_quick(placewise: Run) -> None:
    # All that happens before the first frame of the live view, too, which is drawn before textual
    # is loaded.
    assert cpu_seconds(placewise, "top", "--simulate", "4xV100") < 0.4
