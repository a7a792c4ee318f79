"""Records what TensorFlow 2 answers to the cases of the core: run with its Python, here."""

import importlib
import json

from core_cases import answer

TOPICS = ("polymorphic", "signatures", "state", "composites", "gradients")


def load(topic):
    """Return the cases of one file."""
    return importlib.import_module(f"core_{topic}").case


if __name__ == "__main__":
    import tensorflow

    answers = {
        topic: {name: answer(tensorflow, case) for name, case in load(topic).items()}
        for topic in TOPICS
    }
    with open("core_answers.json", "w") as file:
        json.dump(answers, file, indent=1, sort_keys=True)
        file.write("\n")
