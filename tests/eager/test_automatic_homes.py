"""Eager variables under automatic placement fill the cards in order."""

from __future__ import annotations

import gc

import numpy as np

import placewise as tf
from placewise.devices.inventory import place, simulate


def variable(mebibytes: int) -> tf.Variable:
    return tf.Variable(np.zeros((mebibytes, 1 << 18), np.float32))


def cards(variables) -> list[str]:
    return [one.device[-5:] for one in variables]


def test_cards_are_filled_in_order_with_room_for_gradients_and_slots():
    # Of 30 MiB that a card of 32 has, 22.5 are for variables: five of 4 times 1 MiB.
    with simulate("3xV100:32MiB"):
        place("auto")
        assert cards([variable(1) for _ in range(7)]) == ["GPU:0"] * 5 + ["GPU:1"] * 2


def test_a_small_variable_stays_with_those_made_before_it():
    with simulate("3xV100:32MiB"):
        place("auto")
        assert cards([variable(3), variable(3), tf.Variable(1.0)]) == ["GPU:0", "GPU:1", "GPU:1"]


def test_a_request_is_honoured():
    with simulate("2xV100:32MiB"):
        place("auto")
        with tf.device("/gpu:1"):
            assert cards([variable(1)]) == ["GPU:1"]


def test_variables_that_are_gone_leave_their_room():
    with simulate("2xV100:32MiB"):
        place("auto")
        for _ in range(6):
            one = variable(2)
            assert cards([one]) == ["GPU:0"]
            del one
            gc.collect()


def test_without_asking_all_are_on_the_first_gpu():
    with simulate("2xV100:32MiB"):
        assert cards([variable(1) for _ in range(7)]) == ["GPU:0"] * 7


def test_slots_of_keras_optimizers_are_beside_their_variables():
    with simulate("2xV100:32MiB"):
        place("auto")
        variables = [variable(3), variable(3)]
        extended = tf.distribute.get_strategy().extended
        slots = []
        for one in variables:
            with extended.colocate_vars_with(one):
                slots.append(variable(3))
        assert cards(slots) == cards(variables) == ["GPU:0", "GPU:1"]
