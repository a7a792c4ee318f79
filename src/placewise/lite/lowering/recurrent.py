"""A whole LSTM layer as one operator."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.lite.lowering.table import Place, lowers
from placewise.lite.subgraph import Step, Subgraph, Value, constant

_HIDDEN = 6  # the output of BlockLSTM that TensorFlow Lite computes too
_STATES = (2, 3)  # cell and hidden state at the beginning


@lowers("BlockLSTM", "BlockLSTMV2")
def lower_block_lstm(place: Place) -> list[Value]:
    """Add UNIDIRECTIONAL_SEQUENCE_LSTM, which begins with zeros and returns the hidden states."""
    _check(place)
    x, weights, bias = place.inputs[1], place.known(4), place.known(8)
    units = weights.shape[1] // 4
    inputs_size = weights.shape[0] - units
    # TensorFlow Lite wants input, forget, cell, output; BlockLSTM has the cell before the forget
    # gate, its second version is in TensorFlow Lite's order but for these two.
    order = (0, 2, 1, 3) if place.op.type == "BlockLSTM" else (0, 1, 2, 3)
    gates = [weights[:, gate * units : (gate + 1) * units] for gate in order]
    biases = [bias[gate * units : (gate + 1) * units].copy() for gate in order]
    biases[1] += np.float32(place.attr("forget_bias")) if place.op.type == "BlockLSTM" else 0
    name = place.op.name

    def known(array: np.ndarray[Any, Any], part: str) -> Value:
        return constant(np.ascontiguousarray(array), f"{name}/{part}", np.float32)

    batch = x.shape[1]
    states = [
        Value(f"{name}/{part}", "float32", (batch, units), is_state=True)
        for part in ("output_state", "cell_state")
    ]
    inputs: list[Value | None] = [
        x,
        *(known(gate[:inputs_size].T, f"input{i}") for i, gate in enumerate(gates)),
        *(known(gate[inputs_size:].T, f"recurrent{i}") for i, gate in enumerate(gates)),
        *([None] * 3),
        *(known(gate, f"bias{i}") for i, gate in enumerate(biases)),
        None,
        None,
        *states,
        *([None] * 4),
    ]
    like = Value(name, "float32", place.outputs[_HIDDEN].shape)
    hidden = place.subgraph.add(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        inputs,
        like,
        "UnidirectionalSequenceLSTMOptions",
        fusedActivationFunction=4,  # tanh
        timeMajor=True,
    )
    return [*place.outputs[:_HIDDEN], hidden]


def _check(place: Place) -> None:
    """Refuse what the operator does not compute: peepholes, clipping, given states."""
    clips = place.attr("cell_clip") > 0
    peeps = place.attr("use_peephole")
    zeros = all(_is_zero(place.subgraph, place.inputs[index]) for index in _STATES)
    if clips or peeps or not zeros:
        raise place.unsupported("an LSTM is converted without peepholes, clipping and given states")


def _is_zero(subgraph: Subgraph, value: Value) -> bool:
    if value.content is not None:
        return not value.content.any()
    maker: Step | None = next((s for s in subgraph.steps if value in s.outputs), None)
    if maker is None or maker.kind != "FILL" or maker.inputs[1] is None:
        return False
    content = maker.inputs[1].content
    return content is not None and not content.any()
