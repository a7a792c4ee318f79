"""The machine as data."""

import json

from placewise.devices import cpu, inventory
from placewise.devices.configuration import list_physical_devices, set_visible_devices
from placewise.devices.report import describe_machine


def test_rows_relate_all_numberings(monkeypatch):
    monkeypatch.setenv("PLACEWISE_SIMULATE", "K20m@02:00.0,V100@03:00.0,K40c@04:00.0")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,0")
    machine = describe_machine()
    rows = [
        (row.card.name, row.smi_index, row.cuda_order, row.cuda_index, row.tensorflow)
        for row in machine.rows
    ]
    assert rows == [
        ("Tesla K20m", 0, 2, 0, ("/device:GPU:0",)),
        ("Tesla V100-SXM2-16GB", 1, 0, 1, ("/device:GPU:1",)),
        ("Tesla K40c", 2, 1, None, ()),
    ]
    assert machine.rows[2].hidden_by == "CUDA_VISIBLE_DEVICES='2,0'"
    assert machine.variables == {
        "PLACEWISE_SIMULATE": "K20m@02:00.0,V100@03:00.0,K40c@04:00.0",
        "CUDA_VISIBLE_DEVICES": "2,0",
    }
    assert not inventory.initialized()
    assert json.loads(json.dumps(machine.to_json()))["rows"][0]["card"]["name"] == "Tesla K20m"


def test_what_the_program_hides_is_said_with_its_line():
    with inventory.simulate("2"):
        set_visible_devices(list_physical_devices("GPU")[1:], "GPU")
        first, second = describe_machine().rows
        assert first.hidden_by.startswith("tf.config.set_visible_devices at ")
        assert "test_report.py:" in first.hidden_by
        assert second.tensorflow == ("/device:GPU:0",)


def test_a_machine_without_gpu_says_why():
    with inventory.simulate("0"):
        machine = describe_machine()
    assert machine.rows == ()
    assert machine.reasons == ("the simulated machine '0' has no GPU",)
    assert machine.cpus == ("/device:CPU:0",)


def test_the_processor_is_known():
    processor = cpu.find()
    assert processor.cores >= 1 and processor.memory_bytes > 0 and processor.name
