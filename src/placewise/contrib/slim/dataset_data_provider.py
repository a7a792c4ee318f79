"""slim.dataset_data_provider: the items of a dataset's files, one case at a time."""

from __future__ import annotations

from typing import Any

from placewise.contrib.slim import data_provider, parallel_reader


class DatasetDataProvider(data_provider.DataProvider):
    """Reads a dataset's files and gives the items of the next case."""

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: Any = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: Any = None,
        scope: str | None = None,
    ) -> None:
        queue = {"capacity": common_queue_capacity, "min_after_dequeue": common_queue_min}
        record = parallel_reader.parallel_read(
            dataset.data_sources,
            dataset.reader,
            num_epochs,
            num_readers,
            reader_kwargs,
            shuffle,
            seed=seed,
            scope=scope,
            **queue,
        )
        super().__init__(_decode(dataset.decoder, record, record_key), dataset.num_samples)


def _decode(decoder: Any, record: tuple[Any, Any], key_item: str) -> dict[str, Any]:
    """Return the tensors of a record by item; one more item is the record's key."""
    names = decoder.list_items()
    if key_item in names:
        raise ValueError(
            f"The item name used for `record_key` cannot also be used for a dataset item: "
            f"{key_item}"
        )
    key, value = record
    return dict(zip([*names, key_item], [*decoder.decode(value, names), key], strict=True))
