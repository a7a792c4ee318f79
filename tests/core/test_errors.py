"""Errors, as programs catch them."""

import pickle

import pytest

from placewise import errors
from placewise.core.errors import UnknownDeviceError, hint


def test_codes_and_classes_agree():
    for code in range(1, 17):
        kind = errors_by_code(code)
        made = kind(None, None, "told")
        assert (made.error_code, made.message, str(made)) == (code, "told", "told")
        assert isinstance(made, errors.OpError)


def errors_by_code(code):
    from placewise.core.errors import exception_type_from_error_code

    return exception_type_from_error_code(code)


def test_an_error_travels_between_processes():
    sent = errors.InvalidArgumentError(None, object(), "told")
    got = pickle.loads(pickle.dumps(sent))
    assert type(got) is errors.InvalidArgumentError
    assert got.message == "told"


def test_a_missing_device_is_caught_as_either():
    for kind in (RuntimeError, errors.InvalidArgumentError):
        with pytest.raises(kind):
            raise UnknownDeviceError(None, None, "no such device")


def test_hints_follow_on_a_line_of_their_own():
    assert hint("what", "this exists", "", "do that") == "what\n  this exists; do that"
    assert hint("what") == "what"
