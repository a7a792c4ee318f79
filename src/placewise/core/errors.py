"""The exceptions of `tf.errors`, and how an error says what exists and what to do.

The first line of a message is TensorFlow's own, so that searches and old tests match; `hint` adds
the line that helps.
"""

from __future__ import annotations

from typing import Any

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An operation failed; the base of all errors a kernel or the runtime raises."""

    def __init__(
        self,
        node_def: Any,
        op: Any,
        message: str,
        error_code: int = UNKNOWN,
        experimental_payloads: dict[Any, Any] | None = None,
    ) -> None:
        super().__init__(node_def, op, message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads = experimental_payloads or {}

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> Any:
        """The graph operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The NodeDef of the operation that failed, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number TensorFlow gives this kind of error."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[Any, Any]:
        """Further facts about the error, by key."""
        return self._experimental_payloads

    def __str__(self) -> str:
        return self._message

    def __reduce__(self) -> tuple[Any, ...]:
        # Graph objects do not travel between processes; the message does.
        return (_rebuild, (type(self).__qualname__, self._message, self._error_code))


def _rebuild(name: str, message: str, code: int) -> OpError:
    kind = next((k for k in _CodedError.__subclasses__() if k.__qualname__ == name), None)
    if kind is None:
        return OpError(None, None, message, code)
    return kind(None, None, message)


class _CodedError(OpError):
    """An OpError whose class fixes its code."""

    code = UNKNOWN

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, self.code, args[-1] if args else None)


class CancelledError(_CodedError):
    """The operation was cancelled."""

    code = CANCELLED


class UnknownError(_CodedError):
    """An error without a better name."""

    code = UNKNOWN


class InvalidArgumentError(_CodedError):
    """An operation received something it cannot take."""

    code = INVALID_ARGUMENT


class DeadlineExceededError(_CodedError):
    """It took longer than allowed."""

    code = DEADLINE_EXCEEDED


class NotFoundError(_CodedError):
    """Something asked for does not exist."""

    code = NOT_FOUND


class AlreadyExistsError(_CodedError):
    """Something to be made exists already."""

    code = ALREADY_EXISTS


class PermissionDeniedError(_CodedError):
    """The caller may not do that."""

    code = PERMISSION_DENIED


class UnauthenticatedError(_CodedError):
    """The caller did not say who it is."""

    code = UNAUTHENTICATED


class ResourceExhaustedError(_CodedError):
    """Memory, or another bounded thing, ran out."""

    code = RESOURCE_EXHAUSTED
    shortage: Any = None  # of memory: the facts as data

    def __reduce__(self) -> tuple[Any, ...]:
        return (*super().__reduce__(), {"shortage": self.shortage})


class FailedPreconditionError(_CodedError):
    """The system is not in the state the operation needs."""

    code = FAILED_PRECONDITION


class AbortedError(_CodedError):
    """The operation was given up, typically by a race."""

    code = ABORTED


class OutOfRangeError(_CodedError):
    """An operation went past the end: of a dataset, a queue or a file.

    `node_def`: the node that failed, or None.
    `op`: the operation that failed, or None.
    `message`: what went wrong.
    `args`: the payloads that come with it.

    Loops over `session.run` and iterators catch it to know that the data is used up.

    >>> iterator = iter(tf.data.Dataset.range(0))
    >>> try:
    ...     iterator.get_next()
    ... except tf.errors.OutOfRangeError:
    ...     print("no more data")
    no more data
    """

    code = OUT_OF_RANGE


class UnimplementedError(_CodedError):
    """The operation is not there."""

    code = UNIMPLEMENTED


class InternalError(_CodedError):
    """Something that should always hold does not."""

    code = INTERNAL


class UnavailableError(_CodedError):
    """The runtime or a peer cannot be reached now."""

    code = UNAVAILABLE


class DataLossError(_CodedError):
    """Data is damaged or lost."""

    code = DATA_LOSS


class UnknownDeviceError(InvalidArgumentError, RuntimeError):
    """A value was to be put on a device that does not exist.

    The guides promise a RuntimeError, and it shows itself as one; later TensorFlow raises
    InvalidArgumentError. It is both, so that programs written for either keep working.
    """


def invalid(message: str) -> InvalidArgumentError:
    """Return the InvalidArgumentError an op raises for a bad argument."""
    return InvalidArgumentError(None, None, message)


def hint(message: str, *facts: str) -> str:
    """Return `message` with one more line that says what exists, where, and what to do."""
    said = "; ".join(fact for fact in facts if fact)
    return f"{message}\n  {said}" if said else message


# Tracebacks name the classes as TensorFlow's do, so that searches find the same answers.
for _kind in (OpError, *_CodedError.__subclasses__()):
    _kind.__module__ = "tensorflow.python.framework.errors_impl"
UnknownDeviceError.__module__, UnknownDeviceError.__qualname__ = "builtins", "RuntimeError"

_BY_CODE: dict[int, type[OpError]] = {kind.code: kind for kind in _CodedError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Return the exception class of a code."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int | None:
    """Return the code of an exception class, or None."""
    return getattr(cls, "code", None)


class InaccessibleTensorError(ValueError):
    """A tensor of a loop, branch or function is used outside of it."""


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value."""
