"""Completion: the scripts are loaded and asked in the shells themselves."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from placewise.cli.completion.described import describe, models
from placewise.cli.main import build_parser, main
from placewise.devices.cards import find_model


def script(shell: str, folder: Path) -> Path:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["completion", shell]) == 0
    path = folder / f"_placewise.{shell}"
    path.write_text(out.getvalue())
    return path


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "train.py").touch()
    (folder / "data.csv").touch()
    return folder


# What is typed, the last word unfinished, and what must be among the offers; "-" before: must not.
CASES = [
    ("placewise ", ["devices", "run", "plan", "check", "top", "completion", "man"]),
    ("placewise de", ["devices", "-run"]),
    ("placewise run --si", ["--simulate", "-train.py"]),
    ("placewise run --simulate V1", ["V100", "V100-32GB", "-K80"]),
    ("placewise run --simulate 4xV100,2xA1", ["4xV100,2xA100", "4xV100,2xA10"]),
    ("placewise plan --on 2xH", ["2xH100"]),
    ("placewise run --place ", ["auto", "first"]),
    ("placewise run --memory g", ["growth"]),
    ("placewise run --gpus f", ["free"]),
    ("placewise run tr", ["train.py", "-data.csv"]),
    ("placewise run --simulate V100 tr", ["train.py"]),
    ("placewise run --verbose --workers 2 tr", ["train.py"]),
    ("placewise run train.py da", ["data.csv"]),
    ("placewise run train.py --si", ["---simulate"]),
    ("placewise completion ", ["bash", "zsh", "fish"]),
    ("placewise top --", ["--once", "--json", "--csv", "--interval"]),
]


def check(offers: list[str], expected: list[str], typed: str) -> None:
    for word in expected:
        if word.startswith("-") and (not word.startswith("--") or word.startswith("---")):
            assert word[1:] not in offers, typed
        else:
            assert word in offers, (typed, offers)


def test_bash(files: Path, tmp_path: Path) -> None:
    lines = [f"source {script('bash', tmp_path)}"]
    for typed, _ in CASES:
        words = typed.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        lines.append(f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; COMPREPLY=()")
        lines.append('_placewise; echo "${COMPREPLY[@]}"')
    command = [needs("bash"), "--norc", "-c", "\n".join(lines)]
    done = subprocess.run(command, cwd=files, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    for (typed, expected), line in zip(CASES, done.stdout.splitlines(), strict=True):
        check(line.split(), expected, typed)


def test_bash_completes_a_value_after_an_equals_sign(files: Path, tmp_path: Path) -> None:
    text = (
        f"source {script('bash', tmp_path)}\n"
        "COMP_WORDS=(placewise run --simulate = K8); COMP_CWORD=4; _placewise\n"
        'echo "${COMPREPLY[@]}"; complete -p placewise'
    )
    command = [needs("bash"), "--norc", "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["K80", "complete -F _placewise placewise", ""]


def test_fish(files: Path, tmp_path: Path) -> None:
    shell = needs("fish")
    lines = [f"source {script('fish', tmp_path)}"]
    for typed, _ in CASES:
        lines.append(f"complete -C '{typed}'; echo =")
    command = [shell, "--no-config", "-c", "\n".join(lines)]
    done = subprocess.run(command, cwd=files, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    answers = done.stdout.split("=\n")
    for (typed, expected), answer in zip(CASES, answers, strict=False):
        offers = [line.partition("\t")[0] for line in answer.splitlines()]
        # fish knows no end of a command's own options, and completes those after the program, too.
        check(offers, [word for word in expected if word != "---simulate"], typed)


ZSH = """
autoload -Uz compinit && compinit -u -d {folder}/dump
source {script}
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'autoload -Uz compinit; compinit -u -d {folder}/dump; source {script}; PROMPT=">"'
zpty -w shell 'cd {files}; zstyle ":completion:*" list-prompt ""; LISTMAX=10000; print ready'
zpty -r -m shell seen '*ready*ready*'
zpty -w -n shell $'placewise run --simulate 4xK8\\t'
zpty -r -m shell seen '*4xK80*'
zpty -w -n shell $' tra\\t'
zpty -r -m shell seen '*train.py*'
print completed
"""


def test_zsh(files: Path, tmp_path: Path) -> None:
    shell = needs("zsh")
    path = script("zsh", tmp_path)
    subprocess.run([shell, "-n", str(path)], check=True)
    text = ZSH.format(folder=tmp_path, script=path, files=files)
    done = subprocess.run(
        [shell, "-f", "-c", text], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "completed\n", done.stderr


def test_every_model_that_is_offered_is_one() -> None:
    assert all(find_model(name) for name in models())
    assert not any(" " in name for name in models())


def test_every_command_and_option_is_described() -> None:
    _, commands = describe(build_parser())
    assert all(command.help and command.description for command in commands)
    assert all(option.help for command in commands for option in command.options)
