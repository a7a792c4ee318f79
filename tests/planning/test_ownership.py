"""Operations that are said to make memory of their own do."""

import importlib
import pkgutil

import pytest
import torch

from placewise.eager import dispatch
from placewise.ops.declare import REGISTRY, REQUIRED
from placewise.ops.registry import load_all
from placewise.ops.values import EagerTensor, from_numpy
from placewise.planning.ownership import FRESH, VIEWS
from tests.ops import samples

load_all()

PLAIN = (torch.float32, torch.float64, torch.int32, torch.int64, torch.bool)


def good_samples(name):
    for module in pkgutil.iter_modules(samples.__path__):
        found = importlib.import_module(f"tests.ops.samples.{module.name}")
        for sample in getattr(found, "SAMPLES", {}).get(name, ()):
            if sample.error is None:
                yield sample


def contents(op, sample):
    """Return the inputs of a sample as kernels get them."""
    import placewise as tf

    for arg, value in zip(op.inputs, sample.inputs, strict=False):
        tensor = tf.convert_to_tensor(value)
        content = tensor._value if isinstance(tensor, EagerTensor) else from_numpy(value)
        yield content.numpy() if arg.name in op.host else content


@pytest.mark.parametrize("name", sorted(FRESH))
def test_a_result_shares_no_memory_with_the_inputs(name):
    op = REGISTRY[name]
    for sample in good_samples(name):
        attrs = {attr.name: attr.default for attr in op.attrs if attr.default is not REQUIRED}
        attrs.update(sample.attrs)
        dispatch._normalise(op, attrs)
        given = list(contents(op, sample))
        if getattr(given[0], "dtype", None) not in PLAIN:
            continue
        made = (op.kernels[None])(*given, **attrs)
        owned = {each.untyped_storage().data_ptr() for each in given
                 if isinstance(each, torch.Tensor) and each.numel()}  # fmt: skip
        for each in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(each, torch.Tensor):
                assert each.untyped_storage().data_ptr() not in owned


def test_nothing_is_said_to_be_both():
    assert not FRESH & VIEWS
    assert all(name in REGISTRY for name in FRESH | VIEWS)
