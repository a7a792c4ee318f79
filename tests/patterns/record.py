"""Records what TensorFlow answers: `python -m tests.patterns.record`, with a Python that has it."""

import json
import tempfile
from pathlib import Path

import tensorflow as tf

from . import data, devices, errors, gradients, graphs, objects, ragged, summaries, tables
from .table import PATTERNS, answer

MODULES = (data, devices, errors, gradients, graphs, objects, ragged, summaries, tables)

if __name__ == "__main__":
    answers = {}
    for name in PATTERNS:
        with tempfile.TemporaryDirectory() as folder:
            answers[name] = answer(tf, name, folder)
            if isinstance(answers[name], dict) and "error" in answers[name]:
                print(name, answers[name])
    text = json.dumps(answers, indent=1, sort_keys=True)
    Path(__file__).with_name("answers.json").write_text(text + "\n")
