"""Learning rates that change with the step: `tf.train.exponential_decay` and its like.

In a graph they are tensors; when eager, functions that compute the rate for the step at hand.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from placewise.graph.defaults import get_default_graph
from placewise.graph.random_values import random_normal
from placewise.ops.array.shape import identity
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import minimum, multiply, negative
from placewise.ops.math.arithmetic import pow as power_of
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, less_equal
from placewise.ops.math.division import divide
from placewise.ops.math.exponential import exp, log, sqrt
from placewise.ops.math.rounding import ceil, floor
from placewise.ops.math.trigonometric import cos
from placewise.ops.tf1_spelling import add_tf1
from placewise.training.slots import is_eager

Rule = Callable[..., Any]


def _rate(default: str) -> Callable[[Rule], Rule]:
    """Make of a rule (rate, step, …, scope) a public function with TensorFlow's behaviour."""

    def decorate(rule: Rule) -> Rule:
        @functools.wraps(rule)
        def public(learning_rate: Any, global_step: Any, *args: Any, **options: Any) -> Any:
            if global_step is None:
                raise ValueError("None values not supported.")
            name = options.pop("name", None)
            if is_eager():
                return functools.partial(
                    _run_eagerly, rule, learning_rate, global_step, args, options
                )
            with get_default_graph().name_scope(name or default) as scope:
                rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
                return rule(rate, global_step, *args, **options, name=scope)

        return public

    return decorate


def _run_eagerly(rule: Rule, learning_rate: Any, step: Any, args: Any, options: Any) -> Any:
    rate = convert_to_tensor(learning_rate)
    return rule(rate, step, *args, **options, name=None)


def _like(value: Any, rate: Any) -> Any:
    return cast(value, rate.dtype.base_dtype)


@_rate("ExponentialDecay")
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return a learning rate that shrinks by `decay_rate` every `decay_steps` steps.

    `learning_rate`: the rate of step 0.
    `global_step`: the number of the step, a variable or tensor.
    `decay_steps`: how many steps one factor takes.
    `decay_rate`: the factor.
    `staircase`: change the rate at whole multiples of `decay_steps` only.

    In a graph a tensor comes back; where ops run at once, a function without arguments that returns
    the rate of the moment. Raises ValueError if `global_step` is None.

    >>> rate = tf.compat.v1.train.exponential_decay(0.1, tf.constant(20), 10, 0.5)
    >>> print(rate().numpy().round(4))
    0.025
    """
    steps, base = _like(decay_steps, learning_rate), _like(decay_rate, learning_rate)
    share = _like(global_step, learning_rate) / steps
    share = floor(share) if staircase else share
    return multiply(learning_rate, power_of(base, share), name=name)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return the rate times e to the power of -`decay_rate` * step / `decay_steps`."""
    factor = exp(negative(decay_rate))
    return exponential_decay(
        learning_rate, global_step, decay_steps, factor, staircase=staircase, name=name
    )


@_rate("InverseTimeDecay")
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return the rate over 1 + `decay_rate` * step / `decay_steps`."""
    steps, factor = _like(decay_steps, learning_rate), _like(decay_rate, learning_rate)
    share = _like(global_step, learning_rate) / steps
    share = floor(share) if staircase else share
    one = _like(convert_to_tensor(1), learning_rate)
    return divide(learning_rate, add_tf1(one, multiply(factor, share)), name=name)


@_rate("PolynomialDecay")
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Return a rate that falls to `end_learning_rate` in `decay_steps`; `cycle` starts it anew."""
    end, power = _like(end_learning_rate, learning_rate), _like(power, learning_rate)
    step, steps = _like(global_step, learning_rate), _like(decay_steps, learning_rate)
    if cycle:
        one = _like(1, learning_rate)
        rounds = where(equal(step, 0), one, ceil(step / steps))
        steps = multiply(steps, rounds)
    else:
        step = minimum(step, decay_steps if isinstance(decay_steps, (int, float)) else steps)
    share = step / steps
    fallen = multiply(learning_rate - end, power_of(1 - share, power))
    return add_tf1(fallen, end, name=name)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """Return the value of the interval between `boundaries` that `x` is in; the upper one counts.

    >>> float(piecewise_constant(5, [3, 6], [1.0, 0.5, 0.25])())
    0.5
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    if is_eager():
        return functools.partial(_piece, x, boundaries, values, name)
    return _piece(x, boundaries, values, name)


piecewise_constant_decay = piecewise_constant


def _piece(x: Any, boundaries: Any, values: Any, name: str | None) -> Any:
    position = convert_to_tensor(x)
    wanted = position.dtype.base_dtype
    edges = []
    for edge in map(convert_to_tensor, boundaries):
        found = edge.dtype.base_dtype
        if found is not wanted and (found.name, wanted.name) == ("int32", "int64"):
            edge = cast(edge, wanted)
        elif found is not wanted:
            raise ValueError(f"Boundaries ({found!r}) must have the same dtype as x ({wanted!r}).")
        edges.append(edge)
    choices = [convert_to_tensor(value) for value in values]
    for choice in choices[1:]:
        if choice.dtype.base_dtype is not choices[0].dtype.base_dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({choices[0].dtype.base_dtype!r} vs {choice.dtype.base_dtype!r})."
            )
    if is_eager():
        return _chosen(position, edges, choices, name)
    with get_default_graph().name_scope(name or "PiecewiseConstant") as scope:
        return _chosen(position, edges, choices, scope)


def _chosen(position: Any, edges: list[Any], choices: list[Any], name: str | None) -> Any:
    result = choices[-1]
    for edge, choice in zip(reversed(edges), reversed(choices[:-1]), strict=True):
        result = where(less_equal(position, edge), choice, result)
    return identity(result, name=name)


@_rate("CosineDecay")
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Return a rate that falls along half a cosine to the share `alpha`."""
    steps, step = _like(decay_steps, learning_rate), _like(global_step, learning_rate)
    wave = 0.5 * (1.0 + cos(_pi(learning_rate, minimum(step, steps) / steps)))
    return multiply(learning_rate, (1 - alpha) * wave + alpha)


def _pi(rate: Any, share: Any) -> Any:
    return convert_to_tensor(math.pi, rate.dtype.base_dtype) * share


@_rate("SGDRDecay")
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Return a rate that falls along half a cosine and starts anew, each time for longer.

    Each period is `t_mul` times as long as the one before and starts `m_mul` times as high.
    """
    steps, share = _like(first_decay_steps, learning_rate), _like(alpha, learning_rate)
    longer, lower = _like(t_mul, learning_rate), _like(m_mul, learning_rate)
    done = _like(global_step, learning_rate) / steps
    whole = floor(done)
    periods, done_of_period = whole, done - whole
    if not (isinstance(t_mul, (int, float)) and t_mul == 1):
        # Where all periods are equally long, the sum of a geometric series is not defined.
        equally = equal(longer, 1.0)
        safe = where(equally, 2 * longer, longer)
        count = floor(log(1.0 - done * (1.0 - safe)) / log(safe))
        before = (1.0 - power_of(safe, count)) / (1.0 - safe)
        periods = where(equally, whole, count)
        done_of_period = where(equally, done - whole, (done - before) / power_of(safe, count))
    height = lower**periods
    wave = 0.5 * height * (1.0 + cos(_pi(learning_rate, done_of_period)))
    return multiply(learning_rate, (1 - share) * wave + share, name=name)


def _linear_cosine(
    rate: Any,
    step: Any,
    steps: Any,
    left: Any,
    periods: Any,
    alpha: Any,
    beta: Any,
    name: str | None,
) -> Any:
    done = step / steps
    wave = 0.5 * (1.0 + cos(_pi(rate, 2.0 * periods * done)))
    return multiply(rate, (alpha + left) * wave + beta, name=name)


@_rate("LinearCosineDecay")
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Any:
    """Return a rate that falls in a line, times a cosine of `num_periods` periods."""
    given = (decay_steps, num_periods, alpha, beta, global_step)
    steps, periods, alpha, beta, step = (_like(each, learning_rate) for each in given)
    step = minimum(step, steps)
    left = (steps - step) / steps
    return _linear_cosine(learning_rate, step, steps, left, periods, alpha, beta, name)


@_rate("NoisyLinearCosineDecay")
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Any:
    """Return a rate as `linear_cosine_decay` does, its line with noise that falls with the step."""
    given = (decay_steps, initial_variance, variance_decay, num_periods, alpha, beta, global_step)
    steps, variance, decay, periods, alpha, beta, step = (
        _like(each, learning_rate) for each in given
    )
    step = minimum(step, steps)
    left = (steps - step) / steps
    spread = sqrt(variance / power_of(1.0 + step, decay))
    kind = learning_rate.dtype.base_dtype
    left = left + random_normal(learning_rate.shape, stddev=spread, dtype=kind)
    return _linear_cosine(learning_rate, step, steps, left, periods, alpha, beta, name)
