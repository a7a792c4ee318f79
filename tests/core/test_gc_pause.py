"""How often Python looks for garbage while a graph is built, and afterwards."""

import gc

import placewise as tf
from placewise.core.gc_pause import seldom_searched


def test_it_looks_seldom_in_the_block_and_as_before_afterwards():
    before = gc.get_threshold()
    with tf.Graph().as_default():
        assert gc.get_threshold()[0] > before[0]
        with tf.Graph().as_default():
            assert gc.get_threshold()[0] > before[0]
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before


def test_what_the_program_sets_stays():
    before = gc.get_threshold()
    try:
        with seldom_searched():
            gc.set_threshold(123, 4, 5)
        assert gc.get_threshold() == (123, 4, 5)
        gc.set_threshold(0, 4, 5)
        with seldom_searched():
            assert gc.get_threshold() == (0, 4, 5)
    finally:
        gc.set_threshold(*before)
