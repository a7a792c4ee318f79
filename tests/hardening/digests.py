"""What came of a call in a few bytes: the class of its error, or dtype, shape and numbers.

Needs NumPy alone, as it runs with placewise and with TensorFlow.
"""

import zlib

import numpy as np


def digest(function, arguments):
    """Return ["error", class], or a list of [dtype, shape, numbers] with an entry per result."""
    try:
        results = function(**arguments)
    except Exception as error:
        return ["error", _class_of(error)]
    if results is None or type(results).__name__ == "Operation":
        return []
    several = results if isinstance(results, (list, tuple)) else [results]
    flat = [one for item in several for one in (item if isinstance(item, list) else [item])]
    return [_of_tensor(tensor) for tensor in flat]


def _class_of(error):
    """Return the class without module; kinds of one class that TensorFlow mixes have one name."""
    name = type(error).__name__
    return {"UnknownDeviceError": "InvalidArgumentError"}.get(name, name)


def _of_tensor(tensor):
    name = tensor.dtype.name
    shape = list(tensor.shape)
    if name in ("resource", "variant"):
        return [name, shape, None]
    array = np.asarray(tensor.numpy())
    if array.dtype == object or array.dtype.kind in "SU":
        return [name, shape, zlib.crc32(repr(array.tolist()).encode())]
    return [name, shape, _numbers(array)]


def _numbers(array):
    """Return a few numbers that a wrong element would change."""
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    values = array.astype(np.float64).ravel()
    if values.size > 6:
        weights = 1.0 + np.arange(values.size) % 7
        finite = np.where(np.isfinite(values), values, 0.0)
        values = np.array([(finite * weights).sum(), np.abs(finite).sum(), np.isnan(values).sum()])
    return [float(f"{value:.4g}") if np.isfinite(value) else str(value) for value in values]
