"""Rules about settings that come too late: after the first operation has started the devices.

The program's own statements are followed from top to bottom, with the bodies of `with`, and its
functions where they are called. In a branch, a loop or a `try` a setting is looked at, and an
operation is not: whether it runs is not known here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from placewise.check.finding import Finding
from placewise.check.program.facts import ProgramFacts
from placewise.check.program.scan import Scan

_DEVICE_SETTINGS = (
    "config.set_visible_devices",
    "config.experimental.set_visible_devices",
    "config.experimental.set_memory_growth",
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
)
_THREAD_SETTINGS = (
    "config.threading.set_intra_op_parallelism_threads",
    "config.threading.set_inter_op_parallelism_threads",
)
# Calls that run an operation at once in TensorFlow 2: of numbers that are given, and of floats
# unless another dtype is.
_OF_GIVEN = frozenset(
    [
        "constant",
        "Variable",
        "fill",
        "convert_to_tensor",
        "linspace",
        "add",
        "multiply",
        "matmul",
        "reduce_sum",
    ]
)
_OF_FLOATS = frozenset(
    ["zeros", "ones", "eye", "random.normal", "random.uniform", "random.truncated_normal"]
)
_SESSIONS = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "compat.v1.")
    for name in ("Session", "InteractiveSession", "train.MonitoredTrainingSession")
)
_ORDER_VARIABLES = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "TF_FORCE_GPU_ALLOW_GROWTH")
_DEPTH = 3


class Start(NamedTuple):
    """What starts the devices: its name, its line, and whether its result is on a GPU."""

    name: str
    line: int
    is_on_gpu: bool


class Step(NamedTuple):
    """An import, call or assignment, in the order of running, and whether it certainly runs."""

    node: ast.AST
    is_certain: bool


def late_settings(facts: ProgramFacts) -> Iterator[Finding]:
    """A setting of devices after something started them."""
    if (scan := facts.main) is None:
        return
    start: Start | None = None
    imported: int | None = None
    for node, is_certain in _steps(scan):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported = imported or (node.lineno if _imports_tensorflow(node) else None)
        elif isinstance(node, ast.Call):
            name = (scan.path_of(node.func) or "").removeprefix("compat.v2.")
            if is_certain and (start is None or not start.is_on_gpu):
                start = _started_by(name, node, scan, facts) or start
            name = name.removeprefix("compat.v1.")
            if start and _is_late(name, start):
                yield _late(f"tf.{name}", start, node, scan, facts)
        elif isinstance(node, ast.Assign) and (variable := _environment_name(node.targets[0])):
            if start and variable in _ORDER_VARIABLES:
                yield _late_variable(variable, start, node.lineno, scan)
            elif imported and variable == "CUDA_VISIBLE_DEVICES":
                yield _after_import(variable, imported, node.lineno, scan)


def _is_late(name: str, start: Start) -> bool:
    """Return whether a setting is refused: placewise allows it while nothing is on the device."""
    return name in _THREAD_SETTINGS or (name in _DEVICE_SETTINGS and start.is_on_gpu)


class _Walk:
    """Walks through a program as it runs; each function is entered where it is called."""

    def __init__(self, scan: Scan) -> None:
        self.functions = {
            node.name: node for node in scan.source.tree.body if isinstance(node, ast.FunctionDef)
        }

    def body(self, body: list[ast.stmt], is_certain: bool, depth: int = 0) -> Iterator[Step]:
        for statement in body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                continue
            if isinstance(statement, ast.Return | ast.Raise):
                return
            yield from self.statement(statement, is_certain, depth)

    def statement(self, statement: ast.stmt, is_certain: bool, depth: int) -> Iterator[Step]:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield Step(statement, is_certain)
        elif isinstance(statement, ast.With):
            for item in statement.items:
                yield from self.calls(item.context_expr, is_certain, depth)
            yield from self.body(statement.body, is_certain, depth)
        elif isinstance(statement, ast.If) and _is_main_test(statement.test):
            yield from self.body(statement.body, is_certain, depth)
        elif isinstance(statement, ast.If | ast.For | ast.While | ast.Try):
            yield from self.body(statement.body, False, depth)
            yield from self.body(statement.orelse, False, depth)
        elif isinstance(statement, ast.Assign | ast.Expr | ast.AnnAssign | ast.AugAssign):
            if statement.value is not None:
                yield from self.calls(statement.value, is_certain, depth)
            yield Step(statement, is_certain)

    def calls(self, node: ast.expr, is_certain: bool, depth: int) -> Iterator[Step]:
        """Yield the calls in an expression, inner ones first, as Python makes them."""
        if isinstance(node, ast.Lambda | ast.IfExp | ast.BoolOp | ast.ListComp | ast.GeneratorExp):
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self.calls(child, is_certain, depth)
            elif isinstance(child, ast.keyword):
                yield from self.calls(child.value, is_certain, depth)
        if isinstance(node, ast.Call):
            yield Step(node, is_certain)
            function = self.functions.get(getattr(node.func, "id", ""))
            if function and depth < _DEPTH and not function.decorator_list:
                yield from self.body(function.body, is_certain, depth + 1)


def _steps(scan: Scan) -> Iterator[Step]:
    return _Walk(scan).body(scan.source.tree.body, is_certain=True)


def _is_main_test(test: ast.expr) -> bool:
    return "__name__" in ast.unparse(test) and "__main__" in ast.unparse(test)


def _started_by(name: str, call: ast.Call, scan: Scan, facts: ProgramFacts) -> Start | None:
    """Return what a call starts; None if it starts nothing, or nothing keeps its result."""
    if name in _SESSIONS:
        return Start(f"tf.{name}", call.lineno, is_on_gpu=False)
    if facts.is_tf1 or name not in _OF_GIVEN | _OF_FLOATS:
        return None
    around = [outer for outer, _ in scan.source.around(call)]
    scopes = " ".join(
        ast.unparse(item.context_expr).lower()
        for outer in around
        if isinstance(outer, ast.With)
        for item in outer.items
    )
    in_graph = facts.uses_any("disable_eager_execution", "disable_v2_behavior")
    if in_graph or "graph" in scopes or "cpu" in scopes:
        return None
    # A value that nothing keeps is gone at once, and settings may change then.
    if not any(isinstance(outer, ast.Assign) for outer in around):
        return None
    return Start(f"tf.{name}", call.lineno, _is_of_floats(name, call))


def _is_of_floats(name: str, call: ast.Call) -> bool:
    """Return whether the result holds floats: small integers are kept on the host."""
    text = ast.unparse(call)
    if "int" in text.rpartition("dtype")[2] or "bool" in text:
        return False
    return name in _OF_FLOATS or any(
        isinstance(node, ast.Constant) and isinstance(node.value, float) for node in ast.walk(call)
    )


def _imports_tensorflow(node: ast.Import | ast.ImportFrom) -> bool:
    names = [item.name for item in node.names] if isinstance(node, ast.Import) else [node.module]
    return any((name or "").partition(".")[0] in ("tensorflow", "torch", "keras") for name in names)


def _environment_name(target: ast.expr) -> str:
    """Return the variable of `os.environ["NAME"]`."""
    if isinstance(target, ast.Subscript) and ast.unparse(target.value) in ("os.environ", "environ"):
        key = target.slice
        return str(key.value) if isinstance(key, ast.Constant) else ""
    return ""


def _late(name: str, start: Start, call: ast.Call, scan: Scan, facts: ProgramFacts) -> Finding:
    first = scan.source.where(start.line)
    # Without GPUs there is nothing to change, and the call does nothing.
    matters = facts.devices.gpus > 0 or "threading" in name
    is_caught = any(
        isinstance(outer, ast.Try) and inner in outer.body
        for outer, inner in scan.source.around(call)
    )
    return Finding(
        "late-setting",
        "error" if matters and not is_caught else "note",
        f"{name} comes after {start.name} ({first}), which starts the devices.",
        "It raises a RuntimeError"
        + ("" if matters else " on a machine with GPUs")
        + (", which the program catches, and has no effect" if is_caught else "")
        + ": settings of devices must come before the first operation.",
        f"move it above {first}",
        scan.source.where(call.lineno),
    )


def _late_variable(name: str, start: Start, line: int, scan: Scan) -> Finding:
    first = scan.source.where(start.line)
    return Finding(
        "late-variable",
        "error",
        f"{name} is set after {start.name} ({first}), which starts the devices.",
        "It is read once, when the devices start. This has no effect, without a word.",
        "move it above the import of tensorflow",
        scan.source.where(line),
    )


def _after_import(name: str, imported: int, line: int, scan: Scan) -> Finding:
    return Finding(
        "variable-after-import",
        "note",
        f"{name} is set after the import of tensorflow or torch.",
        "placewise reads it at the first operation, so it holds; other libraries read it when they "
        "are imported.",
        f"move it above {scan.source.where(imported)}",
        scan.source.where(line),
    )


RULES = (late_settings,)
