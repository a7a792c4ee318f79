"""What a block changes, it puts back."""

import pytest

from placewise.core.scope import current, replaced


def test_fields_are_put_back_also_after_an_error():
    before = (current.request, current.name_scope)
    with pytest.raises(KeyError), replaced(request="/cpu:0", name_scope="a/"):
        assert (current.request, current.name_scope, current.fast) == ("/cpu:0", "a/", None)
        raise KeyError
    assert (current.request, current.name_scope) == before
