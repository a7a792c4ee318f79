"""Operations that are said to make memory of their own do."""

import numpy as np
import pytest
import torch

from placewise.check.samples import load_samples
from placewise.eager import dispatch
from placewise.ops.declare import REGISTRY, REQUIRED
from placewise.ops.fresh import FRESH, WHOLE
from placewise.ops.registry import load_all
from placewise.ops.values import EagerTensor, from_numpy
from placewise.planning.ownership import VIEWS

load_all()
SAMPLES = load_samples()
PLAIN = (torch.float32, torch.float64, torch.int32, torch.int64, torch.bool)


def good_samples(name):
    return [sample for sample in SAMPLES.get(name, ()) if sample.error is None]


def contents(op, sample):
    """Return the inputs of a sample as kernels get them."""
    for arg, value in zip(op.inputs, sample.inputs, strict=False):
        several = list(value) if arg.is_list else [value]
        found = [content(each, arg.name in op.host) for each in several]
        yield found if arg.is_list else found[0]


def content(value, on_host):
    import placewise as tf

    tensor = tf.convert_to_tensor(value)
    made = tensor._value if isinstance(tensor, EagerTensor) else from_numpy(value)
    return made.numpy() if on_host else made


def flat(values):
    return [one for each in values for one in (each if isinstance(each, list) else [each])]


def is_plain(values):
    return all(each.dtype in PLAIN or isinstance(each, np.ndarray) for each in flat(values))


@pytest.mark.parametrize("name", sorted(FRESH))
def test_a_result_shares_no_memory_with_the_inputs(name):
    op, tried = REGISTRY[name], 0
    for sample in good_samples(name):
        attrs = {attr.name: attr.default for attr in op.attrs if attr.default is not REQUIRED}
        attrs.update(sample.attrs)
        dispatch._normalise(op, attrs)
        given = list(contents(op, sample))
        if not is_plain(given):
            continue
        alone = [each[:1] if isinstance(each, list) else each for each in given]
        for values in [given] if alone == given else [given, alone]:
            made = op.kernels[None](*values, **attrs)
            owned = {
                each.untyped_storage().data_ptr()
                for each in flat(values)
                if isinstance(each, torch.Tensor) and each.numel()
            }
            for each in made if isinstance(made, (list, tuple)) else [made]:
                if isinstance(each, torch.Tensor):
                    tried += 1
                    assert each.untyped_storage().data_ptr() not in owned
                    assert each._base is None or name not in WHOLE
    assert tried, "no sample shows it"


def test_nothing_is_said_to_be_both():
    assert not FRESH & VIEWS
    assert WHOLE < FRESH
    assert all(name in REGISTRY for name in FRESH | VIEWS)
