"""`tf.train.QueueRunner`: threads that keep a queue filled."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import TYPE_CHECKING, Any

from placewise.core.errors import (
    CancelledError,
    OpError,
    OutOfRangeError,
    exception_type_from_error_code,
)
from placewise.core.scope import current
from placewise.graph.defaults import get_default_graph
from placewise.graph.queues import QueueBase
from placewise.messages import QueueRunnerDef
from placewise.training.slots import is_eager

if TYPE_CHECKING:
    from placewise.graph.operation import Operation
    from placewise.session.session import Session
    from placewise.training.coordinator import Coordinator


_log = logging.getLogger("tensorflow")


class QueueRunner:
    """Runs enqueue operations of a queue, each in a thread of its own, until it is closed.

    When one ends with an exception that means the end of input, and is the last to, the queue is
    closed; any other exception goes to the coordinator, or is kept in `exceptions_raised`.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if is_eager():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. Instead, use "
                "tf.data to get data into your model."
            )
        if queue_runner_def is not None:
            if queue is not None or enqueue_ops is not None:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._from_message(queue_runner_def, import_scope)
        else:
            self._from_arguments(
                queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types
            )
        self._lock = threading.Lock()
        # How many of its threads still run in each session; a session that is gone counts no more.
        self._runs: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[BaseException] = []

    def _from_arguments(
        self, queue: Any, enqueue_ops: Any, close_op: Any, cancel_op: Any, closed_types: Any
    ) -> None:
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._enqueue_ops = queue, enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        if cancel_op is None:
            cancel_op = queue.close(cancel_pending_enqueues=True)
        self._cancel_op = cancel_op
        if closed_types is None:
            closed_types = (OutOfRangeError,)
        if (
            not isinstance(closed_types, tuple)
            or not closed_types
            or not all(issubclass(each, OpError) for each in closed_types)
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of tf.error types, "
                f"but saw: {closed_types}"
            )
        self._queue_closed_exception_types = closed_types

    def _from_message(self, message: Any, import_scope: str | None) -> None:
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(f"{import_scope}/{name}" if import_scope else name)

        made = element(message.queue_name)
        # What the graph tells: the queue's own operation knows its dtypes and shapes.
        op = graph.as_operation(made)
        types = list(op.attrs["component_types"])
        self._queue = QueueBase(types, op.attrs.get("shapes") or None, None, op.outputs[0])
        self._enqueue_ops = [element(name) for name in message.enqueue_op_name]
        self._close_op = element(message.close_op_name)
        self._cancel_op = element(message.cancel_op_name)
        self._queue_closed_exception_types = tuple(
            exception_type_from_error_code(code) for code in message.queue_closed_exception_types
        ) or (OutOfRangeError,)

    @property
    def queue(self) -> Any:
        """The queue that is filled."""
        return self._queue

    @property
    def enqueue_ops(self) -> Any:
        """The operations that fill it."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes it when input ends."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes it when the coordinator stops."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> Any:
        """The exceptions that mean that input has ended."""
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What the threads raised, when there was no coordinator to tell."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        name: str = self._queue.name
        return name

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        """Enqueue until there is nothing more to enqueue, or the coordinator stops."""
        is_counted = True
        try:
            enqueue = sess.make_callable(enqueue_op)
            while not (coord and coord.should_stop()):
                try:
                    enqueue()
                except self._queue_closed_exception_types:
                    with self._lock:
                        self._runs[sess] -= 1
                        is_counted = False
                        if self._runs[sess] == 0:
                            self._close(sess)
                    return
        except Exception as problem:
            if coord:
                coord.request_stop(problem)
            else:
                _log.error("Exception in QueueRunner: %s", problem)
                with self._lock:
                    self._exceptions_raised.append(problem)
                # Nobody else would hear of it: the thread ends with it, as TensorFlow's does.
                raise
        finally:
            if is_counted:
                with self._lock:
                    self._runs[sess] -= 1

    def _close(self, sess: Session) -> None:
        try:
            sess.run(self._close_op)
        except Exception as problem:
            # Others wait for this lock: a queue that is closed already is no harm.
            _log.debug("Ignored exception: %s", problem)

    def _close_on_stop(self, sess: Session, cancel_op: Operation, coord: Coordinator) -> None:
        coord.wait_for_stop()
        try:
            sess.run(cancel_op)
        except (CancelledError, OutOfRangeError, RuntimeError) as problem:
            _log.debug("Ignored exception: %s", problem)

    def create_threads(
        self,
        sess: Session,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[threading.Thread]:
        """Return the threads that fill the queue in a session; none if they run there already."""
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        made = [
            threading.Thread(
                target=self._run,
                args=(sess, op, coord),
                name=f"QueueRunnerThread-{self.name}-{op.name}",
            )
            for op in self._enqueue_ops
        ]
        if coord:
            made.append(
                threading.Thread(
                    target=self._close_on_stop,
                    args=(sess, self._cancel_op, coord),
                    name=f"QueueRunnerThread-{self.name}-close_on_stop",
                )
            )
        for thread in made:
            if coord:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return made

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the QueueRunnerDef message; None if the queue is outside `export_scope`."""
        prefix = f"{export_scope}/" if export_scope else ""
        if not self.name.startswith(prefix):
            return None
        message = QueueRunnerDef()
        message.queue_name = self.name.removeprefix(prefix)
        for op in self._enqueue_ops:
            message.enqueue_op_name.append(op.name.removeprefix(prefix))
        message.close_op_name = self._close_op.name.removeprefix(prefix)
        message.cancel_op_name = self._cancel_op.name.removeprefix(prefix)
        for kind in self._queue_closed_exception_types:
            message.queue_closed_exception_types.append(kind.code)
        return message

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """Return the QueueRunner of a message, in the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr: QueueRunner, collection: str = "queue_runners") -> None:
    """Put a QueueRunner into a collection of the default graph."""
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = "queue_runners",
) -> list[threading.Thread]:
    """Start the threads of all QueueRunners in a collection, and return them."""
    if is_eager():
        raise RuntimeError("Queues are not compatible with eager execution.")
    if sess is None:
        sessions = current.sessions
        if not sessions:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to "
                "tf.start_queue_runners(sess=sess)"
            )
        sess = sessions[-1]
    if not hasattr(sess, "run") or not hasattr(sess, "graph"):
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {sess.__class__}")
    threads: list[threading.Thread] = []
    for runner in sess.graph.get_collection(collection):
        threads += runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
    return threads
