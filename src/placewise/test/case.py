# ruff: noqa: N802 - the names are TensorFlow's
"""`tf.test.TestCase`: a test case that evaluates tensors and knows devices, threads and sessions.

Built on absl's test case, as TensorFlow's is. Importing this loads no torch; running a test that
makes a tensor does.
"""

from __future__ import annotations

import atexit
import contextlib
import difflib
import functools
import os
import random
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from absl import flags
from absl.testing import absltest

import placewise
from placewise.core.arguments import TensorLike
from placewise.core.errors import InvalidArgumentError, OpError
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.devices.device_spec import DeviceSpecV2
from placewise.test.arrays import is_tensor
from placewise.test.assertions import ArrayAssertions
from placewise.test.evaluation import evaluated, is_eager

# The seed TensorFlow gives a graph that has none.
SEED = 87654321

Predicate = str | Callable[[Any], bool]


class EagerSessionWarner:
    """What `self.session()` gives while ops run at once: there is no session to use."""

    def __getattr__(self, attr: str) -> NoReturn:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), "
            "self.cached_session(), etc while eager execution is enabled. If you're porting this "
            "test case to TF 2.0, either adapt the test to work with eager execution or insert a "
            "call to tf.disable_eager_execution() in the main() function of this test file."
        )


class EagerSession:
    """What `self.cached_session()` gives while ops run at once: `run` evaluates, without feeds."""

    def __init__(self, testcase: TestCase) -> None:
        self._testcase = testcase

    def run(self, fetches: Any, *args: Any, feed_dict: Any = None, **kwargs: Any) -> Any:
        """Return tensors, or a nested structure of them, as NumPy values."""
        if feed_dict or args or kwargs:
            what = "feed_dict is" if feed_dict else "Optional args are"
            raise RuntimeError(
                f"{what} not supported when eager execution is enabled (in this case, sess.run(t) "
                "is shorthand for t.numpy()"
            )
        return self._testcase.evaluate(fetches)


class CheckedThread:
    """A thread whose exception fails the test that joins it."""

    def __init__(
        self,
        testcase: TestCase,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self._testcase = testcase
        self._target, self._args, self._kwargs = target, args or (), kwargs or {}
        self._thread = threading.Thread(target=self._protected_run)
        self._exception: BaseException | None = None
        self._is_thread_joined = False

    def _protected_run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except BaseException as error:
            self._exception = error

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the thread; fail the test with what it raised."""
        self._is_thread_joined = True
        self._thread.join()
        if self._exception is not None:
            self._testcase.fail(f"Error in checkedThread: {self._exception}")

    def is_alive(self) -> bool:
        """Return whether the thread is still running."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fail unless the thread was joined."""
        if not self._is_thread_joined:
            self._testcase.fail("A checked thread was not joined.")


class CapturedWrites:
    """What was written to a stream while it was captured."""

    def __init__(self, file: Any) -> None:
        self._file: Any = file
        self._text = ""

    def contents(self) -> str:
        """Return the text written so far, also after the capture has ended."""
        if self._file is not None:
            self._file.seek(0)
            self._text = str(self._file.read().decode("utf-8", "replace"))
        return self._text

    def end(self) -> None:
        """Read the text for good: the file goes."""
        self.contents()
        self._file = None


class TestCase(ArrayAssertions, absltest.TestCase):
    """A test case of unittest that understands tensors.

    `methodName`: the name of the test to run; unittest passes it.

    `assertAllEqual`, `assertAllClose` and their kin compare tensors, arrays and structures of them.
    `session`, `evaluate`, `get_temp_dir` and `assertRaisesOpError` help tests of graphs. Random
        numbers begin with the same seed in every test. A thread of `checkedThread` that is left
        unjoined fails the test.

    >>> class Doubling(tf.test.TestCase):
    ...     def test_double(self):
    ...         self.assertAllClose(tf.constant([1.0, 2.0]) * 2, [2.0, 4.0])
    >>> Doubling("test_double").run().wasSuccessful()
    True
    """

    def __init__(self, methodName: str = "runTest") -> None:  # noqa: N803 - unittest's own spelling
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._tempdir: str | None = None
        self._cached_session: Any = None
        self._cached_for: tuple[Any, ...] = ()

    def setUp(self) -> None:
        """Give every test the same random numbers and a default graph of its own."""
        super().setUp()
        self._threads = []
        self._close_session()
        if "placewise.graph.defaults" in sys.modules:
            tf1: Any = placewise
            # Inside a graph (a test that calls setUp itself) that graph stays the default one.
            with contextlib.suppress(AssertionError):
                tf1.compat.v1.reset_default_graph()
        random.seed(SEED)
        np.random.seed(SEED)
        if "random" in dir(placewise):
            tf: Any = placewise
            tf.random.set_seed(SEED)

    def tearDown(self) -> None:
        """Fail if the test left a thread unjoined."""
        for thread in self._threads:
            thread.check_termination()
        self._close_session()
        super().tearDown()

    def _close_session(self) -> None:
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def get_temp_dir(self) -> str:
        """Return a folder of this test's own; the same on every call within the test."""
        if not self._tempdir:
            self._tempdir = tempfile.mkdtemp(dir=get_temp_dir())
        return self._tempdir

    def evaluate(self, tensors: Any) -> Any:
        """Return tensors, or a nested structure of them, as NumPy values."""
        if is_eager():
            return evaluated(tensors)
        tf: Any = placewise
        session = tf.compat.v1.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as session:
            return session.run(tensors)

    def evaluate_if_both_tensors(self, a: TensorLike, b: TensorLike) -> tuple[Any, Any]:
        """Return both as NumPy values when both are tensors, else both as they are."""
        return self.evaluate((a, b)) if is_tensor(a) and is_tensor(b) else (a, b)

    def _readable(self, value: Any) -> Any:
        return value if is_eager() or not _is_of_graph(value) else self.evaluate(value)

    def _both_readable(self, a: Any, b: Any) -> tuple[Any, Any]:
        if not is_eager() and _is_of_graph(a) and _is_of_graph(b):
            return tuple(self.evaluate((a, b)))
        return super()._both_readable(a, b)

    @contextlib.contextmanager
    def session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Run a block in a session of its own; where ops run at once there is none.

        `graph`: the graph of the session, by default the default graph. `config`: a ConfigProto.
        `use_gpu`: False asks for the CPU where ops ask for nothing. `force_gpu`: True asks for the
        first GPU.
        """
        if is_eager():
            yield EagerSessionWarner()
            return
        tf: Any = placewise
        session = tf.compat.v1.Session(graph=graph, config=config)
        with session, _asked_for(session, use_gpu, force_gpu):
            yield session

    @contextlib.contextmanager
    def cached_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Run a block in the session of this test, made by the first call and kept to its end."""
        if is_eager():
            yield EagerSession(self)
            return
        tf: Any = placewise
        asked = (graph, config, use_gpu, force_gpu)
        if self._cached_session is None:
            self._cached_session = tf.compat.v1.Session(graph=graph, config=config)
            self._cached_for = asked
        elif self._cached_for != asked:
            raise ValueError(
                "The session of this test was made with other options: call cached_session() with "
                "the same graph, config, use_gpu and force_gpu, or session() for one of its own."
            )
        session = self._cached_session
        asked_for = _asked_for(session, use_gpu, force_gpu)
        with session.graph.as_default(), session.as_default(), asked_for:
            yield session

    def test_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> contextlib.AbstractContextManager[Any]:
        """As `session`, under its oldest name."""
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        return self.session(graph, config, use_gpu, force_gpu)

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> CheckedThread:
        """Return a thread whose exception fails this test; it must be joined."""
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """Capture what is written to a stream's file descriptor, from Python or below it."""
        number = stream.fileno()
        with tempfile.TemporaryFile(dir=self.get_temp_dir()) as kept:
            stream.flush()
            before = os.dup(number)
            os.dup2(kept.fileno(), number)
            captured = CapturedWrites(kept)
            try:
                yield captured
            finally:
                stream.flush()
                os.dup2(before, number)
                os.close(before)
                captured.end()

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]  # as TensorFlow overrides it
        self, exception_type: Any, expected_err_re_or_predicate: Predicate
    ) -> Iterator[None]:
        """Fail unless the block raises that type, and its message matches a regex or predicate."""
        try:
            yield
        except BaseException as error:
            if not isinstance(error, exception_type) or not _matches(
                error, expected_err_re_or_predicate
            ):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
            return
        self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(
        self, expected_err_re_or_predicate: Predicate
    ) -> contextlib.AbstractContextManager[None]:
        """Fail unless the block raises an OpError that matches."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> contextlib.AbstractContextManager[None]:
        """Fail unless the block raises because shapes do not fit together."""
        return self.assertRaisesWithPredicateMatch(
            exception_type,
            r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes",
        )

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Fail unless a text starts with another."""
        if not actual.startswith(expected_start):
            said = f"{actual!r} does not start with {expected_start!r}"
            self.fail(self._formatMessage(msg, said))

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Fail unless two sequences hold the same items, in any order."""
        self.assertCountEqual(first, second, msg=msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Fail unless two device names mean the same."""
        first, second = canonical_device(device1), canonical_device(device2)
        lines = "\n".join(difflib.ndiff([first], [second]))
        said = f"Devices {first} and {second} are not equal. {msg}:\n{lines}"
        self.assertEqual(first, second, said)

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Fail unless a message equals another, which may be given in text form."""
        from google.protobuf import text_format  # noqa: PLC0415 - keeps protobuf out

        expected = expected_message_maybe_ascii
        if isinstance(expected, str | bytes):
            expected = text_format.Parse(expected, type(validate_message)())
        if not isinstance(expected, type(validate_message)):
            self.fail(
                f"Can't compare protos of type {type(expected)} and {type(validate_message)}."
            )
        if relative_tolerance is not None:
            first, second = _plain(expected), _plain(validate_message)
            self.assertAllClose(first, second, rtol=relative_tolerance, msg=msg)
            return
        self.assertMultiLineEqual(  # type: ignore[no-untyped-call]  # absl leaves it untyped
            text_format.MessageToString(expected, as_utf8=True),
            text_format.MessageToString(validate_message, as_utf8=True),
            msg=msg,
        )


# The name the class has inside TensorFlow, where old tests import it from.
TensorFlowTestCase = TestCase


def _is_of_graph(value: Any) -> bool:
    """Return True for what a session has to run before it can be read."""
    return isinstance(value, Tensor | Composite) or getattr(type(value), "_is_of_graphs", False)


def canonical_device(device: Any) -> str:
    """Return a device name in its full spelling, or an empty text for none."""
    return DeviceSpecV2.from_string(str(device or "")).to_string()


@functools.cache
def get_temp_dir() -> str:
    """Return a folder for temporary files of the tests in this process; it goes when they end."""
    # Outside absl's own runner nobody has read its flags; its default is the environment's word.
    parsed = flags.FLAGS.is_parsed()
    above = flags.FLAGS.test_tmpdir if parsed else absltest.get_default_test_tmpdir()
    os.makedirs(above, exist_ok=True)
    folder = tempfile.mkdtemp(dir=above)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def main(argv: Sequence[str] | None = None) -> None:
    """Run all tests of the program, then exit the process.

    `argv`: the command line, by default `sys.argv`: names of tests, and flags of unittest and absl.

    The exit status is 0 if all tests passed. Put it last into a file of tests.

    >>> callable(tf.test.main)  # it would end this process
    True
    """
    absltest.main(argv=list(sys.argv if argv is None else argv))


def _asked_for(session: Any, use_gpu: bool, force_gpu: bool) -> Any:
    """Return a scope of the device that a test asks for."""
    if force_gpu:
        return session.graph.device("/device:GPU:0")
    return contextlib.nullcontext() if use_gpu else session.graph.device("/device:CPU:0")


def _matches(error: BaseException, wanted: Predicate) -> bool:
    if callable(wanted):
        return wanted(error)
    said = error.message if isinstance(error, OpError) else str(error)
    return re.search(wanted, said) is not None


def _plain(message: Any) -> Mapping[str, Any]:
    from google.protobuf import json_format  # noqa: PLC0415 - keeps protobuf out

    plain: Mapping[str, Any] = json_format.MessageToDict(message)
    return plain
