"""tf.test.TestCase: what passes, what fails, and with which words (as TensorFlow 2.21 answers)."""

from __future__ import annotations

import collections
import dataclasses
import re
import sys
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError, NotFoundError
from placewise.core.shapes import TensorShape
from placewise.ops.array.creation import constant
from placewise.ops.linalg.matmul import matmul
from placewise.test import case as case_module


class Tensor:
    """As much of a tensor as a test case looks at."""

    def __init__(self, value: Any, dtype: Any = None) -> None:
        self._value = np.array(value, dtype)
        self.dtype = dtypes.as_dtype(self._value.dtype)
        self.shape = TensorShape(self._value.shape)

    def numpy(self) -> Any:
        return self._value

    def get_shape(self) -> TensorShape:
        return self.shape


class Case(case_module.TestCase):
    __test__ = False

    def runTest(self) -> None:
        """Nothing: the methods are called one by one."""


case = Case()
Point = collections.namedtuple("Point", ["x", "y"])


@dataclasses.dataclass
class Pair:
    first: Any
    second: Any


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("assertAllClose", ([1.0, 2.0], [1.0, 2.0000001])),
        ("assertAllClose", (Tensor([1.0, 2.0]), [1.0, 2.0])),
        ("assertAllClose", ([np.nan], [np.nan])),
        ("assertAllClose", ({"a": Tensor(1.0)}, {"a": 1.0})),
        ("assertAllClose", (Point(1.0, [2.0]), Point(1.0, [2.0]))),
        ("assertAllClose", (Pair(1.0, [2.0]), Pair(1.0, [2.0]))),
        ("assertAllClose", ([np.ones(2), np.ones(3)], (np.ones(2), np.ones(3)))),
        ("assertAllClose", ([Tensor([1.0]), Tensor([2.0])], [[1.0], [2.0]])),
        ("assertNotAllClose", ([1.0], [1.1])),
        ("assertAllCloseAccordingToType", (np.array([1.0], "f2"), np.array([1.0009], "f2"))),
        ("assertAllEqual", ([1, 2], Tensor([1, 2]))),
        ("assertAllEqual", ([np.nan, 1], [np.nan, 1])),
        ("assertAllEqual", (["a"], [b"a"])),
        ("assertAllEqual", (Tensor([b"a"], object), ["a"])),
        ("assertAllEqual", ([], [])),
        ("assertNotAllEqual", ([1, 2], [1, 3])),
        ("assertAllGreater", ([1, 2], 0)),
        ("assertAllGreaterEqual", ([1, 2], 1)),
        ("assertAllLess", ([1, 2], 3)),
        ("assertAllLessEqual", (Tensor([1, 2]), 2)),
        ("assertAllInRange", ([1.0, 2.0], 1.0, 2.0)),
        ("assertAllInSet", ([1, 2, 1], {1, 2})),
        ("assertShapeEqual", (np.ones([2, 3]), Tensor(np.zeros([2, 3])))),
        ("assertDTypeEqual", (np.ones(2), np.float64)),
        ("assertDTypeEqual", (np.ones(2), dtypes.float64)),
        ("assertDTypeEqual", (Tensor(np.ones(2)), dtypes.float64)),
        ("assertNear", (1.0, 1.4, 0.5)),
        ("assertArrayNear", ([1.0], [1.4], 0.5)),
        ("assertNDArrayNear", (np.ones(2), np.ones(2) * 1.1, 0.5)),
        ("assertDeviceEqual", ("/cpu:0", "/device:CPU:0")),
        ("assertDeviceEqual", (None, "")),
        ("assertStartsWith", ("abc", "ab")),
        ("assertItemsEqual", ([1, 2], [2, 1])),
        ("assertBetween", (2, 1, 3)),
    ],
)
def test_what_passes(name: str, args: tuple[Any, ...]) -> None:
    getattr(case, name)(*args)


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("assertAllClose", ([1.0, 2.0], [1.0, 2.5]), "Mismatched value: a is different from b."),
        ("assertAllClose", ([1.0, 2.0], [1.0, 2.5]), "not close where = (array([1]),)"),
        ("assertAllClose", ([1.0], [1.0, 2.0]), "Shape mismatch: expected (1,), got (2,) with con"),
        ("assertAllClose", ({"a": 1.0, "b": [2.0]}, {"a": 1.0, "b": [2.1]}), "a[b] is different"),
        (
            "assertAllClose",
            ({"a": 1.0}, {"c": 1.0}),
            "mismatched keys: a has keys dict_keys(['a'])",
        ),
        (
            "assertAllClose",
            ([np.ones(2), np.ones(3)], [np.ones(2), np.zeros(3)]),
            "a[1] is differen",
        ),
        ("assertAllClose", ([np.nan], [1.0]), "not close where = (array([0]),)"),
        ("assertNotAllClose", ([1.0], [1.0]), "The two values are close at all elements. "),
        (
            "assertAllEqual",
            ([1, 2], [1, 3]),
            "not equal lhs = array([2])\nnot equal rhs = array([3]",
        ),
        (
            "assertAllEqual",
            ([1, 2], [1, 3, 3]),
            "Shape mismatch: expected (2,), got (3,). Contents",
        ),
        ("assertAllEqual", (1, 2), "not equal lhs = array(1)"),
        ("assertAllEqual", (["a"], ["b"]), "not equal lhs = array([b'a'], dtype=object)"),
        ("assertNotAllEqual", ([1.0], [1.0]), "The two values are equal at all elements. "),
        ("assertAllGreater", ([1.0, 2.0], 1.0), "not greater than 1.0"),
        ("assertAllLess", ([1.0, 2.0], 1.0), "not less than 1.0"),
        (
            "assertAllInRange",
            ([1.0, 2.0, 5.0], 1.0, 3.0),
            "1 of the 3 element(s) are outside the range [1.0, 3.0]. Subscript(s) and value(s) of "
            "the offending elements:\n  [2] : 5.0",
        ),
        ("assertAllInRange", ([1.0, np.nan], 0.0, 3.0), "1 of the 2 element(s) are NaN."),
        ("assertAllInRange", (["a"], 1, 3), "The value of ['a'] does not have an ordered numeric"),
        (
            "assertAllInSet",
            ([1, 2, 9], {1, 2}),
            "1 unique element(s) are not in the set {1, 2}: [9]",
        ),
        ("assertShapeEqual", (np.ones([2]), Tensor(np.ones([3]))), "not equal lhs = array([2])"),
        (
            "assertDTypeEqual",
            (np.ones(2), np.float32),
            "dtype('float64') != <class 'numpy.float32'>",
        ),
        ("assertNear", (1.0, 2.0, 0.5), "1.000000 != 2.000000 +/- 0.500000 (difference: 1)"),
        ("assertNear", (1.0, 2.0, 0.5, "hey"), "(difference: 1) (hey)"),
        ("assertArrayNear", ([1.0, 2.0], [1.0], 0.5), "2 != 1"),
        ("assertNDArrayNear", (np.ones(2), np.ones(2) * 2, 0.5), "is not true"),
        (
            "assertDeviceEqual",
            ("/cpu:0", "/gpu:0"),
            "Devices /device:CPU:0 and /device:GPU:0 are not",
        ),
        ("assertStartsWith", ("abc", "b"), "'abc' does not start with 'b'"),
    ],
)
def test_what_fails(name: str, args: tuple[Any, ...], said: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(said)):
        getattr(case, name)(*args)


def test_a_dict_and_a_list_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match=r"Can't compare dict to non-dict, a vs b\. "):
        case.assertAllClose({"a": 1.0}, [1.0])


def test_lists_of_different_length_that_make_no_array() -> None:
    said = "Mismatched length: a has 3 items, but b has 2 items"
    with pytest.raises(ValueError, match=said):
        case.assertAllClose([np.ones(2), np.ones(3), 1], [np.ones(2), np.ones(3)])


def test_a_shape_of_something_without_one_is_a_type_error() -> None:
    with pytest.raises(
        TypeError, match="input_a must be a Numpy ndarray, Numpy scalar, or a Tenso"
    ):
        case.assertShapeEqual([2], np.ones(2))


def test_evaluate() -> None:
    given = case.evaluate({"a": Tensor(1), "b": [Tensor([2.0]), None], "p": Point(Tensor(3), "s")})
    assert given["a"] == 1
    assert given["b"][1] is None
    assert given["p"] == Point(3, "s")
    with pytest.raises(ValueError, match=r"Unsupported type 'int'\."):
        case.evaluate(3)


def test_raises_op_error() -> None:
    with case.assertRaisesOpError("sizes"):
        raise InvalidArgumentError(None, None, "sizes differ")
    with case.assertRaisesOpError(lambda error: error.error_code == 5):
        raise NotFoundError(None, None, "gone")
    with case.assertRaisesIncompatibleShapesError():
        raise InvalidArgumentError(None, None, "Incompatible shapes: [2] vs. [3]")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no"), "Exception of type <class 'ValueError'>: no"),
        (InvalidArgumentError(None, None, "other"), "InvalidArgumentError'>: other"),
        (None, "OpError not raised"),
    ],
)
def test_raises_op_error_fails(error: Exception | None, said: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(said)), case.assertRaisesOpError("words"):
        if error:
            raise error


def test_a_session_runs_the_block_and_is_none() -> None:
    with case.session() as session:
        done = True
    assert done
    said = "while eager execution is enabled"
    with pytest.raises(AttributeError, match=said):
        _ = session.run
    with case.cached_session(use_gpu=True), case.test_session():
        assert done


def test_the_folder_for_temporary_files() -> None:
    one, other = Case(), Case()
    assert one.get_temp_dir() == one.get_temp_dir() != other.get_temp_dir()


def test_a_thread_that_fails_fails_the_test() -> None:
    def fail() -> None:
        raise ValueError("in there")

    thread = case.checkedThread(target=fail)
    thread.start()
    with pytest.raises(AssertionError, match="Error in checkedThread: in there"):
        thread.join()
    assert not thread.is_alive()


def test_a_thread_must_be_joined() -> None:
    one = Case()
    one.setUp()
    one.checkedThread(target=print)
    with pytest.raises(AssertionError, match="A checked thread was not joined"):
        one.tearDown()


def test_writes_are_captured(capfd: pytest.CaptureFixture[str]) -> None:
    with case.captureWritesToStream(sys.__stderr__) as captured:
        sys.__stderr__.write("hidden")  # type: ignore[union-attr]  # a test run has one
        sys.__stderr__.flush()  # type: ignore[union-attr]
        assert captured.contents() == "hidden"
    assert "hidden" not in capfd.readouterr().err


def test_every_test_gets_the_same_random_numbers() -> None:
    drawn = []
    state = np.random.get_state()
    for _ in range(2):
        case.setUp()
        drawn.append(np.random.rand())
    np.random.set_state(state)
    assert drawn[0] == drawn[1] == pytest.approx(0.18463433217903202)


def test_real_tensors() -> None:
    case.assertAllClose(constant([1.0, 2.0]), [1.0, 2.0])
    case.assertAllEqual(constant(["a"]), ["a"])
    case.assertAllCloseAccordingToType(constant([1.0], dtypes.bfloat16), [1.001])
    case.assertShapeEqual(np.ones(2), constant([1, 2]))
    case.assertDTypeEqual(constant(1.0), dtypes.float32)
    assert case.evaluate([constant(1)]) == [1]
    with case.assertRaisesOpError("."):
        matmul(constant([[1.0, 2.0, 3.0]]), constant([[1.0]]))


def test_ragged_tensors_and_their_values_are_close_to_lists():
    test_case = tf.test.TestCase()
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    value = tf.compat.v1.ragged.constant_value([[1.0, 2.0], [3.0]])
    test_case.assertAllClose(ragged, [[1.0, 2.0], [3.0]])
    test_case.assertAllClose([value], [ragged])
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        test_case.assertAllClose(value, [[1.0, 2.0], [4.0]])


def test_the_cached_session_evaluates_where_ops_run_at_once():
    case = tf.test.TestCase()
    with case.cached_session() as session:
        assert session.run([tf.constant(1), tf.constant(2)], feed_dict=None) == [1, 2]
        with pytest.raises(RuntimeError, match="feed_dict is not supported"):
            session.run(tf.constant(1), feed_dict={"x": 1})


def test_captured_writes_are_read_after_the_capture(tmp_path, monkeypatch):
    case = tf.test.TestCase()
    monkeypatch.setattr(case, "get_temp_dir", lambda: str(tmp_path))
    with open(tmp_path / "stream", "w") as stream:
        with case.captureWritesToStream(stream) as written:
            stream.write("seen")
        assert written.contents() == "seen"


def test_scalars_that_are_not_close_fail_with_their_values():
    with pytest.raises(AssertionError, match=r"not close lhs = 1.0\nnot close rhs = 2.0"):
        tf.test.TestCase().assertAllClose(tf.constant(1.0), tf.constant(2.0))


def test_evaluate_takes_classes_that_say_what_they_consist_of() -> None:
    @dataclasses.dataclass
    class Masked:
        mask: bool
        value: Any

        def __tf_flatten__(self) -> Any:
            return (self.mask,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata: Any, parts: Any) -> Any:
            return cls(metadata[0], parts[0])

    class Case(tf.test.TestCase):
        def runTest(self) -> None:
            found = self.evaluate({"a": Masked(True, tf.constant([1, 2]))})["a"]
            assert (type(found), found.mask) == (Masked, True)
            assert isinstance(found.value, np.ndarray)
            assert found.value.tolist() == [1, 2]

    Case().runTest()


def test_tensors_of_a_graph_are_compared_in_one_run() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session():
        drawn = tf.random.uniform([3])
        case.assertAllEqual(drawn, tf.identity(drawn))
        case.assertAllClose(drawn, drawn + 0.0)
        with pytest.raises(AssertionError):
            case.assertAllEqual(drawn, drawn + 1.0)


def test_a_variable_of_a_graph_is_read_by_assertions() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.Variable([1.0, 2.0])
        session.run(variable.initializer)
        case.assertAllEqual(variable, [1.0, 2.0])
        case.assertAllClose(variable, variable * 1.0)
