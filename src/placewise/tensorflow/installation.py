"""`placewise.install_as_tensorflow`: `import tensorflow` means placewise, without `placewise run`.

For notebooks, servers, tests, and whatever else starts Python itself.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from placewise.tensorflow import hook

_ROOTS = {1: "placewise.v1", 2: "placewise"}


def install_as_tensorflow(version: int = 2) -> ModuleType:
    """Make `import tensorflow` mean placewise from now on in this process.

    Processes that it starts through `multiprocessing` have it too. A second call changes nothing.

    Args:
      version: 1 for programs of TensorFlow 1 (graphs and sessions), or 2.

    Returns:
      What `import tensorflow` gives from now on.

    Raises:
      RuntimeError: TensorFlow itself is imported already, or `import tensorflow` means
        placewise's other version already.
      ValueError: `version` is neither 1 nor 2.

    >>> import placewise
    >>> tf = placewise.install_as_tensorflow()
    >>> import tensorflow
    >>> tensorflow is tf
    True
    """
    if version not in _ROOTS:
        raise ValueError(f"install_as_tensorflow takes version 1 or 2, not {version!r}")
    root, before = _ROOTS[version], hook.installed_root()
    if before not in (None, root):
        raise RuntimeError(
            f"`import tensorflow` already means {before} in this process, and cannot mean {root} "
            "as well: choose the version in the first call, or use tf.compat.v1"
        )
    hook.install(root)
    return importlib.import_module("tensorflow")
