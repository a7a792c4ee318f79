"""Functions of graphs that are used against the direction of imports: `lazy.create_op(...)`."""

from placewise.core.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "": "control_flow_api partitioned tf1_nodes",
        "create_op": "create_op",
        "op_def": "op_def",
        "frames": "add_structured",
        "graph_def": "to_graph_def to_node_def versions",
        "partitioned": "partitions_of",
        "recorder": "Recorder",
        "variable_scope": "resource_variables_enabled resources_in_force",
        "variables": "RefVariable ResourceVariable",
    },
)
