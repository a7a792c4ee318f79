"""What is known of an op besides its rules: the facts that plans, graphs and placement rely on.

An op states a fact where it is declared (`@op(…, result="new")`); a family states it for all its
members. Every default claims nothing: an op that leaves a fact out is slower, or refused, never
wrong. `tests/ops/test_facts.py` checks the claims by running the ops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, get_args

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.ops.work import WorkRule

Result = Literal["any", "view", "reshaped", "input", "new", "whole"]
StaticValue = Literal["unknown", "shapes", "users"]
Effects = Literal["acts", "reads"]
Checkpoints = Literal["no", "saves", "restores"]
Placement = Literal["default", "with_input", "with_neighbours", "cpu_first", "ignores_handles"]
Growth = Literal["sizes", "product", "square"]
Numerics = Literal["all", "first", "none"]
ShapeAttr = Literal["checked", "lists_checked", "unchecked"]

WHOLE_NUMBERS = frozenset({dtypes.int32, dtypes.int64})
FLOAT_NUMBERS = frozenset({dtypes.float32, dtypes.float64})
SCALAR_NUMBERS = FLOAT_NUMBERS | WHOLE_NUMBERS
SCALARS = SCALAR_NUMBERS | {dtypes.bool}


class Scalar(NamedTuple):
    """The Python that an op is on NumPy scalars and small arrays.

    Only for ops that NumPy rounds as torch does. `expression` has a place `{}` for each input;
    `None` stands for the op's own kernel, on tensors made for that.
    """

    expression: str | None
    types: frozenset[DType]  # of the first input
    needs_nonzero_divisor: bool = False  # where NumPy warns and torch raises


# Functions that torch computes itself: worth it where they stand among ops that NumPy does.
BY_KERNEL = Scalar(None, FLOAT_NUMBERS)


@dataclass(kw_only=True, eq=False)
class Facts:
    """The facts of one op, each documented below it; `Op` inherits them."""

    result: Result = "any"
    """Whose memory the results are, for all inputs and attributes.

    `any`: nothing is known; the kernel may also keep its inputs. `view`: they may share memory of
    the inputs, and the kernel keeps nothing. `reshaped`: a view of all elements of the first input
    in order. `input`: the inputs themselves, output by output. `new`: memory of their own, which
    may be written into when nobody reads it any more. `whole`: new, and no view of something larger
    that the kernel made.
    """

    in_place: tuple[Callable[..., Any] | None, ...] = ()
    """For each input, the kernel that writes a floating result over it.

    It is called only for an input of the result's dtype and shape, and gives what the op's kernel
    gives. Without one the op makes new memory. An op of one input states `keeps_shape`, too.
    """

    keeps_shape: bool = False
    """Whether the result always has the shape of the first input, whatever the others are."""

    elementwise: bool = False
    """Whether each element of the result depends on one element of each (broadcast) input alone.

    A ragged tensor is then computed through its flat values. Arguments that are no data (patterns,
    positions) do not count.
    """

    node_rule: Callable[..., Any] | None = None
    """`rule(node, inputs, library)`: attributes that a GraphDef's node has in another form.

    Set by datasets, whose structure and functions are Python objects here.
    """

    node_functions: Callable[..., Any] | None = None
    """`rule(op)`: the traced functions of an operation, by the attributes of its node.

    The other end of `node_rule`; attributes of that form are in `op.attrs` under names of ours.
    """

    ragged_rule: Callable[..., Any] | None = None
    """`rule(op, inputs, attrs, name)` for ragged inputs; set by `ops/ragged/dispatch.py`."""

    sparse_rule: Callable[..., Any] | None = None
    """The same for a sparse first input; set by `ops/sparse/dispatch.py`."""

    sparse_values: bool = False
    """Whether TensorFlow lets the op act on the values of a sparse tensor alone."""

    scalar: Scalar | None = None
    """How loops and chains of small values compute the op without tensors; None: not at all."""

    static: StaticValue = "unknown"
    """Who may see the result while a graph is built, if the inputs are known then.

    `unknown`: nobody. `shapes`: shape rules. `users`: also `tf.get_static_value`, as in TensorFlow.
    The kernel computes it, or the op's `static_value` rule.
    """

    effects: Effects = "acts"
    """What a stateful op does to state.

    `acts`: it may change some, so it runs even if nobody reads its results, in the order of the
    program. `reads`: it only looks at the state it is given.
    """

    together: Callable[[Sequence[tuple[Any, ...]], dict[str, Any]], bool] | None = None
    """`together(calls, attrs)` updates several variables of the host at once.

    A call is what the kernel would get; no two have a variable in common. It gives what the kernel
    gives call by call, or does nothing and returns False.
    """

    assigns: bool = False
    """Whether it sets a variable, its first input, to a value, whatever the variable held."""

    checkpoints: Checkpoints = "no"
    """Whether it writes a checkpoint, or names or merges its files (`saves`), or reads one."""

    traceable: bool = False
    """Whether torch's compiler sees all that a stateful op does.

    It may only read and set variables, with plain torch calls. A function that holds another
    stateful op runs uncompiled.
    """

    placement: Placement = "default"
    """How TensorFlow's placer treats the op beside its request and kernels.

    `with_input`: like its input in a graph, whose shape it reads. `with_neighbours`: like its
    source, if source and reader ask for the same. `cpu_first`: its kernel for the CPU is preferred.
    `ignores_handles`: it runs anywhere, though it is given handles.
    """

    host_if: frozenset[DType] = frozenset()
    """Dtypes of the first input for which a GPU kernel leaves its results in host memory."""

    grows: Growth = "sizes"
    """What bounds the number of elements of a result.

    `sizes`: the product of its tensors and of its host inputs that are sizes. `product`: also of
    the tensors in its lists. `square`: the square of that.
    """

    numerics: Numerics = "all"
    """Which results `tf.debugging.enable_check_numerics` looks at, as in TensorFlow."""

    work: WorkRule | None = None
    """How many operations and bytes a call is; None: one operation an element (see `work_of`)."""

    repeatable: bool = True
    """Whether the same call gives the same again: not the time, nor memory as it is found."""

    sign_free: tuple[str, ...] = ()
    """Outputs that are unique up to a sign (a phase, if complex), which libraries choose."""

    shape_attr: ShapeAttr = "checked"
    """Whether a negative dimension of the `shape` that `tf.raw_ops` is given is a mistake.

    `lists_checked`: in a list or tuple it is, elsewhere it means an unknown one. `unchecked`: it
    always does.
    """

    later_attrs: tuple[str, ...] = ()
    """Attributes that TensorFlow 1.15's op of that name does not have."""

    node_name: str = ""
    """The name TensorFlow's Python function gives its nodes, where it is not the op's own."""

    argument_names: Mapping[str, str] | None = None
    """Arguments that `tf.raw_ops` calls otherwise than the registry: registry's name → its name."""

    default_types: Mapping[str, DType | None] = field(default_factory=dict)
    """Defaults of type attributes other than in `ops/default_types.py`; None: no default."""

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")

    @property
    def makes_memory(self) -> bool:
        """True if the results share memory with nothing else."""
        return self.result in ("new", "whole")

    @property
    def makes_views(self) -> bool:
        """True if the results share memory with nothing but the inputs."""
        return self.result in ("view", "reshaped", "input")


_CHOICES: dict[str, tuple[str, ...]] = {
    "result": get_args(Result),
    "static": get_args(StaticValue),
    "effects": get_args(Effects),
    "checkpoints": get_args(Checkpoints),
    "placement": get_args(Placement),
    "grows": get_args(Growth),
    "numerics": get_args(Numerics),
    "shape_attr": get_args(ShapeAttr),
}
NAMES = frozenset(field.name for field in fields(Facts))
