"""How much work an op is, whatever device does it: floating-point operations and bytes.

A `Work` is computed from shapes and dtypes alone; `cost` turns it into time on a card. An op states
its rule where it is declared (`work=matmul_work`); one that states none is element by element.
A rule gets the facts of inputs and outputs and the attributes. The fact of a handle is that of the
variable: its shape and its dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from placewise.ops.declare import Op


class Work(NamedTuple):
    """The work of one executed op.

    `kind` selects the efficiency curve: "matmul", "conv", "conv_gradient", "depthwise", "rnn",
    "elementwise", "reduction", "normalization", "pooling", "gather", "sort", "random",
    "factorization", "view", "host".
    A "view" takes no time on a device. `dtype` is that of the arithmetic ("float32", "float16").
    `kernels` is how many kernels a GPU launches for it.
    `product` are batch, rows, columns and depth of the matrix product that it amounts to, from
    which follows how well it fills a card. `window` are places, input and output channels of a 3 by
    3 or 5 by 5 window with stride 1, for which libraries have algorithms of fewer multiplications
    (Winograd's, Fourier transforms).
    """

    kind: str
    flops: float
    read_bytes: int
    written_bytes: int
    dtype: str = "float32"
    kernels: int = 1
    product: tuple[int, int, int, int] | None = None
    window: tuple[int, int, int] | None = None
    channels: int = 0  # of the images that a convolution reads

    @property
    def moved_bytes(self) -> int:
        """What goes through the memory bus."""
        return self.read_bytes + self.written_bytes


class TensorFact(NamedTuple):
    """What is known of a tensor without its contents."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def elements(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""
        return self.elements * ITEM_BYTES.get(self.dtype, 4)


InputFact = TensorFact | Sequence[TensorFact]
Inputs = Sequence[Any]  # of InputFact: a rule knows which of them are lists
Outputs = Sequence[TensorFact]
Attrs = Mapping[str, Any]
WorkRule = Callable[[Inputs, Outputs, Attrs], Work]

ITEM_BYTES = {
    "bool": 1,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "float16": 2,
    "bfloat16": 2,
    "half": 2,
    "int32": 4,
    "uint32": 4,
    "float32": 4,
    "int64": 8,
    "uint64": 8,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
    "string": 16,  # the pointer and length; contents are unknown
    "resource": 0,
    "variant": 0,
}
_FLOATING = ("float64", "float32", "bfloat16", "float16", "half", "complex64", "complex128")


def work_of(op: Op, inputs: Sequence[InputFact], outputs: Outputs, attrs: Attrs) -> Work:
    """Return the work of one call of an op.

    `inputs` has one entry for each declared input, a list for an input that is a list; `outputs`
    is flat. The fact of a handle is the shape and dtype of its variable.
    """
    if op.work is not None:
        return op.work(inputs, outputs, attrs)
    if op.metadata or op.result in ("reshaped", "input") or not (inputs or outputs):
        return view_work(inputs, outputs, attrs)
    if op.devices == ("CPU",):
        return host_work(inputs, outputs, attrs)
    if op.result == "view":
        return copy_work(inputs, outputs, attrs)
    return elementwise_work(inputs, outputs, attrs)


def flat(facts: Sequence[InputFact]) -> list[TensorFact]:
    """Return all tensors, those in lists too."""
    tensors: list[TensorFact] = []
    for fact in facts:
        if isinstance(fact, TensorFact):
            tensors.append(fact)
        else:
            tensors.extend(fact)
    return tensors


def total_bytes(facts: Sequence[InputFact]) -> int:
    """Return the bytes of all tensors."""
    return sum(tensor.nbytes for tensor in flat(facts))


def arithmetic_type(inputs: Sequence[InputFact], outputs: Outputs) -> str:
    """Return the dtype that an op computes in: of its largest floating tensor, if it has one."""
    tensors = [*flat(inputs), *outputs]
    floating = [tensor for tensor in tensors if tensor.dtype in _FLOATING]
    largest = max(floating or tensors, key=lambda tensor: tensor.elements, default=None)
    if largest is None:
        return "float32"
    return "float16" if largest.dtype == "half" else largest.dtype


def _largest(facts: Sequence[InputFact]) -> int:
    """Return the number of elements of the largest tensor."""
    return max((tensor.elements for tensor in flat(facts)), default=0)


def _work(
    kind: str, flops: float, inputs: Inputs, outputs: Outputs, kernels: int = 1, **more: Any
) -> Work:
    """Return work that reads every input and writes every output once."""
    return Work(
        kind,
        flops,
        total_bytes(inputs),
        total_bytes(outputs),
        arithmetic_type(inputs, outputs),
        kernels,
        **more,
    )


# ---- rules that ops name at their declaration


def view_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """No work: the result is what there is already, or a few numbers about it."""
    return Work("view", 0.0, 0, 0, arithmetic_type(inputs, outputs), 0)


def host_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Work that only a CPU does: strings, files, tables."""
    return _work("host", float(_largest([*inputs, *outputs])), inputs, outputs)


def elementwise_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """One operation for each element of the largest tensor."""
    return _work("elementwise", float(_largest([*inputs, *outputs])), inputs, outputs)


def transcendental_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Some ten operations for each element: a polynomial and the reduction of its argument."""
    work = elementwise_work(inputs, outputs, attrs)
    return work._replace(flops=10 * work.flops)


def sum_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """All inputs added up: one addition for each element of each."""
    elements = sum(tensor.elements for tensor in flat(inputs))
    return _work("elementwise", float(elements), inputs, outputs)


def copy_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Elements moved as they are: no more is read than is written (a slice, a transpose)."""
    written = total_bytes(outputs)
    read = min(total_bytes(inputs), written)
    return Work("elementwise", 0.0, read, written, arithmetic_type(inputs, outputs))


def fill_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Elements written that depend on none of the inputs' contents, or on a few."""
    return Work("elementwise", 0.0, 0, total_bytes(outputs), arithmetic_type((), outputs))


def reduction_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """One operation for each element that is read."""
    return _work("reduction", float(_largest(inputs)), inputs, outputs)


def matmul_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A product of matrices, or of a batch of them: two operations for each pair multiplied."""
    a, *_ = inputs
    transposed = attrs.get("transpose_a") or attrs.get("adj_x") or attrs.get("adjoint_a")
    if len(a.shape) < 2 or not outputs or len(outputs[0].shape) < 2:
        return elementwise_work(inputs, outputs, attrs)
    depth = a.shape[-2 if transposed else -1]
    *batch, rows, columns = outputs[0].shape
    product = (math.prod(batch), rows, columns, depth)
    return _work("matmul", 2.0 * math.prod(product), inputs, outputs, product=product)


def einsum_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A sum over labelled axes: two operations for each combination of labels."""
    operands, *_ = inputs if inputs and not isinstance(inputs[0], TensorFact) else (inputs,)
    left, _, right = str(attrs.get("equation", "")).replace(" ", "").partition("->")
    sizes: dict[str, int] = {}
    for term, operand in zip(left.split(","), operands, strict=False):
        before, dots, after = term.partition("...")
        shape = operand.shape
        named = [*zip(before, shape, strict=False)]
        if dots:
            middle = shape[len(before) : len(shape) - len(after)]
            named += [(f".{len(middle) - i}", size) for i, size in enumerate(middle)]
        if after:
            named += zip(after, shape[len(shape) - len(after) :], strict=False)
        for label, size in named:
            sizes[label] = max(size, sizes.get(label, 1))
    if len(operands) != 2 or left.count(",") != 1:
        return reduction_work(inputs, outputs, attrs)
    first, second = left.split(",")
    in_both = {label for label in sizes if _has_label(label, first) and _has_label(label, second)}

    def count(labels: set[str]) -> int:
        return math.prod(sizes[label] for label in labels)

    batch = {label for label in in_both if _has_label(label, right)}
    rows = {label for label in sizes if _has_label(label, first)} - in_both
    columns = {label for label in sizes if _has_label(label, second)} - in_both
    product = (count(batch), count(rows), count(columns), count(in_both - batch))
    return _work("matmul", 2.0 * count(set(sizes)), inputs, outputs, product=product)


def _has_label(label: str, term: str) -> bool:
    return ("..." if label.startswith(".") else label) in term


_FAST_WINDOWS = ((3, 3), (5, 5))


def conv_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A convolution: each output element is a sum over the window and the input's channels."""
    image, window, *_ = inputs
    return _convolution("conv", image, window.shape, outputs[0], inputs, outputs, attrs)


def conv_input_gradient_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """The gradient of a convolution's input: as many operations as the convolution itself."""
    _, window, gradient, *_ = inputs
    return _convolution(
        "conv_gradient", outputs[0], window.shape, gradient, inputs, outputs, attrs, "input"
    )


def conv_filter_gradient_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """The gradient of a convolution's filter: as many operations as the convolution itself."""
    image, _, gradient, *_ = inputs
    return _convolution(
        "conv_gradient", image, outputs[0].shape, gradient, inputs, outputs, attrs, "filter"
    )


def _convolution(
    kind: str,
    image: TensorFact,
    window: tuple[int, ...],
    result: TensorFact,
    inputs: Inputs,
    outputs: Outputs,
    attrs: Attrs,
    wanted: str = "output",
) -> Work:
    *sizes, depth, channels = window if len(window) > 2 else (1, 1, 1)
    taps = math.prod(sizes)
    positions = result.elements // max(channels, 1)
    # The same three numbers make the matrix product of all three convolutions; which of them is
    # summed over differs, and with it how much of a card is busy.
    rows, columns, inner = positions, channels, taps * depth
    if wanted == "input":
        rows, columns, inner = image.elements // max(depth, 1), depth, taps * channels
    elif wanted == "filter":
        rows, columns, inner = taps * depth, channels, positions
    strides = attrs.get("strides") or ()
    is_dense = all(step == 1 for step in (*strides, *(attrs.get("dilations") or ())))
    has_fast_way = is_dense and tuple(sizes) in _FAST_WINDOWS
    return _work(
        kind,
        2.0 * positions * channels * taps * depth,
        inputs,
        outputs,
        product=(1, rows, columns, inner),
        window=(taps, depth, channels) if has_fast_way else None,
        channels=depth,
    )


def depthwise_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A convolution of each channel by itself, and its gradients: one sum over the window each."""
    tensors = [*inputs, *outputs]
    by_size = sorted(flat(tensors), key=lambda tensor: tensor.elements)
    windows = [tensor for tensor in by_size if len(tensor.shape) == 4]
    taps = math.prod(windows[0].shape[:2]) if windows else 1
    return _work("depthwise", 2.0 * taps * _largest(tensors), inputs, outputs)


def pooling_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """One operation for each element of the window at each place."""
    taps = math.prod(int(size) for size in attrs.get("ksize") or (1,))
    smallest = min((t.elements for t in [*flat(inputs), *outputs] if t.elements > 8), default=0)
    return _work("pooling", float(taps * smallest), inputs, outputs)


def normalization_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Two passes over the input, one for the statistics, and one over the output."""
    largest = max(flat(inputs), key=lambda tensor: tensor.elements)
    work = _work("normalization", 8.0 * largest.elements, inputs, outputs)
    is_trained = attrs.get("is_training", True)
    return work._replace(read_bytes=work.read_bytes + largest.nbytes) if is_trained else work


def normalization_gradient_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Two passes over the input and the gradient that came, one over the result."""
    elements = _largest(inputs)
    work = _work("normalization", 12.0 * elements, inputs, outputs)
    large = [tensor.nbytes for tensor in flat(inputs) if tensor.elements == elements]
    return work._replace(read_bytes=work.read_bytes + sum(large[:2]))


def response_norm_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A sum of squares over neighbouring channels for each element, and a power."""
    taps = 2 * int(attrs.get("depth_radius") or 5) + 1
    elements = _largest([*inputs, *outputs])
    return _work("normalization", float((2 * taps + 20) * elements), inputs, outputs)


def rnn_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A product of matrices for each time step: two operations for each weight and row."""
    tensors = flat(inputs)
    sequence = next((tensor for tensor in tensors if len(tensor.shape) == 3), None)
    weights = max(
        (tensor for tensor in tensors if len(tensor.shape) <= 2),
        key=lambda tensor: tensor.elements,
        default=None,
    )
    if sequence is None or weights is None:
        return elementwise_work(inputs, outputs, attrs)
    steps, rows, _ = sequence.shape
    depth = weights.shape[0] if len(weights.shape) == 2 else max(sequence.shape[-1], 1)
    columns = weights.elements // max(depth, 1)
    flops = 2.0 * steps * rows * weights.elements
    work = _work("rnn", flops, inputs, outputs, 2 * steps, product=(1, rows, columns, depth))
    # Each step reads the weights again, unless they stay in the caches: they mostly do not.
    return work._replace(read_bytes=work.read_bytes + (steps - 1) * weights.nbytes)


def rnn_gradient_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Twice the work of the forward pass: gradients of the weights and of the inputs."""
    work = rnn_work(inputs, outputs, attrs)
    return work._replace(flops=2 * work.flops, kernels=2 * work.kernels)


def gather_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Rows read at places that the indices name: as much as is written, and the indices."""
    written = total_bytes(outputs)
    indices = sum(tensor.nbytes for tensor in flat(inputs[1:]))
    return Work("gather", 0.0, written + indices, written, arithmetic_type(inputs, outputs))


def scatter_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Rows written at places that the indices name: the updates are read, their places too."""
    tensors = flat(inputs)
    updates = max(tensors[1:] or tensors, key=lambda tensor: tensor.nbytes)
    made = total_bytes(outputs)
    return Work(
        "gather",
        float(updates.elements),
        2 * updates.nbytes + total_bytes(inputs[1:]) - updates.nbytes,
        updates.nbytes + made,
        arithmetic_type(inputs, outputs),
        2 if made else 1,
    )


def row_update_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Rows of a variable read, changed and written at places that the indices name."""
    updates = max(flat(inputs[1:]), key=lambda tensor: tensor.nbytes)
    read = total_bytes(inputs[1:]) + updates.nbytes
    return Work("gather", float(updates.elements), read, updates.nbytes, updates.dtype)


def sparse_matmul_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A sparse matrix times a dense one: each element that is there reads a row."""
    _, values, _, dense = inputs
    columns = dense.shape[-1] if dense.shape else 1
    rows_bytes = values.elements * columns * ITEM_BYTES.get(dense.dtype, 4)
    written = total_bytes(outputs)
    flops = 2.0 * values.elements * columns
    return Work("gather", flops, rows_bytes + total_bytes(inputs[:2]), written, dense.dtype)


def random_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Numbers of a counter-based generator: some twenty operations each."""
    written = total_bytes(outputs)
    return Work("random", 20.0 * _largest(outputs), 0, written, arithmetic_type((), outputs))


def sort_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A sort of the input's rows: passes over all of it, in two directions."""
    tensors = flat(inputs)
    row = tensors[0].shape[-1] if tensors and tensors[0].shape else 1
    passes = max(1, math.ceil(math.log2(max(row, 2)) / 4))
    read = total_bytes(inputs)
    return Work(
        "sort",
        float(_largest(inputs)) * math.log2(max(row, 2)),
        passes * read,
        passes * read + total_bytes(outputs),
        arithmetic_type(inputs, outputs),
        passes,
    )


def factorization_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """Dense linear algebra: some n³ operations for each matrix."""
    matrix = max(flat(inputs), key=lambda tensor: tensor.elements)
    *batch, rows, columns = matrix.shape if len(matrix.shape) > 1 else (1, 1)
    flops = 2.0 * math.prod(batch) * rows * columns * min(rows, columns)
    panels = max(1, min(rows, columns) // 32)
    return _work("factorization", flops, inputs, outputs, 2 * panels)


def fourier_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A Fourier transform: 5 n log2 n operations, in passes of a thousand points."""
    largest = max([*flat(inputs), *outputs], key=lambda tensor: tensor.elements)
    row = largest.shape[-1] if largest.shape else 1
    flops = 5.0 * largest.elements * math.log2(max(row, 2))
    passes = max(1, math.ceil(math.log(max(row, 2), 1024)))
    work = _work("elementwise", flops, inputs, outputs, passes)
    return work._replace(
        read_bytes=work.read_bytes * passes, written_bytes=work.written_bytes * passes
    )


def assign_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A value copied into a variable."""
    size = max((tensor.nbytes for tensor in flat(inputs[1:])), default=0)
    return Work("elementwise", 0.0, size, size, arithmetic_type(inputs, outputs))


def assign_add_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
    """A value added to a variable, which is read and written."""
    value = max(flat(inputs[1:]), key=lambda tensor: tensor.nbytes)
    return Work("elementwise", float(value.elements), 2 * value.nbytes, value.nbytes, value.dtype)


def update_work(states: int) -> WorkRule:
    """Return the rule of an optimizer's dense update of a variable and its slots.

    `states` variables come first among the inputs; each is read and written.
    """

    def dense_update_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
        tensors = flat(inputs)
        size = max((tensor.nbytes for tensor in tensors[states:]), default=0)
        elements = _largest(tensors[states:])
        return Work(
            "elementwise",
            6.0 * states * elements,
            (states + 1) * size,
            states * size,
            arithmetic_type(tensors[states:], ()),
        )

    return dense_update_work


def sparse_update_work(states: int) -> WorkRule:
    """Return the rule of an optimizer's update of some rows, named by indices."""

    def rows_update_work(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Work:
        dense = update_work(states)(inputs, outputs, attrs)
        return dense._replace(kind="gather")

    return rows_update_work
