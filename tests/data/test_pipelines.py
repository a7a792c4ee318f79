"""Pipelines give what TensorFlow gives: elements, structures, cardinalities, kinds."""

import json
import pathlib

import pytest

import placewise as tf
from tests.data.pipelines import answer, pipelines

ANSWERS = json.loads((pathlib.Path(__file__).parent / "answers.json").read_text())


@pytest.mark.parametrize(("name", "expression"), pipelines(), ids=[n for n, _ in pipelines()])
def test_a_pipeline_answers_as_tensorflow_does(name, expression):
    expected = ANSWERS[name]
    found = answer(expression, tf)
    assert found["spec"] == expected["spec"]
    assert found["count"] == expected["count"]
    assert found["kind"] == expected["kind"]
    assert json.dumps(found["elements"]) == json.dumps(expected["elements"])
