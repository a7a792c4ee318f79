"""`placewise devices`: what it prints, for whom, how fast, and what it loads for that."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placewise.cli.devices import write
from placewise.cli.models import HEADER
from placewise.cli.table import lines, remarks, to_json
from placewise.devices import inventory, nvml
from placewise.devices.cards import find_model
from placewise.devices.facts import Card
from placewise.devices.report import Machine, describe_machine

from .conftest import Run

K20X4 = "K20m@02:00.0,K20m@03:00.0,K20m@83:00.0,K20m@84:00.0"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Machine]:
    """Return a function that describes a simulated machine under an environment."""

    def describe(text: str, **environment: str) -> Machine:
        for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "PLACEWISE_SIMULATE"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with inventory.simulate(text):
            return describe_machine()

    return describe


def table(text: str) -> list[list[str]]:
    """Return the cells of plain output, up to the first empty line."""
    rows = text.partition("\n\n")[0].splitlines()
    return [re.split(r"  +", row) for row in rows]


def test_every_card_has_all_its_names(placewise: Run) -> None:
    done = placewise("devices", "--simulate", K20X4)
    head, cpu, *cards = table(done.stdout)
    assert head[:5] == ["TensorFlow", "CUDA", "nvidia-smi", "bus id", "model"]
    assert cpu[:4] == ["CPU:0", "-", "-", "-"]
    assert [card[:7] for card in cards] == [
        [f"GPU:{i}", str(i), str(i), f"0000:{bus}:00.0", "Tesla K20m", "3.5", "2 MiB / 5 GiB"]
        for i, bus in enumerate(("02", "03", "83", "84"))
    ]
    assert all(card[9].startswith("GPU-") and len(card[9]) == 40 for card in cards)
    assert f"Simulated machine: {K20X4}\n" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_all_models_are_listed_and_can_be_simulated(placewise: Run) -> None:
    head, *models = table(placewise("devices", "--models").stdout)
    assert head == list(HEADER)
    names = [model[0] for model in models]
    assert {"K20m", "V100", "A100-80GB", "T4", "H100"} <= set(names)
    assert all(find_model(name) is not None for name in names)
    documents = json.loads(placewise("devices", "--models", "--json").stdout)
    assert [document["model"] for document in documents] == names
    (card,) = [document for document in documents if document["model"] == "A100-80GB"]
    assert "1g.10gb" in card["slices"]
    assert card["memory_bytes"] == 80 << 30


def test_a_slice_of_a_card_has_its_part_of_the_memory(placewise: Run) -> None:
    done = placewise("devices", "--simulate", "A100-80GB/MIG-1g.10gb")
    assert "NVIDIA A100-SXM4-80GB MIG 1g.10gb" in done.stdout
    assert "2 MiB / 9.5 GiB" in done.stdout


def test_a_masked_card_says_what_hides_it(placewise: Run) -> None:
    done = placewise("devices", "--simulate", K20X4, CUDA_VISIBLE_DEVICES="2,1")
    cards = table(done.stdout)[2:]
    assert [card[:4] for card in cards] == [
        ["GPU:0", "0", "2", "0000:83:00.0"],
        ["GPU:1", "1", "1", "0000:03:00.0"],
        ["-", "-", "0", "0000:02:00.0"],
        ["-", "-", "3", "0000:84:00.0"],
    ]
    assert [card[10:] for card in cards[:2]] == [[], []]
    hidden = ["hidden by CUDA_VISIBLE_DEVICES='2,1'"]
    assert [card[10:] for card in cards[2:]] == [hidden, hidden]


def test_all_cards_masked(placewise: Run) -> None:
    done = placewise("devices", CUDA_VISIBLE_DEVICES="-1", PLACEWISE_SIMULATE="2xV100")
    assert "No GPU can be used:\n  CUDA_VISIBLE_DEVICES='-1' hides all 2 cards.\n" in done.stdout


def test_a_machine_without_gpus_says_so(placewise: Run) -> None:
    done = placewise("devices", "--simulate", "0")
    assert len(table(done.stdout)) == 2
    assert "No GPU can be used" in done.stdout


def test_without_gpus_it_says_why_and_what_to_do() -> None:
    with inventory.simulate("0"):
        real = replace(describe_machine(), simulated=None, reasons=("there is no driver",))
    assert remarks(real) == [
        "No GPU can be used:",
        "  there is no driver.",
        "To run a program as if there were GPUs: placewise run --simulate 4xV100 program.py",
    ]


def test_this_machine_is_described(placewise: Run) -> None:
    done = placewise("devices")
    assert done.returncode == 0, done.stderr
    assert table(done.stdout)[1][0] == "CPU:0"


def test_json_holds_all_of_it(placewise: Run) -> None:
    done = placewise("devices", "--simulate", "K40c@05:00.0", "--json")
    said = json.loads(done.stdout)
    (gpu,) = said["gpus"]
    assert gpu["tensorflow"] == ["/device:GPU:0"]
    assert gpu["physical"] == "/physical_device:GPU:0"
    assert (gpu["cuda_index"], gpu["nvidia_smi_index"]) == (0, 0)
    assert gpu["bus_id"] == "0000:05:00.0"
    assert gpu["model"] == "Tesla K40c"
    assert gpu["compute_capability"] == "3.5"
    assert gpu["memory_total_bytes"] == 12 << 30
    assert gpu["simulated"] is True
    assert gpu["hidden_by"] is None
    assert said["cpu"]["tensorflow"] == ["/device:CPU:0"]


def test_what_real_cards_report(machine: Any) -> None:
    described = machine("2xV100")
    users = (
        nvml.Process(41, "/usr/bin/python3", 3 << 30),
        nvml.Process(42, "", None),
    )
    busy = nvml.Reading(16 << 30, 4 << 30, 87, 61, 210.5, users)
    rows = (replace(described.rows[0], reading=busy), described.rows[1])
    described = replace(described, rows=rows)
    line = lines(described)[1]
    assert (line.memory, line.load) == ("4 GiB / 16 GiB", "87%")
    assert line.users == "python3 41 (3 GiB), pid 42"
    entry = to_json(described)["gpus"][0]
    assert entry["utilisation_percent"] == 87
    assert entry["processes"][1] == {"pid": 42, "name": "", "used_bytes": None}


def test_cards_that_torch_cannot_use_are_listed(machine: Any) -> None:
    described = machine("0")
    card: Card = machine("A100").rows[0].card
    described = replace(described, simulated=None, unusable=(card,), reasons=("torch is CPU only",))
    out = io.StringIO()
    write(described, out)
    assert "NVIDIA A100" in out.getvalue()
    assert "cannot be used: see below\n" in out.getvalue()
    assert "  torch is CPU only.\n" in out.getvalue()
    assert to_json(described)["unusable"][0]["uuid"] == card.uuid


def test_different_vendors(machine: Any) -> None:
    described = machine("MI250X,V100")
    by_model = {line.model: line for line in lines(described)[1:]}
    (amd,) = [line for model, line in by_model.items() if "MI250X" in model]
    assert amd.smi == amd.capability == "-"


@pytest.mark.parametrize("arguments", [["--simulate", "4xK21"], []])
def test_a_machine_that_is_none(placewise: Run, arguments: list[str]) -> None:
    done = placewise("devices", *arguments, PLACEWISE_SIMULATE="4xK21")
    assert done.returncode == 2
    assert "there is no model 'K21'" in done.stderr
    assert "Traceback" not in done.stderr


def on_terminal(*arguments: str, columns: int = 120) -> str:
    """Return what the command prints on a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    child = subprocess.Popen(
        [sys.executable, "-m", "placewise", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:
        pass  # how a terminal says that the other side is gone
    os.close(ours)
    assert child.wait(timeout=30) == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", b"".join(parts).decode())


def test_a_terminal_gets_a_table() -> None:
    said = on_terminal("devices", "--simulate", K20X4)
    assert "GPU:3" in said
    assert said.count("GPU-") == 4
    assert max(map(len, said.splitlines())) <= 120


def test_a_narrow_terminal_gets_a_narrow_table() -> None:
    said = on_terminal("devices", "--simulate", "2xA100-80GB", columns=80)
    assert "GPU:1" in said
    assert "GPU-" not in said
    assert max(map(len, said.splitlines())) <= 80


def test_a_reader_that_stops_early_is_no_error(placewise: Run) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "placewise", "devices", "--simulate", "1024"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0


HEAVY = (
    "torch",
    "numpy",
    "google.protobuf",
    "keras",
    "rich",
    "tensorflow",
    "absl",
    "PIL",
    "optree",
)


@pytest.mark.parametrize("command", ["devices", "devices --simulate 4xK20m --json", "--help"])
def test_nothing_heavy_is_loaded(command: str) -> None:
    text = (
        "import sys\nfrom placewise.cli.main import main\n"
        f"try: main({command.split()!r})\nexcept SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def cpu_seconds(placewise: Run, *arguments: str) -> float:
    """Return the least processor time of five runs.

    Not the time on the wall: tests run in parallel, and that would measure the neighbours. It does
    not see waiting, of which there is none without a driver to ask.
    """
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert placewise(*arguments).returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def test_it_is_quick(placewise: Run) -> None:
    # It takes 0.2 s on an idle machine, and two seconds as soon as it loads torch.
    assert cpu_seconds(placewise, "devices") < 1.0


def test_a_thousand_cards_are_listed_within_a_second(placewise: Run) -> None:
    assert cpu_seconds(placewise, "devices", "--simulate", "1024") < 1.0
    assert len(table(placewise("devices", "--simulate", "1024").stdout)) == 1026
