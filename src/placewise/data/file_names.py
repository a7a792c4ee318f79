"""`Dataset.list_files`."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError, hint
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape as shape_op
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io.files import matching_files
from placewise.ops.math.arithmetic import maximum


def list_files(base: Any, pattern: Any, shuffle: bool, seed: Any, name: Any) -> Any:
    """Return a dataset of the names of files that match one or several patterns."""
    if not isinstance(pattern, (Tensor, list, tuple, str, bytes)):
        pattern = str(pattern)
    given = convert_to_tensor(pattern, dtypes.string)
    found = matching_files(given)
    if current.interpreter is Scope.eager and not found.shape[0]:
        asked = ", ".join(each.decode() for each in np.atleast_1d(given.numpy()).tolist())
        raise InvalidArgumentError(
            None,
            None,
            hint(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"b'No files matched pattern: {asked}'",
                "check the pattern with tf.io.gfile.glob(pattern); ** and relative paths start at "
                "the working folder",
            ),
        )
    names = base.from_tensor_slices(found, name=name)
    if not shuffle:
        return names

    count = shape_op(found, out_type=dtypes.int64)[0]
    return names.shuffle(maximum(count, 1), seed=seed, name=name)
