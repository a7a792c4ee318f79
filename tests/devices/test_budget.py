"""What each device may have, who set limit and growth, and what that overrides."""

import logging
from dataclasses import replace

import pytest

from placewise.devices.budget import FORCE, OUTSIDE, RESERVE, decide
from placewise.devices.environment import Environment
from placewise.devices.facts import GIB, MIB
from placewise.devices.machine import parse_machine
from placewise.devices.options import Options, Part

LINE = "gpu_options of the session at a.py:7"


def budget(environment=Environment(), part=None, machine="V100:1GiB", **options):  # noqa: B008
    asked = Options(asked_by=LINE, **options)
    return decide("GPU:0", parse_machine(machine)[0], asked, environment, 0, part)


@pytest.mark.parametrize(
    ("asked", "variables", "text", "overrides"),
    [
        ({}, {}, "nearly all of the card, the default", ()),
        ({"growth": True}, {}, f"growth, set by {LINE}", ()),
        ({"memory_fraction": 0.5}, {}, f"0.5 of the card, set by {LINE}", ()),
        (
            {"memory_fraction": 0.5, "growth": True},
            {},
            f"0.5 of the card, growing, set by {LINE}",
            (),
        ),
        (
            {"part": Part(100)},
            {"memory": "growth"},
            f"a limit, set by {LINE}; growing, set by {OUTSIDE}",
            (),
        ),
        (
            {"memory_fraction": 0.9},
            {"memory": "growth"},
            f"0.9 of the card, set by {LINE}; growing, set by {OUTSIDE}",
            (),
        ),
        (
            {"growth": True},
            {"memory": "0.4"},
            f"0.4 of the card, set by {OUTSIDE}; growing, set by {LINE}",
            (),
        ),
        (
            {"memory_fraction": 0.5},
            {"memory": "0.4"},
            f"0.4 of the card, set by {OUTSIDE}",
            (f"fraction (512.00MiB), set by {LINE}",),
        ),
        ({"growth": True}, {"memory": "growth"}, f"growth, set by {LINE}", ()),
        (
            {"growth": True},
            {"force_growth": "false"},
            f"nearly all of the card, the default; not growing, set by {FORCE}",
            (f"growth=True, set by {LINE}",),
        ),
        (
            {"memory_fraction": 0.5, "growth": True},
            {"force_growth": "false"},
            f"0.5 of the card, set by {LINE}; not growing, set by {FORCE}",
            (f"growth=True, set by {LINE}",),
        ),
        ({"growth": True}, {"force_growth": "true"}, f"growth, set by {FORCE}", ()),
        (
            {"memory_fraction": 0.5},
            {"min_system_memory_mb": "100"},
            f"nearly all of the card, set by {RESERVE}",
            (f"fraction (512.00MiB), set by {LINE}",),
        ),
        ({}, {"min_system_memory_mb": "99999"}, "nearly all of the card, the default", ()),
        ({}, {"min_system_memory_mb": "x"}, "nearly all of the card, the default", ()),
        ({"memory_fraction": 0.3}, {"memory": "1GiB"}, f"0.3 of the card, set by {LINE}", ()),
    ],
)
def test_limit_and_growth_have_their_own_authors(asked, variables, text, overrides):
    found = budget(Environment(**variables), **asked)
    assert (str(found), found.overrides) == (text, overrides)


def test_the_limit_is_never_more_than_the_card_has():
    assert budget(part=Part(10240)).limit_bytes == GIB
    assert budget(Environment(memory="4GiB"), part=Part(10240)).limit_set_by == LINE


def test_a_reserve_that_is_asked_for_comes_before_the_variable():
    card = replace(parse_machine("K40c")[0], free_bytes=4 * GIB)
    environment = Environment(min_system_memory_mb="1024")
    assert decide("GPU:0", card, Options(), environment).limit_bytes == 3 * GIB
    own = decide("GPU:0", card, Options(system_memory_mb=2048), environment)
    assert (own.limit_bytes, own.limit_set_by) == (2 * GIB, "the program")


def test_a_fraction_of_nothing_is_a_limit_of_nothing():
    found = budget(memory_fraction=1e-10)
    assert (found.limit_bytes, found.kind) == (0, "fraction")


def test_a_card_cut_in_equal_parts():
    found = budget(parts_per_gpu=2, memory_fraction=0.5)
    assert (found.limit_bytes, found.is_part) == (256 * MIB, True)


@pytest.mark.parametrize(
    ("asked", "variables", "level", "text"),
    [
        ({}, {"force_growth": "true"}, logging.WARNING, "Original config value was 0."),
        ({"growth": True}, {"force_growth": "false"}, logging.WARNING, "config value was 1."),
        ({"growth": True}, {"force_growth": "TRUE"}, logging.ERROR, 'parsed: "TRUE". Valid'),
        ({}, {"min_system_memory_mb": "99999"}, logging.WARNING, "The request is ignored."),
        ({"unified_memory": True}, {}, logging.WARNING, "use_unified_memory has no effect"),
    ],
)
def test_what_is_odd_is_noted_and_not_said_before_use(asked, variables, level, text, caplog):
    (note,) = budget(Environment(**variables), **asked).notes
    assert note.level == level and text in note.text
    assert not caplog.records


def test_nothing_is_noted_where_all_agree():
    assert budget(Environment(force_growth="true"), growth=True).notes == ()
