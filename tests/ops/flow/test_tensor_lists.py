"""Lists of tensors as values, and the stacks of TensorFlow 1's loops."""

import numpy as np
import pytest

import placewise as tf
from placewise.ops.flow import stacks, tensor_lists

F32 = tf.float32


def empty():
    return tensor_lists.empty_list([2], 0, element_dtype=tf.float32)


def test_a_list_that_grows_leaves_the_shorter_one_alone():
    one = tensor_lists.push_back(empty(), [1.0, 2.0])
    two = tensor_lists.push_back(one, [3.0, 4.0])
    other = tensor_lists.push_back(one, [5.0, 6.0])
    rows = [
        tensor_lists.stacked(each, [2], element_dtype=tf.float32).numpy().tolist()
        for each in (one, two, other)
    ]
    assert rows == [[[1, 2]], [[1, 2], [3, 4]], [[1, 2], [5, 6]]]
    shorter, last = tensor_lists.pop_back(two, [2], element_dtype=tf.float32)
    assert (int(tensor_lists.list_length(shorter)), last.numpy().tolist()) == (1, [3.0, 4.0])


def test_what_was_never_set_reads_as_zeros():
    reserved = tensor_lists.reserved_list([2], 3, element_dtype=tf.float32)
    changed = tensor_lists.set_item(reserved, 1, [1.0, 1.0])
    found = tensor_lists.stacked(changed, [2], element_dtype=tf.float32)
    np.testing.assert_array_equal(found, [[0, 0], [1, 1], [0, 0]])
    assert int(tensor_lists.list_length(tensor_lists.resized(changed, 5))) == 5


def test_rows_become_a_list_and_rows_again():
    made = tensor_lists.list_from_tensor(np.ones((3, 2), np.float32), [2])
    assert tensor_lists.get_item(made, 1, [2], element_dtype=tf.float32).numpy().tolist() == [1, 1]
    chosen = tensor_lists.gathered(made, [2, 0], [2], element_dtype=tf.float32)
    assert chosen.shape.as_list() == [2, 2]
    joined, lengths = tensor_lists.concatenated(made, [2], [], element_dtype=tf.float32)
    assert (joined.shape.as_list(), lengths.numpy().tolist()) == ([6], [2, 2, 2])
    assert tensor_lists.element_shape_of(made, shape_type=tf.int32).numpy().tolist() == [2]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tensor_lists.get_item(empty(), 0, [2], element_dtype=F32), "access element 0"),
        (lambda: tensor_lists.push_back(empty(), [1, 2]), "list elements float but tried"),
        (lambda: tensor_lists.push_back(empty(), [1.0]), "incompatible shape to a list"),
        (lambda: tensor_lists.pop_back(empty(), [2], element_dtype=F32), "pop from an empty"),
    ],
)  # fmt: skip
def test_bad_uses_are_refused(call, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        call()


def test_a_stack_gives_back_the_last_first():
    stack = stacks.stack(-1, elem_type=tf.float32)
    stacks.push(stack, 1.0)
    stacks.push(stack, 2.0)
    assert float(stacks.pop(stack, elem_type=tf.float32)) == 2.0
    stacks.close(stack)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is empty when calling Pop"):
        stacks.pop(stack, elem_type=tf.float32)
