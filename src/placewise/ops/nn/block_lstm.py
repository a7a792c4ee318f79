"""BlockLSTM and BlockLSTMV2: an LSTM over whole sequences, as one op; both backwards likewise.

The two differ in the order of the gates in `w` and `b` (BlockLSTM: input, cell, forget, output;
BlockLSTMV2: input, forget, cell, output), and in their defaults. Keras's LSTM runs as BlockLSTM
(`tensorflow/keras_rnn.py`). The kernels are plain torch code without writing in place, so that
torch's autograd gives gradients of the gradient.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch

from placewise.core.dtypes import float16, float32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.creation import zeros_like
from placewise.ops.declare import Bind, define, takes_none
from placewise.ops.work import rnn_gradient_work, rnn_work

if TYPE_CHECKING:
    import numpy as np


_OLD, _NEW = "icfo", "ifco"
_T = frozenset({float16, float32})
_GIVEN = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
_MADE = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T"


def _block_lstm(name: str, order: str, options: str) -> Bind:
    """Declare the op for one order of the gates, and its gradient; return the op."""
    forwards = define(
        f"{name}(seq_len_max: int64, {_GIVEN}; {options}, use_peephole: bool = False) -> {_MADE}",
        host=("seq_len_max",),
        T=_T,
        doc="An LSTM over sequences, with all it computes on the way.",
        work=rnn_work,
    )
    outputs = ", ".join(f"{part.split(':')[0]}_grad: T" for part in _GIVEN.split(", "))
    backwards = define(
        f"{name.replace('LSTM', 'LSTMGrad')}(seq_len_max: int64, {_GIVEN}, {_MADE}, cs_grad: T, "
        f"h_grad: T; use_peephole: bool) -> {outputs}",
        host=("seq_len_max",),
        T=_T,
        doc=f"The gradient of {name}, of its cells and results.",
        work=rnn_gradient_work,
    )
    forwards.shape(_forward_shape)
    forwards.kernel(functools.partial(_forward, order))
    backwards.shape(_backward_shape)
    backwards.kernel(functools.partial(_backward, order))

    @forwards.gradient
    @takes_none
    def gradient(call: Any, *dys: Any) -> Any:
        di, dcs, df, do, dci, dco, dh = dys
        if any(each is not None for each in (di, df, do, dci, dco)):
            return NotImplemented  # the gradient's own gradient asks for these; autograd has them

        cells, results = call.outputs[1], call.outputs[6]
        found = backwards(
            *call.inputs,
            *call.outputs,
            zeros_like(cells) if dcs is None else dcs,
            zeros_like(results) if dh is None else dh,
            use_peephole=call.attrs["use_peephole"],
        )
        return [None, *found]

    return forwards


def _forward_shape(_: Static, x: Static, cs: Static, *rest: Static, **__: object) -> list[Dims]:
    bias = rest[-1]
    if x.shape is not None and len(x.shape) != 3:
        raise ValueError(f"Shape must be rank 3 but is rank {len(x.shape)}")
    if bias.shape is not None and len(bias.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(bias.shape)}")
    units = cs.shape[1] if cs.shape is not None and len(cs.shape) == 2 else None
    if units is None and bias.shape is not None and bias.shape[0] is not None:
        units = bias.shape[0] // 4
    made: Dims = (None, None, units) if x.shape is None else (*x.shape[:2], units)
    return [made] * 7


def _backward_shape(_: Static, *given: Static, **__: object) -> list[Dims]:
    return [each.shape for each in given[:8]]


def _forward(
    order: str,
    seq_len_max: np.ndarray[Any, Any],
    x: torch.Tensor,
    c: torch.Tensor,
    h: torch.Tensor,
    w: torch.Tensor,
    wci: torch.Tensor,
    wcf: torch.Tensor,
    wco: torch.Tensor,
    b: torch.Tensor,
    *,
    cell_clip: float,
    use_peephole: bool,
    forget_bias: float = 0.0,
) -> Any:
    count = _checked(seq_len_max, x, c, h, w, wci, wcf, wco, b)
    width, units = x.shape[2], c.shape[1]
    if forget_bias:
        parts = dict(zip(order, b.chunk(4), strict=True))
        parts["f"] = parts["f"] + forget_bias
        b = torch.cat([parts[gate] for gate in order])
    given = torch.addmm(b, x[:count].reshape(-1, width), w[:width])
    recurrent, at_cell = w[width:], order.index("c") * units
    at = [order.index(gate) for gate in "ifo"]
    steps = []
    for each in given.view(count, x.shape[1], 4 * units).unbind():
        gates = torch.addmm(each, h, recurrent)
        ci = torch.tanh(gates.narrow(1, at_cell, units))
        if use_peephole:
            linear = gates.chunk(4, 1)
            i = torch.sigmoid(torch.addcmul(linear[at[0]], c, wci))
            f = torch.sigmoid(torch.addcmul(linear[at[1]], c, wcf))
        else:
            open_gates = torch.sigmoid(gates).chunk(4, 1)
            i, f, o = open_gates[at[0]], open_gates[at[1]], open_gates[at[2]]
        c = torch.addcmul(i * ci, f, c)
        if cell_clip > 0:
            c = c.clamp(-cell_clip, cell_clip)
        if use_peephole:
            o = torch.sigmoid(torch.addcmul(linear[at[2]], c, wco))
        co = torch.tanh(c)
        h = o * co
        steps.append((i, c, f, o, ci, co, h))
    missing = x.new_zeros(x.shape[0] - count, x.shape[1], units)
    made = [torch.stack(several) for several in zip(*steps, strict=True)] or [missing[:0]] * 7
    return tuple([torch.cat([each, missing]) for each in made] if len(missing) else made)


def _backward(
    order: str,
    seq_len_max: np.ndarray[Any, Any],
    x: torch.Tensor,
    c: torch.Tensor,
    h: torch.Tensor,
    w: torch.Tensor,
    wci: torch.Tensor,
    wcf: torch.Tensor,
    wco: torch.Tensor,
    b: torch.Tensor,
    i: torch.Tensor,
    cs: torch.Tensor,
    f: torch.Tensor,
    o: torch.Tensor,
    ci: torch.Tensor,
    co: torch.Tensor,
    hs: torch.Tensor,
    cs_grad: torch.Tensor,
    h_grad: torch.Tensor,
    *,
    use_peephole: bool,
) -> Any:
    count = _checked(seq_len_max, x, c, h, w, wci, wcf, wco, b)
    _check_steps(x, c, i, cs, f, o, ci, co, hs, cs_grad, h_grad)
    i, f, o, ci, co = i[:count], f[:count], o[:count], ci[:count], co[:count]
    cells_before = torch.cat([c[None], cs])[:count]
    # What a gate's argument gets, per unit that its result's owner (cell, or output) gets.
    slopes = {
        "i": ci * i * (1 - i),
        "f": cells_before * f * (1 - f),
        "c": i * (1 - ci * ci),
        "o": co * o * (1 - o),
    }
    slope = torch.cat([slopes[gate] for gate in order], 2).unbind()
    through, kept = (o * (1 - co * co)).unbind(), f.unbind()
    width = x.shape[2]
    recurrent = w[width:].t()
    back_c, back_h, found = torch.zeros_like(c), torch.zeros_like(h), []
    for t in reversed(range(count)):
        dh = h_grad[t] + back_h
        dc = torch.addcmul(cs_grad[t] + back_c, dh, through[t])
        if use_peephole:
            dc = torch.addcmul(dc, dh * slopes["o"][t], wco)
        gates = torch.cat([dh if gate == "o" else dc for gate in order], 1) * slope[t]
        back_h = torch.mm(gates, recurrent)
        back_c = dc * kept[t]
        if use_peephole:
            parts = dict(zip(order, gates.chunk(4, 1), strict=True))
            back_c = back_c + parts["i"] * wci + parts["f"] * wcf
        found.append(gates)
    gates = torch.stack(found[::-1]) if found else x.new_zeros(0, x.shape[1], b.shape[0])
    flat = gates.view(-1, gates.shape[2])
    outputs_before = torch.cat([h[None], hs])[:count]
    dx = torch.mm(flat, w[:width].t()).view(count, *x.shape[1:])
    dw = torch.cat(
        [x[:count].reshape(-1, width).t() @ flat, outputs_before.reshape(-1, h.shape[1]).t() @ flat]
    )
    if count < x.shape[0]:
        dx = torch.cat([dx, torch.zeros_like(x[count:])])
    peepholes = [torch.zeros_like(wci), torch.zeros_like(wcf), torch.zeros_like(wco)]
    if use_peephole:
        parts = dict(zip(order, gates.chunk(4, 2), strict=True))
        seen = {"i": cells_before, "f": cells_before, "o": cs[:count]}
        peepholes = [(parts[gate] * seen[gate]).sum((0, 1)) for gate in "ifo"]
    return dx, back_c, back_h, dw, *peepholes, flat.sum(0)


def _checked(
    seq_len_max: np.ndarray[Any, Any],
    x: torch.Tensor,
    c: torch.Tensor,
    h: torch.Tensor,
    w: torch.Tensor,
    wci: torch.Tensor,
    wcf: torch.Tensor,
    wco: torch.Tensor,
    b: torch.Tensor,
) -> int:
    """Return how many steps there are to do, if all sizes fit together."""
    if seq_len_max.ndim:
        raise invalid(f"`seq_len_max_tensor` must be rank 0 but is rank {seq_len_max.ndim}")
    for name, given, rank in (
        ("x", x, 3),
        ("cs_prev", c, 2),
        ("h_prev", h, 2),
        ("w", w, 2),
        ("wci", wci, 1),
        ("wcf", wcf, 1),
        ("wco", wco, 1),
        ("b", b, 1),
    ):
        if given.dim() != rank:
            raise invalid(f"{name} must be {rank}D")
    _, batch, width = x.shape
    units = c.shape[1]
    for words, found, wanted in (
        ("cs_prev.dims(0) != batch_size", c.shape[0], batch),
        ("h_prev.dims(0) != batch_size", h.shape[0], batch),
        ("h_prev.dims(1) != cell_size", h.shape[1], units),
        ("w.dim_size(0) != input_size + cell_size", w.shape[0], width + units),
        ("w.dim_size(1) != cell_size * 4", w.shape[1], units * 4),
        ("b.dim_size(0) != cell_size * 4", b.shape[0], units * 4),
        ("wci.dim_size(0) != cell_size", wci.shape[0], units),
        ("wcf.dim_size(0) != cell_size", wcf.shape[0], units),
        ("wco.dim_size(0) != cell_size", wco.shape[0], units),
    ):
        if found != wanted:
            raise invalid(f"{words}: {found} vs. {wanted}")
    if seq_len_max > x.shape[0]:
        raise invalid(f"seq_len_max is {seq_len_max}, but x has {x.shape[0]} steps")
    return max(int(seq_len_max), 0)


def _check_steps(x: torch.Tensor, c: torch.Tensor, *several: Any) -> None:
    wanted = (*x.shape[:2], c.shape[1])
    for each in several:
        if tuple(each.shape) != wanted:
            raise invalid(f"expected a tensor of shape {list(wanted)}, got {list(each.shape)}")


block_lstm = _block_lstm("BlockLSTM", _OLD, "forget_bias: float = 1.0, cell_clip: float = 3.0")
block_lstm_v2 = _block_lstm("BlockLSTMV2", _NEW, "cell_clip: float = 0.0")
