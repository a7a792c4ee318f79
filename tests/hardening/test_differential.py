"""Random calls of raw ops end as in TensorFlow 2.21: values, dtypes, shapes, classes of errors.

20,885 answers are recorded, a twentieth of them is compared here. `differences.json` lists the
calls that end otherwise, by kind; no call may join them. The kinds:

- `class A B`: TensorFlow raises A, placewise B. Which of two wrong arguments is named first; a
  dtype without kernel (NotFoundError there, InvalidArgumentError or UnimplementedError here);
  NumPy's own DTypePromotionError for a resource; texts where numbers are due.
- `TF raises NotFoundError`, `UnimplementedError`: kernels that TensorFlow's CPU lacks for a dtype.
- `TF raises InvalidArgumentError` and others: checks of arguments that do not matter for the
  result.
- `we raise …`: arrays of another dtype where an op's `T` has a default that is not stated on it
  yet (`default_type`: Real, Imag, Angle, Conj, EncodePng, DataFormatDimMap); int64 sizes and
  axes that TensorFlow cuts to 32 bits without a word; arguments that are not checked there, such as
  shapes that do not go together.
- `value`, `dtype/shape`: memory that TensorFlow leaves uninitialized, signs of singular vectors and
  eigenvectors and their order, subnormal numbers, NaN where other libraries say infinity, other
  encoders of images, int64 numbers that TensorFlow cuts to 32 bits.
"""

import json
from pathlib import Path

import pytest

from placewise.ops.declare import REGISTRY
from tests.hardening.differential import answer, arguments_of, checksum, recorded
from tests.hardening.op_calls import Calls

DIFFERENT = {
    (op, number)
    for several in json.loads((Path(__file__).parent / "differences.json").read_text()).values()
    for op, number in several
}


def is_same(name, here, there):
    if here == there:
        return True
    is_random = REGISTRY[name].stateful or "Random" in name
    shapes = [[item[:2] for item in side] for side in (here, there)]
    return is_random and shapes[0] == shapes[1]


@pytest.mark.filterwarnings("ignore")
def test_calls_end_as_in_tensorflow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = Calls()
    problems, compared = [], 0
    for name, number, arguments, there in recorded()[::20]:
        is_stale = checksum(arguments_of(calls, name, number)) != arguments
        if is_stale or (name, number) in DIFFERENT:
            continue
        compared += 1
        here = json.loads(json.dumps(answer(calls, name, number)))
        if not is_same(name, here, there):
            problems.append(f"{name} {number}: {here} instead of {there}")
    assert compared > 700
    assert not problems
