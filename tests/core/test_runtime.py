"""What changes while a process runs is in the runtime, and a fresh one begins as a process does."""

import ast
import threading
from dataclasses import dataclass, field
from pathlib import Path

import placewise as tf
from placewise.core.runtime import Runtime, State
from placewise.core.scope import current, era

SOURCES = Path(tf.__file__).parent

# Registries are filled by declarations while modules are imported; caches answer as their function
# would. Neither says anything about what a program did.
REGISTRIES = {
    "lite/lowering/table.py": {"LOWERINGS"},
    "autodiff/registered.py": {"_REGISTERED"},
    "contrib/framework/arg_scopes.py": {"_taken"},
    "core/dtypes.py": {"_BY_ENUM", "_BY_NAME"},
    "core/dispatchers.py": {"_GLOBAL"},
    "core/keras_hooks.py": {"_registered"},
    "distributions/kullback_leibler.py": {"_DIVERGENCES"},
    "functions/autograph/loops.py": {"_registered"},
    "functions/vectorization/calls.py": {"RULES"},
    "memory/ledgers.py": {"_caches"},
    "memory/resident.py": {"_listings"},
    "ops/declare.py": {"REGISTRY"},
    "ops/extension_type.py": {"_plain_constructors"},
    "ops/spec_registry.py": {"_named", "_names"},
    "ops/specs.py": {"_VALUES"},
    "saving/collection_defs.py": {"_registered"},
    "saving/revived_types.py": {"_registered"},
    "saving/session_providers.py": {"_providers"},
    "tensorflow/export_names.py": {"_symbols"},
}
CACHES = {
    "cluster/small_tensors.py": {"_heads"},
    "core/nest.py": {"_KINDS"},
    "devices/origin.py": {"_kinds", "_lines"},
    "functions/autograph/calls.py": {"_decided", "_plain_classes"},
    "functions/autograph/conversion.py": {"_converted", "_made"},
    "functions/autograph/loops.py": {"_runners"},
    "functions/autograph/sources.py": {"_files"},
    "ops/state/update_rules.py": {"_rests"},
}
# Set for the time of a block, in one thread.
OF_A_BLOCK = {
    "distribute/coordinator/datasets.py": {"_index"},
    "tensorflow/deprecation.py": {"_logger"},
}
# The eager interpreter, put in place of its proxy when it is first used.
LOADED_ONCE = {"core/scope.py": {"Scope"}}
KNOWN = (REGISTRIES, CACHES, OF_A_BLOCK, LOADED_ONCE)

CHANGES = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem"),
    *("popleft", "remove", "setdefault", "update"),
}


@dataclass(slots=True)
class Counts(State):
    count: int = 0
    seen: list[int] = field(default_factory=list)


class Local(State, threading.local):
    depth: int = 0


def test_one_object_of_each_kind() -> None:
    runtime = Runtime()
    assert runtime.state(Counts) is runtime.state(Counts)
    assert runtime.kinds() == [Counts]


def test_a_fresh_runtime_begins_with_defaults_and_ends_with_what_was_before() -> None:
    runtime = Runtime()
    counts = runtime.state(Counts)
    counts.count, seen = 3, counts.seen
    seen.append(1)
    with runtime.fresh():
        assert (counts.count, counts.seen) == (0, [])
        counts.count = 9
    assert counts.count == 3
    assert counts.seen is seen


def test_what_first_comes_in_a_fresh_runtime_begins_anew_after_it() -> None:
    runtime = Runtime()
    with runtime.fresh():
        counts = runtime.state(Counts)
        counts.count = 9
    assert runtime.state(Counts) is counts
    assert counts.count == 0


def test_lasting_state_stays() -> None:
    runtime = Runtime()
    counts = runtime.state(Counts, lasting=True)
    counts.count = 3
    with runtime.fresh():
        assert counts.count == 3


def test_of_state_of_threads_only_this_one_begins_anew() -> None:
    runtime = Runtime()
    local = runtime.state(Local)
    depths = []
    entered, left = threading.Event(), threading.Event()

    def other() -> None:
        local.depth = 2
        entered.wait(10)
        depths.append(local.depth)
        left.set()

    thread = threading.Thread(target=other)
    thread.start()
    local.depth = 1
    with runtime.fresh():
        entered.set()
        left.wait(10)
        depths.append(local.depth)
    thread.join()
    assert [*depths, local.depth] == [2, 0, 1]


def test_a_test_is_an_eager_program_of_tensorflow_2() -> None:
    assert (era.base, era.is_tf1, current.request, current.tapes) == (None, False, "", ())


def test_no_other_value_of_a_module_changes() -> None:
    changing = {}
    for path in sorted(SOURCES.rglob("*.py")):
        name = path.relative_to(SOURCES).as_posix()
        allowed = set().union(*(known.get(name, ()) for known in KNOWN))
        if found := changed_names(ast.parse(path.read_text())) - allowed:
            changing[name] = found
    assert changing == {}


def changed_names(module: ast.Module) -> set[str]:
    """Return the names of a module that its functions rebind or change, but for states."""
    values = {}
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            values |= {target.id: node.value for target in targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ClassDef):
            values[node.name] = node
    names = {name for name, value in values.items() if not is_state(value)}
    functions = [n for n in ast.walk(module) if isinstance(n, ast.FunctionDef | ast.Lambda)]
    return {name for function in functions for name in changed_in(function, names)}


def is_state(value: ast.AST) -> bool:
    return ast.unparse(value).startswith("runtime.state(")


def changed_in(function: ast.FunctionDef | ast.Lambda, names: set[str]) -> set[str]:
    nodes = list(ast.walk(function))
    rebound = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    local = {n.arg for n in nodes if isinstance(n, ast.arg)} | {
        n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    changed = set()
    for node in nodes:
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            changed.add(ast.unparse(node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in CHANGES:
                changed.add(ast.unparse(node.func.value))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "next" and node.args:
            changed.add(ast.unparse(node.args[0]))
    return names & ((changed - local) | rebound)
