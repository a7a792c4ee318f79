"""Freed memory stays with the process, unless the user chose."""

from __future__ import annotations

import ctypes
import platform

import pytest

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
