"""How long work takes on a card."""

import pytest

from placewise.cost.efficiency import BANDWIDTH_SHARES, CORE_SHARES
from placewise.cost.machine import MachineSpec
from placewise.cost.rates import estimate, seconds
from placewise.devices.cards import MODELS
from placewise.ops.work import Work


def product(rows, columns, depth, dtype="float32", kind="matmul", **more):
    item = 4 if dtype == "float32" else 2
    return Work(
        kind,
        2.0 * rows * columns * depth,
        item * depth * (rows + columns),
        item * rows * columns,
        dtype,
        product=(1, rows, columns, depth),
        **more,
    )


def card(name):
    return MachineSpec.parse(name).models[0]


def rate(work, name, precision="auto"):
    return work.flops / seconds(work, card(name), precision) / 1e12


LARGE = product(4096, 4096, 4096)
HALF = product(8192, 8192, 8192, "float16")

# Card, precision, lowest and highest Tera-operations a second that a large product may reach:
# between half of the data sheet's dense peak and all of it.
PRODUCTS = [
    ("K80", LARGE, "fp32", 2.0, 3.6),
    ("P100-SXM2", LARGE, "fp32", 6.5, 10.0),
    ("V100", LARGE, "fp32", 12.0, 15.7),
    ("V100", HALF, "auto", 75.0, 110.0),
    ("T4", HALF, "auto", 22.0, 45.0),
    ("A100", LARGE, "fp32", 14.0, 19.5),
    ("A100", LARGE, "auto", 85.0, 140.0),
    ("A100", HALF, "auto", 200.0, 290.0),
    ("H100", HALF, "auto", 550.0, 850.0),
    ("RTX3090", HALF, "auto", 45.0, 71.0),  # sums in float32 run at half of fp16's figure
    ("RTX2080Ti", HALF, "auto", 30.0, 54.0),
]


@pytest.mark.parametrize(("name", "work", "precision", "least", "most"), PRODUCTS)
def test_a_large_product_reaches_a_good_part_of_the_peak(name, work, precision, least, most):
    assert least < rate(work, name, precision) < most


def test_a_view_takes_no_time():
    assert seconds(Work("view", 0.0, 0, 0), card("V100")) == 0


def test_a_copy_is_bound_by_the_memory():
    copy = Work("elementwise", 1e8, 400_000_000, 400_000_000)
    result = estimate(copy, card("V100"))
    assert result.bound == "memory bandwidth"
    assert 0.7 * 900e9 < copy.moved_bytes / result.seconds < 900e9


def test_a_tiny_op_is_bound_by_its_launch():
    result = estimate(Work("elementwise", 16.0, 64, 64), card("V100"))
    assert result.bound == "kernel launches"
    assert 2e-6 < result.seconds < 10e-6


def test_a_small_product_leaves_multiprocessors_idle():
    assert rate(product(256, 256, 256), "V100") < 0.5 * rate(LARGE, "V100")


def test_a_long_sum_is_spread_over_the_card():
    """The gradient of a filter has few elements, each a sum over all positions."""
    assert rate(product(576, 64, 200_000), "V100") > 0.5 * rate(LARGE, "V100")


def test_many_channels_gain_from_fewer_multiplications_and_few_do_not():
    def gain(channels):
        plain = product(100_352, channels, 9 * channels, kind="conv")
        fast = plain._replace(window=(9, channels, channels))
        return seconds(plain, card("P100")) / seconds(fast, card("P100"))

    assert 1.0 <= gain(16) < gain(64) < gain(256) < 4.0
    assert gain(16) == 1.0


def test_precisions_order():
    times = [seconds(LARGE, card("A100"), precision) for precision in ("fp32", "tf32", "fp16")]
    assert times == sorted(times, reverse=True)


def test_mixed_precision_halves_traffic():
    copy = Work("elementwise", 1e8, 400_000_000, 400_000_000)
    assert seconds(copy, card("A100"), "fp16") == pytest.approx(
        seconds(copy, card("A100"), "fp32") / 2, rel=0.05
    )


def test_a_card_without_a_unit_computes_in_float32():
    assert seconds(LARGE, card("K80"), "fp16") <= seconds(LARGE, card("K80"), "fp32")
    assert seconds(LARGE, card("P40"), "tf32") == seconds(LARGE, card("P40"), "fp32")


def test_tf32_is_never_slower_than_float32():
    fast = product(100_352, 256, 2304, kind="conv", window=(9, 256, 256))
    for name in ("A100", "RTX3090", "RTX4090", "H100"):
        assert seconds(fast, card(name), "auto") <= seconds(fast, card(name), "fp32")


def test_convolutions_in_tf32_transpose_their_images():
    # Little arithmetic for its bytes: the transposes are what it waits for.
    conv = product(256 * 56 * 56, 256, 64, kind="conv", channels=64)
    matmul = conv._replace(kind="matmul")
    assert seconds(conv, card("A100"), "tf32") > 2 * seconds(matmul, card("A100"), "tf32")
    assert seconds(conv, card("A100"), "fp16") < 1.1 * seconds(matmul, card("A100"), "fp16")


def test_tensor_units_fill_up_few_channels():
    colours = product(256 * 112 * 112, 1024, 7 * 7 * 3, "float16", "conv", channels=3)
    eight = colours._replace(channels=8)
    assert estimate(eight, card("V100")).bound == "compute"
    assert seconds(colours, card("V100")) > 2 * seconds(eight, card("V100"))
    assert seconds(colours, card("P100")) == seconds(eight, card("P100"))


def test_tensor_units_of_half_the_rate_reach_more_of_it():
    # The Quadro has the full rate and as much memory bandwidth for it.
    full, halved = rate(HALF, "QuadroRTX8000"), rate(HALF, "RTX2080Ti")
    assert halved > 0.55 * full * 107.6 / 130.5


def test_float64_is_slow_on_cards_for_games():
    double = LARGE._replace(dtype="float64")
    for name, least, most in (("V100", 1.5, 4), ("K40c", 2, 4), ("RTX3090", 10, 40)):
        assert least < seconds(double, card(name)) / seconds(LARGE, card(name), "fp32") < most


def test_an_unknown_precision_is_refused():
    with pytest.raises(ValueError, match="precision must be one of auto, fp32"):
        seconds(LARGE, card("V100"), "fp7")


def test_more_cores_of_the_host_are_faster():
    few, many = (MachineSpec.parse(f"host:{n}cores").processor for n in (4, 32))
    assert seconds(LARGE, many) < seconds(LARGE, few) / 4


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.aliases[0])
def test_no_card_is_faster_than_its_data_sheet(model):
    for precision in ("fp32", "auto", "fp16"):
        peak = max(rate for rate in (model.fp32, model.tf32, model.fp16, model.bf16) if rate)
        assert LARGE.flops / seconds(LARGE, model, precision) <= peak
    assert LARGE.flops / seconds(LARGE, model, "fp32") <= model.fp32


def test_every_kind_has_its_shares():
    assert CORE_SHARES.keys() == BANDWIDTH_SHARES.keys()
