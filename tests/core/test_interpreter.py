"""Every interpreter implements the whole contract, and a scope holds no undeclared fields."""

import threading
from collections.abc import Callable

import pytest

import placewise as tf
from placewise.core.interpreter import Deferred, Interpreter
from placewise.core.scope import Scope, _FirstGraphUse, _FirstUse, current
from placewise.functions.func_graph import FuncGraph, FunctionRecorder
from placewise.graph.graph import Graph
from placewise.graph.recorder import Recorder

CONTRACT = sorted(name for name in vars(Interpreter) if not name.startswith("_"))


def eager() -> Interpreter:
    tf.constant(1)
    return Scope.eager


INTERPRETERS: dict[str, Callable[[], Interpreter]] = {
    "eager": eager,
    "graph": lambda: Recorder(Graph()),
    "function": lambda: FunctionRecorder(FuncGraph("f")),
    "first eager use": _FirstUse,
}


@pytest.mark.parametrize("kind", INTERPRETERS)
def test_an_interpreter_implements_the_whole_contract(kind: str) -> None:
    interpreter = INTERPRETERS[kind]()
    assert [name for name in CONTRACT if not hasattr(interpreter, name)] == []


def test_only_graphs_have_a_graph() -> None:
    graph = Graph()
    assert eager().graph is None
    assert _FirstUse().graph is None
    assert Recorder(graph).graph is graph


def test_the_first_use_of_tensorflow_1_loads_the_default_graph(graph_mode: None) -> None:
    default = tf.compat.v1.get_default_graph()
    assert _FirstGraphUse().graph is default
    assert _FirstGraphUse().seeds(7) == (None, 7)


def test_a_proxy_forwards_every_method() -> None:
    methods = {name for name in CONTRACT if callable(getattr(Interpreter, name))}
    assert methods <= set(vars(Deferred))


def test_a_thread_that_began_before_the_first_op_groups_as_others_do() -> None:
    results = []

    def begin_early() -> None:
        current.interpreter = _FirstUse()
        results.append((tf.group(tf.constant(1)), tf.tuple([1.0])))

    thread = threading.Thread(target=begin_early)
    thread.start()
    thread.join()
    assert results == [(None, [1.0])]


def test_a_program_adds_no_fields_to_the_scope() -> None:
    declared = set(Scope().fields())
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        tf.Variable(1.0)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        session.run(tf.constant(1), options=tf.compat.v1.RunOptions(timeout_in_ms=1000))
    assert set(current.fields()) == declared
