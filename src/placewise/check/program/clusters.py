"""Rules about clusters that a program describes itself: TF_CONFIG and ClusterSpec."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from placewise.check.cluster_config import judge_config, judge_values
from placewise.check.finding import Finding
from placewise.check.program.facts import ProgramFacts


def written_config(facts: ProgramFacts) -> Iterator[Finding]:
    """A program sets TF_CONFIG itself, with a mistake in it."""
    for scan in facts.scans:
        for node in scan.source.nodes:
            if not isinstance(node, ast.Assign) or "TF_CONFIG" not in ast.unparse(node.targets[0]):
                continue
            where = scan.source.where(node.lineno)
            value = node.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
                yield from judge_config(value.value, where=where)
            elif isinstance(value, ast.Call) and ast.unparse(value.func).endswith("dumps"):
                config = _literal(value.args[0]) if value.args else None
                if config is not None:
                    yield from judge_values(config, where=where)


def written_spec(facts: ProgramFacts) -> Iterator[Finding]:
    """A ClusterSpec gives one address to two tasks."""
    for scan in facts.scans:
        for path, call in scan.calls():
            if not path.endswith("train.ClusterSpec") or not call.args:
                continue
            jobs = _literal(call.args[0])
            if not isinstance(jobs, dict):
                continue
            addresses = [
                str(address)
                for tasks in jobs.values()
                for address in (tasks.values() if isinstance(tasks, dict) else tasks)
            ]
            twice = [address for address, count in Counter(addresses).items() if count > 1]
            if twice:
                yield Finding(
                    "cluster-duplicate",
                    "error",
                    f"ClusterSpec gives the address {twice[0]!r} to {addresses.count(twice[0])} "
                    "tasks.",
                    "The second server cannot use the port of the first.",
                    "give every task an address of its own: another host or another port",
                    scan.source.where(call.lineno),
                )


def _literal(node: ast.expr) -> Any:
    """Return a value that is written out; None if a part of it is computed."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


RULES = (written_config, written_spec)
