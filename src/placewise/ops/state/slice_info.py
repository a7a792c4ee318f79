"""Which part of a larger variable one is, as checkpoints name it."""

from __future__ import annotations

from typing import Any


class SaveSliceInfo:
    """Which part of a whole a variable is, for whoever saves it."""

    def __init__(
        self,
        full_name: Any = None,
        full_shape: Any = None,
        var_offset: Any = None,
        var_shape: Any = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            slice_def = save_slice_info_def
            full_name = (
                f"{import_scope}/{slice_def.full_name}" if import_scope else slice_def.full_name
            )
            full_shape, var_offset = list(slice_def.full_shape), list(slice_def.var_offset)
            var_shape = list(slice_def.var_shape)
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape

    @property
    def spec(self) -> str:
        """The slice as checkpoints name it: the whole's shape, then offset and size by axis."""
        whole = " ".join(str(size) for size in self.full_shape)
        slices = zip(self.var_offset, self.var_shape, strict=True)
        return f"{whole} " + ":".join(f"{start},{size}" for start, size in slices)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return it as a message; None if it is not under the scope."""
        if export_scope is not None and not self.full_name.startswith(export_scope):
            return None
        name = self.full_name if export_scope is None else self.full_name[len(export_scope) + 1 :]
        from placewise import messages  # noqa: PLC0415 - keeps protobuf out

        return messages.SaveSliceInfoDef(
            full_name=name,
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )


class VariablePart:
    """What a variable knows of the whole that it is a part of; None, if it is none."""

    SaveSliceInfo = SaveSliceInfo
    _save_slice_info: Any = None

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info
