"""Layers, losses, metrics and recurrent networks answer as TensorFlow 1.15 does."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.layers.programs import load

CASES = load()
ANSWERS = json.loads((Path(__file__).parent / "answers.json").read_text())


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.usefixtures("graph_mode")
def test_the_answer_is_tensorflows(name: str) -> None:
    """Run one program and compare all it gives."""
    import placewise.compat.v1 as tf

    found = CASES[name](tf)
    assert len(found) == len(ANSWERS[name])
    for place, (ours, theirs) in enumerate(zip(found, ANSWERS[name], strict=True)):
        if isinstance(theirs, list):
            # Behind TensorFlow's words of an error stands what to do, in lines that are indented.
            words = [one.partition("\n  ")[0] if isinstance(one, str) else one for one in ours]
            assert words == theirs, f"answer {place}"
            continue
        array = np.asarray(ours)
        assert list(array.shape) == theirs["shape"], f"answer {place}"
        assert array.dtype.name == theirs["dtype"], f"answer {place}"
        wanted = np.array(theirs["values"], array.dtype).reshape(theirs["shape"])
        np.testing.assert_allclose(array, wanted, 2e-4, 2e-5, err_msg=f"answer {place}")
