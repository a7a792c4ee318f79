"""Record what TensorFlow 1.15 calls the nodes of small graphs: python record_node_names.py

It needs TensorFlow 1.15 and runs in this folder; the tests read what it wrote.
"""

import json

import tensorflow as tf
from node_name_programs import PROGRAMS, nodes_of

found = {name: nodes_of(tf, program) for name, program in PROGRAMS.items()}
with open("node_names.json", "w") as file:
    json.dump(found, file, indent=0)
    file.write("\n")
