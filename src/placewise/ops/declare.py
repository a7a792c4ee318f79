"""How an op is declared: one object that holds all there is to know about it.

`@op("MatMul(a: T, b: T; transpose_a: bool = False) -> product: T", T=FLOATS)` above a public
function registers the op; the function's attributes `shape`, `kernel`, `gradient`, `error` take
its rules, and `bind` is what the function calls. See `ops/README.md` for the whole of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.scope import current, watch
from placewise.core.tensor import Tensor
from placewise.ops import facts
from placewise.ops.convert import host_array
from placewise.ops.facts import Facts
from placewise.ops.reservation import LARGE_ELEMENTS, has_sizes, may_outgrow, reserve
from placewise.ops.values import ALWAYS_ON_DEVICE, OBJECT, TORCH, EagerTensor, wrap

if TYPE_CHECKING:
    from placewise.devices.device import Device


P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
Rule = TypeVar("Rule", bound=Callable[..., Any])

REQUIRED: Any = type("Required", (), {"__repr__": lambda _: "required"})()


class Arg(NamedTuple):
    """One input or output: its dtype is fixed or that of a type attribute; maybe a list."""

    name: str
    dtype: DType | None
    type_attr: str | None
    number_attr: str | None = None  # 'N' in `values: N*T`: a list of one dtype
    is_type_list: bool = False  # `[T]`: a list of any dtypes
    least: int | None = None  # 2 in `values: N*T >= 2`: how many tensors there are at least

    @property
    def is_list(self) -> bool:
        """True if the argument is a list of tensors."""
        return self.number_attr is not None or self.is_type_list


class Attr(NamedTuple):
    """One attribute: its kind ('int', 'type', 'shape', 'list(int)', …), default and limits."""

    name: str
    kind: str
    default: Any
    least: int | None = None  # 4 in `ksize: list(int) >= 4`: least number, or length of a list
    choices: tuple[str, ...] = ()  # in `padding: 'SAME'|'VALID'`: what a string may be


@dataclass(eq=False)
class Op(Facts):
    """All there is to know about an op. Made by `op` and `define`, kept in `REGISTRY`.

    Its signature, rules and kernels; what else is known of it are its `Facts`.
    """

    name: str
    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]
    attrs: tuple[Attr, ...]
    types: dict[str, frozenset[DType]]
    host: frozenset[str] = frozenset()
    devices: tuple[str, ...] = ("CPU", "GPU")
    gpu_types: frozenset[DType] | None = None
    stateful: bool = False
    metadata: bool = False
    doc: str = ""
    refs: frozenset[str] = frozenset()
    kernels: dict[str | None, Callable[..., Any]] = field(default_factory=dict)
    shape_rule: Callable[..., Any] | None = None
    gradient_rule: Callable[..., Any] | None = None
    error_rule: Callable[..., Any] | None = None
    static_rule: Callable[..., Any] | None = None
    differentiable: bool = True
    function: Callable[..., Any] | None = None
    host_or_device: frozenset[str] = frozenset()
    wide_unsigned: bool = False
    is_limited: bool = False  # some attribute, or the length of some list, has a limit
    bind: Bind = None  # type: ignore[assignment]  # set by define

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def kernel_for(self, device: Device, values: Any) -> Callable[..., Any]:
        """Return the kernel for a device and the values it will get."""
        is_wide_unsigned = "wide_unsigned" in self.kernels and any(
            getattr(value, "dtype", None) in WIDE_UNSIGNED_TORCH for value in values
        )
        return self.kernel_on(device, is_wide_unsigned)

    def kernel_on(self, device: Device, is_wide_unsigned: bool) -> Callable[..., Any]:
        """Return the kernel for a device; `is_wide_unsigned`: for the wide unsigned types."""
        kernels = self.kernels
        if is_wide_unsigned and "wide_unsigned" in kernels:
            return kernels["wide_unsigned"]
        return kernels.get(device.kind) or kernels[None]

    def is_on_host(self, output: Arg, given: DType | None) -> bool:
        """Return whether the GPU kernel for a dtype of the first input has a result on the host."""
        if output.name in self.host:
            return True
        return bool(self.host_if) and given in self.host_if

    @property
    def attr_names(self) -> tuple[str, ...]:
        """The names of the attributes a caller gives."""
        return tuple(attr.name for attr in self.attrs)

    @property
    def makes_state(self) -> bool:
        """True if the op's result is a handle to state of its own: a variable, a queue, a table."""
        if not self.stateful or self.inputs or len(self.outputs) != 1:
            return False
        made = self.outputs[0]
        return made.dtype is dtypes.resource or made.name in self.refs

    @property
    def follows_resource(self) -> bool:
        """True if an input is a handle, whose device the op must run on."""
        return any(arg.dtype is dtypes.resource for arg in self.inputs)


class Call(Protocol):
    """One op that ran, or was recorded: what a gradient rule gets to see."""

    @property
    def op(self) -> Any:
        """The op."""

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The inputs: tensors; host inputs as arrays; lists as lists."""

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The outputs."""

    @property
    def output(self) -> Any:
        """The first output."""

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes."""

    def wants(self, index: int) -> bool:
        """Return whether the gradient of an input is asked for: a rule may skip the others."""

    def _replace(self, **fields: Any) -> Call:
        """Return the same with other fields."""


class Rules(Protocol):
    """The decorators by which an op's rules are stated; each returns the rule unchanged."""

    __name__: str
    __qualname__: str
    op: Op

    def shape(self, rule: Rule, /) -> Rule:
        """State the shape rule."""

    @overload
    def kernel(self, rule: Rule, /, *, on: str | None = None) -> Rule: ...
    @overload
    def kernel(self, /, *, on: str | None = None) -> Callable[[Rule], Rule]: ...
    def kernel(self, rule: Any = None, /, *, on: str | None = None) -> Any:
        """State the kernel, for one kind of device or for all."""

    def gradient(self, rule: Rule, /) -> Rule:
        """State the gradient rule."""

    def error(self, rule: Rule, /) -> Rule:
        """State the rule that writes the message when torch refuses the arguments."""

    def static_value(self, rule: Rule, /) -> Rule:
        """State the rule for what is known of the result before anything runs."""


class Bind(Rules, Protocol):
    """What `define` returns: a function of an op's inputs and attributes, with its rules."""

    space: dict[str, Any]

    # It is written at run time from the op's signature: a checker knows neither side.
    def __call__(self, *inputs: Any, **attrs: Any) -> Any:
        """Run or record the op."""


class TensorBind(Bind, Protocol):
    """What `define` returns for an op with one result."""

    def __call__(self, *inputs: Any, **attrs: Any) -> Tensor:
        """Run or record the op."""


class OpFunction(Rules, Protocol[P, R_co]):
    """What `op` makes of a public function: it keeps its signature and takes the op's rules."""

    bind: Bind

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the public function."""


REGISTRY: dict[str, Op] = {}

# TensorFlow's kernels read these attributes into 32 bits.
NARROW = frozenset(
    {
        *("capacity", "min_after_dequeue", "precision", "width", "maxsplit", "desired_channels"),
        *("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"),
        *("strides", "rates", "ksize", "ksizes", "depth_radius"),
        *("desired_samples", "summarize", "max_attempts"),
    }
)

WIDE_UNSIGNED = frozenset({dtypes.uint16, dtypes.uint32, dtypes.uint64})
WIDE_UNSIGNED_TORCH = frozenset({TORCH[d] for d in WIDE_UNSIGNED})

# `k: int >= 1 = 5`, `data_format: 'NHWC'|'NCHW' = 'NHWC'`
_ATTRIBUTE = re.compile(
    r"(\w+)\s*:\s*([\w()]+|'[^']*'(?:\|'[^']*')*)\s*(?:>=\s*(-?\d+))?\s*(?:=\s*(.*))?", re.DOTALL
)
_SIGNATURE = re.compile(r"^\s*(\w+)\s*\((.*)\)\s*(?:->\s*([^'\"]*?))?\s*$", re.DOTALL)


def _parse_arg(text: str) -> Arg:
    name, _, rest = (part.strip() for part in text.partition(":"))
    kind, _, limit = (part.strip() for part in rest.partition(">="))
    least = int(limit) if limit else None
    if kind.startswith("["):
        return Arg(name, None, kind.strip("[]"), None, True, least)
    number, star, kind_of = kind.rpartition("*")
    number_attr = number.strip() if star else None
    try:
        fixed = as_dtype(kind_of.strip())
    except TypeError:
        return Arg(name, None, kind_of.strip(), number_attr, least=least)
    return Arg(name, fixed, None, number_attr, least=least)


def _parse_default(kind: str, text: str) -> Any:
    text = text.strip()
    if kind == "type":
        return as_dtype(text)
    if kind == "bool":
        return text == "True"
    if kind == "string":
        return text.strip("'\"")
    if text == "None":
        return None
    if text.startswith("["):
        inner = text.strip("[]")
        parts = [part.strip().strip("'\"") for part in inner.split(",") if part.strip()]
        element = kind[5:-1] if kind.startswith("list(") else "int"
        return tuple(_parse_default(element, part) for part in parts)
    return float(text) if kind == "float" else int(text)


def _parse_attr(text: str) -> Attr:
    match = _ATTRIBUTE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not an attribute of an op: {text!r}")
    name, kind, least, default = match.groups()
    choices = tuple(re.findall(r"'([^']*)'", kind)) if kind.startswith("'") else ()
    kind = "string" if choices else kind
    value = REQUIRED if default is None else _parse_default(kind, default)
    return Attr(name, kind, value, int(least) if least else None, choices)


def _split(text: str | None) -> list[str]:
    """Split at commas outside brackets and quotes."""
    parts = re.findall(r"""(?:'[^']*'|"[^"]*"|\[[^\]]*\]|\([^)]*\)|[^,'"\[(])+""", text or "")
    return [part for part in parts if part.strip()]


def parse(signature: str) -> tuple[str, list[Arg], list[Attr], list[Arg]]:
    """Return name, inputs, attributes and outputs of a signature."""
    match = _SIGNATURE.match(signature)
    if match is None:
        raise ValueError(f"not an op signature: {signature!r}")
    name, given, returned = match.groups()
    inputs, _, attrs = given.partition(";")
    return (
        name,
        [_parse_arg(part) for part in _split(inputs)],
        [_parse_attr(part) for part in _split(attrs)],
        [_parse_arg(part) for part in _split(returned)],
    )


def define(
    signature: str,
    *,
    host: tuple[str, ...] = (),
    devices: tuple[str, ...] = ("CPU", "GPU"),
    gpu_types: frozenset[DType] | None = None,
    stateful: bool = False,
    metadata: bool = False,
    differentiable: bool = True,
    doc: str = "",
    refs: tuple[str, ...] = (),
    host_or_device: tuple[str, ...] = (),
    wide_unsigned: bool = False,
    **options: Any,
) -> Bind:
    """Register an op and return its `bind` function, which carries the rule decorators.

    `host`: inputs and outputs kept in host memory; a kernel gets such an input as a NumPy array.
    `devices`: kinds it has kernels for. `gpu_types`: dtypes the GPU kernel is limited to.
    `metadata`: reads only shapes. `refs`: inputs and outputs that are TensorFlow 1 references: a
    kernel gets, and gives, the variable's handle. `host_or_device`: inputs like those of `host`,
    which a kernel gets as tensors if they are in a GPU's own memory, so it need not wait for them.
    `wide_unsigned`: its kernel takes and makes uint16, uint32 and uint64 also on a real GPU, where
    torch has no arithmetic for them.
    Further options are the op's `Facts`, and type attributes by name: the dtypes each may be.
    """
    name, inputs, attrs, outputs = parse(signature)
    known = {option: options.pop(option) for option in facts.NAMES & options.keys()}
    for option, types in options.items():
        if not isinstance(types, frozenset):
            raise TypeError(
                f"op {name} has no option {option!r}, and {types!r} is no set of dtypes"
            )
    if name in REGISTRY:
        raise ValueError(f"op {name} is declared twice")
    declared = Op(
        name,
        tuple(inputs),
        tuple(outputs),
        tuple(attrs),
        options,
        frozenset(host + host_or_device),
        devices,
        gpu_types,
        stateful,
        metadata,
        doc,
        frozenset(refs),
        differentiable=differentiable,
        host_or_device=frozenset(host_or_device),
        wide_unsigned=wide_unsigned,
        is_limited=any(
            [arg.least is not None for arg in inputs]
            + [attr.least is not None or attr.choices for attr in attrs]
            + [attr.name in options or attr.name in NARROW for attr in attrs]
        ),
        **known,
    )
    REGISTRY[name] = declared
    declared.bind = _binder(declared)
    _add_rules(declared.bind, declared)
    declared.function = declared.bind
    return declared.bind


def op(signature: str, **options: Any) -> Callable[[Callable[P, R_co]], OpFunction[P, R_co]]:
    """Declare the op that a public function calls through its own `bind`.

    Takes the options of `define`; the function's docstring is the op's.
    """

    def declare(function: Callable[P, R_co]) -> OpFunction[P, R_co]:
        bind = define(signature, doc=function.__doc__ or "", **options)
        declared = cast("OpFunction[P, R_co]", function)
        _add_rules(declared, bind.op)
        bind.op.function = declared
        declared.bind = bind
        return declared

    return declare


def takes_none(rule: Rule) -> Rule:
    """Mark a gradient rule that takes None, not zeros, for an output to which nothing flowed."""
    rule.takes_none = True  # type: ignore[attr-defined]  # read by the backward pass
    return rule


def _add_rules(target: Any, declared: Op) -> None:
    """Give a function the attributes through which an op's rules are stated."""

    def shape(rule: Any) -> Any:
        declared.shape_rule = rule
        return rule

    def kernel(rule: Any = None, *, on: str | None = None) -> Any:
        if rule is None:
            return lambda function: kernel(function, on=on)
        declared.kernels[on] = rule
        space = declared.bind.space
        if on is None:
            space["kernel"] = rule
        elif on == "GPU":
            space["differs"] = True  # then the general path chooses
        return rule

    def gradient(rule: Any) -> Any:
        declared.gradient_rule = rule
        return rule

    def error(rule: Callable[..., Any]) -> Any:
        declared.error_rule = rule
        return rule

    def static_value(rule: Any) -> Any:
        declared.static_rule = rule
        return rule

    target.op, target.shape, target.kernel = declared, shape, kernel
    target.gradient, target.error, target.static_value = gradient, error, static_value


def _torch_types(allowed: frozenset[DType]) -> frozenset[Any]:
    # torch lacks many kernels for the wide unsigned types: those take the general path.
    kinds = {TORCH[d] for d in allowed if d in TORCH and d not in WIDE_UNSIGNED}
    return frozenset(kinds | ({OBJECT} if dtypes.string in allowed else set()))


def _declaring_module() -> str:
    """Return the module that declares an op, by itself or through a family."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"] in _DECLARING:
        frame = frame.f_back
    return str(frame.f_globals["__name__"])


_DECLARING = frozenset({__name__, "placewise.ops.families"})


def _binder(declared: Op) -> Bind:
    """Return the function that an op's public function calls: the fast path, then the general.

    Written out per op, so that plain tensors on the current device reach the kernel after a
    handful of comparisons and everything else leaves in one test.
    """
    names = [arg.name for arg in declared.inputs]
    # Without attributes, bind has the very signature of the public function: (x, y, name=None).
    parameters = [*names, "*"] if declared.attrs else list(names)
    parameters += [
        attr.name if attr.default is REQUIRED else f"{attr.name}=_default_{attr.name}"
        for attr in declared.attrs
    ]
    parameters.append("name=None")
    space: dict[str, Any] = {
        "current": current,
        "watch": watch,
        "op": declared,
        "wrap": wrap,
        "EagerTensor": EagerTensor,
        "kernel": _no_kernel,
        "class_of": type,
        "differs": False,
        "host": _host,
        "contents": _contents,
        "DType": DType,
        "as_dtype": as_dtype,
        "ask": reserve,
        "LARGE": LARGE_ELEMENTS,
    }
    space.update({f"_default_{a.name}": a.default for a in declared.attrs})
    inputs = "".join(n + ", " for n in names)
    attrs = ", ".join(f"{n!r}: {n}" for n in declared.attr_names)
    lines = [f"def bind({', '.join(parameters)}):"]
    for first, other in _equally_long(declared):
        space["check_lengths"] = check_lengths
        lines.append(f"    check_lengths(op, {first!r}, {first}, {other!r}, {other})")
    if _has_fast_path(declared):
        lines += _fast_lines(declared, space)
    lines.append(f"    return current.interpreter.run(op, ({inputs}), {{{attrs}}}, name)")
    # The file name makes the frame count as placewise's own in tracebacks.
    # A function without a module cannot be pickled, and libraries look at it.
    space["__name__"] = _declaring_module()
    code = compile("\n".join(lines), f"{__file__}:{declared.name}", "exec")
    exec(code, space)
    bind: Bind = space["bind"]
    bind.__name__ = bind.__qualname__ = declared.name
    bind.space = space
    return bind


def python_name(op: str) -> str:
    """Return what TensorFlow's Python calls an op: `sparse_concat` of `SparseConcat`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", op).lower()


def _equally_long(declared: Op) -> list[tuple[str, str]]:
    """Return pairs of inputs that are lists of as many tensors."""
    first: dict[str, str] = {}
    lists = [arg for arg in declared.inputs if arg.number_attr]
    pairs = [(first.setdefault(str(arg.number_attr), arg.name), arg.name) for arg in lists]
    return [(one, other) for one, other in pairs if one != other]


def check_lengths(op: Op, first: str, values: Any, other: str, others: Any) -> None:
    """Raise ValueError for two lists of an op that differ in length."""
    if not isinstance(values, (list, tuple)) or not isinstance(others, (list, tuple)):
        return  # judged elsewhere
    if len(values) != len(others):
        what = f"List argument '{other}' to '{python_name(op.name)}' Op"
        raise ValueError(
            f"{what} with length {len(others)} must match length {len(values)} of argument "
            f"'{first}'."
        )


def _no_kernel(*_: object, **__: object) -> Any:
    raise NotImplementedError("this op has no kernel")


def _has_fast_path(declared: Op) -> bool:
    special = (dtypes.resource, dtypes.variant)
    arguments = (*declared.inputs, *declared.outputs)
    # When the kernel raises, the general path runs it again for TensorFlow's error. So it must not
    # have an effect: no state, and something to return. Handles say themselves where an op runs,
    # and dtypes of a list that may differ have to be collected: that is the general path's work.
    return (
        not declared.stateful
        and bool(declared.outputs)
        and any(arg.name not in declared.host for arg in declared.inputs)
        and not any(arg.dtype in special or arg.is_type_list for arg in arguments)
        and not any(arg.is_list and arg.name in declared.host for arg in declared.inputs)
    )


def _host(value: TensorLike, allowed: frozenset[DType], op: Op) -> Any:
    """Return a host argument as the array a kernel gets."""
    # An int32 array is what axes and shapes become: nothing is left to convert.
    if type(value) is np.ndarray and value.dtype in _HOST_TYPES and dtypes.int32 in allowed:
        return value

    return host_array(value, allowed, "", op.name)


_HOST_TYPES = frozenset({np.dtype(np.int32)})


def _contents(values: Tensor, device: Device, allowed: frozenset[Any]) -> list[Any] | None:
    """Return the contents of a list of tensors, if all are plain, here and of one dtype."""
    contents = []
    for tensor in values:
        if type(tensor) is not EagerTensor or tensor._device is not device:
            return None
        contents.append(tensor._value)
    if not contents:
        return None
    dtype = contents[0].dtype
    if dtype not in allowed or any(value.dtype is not dtype for value in contents):
        return None
    return contents


def _fast_lines(declared: Op, space: dict[str, Any]) -> list[str]:
    """Return the lines that run an op at once when nothing unusual is going on."""
    # With small tensors the general path takes longer than the kernel, and this one must not. So
    # all that is the same for each call of the op is decided now, when the lines are written.
    plain = [arg for arg in declared.inputs if arg.name not in declared.host]
    single = [arg for arg in plain if not arg.is_list]
    # `current.fast` is None while a graph is built, and after each change of scope until the
    # general path has looked up the device. `watch.on`: somebody records or guards every op.
    tests = ["device is not None", "not watch.on"]
    # With a GPU in force the general path runs these on the CPU.
    if declared.devices == ("CPU",):
        tests.append("device.is_host")
    if declared.host_or_device:
        tests.append("not device.has_own_memory")
    # Numbers, arrays and variables have to be converted, tensors of other devices to be copied.
    # Identity of classes: isinstance() takes longer, and a tensor of a graph is no EagerTensor.
    tests += [f"class_of({arg.name}) is EagerTensor" for arg in single]
    tests += [f"{arg.name}._device is device" for arg in single]
    lines = ["    device = current.fast", f"    if {' and '.join(tests)}:"]
    # `first`: for each type attribute the expression of its dtype. The first input decides; those
    # after it must have the very same one. torch has one object per dtype, so `is` will do, and
    # sets of torch's dtypes save looking up ours.
    checks: list[str] = []
    first: dict[str, str] = {}
    for arg in plain:
        value, dtype = f"v_{arg.name}", f"t_{arg.name}"
        allowed = frozenset({arg.dtype}) if arg.dtype else declared.types.get(arg.type_attr or "")
        space[f"types_{arg.name}"] = _torch_types(dtypes.ANY if allowed is None else allowed)
        if arg.is_list:
            lines.append(f"        {value} = contents({arg.name}, device, types_{arg.name})")
            checks.append(f"{value} is not None")
            if arg.type_attr in first:
                checks.append(f"{value}[0].dtype is {first[arg.type_attr]}")
            elif arg.type_attr is not None:
                first[arg.type_attr] = f"{value}[0].dtype"
            continue
        lines += [f"        {value} = {arg.name}._value", f"        {dtype} = {value}.dtype"]
        if arg.type_attr in first:
            checks.append(f"{dtype} is {first[arg.type_attr]}")
        else:
            checks.append(f"{dtype} in types_{arg.name}")
            if arg.type_attr is not None:
                first[arg.type_attr] = dtype
    # On a GPU, some ops take fewer dtypes and strings stay on the CPU. `differs` is set when a
    # kernel of the GPU's own is declared, which comes after these lines are compiled.
    space["gpu_types"] = _torch_types((declared.gpu_types or dtypes.ANY) - {dtypes.string})
    lead = next(iter(first.values()), None)
    on_gpu = f"{lead} in gpu_types and not differs" if lead else "not differs"
    if "GPU" in declared.devices:
        checks.append(f"(device.is_host or ({on_gpu} and {_in_one_memory(plain, space)}))")
    # If anything from here on raises, the general path runs the op again for TensorFlow's error.
    lines += [f"        if {' and '.join(checks)}:", "            try:"]
    for arg in declared.inputs:
        if arg.name in declared.host:
            allowed = (
                frozenset({arg.dtype})
                if arg.dtype
                else declared.types.get(arg.type_attr or "", dtypes.ANY)
            )
            space[f"allowed_{arg.name}"] = allowed
            lines.append(f"                {arg.name} = host({arg.name}, allowed_{arg.name}, op)")
    for attr in declared.attrs:
        if attr.kind == "type":
            lines += [
                f"                if {attr.name} is not None and class_of({attr.name}) is not "
                "DType:",
                f"                    {attr.name} = as_dtype({attr.name})",
            ]
    lines += _limit_lines(declared, space)
    return lines + _call_lines(declared, first, space)


def _limit_lines(declared: Op, space: dict[str, Any]) -> list[str]:
    """Return the lines that leave the fast path with arguments that the declaration does not allow.

    The general path checks them, too, and raises the error (`ops/attribute_limits.py`).
    """
    tests = [f"len({arg.name}) < {arg.least}" for arg in declared.inputs if arg.least is not None]
    for attr in declared.attrs:
        if attr.least is not None:
            size = f"len({attr.name})" if attr.kind.startswith("list(") else attr.name
            tests.append(f"{size} < {attr.least}")
        if attr.choices:
            space[f"choices_{attr.name}"] = attr.choices
            tests.append(f"{attr.name} not in choices_{attr.name}")
        if attr.name in declared.types and attr.kind == "type":
            space[f"kinds_{attr.name}"] = declared.types[attr.name]
            tests.append(f"{attr.name} is not None and {attr.name} not in kinds_{attr.name}")
        elif attr.name in declared.types:
            space[f"kinds_{attr.name}"] = declared.types[attr.name]
            tests.append(f"not kinds_{attr.name}.issuperset({attr.name})")
    return [f"                if {test}: raise ValueError" for test in tests]


def _in_one_memory(plain: list[Arg], space: dict[str, Any]) -> str:
    """Return the test that all inputs are in the GPU's memory.

    All inputs of a simulated GPU are in host memory. With a real one, integers may be in either.
    """
    space["always_on_device"] = ALWAYS_ON_DEVICE
    kinds = [f"v_{arg.name}[0].dtype" if arg.is_list else f"t_{arg.name}" for arg in plain]
    tests = [f"{kind} in always_on_device" for kind in dict.fromkeys(kinds)]
    return f"(not device.has_own_memory or ({' and '.join(tests)}))"


def _reserve_lines(declared: Op) -> list[str]:
    """Return the lines that reserve memory before the kernel, if a result may outgrow its inputs.

    What does not fit raises inside the `try`, and then again on the general path.
    """
    if not may_outgrow(declared):
        return []
    test = "device.account is not None"
    # Without sizes among its arguments a result has at most as many elements as all inputs
    # multiplied (an outer product, broadcasting): a cheap test that is nearly always false.
    if not has_sizes(declared):
        counts = [
            f"v_{arg.name}.numel()"
            for arg in declared.inputs
            if arg.name not in declared.host and not arg.is_list
        ]
        test += f" and {' * '.join(counts)} > LARGE"
    given = ", ".join(
        arg.name if arg.name in declared.host else f"v_{arg.name}" for arg in declared.inputs
    )
    attrs = ", ".join(f"{n!r}: {n}" for n in declared.attr_names)
    return [
        f"                if {test}:",
        f"                    ask(op, ({given},), {{{attrs}}}, device)",
    ]


def _counting_lines(
    declared: Op, known: dict[str, str], made: str | None, space: dict[str, Any]
) -> list[str]:
    """Return the lines that count the result, or if `made` is None the results, of a kernel.

    `made` is what is known of the result when the lines are written.
    """
    on_host = [declared.is_on_host(output, None) for output in declared.outputs]
    if all(on_host):
        return []
    test = "device.account is not None"
    if declared.host_if:
        space["host_types"] = frozenset(TORCH[dtype] for dtype in declared.host_if)
        test += f" and {next(iter(known.values()))} not in host_types"
    if made is not None:
        call = f"device.account(result, op, {made})"
    elif any(on_host):
        space["on_host"] = on_host
        call = (
            "[one if is_kept else device.account(one, op) "
            "for one, is_kept in zip(result, on_host, strict=True)]"
        )
    else:
        call = "[device.account(one, op) for one in result]"
    return [f"                if {test}:", f"                    result = {call}"]


def _call_lines(declared: Op, known: dict[str, str], space: dict[str, Any]) -> list[str]:
    """Return the lines that call the kernel, wrap its results and notify the tapes.

    `known` are the expressions of the dtypes that type attributes have.
    """
    values = ", ".join(
        [arg.name if arg.name in declared.host else f"v_{arg.name}" for arg in declared.inputs]
        + [f"{attr.name}={attr.name}" for attr in declared.attrs]
    )
    several = len(declared.outputs) > 1 or declared.outputs[0].is_list
    attrs = ", ".join(f"{n!r}: {n}" for n in declared.attr_names)
    inputs = "".join(
        (f"list({arg.name}), " if arg.is_list else f"{arg.name}, ") for arg in declared.inputs
    )
    # Lists among several results: the general path flattens them.
    if several and any(arg.is_list for arg in declared.outputs) and len(declared.outputs) > 1:
        return ["                pass", "            except Exception:", "                pass"]
    output = declared.outputs[0]
    dtype = known.get(output.type_attr or "", "None")
    if output.dtype in TORCH:
        space["made_type"], dtype = TORCH[output.dtype], "made_type"
    if declared.result == "whole":
        dtype += ", True"
    made = "[wrap(one, device, op) for one in result]" if several else "wrap(result, device, op)"
    outputs = "tuple(made)" if several else "(made,)"
    lines = [
        *_reserve_lines(declared),
        f"                result = kernel({values})",
        # The general path runs it again and raises TensorFlow's error.
        "            except Exception:",
        "                pass",
        "            else:",
        # Outside of the `try`: an out-of-memory error is no failure of the kernel, and raised once.
        *_counting_lines(declared, known, dtype if not several else None, space),
        f"                made = {made}",
    ]
    # Mostly there is no tape: a loop over no tapes is as quick as a test. A tape gets a list of its
    # own, since the program may change the one that it passed.
    if declared.differentiable:
        lines += [
            "                for tape in current.tapes:",
            f"                    tape.ran(op, ({inputs}), {outputs}, {{{attrs}}})",
        ]
    return [*lines, "                return made"]
