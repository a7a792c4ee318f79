"""Records TensorFlow's answers: `python -m tests.distributions.record` where it is."""

import json
from pathlib import Path

import tensorflow as tf

from .questions import CASES, ask

if __name__ == "__main__":
    answers = {name: ask(tf, name) for name in CASES}
    text = json.dumps(answers, sort_keys=True, indent=0)
    Path(__file__).with_name("answers.json").write_text(text + "\n")
