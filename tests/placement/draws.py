"""Random GraphDefs for the placer: state, queues, tables, datasets, groups and partial requests.

`draw(number)` is the same graph each time. `compare_draws.py` has TensorFlow place them as well.
"""

from __future__ import annotations

import random
from typing import Any

import placewise.compat.v1 as tf

DEVICES = ["/cpu:0", "/cpu:1", "/device:CPU:2", "/device:CPU:3", "/job:localhost", "/task:0"]
DEVICES += ["/device:CPU:*", "/job:localhost/replica:0/task:0/device:CPU:1", "/replica:0/cpu:2"]
MISSING = ["/device:CPU:7", "/device:GPU:0", "/device:GPU:*", "/job:foo", "/task:5/cpu:0", "/gpu:1"]
MISSING += ["/replica:1", "/device:TPU:*", "/device:TPU:0", "/device:cpu:0", "/job:foo/cpu:1"]
MALFORMED = ["/device:CPU:-1", "//cpu:0", "CPU:0", "/Cpu:0", "/task:x", "nonsense", "/cpu"]

F, INT, L, S, B = "float32", "int32", "int64", "string", "bool"
TYPES = {name: tf.as_dtype(name).as_datatype_enum for name in (F, INT, L, S, B)}

# op → (what it takes, what it makes, its attributes). A value's label is its dtype or, for a
# handle, what it is a handle of. "T" stands for F or INT, one of them in each node.
OPS: dict[str, tuple[list[str], list[str], dict[str, Any]]] = {
    "Const": ([], ["T"], {"dtype": "T"}),
    "Placeholder": ([], ["T"], {"dtype": "T"}),
    "RandomUniform": (["vector int32"], [F], {"T": INT, "dtype": F}),
    "Identity": (["T"], ["T"], {"T": "T"}),
    "Neg": (["T"], ["T"], {"T": "T"}),
    "AddV2": (["T", "T"], ["T"], {"T": "T"}),
    "AddN": (["T", "T"], ["T"], {"T": "T", "N": 2}),
    "Shape": (["T"], [INT], {"T": "T"}),
    "Size": (["T"], [INT], {"T": "T"}),
    "Rank": (["T"], [INT], {"T": "T"}),
    "ShapeN": (["T", "T"], [INT, INT], {"T": "T", "N": 2}),
    "NoOp": ([], [], {}),
    "ControlTrigger": ([], [], {}),
    "Assert": ([B, F], [], {"T": [F]}),
    "Print": ([F, F], [F], {"T": F, "U": [F]}),
    "AsString": ([F], [S], {"T": F}),
    "StringJoin": ([S, S], [S], {"N": 2}),
    "Less": ([F, F], [B], {"T": F}),
    # Variables behind handles.
    "VarHandleOp": ([], ["variable"], {"dtype": F, "shape": ()}),
    "ReadVariableOp": (["variable"], [F], {"dtype": F}),
    "AssignVariableOp": (["variable", F], [], {"dtype": F}),
    "AssignAddVariableOp": (["variable", F], [], {"dtype": F}),
    "VarIsInitializedOp": (["variable"], [B], {}),
    "DestroyResourceOp": (["variable"], [], {}),
    "ResourceApplyGradientDescent": (["variable", F, F], [], {"T": F}),
    "ResourceApplyMomentum": (["variable", "variable", F, F, F], [], {"T": F}),
    "ResourceGather": (["variable", "vector int32"], [F], {"dtype": F, "Tindices": INT}),
    "ResourceScatterAdd": (
        ["variable", "vector int32", "vector float32"],
        [],
        {"dtype": F, "Tindices": INT},
    ),
    "IdentityN": (["variable", F], ["variable", F], {"T": ["resource", F]}),
    # Reference variables.
    "VariableV2": ([], ["ref T"], {"dtype": "T", "shape": ()}),
    "Assign": (["ref T", "T"], ["ref T"], {"T": "T"}),
    "AssignAdd": (["ref T", "T"], ["ref T"], {"T": "T"}),
    "ScatterUpdate": (
        ["ref T", "vector int32", "vector T"],
        ["ref T"],
        {"T": "T", "Tindices": INT},
    ),
    "CountUpTo": (["ref int32"], [INT], {"T": INT, "limit": 3}),
    "IsVariableInitialized": (["ref T"], [B], {"dtype": "T"}),
    "ApplyMomentum": (["ref float32", "ref float32", F, F, F], ["ref float32"], {"T": F}),
    # Queues and barriers.
    "FIFOQueueV2": ([], ["queue"], {"component_types": [F]}),
    "RandomShuffleQueueV2": ([], ["queue"], {"component_types": [F]}),
    "PaddingFIFOQueueV2": ([], ["queue"], {"component_types": [F]}),
    "QueueEnqueueV2": (["queue", F], [], {"Tcomponents": [F]}),
    "QueueEnqueueManyV2": (["queue", "vector float32"], [], {"Tcomponents": [F]}),
    "QueueDequeueV2": (["queue"], [F], {"component_types": [F]}),
    "QueueDequeueManyV2": (["queue", INT], [F], {"component_types": [F]}),
    "QueueSizeV2": (["queue"], [INT], {}),
    "QueueCloseV2": (["queue"], [], {}),
    "Barrier": ([], ["ref barrier"], {"component_types": [F]}),
    "BarrierInsertMany": (
        ["ref barrier", "vector string", "vector float32"],
        [],
        {"T": F, "component_index": 0},
    ),
    "BarrierTakeMany": (["ref barrier", "count"], [L, S, F], {"component_types": [F]}),
    "BarrierReadySize": (["ref barrier"], [INT], {}),
    "BarrierIncompleteSize": (["ref barrier"], [INT], {}),
    "BarrierClose": (["ref barrier"], [], {}),
    # Accumulators, stacks, arrays.
    "ConditionalAccumulator": ([], ["ref accumulator"], {"dtype": F, "shape": ()}),
    "AccumulatorApplyGradient": (["ref accumulator", L, F], [], {"dtype": F}),
    "AccumulatorTakeGradient": (["ref accumulator", "count"], [F], {"dtype": F}),
    "AccumulatorNumAccumulated": (["ref accumulator"], [INT], {}),
    "StackV2": ([INT], ["stack"], {"elem_type": F}),
    "StackPushV2": (["stack", F], [F], {"T": F}),
    "StackPopV2": (["stack"], [F], {"elem_type": F}),
    "StackCloseV2": (["stack"], [], {}),
    "TensorArrayV3": ([INT], ["array", F], {"dtype": F}),
    "TensorArrayWriteV3": (["array", INT, F, F], [F], {"T": F}),
    "TensorArrayReadV3": (["array", INT, F], [F], {"dtype": F}),
    "TensorArraySizeV3": (["array", F], [INT], {}),
    "TensorArrayCloseV3": (["array"], [], {}),
    # Tables and readers.
    "HashTableV2": ([], ["table"], {"key_dtype": L, "value_dtype": F}),
    "MutableHashTableV2": ([], ["table"], {"key_dtype": L, "value_dtype": F}),
    "LookupTableFindV2": (["table", L, F], [F], {"Tin": L, "Tout": F}),
    "LookupTableSizeV2": (["table"], [L], {}),
    "LookupTableImportV2": (["table", "vector int64", "vector float32"], [], {"Tin": L, "Tout": F}),
    "InitializeTableV2": (["table", "vector int64", "vector float32"], [], {"Tkey": L, "Tval": F}),
    "WholeFileReaderV2": ([], ["reader"], {}),
    "ReaderReadV2": (["reader", "queue"], [S, S], {}),
    "ReaderNumRecordsProducedV2": (["reader"], [L], {}),
    # Datasets and iterators.
    "RangeDataset": ([L, L, L], ["dataset"], {"output_types": [L], "output_shapes": [()]}),
    "TensorDataset": ([F], ["dataset"], {"Toutput_types": [F], "output_shapes": [()]}),
    "TakeDataset": (["dataset", L], ["dataset"], {"output_types": [L], "output_shapes": [()]}),
    "RepeatDataset": (["dataset", L], ["dataset"], {"output_types": [L], "output_shapes": [()]}),
    "ConcatenateDataset": (
        ["dataset", "dataset"],
        ["dataset"],
        {"output_types": [L], "output_shapes": [()]},
    ),
    "ZipDataset": (
        ["dataset", "dataset"],
        ["dataset"],
        {"output_types": [L, L], "output_shapes": [(), ()], "N": 2},
    ),
    "BatchDatasetV2": (
        ["dataset", L, B],
        ["dataset"],
        {"output_types": [L], "output_shapes": [()]},
    ),
    "IteratorV2": (
        [],
        ["iterator"],
        {"shared_name": "", "container": "", "output_types": [L], "output_shapes": [()]},
    ),
    "MakeIterator": (["dataset", "iterator"], [], {}),
    "IteratorGetNext": (["iterator"], [L], {"output_types": [L], "output_shapes": [()]}),
    "IteratorToStringHandle": (["iterator"], [S], {}),
    # Lists and optionals.
    "EmptyTensorList": (["vector int32", INT], ["list"], {"element_dtype": F, "shape_type": INT}),
    "TensorListPushBack": (["list", F], ["list"], {"element_dtype": F}),
    "TensorListLength": (["list"], [INT], {}),
    "OptionalFromValue": ([F], ["optional"], {"Toutput_types": [F]}),
    "OptionalHasValue": (["optional"], [B], {}),
    "ScalarSummary": ([S, F], [S], {"T": F}),
    "RandomShuffle": ([F], [F], {"T": F}),
}
TOPICS = [
    ["VarHandleOp", "ReadVariableOp", "AssignVariableOp", "ResourceApplyMomentum", "IdentityN"],
    ["VariableV2", "Assign", "ApplyMomentum", "AssignAdd", "ScatterUpdate", "CountUpTo"],
    [name for name in OPS if "Queue" in name or "Barrier" in name],
    [name for name in OPS if "Table" in name or "Reader" in name],
    [name for name in OPS if "Dataset" in name or "Iterator" in name],
    [name for name in OPS if "Stack" in name or "Array" in name or "Accumulator" in name],
    ["TensorListPushBack", "OptionalHasValue"],
    ["Const", "Identity", "AddV2", "Shape", "Size", "Rank", "Neg", "StringJoin", "NoOp"],
]


class _Drawing:
    def __init__(self, rng: random.Random, used: set[str]) -> None:
        self.rng, self.used = rng, used
        self.graph_def = tf.GraphDef()
        self.made: dict[str, list[str]] = {}  # label → names of tensors
        self.mood = rng.choice([0.0, 0.1, 0.3, 0.6])  # how often a node asks for a device
        self.wrong = rng.choice([0.0, 0.0, 0.1, 0.4])  # how often that is not here
        self.grouped = rng.choice([0.0, 0.1, 0.3])
        self.waits = rng.choice([0.0, 0.1])

    def value(self, label: str, depth: int) -> str:
        """Return the name of a tensor with a label; make a node for it where there is none."""
        known = self.made.get(label, [])
        if known and self.rng.random() < 0.75:
            return self.rng.choice(known[-6:])
        makers = [
            name
            for name, (takes, makes, _) in OPS.items()
            if label in _spelled(makes) and (depth < 2 or not {label, "T"} & {*takes})
        ]
        simple = [name for name in makers if not OPS[name][0]]
        if label == "count":
            label = INT  # a scalar for sure
            return self.constant(label)
        if label.removeprefix("vector ") in (L, S, B, INT) or label.startswith("vector "):
            return self.constant(label)
        return self.node(self.rng.choice(simple or makers), depth + 1, label)

    def constant(self, label: str) -> str:
        """Return the name of a new constant of a dtype, a scalar or a vector."""
        dtype = label.removeprefix("vector ")
        node = self.graph_def.node.add(name=self.name(), op="Const", device=self.device())
        node.attr["dtype"].type = TYPES[dtype]
        value = {S: b"a", B: True}.get(dtype, 0)
        value = value if dtype == label else [value]
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.as_dtype(dtype)))
        self.made.setdefault(label, []).append(node.name)
        return node.name

    def node(self, op: str, depth: int = 0, label: str = "") -> str:
        """Add a node; return the name of its output with a label."""
        self.used.add(op)
        takes, makes, attrs = OPS[op]
        dtype = label.removeprefix("ref ") if label in _spelled(["T", "ref T"]) else F
        if not label and self.rng.random() < 0.3:
            dtype = INT
        inputs = [self.value(_own(item, dtype), depth) for item in takes]
        if op == "Const":
            return self.constant(dtype)
        name = self.name()
        if self.rng.random() < self.waits and self.graph_def.node:
            inputs.append("^" + self.rng.choice(self.graph_def.node[-5:]).name)
        groups = []
        while self.rng.random() < self.grouped and self.graph_def.node:
            groups.append(self.rng.choice(self.graph_def.node).name)
        node = self.graph_def.node.add(name=name, op=op, input=inputs, device=self.device())
        if groups:
            node.attr["_class"].list.s.extend(sorted({f"loc:@{g}".encode() for g in groups}))
        for key, value in attrs.items():
            _set(node.attr[key], _own(value, dtype) if isinstance(value, str) else value)
        for index, item in enumerate(makes):
            own = name if index == 0 else f"{name}:{index}"
            self.made.setdefault(_own(item, dtype), []).append(own)
        place = [_own(item, dtype) for item in makes].index(label) if label else 0
        return name if place == 0 else f"{name}:{place}"

    def name(self) -> str:
        """Return a name that is free; their order as text is not that of the nodes."""
        return f"{self.rng.choice('abcxyz')}{len(self.graph_def.node)}"

    def device(self) -> str:
        """Return what a node asks for."""
        rng = self.rng
        if rng.random() >= self.mood:
            return ""
        if rng.random() < self.wrong:
            return rng.choice(MALFORMED if rng.random() < 0.03 else MISSING)
        return rng.choice(DEVICES)


def draw(number: int) -> tuple[Any, bool]:
    """Return the n-th GraphDef, and whether it is placed softly."""
    rng = random.Random(f"placement {number}")
    drawing = _Drawing(rng, set())
    topic = [*rng.choice(TOPICS), *rng.choice(TOPICS)]
    for _ in range(rng.choice([2, 4, 8, 12])):
        drawing.node(rng.choice(topic if rng.random() < 0.7 else list(OPS)))
    return drawing.graph_def, rng.random() < 0.5


def _own(label: str, dtype: str) -> str:
    return {"T": dtype, "ref T": f"ref {dtype}", "vector T": f"vector {dtype}"}.get(label, label)


def _spelled(labels: list[str]) -> list[str]:
    """Return labels with those that stand for several dtypes written out."""
    return [_own(label, dtype) for label in labels for dtype in (F, INT)]


def _set(attr: Any, value: Any) -> None:
    """Write an attribute; a name of a dtype is that dtype."""
    numbers = {**TYPES, "resource": tf.resource.as_datatype_enum}
    if isinstance(value, list) and value and value[0] in numbers:
        attr.list.type.extend(numbers[item] for item in value)
    elif isinstance(value, list):
        for _ in value:
            attr.list.shape.add().unknown_rank = True
    elif isinstance(value, tuple):
        attr.shape.unknown_rank = True
    elif isinstance(value, int):
        attr.i = value
    elif value in numbers:
        attr.type = numbers[value]
    else:
        attr.s = value.encode()
