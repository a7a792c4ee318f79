"""What the update ops compute, on contents: new variable and slots from old ones and a gradient.

Scalars are tensors without dimensions, of the variable's dtype: they round as TensorFlow's do.
A rule may write into the variable and the slots it is given, never into the gradient.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

Contents = tuple[Any, ...]


_NUMBERS: dict[torch.dtype, Any] = {torch.float32: np.float32, torch.float64: np.float64}
_rests: dict[Any, Any] = {}


def _rest(x: torch.Tensor) -> Any:
    """1 - x; rates stay what they are from step to step, so the same tensor each time."""
    if not x.is_cpu:
        return 1 - x
    key = (x.item(), x.dtype)
    found = _rests.get(key)
    if found is None:
        if len(_rests) > 1024:
            _rests.clear()
        found = _rests[key] = 1 - x
    return found


def _adam_rate(lr: torch.Tensor, beta1_power: torch.Tensor, beta2_power: torch.Tensor) -> Any:
    """The step of Adam, which makes up for running means that began at zero."""
    number = _NUMBERS.get(lr.dtype)
    if number is None or not lr.is_cpu:
        return lr * torch.sqrt(1 - beta2_power) / (1 - beta1_power)
    # NumPy rounds like a tensor and is far quicker on single numbers.
    rate, first, second = number(lr.item()), number(beta1_power.item()), number(beta2_power.item())
    if first < 1 and second <= 1:
        return float(rate * np.sqrt(1 - second) / (1 - first))
    with np.errstate(all="ignore"):
        return float(rate * np.sqrt(1 - second) / (1 - first))


def gradient_descent(var: torch.Tensor, delta: torch.Tensor, *, alpha: torch.Tensor) -> Contents:
    """var - alpha * delta."""
    return (var.sub_(delta, alpha=alpha.item()) if alpha.is_cpu else var.sub_(delta * alpha),)


def _shrunk(prox: torch.Tensor, rate: torch.Tensor, l1: torch.Tensor, l2: torch.Tensor) -> Any:
    """Pull a value towards zero: by `l1`, to the very zero, and by `l2`, in proportion."""
    scale = 1 + rate * l2
    if l1.is_cpu and not l1 > 0:
        return prox / scale
    return torch.sign(prox) * torch.clamp(torch.abs(prox) - rate * _positive(l1), min=0) / scale


def _positive(l1: torch.Tensor) -> Any:
    """A strength; on a device, where nobody asks whether it is positive, at least zero."""
    return l1 if l1.is_cpu else l1.clamp(min=0)


def proximal_gradient_descent(
    var: torch.Tensor,
    delta: torch.Tensor,
    *,
    alpha: torch.Tensor,
    l1: torch.Tensor,
    l2: torch.Tensor,
) -> Contents:
    """A step of gradient descent, then shrunk."""
    return (_shrunk(var - delta * alpha, alpha, l1, l2),)


def momentum(
    var: torch.Tensor,
    accum: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    momentum: torch.Tensor,
    use_nesterov: bool,
) -> Contents:
    """The gradient is added to a decaying sum, which is followed."""
    accum = accum.mul_(momentum).add_(grad)
    if use_nesterov:
        return var.sub_((grad * lr).add_(accum * momentum * lr)), accum
    return var.sub_(accum * lr), accum


def keras_momentum(
    var: Any, accum: Any, grad: Any, *, lr: Any, momentum: Any, use_nesterov: bool
) -> Contents:
    """As momentum, with the learning rate inside the sum."""
    accum = accum.mul_(momentum).sub_(grad * lr)
    if use_nesterov:
        return var.add_((accum * momentum).sub_(grad * lr)), accum
    return var.add_(accum), accum


def _larger(old: torch.Tensor, new: torch.Tensor) -> Any:
    """The larger of two; the old one where the new one is NaN."""
    return torch.where(new > old, new, old)


def _towards(old: torch.Tensor, new: torch.Tensor, rate: torch.Tensor) -> Any:
    """Move a running mean towards a value."""
    return old.add_((new - old).mul_(rate))


_NO_CORRECTION = torch.tensor(1e9)  # a step so late that torch corrects nothing


def _adam_at_once(
    variables: list[torch.Tensor],
    m: list[torch.Tensor],
    v: list[torch.Tensor],
    gradients: list[torch.Tensor],
    rate: float,
    beta1: torch.Tensor,
    beta2: torch.Tensor,
    epsilon: torch.Tensor,
) -> None:
    """A step of Adam by torch's one kernel for it."""
    torch._fused_adam_(
        variables,
        [gradient.contiguous() for gradient in gradients],
        m,
        v,
        [],
        [_NO_CORRECTION] * len(variables),
        lr=rate,
        beta1=beta1.item(),
        beta2=beta2.item(),
        weight_decay=0.0,
        eps=epsilon.item(),
        amsgrad=False,
        maximize=False,
    )


def _has_one_kernel(*contents: Any) -> bool:
    return contents[0].dtype in _NUMBERS and all(
        each.is_cpu and each.is_contiguous() for each in contents
    )


def adam(
    var: torch.Tensor,
    m: torch.Tensor,
    v: torch.Tensor,
    grad: torch.Tensor,
    *,
    beta1_power: torch.Tensor,
    beta2_power: torch.Tensor,
    lr: torch.Tensor,
    beta1: torch.Tensor,
    beta2: torch.Tensor,
    epsilon: torch.Tensor,
    use_nesterov: bool = False,
) -> Contents:
    """Running means of the gradient and of its square; the one over the root of the other."""
    alpha = _adam_rate(lr, beta1_power, beta2_power)
    if type(alpha) is float and not use_nesterov and _has_one_kernel(var, m, v):
        _adam_at_once([var], [m], [v], [grad], alpha, beta1, beta2, epsilon)
        return var, m, v
    m = _towards(m, grad, _rest(beta1))
    v = _towards(v, grad * grad, _rest(beta2))
    step = grad * _rest(beta1) + m * beta1 if use_nesterov else m
    return var.sub_((step * alpha).div_(torch.sqrt(v).add_(epsilon))), m, v


def adam_of_many(
    variables: list[torch.Tensor],
    m: list[torch.Tensor],
    v: list[torch.Tensor],
    gradients: list[torch.Tensor],
    *,
    beta1_power: torch.Tensor,
    beta2_power: torch.Tensor,
    lr: torch.Tensor,
    beta1: torch.Tensor,
    beta2: torch.Tensor,
    epsilon: torch.Tensor,
    use_nesterov: bool = False,
) -> bool:
    """A step of Adam over several variables; False where torch has no kernel for it."""
    alpha = _adam_rate(lr, beta1_power, beta2_power)
    if type(alpha) is not float or use_nesterov:
        return False
    if not all(map(_has_one_kernel, variables, m, v)):
        return False
    _adam_at_once(variables, m, v, gradients, alpha, beta1, beta2, epsilon)
    return True


def adam_with_amsgrad(
    var: Any,
    m: Any,
    v: Any,
    vhat: Any,
    grad: Any,
    *,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
) -> Contents:
    """As adam, over the root of the largest running mean so far."""
    alpha = _adam_rate(lr, beta1_power, beta2_power)
    m = _towards(m, grad, _rest(beta1))
    v = _towards(v, grad * grad, _rest(beta2))
    vhat = _larger(vhat, v)
    return var.sub_((m * alpha).div_(torch.sqrt(vhat).add_(epsilon))), m, v, vhat


def ada_max(
    var: torch.Tensor,
    m: torch.Tensor,
    v: torch.Tensor,
    grad: torch.Tensor,
    *,
    beta1_power: torch.Tensor,
    lr: torch.Tensor,
    beta1: torch.Tensor,
    beta2: torch.Tensor,
    epsilon: torch.Tensor,
) -> Contents:
    """As adam, over the largest gradient, decaying, instead of the root of a mean."""
    m = _towards(m, grad, _rest(beta1))
    v = _larger(v * beta2, torch.abs(grad))
    return var - lr / (1 - beta1_power) * (m / (v + epsilon)), m, v


def adagrad(
    var: torch.Tensor,
    accum: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    update_slots: bool,
) -> Contents:
    """The gradient over the root of the sum of squares so far."""
    if update_slots:
        accum = accum.add_(grad * grad)
    return var.sub_((grad * lr).mul_(torch.rsqrt(accum))), accum


def adagrad_v2(
    var: torch.Tensor,
    accum: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    epsilon: torch.Tensor,
    update_slots: bool,
) -> Contents:
    """As adagrad, with epsilon added to the root."""
    if update_slots:
        accum = accum.add_(grad * grad)
    return var.sub_((grad * lr).div_(torch.sqrt(accum).add_(epsilon))), accum


def adagrad_da(
    var: torch.Tensor,
    total: torch.Tensor,
    squares: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    l1: torch.Tensor,
    l2: torch.Tensor,
    global_step: torch.Tensor,
) -> Contents:
    """Dual averaging: the variable is made anew from the sum of all gradients."""
    total, squares = total + grad, squares + grad * grad
    step = global_step.to(grad.dtype)
    wanted = total
    if not l1.is_cpu or l1 > 0:
        kept = torch.abs(total) - _positive(l1) * step
        wanted = torch.sign(total) * torch.clamp(kept, min=0)
    return -lr * wanted / (torch.sqrt(squares) + l2 * step * lr), total, squares


def proximal_adagrad(
    var: torch.Tensor,
    accum: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    l1: torch.Tensor,
    l2: torch.Tensor,
) -> Contents:
    """A step of adagrad, then shrunk."""
    accum = accum + grad * grad
    rate = lr * torch.rsqrt(accum)
    return _shrunk(var - grad * rate, rate, l1, l2), accum


def adadelta(
    var: torch.Tensor,
    accum: torch.Tensor,
    accum_update: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    rho: torch.Tensor,
    epsilon: torch.Tensor,
) -> Contents:
    """The gradient, scaled by running means of squared updates over those of squared gradients."""
    accum = accum.mul_(rho).add_((grad * grad).mul_(_rest(rho)))
    update = (accum_update + epsilon).sqrt_().mul_((accum + epsilon).rsqrt_()).mul_(grad)
    accum_update = accum_update.mul_(rho).add_((update * update).mul_(_rest(rho)))
    return var.sub_(update.mul_(lr)), accum, accum_update


def rms_prop(
    var: torch.Tensor,
    ms: torch.Tensor,
    mom: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    rho: torch.Tensor,
    momentum: torch.Tensor,
    epsilon: torch.Tensor,
) -> Contents:
    """The gradient over the root of the running mean of its square, with momentum."""
    ms = _towards(ms, grad * grad, _rest(rho))
    mom = mom.mul_(momentum).add_((grad * lr).div_((ms + epsilon).sqrt_()))
    return var.sub_(mom), ms, mom


def centered_rms_prop(
    var: torch.Tensor,
    mg: torch.Tensor,
    ms: torch.Tensor,
    mom: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    rho: torch.Tensor,
    momentum: torch.Tensor,
    epsilon: torch.Tensor,
) -> Contents:
    """As rms_prop, over the root of the running variance."""
    ms = _towards(ms, grad * grad, _rest(rho))
    mg = _towards(mg, grad, _rest(rho))
    mom = mom.mul_(momentum).add_((grad * lr).div_((ms - mg * mg).add_(epsilon).sqrt_()))
    return var.sub_(mom), mg, ms, mom


def ftrl(
    var: torch.Tensor,
    accum: torch.Tensor,
    linear: torch.Tensor,
    grad: torch.Tensor,
    *,
    lr: torch.Tensor,
    l1: torch.Tensor,
    l2: torch.Tensor,
    lr_power: torch.Tensor,
    multiply_linear_by_lr: bool,
    l2_shrinkage: Any = None,
    keep_nan: bool = False,
) -> Contents:
    """Follow the regularised leader."""
    new_accum = accum + grad * grad
    pull = grad if l2_shrinkage is None else grad + 2 * l2_shrinkage * var
    if lr_power.is_cpu and lr_power == -0.5:
        before, after = torch.sqrt(accum), torch.sqrt(new_accum)
    else:
        before, after = accum**-lr_power, new_accum**-lr_power
    if multiply_linear_by_lr:
        linear = linear + (pull * lr - (after - before) * var)
        bound, curve = l1 * lr, after + 2 * l2 * lr
    else:
        linear = linear + (pull - (after - before) / lr * var)
        bound, curve = l1, after / lr + 2 * l2
    if keep_nan:
        var = (torch.clamp(linear, -bound, bound) - linear) / curve
    else:
        wanted = (bound * torch.sign(linear) - linear) / curve
        var = torch.where(torch.abs(linear) > bound, wanted, 0)
    return var, new_accum, linear


# TensorFlow's op on rows lets NaN through, the one on whole variables makes it zero.
ftrl_rows = functools.partial(ftrl, keep_nan=True)


def add_sign(
    var: Any, m: Any, grad: Any, *, lr: Any, alpha: Any, sign_decay: Any, beta: Any
) -> Contents:
    """A longer step where the gradient and its running mean agree in sign."""
    m = m * beta + grad * _rest(beta)
    agreement = torch.sign(grad) * torch.sign(m)
    return var - lr * (alpha + sign_decay * agreement) * grad, m


def power_sign(
    var: Any, m: Any, grad: Any, *, lr: Any, logbase: Any, sign_decay: Any, beta: Any
) -> Contents:
    """As add_sign, with a factor that is a power."""
    m = m * beta + grad * _rest(beta)
    agreement = torch.sign(grad) * torch.sign(m)
    return var - lr * torch.exp(logbase * sign_decay * agreement) * grad, m
