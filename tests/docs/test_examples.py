"""The examples in docstrings and pages print what they say."""

import importlib

import numpy as np
import pytest

import placewise as tf

from .examples import Text, failures, texts_of_pages, texts_of_source


@pytest.mark.parametrize("text", list(texts_of_source()), ids=str)
def test_docstring_example_holds(text: Text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = vars(importlib.import_module(text.module))
    report = failures(text, {**names, "tf": tf, "np": np})
    assert not report, report


@pytest.mark.parametrize("text", list(texts_of_pages()), ids=str)
def test_page_example_holds(text: Text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = failures(text, {"tf": tf, "np": np, "placewise": tf})
    assert not report, report
