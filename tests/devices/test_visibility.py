"""Which cards a process sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placewise.core.errors import InvalidArgumentError
from placewise.devices.environment import Environment
from placewise.devices.facts import Slice
from placewise.devices.machine import parse_machine
from placewise.devices.visibility import choose, look, order_cards, parse_visible_device_list

FOUR = parse_machine("4xK20m")
A, B, C, D = (card.uuid for card in FOUR)


def chosen(text, cards=FOUR):
    return [index for index, _ in choose(cards, text)[0]]


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        (None, [0, 1, 2, 3]),
        ("", []),
        (" ", []),
        ("-1", []),
        ("1", [1]),
        ("2,1", [2, 1]),
        (" 2 , 1 ", [2, 1]),
        ("0,2,-1,1", [0, 2]),
        ("0,9,1", [0]),
        ("9", []),
        ("0,x,1", [0]),
        ("0,,1", [0]),
        ("1gpu2", [1]),
        ("+1", [1]),
        ("0,0", []),
        ("1,2,1", []),
        ("0,-1,0", [0]),
        ("no", []),
        ("NoDevFiles", []),
        (A, [0]),
        (f"{C},{A}", [2, 0]),
        (C[:10], [2]),
        (C.upper(), [2]),
        (f"{C},0", [2]),
        (f"0,{C}", [0]),
        (f"{C},GPU-ffffffff,{A}", [2]),
        ("GPU-", []),
        (f"{C},{C[:12]}", []),
        ("MIG-0000", []),
        ("99999999999999999999999", []),
    ],
)
def test_cuda_visible_devices(text, visible):
    assert chosen(text) == visible


@given(st.text(st.sampled_from("0123456789-,GPUxab +"), max_size=30))
def test_any_value_gives_cards_at_most_once(text):
    seen = chosen(text)
    assert len(set(seen)) == len(seen) <= 4


@given(st.permutations(range(4)), st.integers(0, 4))
def test_indices_and_uuids_choose_alike(order, count):
    wanted = list(order)[:count]
    if wanted:
        by_index = ",".join(map(str, wanted))
        by_uuid = ",".join(FOUR[index].uuid for index in wanted)
        assert chosen(by_index) == chosen(by_uuid) == wanted


def test_an_odd_entry_is_said():
    assert choose(FOUR, "0,9,1")[1] == (
        "CUDA_VISIBLE_DEVICES: there is no card 9 (of 4), so the list ends there"
    )
    assert "names a card twice" in choose(FOUR, "0,0")[1]
    assert choose(FOUR, "-1")[1] == choose(FOUR, "")[1] == ""
    assert "fits 4 cards" in choose(FOUR, "GPU-")[1]


def test_faster_cards_come_first_unless_bus_order_is_asked_for():
    cards = sorted(parse_machine("K20m@02:00.0,V100@03:00.0,K40c@04:00.0"), key=lambda c: c.bus_id)
    assert order_cards(cards, None) == order_cards(cards, "FASTEST_FIRST") == (1, 2, 0)
    assert order_cards(cards, "PCI_BUS_ID") == (0, 1, 2)
    seen = look(cards, Environment(visible="0"))
    assert [entry.card.name for entry in seen.seen] == ["Tesla V100-SXM2-16GB"]
    assert seen.masked_by == "CUDA_VISIBLE_DEVICES='0'"
    assert seen.cuda_indices() == {1: 0}
    seen = look(cards, Environment(visible="0", order="PCI_BUS_ID"))
    assert [entry.card.name for entry in seen.seen] == ["Tesla K20m"]


def test_an_unknown_order_is_said_and_the_default_holds():
    seen = look(FOUR, Environment(order="SLOWEST"))
    assert seen.notes == (
        "CUDA_DEVICE_ORDER='SLOWEST' is neither FASTEST_FIRST nor PCI_BUS_ID, so FASTEST_FIRST "
        "holds",
    )


def test_what_the_driver_showed_is_not_masked_again():
    seen = look(FOUR, Environment(visible="1"), shown=(D, A))
    assert [entry.place for entry in seen.seen] == [3, 0]
    assert seen.masked_by == "CUDA_VISIBLE_DEVICES='1'"


def divided():
    from dataclasses import replace

    parts = tuple(
        Slice(f"MIG-{n}{n}{n}{n}-aa", n, 0, "MIG 1g.5gb", 5 << 30, 5 << 30, 14) for n in (1, 2)
    )
    first, second = parse_machine("2xA100")
    return [replace(first, slices=parts), second]


@pytest.mark.parametrize(
    ("text", "uuids"),
    [
        ("MIG-2222-aa", ["MIG-2222-aa"]),
        ("MIG-22", ["MIG-2222-aa"]),
        ("MIG-1111-aa,MIG-2222-aa", ["MIG-1111-aa"]),
        ("MIG-{first}/2/0", ["MIG-2222-aa"]),
        ("MIG-{first}/3/0", []),
        ("0", ["MIG-1111-aa"]),
    ],
)
def test_mig_shows_one_instance(text, uuids):
    cards = divided()
    shown = choose(cards, text.format(first=cards[0].uuid))[0]
    assert [card.uuid for _, card in shown] == uuids


def test_a_mig_instance_has_its_own_name_and_memory():
    [(index, card)] = choose(divided(), "MIG-2222-aa")[0]
    assert (index, card.name, card.total_bytes) == (0, "NVIDIA A100-SXM4-40GB MIG 1g.5gb", 5 << 30)


@pytest.mark.parametrize(
    ("text", "indices"), [("", (0, 1, 2, 3)), ("3", (3,)), ("3,1", (3, 1)), (" 2 ", (2,))]
)
def test_visible_device_list(text, indices):
    assert parse_visible_device_list(text, 4) == indices


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a", "Could not parse entry in 'visible_device_list': 'a'. visible_device_list = a"),
        ("0,,1", "Could not parse entry in 'visible_device_list': ''. visible_device_list = 0,,1"),
        (
            "7",
            "'visible_device_list' listed an invalid Device id '7' but visible device count is 4",
        ),
        (
            "-1",
            "'visible_device_list' listed an invalid Device id '-1' but visible device count is 4",
        ),
        ("1,1", "visible_device_list contained a duplicate entry: 1,1"),
    ],
)
def test_visible_device_list_errors(text, said):
    with pytest.raises(InvalidArgumentError) as caught:
        parse_visible_device_list(text, 4)
    assert str(caught.value).splitlines()[0] == said
    assert "here: 4 visible GPUs" in str(caught.value)
