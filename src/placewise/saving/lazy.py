"""Functions of `saving` that are used against the direction of imports: `lazy.load_graph(...)`."""

from placewise.core.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "loading_graphs": "load_graph",
        "meta_graph": "export_meta_graph",
    },
)
