"""Copies of variables, their aggregation, and tensors of torch as values."""

from __future__ import annotations

import copy

import torch

import placewise as tf


def test_a_shallow_copy_of_a_variable_is_the_variable() -> None:
    variable = tf.Variable([1.0])
    assert copy.copy(variable) is variable
    assert copy.copy({"v": variable})["v"] is variable


def test_the_two_enumerations_of_aggregation_are_equal_and_named_apart() -> None:
    old, new = tf.compat.v1.VariableAggregation, tf.VariableAggregation
    assert repr(tf.Variable(1).aggregation) == "<VariableAggregation.NONE: 0>"
    assert repr(new.SUM) == "<VariableAggregationV2.SUM: 1>"
    assert old.SUM == new.SUM and old.SUM != new.MEAN
    assert {new.SUM: 1}[old.SUM] == 1


def test_tensors_of_torch_are_values() -> None:
    assert tf.convert_to_tensor(torch.ones(2, requires_grad=True)).numpy().tolist() == [1, 1]
    half = tf.convert_to_tensor(torch.ones(2, dtype=torch.bfloat16))
    assert half.dtype is tf.bfloat16
    assert tf.constant(torch.tensor(3), tf.float32).numpy() == 3
