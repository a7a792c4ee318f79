"""Runs Keras's own tests, which its package brings along, on placewise, a folder at a time.

    python tests/keras/run_suite.py                     every folder
    python tests/keras/run_suite.py losses layers/core  these folders
    python tests/keras/run_suite.py --report            the figures of what ran last
    python tests/keras/run_suite.py --table             the same, into docs/keras.md

`--device test-accelerator` runs on the cards of tests/accelerator, and compares with what passes on
the CPU; `--report` and `--table` then speak of these runs. `--on tensorflow --python PYTHON`
records what TensorFlow passes. Outcomes are kept in `build/keras/<library>/<folder>.jsonl`,
TensorFlow's in `tests/keras/tensorflow.json`, so that comparing needs no TensorFlow. The exit code
says whether a folder that must reach 97% did not, or whether a test that passes on the CPU does not
on the cards.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
RECORDED = HERE / "tensorflow.json"
BACKEND = ROOT / "tests" / "accelerator" / "backend"
CARDS = "test-accelerator"
NOTHING: dict[str, Any] = {"passed": 0, "failed": [], "skipped": 0}
REQUIRED = [
    "activations",
    "initializers",
    "losses",
    "layers/activations",
    "layers/merging",
    "layers/pooling",
    "layers/regularization",
    "layers/reshaping",
    "layers/normalization",
    "layers/core",
    "layers/convolutional",
    "metrics",
    "optimizers",
    "models",
    "trainers",
    "ops",
]
OTHERS = [
    "layers/rnn",
    "layers/attention",
    "layers/preprocessing",
    "layers/layer_test.py",
    "constraints",
    "regularizers",
    "random",
    "callbacks",
    "saving",
    "utils",
    "dtype_policies",
    "quantizers",
    "distribution",
    "distillation",
    "legacy",
    "tree",
    "visualization",
    "wrappers",
    "testing",
    "datasets",
    "backend",
    "export",
]
SHARE = 0.97


def keras_source() -> Path:
    """Return the folder of Keras's source, without importing it."""
    spec = importlib.util.find_spec("keras")
    if spec is None or spec.origin is None:
        raise SystemExit("keras is not installed")
    return Path(spec.origin).parent / "src"


def outcomes_file(library: str, folder: str) -> Path:
    """Return where the outcomes of a folder are written."""
    return ROOT / "build" / "keras" / library / (folder.replace("/", ".") + ".jsonl")


def run(folder: str, library: str, python: str, processes: int, extra: list[str]) -> None:
    """Run the tests of one folder and write their outcomes."""
    file = outcomes_file(library, folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    told = [python, "-c", "import keras, os; print(os.path.dirname(keras.__file__))"]
    source, paths = keras_source(), [str(HERE)]
    if library == CARDS:
        library, extra = "placewise", ["--run-gpu-skips", *extra]
        paths.append(str(BACKEND))  # torch finds the cards there
    if library == "tensorflow":
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"}
        source = Path(subprocess.check_output(told, env=environment, text=True).strip()) / "src"
    command = [
        *(python, "-m", "pytest", str(source / folder), "-p", "suite_plugin", "--on", library),
        *("--outcomes", str(file), "-n", str(processes), "--timeout", "300", "-q", "--tb=short"),
        *("--rootdir", str(source.parent.parent), "-c", os.devnull, "-p", "no:cacheprovider"),
        *("-W", "ignore", "--no-header", "--disable-warnings", "-o", "python_files=*_test.py"),
        "--continue-on-collection-errors",
        *extra,
    ]
    path = os.pathsep.join(filter(None, [*paths, os.environ.get("PYTHONPATH", "")]))
    with open(file.with_suffix(".log"), "w") as log:
        subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            cwd=file.parent,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )


def outcomes(library: str, folder: str) -> dict[str, tuple[str, str]]:
    """Return how each test of a folder ended, and why; a failure in any phase wins."""
    file = outcomes_file(library, folder)
    found: dict[str, tuple[str, str]] = {}
    if file.exists():
        for line in file.read_text().splitlines():
            one = json.loads(line)
            if found.get(one["test"], ("", ""))[0] != "failed":
                found[one["test"]] = one["outcome"], one["why"]
    return found


def record() -> None:
    """Keep what TensorFlow does not pass, and how many it does, as a small file."""
    kept = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    for folder in [*REQUIRED, *OTHERS]:
        if ended := outcomes("tensorflow", folder):
            kept[folder] = {
                "passed": sum(outcome == "passed" for outcome, _ in ended.values()),
                "failed": sorted(name for name, (how, _) in ended.items() if how == "failed"),
                "skipped": sum(how == "skipped" for how, _ in ended.values()),
            }
    RECORDED.write_text(json.dumps(kept, indent=1) + "\n")


def compare(folder: str) -> tuple[int, int, dict[str, str]]:
    """Return what TensorFlow passes, what placewise passes of that, and what it fails and why."""
    recorded = json.loads(RECORDED.read_text()).get(folder) if RECORDED.exists() else None
    ended = outcomes("placewise", folder)
    passed = {name for name, (how, _) in ended.items() if how == "passed"}
    also = set(recorded["failed"]) if recorded else set()
    failed = {n: why for n, (how, why) in ended.items() if how == "failed" and n not in also}
    expected = recorded["passed"] if recorded else len(passed) + len(failed)
    return expected, min(len(passed - also), expected), failed


def compare_cards(folder: str) -> tuple[int, int, dict[str, str]]:
    """Return how many tests pass on the CPU, how many of them on the cards, and what fails and why.

    Where the folder did not run on the CPU, what TensorFlow passes is taken to pass there. A test
    that Keras skips or expects to fail on GPUs does not count.
    """
    ended, on_host = outcomes(CARDS, folder), outcomes("placewise", folder)
    recorded = json.loads(RECORDED.read_text()).get(folder, NOTHING)
    if on_host:
        expected = {name for name, (how, _) in on_host.items() if how == "passed"}
        expected -= {name for name, (how, _) in ended.items() if how == "skipped"}
        count = len(expected)
    else:
        expected = {name for name, (how, _) in ended.items() if how != "skipped"}
        expected -= set(recorded["failed"])
        skipped = sum(how == "skipped" for how, _ in ended.values()) - recorded["skipped"]
        count = max(recorded["passed"] - max(0, skipped), len(expected))
    absent = ("failed", "it did not run")
    failed = {n: why for n in expected for how, why in [ended.get(n, absent)] if how != "passed"}
    return count, len(expected) - len(failed), failed


def report_cards() -> bool:
    """Print each folder's figures on the cards, and what fails; say whether nothing does."""
    everything = True
    print(f"{'folder':24}{'CPU':>12}{'test device':>12}")
    for folder in [*REQUIRED, *OTHERS]:
        if outcomes_file(CARDS, folder).exists():
            expected, passed, failed = compare_cards(folder)
            print(f"{folder:24}{expected:12}{passed:12}")
            for name, why in failed.items():
                print(f"    {name}: {' '.join(why.split())[:160]}")
            everything = everything and passed == expected
    return everything


def report() -> bool:
    """Print each folder's figures and failures; say whether the required ones reach their share."""
    enough = True
    print(f"{'folder':24}{'TensorFlow':>12}{'placewise':>12}{'share':>9}")
    for folder in [*REQUIRED, *OTHERS]:
        if not outcomes_file("placewise", folder).exists():
            continue
        expected, passed, _ = compare(folder)
        share = passed / max(1, expected)
        short = folder in REQUIRED and share < SHARE
        enough = enough and not short
        print(f"{folder:24}{expected:12}{passed:12}{share:9.1%}{'  too few' if short else ''}")
    return enough


# Why a test fails, by what its message begins with or holds.
REASONS = {
    "xla_data_pb2": "a JaxLayer calls what jax compiled for TensorFlow, which placewise cannot run",
    "orbax-checkpoint": "the package orbax-checkpoint is in neither environment",
    "No module named 'onnxruntime'": "onnxruntime is in neither environment",
    "No module named 'sklearn'": "scikit-learn is in neither environment",
    "No module named 'tensorboard'": "the package tensorboard is not installed",
    "ops.distribute'": "it uses inner functions of tf.data that placewise does not have",
    "given the device 'cpu:1'": "it asks for a second CPU that is not configured",
    "Backward-compat fixture missing": "the package lacks the file; TensorFlow fails too",
}


def write_lines(lines: list[str], figures: str) -> None:
    """Put lines into docs/keras.md, between the two marks of some figures."""
    page = ROOT / "docs" / "keras.md"
    begin, end = f"<!-- {figures} -->", f"<!-- end of {figures} -->"
    text = page.read_text()
    before, rest = text.split(begin)
    page.write_text("\n".join([before + begin, "", *lines, "", end]) + rest.split(end)[1])


def write_cards_table() -> None:
    """Put the figures of the test device into docs/keras.md."""
    lines = ["| folder | passes on the CPU | of these on the test device |", "|---|---:|---:|"]
    for folder in [*REQUIRED, *OTHERS]:
        if outcomes_file(CARDS, folder).exists():
            expected, passed, _ = compare_cards(folder)
            lines.append(f"| {folder} | {expected} | {passed} |")
    write_lines(lines, "figures of the test device")


def write_table() -> None:
    """Put the figures, and each failure with its reason, into docs/keras.md."""
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    lines = ["| folder | TensorFlow passes | placewise passes of these | share |"]
    lines += ["|---|---:|---:|---:|"]
    failures: dict[str, list[str]] = {}
    for folder in [*REQUIRED, *OTHERS]:
        if not outcomes_file("placewise", folder).exists():
            continue
        expected, passed, failed = compare(folder)
        known = str(expected) if folder in recorded else f"({expected})"
        lines.append(f"| {folder} | {known} | {passed} | {passed / max(1, expected):.1%} |")
        for name, why in failed.items():
            reason = next((text for part, text in REASONS.items() if part in why), "")
            said = " ".join(why.split())[:160].replace("|", "\\|").replace(str(ROOT), "")
            failures.setdefault(reason or f"`{said}`", []).append(name.rpartition("::")[2])
    if any("| (" in line for line in lines):
        lines += ["", "In brackets: not recorded with TensorFlow yet; all that may pass."]
    if failures:
        lines += ["", "| what fails | why |", "|---|---|"]
    for reason, names in sorted(failures.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        lines.append(f"| {shown} | {reason} |")
    write_lines(lines, "figures")


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", default=[*REQUIRED, *OTHERS])
    parser.add_argument("--on", choices=("placewise", "tensorflow"), default="placewise")
    parser.add_argument("--device", choices=("cpu", CARDS), default="cpu")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("-n", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--table", action="store_true", help="run nothing; write docs/keras.md")
    asked, extra = parser.parse_known_args()
    on_cards = asked.device == CARDS
    if asked.table:
        write_cards_table() if on_cards else write_table()
    for folder in [] if asked.report or asked.table else asked.folders:
        print(f"{folder} ...", flush=True)
        run(folder, CARDS if on_cards else asked.on, asked.python, asked.n, extra)
        if asked.on == "tensorflow":
            record()
    enough = report_cards() if on_cards else report()
    raise SystemExit(0 if enough else 1)


if __name__ == "__main__":
    main()
