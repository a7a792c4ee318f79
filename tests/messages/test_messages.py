"""The messages as a program meets them."""

import copy
import math
import pickle
import subprocess
import sys

import pytest
from google.protobuf import json_format, text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from placewise import messages


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def test_importing_and_listing_load_no_protobuf():
    code = (
        "import sys, placewise.messages as m\n"
        "before = 'google.protobuf' in sys.modules\n"
        "names = len(dir(m)); m.pb2_modules(); m.DT_FLOAT\n"
        "print(before, names > 300, 'google.protobuf' in sys.modules)\n"
        "m.ConfigProto\n"
        "print('google.protobuf' in sys.modules)\n"
    )
    assert run(code).split() == ["False", "True", "False", "True"]


def test_enum_values_are_reached_as_in_tensorflow():
    assert messages.DT_FLOAT == 1
    assert messages.DataType.Name(messages.DT_INT32) == "DT_INT32"
    assert messages.DataType.Value("DT_HALF") == 19
    assert messages.RunOptions.FULL_TRACE == 3
    assert messages.OptimizerOptions.ON_1 == 1
    assert messages.OptimizerOptions.Level.Value("L0") == -1
    assert messages.SessionLog.START == 1
    assert messages.RewriterConfig.OFF == 2


def test_nested_messages_are_reached_as_in_tensorflow():
    nested = messages.ConfigProto.Experimental(executor_type="SINGLE_THREADED_EXECUTOR")
    assert messages.ConfigProto(experimental=nested).experimental == nested
    assert messages.GPUOptions.Experimental.VirtualDevices(memory_limit_mb=[1]).memory_limit_mb == [
        1
    ]


def test_a_name_means_the_same_object_each_time():
    assert messages.GraphDef is messages.GraphDef
    assert messages.find("tensorflow.GraphDef") is messages.GraphDef
    assert type(messages.ConfigProto().gpu_options) is messages.GPUOptions


def test_of_two_with_one_name_tensorflows_is_meant():
    assert messages.VersionDef.DESCRIPTOR.full_name == "tensorflow.VersionDef"
    other = messages.find("third_party.tensorflow.python.keras.protobuf.VersionDef")
    assert other is not messages.VersionDef


def test_every_listed_name_resolves():
    assert all(getattr(messages, name) is not None for name in dir(messages))


def test_a_misspelt_name_is_told_the_right_one():
    with pytest.raises(AttributeError, match="did you mean 'ConfigProto'"):
        _ = messages.ConfigProtto


def test_a_misspelt_field_is_an_error():
    with pytest.raises(ValueError, match="allow_growht"):
        messages.GPUOptions(allow_growht=True)


def test_messages_can_be_copied_and_pickled():
    config = messages.ConfigProto(device_count={"GPU": 2})
    config.gpu_options.experimental.use_unified_memory = True
    keras = messages.find("third_party.tensorflow.python.keras.protobuf.VersionDef")(producer=1)
    for part in (config, config.gpu_options, config.gpu_options.experimental, keras):
        assert pickle.loads(pickle.dumps(part)) == part
        assert copy.deepcopy(part) == part


def test_an_any_packs_prints_and_unpacks():
    collection = messages.CollectionDef()
    collection.any_list.value.add().Pack(messages.LogMessage(message="hello"))
    assert collection.any_list.value[0].type_url == "type.googleapis.com/tensorflow.LogMessage"
    unpacked = messages.LogMessage()
    assert collection.any_list.value[0].Unpack(unpacked)
    assert unpacked.message == "hello"
    pool = messages.pool()
    written = json_format.MessageToJson(collection, descriptor_pool=pool)
    assert '"message": "hello"' in written
    read = json_format.Parse(written, messages.CollectionDef(), descriptor_pool=pool)
    assert read == collection
    text = text_format.MessageToString(collection, descriptor_pool=pool)
    assert "[type.googleapis.com/tensorflow.LogMessage]" in text
    again = text_format.Parse(text, messages.CollectionDef(), descriptor_pool=pool)
    assert again == collection


def test_fields_of_a_later_tensorflow_are_kept():
    later = b"\xfa\x3e\x02hi"
    assert messages.ConfigProto.FromString(later).SerializeToString() == later


@pytest.mark.parametrize("damaged", [b"\x08", b"\x32\x7f", b"\xff" * 12])
def test_damaged_bytes_are_an_error(damaged):
    from google.protobuf.message import DecodeError

    with pytest.raises(DecodeError):
        messages.ConfigProto.FromString(damaged)


def test_pb2_modules_hold_what_tensorflow_programs_import_from_them():
    config = messages.pb2("tensorflow.core.protobuf.config_pb2")
    assert config.ConfigProto is messages.ConfigProto
    assert config.RPCOptions is messages.RPCOptions
    assert config.DESCRIPTOR.name == "tensorflow/core/protobuf/config.proto"
    assert messages.pb2("tensorflow.core.framework.types_pb2").DT_BOOL == 10
    assert messages.pb2("tensorflow.core.framework.summary_pb2").HistogramProto
    assert messages.pb2("tensorflow.core.protobuf.error_codes_pb2").NOT_FOUND == 5
    assert "ConfigProto" in dir(config)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = config.Nothing


def test_every_pb2_module_can_be_made_and_used():
    for name in messages.pb2_modules():
        module = messages.pb2(name)
        assert all(getattr(module, each) is not None for each in dir(module))


def test_an_unknown_pb2_module_is_an_import_error():
    with pytest.raises(ModuleNotFoundError, match="nothing_pb2"):
        messages.pb2("tensorflow.core.nothing_pb2")


texts = st.text(max_size=8)
int64s = st.integers(-(2**63), 2**63 - 1)
# Not the very largest: protobuf prints it with digits that its own JSON reader finds too large.
float32s = st.one_of(
    st.floats(-(2.0**127), 2.0**127, width=32), st.sampled_from([math.inf, -math.inf])
)
attributes = st.one_of(
    st.builds(lambda value: messages.AttrValue(s=value), st.binary(max_size=8)),
    st.builds(lambda value: messages.AttrValue(i=value), int64s),
    st.builds(lambda value: messages.AttrValue(f=value), float32s),
    st.builds(lambda value: messages.AttrValue(b=value), st.booleans()),
    st.builds(
        lambda sizes: messages.AttrValue(
            shape=messages.TensorShapeProto(
                dim=[messages.TensorShapeProto.Dim(size=size) for size in sizes]
            )
        ),
        st.lists(int64s, max_size=3),
    ),
)
nodes = st.builds(
    lambda name, inputs, attr: messages.NodeDef(name=name, input=inputs, attr=attr),
    texts,
    st.lists(texts, max_size=3),
    st.dictionaries(texts, attributes, max_size=3),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(nodes, max_size=3))
def test_any_graph_survives_bytes_text_and_json(made):
    graph = messages.GraphDef(node=made)
    assert messages.GraphDef.FromString(graph.SerializeToString()) == graph
    assert text_format.Parse(text_format.MessageToString(graph), messages.GraphDef()) == graph
    assert json_format.Parse(json_format.MessageToJson(graph), messages.GraphDef()) == graph


def test_threads_that_come_first_at_once_get_the_same_classes():
    code = (
        "import sys, threading\n"
        "sys.setswitchinterval(1e-6)\n"
        "import placewise.messages as messages\n"
        "found, start = [], threading.Barrier(8)\n"
        "def take():\n"
        "    start.wait()\n"
        "    found.append(messages.find('tensorflow.TensorShapeProto'))\n"
        "threads = [threading.Thread(target=take) for _ in range(8)]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n"
        "print(len(found), len(set(found)))\n"
    )
    assert run(code) == "8 1\n"
