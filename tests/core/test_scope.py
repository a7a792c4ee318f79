"""What a block changes, it puts back."""

import sys

import pytest

from placewise.core.scope import current, replaced


def test_fields_are_put_back_also_after_an_error():
    before = (current.request, current.name_scope)
    with pytest.raises(KeyError), replaced(request="/cpu:0", name_scope="a/"):
        assert (current.request, current.name_scope, current.fast) == ("/cpu:0", "a/", None)
        raise KeyError
    assert (current.request, current.name_scope) == before


def test_fields_are_put_back_after_an_interrupt_on_the_way_in():
    before = (current.request, current.name_scope)
    interrupts = 0
    for line in range(30):
        lines, entered = iter(range(100)), []

        def interrupt(frame, event, _, lines=lines, entered=entered, line=line):
            if frame.f_code.co_name != "replaced" or entered:
                return None
            if event == "line" and next(lines) == line:
                raise KeyboardInterrupt
            return interrupt

        sys.settrace(interrupt)
        try:
            with replaced(request="/cpu:0", name_scope="a/"):
                entered.append(True)
        except KeyboardInterrupt:
            interrupts += 1
        finally:
            sys.settrace(None)
        assert (current.request, current.name_scope) == before, line
    assert interrupts > 5
