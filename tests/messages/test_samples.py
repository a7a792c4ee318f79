"""Messages TensorFlow made: read, printed and written again as TensorFlow does."""

import base64
import json
from pathlib import Path

import pytest
from google.protobuf import json_format, text_format

from placewise import messages

RECORDED = Path(__file__).parent / "samples.json"
SAMPLES = json.loads(RECORDED.read_text(encoding="utf-8"))["samples"]


@pytest.fixture(params=SAMPLES)
def sample(request):
    return SAMPLES[request.param]


@pytest.fixture
def sent(sample):
    return base64.b64decode(sample["bytes"])


@pytest.fixture
def message(sample, sent):
    return messages.find(sample["type"]).FromString(sent)


@pytest.fixture
def is_new(request):
    return request.node.callspec.params["sample"].endswith("TensorFlow 2")


def test_bytes_survive(message, sent, is_new):
    written = message.SerializeToString(deterministic=True)
    # TensorFlow 1's protobuf put the entries of maps in another order.
    assert written == sent if is_new else len(written) == len(sent)
    assert type(message).FromString(written) == message


# TensorFlow 1's protobuf wrote 1.0 where later ones write 1.
@pytest.mark.parametrize("sample", [SAMPLES[name] for name in SAMPLES if "TensorFlow 2" in name])
def test_text_is_tensorflows(message, sample):
    # Entries of a map come in no fixed order.
    assert sorted(str(message).splitlines()) == sorted(sample["text"].splitlines())


def test_a_device_prints_as_in_tensorflow():
    sample = SAMPLES["device 0, TensorFlow 2"]
    device = messages.DeviceAttributes.FromString(base64.b64decode(sample["bytes"]))
    assert str(device) == sample["text"]
    assert str(device).startswith(
        'name: "/device:CPU:0"\ndevice_type: "CPU"\nmemory_limit: 268435456\n'
    )


def test_text_is_read_back(message, sample):
    assert text_format.Parse(sample["text"], type(message)()) == message


def test_text_format_prints_what_it_reads(message):
    printed = text_format.MessageToString(message)
    assert text_format.Parse(printed, type(message)()) == message


def test_json_is_read_back(message):
    written = json_format.MessageToJson(message)
    assert json_format.Parse(written, type(message)()) == message


def test_samples_hold_real_devices_graphs_and_settings():
    kinds = {sample["type"] for sample in SAMPLES.values()}
    assert {
        "tensorflow.ConfigProto",
        "tensorflow.DeviceAttributes",
        "tensorflow.GraphDef",
        "tensorflow.MetaGraphDef",
        "tensorflow.RunMetadata",
        "tensorflow.SavedObjectGraph",
    } <= kinds
