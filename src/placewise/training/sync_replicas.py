"""`tf.train.SyncReplicasOptimizer`: workers' gradients are averaged, then applied once.

Each worker brings its gradients to accumulators and waits for a token; the chief takes the
averages, applies them, and gives out tokens for the next step.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.errors import CancelledError, OutOfRangeError
from placewise.graph.accumulators import ConditionalAccumulator, SparseConditionalAccumulator
from placewise.graph.collections import GraphKeys, global_variables, report_uninitialized_variables
from placewise.graph.defaults import get_default_graph
from placewise.graph.queues import FIFOQueue
from placewise.graph.variable import VariableV1
from placewise.ops.array.creation import fill
from placewise.ops.flow.order import group, no_op
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.cast import cast
from placewise.ops.state.accumulators import Accumulator
from placewise.training.optimizer import Optimizer
from placewise.training.queue_runner import QueueRunner
from placewise.training.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.operation import Operation
    from placewise.graph.variables import RefVariable
    from placewise.session.session import Session
    from placewise.training.coordinator import Coordinator

_LOOK_SECONDS = 0.05


class SyncReplicasOptimizer(Optimizer):
    """Wraps an optimizer: a step is made of the average of several replicas' gradients."""

    def __init__(
        self,
        opt: Any,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._opt = opt
        self._replicas_to_aggregate, self._total_num_replicas = replicas_to_aggregate, total
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the wrapped optimizer computes."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Sequence[Any],
        global_step: RefVariable | None = None,
        name: str | None = None,
    ) -> Any:
        """Return what a worker runs: it brings gradients, and waits until the step is made."""
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        graph = get_default_graph()
        # On the worker, whatever puts variables on parameter servers: each worker has its own.
        with graph.colocate_with(no_op()):
            self._local_step = _local_step(self._name)
        self.local_step_init_op = self._local_step.assign(cast(global_step, dtypes.int64))
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        accumulators: list[Any] = []
        brought: list[Any] = []
        averaged: list[Any] = []
        with graph.name_scope(self._name):
            for gradient, variable in grads_and_vars:
                with graph.device(variable.device):
                    self._gather(gradient, variable, accumulators, brought, averaged)
            pairs = [(g, v) for g, (_, v) in zip(averaged, grads_and_vars, strict=True)]
            update = self._opt.apply_gradients(pairs, global_step)
            train = self._tokens(graph, brought, update)
        self.chief_init_op = group(
            self.local_step_init_op,
            *[each.set_global_step(global_step, name="SetGlobalStep") for each in accumulators],
        )
        self._gradients_applied = True
        return train

    def _gather(
        self,
        gradient: Any,
        variable: Any,
        accumulators: list[Any],
        brought: list[Any],
        averaged: list[Any],
    ) -> None:
        if gradient is None:
            averaged.append(None)
            return
        name = variable.name.replace(":", "_").replace("/", "_")
        options = {"shape": variable.shape, "shared_name": f"{variable.name}/grad_accum"}
        needed = self._replicas_to_aggregate
        if isinstance(gradient, IndexedSlices):
            made: Any = SparseConditionalAccumulator(
                gradient.dtype, name=f"{name}_accum", **options
            )
            brought.append(made.apply_indexed_slices_grad(gradient, local_step=self._local_step))
            averaged.append(made.take_indexed_slices_grad(needed))
        else:
            made = ConditionalAccumulator(gradient.dtype, name=f"{name}_accum", **options)
            brought.append(made.apply_grad(gradient, local_step=self._local_step))
            averaged.append(made.take_grad(needed))
        accumulators.append(made)

    def _tokens(self, graph: Graph, brought: list[Any], update: Operation) -> Any:
        """Return what a worker runs, and set up the chief's thread that makes the steps."""
        with graph.device(self._global_step.device), graph.name_scope(None):
            queue = FIFOQueue(
                -1, dtypes.int64, shapes=[()], name="sync_token_q", shared_name="sync_token_q"
            )
            dummy = FIFOQueue(
                1, dtypes.int32, shapes=[()], name="dummy_queue", shared_name="dummy_queue"
            )
            self._sync_token_queue = queue
            with graph.control_dependencies(brought):
                train = self._local_step.assign(queue.dequeue())
            with graph.control_dependencies([update]):
                tokens = fill([self._tokens_per_step], cast(self._global_step, dtypes.int64))
                sync = queue.enqueue_many((tokens,))
            if self._variable_averages is not None:
                with graph.control_dependencies([sync]):
                    sync = self._variable_averages.apply(self._variables_to_average)
        self._chief_queue_runner = _ChiefRunner(
            dummy, [sync], queue_closed_exception_types=(OutOfRangeError, CancelledError)
        )
        return train

    def _check_applied(self, what: str) -> None:
        if not self._gradients_applied:
            raise ValueError(f"{what} should be called after apply_gradients().")

    def get_chief_queue_runner(self) -> Any:
        """Return the queue runner that makes the steps: the chief's."""
        self._check_applied("get_chief_queue_runner()")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Return an operation that gives out the tokens of the first step."""
        self._check_applied("get_init_tokens_op()")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} "
                "(needed)"
            )
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        tokens = fill([num_tokens], cast(self._global_step, dtypes.int64))
        return self._sync_token_queue.enqueue_many((tokens,))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> Any:
        """Return the hook that starts a session for this optimizer."""
        return _Hook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Return a slot of the wrapped optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """Return the names of the wrapped optimizer's slots."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """Return the variables of the wrapped optimizer."""
        found: list[Any] = self._opt.variables()
        return found


def _local_step(name: str) -> Any:
    make: Any = VariableV1
    return make(
        initial_value=0,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        dtype=dtypes.int64,
        name="sync_rep_local_step",
    )


class _Hook(SessionRunHook):
    """Prepares a session: steps are told to the accumulators, tokens given out, threads started."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._sync_optimizer = optimizer
        self._is_chief, self._num_tokens = is_chief, num_tokens

    def begin(self) -> None:
        """Add what the chief needs before the graph is finalized."""
        optimizer = self._sync_optimizer
        optimizer._check_applied("SyncReplicasOptimizer.apply_gradient")
        self._report_op = optimizer.ready_for_local_init_op
        self._first_ops = [optimizer.local_step_init_op]
        if self._is_chief:
            tokens = optimizer.get_init_tokens_op(self._num_tokens)
            self._first_ops = [optimizer.chief_init_op, tokens]
            self._runner = optimizer.get_chief_queue_runner()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Begin the first step."""
        uninitialized = b", ".join(session.run(self._report_op)).decode()
        if uninitialized:
            raise RuntimeError(
                "Init operations did not make model ready for local_init. Variables not "
                f"initialized: {uninitialized}"
            )
        for op in self._first_ops:  # in order: tokens are for steps that the first one sets
            session.run(op)
        if self._is_chief:
            self._runner.create_threads(session, coord, daemon=True, start=True)


class _ChiefRunner(QueueRunner):
    """The chief's thread that makes the steps; a stop ends its wait for gradients, too."""

    def _close_on_stop(self, sess: Session, cancel_op: Operation, coord: Coordinator) -> None:
        super()._close_on_stop(sess, cancel_op, coord)
        # Again until the thread has ended: a step may just begin when the stop comes.
        while self._runs.get(sess, 0) > 0:
            for op in self._enqueue_ops:
                _end_waits(sess, op)
            time.sleep(_LOOK_SECONDS)


def _end_waits(session: Any, op: Operation) -> None:
    """End the steps of a session that run an operation and wait for gradients."""
    if session._cluster is not None:  # the accumulators are those of all workers
        session._cluster.cancel_steps(op)
        return
    for handle in list(session._handles.values()):
        if isinstance(handle.value, Accumulator):
            handle.value.cancel_waiting()


SyncReplicasOptimizer.__module__ = "tensorflow.python.training.sync_replicas_optimizer"
_Hook.__name__ = _Hook.__qualname__ = "_SyncReplicasOptimizerHook"
