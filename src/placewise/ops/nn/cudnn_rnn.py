"""CudnnRNNV3: the recurrent op that Keras's LSTM and GRU use where there is a GPU.

Weights come as one vector, as cuDNN lays it out: for each layer and direction the input matrices
of all gates, then the recurrent ones; after all of these the biases in the same order. Gates are
in the order of cuDNN: i f g o (LSTM) and r z n (GRU), or on AMD's cards in that of MIOpen: i f o g
and z r n. Gradients are torch's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from placewise.core.dtypes import bfloat16, float16, float32, float64
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.devices.test_queries import is_built_with_rocm
from placewise.memory.transfer import move
from placewise.ops.declare import define
from placewise.ops.work import rnn_work

if TYPE_CHECKING:
    import numpy as np


_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
_MIOPEN = {"lstm": (0, 1, 3, 2), "gru": (1, 0, 2)}  # where torch's gates are among MIOpen's

cudnn_rnn_op = define(
    "CudnnRNNV3(input: T, input_h: T, input_c: T, params: T, sequence_lengths: int32; "
    "rnn_mode: 'rnn_relu'|'rnn_tanh'|'lstm'|'gru' = 'lstm',"
    " input_mode: 'linear_input'|'skip_input'|'auto_select' = 'linear_input', "
    "direction: 'unidirectional'|'bidirectional' = 'unidirectional',"
    " dropout: float = 0.0, seed: int = 0, seed2: int = 0, "
    "num_proj: int = 0, is_training: bool = True, time_major: bool = True) "
    "-> output: T, output_h: T, output_c: T, reserve_space: T, host_reserved: int8",
    host=("sequence_lengths", "host_reserved"),
    stateful=True,
    T=frozenset({bfloat16, float16, float32, float64}),
    doc="Layers of recurrent cells over sequences of their own lengths.",
    work=rnn_work,
)


@cudnn_rnn_op.shape
def cudnn_rnn_shape(
    inputs: Static, h: Static, c: Static, *_: Static, direction: str, rnn_mode: str, **__: object
) -> list[Dims]:
    units = h.shape[2] if h.shape is not None else None
    sides = 2 if direction == "bidirectional" else 1
    width = None if units is None else units * sides
    output: Dims = None if inputs.shape is None else (*inputs.shape[:2], width)
    return [output, h.shape, h.shape if rnn_mode == "lstm" else (None,), None, None]


@cudnn_rnn_op.kernel
def cudnn_rnn_kernel(
    inputs: torch.Tensor,
    h: torch.Tensor,
    c: torch.Tensor,
    params: torch.Tensor,
    lengths: np.ndarray[Any, Any],
    *,
    time_major: bool,
    **attrs: Any,
) -> Any:
    mode, sides = attrs["rnn_mode"], 2 if attrs["direction"] == "bidirectional" else 1
    if attrs["num_proj"] or attrs["input_mode"] == "skip_input" or attrs["dropout"]:
        raise invalid("placewise's CudnnRNNV3 has no projection, skip_input or dropout")
    if inputs.dim() != 3 or h.dim() != 3:
        raise invalid("RNN input must be a 3-D vector.")
    x = inputs if time_major else inputs.transpose(0, 1)
    states = h if time_major else h.transpose(0, 1)
    cells = (c if time_major else c.transpose(0, 1)) if mode == "lstm" else None
    if tuple(lengths.shape) != (x.shape[1],) or (lengths > x.shape[0]).any() or (lengths < 0).any():
        raise invalid("sequence_lengths must hold one length for each sequence of the batch")
    if states.shape[1] != x.shape[1] or (mode == "lstm" and c.shape != h.shape):
        raise invalid("input_h and input_c must hold one state for each sequence of the batch")
    layers = states.shape[0] // sides
    weights = _unpack(params, mode, layers, sides, x.shape[2], states.shape[2])
    is_whole = x.shape[0] and (lengths == x.shape[0]).all()
    found = _whole(mode, x, states, cells, weights, layers, sides == 2) if is_whole else None
    x, end_h, end_c = found or _in_steps(mode, x, states, cells, weights, lengths, sides)
    if not time_major:
        x, end_h = x.transpose(0, 1), end_h.transpose(0, 1)
        end_c = end_c.transpose(0, 1) if mode == "lstm" else end_c
    spaces = inputs.new_zeros(0), torch.zeros(0, dtype=torch.int8)
    return x.contiguous(), end_h.contiguous(), end_c.contiguous(), *spaces


def _whole(
    mode: str, x: Any, h: Any, c: Any, weights: Any, layers: int, both: bool
) -> tuple[Any, Any, Any] | None:
    """Return outputs and last states of sequences that are all as long as they can be.

    Return None if the device lacks torch's fused cells.
    """
    flat = [part for w, r, (b_in, b_back) in weights for part in (w, r, b_in, b_back)]
    states = h.contiguous() if c is None else (h.contiguous(), c.contiguous())
    training = torch.is_grad_enabled()
    run = getattr(torch._VF, mode)
    try:
        found = run(x.contiguous(), states, flat, True, layers, 0.0, training, both, False)
    except NotImplementedError:
        return None
    return found if mode == "lstm" else (*found, x.new_zeros(0))


def _in_steps(
    mode: str,
    x: torch.Tensor,
    states: torch.Tensor,
    cells: Any,
    weights: list[Any],
    lengths: np.ndarray[Any, Any],
    sides: int,
) -> tuple[Any, Any, Any]:
    """Return outputs and last states of sequences of different lengths."""
    last_h, last_c = [], []
    for layer in range(states.shape[0] // sides):
        outs = []
        for side in range(sides):
            at = layer * sides + side
            cell = cells[at] if cells is not None else None
            out, end, end_c = _run(x, states[at], cell, weights[at], lengths, mode, side == 1)
            outs.append(out)
            last_h.append(end)
            last_c.append(end_c)
        x = torch.cat(outs, 2)
    return x, torch.stack(last_h), torch.stack(last_c) if mode == "lstm" else x.new_zeros(0)


def _unpack(
    params: torch.Tensor, mode: str, layers: int, sides: int, width: int, units: int
) -> list[tuple[Any, Any, Any]]:
    """Return input matrix, recurrent matrix and bias(es) of each layer and direction."""
    rows = _GATES[mode] * units
    sizes = [width if layer == 0 else units * sides for layer in range(layers)]
    wanted = sum(sides * rows * (size + units + 2) for size in sizes)
    if params.numel() != wanted:
        raise invalid(f"params has {params.numel()} elements, but {wanted} are needed")
    matrices, position = [], 0
    for size in (size for size in sizes for _ in range(sides)):
        w = params[position : position + rows * size].view(rows, size)
        position += rows * size
        r = params[position : position + rows * units].view(rows, units)
        position += rows * units
        matrices.append((w, r))
    biases = params[position:].view(len(matrices), 2, rows)
    if mode in _MIOPEN and is_built_with_rocm():
        order = list(_MIOPEN[mode])
        matrices = [(_in_order(w, order), _in_order(r, order)) for w, r in matrices]
        parts = biases.view(-1, 2, len(order), units).unbind(2)
        biases = torch.cat([parts[place] for place in order], 2)
    return [(w, r, biases[i]) for i, (w, r) in enumerate(matrices)]


def _in_order(rows: Any, order: list[int]) -> Any:
    parts = rows.chunk(len(order))
    return torch.cat([parts[place] for place in order])


def _run(
    x: Any, h: Any, c: Any, weights: Any, lengths: Any, mode: str, backwards: bool
) -> tuple[Any, Any, Any]:
    """Return outputs (zero after each end) and last states of one layer in one direction."""
    w, r, (b_in, b_back) = weights
    projected = torch.nn.functional.linear(x, w, b_in)
    steps = range(x.shape[0])
    alive = _alive(lengths, x)
    outputs = []
    for t in reversed(steps) if backwards else steps:
        new_h, new_c = _step(mode, projected[t], torch.nn.functional.linear(h, r, b_back), h, c)
        new_h = torch.where(alive[t], new_h, h)
        new_c = None if new_c is None else torch.where(alive[t], new_c, c)
        outputs.append(torch.where(alive[t], new_h, torch.zeros_like(new_h)))
        h, c = new_h, new_c
    if not outputs:
        return x.new_zeros(0, x.shape[1], h.shape[1]), h, c
    return torch.stack(outputs[::-1] if backwards else outputs), h, c


def _alive(lengths: np.ndarray[Any, Any], x: torch.Tensor) -> Any:
    ends = move(torch.as_tensor(lengths), x.device)  # known on the host only, as in TensorFlow
    return (torch.arange(x.shape[0], device=x.device)[:, None] < ends[None])[:, :, None]


def _step(
    mode: str, given: torch.Tensor, back: torch.Tensor, h: torch.Tensor, c: Any
) -> tuple[Any, Any]:
    if mode == "lstm":
        i, f, g, o = (given + back).chunk(4, 1)
        cell = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(cell), cell
    if mode == "gru":
        (r, z, n), (back_r, back_z, back_n) = given.chunk(3, 1), back.chunk(3, 1)
        update = torch.sigmoid(z + back_z)
        fresh = torch.tanh(n + torch.sigmoid(r + back_r) * back_n)
        return fresh + update * (h - fresh), None
    new = given + back
    return (torch.tanh(new) if mode == "rnn_tanh" else torch.relu(new)), None
