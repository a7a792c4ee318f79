"""`tf.train.Scaffold`: the parts a model needs to be trained, made where they are not given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core.log import get_logger
from placewise.graph.collections import (
    GraphKeys,
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from placewise.graph.defaults import get_default_graph
from placewise.graph.resources import (
    initialize_resources,
    local_resources,
    report_uninitialized_resources,
    shared_resources,
)
from placewise.ops.array.concat import concat
from placewise.ops.flow.order import group
from placewise.saving.saver import Saver
from placewise.summary.tf1 import merge_all


def default_saver() -> Any:
    """Return the saver of the default graph's collection, made if there is none."""
    graph = get_default_graph()
    found = graph.get_collection("savers")
    if len(found) > 1:
        raise RuntimeError(
            "More than one item in collection savers. Please indicate which one to use by passing "
            "it to the constructor."
        )
    if found:
        return found[0]
    made = Saver(sharded=True, allow_empty=True)
    graph.add_to_collection("savers", made)
    return made


class Scaffold:
    """Initialization, readiness, summaries and saver of a model; what is missing is made."""

    _init_op: Any
    _init_feed_dict: Any
    _local_init_feed_dict: Any
    _ready_op: Any
    _ready_for_local_init_op: Any
    _local_init_op: Any
    _summary_op: Any
    _saver: Any

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        given = {
            "init_op": init_op,
            "ready_op": ready_op,
            "local_init_op": local_init_op,
            "ready_for_local_init_op": ready_for_local_init_op,
            "summary_op": summary_op,
            "saver": saver,
            "init_feed_dict": init_feed_dict,
            "local_init_feed_dict": local_init_feed_dict,
        }
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        for name, value in given.items():
            if value is None and copy_from_scaffold is not None:
                value = getattr(copy_from_scaffold, name)
            setattr(self, f"_{name}", value)
        if init_fn is not None:
            self._init_fn: Any = lambda session: init_fn(self, session)
        else:
            self._init_fn = None
            inherited = getattr(copy_from_scaffold, "_user_init_fn", None)
            if inherited is not None:
                init_fn = inherited
                self._init_fn = lambda session: inherited(self, session)
        self._user_init_fn = init_fn

    def finalize(self) -> Scaffold:
        """Make what is missing, and finalize the graph."""
        make = Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = make("init_op", GraphKeys.INIT_OP, _initialization)
        if self._ready_op is None:
            self._ready_op = make(
                "ready_op",
                GraphKeys.READY_OP,
                lambda: _missing(None, shared_resources() + local_resources()),
            )
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = make(
                "ready_for_local_init_op",
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: _missing(global_variables(), shared_resources()),
            )
        if self._local_init_op is None:
            self._local_init_op = make(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
        if self._summary_op is None:
            self._summary_op = make("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = default_saver()
        if isinstance(self._saver, Saver):
            self._saver.build()
        get_default_graph().finalize()
        get_logger().info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Any:
        """The function called after the variables are initialized, with the session."""
        return self._init_fn

    @property
    def init_op(self) -> Any:
        """The operation that initializes variables."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """The tensor that names variables without a value."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The tensor that names global variables without a value."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """The operation that initializes local variables and tables."""
        return self._local_init_op

    @property
    def summary_op(self) -> Any:
        """The tensor with all summaries, or None."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """The saver."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """What is fed to the initialization."""
        return self._init_feed_dict

    @property
    def local_init_feed_dict(self) -> Any:
        """What is fed to the initialization of local variables."""
        return self._local_init_feed_dict

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[..., Any]
    ) -> Any:
        """Return the one element of a collection, made and added if there is none."""
        graph = get_default_graph()
        found = graph.get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                "one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            graph.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Return an operation that initializes local variables and tables."""
        ops = [local_variables_initializer(), tables_initializer()]
        if local_resources():
            ops.append(initialize_resources(local_resources()))
        return group(*ops)


def _initialization() -> Any:
    ops = [global_variables_initializer()]
    if shared_resources():
        ops.append(initialize_resources(shared_resources()))
    return group(*ops)


def _missing(variables: Any, resources: list[Any]) -> Any:
    """Return the names of what has no value yet; graphs without resources have no ops for them."""
    names = report_uninitialized_variables(variables)
    if not resources:
        return names
    return concat([names, report_uninitialized_resources(resources)], 0)
