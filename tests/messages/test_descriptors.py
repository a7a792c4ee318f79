"""Every message, field by field and byte by byte, against what TensorFlow's own descriptors say."""

import hashlib
import json
from pathlib import Path

import pytest

from placewise import messages
from placewise.messages.tables import all_tables

from .facts import describe_enum, describe_message, fill, walk_file

RECORDED = json.loads((Path(__file__).parent / "descriptors.json").read_text(encoding="utf-8"))
ONLY_OLD = RECORDED["only in TensorFlow 1"]
OLD_FIELDS = {f"{name}.{field}" for name, fields in ONLY_OLD.items() for field in fields}
# Of what only TensorFlow 1 has, its older protobuf could not tell these.
UNTOLD = {"packed", "presence"}


def ours():
    found_messages, found_enums = {}, {}
    for path in all_tables().files:
        in_file = walk_file(messages.pool().FindFileByName(path))
        found_messages.update((descriptor.full_name, descriptor) for descriptor in in_file[0])
        found_enums.update((descriptor.full_name, descriptor) for descriptor in in_file[1])
    return found_messages, found_enums


OURS, OUR_ENUMS = ours()


def test_no_message_is_missing_and_none_invented():
    assert set(OURS) == {*RECORDED["messages"], *ONLY_OLD}


def test_no_enum_is_missing_and_none_invented():
    assert set(OUR_ENUMS) == set(RECORDED["enums"])


@pytest.mark.parametrize("name", RECORDED["messages"])
def test_fields_are_those_of_tensorflow_2(name):
    described = describe_message(OURS[name])
    new = {key: facts for key, facts in described.items() if f"{name}.{key}" not in OLD_FIELDS}
    assert new == RECORDED["messages"][name]
    assert list(new) == list(RECORDED["messages"][name])


@pytest.mark.parametrize("name", ONLY_OLD)
def test_fields_tensorflow_2_dropped_are_still_there(name):
    described = describe_message(OURS[name])
    for field, recorded in ONLY_OLD[name].items():
        told = {key: fact for key, fact in described[field].items() if key not in UNTOLD}
        assert told == {key: fact for key, fact in recorded.items() if key not in UNTOLD}


@pytest.mark.parametrize("name", RECORDED["enums"])
def test_enum_values_are_tensorflows(name):
    assert describe_enum(OUR_ENUMS[name]) == RECORDED["enums"][name]


@pytest.mark.parametrize("name", RECORDED["filled"])
def test_with_every_field_set_bytes_and_text_are_tensorflows(name):
    message = fill(messages.find(name)(), skip=OLD_FIELDS)
    said = message.SerializeToString(deterministic=True) + str(message).encode()
    assert hashlib.sha256(said).hexdigest()[:16] == RECORDED["filled"][name]
