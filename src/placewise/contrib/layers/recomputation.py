"""`tf.contrib.layers.recompute_grad`: activations are computed again for gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from placewise.autodiff import custom
from placewise.graph.variable_scope import get_variable_scope, variable_scope


def recompute_grad(
    fn: Callable[..., Any] | None = None, use_data_dep: Any = None, tupleize_grads: bool = False
) -> Any:
    """Return a function like `fn` that keeps nothing for its gradient, but runs `fn` again.

    What `fn` makes with `get_variable` it finds again. Without `fn`, return a decorator.
    `use_data_dep`, `tupleize_grads`: how TensorFlow orders the gradients; the values are the same.
    """
    if fn is None:
        return functools.partial(
            recompute_grad, use_data_dep=use_data_dep, tupleize_grads=tupleize_grads
        )
    block = fn

    @functools.wraps(block)
    def decorated(*args: Any) -> Any:
        scope, is_again = get_variable_scope(), False

        def in_scope(*inner: Any) -> Any:
            nonlocal is_again
            reuse = True if is_again else scope.reuse
            is_again = True
            with variable_scope(scope, reuse=reuse, use_resource=True):
                return block(*inner)

        return custom.recompute_grad(in_scope)(*args)

    return decorated
