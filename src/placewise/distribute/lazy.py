"""Names of `distribute` that are used against the direction of imports: `lazy.DEFAULT`."""

from placewise.core.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {"default_strategy": "DEFAULT", "input_iterators": "dataset_iterator input_fn_iterator"},
)
