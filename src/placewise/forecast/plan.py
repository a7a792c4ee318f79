"""`placewise.plan`: forecasts for a function, a Keras model or a graph of this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from placewise.core.dtypes import as_dtype
from placewise.core.html import to_details, to_table
from placewise.devices.machine import parse_machine
from placewise.forecast.dry_run import dry_run
from placewise.forecast.estimate import forecasts
from placewise.forecast.forecast import Forecast
from placewise.forecast.report import page, table, table_rows, to_text
from placewise.graph.graph import Graph
from placewise.session.session import Session


class Plan(Sequence[Forecast]):
    """The forecasts of a step, one a machine; `print` shows them as `placewise plan` does."""

    def __init__(self, forecasts: Sequence[Forecast]) -> None:
        self._forecasts = tuple(forecasts)

    def __getitem__(self, index: Any) -> Any:
        return self._forecasts[index]

    def __len__(self) -> int:
        return len(self._forecasts)

    def __iter__(self) -> Iterator[Forecast]:
        return iter(self._forecasts)

    @property
    def fits(self) -> bool:
        """Whether it fits on every machine."""
        return all(one.fits for one in self)

    def table(self) -> str:
        """Return one line a machine."""
        return table(self)

    def page(self, index: int = 0) -> str:
        """Return all that is known of one machine."""
        return page(self._forecasts[index])

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps({"machines": [one.to_json() for one in self]}, indent=2)

    def __str__(self) -> str:
        return to_text(self._forecasts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        titles, *rows = table_rows(self)
        pages = "".join(to_details(one.machine, page(one)) for one in self)
        return to_table(titles, rows) + pages


def plan(
    what: Any,
    *args: Any,
    on: str | Sequence[str],
    precision: str = "auto",
    batch_size: int = 32,
    fetches: Any = None,
    feeds: Mapping[Any, Sequence[int]] | None = None,
    steps: int = 1,
    max_seconds: float | None = None,
) -> Plan:
    """Return what a training step would need and take on machines that need not be here.

    Nothing is computed on the GPUs: their tensors have shapes and no contents.

    Args:
      what: a function that trains, called with `args` until it has made its steps (it makes its
        model itself); a compiled Keras model, of which a copy is trained on `batch_size` samples;
        or a `tf.Graph` with `fetches`, its train op.
      on: a machine such as "4xV100", or several to compare.
      precision: "auto", "fp32", "tf32", "fp16" or "bf16", of products of float32.
      fetches: what the session runs, with a graph.
      feeds: the shape of what each placeholder of a graph is fed.
      steps: how many training steps to see after the first.
      max_seconds: end it after so long.

    Returns:
      A sequence with a forecast for each machine. `print` it, or ask `fits`, `table()`,
      `to_json()`.

    Raises:
      ValueError: a machine that is not understood, or has no GPU.
      TypeError: `what` is none of these.

    >>> import placewise as tf
    >>> def train():
    ...     w = tf.Variable(tf.zeros([1000, 1000]))
    ...     for _ in range(3):
    ...         with tf.GradientTape() as tape:
    ...             loss = tf.reduce_sum(tf.ones([64, 1000]) @ w)
    ...         w.assign_sub(0.1 * tape.gradient(loss, w))
    >>> planned = tf.plan(train, on=["K80", "2xV100"])
    >>> [one.verdict for one in planned]
    ['fits', 'fits']
    """
    machines = [on] if isinstance(on, str) else list(on)
    counts: dict[int, list[str]] = {}
    for machine in machines:
        cards = parse_machine(machine)
        if not cards:
            raise ValueError(f"plan needs machines with a GPU, not {machine!r}")
        counts.setdefault(len(cards), []).append(machine)
    run = _program(what, args, batch_size, fetches, feeds, steps)
    by_machine: dict[str, Forecast] = {}
    # Most cards first: if the program uses one and does not ask, that run serves all machines.
    for count in sorted(counts, reverse=True):
        alike = [machine for machine in counts[count] if machine not in by_machine]
        if alike:
            seen = dry_run(run, alike[0], steps=steps, max_seconds=max_seconds)
            served = machines if seen.serves_fewer_gpus else alike
            by_machine |= {one.machine: one for one in forecasts(seen, served, precision)}
    return Plan([by_machine[machine] for machine in machines])


def _program(
    what: Any, args: Any, batch_size: int, fetches: Any, feeds: Any, steps: int
) -> Callable[[], None]:
    """Return a function that makes enough training steps."""
    if isinstance(what, Graph):
        return _graph_program(what, fetches, feeds or {}, steps)
    if hasattr(what, "train_on_batch") and hasattr(what, "get_config"):
        return _model_program(what, batch_size, steps)
    if not callable(what):
        raise TypeError(f"plan takes a function, a Keras model or a tf.Graph, not {what!r}")

    def run() -> None:
        for _ in range(steps + 2):  # one warms up, and the end of the last must be seen
            what(*args)

    return run


def _graph_program(graph: Graph, fetches: Any, feeds: Any, steps: int) -> Callable[[], None]:
    if fetches is None:
        raise TypeError("plan of a tf.Graph needs fetches=…, the train op")

    def run() -> None:
        values = {
            tensor: np.broadcast_to(np.zeros((), tensor.dtype.as_numpy_dtype), tuple(shape))
            for tensor, shape in feeds.items()
        }
        with graph.as_default(), Session(graph=graph) as session:
            initializers = [variable.initializer for variable in graph.get_collection("variables")]
            session.run(initializers)
            for _ in range(steps + 2):
                session.run(fetches, values)

    return run


def _model_program(model: Any, batch_size: int, steps: int) -> Callable[[], None]:
    if not getattr(model, "compiled", False) or not model.built:
        raise TypeError("plan of a Keras model needs one that is built and compiled")

    def run() -> None:
        copy = type(model).from_config(model.get_config())
        copy.compile_from_config(model.get_compile_config())
        inputs = [_zeros(tensor, batch_size) for tensor in copy.inputs]
        outputs = [_zeros(tensor, batch_size) for tensor in copy.outputs]
        targets = outputs[0] if len(outputs) == 1 else outputs
        if "sparse" in str(model.get_compile_config().get("loss", "")).lower():
            targets = np.zeros(np.shape(targets)[:-1], np.int64)
        for _ in range(steps + 2):
            copy.train_on_batch(inputs[0] if len(inputs) == 1 else inputs, targets)

    return run


def _zeros(tensor: Any, batch_size: int) -> Any:
    shape = tuple(batch_size if size is None else size for size in tensor.shape)
    return np.zeros(shape, as_dtype(tensor.dtype).as_numpy_dtype)
