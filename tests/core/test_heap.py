"""Freed memory stays with the process, unless the user chose."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

import pytest
import torch

from placewise.core import heap


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")
def test_freed_memory_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in heap.CHOICES:
        monkeypatch.delenv(name, raising=False)
    assert heap.keep_freed_memory()


@pytest.mark.parametrize("name", heap.CHOICES)
def test_what_the_user_set_about_memory_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")
    assert not heap.keep_freed_memory()


def test_other_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in heap.CHOICES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not heap.keep_freed_memory()


def test_huge_pages_are_asked_for_before_torch_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THP_MEM_ALLOC_ENABLE", raising=False)
    assert torch.__name__ in sys.modules
    heap.use_huge_pages()
    assert "THP_MEM_ALLOC_ENABLE" not in os.environ
    monkeypatch.delitem(sys.modules, "torch")
    heap.use_huge_pages()
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == "1"
    monkeypatch.setenv("THP_MEM_ALLOC_ENABLE", "0")
    heap.use_huge_pages()
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == "0"
