"""Mistakes of programs with the errors they get: the words, the value received, what to do."""

import inspect

import pytest

import placewise as tf


def collector():
    """Return a list of mistakes, and the decorator that puts a function on it.

    The decorator is told the class of the error, how its first line begins, which is TensorFlow's,
    and what the lines behind it say. A function with a parameter gets a folder of its own.
    """
    mistakes = []

    def mistake(kind, words, *shown):
        def add(function):
            mistakes.append(pytest.param(function, kind, words, shown, id=function.__name__))
            return function

        return add

    return mistakes, mistake


def check(function, kind, words, shown, folder):
    """Make the mistake, and compare the error with what is expected."""
    with pytest.raises(kind) as raised:
        function(*[folder] if inspect.signature(function).parameters else [])
    error = raised.value
    message = error.message if isinstance(error, tf.errors.OpError) else str(error)
    first, _, rest = message.partition("\n")
    assert first.startswith(words)
    for part in shown:
        assert part in rest
