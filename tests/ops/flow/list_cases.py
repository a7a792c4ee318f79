"""Calls of the ops on lists of tensors, run with TensorFlow and with placewise."""

from __future__ import annotations

from typing import Any

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


class Calls:
    """The ops, with what most calls of them have in common."""

    def __init__(self, tf: Any) -> None:
        self.tf, self.ops, self.kind = tf, tf.raw_ops, tf.float32
        self.rows = tf.constant(ROWS)
        self.none = tf.zeros([0], tf.int64)

    def reserved(self, shape: Any, count: int, kind: Any = None) -> Any:
        return self.ops.TensorListReserve(
            element_shape=shape, num_elements=count, element_dtype=kind or self.kind
        )

    def empty(self, shape: Any, most: int = -1) -> Any:
        return self.ops.EmptyTensorList(
            element_shape=shape, max_num_elements=most, element_dtype=self.kind
        )

    def of(self, rows: Any = None, shape: Any = -1) -> Any:
        rows = self.rows if rows is None else rows
        return self.ops.TensorListFromTensor(tensor=rows, element_shape=shape)

    def stack(self, given: Any, shape: Any = -1, count: int = -1, kind: Any = None) -> Any:
        return self.ops.TensorListStack(
            input_handle=given,
            element_shape=shape,
            element_dtype=kind or self.kind,
            num_elements=count,
        )

    def get(self, given: Any, index: int, shape: Any = -1, kind: Any = None) -> Any:
        return self.ops.TensorListGetItem(
            input_handle=given, index=index, element_shape=shape, element_dtype=kind or self.kind
        )

    def put(self, given: Any, index: int, item: Any, grows: bool = False) -> Any:
        return self.ops.TensorListSetItem(
            input_handle=given, index=index, item=item, resize_if_index_out_of_bounds=grows
        )

    def gather(self, given: Any, indices: Any, shape: Any = -1) -> Any:
        indices = self.tf.constant(indices, self.tf.int32)
        return self.ops.TensorListGather(
            input_handle=given, indices=indices, element_shape=shape, element_dtype=self.kind
        )

    def scatter(self, indices: Any, shape: Any, count: int = -1, rows: Any = None) -> Any:
        return self.ops.TensorListScatterV2(
            tensor=self.rows if rows is None else rows,
            indices=indices,
            element_shape=shape,
            num_elements=count,
        )

    def into(self, given: Any, indices: Any, rows: Any = None) -> Any:
        rows = self.rows if rows is None else rows
        return self.ops.TensorListScatterIntoExistingList(
            input_handle=given, tensor=rows, indices=indices
        )

    def split(self, lengths: Any, shape: Any, rows: Any = None) -> Any:
        rows = self.rows if rows is None else rows
        return self.ops.TensorListSplit(tensor=rows, element_shape=shape, lengths=lengths)

    def concat(self, given: Any, shape: Any, leading: Any = None, kind: Any = None) -> Any:
        return self.ops.TensorListConcatV2(
            input_handle=given,
            element_shape=shape,
            element_dtype=kind or self.kind,
            leading_dims=self.none if leading is None else leading,
        )

    def push(self, given: Any, item: Any) -> Any:
        return self.ops.TensorListPushBack(input_handle=given, tensor=item)

    def pop(self, given: Any, shape: Any = -1, kind: Any = None) -> Any:
        return self.ops.TensorListPopBack(
            input_handle=given, element_shape=shape, element_dtype=kind or self.kind
        )

    def joined(self, one: Any, two: Any) -> Any:
        return self.ops.TensorListConcatLists(input_a=one, input_b=two, element_dtype=self.kind)

    def resized(self, size: int) -> Any:
        return self.ops.TensorListResize(input_handle=self.of(), size=size)

    def sum(self, *lists: Any) -> Any:
        return self.stack(self.ops.AddN(inputs=list(lists)))

    def shape_of(self, given: Any) -> Any:
        return self.ops.TensorListElementShape(input_handle=given, shape_type=self.tf.int32)

    def length(self, given: Any) -> Any:
        return self.ops.TensorListLength(input_handle=given)

    def whole(self) -> Any:
        return self.tf.cast(self.rows, self.tf.int32)

    def mixed(self) -> Any:
        return self.put(self.put(self.reserved(-1, 2), 0, [1.0, 2.0]), 1, [1.0])


CASES: dict[str, Any] = {
    "get beyond the end": lambda c: c.get(c.of(), 3),
    "get before the beginning": lambda c: c.get(c.of(), -1),
    "get unset of known shape": lambda c: c.get(c.reserved([2], 2), 1),
    "get unset of unknown shape": lambda c: c.get(c.reserved(-1, 2), 1),
    "get unset of known rank": lambda c: c.get(c.reserved([-1], 2), 1),
    "get unset of a shape given": lambda c: c.get(c.reserved(-1, 2), 1, [2]),
    "get unset of merged shapes": lambda c: c.get(c.reserved([-1, 3], 2), 1, [2, -1]),
    "get unset beside one set": lambda c: c.get(c.put(c.reserved(-1, 2), 0, [1.0, 2.0]), 1),
    "get another shape": lambda c: c.get(c.of(), 0, [3]),
    "get unset of another shape": lambda c: c.get(c.reserved([2], 3), 0, [3]),
    "get another dtype": lambda c: c.get(c.of(), 0, -1, c.tf.int32),
    "set beyond the end": lambda c: c.put(c.reserved([2], 2), 2, [1.0, 2.0]),
    "set and grow": lambda c: c.stack(c.put(c.reserved([2], 2), 3, [1.0, 2.0], True)),
    "set before the beginning": lambda c: c.put(c.reserved([2], 2), -1, [1.0, 2.0]),
    "set another shape": lambda c: c.put(c.reserved([2], 2), 0, [1.0, 2.0, 3.0]),
    "set another dtype": lambda c: c.put(c.reserved([2], 2), 0, [1, 2]),
    "stack unset of known shape": lambda c: c.stack(c.reserved([2], 2)),
    "stack unset of unknown shape": lambda c: c.stack(c.reserved(-1, 2)),
    "stack unset beside one set": lambda c: c.stack(c.put(c.reserved(-1, 2), 0, [1.0, 2.0])),
    "stack several shapes": lambda c: c.stack(c.mixed()),
    "stack another number": lambda c: c.stack(c.of(), -1, 4),
    "stack another dtype": lambda c: c.stack(c.of(), -1, -1, c.tf.int32),
    "stack another shape": lambda c: c.stack(c.of(), [3]),
    "stack nothing": lambda c: c.stack(c.empty([2])),
    "stack nothing of unknown shape": lambda c: c.stack(c.empty([-1])),
    "stack nothing of a shape given": lambda c: c.stack(c.empty(-1), [4]),
    "stack unset text": lambda c: c.stack(c.reserved([2], 1, c.tf.string), -1, -1, c.tf.string),
    "gather": lambda c: c.gather(c.of(), [2, 0]),
    "gather beyond the end": lambda c: c.gather(c.of(), [3]),
    "gather nothing": lambda c: c.gather(c.of(), []),
    "gather nothing of known shape": lambda c: c.gather(c.of(None, [2]), []),
    "gather unset": lambda c: c.gather(c.reserved(-1, 2), [0]),
    "gather several shapes": lambda c: c.gather(c.mixed(), [0, 1]),
    "scatter": lambda c: c.stack(c.scatter([2, 0, 4], [2])),
    "scatter into so many": lambda c: c.stack(c.scatter([2, 0, 4], [2], 7)),
    "scatter into too few": lambda c: c.scatter([2, 0, 4], [2], 3),
    "scatter into fewer than none": lambda c: c.scatter([2, 0, 4], [2], -2),
    "scatter before the beginning": lambda c: c.scatter([2, 0, -1], [2]),
    "scatter too many rows": lambda c: c.scatter([2, 0], [2]),
    "scatter another shape": lambda c: c.scatter([2, 0, 1], [3]),
    "scatter a scalar": lambda c: c.scatter([0], [3], -1, 1.0),
    "scatter without a number": lambda c: c.stack(
        c.ops.TensorListScatter(tensor=c.rows, indices=[2, 0, 1], element_shape=[2])
    ),
    "scatter into a list": lambda c: c.stack(c.into(c.of(), [2, 0, 1])),
    "scatter another dtype": lambda c: c.into(c.reserved([2], 3), [2, 0, 1], c.whole()),
    "scatter fewer places": lambda c: c.into(c.reserved([2], 3), [2, 0]),
    "split": lambda c: c.concat(c.split([1, 2], [-1, 2]), [-1, 2]),
    "split less than all": lambda c: c.split([1, 1], [-1, 2]),
    "split more than all": lambda c: c.split([1, 3], [-1, 2]),
    "split a scalar": lambda c: c.split([1], [-1, 2], 1.0),
    "split another shape": lambda c: c.split([2, 1], [-1, 3]),
    "split by a scalar": lambda c: c.split(3, [-1, 2]),
    "concat": lambda c: c.concat(c.of(), [2]),
    "concat as of old": lambda c: c.ops.TensorListConcat(
        input_handle=c.of(), element_shape=[2], element_dtype=c.kind
    ),
    "concat scalars": lambda c: c.concat(c.of(c.rows[0]), -1),
    "concat unknown shapes": lambda c: c.concat(c.of(), -1),
    "concat unset": lambda c: c.concat(c.reserved([-1, 2], 2), [-1, 2]),
    "concat unset of lengths given": lambda c: c.concat(c.reserved([-1, 2], 2), [-1, 2], [1, 2]),
    "concat unset of known shape": lambda c: c.concat(c.reserved([3, 2], 2), [-1, 2]),
    "concat nothing": lambda c: c.concat(c.empty([-1, 2]), [-1, 2]),
    "concat nothing of unknown shape": lambda c: c.concat(c.empty(-1), -1),
    "concat nothing of known rank": lambda c: c.concat(c.empty(-1), [-1, -1]),
    "concat several shapes": lambda c: c.concat(
        c.put(c.put(c.reserved(-1, 2), 0, [[1.0, 2.0]]), 1, [[1.0]]), -1
    ),
    "concat another length": lambda c: c.concat(c.of(), [3]),
    "concat another dtype": lambda c: c.concat(c.of(), [2], None, c.tf.int32),
    "join lists": lambda c: c.stack(c.joined(c.of(), c.of())),
    "join lists of other shapes": lambda c: c.joined(c.of(), c.of(None, [2])),
    "join lists of other dtypes": lambda c: c.joined(c.of(), c.of(c.whole())),
    "push": lambda c: c.stack(c.push(c.of(), [9.0, 9.0])),
    "push more than may be": lambda c: c.push(c.empty(-1, 0), [9.0]),
    "push another shape": lambda c: c.push(c.empty([3]), [9.0, 9.0]),
    "push another dtype": lambda c: c.push(c.empty([2]), [9, 9]),
    "pop": lambda c: c.pop(c.of())[1],
    "pop nothing": lambda c: c.pop(c.empty([2])),
    "pop another dtype": lambda c: c.pop(c.of(), -1, c.tf.int32),
    "pop unset": lambda c: c.pop(c.reserved(-1, 2), [3])[1],
    "make longer": lambda c: c.stack(c.resized(4)),
    "make shorter": lambda c: c.stack(c.resized(1)),
    "make shorter than nothing": lambda c: c.resized(-1),
    "reserve less than nothing": lambda c: c.reserved(-1, -1),
    "length": lambda c: c.length(c.of()),
    "unknown shape": lambda c: c.shape_of(c.of()),
    "known rank": lambda c: c.shape_of(c.of(None, [-1])),
    "rows of a scalar": lambda c: c.of(c.tf.constant(1.0)),
    "rows of another shape": lambda c: c.of(None, [3]),
    "rows of no shape": lambda c: c.of(None, 0),
    "add": lambda c: c.sum(c.of(), c.of()),
    "add another length": lambda c: c.sum(c.of(), c.of(c.rows[:2])),
    "add to unset": lambda c: c.sum(c.reserved([2], 3), c.of()),
    "add unset to unset": lambda c: c.sum(c.reserved([2], 3), c.reserved(-1, 3)),
    "add one to unset": lambda c: c.sum(c.put(c.reserved([2], 3), 1, [1.0, 1.0]), c.of()),
    "add another dtype": lambda c: c.sum(c.of(), c.of(c.whole())),
    "add another shape": lambda c: c.sum(c.of(None, [2]), c.of(c.tf.ones([3, 3]), [3])),
    "zeros": lambda c: c.stack(c.tf.zeros_like(c.of())),
    "zeros of unset": lambda c: c.stack(c.tf.zeros_like(c.reserved([2], 1))),
}


def answer(tf: Any, case: Any) -> str:
    """Return what a case gives: the values, or the error and its message."""
    try:
        found = case(Calls(tf))
    except tf.errors.OpError as error:
        text = str(error).split("[Op:")[0].strip()
        if text.startswith("{{function_node"):
            text = text.partition("}} ")[2]
        return f"{type(error).__name__}: {text}"
    many = found if isinstance(found, (list, tuple)) else [found]
    return str([each.numpy().tolist() for each in many])
