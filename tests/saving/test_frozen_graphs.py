"""GraphDefs without the nodes that only training needs, and GraphDefs compared."""

from typing import Any

import pytest

from placewise import messages
from placewise.saving.frozen_graphs import (
    extract_sub_graph,
    graph_defs_equal,
    remove_training_nodes,
)


def _graph(*nodes: tuple[str, str, list[str]]) -> Any:
    made = messages.GraphDef()
    for op, name, inputs in nodes:
        made.node.add(op=op, name=name, input=inputs)
    return made


def _nodes(graph_def: Any) -> list[tuple[str, list[str]]]:
    return [(node.name, list(node.input)) for node in graph_def.node]


def test_a_check_goes_with_the_control_edge_to_it() -> None:
    graph_def = _graph(
        ("A", "a", []),
        ("CheckNumerics", "check", ["a"]),
        ("Identity", "i", ["a", "^check"]),
        ("B", "b", ["i"]),
    )
    assert _nodes(remove_training_nodes(graph_def)) == [("a", []), ("b", ["a"])]


def test_stopped_gradients_are_passed_over() -> None:
    graph_def = _graph(("A", "a", []), ("StopGradient", "s", ["a:1"]), ("B", "b", ["s"]))
    assert _nodes(remove_training_nodes(graph_def)) == [("a", []), ("b", ["a:1"])]


def test_an_identity_that_others_wait_for_stays() -> None:
    graph_def = _graph(("A", "a", []), ("Identity", "i", ["a"]), ("B", "b", ["a", "^i"]))
    assert _nodes(remove_training_nodes(graph_def)) == _nodes(graph_def)


def test_an_identity_that_a_node_is_colocated_with_stays() -> None:
    graph_def = _graph(("A", "a", []), ("Identity", "i", ["a"]), ("B", "b", ["i"]))
    graph_def.node[2].attr["_class"].list.s.append(b"loc:@i")
    assert _nodes(remove_training_nodes(graph_def)) == _nodes(graph_def)


def test_what_the_graph_does_not_say_is_not_added() -> None:
    made = remove_training_nodes(_graph(("A", "a", [])))
    assert not made.HasField("library")
    assert not made.HasField("versions")


def test_the_order_of_nodes_does_not_matter() -> None:
    nodes = [("A", "a", []), ("B", "b", ["a"])]
    assert graph_defs_equal(_graph(*nodes), _graph(*reversed(nodes)))
    assert not graph_defs_equal(_graph(*nodes), _graph(("A", "a", []), ("B", "b", ["c"])))


def test_nan_is_equal_only_if_asked_for() -> None:
    graph_def = _graph(("Const", "c", []))
    graph_def.node[0].attr["value"].tensor.float_val.append(float("nan"))
    assert not graph_defs_equal(graph_def, graph_def)
    assert graph_defs_equal(graph_def, graph_def, treat_nan_as_equal=True)


def test_one_name_is_no_list_of_nodes() -> None:
    with pytest.raises(TypeError, match="dest_nodes must be an iterable of strings"):
        extract_sub_graph(_graph(("A", "a", [])), "a")
