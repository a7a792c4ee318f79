"""Compiled ops of others are refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

import placewise as tf


def test_a_library_that_is_not_there_is_not_found() -> None:
    with pytest.raises(
        tf.errors.NotFoundError, match=r"nothing\.so: cannot open shared object file"
    ):
        tf.load_op_library("nothing.so")
    with pytest.raises(OSError, match="load kernel libraries from does not exist"):
        tf.load_library("nowhere")


def test_a_library_that_is_there_says_what_to_do(tmp_path: Path) -> None:
    library = tmp_path / "ops.so"
    library.write_bytes(b"\x7fELF")
    for load in (tf.load_op_library, tf.load_library):
        with pytest.raises(tf.errors.NotFoundError, match=r"tf\.py_function"):
            load(str(library))
