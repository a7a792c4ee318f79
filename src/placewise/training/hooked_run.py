"""One run of a session with hooks around it: what all ask for is fetched and fed at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core.tensor import Tensor
from placewise.training.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)

if TYPE_CHECKING:
    from placewise.session.session import Session


def run_with_hooks(
    session: Session,
    hooks: list[Any],
    fetches: Any,
    feed_dict: Tensor | None,
    options: Any,
    run_metadata: Any,
) -> tuple[Any, bool]:
    """Return the caller's values, and whether a hook asked for a stop."""
    options = messages.RunOptions() if options is None else options
    asked: list[Any] = [fetches]
    places: dict[int, int] = {}
    context = SessionRunContext(SessionRunArgs(fetches, feed_dict), session)
    feeds = dict(feed_dict) if feed_dict else {}
    fed_by_hooks: dict[Any, Any] = {}
    merged = messages.RunOptions()
    merged.CopyFrom(options)
    for number, hook in enumerate(hooks):
        wanted = hook.before_run(context)
        if wanted is None:
            continue
        if wanted.fetches is not None:
            places[number] = len(asked)
            asked.append(wanted.fetches)
        if wanted.feed_dict:
            _check_conflicts(wanted.feed_dict, feeds, fed_by_hooks)
            fed_by_hooks.update(wanted.feed_dict)
        if wanted.options is not None:
            _merge(merged, wanted.options)
    feeds.update(fed_by_hooks)
    told = messages.RunMetadata() if run_metadata is None else run_metadata
    values = session.run(asked, feed_dict=feeds or None, options=merged, run_metadata=told)
    for number, hook in enumerate(hooks):
        results = values[places[number]] if number in places else None
        hook.after_run(context, SessionRunValues(results, merged, told))
    return values[0], context.stop_requested


class HookedSession:
    """A session whose every `run` goes through hooks; libraries wrap sessions of theirs in it."""

    def __init__(self, sess: Any, hooks: list[Any]) -> None:
        self._sess, self._hooks = sess, hooks
        self._stops = False

    @property
    def graph(self) -> Any:
        """The graph of the session."""
        return self._sess.graph

    def should_stop(self) -> bool:
        """Return True once a hook, or the session inside, asks for a stop."""
        inside = getattr(self._sess, "should_stop", None)
        return self._stops or self._sess is None or bool(inside is not None and inside())

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Compute `fetches`, with what the hooks ask for."""
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        values, self._stops = run_with_hooks(
            self._sess, self._hooks, fetches, feed_dict, options, run_metadata
        )
        return values

    def close(self) -> None:
        """Close the session inside."""
        if self._sess is not None:
            self._sess.close()
            self._sess = None


def _check_conflicts(fed: Tensor, feeds: dict[Any, Any], fed_by_hooks: dict[Any, Any]) -> None:
    both = [key for key in fed if any(key is other for other in feeds)]
    if both:
        raise RuntimeError(f"Same tensor is fed by a SessionRunHook and user. Conflict(s): {both}")
    both = [key for key in fed if any(key is other for other in fed_by_hooks)]
    if both:
        raise RuntimeError(f"Same tensor is fed by two hooks. Conflict(s): {both}")


def _merge(merged: Any, options: Any) -> None:
    """Let a run be traced as finely, and wait as long, as anyone asks."""
    for name in (
        "trace_level",
        "timeout_in_ms",
        "inter_op_thread_pool",
        "output_partition_graphs",
    ):
        setattr(merged, name, max(getattr(merged, name), getattr(options, name)))
    if options.report_tensor_allocations_upon_oom:
        merged.report_tensor_allocations_upon_oom = True
    watches = options.debug_options.debug_tensor_watch_opts
    merged.debug_options.debug_tensor_watch_opts.extend(watches)
