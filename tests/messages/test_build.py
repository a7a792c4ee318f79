"""Building message classes from tables, in pools of their own."""

import pytest

from placewise.messages.build import Messages, entry_name
from placewise.messages.tables import all_tables, read

TABLE = """
file t/new.proto
  package t
  Holder
    names 1 map<string,Item>
    oneof which
      left 2 int32
      right 3 string
    later 4 repeated int32
    Item
      level 1 Level
  enum Level
    LOW 0, HIGH 1

file t/old.proto
  package t
  syntax proto2
  Old
    loose 1 repeated int32
    tight 2 repeated packed int32
    value 3 int32
"""


@pytest.fixture
def built():
    return Messages(read([TABLE]), __name__, str)


def test_a_map_makes_its_values_when_asked(built):
    holder = built.find("t.Holder")()
    holder.names["a"].level = 1
    assert holder.SerializeToString() == b"\n\x07\n\x01a\x12\x02\x08\x01"


def test_of_a_oneof_the_last_one_set_stays(built):
    holder = built.find("t.Holder")(left=1)
    holder.right = "x"
    assert holder.WhichOneof("which") == "right"
    assert holder.left == 0


def test_numbers_are_packed_in_proto3_and_on_request_in_proto2(built):
    assert built.find("t.Holder")(later=[1, 2]).SerializeToString() == b'"\x02\x01\x02'
    old = built.find("t.Old")
    assert old(loose=[1, 2]).SerializeToString() == b"\x08\x01\x08\x02"
    assert old(tight=[1, 2]).SerializeToString() == b"\x12\x02\x01\x02"


def test_proto2_knows_whether_a_number_was_set(built):
    old = built.find("t.Old")(value=0)
    assert old.HasField("value")
    assert old.SerializeToString() == b"\x18\x00"


def test_an_enum_is_found_by_name(built):
    assert built.find("t.Level").Name(1) == "HIGH"
    assert built.find("t.Level").HIGH == 1


def test_classes_say_where_they_are(built):
    item = built.find("t.Holder.Item")
    assert (item.__module__, item.__qualname__) == (__name__, "Holder.Item")
    assert built.find("t.Holder").Item is item


def test_an_unknown_message_is_a_key_error(built):
    with pytest.raises(KeyError, match=r"t\.Nothing"):
        built.find("t.Nothing")


def test_map_entries_are_named_as_protobuf_does():
    assert entry_name("device_count") == "DeviceCountEntry"
    assert entry_name("cacheSize_x2") == "CacheSizeX2Entry"


def test_two_pools_with_the_same_full_names_do_not_clash():
    one, two = (
        Messages(all_tables(), "here", str).find("tensorflow.ConfigProto") for _ in range(2)
    )
    assert one is not two
    assert one.DESCRIPTOR.full_name == two.DESCRIPTOR.full_name == "tensorflow.ConfigProto"
    sent = one(allow_soft_placement=True).SerializeToString()
    assert two.FromString(sent).allow_soft_placement


def test_the_process_wide_pool_stays_free_of_ours():
    from google.protobuf import descriptor_pool

    Messages(all_tables(), "here", str).find("tensorflow.ConfigProto")
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("tensorflow.ConfigProto")


def test_only_what_is_used_is_built(monkeypatch):
    built = []
    messages = Messages(all_tables(), "here", str)
    from placewise.messages import build

    class Noting(build.FileBuilder):
        def __init__(self, source, tables):
            built.append(source.path)
            super().__init__(source, tables)

    monkeypatch.setattr(build, "FileBuilder", Noting)
    messages.find("tensorflow.DeviceAttributes")
    assert built == ["tensorflow/core/framework/device_attributes.proto"]
