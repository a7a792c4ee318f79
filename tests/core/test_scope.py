"""What a block changes, it puts back."""

import pytest

from placewise.core.scope import local, replaced


def test_fields_are_put_back_also_after_an_error():
    before = (local.request, local.name_scope)
    with pytest.raises(KeyError), replaced(request="/cpu:0", name_scope="a/"):
        assert (local.request, local.name_scope, local.fast) == ("/cpu:0", "a/", None)
        raise KeyError
    assert (local.request, local.name_scope) == before
