"""slim.dataset: where data is, how it is read and decoded."""

from __future__ import annotations

from typing import Any


class Dataset:
    """Files of data with their reader and decoder; further facts are attributes."""

    def __init__(
        self,
        data_sources: Any,
        reader: Any,
        decoder: Any,
        num_samples: int | None,
        items_to_descriptions: Any,
        **kwargs: Any,
    ) -> None:
        kwargs.update(
            data_sources=data_sources,
            reader=reader,
            decoder=decoder,
            num_samples=num_samples,
            items_to_descriptions=items_to_descriptions,
        )
        self.__dict__.update(kwargs)
