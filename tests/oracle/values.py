"""Evaluates a case, writes its outcome as JSON data, and compares two outcomes.

Knows the module under test only as the argument `tf`, so TensorFlow and placewise take one path.
"""

import ast
import linecache
import math
import re
import warnings
from typing import Any

import numpy as np

# dtype name: (relative tolerance, absolute tolerance)
TOLERANCES = {
    "float64": (1e-9, 1e-12),
    "complex128": (1e-9, 1e-12),
    "float32": (1e-5, 1e-6),
    "complex64": (1e-5, 1e-6),
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float8_e5m2": (0.3, 0.1),
    "float8_e4m3fn": (0.15, 0.05),
    "py": (1e-6, 1e-9),
}
GAPS = re.compile(
    "Could not find device for node|No OpKernel was registered|gradient registry has no entry"
    "|CPU implementations do not yet"
)
# of the telling words of TensorFlow's message, the share another message must hold
SHARED_WORDS = 0.4


def scope(tf: Any, relaxed: bool = False) -> dict[str, Any]:
    """The names a case may use: `tf`, `np` and the input makers.

    `relaxed` is for graphs: nothing but the rank and dtype is known of the arrays made.
    """

    def a(values: Any, dtype: Any = None) -> Any:
        return tf.constant(values, dtype)

    def made(array: np.ndarray, dtype: str) -> Any:
        tensor = tf.constant(array)
        if tensor.dtype.name != dtype:
            tensor = tf.cast(tensor, dtype)
        return open_shape(tensor) if relaxed else tensor

    def open_shape(tensor: Any) -> Any:
        unknown = [None] * len(tensor.shape)
        return tf.compat.v1.placeholder_with_default(tensor, unknown)

    def r(
        *shape: int, seed: int = 0, dtype: str = "float32", low: float = -2, high: float = 2
    ) -> Any:
        state = np.random.RandomState(seed + 7)
        if dtype.startswith("complex"):
            parts = state.uniform(low, high, (2, *shape))
            return made(np.round(parts[0] * 64) / 64 + 1j * np.round(parts[1] * 64) / 64, dtype)
        grid = np.round(state.uniform(low, high, shape) * 64) / 64
        return made(np.asarray(grid, "float64" if dtype == "float64" else "float32"), dtype)

    def p(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
        return r(*shape, seed=seed, dtype=dtype, low=0.25, high=2)

    def i(*shape: int, seed: int = 0, dtype: str = "int32", low: int = 0, high: int = 10) -> Any:
        return made(np.random.RandomState(seed + 7).randint(low, high, shape).astype(dtype), dtype)

    def b(*shape: int, seed: int = 0) -> Any:
        return made(np.random.RandomState(seed + 7).uniform(size=shape) < 0.5, "bool")

    def v(values: Any, dtype: Any = None) -> Any:
        return tf.Variable(values, dtype=dtype)

    def spd(n: int, seed: int = 0, dtype: str = "float32") -> Any:
        m = np.random.RandomState(seed + 7).uniform(-1, 1, (n, n))
        return made(np.asarray(m @ m.T + n * np.eye(n), "float32"), dtype)

    def grad(f: Any, *xs: Any, weight: Any = None) -> Any:
        """d f / d xs, with the output weighted by a fixed ramp so that elements differ."""
        with tf.GradientTape() as tape:
            for x in xs:
                tape.watch(x)
            y = f(*xs)
        if weight is None and not y.shape.is_fully_defined():
            steps = tf.cast(tf.range(tf.size(y)) % 5, "float32")
            weight = tf.cast(tf.reshape(steps * 0.25 + 0.5, tf.shape(y)), y.dtype)
        elif weight is None:
            size = int(np.prod(y.shape)) if len(y.shape) else 1
            ramp = (np.arange(size) % 5 * 0.25 + 0.5).reshape(tuple(y.shape))
            weight = made(ramp.astype("float32"), y.dtype.name)
        grads = tape.gradient(y, list(xs), output_gradients=weight)
        return grads[0] if len(xs) == 1 else grads

    def grad2(f: Any, x: Any) -> Any:
        """Second derivative: gradient of the sum of the gradient."""
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    def jac(f: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    def sp(indices: Any, values: Any, shape: Any) -> Any:
        return tf.SparseTensor(indices, values, shape)

    def rag(rows: Any, **kw: Any) -> Any:
        return tf.ragged.constant(rows, **kw)

    return {
        "tf": tf,
        "np": np,
        "A": a,
        "R": r,
        "P": p,
        "I": i,
        "B": b,
        "V": v,
        "SPD": spd,
        "SP": sp,
        "RAG": rag,
        "grad": grad,
        "grad2": grad2,
        "jac": jac,
        "nan": math.nan,
        "inf": math.inf,
        "math": math,
    }


def evaluate(tf: Any, code: str, relaxed: bool = False) -> Any:
    """The value of the code's last expression; raises what the code raises."""
    tree = ast.parse(code)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise SyntaxError(f"the case does not end in an expression: {code!r}")
    names = scope(tf, relaxed)
    # autograph reads the source of the functions it traces
    linecache.cache["<case>"] = (len(code), None, code.splitlines(keepends=True), "<case>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(tree, "<case>", "exec"), names)
        return eval(compile(ast.Expression(last.value), "<case>", "eval"), names)


def outcome(tf: Any, code: str) -> Any:
    """What the case gives, as JSON data: its value, or the exception it raises."""
    try:
        value = evaluate(tf, code)
    except Exception as error:
        lines = clean(message_of(error)).splitlines()
        return {"raises": type(error).__name__, "message": lines[0][:300] if lines else ""}
    return describe(tf, value)


def message_of(error: BaseException) -> str:
    """The exception's message as a user reads it, leading blank lines dropped."""
    return str(getattr(error, "message", None) or error).strip()


def clean(text: str) -> str:
    """The text without what differs from run to run: addresses, paths, device names, kernels."""
    text = re.sub(r"0x[0-9a-f]+", "0x0", text)
    text = re.sub(r", KernelDef: .*", "", text)
    text = re.sub(r"/job:localhost/replica:0/task:0", "", text)
    return re.sub(r"/(?:[\w.-]+/){2,}(?=[\w.-]+\.\w+)", "", text)


def describe(tf: Any, value: Any) -> Any:
    """A value as JSON data that keeps type, dtype, shape and every element."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return str(value) if type(value) not in (bool, int, float, type(None)) else value
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray):
        return {"ndarray": value.dtype.name, **_elements(value)}
    if isinstance(value, np.generic):
        return {"scalar": value.dtype.name, **_elements(np.asarray(value))}
    if isinstance(value, tf.DType):
        return {"dtype": value.name}
    if isinstance(value, tf.TensorShape):
        return {"TensorShape": None if value.rank is None else value.as_list()}
    if isinstance(value, (tf.SparseTensor, tf.RaggedTensor, tf.IndexedSlices)):
        return _describe_composite(tf, value)
    if isinstance(value, (tf.Tensor, tf.Variable)):
        kind = "variable" if isinstance(value, tf.Variable) else "tensor"
        return {kind: value.dtype.name, **_elements(_numpy(tf, value))}
    return _describe_structure(tf, value)


def _describe_composite(tf: Any, value: Any) -> Any:
    if isinstance(value, tf.SparseTensor):
        parts = {"indices": value.indices, "values": value.values, "shape": value.dense_shape}
        return {"sparse": {name: describe(tf, part) for name, part in parts.items()}}
    if isinstance(value, tf.RaggedTensor):
        splits = [describe(tf, split) for split in value.nested_row_splits]
        return {"ragged": describe(tf, value.flat_values), "row_splits": splits}
    shape = value.dense_shape
    return {
        "slices": describe(tf, tf.convert_to_tensor(value.values)),
        "indices": describe(tf, value.indices),
        "dense_shape": None if shape is None else describe(tf, shape),
    }


def _describe_structure(tf: Any, value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = {name: describe(tf, getattr(value, name)) for name in value._fields}
        return {"namedtuple": type(value).__name__, "fields": fields}
    if isinstance(value, tuple):
        return {"tuple": [describe(tf, item) for item in value]}
    if isinstance(value, list) or type(value).__name__ == "ListWrapper":
        return [describe(tf, item) for item in value]
    if isinstance(value, dict) or hasattr(value, "items"):
        return {"dict": [[describe(tf, key), describe(tf, item)] for key, item in value.items()]}
    if hasattr(value, "numpy"):
        return describe(tf, value.numpy())
    return {"object": type(value).__name__, "str": clean(str(value))}


def _numpy(tf: Any, tensor: Any) -> np.ndarray:
    name = tensor.dtype.name
    if name == "bfloat16" or name.startswith("float8"):
        return np.asarray(tf.cast(tensor, tf.float32).numpy())
    return np.asarray(tensor.numpy())


def _elements(array: np.ndarray) -> dict[str, Any]:
    flat = array.reshape(-1)
    kind = array.dtype.kind
    values: list[Any]
    if kind in "biu":
        values = [int(x) for x in flat]
    elif kind == "c":
        values = [[_short(x.real), _short(x.imag)] for x in flat]
    elif kind in "OSU":
        values = [x.decode("latin-1") if isinstance(x, bytes) else str(x) for x in flat]
    else:
        if kind == "V":
            flat = flat.astype("float32")
        values = [_short(x) for x in flat]
    return {"shape": list(array.shape), "values": values}


def _short(x: Any) -> float:
    # the shortest decimal that gives the same float back at its own precision
    return float(str(x))


class Difference(AssertionError):
    """Two outcomes that do not agree; the message says where and how."""


def is_gap(expected: Any) -> bool:
    """Whether TensorFlow merely lacks a CPU kernel or a gradient here: a value is no worse."""
    if not isinstance(expected, dict) or "raises" not in expected:
        return False
    return expected["raises"] == "UnimplementedError" or bool(GAPS.search(expected["message"]))


def compare(expected: Any, got: Any, options: dict[str, Any], where: str = "result") -> None:
    """Raise Difference unless `got` agrees with `expected` within the case's options."""
    if is_gap(expected):
        return
    if isinstance(expected, dict) and "raises" in expected:
        raise Difference(f"expected {expected['raises']}: {expected['message']}\n     got {got!r}")
    if isinstance(expected, dict) and isinstance(expected.get("values"), list):
        _compare_elements(expected, got, options, where)
    elif isinstance(expected, dict):
        if not isinstance(got, dict) or list(expected) != list(got):
            raise Difference(f"{where}: expected {expected!r}\n     got {got!r}")
        for key, item in expected.items():
            compare(item, got[key], options, f"{where}.{key}")
    elif isinstance(expected, list):
        if not isinstance(got, list) or len(expected) != len(got):
            raise Difference(f"{where}: expected {expected!r}\n     got {got!r}")
        for position, (item, other) in enumerate(zip(expected, got, strict=True)):
            compare(item, other, options, f"{where}[{position}]")
    elif isinstance(expected, float) and isinstance(got, float):
        _compare_floats(np.array([expected]), np.array([got]), "py", options, where)
    elif type(expected) is not type(got) or expected != got:
        raise Difference(f"{where}: expected {expected!r}\n     got {got!r}")


def compare_error(expected: Any, error: Exception, options: dict[str, Any]) -> None:
    """Raise Difference unless the exception is of the recorded class and says about the same."""
    if not isinstance(expected, dict) or "raises" not in expected:
        raise Difference(f"expected {expected!r}\n     got {type(error).__name__}: {error}")
    if is_gap(expected) and not isinstance(error, (AttributeError, ImportError)):
        return
    want = f"{expected['raises']}: {expected['message']}"
    message = clean(message_of(error))
    got = f"{type(error).__name__}: {message}"
    if expected["raises"] not in [kind.__name__ for kind in type(error).__mro__]:
        raise Difference(f"expected {want}\n     got {got}")
    if options.get("any_message"):
        return
    if options.get("exact_message"):
        if message.split("\n")[0][:300] != expected["message"]:
            raise Difference(f"message: expected {want}\n     got {got}")
        return
    wanted, found = telling_words(expected["message"]), telling_words(message)
    if wanted and len(wanted & found) < SHARED_WORDS * len(wanted):
        raise Difference(f"message: expected about {want}\n     got {got}")


def telling_words(message: str) -> set[str]:
    """The words of a message that carry its sense: no op marks, node names or short words."""
    message = re.sub(r"\{\{.*?\}\}|\[Op:\w+\]|name:(?: \S*|$)|allowed values:.*", " ", message)
    return {word.lower() for word in re.findall(r"[A-Za-z]{4,}", message)}


def _compare_elements(expected: Any, got: Any, options: dict[str, Any], where: str) -> None:
    if not isinstance(got, dict) or not isinstance(got.get("values"), list):
        raise Difference(f"{where}: expected {expected!r}\n     got {got!r}")
    for key, item in expected.items():
        if key != "values" and got.get(key) != item:
            raise Difference(
                f"{where}: {key} expected {item!r}, got {got.get(key)!r}\n"
                f"     expected {expected!r}\n     got {got!r}"
            )
    dtype = next(iter(expected.values()))
    if not re.match(r"b?float|complex", dtype):
        if expected["values"] != got["values"]:
            raise Difference(f"{where}: expected {expected!r}\n     got {got!r}")
        return
    want, have = (np.array(side["values"], "float64") for side in (expected, got))
    _compare_floats(want, have, dtype, options, where)


def _compare_floats(
    want: np.ndarray, have: np.ndarray, dtype: str, options: dict[str, Any], where: str
) -> None:
    rtol, atol = TOLERANCES.get(dtype, TOLERANCES["py"])
    if options.get("exact"):
        rtol = atol = 0.0
    rtol, atol = options.get("rtol", rtol), options.get("atol", atol)
    if dtype.startswith("complex") and want.size:
        # a small part beside a large one carries the error of the large one
        atol = atol + rtol * np.max(np.abs(np.nan_to_num(want)), axis=-1, keepdims=True)
    near = np.isclose(have, want, rtol=rtol, atol=atol, equal_nan=True)
    if options.get("signed_zero"):
        near &= (np.signbit(have) == np.signbit(want)) | np.isnan(want)
    if not near.all():
        raise Difference(
            f"{where} ({dtype}, rtol {rtol}): expected {want.tolist()}\n     got {have.tolist()}"
        )
