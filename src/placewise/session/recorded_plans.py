"""Programs of a plan that report what they do, for traces, records and guards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.eager import observe
from placewise.planning.emission.program import Program
from placewise.planning.emission.source import compile_plan
from placewise.planning.errors import prepared, with_node_errors
from placewise.planning.plan import Plan
from placewise.planning.run_record import Facts, Run


class Variants:
    """The programs of a plan that report to a trace or a record, compiled when first needed.

    The plain program reports nothing, so that runs nobody watches cost nothing more.
    """

    __slots__ = ("_facts", "_handles", "_plan", "_programs", "_stream_of", "_tells_session")

    def __init__(
        self, plan: Plan, handles: dict[Any, Any], stream_of: Any, is_session: bool
    ) -> None:
        self._plan, self._handles, self._stream_of = plan, handles, stream_of
        self._tells_session = is_session
        self._facts: Facts | None = None
        self._programs: dict[tuple[bool, bool], Callable[[list[Any]], Any]] = {}

    def begin(self, decisions: dict[Any, Any]) -> Run | None:
        """Return the record of a run that is about to begin, None if nobody needs one.

        Raises for what a guard forbids and the plan is sure to do: nothing has changed by then.
        """
        if not observe.looks_at_places():
            return None
        if self._facts is None:
            self._facts = Facts(self._plan, decisions, self._tells_session)
        self._facts.check()
        if observe.is_recording() or (
            observe.guards_copies() and self._facts.has_conditional_copies
        ):
            return Run(self._facts)
        return None

    def program(self, like: Program, traced: bool, recorded: bool) -> Callable[[list[Any]], Any]:
        """Return a function that runs the plan; it takes a trace and a record first, if asked."""
        run = self._programs.get((traced, recorded))
        if run is None:
            facts = self._facts if recorded else None
            program = prepared(
                lambda: compile_plan(
                    self._plan, self._handles, self._stream_of, traced, facts, like
                )
            )
            run = self._programs[traced, recorded] = with_node_errors(program.call, program)
        return run

    def close(self) -> None:
        """Drop the programs."""
        self._programs.clear()
