"""Malformed calls of public functions: arguments that fit their names, and some that do not."""

from __future__ import annotations

import inspect
import random
from typing import Any

import numpy as np

import placewise as tf
from tests.hardening.judgement import describe, judge_public
from tests.hardening.mutations import FLOATS, INTS, PLAIN, TYPES, array

NAMESPACES = (
    "",
    "math",
    "nn",
    "image",
    "linalg",
    "strings",
    "signal",
    "sparse",
    "ragged",
    "random",
    "sets",
    "bitwise",
    "io",
    "audio",
    "dtypes",
    "experimental.numpy",
    "nest",
    "quantization",
    "linalg.experimental",
    "debugging",
)
# They change settings of the process, wait, write files, call what they are given, or never return.
_LEFT_OUT = {
    "device",
    "function",
    "init_scope",
    "py_function",
    "numpy_function",
    "write_file",
    "matching_files",
    "write_graph",
    "set_seed",
    "while_loop",
    "print",
    "enable_check_numerics",
    "disable_check_numerics",
    "set_log_device_placement",
    "disable_traceback_filtering",
    "enable_traceback_filtering",
    "set_global_generator",
    "experimental_enable_numpy_behavior",
    "enable_dump_debug_info",
    "disable_dump_debug_info",
    "load_library",
    "load_op_library",
    "custom_gradient",
    "recompute_grad",
    "register_filesystem_plugin",
    "simulate",
    "place",
    "plan",
    "record",
    "copies",
    "v1",
}

# TensorFlow's own function raises the same Python error for such arguments.
_AS_TENSORFLOW = {
    "nn.ctc_loss": IndexError,
    "vectorized_map": IndexError,
    "experimental.numpy.hstack": IndexError,
    "strings.ngrams": IndexError,
    "nn.with_space_to_batch": IndexError,
    "nn.atrous_conv2d_transpose": IndexError,
    "image.adjust_jpeg_quality": IndexError,
    "linalg.eigvals": UnboundLocalError,
    "eigvals": UnboundLocalError,
    "linalg.eig": UnboundLocalError,
    "eig": UnboundLocalError,
    "range": AssertionError,
    "io.parse_sequence_example": IndexError,
    "nn.embedding_lookup": IndexError,
    "scan": IndexError,
    "experimental.numpy.diag_indices": AssertionError,
    "foldl": IndexError,
    "foldr": IndexError,
}


def public_functions() -> list[tuple[str, Any]]:
    """Return the names and functions that may be called with anything."""
    functions: dict[str, Any] = {}
    for space in NAMESPACES:
        module: Any = tf
        for part in filter(None, space.split(".")):
            module = getattr(module, part)
        for name in dir(module):
            if name.startswith("_") or name in _LEFT_OUT:
                continue
            value = getattr(module, name)
            if inspect.isfunction(value) or hasattr(value, "bind"):
                functions[f"{space}.{name}".lstrip(".")] = value
    return sorted(functions.items())


class PublicCalls:
    """The n-th malformed call of a public function."""

    def __init__(self) -> None:
        self.functions = public_functions()
        self.last = ""

    def run(self, number: int) -> str | None:
        """Make one call; return what was wrong with how it ended."""
        rng = random.Random(number)
        name, function = self.functions[number % len(self.functions)]
        arguments = {}
        for parameter in inspect.signature(function).parameters.values():
            is_single = parameter.kind in (
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                inspect.Parameter.KEYWORD_ONLY,
            )
            is_needed = parameter.default is inspect.Parameter.empty
            if is_single and (is_needed or rng.random() < 0.15):
                arguments[parameter.name] = _value(rng, parameter.name)
        shown = ", ".join(f"{k}={describe(v)}" for k, v in arguments.items())
        self.last = f"{name}({shown})"
        try:
            with np.errstate(all="ignore"):
                function(**arguments)
        except Exception as error:
            is_same = isinstance(error, _AS_TENSORFLOW.get(name, ()))
            return None if is_same else judge_public(error)
        return None


def _value(rng: random.Random, name: str) -> Any:
    draw = rng.random()
    if draw < 0.1:
        return rng.choice(PLAIN)
    if "dtype" in name or name == "type":
        return rng.choice(TYPES)
    if name in ("axis", "axes", "dim", "k", "depth", "num", "n", "batch_dims"):
        return rng.choice([*INTS, [0], [1, -1], None, tf.ragged.constant([[1], []])])
    if "shape" in name or "size" in name:
        return rng.choice([[2, 3], [], [0], [-1], 3, [2**40], None, np.array([1, 2]), [2**31] * 3])
    if name in ("name", "padding", "data_format", "mode", "method"):
        return rng.choice(["SAME", "VALID", "NHWC", "REFLECT", "constant", None, "x"])
    if draw < 0.2:
        return rng.choice([*INTS, *FLOATS])
    if draw < 0.25:
        return rng.choice([tf.ragged.constant([[1.0], []]), tf.sparse.from_dense([[1.0, 0.0]])])
    if draw < 0.3:
        return [array(rng) for _ in range(rng.randint(0, 3))]
    return array(rng, None, np.float32 if draw < 0.65 else None)
