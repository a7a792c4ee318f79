"""Decorators that can be undone."""

from placewise.core import decorators


def test_unwrap_returns_the_decorators_and_the_function_inside():
    def inner(x):
        """Return x."""
        return x

    outer = decorators.make_decorator(inner, lambda x: inner(x) + 1, "plus_one")
    assert outer(1) == 2
    assert outer.__doc__ == "Return x."
    found, target = decorators.unwrap(outer)
    assert [decorator.decorator_name for decorator in found] == ["plus_one"]
    assert target is inner
