"""Handlers of libraries for arguments that ops do not know."""

import numpy as np
import pytest

import placewise as tf
from placewise.core import dispatchers


class StandIn:
    """Stands for a tensor, as an input of Keras 2 does."""

    type_spec = None


@pytest.fixture
def calls():
    seen = []

    class Handler(dispatchers.GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            if any(isinstance(value, StandIn) for value in args):
                seen.append((op.__name__, args))
                return "handled"
            return self.NOT_SUPPORTED

    handler = Handler()
    handler.register()
    yield seen
    dispatchers._GLOBAL.remove(handler)


def test_an_op_asks_the_handler_for_a_stand_in(calls):
    stand_in = StandIn()
    assert tf.nn.relu(stand_in) == "handled"
    assert calls == [("Relu", (stand_in,))]


def test_an_op_that_the_handler_does_not_know_raises_as_before(calls):
    with pytest.raises((TypeError, ValueError)):
        tf.nn.relu(object())
    assert calls == []


def test_a_decorated_function_asks_handlers_of_types_after_it_refused():
    @dispatchers.add_dispatch_support
    def double(x):
        return tf.convert_to_tensor(x) * 2

    @dispatchers.dispatch_for_types(double, StandIn)
    def double_stand_in(x):
        return "two"

    assert double(StandIn()) == "two"
    np.testing.assert_array_equal(double([1, 2]), [2, 4])
