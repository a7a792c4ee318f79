"""Names of `functions` that are used against the direction of imports: `lazy.callee(...)`."""

from placewise.core.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "autograph.calls": "callee",
        "gradient": "Differentiable",
    },
)
