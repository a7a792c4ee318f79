"""Parts of datasets that are used against the direction of imports: `lazy.DatasetSpec`."""

from placewise.core.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "dataset": "DatasetBatch DatasetSpec DatasetV2 datasets_as_one",
        "files": "load save snapshot",
        "mixtures": "choose sample",
    },
)
