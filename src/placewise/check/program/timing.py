"""Rules about settings that come too late: after the first operation has started the devices.

Only what certainly runs is followed: the program's own statements from top to bottom, with the
bodies of `with`, and functions of the program where they are called. Branches and loops are passed
over: whether they run is not known here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.program.facts import ProgramFacts
from placewise.check.program.scan import Scan

_SETTINGS = (
    "config.set_visible_devices",
    "config.experimental.set_visible_devices",
    "config.experimental.set_memory_growth",
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
    "config.threading.set_intra_op_parallelism_threads",
    "config.threading.set_inter_op_parallelism_threads",
)
# Calls that run an operation at once in TensorFlow 2, or make a session in TensorFlow 1.
_OPERATIONS = frozenset(
    [
        "constant",
        "Variable",
        "zeros",
        "ones",
        "eye",
        "fill",
        "range",
        "linspace",
        "matmul",
        "add",
        "multiply",
        "reduce_sum",
        "reduce_mean",
        "convert_to_tensor",
        "random.normal",
        "random.uniform",
        "random.truncated_normal",
        "zeros_like",
        "ones_like",
        "cast",
        "concat",
        "stack",
        "reshape",
        "linalg.matmul",
        "math.reduce_sum",
        "math.add",
        "one_hot",
    ]
)
_SESSIONS = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "compat.v1.")
    for name in ("Session", "InteractiveSession", "train.MonitoredTrainingSession")
)
_STARTERS = frozenset(["config.list_logical_devices", "config.experimental.list_logical_devices"])
_ORDER_VARIABLES = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "TF_FORCE_GPU_ALLOW_GROWTH")
_DEPTH = 3


def late_settings(facts: ProgramFacts) -> Iterator[Finding]:
    """A setting of devices after something started them."""
    if (scan := facts.main) is None:
        return
    started: tuple[str, int] | None = None
    imported: int | None = None
    for node in _certain(scan):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported = imported or (node.lineno if _imports_tensorflow(node) else None)
        elif isinstance(node, ast.Call):
            path = (scan.path_of(node.func) or "").removeprefix("compat.v2.")
            name = path.removeprefix("compat.v1.")
            if started is None and _starts(path, node, scan, facts):
                started = f"tf.{path}", node.lineno
            elif started and name in _SETTINGS:
                yield _late(f"tf.{name}", started, node.lineno, scan)
        elif isinstance(node, ast.Assign) and (variable := _environment_name(node.targets[0])):
            if started and variable in _ORDER_VARIABLES:
                yield _late_variable(variable, started, node.lineno, scan)
            elif imported and variable == "CUDA_VISIBLE_DEVICES":
                yield _after_import(variable, imported, node.lineno, scan)


def _certain(scan: Scan) -> Iterator[ast.AST]:
    """Yield imports, calls and assignments that certainly run, in the order they run in."""
    functions = {
        node.name: node for node in scan.source.tree.body if isinstance(node, ast.FunctionDef)
    }
    yield from _walk(scan.source.tree.body, functions, 0)


def _walk(
    body: list[ast.stmt], functions: dict[str, ast.FunctionDef], depth: int
) -> Iterator[ast.AST]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            continue
        if isinstance(statement, ast.With):
            for item in statement.items:
                yield from _calls(item.context_expr, functions, depth)
            yield from _walk(statement.body, functions, depth)
        elif isinstance(statement, ast.If) and _is_main_test(statement.test):
            yield from _walk(statement.body, functions, depth)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
        elif isinstance(statement, ast.Assign | ast.Expr | ast.AnnAssign | ast.AugAssign):
            if statement.value is not None:
                yield from _calls(statement.value, functions, depth)
            if isinstance(statement, ast.Assign):
                yield statement
        elif isinstance(statement, ast.Return | ast.Raise):
            return


def _calls(node: ast.expr, functions: dict[str, ast.FunctionDef], depth: int) -> Iterator[ast.AST]:
    """Yield the calls in an expression, inner ones first, as Python makes them."""
    if isinstance(node, ast.Lambda | ast.IfExp | ast.BoolOp | ast.ListComp | ast.GeneratorExp):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _calls(child, functions, depth)
        elif isinstance(child, ast.keyword):
            yield from _calls(child.value, functions, depth)
    if isinstance(node, ast.Call):
        yield node
        name = getattr(node.func, "id", "")
        if name in functions and depth < _DEPTH and not functions[name].decorator_list:
            yield from _walk(functions[name].body, functions, depth + 1)


def _is_main_test(test: ast.expr) -> bool:
    return "__name__" in ast.unparse(test) and "__main__" in ast.unparse(test)


def _starts(path: str, call: ast.Call, scan: Scan, facts: ProgramFacts) -> bool:
    if path in _SESSIONS or path in _STARTERS:
        return True
    if facts.is_tf1 or path not in _OPERATIONS:
        return False
    around = [outer for outer, _ in scan.source.around(call)]
    if facts.uses_any("disable_eager_execution", "disable_v2_behavior") or any(
        isinstance(outer, ast.With) and "raph" in ast.unparse(outer.items[0].context_expr)
        for outer in around
    ):
        return False  # written into a graph
    # A value that nothing keeps is gone at once, and settings may change then.
    return any(isinstance(outer, ast.Assign) for outer in around)


def _imports_tensorflow(node: ast.Import | ast.ImportFrom) -> bool:
    names = [item.name for item in node.names] if isinstance(node, ast.Import) else [node.module]
    return any((name or "").partition(".")[0] in ("tensorflow", "torch", "keras") for name in names)


def _environment_name(target: ast.expr) -> str:
    """Return the variable of `os.environ["NAME"]`."""
    if isinstance(target, ast.Subscript) and ast.unparse(target.value) in ("os.environ", "environ"):
        key = target.slice
        return str(key.value) if isinstance(key, ast.Constant) else ""
    return ""


def _late(name: str, started: tuple[str, int], line: int, scan: Scan) -> Finding:
    first = scan.source.where(started[1])
    return Finding(
        "late-setting",
        "error",
        f"{name} comes after {started[0]} ({first}), which starts the devices.",
        "It raises a RuntimeError: settings of devices must come before the first operation.",
        f"move it above {first}",
        scan.source.where(line),
    )


def _late_variable(name: str, started: tuple[str, int], line: int, scan: Scan) -> Finding:
    first = scan.source.where(started[1])
    return Finding(
        "late-variable",
        "error",
        f"{name} is set after {started[0]} ({first}), which starts the devices.",
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
