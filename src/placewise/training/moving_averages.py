"""`tf.train.ExponentialMovingAverage`: shadow variables that follow others, smoothed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable import VariableV1
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import group
from placewise.ops.math.arithmetic import minimum
from placewise.ops.math.arithmetic import pow as power_of
from placewise.ops.math.cast import cast
from placewise.training import slots
from placewise.training.slots import is_eager
from placewise.training.update_target import update_target

if TYPE_CHECKING:
    from placewise.graph.variables import RefVariable


_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16)


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Move a variable towards `value` by the share 1 - `decay`.

    With `zero_debias`, an average that began at zero is scaled as if it had not: the state for that
    is kept in `{variable}/biased` and `{variable}/local_step`.
    """
    if is_eager():
        share = cast(convert_to_tensor(1.0 - decay), variable.dtype.base_dtype)
        return _moved(variable, value, share, zero_debias, None)
    scoped = get_default_graph().name_scope(name or "AssignMovingAvg")
    with scoped as scope, slots.beside(variable):
        # The difference of Python numbers has more digits than that of float32 tensors.
        share = convert_to_tensor(1.0 - decay, name="decay")
        if share.dtype.base_dtype is not variable.dtype.base_dtype:
            share = cast(share, variable.dtype.base_dtype)
        return _moved(variable, value, share, zero_debias, scope)


def _moved(variable: Any, value: Any, share: Any, zero_debias: bool, name: str | None) -> Any:
    if zero_debias:
        return variable.assign(_unbiased(variable, value, share), name=name)
    return variable.assign_sub((variable.value() - value) * share, name=name)


def _unbiased(variable: RefVariable, value: Tensor, share: Tensor) -> Any:
    """Return the average of the values seen so far, as if it had not begun at zero."""
    dtype = variable.dtype.base_dtype
    biased = slots.create_zeros_slot(variable, "biased")
    step = slots.create_slot_with_initializer(variable, slots.zeros_of, [], dtype, "local_step")
    total = biased.assign_sub((biased.value() - value) * share)
    count = step.assign_add(1)
    return convert_to_tensor(total) / (1.0 - power_of(1.0 - share, convert_to_tensor(count)))


class ExponentialMovingAverage:
    """Keeps, for each variable, a shadow that follows it: decay * shadow + (1 - decay) * value.

    `decay`: how much of the shadow each update keeps, such as 0.999.
    `num_updates`: with it the decay is at most (1 + updates) / (10 + updates), so that shadows move
        faster at first.
    `zero_debias`: begin at 0 and correct for that.

    `apply(variables)` returns the operation that updates the shadows, `average(variable)` a shadow,
    `variables_to_restore()` what a Saver needs to load shadows in place of variables.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     w = tf.compat.v1.get_variable("w", initializer=0.0)
    ...     average = tf.compat.v1.train.ExponentialMovingAverage(0.5)
    ...     update = average.apply([w])
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(w.assign(4.0))
    ...     session.run(update)
    ...     session.run(average.average(w))
    np.float32(4.0)
    np.float32(2.0)
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._num_updates = decay, num_updates
        self._zero_debias, self._name = zero_debias, name
        self._averages: dict[int, tuple[Any, Any]] = {}

    @property
    def name(self) -> str:
        """The name, which the shadows bear too."""
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Return an operation that moves every shadow once; shadows are made if there are none."""
        if var_list is None:
            var_list = get_default_graph().get_collection("trainable_variables")
        debiased: set[int] = set()
        for var in var_list:
            if var.dtype.base_dtype not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if _key(var) not in self._averages:
                self._averages[_key(var)] = (var, self._shadow(var))
            if self._zero_debias and not _is_variable(var):
                debiased.add(_key(var))
        if is_eager():
            for var in var_list:
                self._move(var, self._decay_now(), _key(var) in debiased)
            return None
        with get_default_graph().name_scope(self._name) as scope:
            decay = self._decay_now()
            moves = [self._move(var, decay, _key(var) in debiased) for var in var_list]
            return group(*moves, name=scope)

    def _shadow(self, var: Any) -> Any:
        if is_eager():
            if not _is_variable(var):
                raise TypeError(f"The variables must be variables when eager: {var}")
            return slots.create_slot(var, var.value(), self._name)
        graph = get_default_graph()
        with graph.control_dependencies(None):
            if not _is_variable(var):
                return slots.create_zeros_slot(var, self._name)
            made = slots.create_slot(var, var.initialized_value(), self._name)
            graph.add_to_collection("moving_average_variables", var)
            return made

    def _decay_now(self) -> Any:
        decay = convert_to_tensor(self._decay, name="decay")
        if self._num_updates is None:
            return decay
        updates = cast(self._num_updates, dtypes.float32, name="num_updates")
        return minimum(decay, (1.0 + updates) / (10.0 + updates))

    def _move(self, var: Any, decay: Tensor, zero_debias: bool) -> Any:
        return assign_moving_average(self.average(var), var, decay, zero_debias=zero_debias)

    def average(self, var: Any) -> Any:
        """Return the shadow of a variable, or None."""
        _, found = self._averages.get(_key(var), (None, None))
        return found

    def average_name(self, var: Any) -> str:
        """Return the name of a variable's shadow, also before there is one."""
        if _key(var) in self._averages:
            name: str = self._averages[_key(var)][1].name
            return name.removesuffix(":0")
        own = var.name.partition(":")[0]
        if is_eager():
            return f"{own}/{self._name}"
        graph = get_default_graph()
        with graph.name_scope(None):
            return graph.unique_name(f"{own}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Return saved name → variable, so that variables begin with their saved averages."""
        graph = get_default_graph()
        if moving_avg_variables is None:
            moving_avg_variables = [
                *graph.get_collection("trainable_variables"),
                *graph.get_collection("moving_average_variables"),
            ]
        moving = {id(each): each for each in moving_avg_variables}
        found = {self.average_name(each): each for each in moving.values()}
        followed = {each.op.name for each in moving.values()}
        for each in graph.get_collection("variables"):
            name = each.op.name
            if id(each) not in moving and name not in followed and name not in found:
                found[name] = each
        return found


def _is_variable(var: Any) -> bool:
    return isinstance(var, VariableV1) or not isinstance(var, Tensor)


def _key(var: Any) -> int:
    return id(update_target(var))
