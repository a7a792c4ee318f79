"""Reading field tables."""

import pytest

from placewise.messages.tables import all_tables, read

TABLE = """
file a/first.proto
  package a.b
  Outer  # a note
    inner 1 Inner
    kind 2 Kind
    Inner
      other 1 Second
  enum Kind
    NONE 0, SOME -1,
    ALL 2

file a/second.proto
  package a
  syntax proto2
  public a/first.proto
  Second
"""


def test_names_are_listed_where_they_are_declared():
    tables = read([TABLE])
    first, second = tables.files["a/first.proto"], tables.files["a/second.proto"]
    assert tables.messages == {"a.b.Outer": first, "a.b.Outer.Inner": first, "a.Second": second}
    assert tables.enums == {"a.b.Kind": first}
    assert first.names == ["Outer", "Kind"]


def test_values_of_an_enum_may_take_several_lines():
    assert read([TABLE]).files["a/first.proto"].values == {"NONE": 0, "SOME": -1, "ALL": 2}


def test_header_lines_say_package_syntax_and_what_is_passed_on():
    second = read([TABLE]).files["a/second.proto"]
    assert (second.package, second.syntax, second.public) == ("a", "proto2", ["a/first.proto"])


@pytest.mark.parametrize(
    ("name", "scope", "full_name"),
    [
        ("Inner", "a.b.Outer", "a.b.Outer.Inner"),
        ("Second", "a.b.Outer.Inner", "a.Second"),
        ("b.Kind", "a", "a.b.Kind"),
        ("google.protobuf.Any", "a.b", "google.protobuf.Any"),
    ],
)
def test_a_type_is_looked_up_from_the_inside_out(name, scope, full_name):
    assert read([TABLE]).resolve(name, scope) == full_name


def test_a_type_no_table_has_is_named():
    with pytest.raises(KeyError, match=r"'Third', used in a\.b, is in no table"):
        read([TABLE]).resolve("Third", "a.b")


def test_every_file_passed_on_is_in_a_table():
    files = all_tables().files
    assert all(path in files for file in files.values() for path in file.public)
