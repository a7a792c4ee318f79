"""Datasets in a SavedModel: a resource whose function makes the dataset again."""

from __future__ import annotations

from typing import Any

from placewise.core.trackable import TrackableResource
from placewise.data.dataset import DatasetV2
from placewise.data.rewriting import rewritten
from placewise.ops.values import EagerTensor


def is_saved_dataset(value: Any) -> bool:
    """Return True for a dataset that exists, so that functions may have captured it."""
    return isinstance(value, DatasetV2) and isinstance(value._variant_tensor, EagerTensor)


class SavedDataset(TrackableResource):
    """What functions capture of a dataset, with the function that makes it."""

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__("CPU")
        self._self_handle = dataset._variant_tensor

    def _create_resource(self) -> Any:
        return rewritten(self._self_handle._value)
