"""What `Checkpoint.restore` returns: how much of the checkpoint found its place."""

from __future__ import annotations

from typing import Any

from placewise.saving.object_graph import ObjectGraph, children_of, has_state, identity
from placewise.saving.object_restore import Restoring, pretty_names
from placewise.saving.saveable import is_eager
from placewise.saving.session_providers import provided_session
from placewise.session.session import Session, get_default_session


class CheckpointLoadStatus:
    """Asks whether all values of a checkpoint, or all of the program, were matched."""

    def __init__(self, restoring: Restoring, root: Any, extra: dict[str, Any]) -> None:
        self._restoring, self._root, self._extra = restoring, root, extra

    def _catch_up(self) -> None:
        """Bind what appeared without anybody noticing, in a list for instance."""
        restoring = self._restoring
        nodes = restoring.graph.nodes
        for number, obj in list(restoring.found.items()):
            if all(child.node_id in restoring.found for child in nodes[number].children):
                continue
            held = children_of(obj)
            if obj is self._root:
                held = {**held, **self._extra}
            for child in nodes[number].children:
                if child.node_id not in restoring.found and child.local_name in held:
                    restoring.restore_from(child.node_id, held[child.local_name])

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Raise AssertionError unless every value of the checkpoint and the program is matched."""
        self._catch_up()
        names = pretty_names(self._restoring.graph)
        for number, node in enumerate(self._restoring.graph.nodes):
            if node.attributes and number not in self._restoring.found:
                raise AssertionError(f"Unresolved object in checkpoint {names.get(number)}: {node}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Raise AssertionError unless every object of the program that has state got a value."""
        self._catch_up()
        bound = {identity(obj) for obj in self._restoring.found.values()}
        objects = ObjectGraph(self._root, self._extra).objects
        lost = [obj for obj in objects if identity(obj) not in bound and has_state(obj)]
        if lost:
            shown = lost[:10]
            raise AssertionError(
                f"Found {len(lost)} Python objects that were not bound to checkpointed values, "
                f"likely due to changes in the Python program. Showing {len(shown)} of "
                f"{len(lost)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Raise AssertionError if nothing but the root was matched."""
        self._catch_up()
        if len(self._restoring.found) < 2 and len(ObjectGraph(self._root).objects) > 1:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means "
                "that the checkpoint does not match the Python program."
            )
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """Say nothing about values that find no place."""
        self._restoring._farewell.is_partial = True
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Give the variables of a graph their values in a session; eager ones have theirs."""
        if not is_eager():
            self._restoring.run(_session(session))

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restore what the checkpoint has, initialize the other variables of a graph."""
        if is_eager():
            return
        session = _session(session)
        restored = {id(variable) for variable, _ in self._restoring.assigned}
        _initialize(self._root, self._extra, restored, session)
        self._restoring.run(session)


class InitializationOnlyStatus:
    """There was no checkpoint: nothing is restored."""

    def __init__(self, root: Any, extra: dict[str, Any]) -> None:
        self._root, self._extra = root, extra

    def _nothing(self) -> AssertionError:
        return AssertionError(
            "No checkpoint specified (save_path=None); nothing is being restored."
        )

    def assert_consumed(self) -> Any:
        """Raise AssertionError: nothing is restored."""
        raise self._nothing()

    def assert_existing_objects_matched(self) -> Any:
        """Raise AssertionError: nothing is restored."""
        raise self._nothing()

    def assert_nontrivial_match(self) -> Any:
        """Raise AssertionError: nothing is restored."""
        raise self._nothing()

    def expect_partial(self) -> InitializationOnlyStatus:
        """Do nothing."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Raise AssertionError: there is nothing to run."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to "
            "Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Initialize the variables of a graph; eager ones are already."""
        if not is_eager():
            _initialize(self._root, self._extra, set(), _session(session))


class NameBasedSaverStatus:
    """The checkpoint was written by names: variables of the same names got its values."""

    def __init__(self, restored: list[Any], missing: list[Any], unused: list[str]) -> None:
        self._restored, self._missing, self._unused = restored, missing, unused

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Raise AssertionError unless every variable and every saved value is matched."""
        if self._unused:
            raise AssertionError(
                f"Some values in the checkpoint were not used by the program: {self._unused}"
            )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> NameBasedSaverStatus:
        """Raise AssertionError unless every variable of the program got a value."""
        if self._missing:
            raise AssertionError(
                f"Some Python objects were not bound to checkpointed values: {self._missing}"
            )
        return self

    def assert_nontrivial_match(self) -> NameBasedSaverStatus:
        """Raise AssertionError if nothing was matched."""
        if not self._restored:
            raise AssertionError("Nothing in the checkpoint matched a variable of the program.")
        return self

    def expect_partial(self) -> NameBasedSaverStatus:
        """Do nothing."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Give the variables of a graph their values in a session."""
        if not is_eager():
            for variable, value in self._restored:
                variable.load(value, _session(session))

    def initialize_or_restore(self, session: Any = None) -> None:
        """Do what `run_restore_ops` does."""
        self.run_restore_ops(session)


def _session(session: Any) -> Any:
    found = session or get_default_session() or provided_session()
    if found is None:
        raise ValueError("No session: pass one, or use the status inside `with tf.Session():`")
    return found


def _initialize(root: Any, extra: dict[str, Any], done: set[int], session: Session) -> None:
    ops = [
        obj.initializer
        for obj in ObjectGraph(root, extra).objects
        if id(obj) not in done and getattr(obj, "initializer", None) is not None
    ]
    if ops:
        session.run(ops)


for _kind in (CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus):
    _kind.__module__ = "tensorflow.python.checkpoint.checkpoint"
