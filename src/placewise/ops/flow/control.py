"""One branch of several: `tf.cond`, `tf.case`, `tf.switch_case`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from placewise.core.dtypes import bool as boolean
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import stack
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import Assert
from placewise.ops.flow.graphs import graph_flow

Branch = Callable[[], Any]


def _missing(argument: str) -> NoReturn:
    raise TypeError(f"cond(): '{argument}' argument required")


def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """Return what `true_fn` returns if `pred` is true, else what `false_fn` returns.

    `pred`: a boolean scalar, a tensor or a Python value.
    `true_fn`, `false_fn`: functions without arguments. In a graph both are written down, and must
        return the same structure with the same dtypes; only one runs.

    A `pred` computed on a real GPU has to be waited for. Raises TypeError if a branch is no
    function, and an error if results of the two do not fit together.

    >>> import placewise as tf
    >>> tf.cond(tf.constant(2) < 3, lambda: "less", lambda: "not less")
    'less'
    """
    for branch, argument in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if branch is None:
            _missing(argument)
        if not callable(branch):
            raise TypeError(f"'{argument}' must be callable.")
    if (flow := graph_flow()) is not None:
        return flow.cond(pred, true_fn, false_fn, strict=True, name=name)
    return cond_eagerly(pred, true_fn, false_fn)


def cond_eagerly(pred: Any, true_fn: Branch, false_fn: Branch) -> Any:
    """Call the one branch that `pred`, a value known now, selects."""
    return true_fn() if convert_to_tensor(pred) else false_fn()


def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = "case",
) -> Any:
    """Return what the function of the first true predicate returns, or `default` if none is.

    `exclusive` makes two true predicates an error. Without `default`, none true is one. A list or
    tuple of one value comes back as that value, unless `strict`.
    """
    flow = graph_flow()
    pairs = _checked_pairs(pred_fn_pairs, exclusive or flow is not None)
    if flow is not None:
        return flow.case(pairs, default, exclusive, strict, name)
    predicates, actions = zip(*pairs, strict=True)
    return case_eagerly(predicates, actions, default, exclusive, strict)


def case_eagerly(
    predicates: Sequence[Any],
    actions: Sequence[Branch],
    default: Any,
    exclusive: bool,
    strict: bool,
) -> Any:
    """Call the function of the first predicate that holds now."""
    if default is None:
        predicates, actions, default = _last_as_default(predicates, actions)
    elif not callable(default):
        raise TypeError("'false_fn' must be callable.")
    if exclusive:
        _assert_at_most(1, predicates, "Input error: exclusive=True")
    for predicate, action in zip(predicates, actions, strict=True):
        if predicate:
            return _unpacked(action(), strict)
    return _unpacked(default(), strict)


def _unpacked(result: Any, strict: bool) -> Any:
    if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def _checked_pairs(pairs: Any, exclusive: bool) -> list[tuple[Any, Branch]]:
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, dict):
        if not exclusive and type(pairs) is dict:
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when "
                "`exclusive=False` and eager mode is enabled."
            )
        pairs = list(pairs.items())
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        predicate, function = pair
        if not isinstance(predicate, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        if predicate.dtype is not boolean:
            raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate.name} must be callable.")
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return list(pairs)


def _last_as_default(
    predicates: Sequence[Any], actions: Sequence[Branch]
) -> tuple[Sequence[Any], Sequence[Branch], Branch]:
    """Return the last function as what runs when no other does: its predicate must hold then."""

    def default() -> Any:
        told = ("Input error: None of conditions evaluated as True:", stack(list(predicates)))
        Assert(predicates[-1], told)
        return actions[-1]()

    return predicates[:-1], actions[:-1], default


def _assert_at_most(count: int, predicates: Sequence[Any], message: str) -> None:
    true = sum(1 for predicate in predicates if predicate)
    names = ", ".join("?" for _ in predicates)
    told = f"{message}: more than {count} conditions ({names}) evaluated as True:"
    Assert(
        convert_to_tensor(true <= count),
        [told, stack(list(predicates))],
        summarize=len(predicates),
    )


def switch_case(
    branch_index: Any, branch_fns: Any, default: Any = None, name: str | None = "switch_case"
) -> Any:
    """Return what the function at `branch_index` returns; beyond them, `default` or the last.

    `branch_fns` is a list of functions, of pairs (index, function), or a dict.
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!s}")
    branches = _checked_branches(branch_fns)
    if default is not None:
        branches.append(default)
    if (flow := graph_flow()) is not None:
        return flow.switch_case(branch_index, branches, name)
    return switch_case_eagerly(branch_index, branches)


def switch_case_eagerly(branch_index: Any, branches: list[Branch]) -> Any:
    """Call the branch whose number is known now; any other number means the last."""
    if branch_index.shape.rank != 0:
        raise invalid("'then' must be at least a vector, but saw shape: [] [Op:Select] name: ")
    index = int(branch_index)
    return branches[index if 0 <= index < len(branches) else -1]()


def _checked_branches(given: Any) -> list[Branch]:
    if not given:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if not isinstance(given, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    if isinstance(given, dict):
        given = list(given.items())
    if all(callable(branch) for branch in given):
        return list(given)
    found: dict[int, Branch] = {}
    for pair in given:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, branch = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(branch):
            raise TypeError(f"fn for key {key} must be callable.")
        found[key] = branch
    if sorted(found) != list(range(len(given))):
        keys = ",".join(str(key) for key, _ in sorted(given, key=lambda pair: pair[0]))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(given)}) but found "
            f"{{{keys}}}"
        )
    return [found[key] for key in sorted(found)]
