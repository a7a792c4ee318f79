"""The list of passes: its order, and that each pass says what it needs and guarantees."""

import inspect

import pytest

from placewise.planning.passes.combination import combine
from placewise.planning.passes.early_sums import sum_early
from placewise.planning.passes.feeds import define_feeds
from placewise.planning.passes.fetches import define_fetches
from placewise.planning.passes.in_place import write_in_place
from placewise.planning.passes.lifetimes import set_lifetimes
from placewise.planning.passes.lowering import lower
from placewise.planning.passes.numpy_chains import choose_numpy_chains
from placewise.planning.passes.prune import prune
from placewise.planning.passes.unread import drop_unread
from placewise.planning.passes.usage import find_used
from placewise.planning.pipeline import PASSES

# (a pass, one that must come after it, what that one would otherwise miss)
CONSTRAINTS = [
    (define_feeds, choose_numpy_chains, "which tensors are fed"),
    (define_feeds, lower, "the values of what is fed"),
    (prune, find_used, "the operations that run"),
    (prune, choose_numpy_chains, "the operations that run"),
    (find_used, lower, "which outputs of loops are wanted"),
    (choose_numpy_chains, lower, "what NumPy computes"),
    (lower, define_fetches, "the values that are fetched"),
    (define_fetches, combine, "that fetches read values"),
    (define_fetches, drop_unread, "that fetches read values"),
    (drop_unread, combine, "who else reads a value"),
    (combine, write_in_place, "kernels that rules have put in"),
    (combine, sum_early, "which steps are left"),
    (write_in_place, sum_early, "that additions it makes are in place already"),
    (sum_early, set_lifetimes, "the final order of steps"),
]


@pytest.mark.parametrize(("earlier", "later", "why"), CONSTRAINTS)
def test_a_pass_comes_after_those_it_needs(earlier, later, why):
    assert PASSES.index(earlier) < PASSES.index(later), f"{later.__name__} must know {why}"


def test_every_pass_is_listed_once_and_has_a_constraint():
    assert len(set(PASSES)) == len(PASSES)
    assert {each for pair in CONSTRAINTS for each in pair[:2]} == set(PASSES)


@pytest.mark.parametrize("run_pass", PASSES)
def test_a_pass_is_a_function_of_the_draft_in_a_file_of_its_own(run_pass):
    assert list(inspect.signature(run_pass).parameters) == ["draft"]
    assert run_pass.__module__.startswith("placewise.planning.passes.")
    assert sum(other.__module__ == run_pass.__module__ for other in PASSES) == 1


@pytest.mark.parametrize("run_pass", PASSES)
def test_a_pass_says_what_it_needs_and_guarantees(run_pass):
    text = inspect.getdoc(run_pass)
    assert "Needs:" in text
    assert "Guarantees:" in text


def test_files_of_passes_are_numbered_in_order():
    for number, run_pass in enumerate(PASSES, 1):
        assert inspect.getmodule(run_pass).__doc__.startswith(f"Pass {number}: ")
