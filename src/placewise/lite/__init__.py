"""Models for LiteRT: graphs become TensorFlow Lite's flatbuffers, and their interpreter runs them.

`converter.py` is what programs call. It freezes a function (`frozen_graph.py`), lowers each
operation to a TensorFlow Lite operator (`lowering`), merges neighbours (`fusion.py`), quantizes
(`quantization.py`) and writes the file (`flatbuffer.py`). The schema and the interpreter are
those of the package ai-edge-litert, the extra `placewise[lite]`.
"""
