"""Tables of names, resolved on first use."""

import pytest

import placewise as tf
from placewise.core.namespace import missing, nearest, read_table


def test_a_missing_name_points_to_the_nearest():
    with pytest.raises(AttributeError, match="has no attribute 'matmull'; did you mean 'matmul'"):
        tf.matmull  # noqa: B018 - asking is the point
    assert nearest("sesion", ["Session", "add"]) == "Session"
    assert nearest("zzz", ["Session"]) == ""
    assert "docs/coverage.md" in missing("placewise", "nothing_like_it", [])


def test_a_namespace_that_is_left_out_says_what_to_use_instead():
    with pytest.raises(AttributeError, match=r"no tf\.data service .*dataset\.shard"):
        tf.data.experimental.service  # noqa: B018 - asking is the point


def test_a_table_is_its_stub(tmp_path):
    stub = tmp_path / "table.pyi"
    stub.write_text("# a table\nfrom placewise.core.dtypes import float32 as single\nx: int\n")
    assert read_table(stub) == {"single": ("placewise.core.dtypes", "float32")}


def test_every_name_is_listed():
    assert {"matmul", "nn", "float32", "simulate"} <= set(dir(tf))
