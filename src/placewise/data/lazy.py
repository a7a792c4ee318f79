"""Parts of datasets that are used against the direction of imports: `lazy.DatasetSpec`."""

from placewise.core.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "dataset": "DatasetSpec DatasetV2",
        "files": "load save snapshot",
        "mixtures": "choose sample",
    },
)
