"""`%load_ext placewise` in a notebook: `import tensorflow` means placewise, lists of devices show.

IPython calls `load_ipython_extension` of `placewise` or `placewise.v1`, which call `load`. Other
objects (logs, snapshots, plans) show themselves, without this, by their `_repr_html_`.
"""

from __future__ import annotations

import sys
from typing import Any

from placewise.core.html import to_table
from placewise.devices.handles import LogicalDevice, PhysicalDevice
from placewise.tensorflow import hook
from placewise.tensorflow.installation import install_as_tensorflow


def load(shell: Any, version: int = 2) -> None:
    """Let `import tensorflow` mean placewise in a shell of IPython from now on.

    Raises what `install_as_tensorflow` raises, so a kernel that has TensorFlow itself says so.
    """
    install_as_tensorflow(version)
    _html_formatter(shell).for_type(list, show_devices)


def unload(shell: Any) -> None:
    """Let `import tensorflow` mean again what is installed under that name.

    Raises RuntimeError once Keras runs on placewise: it still imports modules by that name.
    """
    if "keras" in sys.modules:
        raise RuntimeError(
            "Keras is loaded and imports `tensorflow`, which must stay placewise: restart the "
            "kernel instead"
        )
    hook.uninstall()
    formatter = _html_formatter(shell)
    if formatter.lookup_by_type(list) is show_devices:
        formatter.pop(list)


def show_devices(values: list[Any]) -> str | None:
    """Return a list of devices as HTML; None for any other list, which IPython then prints.

    >>> show_devices([1, 2]) is None
    True
    """
    if not values or not all(isinstance(one, PhysicalDevice | LogicalDevice) for one in values):
        return None
    rows = [(device.name, device.device_type) for device in values]
    return to_table(("device", "type"), rows)


def _html_formatter(shell: Any) -> Any:
    return shell.display_formatter.formatters["text/html"]
