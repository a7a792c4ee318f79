"""Descriptions of simulated machines, and the table of cards."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placewise.devices import inventory
from placewise.devices.cards import BUSES, MODELS, find_model, nearest_model
from placewise.devices.facts import GIB, MIB, Host
from placewise.devices.machine import parse_bytes, parse_host, parse_machine


def test_a_number_is_that_many_of_the_default_model():
    assert [card.name for card in parse_machine("4")] == ["Tesla V100-SXM2-16GB"] * 4
    assert parse_machine("0") == []


def test_counts_models_memory_and_bus():
    [card] = parse_machine("K40c:2GiB@05:00.0")
    assert (card.name, card.total_bytes, card.bus_id) == ("Tesla K40c", 2 * GIB, "0000:05:00.0")
    assert card.capability == (3, 5)
    assert card.free_bytes < card.total_bytes
    names = [card.name for card in parse_machine("2xA100-80GB, V100")]
    assert names == ["NVIDIA A100-SXM4-80GB"] * 2 + ["Tesla V100-SXM2-16GB"]
    assert len(parse_machine("2 x K20m , 3X T4")) == 5


@pytest.mark.parametrize(
    ("bus", "full"),
    [
        ("05:00.0", "0000:05:00.0"),
        ("5", "0000:05:00.0"),
        ("05:01", "0000:05:01.0"),
        ("0001:3B:00.1", "0001:3b:00.1"),
        ("00000000:3b:00.0", "0000:3b:00.0"),
    ],
)
def test_bus_spellings(bus, full):
    assert parse_machine(f"T4@{bus}")[0].bus_id == full


def test_generated_bus_ids_avoid_given_ones_and_uuids_are_stable():
    cards = parse_machine("T4,T4@01:00.0,T4")
    assert [card.bus_id for card in cards] == ["0000:02:00.0", "0000:01:00.0", "0000:03:00.0"]
    assert cards == parse_machine("T4,T4@01:00.0,T4")
    assert len({card.uuid for card in cards}) == 3
    assert all(
        re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", c.uuid) for c in cards
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("K40x", "there is no model 'K40x'; did you mean 'K40c'?"),
        ("4xRTX4091", "there is no model 'RTX4091'; did you mean 'RTX4090'?"),
        ("foo", "there is no model 'foo'; such as K40c"),
        ("", "Machine '' has an empty entry"),
        ("4,,2", "has an empty entry"),
        ("K40c:2parsecs", "'2parsecs' is no memory size; write it like 2GiB"),
        ("K40c:", "'' is no memory size"),
        ("K40c:0", "a card has at least 1 MiB"),
        ("K40c@zz", "'zz' is no PCI bus id; write it like 05:00.0"),
        ("2xK40c@05:00.0", "one bus id cannot be that of 2 cards"),
        ("K40c@05:00.0,T4@5", "two cards at bus id 0000:05:00.0"),
        ("99999", "more than 16384 cards"),
        ("9" * 5000, "more than 16384 cards"),
        ("-1", "there is no model '-1'"),
    ],
)
def test_errors_say_what_is_wrong(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_machine(text)


@given(st.text(max_size=40))
def test_any_text_is_a_machine_or_a_value_error(text):
    try:
        cards = parse_machine(text)
    except ValueError:
        return
    assert len({card.uuid for card in cards}) == len(cards)


def test_sizes():
    assert parse_bytes("2GiB") == parse_bytes("2 GB") == parse_bytes("2g") == 2 * GIB
    assert parse_bytes("512MiB") == 512 * MIB
    assert parse_bytes("1.5k") == 1536
    assert parse_bytes("5") == 5
    assert parse_bytes("lots") is None


def test_a_thousand_cards_are_listed_in_well_under_a_second():
    begun = time.perf_counter()
    with inventory.simulate("1024xH100"):
        assert len(inventory.inventory().devices) == 1025
    assert time.perf_counter() - begun < 0.5


def test_the_table_has_cards_of_every_vendor_with_sensible_figures():
    assert len(MODELS) >= 40
    assert {model.vendor for model in MODELS} == {"nvidia", "amd", "apple", "intel"}
    architectures = {model.architecture for model in MODELS}
    assert architectures >= {
        "Kepler",
        "Maxwell",
        "Pascal",
        "Volta",
        "Turing",
        "Ampere",
        "Ada",
        "Hopper",
        "Blackwell",
    }
    for model in MODELS:
        assert 1 * GIB <= model.memory_bytes <= 512 * GIB, model.name
        assert 5e10 <= model.bandwidth <= 2e13, model.name
        assert 1e12 <= model.fp32 <= 5e14, model.name
        assert (model.capability is not None) == (model.vendor == "nvidia"), model.name
        assert 4 <= model.multiprocessors <= 400, model.name
        assert model.bus in BUSES
        assert bool(model.link) == (model.link_bandwidth is not None), model.name
        for rate in (model.tf32, model.bf16):
            assert rate is None or rate >= model.fp32, model.name


def test_no_alias_means_two_cards():
    for model in MODELS:
        for name in (model.name, *model.aliases):
            assert find_model(name) is model, name


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("K20m", "Tesla K20m"),
        ("k40c", "Tesla K40c"),
        ("V100", "Tesla V100-SXM2-16GB"),
        ("A100", "NVIDIA A100-SXM4-40GB"),
        ("A100-80GB", "NVIDIA A100-SXM4-80GB"),
        ("H100", "NVIDIA H100 80GB HBM3"),
        ("RTX4090", "NVIDIA GeForce RTX 4090"),
        ("GeForce RTX 4090", "NVIDIA GeForce RTX 4090"),
        ("T4", "Tesla T4"),
        ("P100", "Tesla P100-PCIE-16GB"),
        ("MI300X", "AMD Instinct MI300X"),
        ("M2Max", "Apple M2 Max"),
        ("m2 max", "Apple M2 Max"),
    ],
)
def test_lookup(name, reported):
    assert find_model(name).name == reported


def test_nearest():
    assert nearest_model("RTX 4091") == "RTX4090"
    assert nearest_model("zzzzzz") == ""


def test_links_are_part_of_a_description():
    [first, *_] = cards = parse_machine("4xV100@nvlink")
    assert len(cards) == 4
    assert first.model.link == "NVLink 2"
    [slow] = parse_machine("V100@pcie2")
    assert (slow.model.bus, slow.model.link) == ("PCIe 2.0 x16", "")
    assert slow.model.bus_bandwidth == BUSES["PCIe 2.0 x16"] * 1e9
    [both] = parse_machine("K40c:2GiB@05:00.0@pcie3")
    assert (both.bus_id, both.model.bus) == ("0000:05:00.0", "PCIe 3.0 x16")


@pytest.mark.parametrize(
    ("text", "name", "gib", "multiprocessors"),
    [
        ("A100-80GB/MIG-1g.10gb", "NVIDIA A100-SXM4-80GB MIG 1g.10gb", 10, 14),
        ("A100/mig 3g.20gb", "NVIDIA A100-SXM4-40GB MIG 3g.20gb", 20, 42),
        ("A100-80GB/1g.20gb", "NVIDIA A100-SXM4-80GB MIG 1g.20gb", 20, 14),
        ("H100/MIG-7g.80gb", "NVIDIA H100 80GB HBM3 MIG 7g.80gb", 80, 132),
        ("A30/MIG-2g.12gb", "NVIDIA A30 MIG 2g.12gb", 12, 28),
    ],
)
def test_slices_of_cards(text, name, gib, multiprocessors):
    [card] = parse_machine(text)
    assert (card.name, card.multiprocessors) == (name, multiprocessors)
    assert 0.93 * gib * GIB < card.total_bytes < gib * GIB  # each keeps some for itself
    assert card.model.link == ""
    assert card.model.bandwidth <= find_model(text.partition("/")[0]).bandwidth


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("4xV100", Host()),
        ("4xV100,host:64GiB", Host(64 * GIB)),
        ("host:32cores,V100", Host(None, 32)),
        ("V100,cpu:64GiB/32 cores", Host(64 * GIB, 32)),
        ("host", Host()),
    ],
)
def test_hosts(text, host):
    assert parse_host(text) == host
    assert len(parse_machine(text)) == sum("V100" in entry for entry in text.split(",")) * (
        4 if "4x" in text else 1
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("T4@nvlink", "Tesla T4 has no NVLink"),
        ("V100@pcie9", "there is no link 'pcie9'; there are pcie2, pcie3, pcie4, pcie5, nvlink"),
        ("V100@pcie3@pcie4", "a card has one bus id and one link"),
        ("V100/MIG-1g.5gb", "has no slice 'MIG-1g.5gb'; it has none"),
        ("A100/MIG-1g.6gb", "it has 1g.5gb, 1g.10gb, 2g.10gb"),
        ("V100,host:lots", "'lots' is no memory size"),
    ],
)
def test_errors_of_links_slices_and_hosts(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_machine(text)


def test_every_card_names_its_source():
    assert all(model.source for model in MODELS)
