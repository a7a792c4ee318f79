"""The sums over all paths behind the CTC loss, and their gradient."""

from __future__ import annotations

from typing import Any

import torch

from placewise.memory.transfer import move


def final_states(
    logs: torch.Tensor,
    labels: torch.Tensor,
    label_lengths: torch.Tensor,
    times: torch.Tensor,
    blank: int,
    merge_repeated: bool = True,
) -> Any:
    """Return the log-probability of each state [batch, 2 * labels + 1] at the end of its time.

    States alternate blank, label, blank, … A label that is no class counts as certain.
    """
    batch, width = labels.shape
    states = torch.full((batch, 2 * width + 1), blank, device=labels.device, dtype=torch.int64)
    states[:, 1::2] = labels
    is_label = torch.zeros(states.shape, dtype=torch.bool, device=labels.device)
    is_label[:, 1::2] = True
    known = (states >= 0) & (states < logs.shape[2])
    clipped = states.clamp(0, logs.shape[2] - 1)
    nothing = logs.new_full((batch, 2 * width + 1), -torch.inf)
    skips = torch.zeros_like(is_label)
    skips[:, 2:] = is_label[:, 2:]
    if merge_repeated:
        skips[:, 2:] &= states[:, 2:] != states[:, :-2]
    stays = torch.ones_like(is_label) if merge_repeated else ~is_label
    before = torch.full((batch, 1), -torch.inf, dtype=logs.dtype, device=logs.device)
    alpha = torch.cat([logs.new_zeros((batch, 1)), nothing[:, 1:]], 1)
    for time in range(logs.shape[0]):
        seen = torch.where(known, logs[time].gather(1, clipped), 0.0)
        if time == 0:
            first = torch.arange(states.shape[1], device=labels.device) < 2
            moved = torch.where(
                first
                & (
                    torch.arange(states.shape[1], device=labels.device)
                    <= 2 * label_lengths.unsqueeze(1)
                ),
                seen,
                nothing,
            )
        else:
            one = torch.cat([before, alpha[:, :-1]], 1)
            two = torch.cat([before, before, alpha[:, :-2]], 1)[:, : states.shape[1]]
            ways = torch.stack(
                [torch.where(stays, alpha, nothing), one, torch.where(skips, two, nothing)]
            )
            moved = _logsumexp(ways, 0) + seen
        alpha = torch.where((time < times).unsqueeze(1), moved, alpha)
    inside = torch.arange(states.shape[1], device=labels.device) <= 2 * label_lengths.unsqueeze(1)
    return torch.where(inside, alpha, nothing)


def _logsumexp(values: torch.Tensor, axis: int) -> Any:
    """Return logsumexp whose gradient is 0, not NaN, where everything is minus infinity."""
    top = values.amax(axis, keepdim=True).detach()
    top = torch.where(torch.isinf(top), 0.0, top)
    total = (values - top).exp().sum(axis)
    safe = torch.where(total > 0, total, 1.0)
    return torch.where(total > 0, safe.log() + top.squeeze(axis), -torch.inf)


def _ends(label_lengths: torch.Tensor, width: int) -> Any:
    """Return which states may come last: the last label and the blank after it."""
    at = torch.arange(2 * width + 1, device=label_lengths.device)
    last = 2 * label_lengths.unsqueeze(1)
    return (at == last) | (at == last - 1)


def _slow(
    logits: torch.Tensor,
    labels: torch.Tensor,
    label_lengths: torch.Tensor,
    times: torch.Tensor,
    blank: int,
    merge_repeated: bool,
    log_zero: float,
) -> tuple[Any, Any]:
    """Return loss and gradient through autograd, for what torch's own loss does not do."""
    with torch.enable_grad():
        x = logits.detach().requires_grad_()
        logs = torch.log_softmax(x, 2)
        alpha = final_states(logs, labels, label_lengths, times, blank, merge_repeated)
        ends = torch.where(_ends(label_lengths, labels.shape[1]), 0.0, log_zero)
        loss = -_logsumexp(alpha + ends.to(alpha.dtype), 1)
        finite = torch.where(torch.isinf(loss), 0.0, loss)
        (gradient,) = torch.autograd.grad(finite.sum(), x)
    return loss.detach(), gradient


def _fit(labels: Any, lengths: Any, times: Any) -> bool:
    """Return whether all labels have time enough: equal neighbours need a blank between them."""
    followed = torch.arange(1, labels.shape[1]) < lengths.unsqueeze(1)
    repeats = ((labels[:, 1:] == labels[:, :-1]) & followed).sum(1)
    return bool((lengths + repeats <= times).all())


def loss_and_gradient(
    logits: torch.Tensor,
    labels: torch.Tensor,
    label_lengths: torch.Tensor,
    times: torch.Tensor,
    blank: int,
    merge_repeated: bool = True,
    log_zero: float = -torch.inf,
) -> tuple[Any, Any]:
    """Return the loss of each sequence, and its gradient for the logits [time, batch, class].

    Labels, their lengths and times are in host memory, wherever the logits are.
    """
    classes = logits.shape[2]
    lengths = label_lengths.to(torch.int64)
    spans, sizes = times.tolist(), lengths.tolist()
    places = torch.arange(labels.shape[1]) < lengths.unsqueeze(1)
    good = ((labels >= 0) & (labels < classes) & (labels != blank)) | ~places
    is_plain = merge_repeated and bool(good.all()) and labels.shape[1] > 0
    may_fail = logits.is_cpu or not _fit(labels, lengths, times)
    labels, lengths, times = (move(each, logits.device) for each in (labels, lengths, times))
    past = (torch.arange(logits.shape[0], device=logits.device).unsqueeze(1) >= times).unsqueeze(2)
    if not is_plain:
        loss, gradient = _slow(logits, labels, lengths, times, blank, merge_repeated, log_zero)
    else:
        logs = torch.log_softmax(logits, 2)
        clipped = labels.clamp(0, classes - 1).to(torch.int64)
        loss, alpha = torch.ops.aten._ctc_loss(logs, clipped, spans, sizes, blank, False)
        gradient = torch.ops.aten._ctc_loss_backward(
            torch.ones_like(loss), logs, clipped, spans, sizes, loss, alpha, blank, False
        )
        hopeless = torch.isinf(loss)
        if may_fail and (not logits.is_cpu or bool(hopeless.any())):
            gradient = torch.where(hopeless.view(1, -1, 1), logs.exp(), gradient)
            if log_zero != -torch.inf:
                other, slope = _slow(logits, labels, lengths, times, blank, True, log_zero)
                loss = torch.where(hopeless, other, loss)
                gradient = torch.where(hopeless.view(1, -1, 1), slope, gradient)
    return loss, gradient.masked_fill(past, 0)
