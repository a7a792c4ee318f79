"""Writes down what TensorFlow 2 answers to the calls of `list_cases.py`."""

import json
import os
import sys

import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import list_cases  # noqa: E402

if __name__ == "__main__":
    answers = {name: list_cases.answer(tf, case) for name, case in list_cases.CASES.items()}
    with open(os.path.join(HERE, "list_answers.json"), "w") as file:
        json.dump(answers, file, indent=1)
        file.write("\n")
