"""Real cards, by stand-ins: this machine has none."""

import sys
from types import SimpleNamespace

import pytest

from placewise.devices import accelerator, nvml, pci, report
from placewise.devices.creation import make_devices
from placewise.devices.discovery import discover
from placewise.devices.environment import Environment
from placewise.devices.options import Options

from .stand_ins import (
    Nvml,
    NVMLError,
    NVMLError_LibraryNotFound,
    Torch,
)

V100 = {
    "name": b"Tesla V100-SXM2-16GB",
    "uuid": "GPU-aaaa",
    "bus": "00000000:3B:00.0",
    "cudacomputecapability": (7, 0),
    "numgpucores": 5120,
    "maxclockinfo": 1530,
}
K80 = {"name": "Tesla K80", "uuid": "GPU-bbbb", "bus": b"00000000:05:00.0", "total": 12 << 30}
CUDA = {"cuda": "12.8"}


class _LostCard(Nvml):
    """A library whose second card has fallen off the bus."""

    def nvmlDeviceGetMemoryInfo(self, card):
        if card is self.cards[1]:
            raise self.NVMLError("GPU is lost")
        return super().nvmlDeviceGetMemoryInfo(card)


def test_a_card_that_does_not_answer_is_left_out_and_named(caplog):
    (found,) = nvml.find_cards(_LostCard(V100, K80))
    assert found.uuid == V100["uuid"]
    assert "card 1 does not answer (GPU is lost)" in caplog.text


def test_a_machine_of_which_no_card_answers_says_why():
    module = _LostCard(K80, K80)
    module.cards[0] = module.cards[1]
    with pytest.raises(nvml.UnavailableError, match="card 0 does not answer"):
        nvml.find_cards(module)


def test_a_card_that_stops_answering_shows_what_was_known(monkeypatch):
    cards = nvml.find_cards(Nvml(V100, K80))
    monkeypatch.setattr(nvml, "load", lambda: _LostCard(V100, K80))
    readings = report.read_cards(cards)
    assert [reading.total_bytes for reading in readings] == [card.total_bytes for card in cards]


def test_nvml_cards_come_in_bus_order_with_their_facts():
    old, new = nvml.find_cards(Nvml(V100, K80))
    assert (old.name, old.bus_id, old.uuid) == ("Tesla K80", "0000:05:00.0", "GPU-bbbb")
    assert old.capability is None and old.speed == old.model.fp32
    assert (new.capability, new.bus_id, new.multiprocessors) == ((7, 0), "0000:3b:00.0", 80)
    assert new.speed == pytest.approx(15.67e12, rel=0.01)
    assert not new.simulated and new.torch_type == "cuda"


def test_mig_instances_are_listed():
    part = {
        "name": "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "uuid": "MIG-1",
        "total": 5 << 30,
        "gpuinstanceid": 7,
        "computeinstanceid": 0,
    }
    card = {**V100, "migmode": (1, 1), "slices": [part]}
    [found] = nvml.find_cards(Nvml(card))
    [piece] = found.slices
    assert (piece.uuid, piece.gpu_instance, piece.name) == ("MIG-1", 7, "MIG 1g.5gb")
    assert piece.total_bytes == 5 << 30


def test_readings():
    running = [SimpleNamespace(pid=42, usedGpuMemory=1 << 20)]
    card = {
        **V100,
        "used": 3 << 30,
        "utilizationrates": SimpleNamespace(gpu=87),
        "powerusage": 150_000,
        "computerunningprocesses": running,
    }
    reading = nvml.read(Nvml(card), "GPU-aaaa")
    assert (reading.used_bytes, reading.utilisation_percent, reading.power_watts) == (
        3 << 30,
        87,
        150,
    )
    assert reading.temperature_celsius is None
    assert reading.processes == (nvml.Process(42, "process-42", 1 << 20),)


def test_a_library_that_does_not_start_says_why():
    with pytest.raises(nvml.UnavailableError, match="no NVIDIA driver is installed"):
        nvml.start(Nvml(fails=NVMLError_LibraryNotFound()))
    with pytest.raises(nvml.UnavailableError, match="odd"):
        nvml.start(Nvml(fails=NVMLError("odd")))


def test_a_torch_for_cpu_makes_cards_unusable():
    cards = nvml.find_cards(Nvml(V100, K80))
    found = accelerator.find_nvidia(cards, {}, Environment())
    assert found.cards == () and found.unusable == cards
    assert (
        "torch is built for CPU only, so 2 NVIDIA cards (Tesla K80, Tesla V100" in found.reasons[0]
    )
    assert accelerator.find_nvidia((), CUDA, Environment()).reasons


def test_equal_cards_need_no_torch_to_be_ordered():
    cards = nvml.find_cards(Nvml(V100, {**V100, "uuid": "GPU-cccc", "bus": "00000000:04:00.0"}))
    assert accelerator.find_nvidia(cards, CUDA, Environment()).shown is None


def test_different_cards_are_ordered_by_cuda_itself(monkeypatch):
    torch = Torch("cuda", SimpleNamespace(uuid="aaaa"), SimpleNamespace(uuid="bbbb"))
    monkeypatch.setitem(sys.modules, "torch", torch)
    cards = nvml.find_cards(Nvml(K80, V100))
    assert accelerator.find_nvidia(cards, CUDA, Environment()).shown == ("GPU-aaaa", "GPU-bbbb")
    by_bus = accelerator.find_nvidia(cards, CUDA, Environment(order="PCI_BUS_ID"))
    assert by_bus.shown is None


def test_cuda_that_does_not_tell_leaves_the_guess():
    assert accelerator.shown_by_cuda(Torch("cuda", SimpleNamespace())) is None


def test_free_memory_includes_what_this_process_has_reserved():
    mig = {
        "uuid": "MIG-1",
        "name": "V100 MIG 1g",
        "total": 8 << 30,
        "used": 6 << 30,
        "gpuinstanceid": 1,
        "computeinstanceid": 0,
    }
    divided = {
        **V100,
        "uuid": "GPU-dddd",
        "bus": "00000000:3C:00.0",
        "migmode": (1, 1),
        "slices": [mig],
    }
    cards = nvml.find_cards(Nvml({**V100, "used": 15 << 30}, {**K80, "used": 2 << 30}, divided))
    cuda = SimpleNamespace(
        is_initialized=lambda: True,
        device_count=lambda: 2,
        get_device_properties=lambda index: SimpleNamespace(uuid=("aaaa", "MIG-1")[index]),
        memory_reserved=lambda index: (14 << 30, 5 << 30)[index],
    )
    k80, v100, other = accelerator.with_own_reserve(cards, SimpleNamespace(cuda=cuda))
    assert (v100.free_bytes, k80.free_bytes) == (15 << 30, 10 << 30)
    assert other.slices[0].free_bytes == 7 << 30
    cuda.is_initialized = lambda: False
    assert accelerator.with_own_reserve(cards, SimpleNamespace(cuda=cuda)) is cards
    assert accelerator.with_own_reserve(cards, None) is cards


def test_real_devices_run_where_cuda_numbers_them(monkeypatch):
    cards = nvml.find_cards(Nvml(V100, {**V100, "uuid": "GPU-cccc", "bus": "00000000:04:00.0"}))
    monkeypatch.setattr(accelerator, "torch_build", lambda: CUDA)
    monkeypatch.setattr(accelerator.nvml, "load", lambda: None)
    monkeypatch.setattr(accelerator.nvml, "find_cards", lambda module: cards)
    found = discover(Environment(), None)
    devices = make_devices(found, Options(visible=(1, 0)))
    assert [device.torch_device for device in devices] == ["cpu", "cuda:1", "cuda:0"]
    assert not devices[1].simulated
    assert [gpu.card.bus_id for gpu in found.gpus] == ["0000:04:00.0", "0000:3b:00.0"]


def test_cards_older_than_torchs_kernels_are_left_out(monkeypatch):
    old = {**K80, "cudacomputecapability": (3, 7)}
    monkeypatch.setattr(accelerator, "torch_build", lambda: CUDA)
    monkeypatch.setattr(accelerator.nvml, "load", lambda: None)
    cards = nvml.find_cards(Nvml(old))
    monkeypatch.setattr(accelerator.nvml, "find_cards", lambda module: cards)
    found = discover(Environment(), None)
    assert found.gpus == ()
    assert (
        "with Cuda compute capability 3.7. The minimum required Cuda capability is 5.0."
        in (found.reasons[0])
    )
    assert accelerator.minimum_capability({"cuda": "13.0"}) == (7, 5)


def test_rocm_and_xpu_cards_come_from_torch():
    facts = SimpleNamespace(
        name="AMD Instinct MI300X",
        total_memory=192 << 30,
        multi_processor_count=304,
        pci_domain_id=0,
        pci_bus_id=12,
        pci_device_id=0,
        uuid="abcd",
    )
    found = accelerator.find_with_torch(Torch("cuda", facts))
    [card] = found.cards
    assert (card.vendor, card.bus_id, card.uuid) == ("amd", "0000:0c:00.0", "GPU-abcd")
    assert card.free_bytes == card.total_bytes - 5
    assert card.describe(0) == "device: 0, name: AMD Instinct MI300X, pci bus id: 0000:0c:00.0"
    assert found.shown == ("GPU-abcd",)
    plain = SimpleNamespace(name="Some GPU", total_memory=1 << 30, max_compute_units=8)
    [card] = accelerator.find_with_torch(Torch("xpu", plain)).cards
    assert (card.vendor, card.torch_type, card.multiprocessors) == ("intel", "xpu", 8)
    assert accelerator.find_with_torch(Torch("xpu")).reasons


def test_cards_of_a_backend_of_another_package_are_found(monkeypatch):
    facts = SimpleNamespace(name="Some NPU", total_memory=1 << 30, uuid="npu-0")
    monkeypatch.setattr(accelerator, "torch_build", dict)
    monkeypatch.setitem(sys.modules, "torch", Torch("npu", facts))
    [card] = accelerator.find(Environment(visible="7")).cards
    assert (card.name, card.vendor, card.torch_type) == ("Some NPU", "npu", "npu")
    found = discover(Environment(visible="7"), None)
    assert [device.torch_device for device in make_devices(found, Options())] == ["cpu", "npu:0"]


def test_a_backend_need_not_know_properties_of_its_cards(monkeypatch):
    torch = Torch("npu", SimpleNamespace(total_memory=1 << 30), SimpleNamespace(total_memory=5))
    torch.get_device_module = lambda name: SimpleNamespace()
    first, second = accelerator.find_with_torch(torch).cards
    assert (first.name, first.multiprocessors, first.total_bytes) == ("npu", 0, 1 << 30)
    assert first.uuid != second.uuid
    del torch.accelerator.get_memory_info
    assert accelerator.find_with_torch(torch).cards[0].total_bytes > 0


def test_torch_is_loaded_only_where_a_backend_is_installed(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr("builtins.__import__", _refuse_torch)
    monkeypatch.setattr(accelerator.importlib.metadata, "entry_points", lambda group: ())
    assert accelerator.torch_with_backend() is None
    monkeypatch.setattr(accelerator.importlib.metadata, "entry_points", lambda group: (group,))
    with pytest.raises(LookupError):
        accelerator.torch_with_backend()


_import = __import__


def _refuse_torch(name, *rest):
    if name == "torch":
        raise LookupError("torch is loaded")
    return _import(name, *rest)


def test_cuda_is_not_started_to_look_for_other_backends(monkeypatch):
    torch = Torch("cuda", SimpleNamespace())
    torch.accelerator.is_available = lambda: pytest.fail("CUDA was asked")
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert accelerator.torch_with_backend() is None


def test_apple(monkeypatch):
    monkeypatch.setattr(accelerator.platform, "machine", lambda: "arm64")
    [card] = accelerator.find_apple("Apple M2 Max").cards
    assert (card.torch_type, card.multiprocessors) == ("mps", 38)
    assert card.describe(0) == "device: 0, name: Apple M2 Max, pci bus id: <undefined>"
    monkeypatch.setattr(accelerator.platform, "machine", lambda: "x86_64")
    assert "no Apple processor" in accelerator.find_apple().reasons[0]


def test_absence_is_explained(monkeypatch, tmp_path):
    slots = [pci.Slot("0000:05:00.0", "NVIDIA"), pci.Slot("0000:06:00.0", "AMD")]
    assert accelerator.explain_absence("no driver", slots, {}) == (
        "there is an NVIDIA card (0000:05:00.0), but no driver",
        "there is an AMD card (0000:06:00.0), which needs a torch built for ROCm",
        "torch is built for CPU only",
    )
    assert accelerator.explain_absence("no driver", [], CUDA) == (
        "no NVIDIA card was found: no driver",
    )
    monkeypatch.setattr(accelerator, "torch_build", lambda: None)
    assert "torch is not installed" in accelerator.find(Environment()).reasons[0]


def test_cards_on_the_bus(tmp_path):
    for bus, kind, vendor in (
        ("0000:05:00.0", "0x030200", "0x10de"),
        ("0000:06:00.0", "0x020000", "0x10de"),
        ("0000:07:00.0", "0x120000", "0x1002"),
        ("0000:08:00.0", "0x030000", "0x1234"),
    ):
        slot = tmp_path / bus
        slot.mkdir()
        (slot / "class").write_text(kind + "\n")
        (slot / "vendor").write_text(vendor + "\n")
    (tmp_path / "0000:09:00.0").mkdir()
    assert pci.find_slots(str(tmp_path)) == [("0000:05:00.0", "NVIDIA"), ("0000:07:00.0", "AMD")]
    assert pci.find_slots(str(tmp_path / "none")) == []


def test_torchs_build_is_read_without_loading_it():
    build = accelerator.torch_build()
    assert isinstance(build, dict)
    assert set(build) <= {"cuda", "hip", "xpu"}
