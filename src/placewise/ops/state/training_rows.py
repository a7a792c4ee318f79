"""The ops optimizers update rows of variables with: `tf.raw_ops.ResourceSparseApplyAdagrad`, …"""

from __future__ import annotations

from placewise.ops.state import update_rules as rules
from placewise.ops.state.update_ops import updates_rows

_CPU_ONLY = ("CPU",)  # as in TensorFlow, where only some of these have a kernel for GPUs

apply_proximal_gradient_descent_rows = updates_rows(
    "ResourceSparseApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, grad: T,"
    " indices: Tindices; use_locking: bool = False)",
    rules.proximal_gradient_descent,
    "Take a step against the gradient of some rows, then shrink.",
    devices=_CPU_ONLY,
)
apply_momentum_rows = updates_rows(
    "ResourceSparseApplyMomentum(var: resource, accum: resource, lr: T, grad: T,"
    " indices: Tindices, momentum: T; use_locking: bool = False, use_nesterov: bool = False)",
    rules.momentum,
    "Update rows of a variable with momentum.",
    devices=_CPU_ONLY,
)
apply_keras_momentum_rows = updates_rows(
    "ResourceSparseApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T,"
    " indices: Tindices, momentum: T; use_locking: bool = False, use_nesterov: bool = False)",
    rules.keras_momentum,
    "Update rows with momentum that holds the learning rate.",
)
apply_adagrad_rows = updates_rows(
    "ResourceSparseApplyAdagrad(var: resource, accum: resource, lr: T, grad: T,"
    " indices: Tindices; use_locking: bool = False, update_slots: bool = True)",
    rules.adagrad,
    "Update rows of a variable by Adagrad.",
)
apply_adagrad_v2_rows = updates_rows(
    "ResourceSparseApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T,"
    " indices: Tindices; use_locking: bool = False, update_slots: bool = True)",
    rules.adagrad_v2,
    "Update rows of a variable by Adagrad with an epsilon.",
)
apply_adagrad_da_rows = updates_rows(
    "ResourceSparseApplyAdagradDA(var: resource, gradient_accumulator: resource,"
    " gradient_squared_accumulator: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T,"
    " global_step: int64; use_locking: bool = False)",
    rules.adagrad_da,
    "Update rows of a variable by Adagrad with dual averaging.",
    devices=_CPU_ONLY,
)
apply_proximal_adagrad_rows = updates_rows(
    "ResourceSparseApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T,"
    " grad: T, indices: Tindices; use_locking: bool = False)",
    rules.proximal_adagrad,
    "Update rows of a variable by Adagrad, then shrink.",
)
apply_adadelta_rows = updates_rows(
    "ResourceSparseApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T,"
    " rho: T, epsilon: T, grad: T, indices: Tindices; use_locking: bool = False)",
    rules.adadelta,
    "Update rows of a variable by Adadelta.",
    devices=_CPU_ONLY,
)
apply_rms_prop_rows = updates_rows(
    "ResourceSparseApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T,"
    " momentum: T, epsilon: T, grad: T, indices: Tindices; use_locking: bool = False)",
    rules.rms_prop,
    "Update rows of a variable by RMSProp.",
    devices=_CPU_ONLY,
)
apply_centered_rms_prop_rows = updates_rows(
    "ResourceSparseApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource,"
    " lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices;"
    " use_locking: bool = False)",
    rules.centered_rms_prop,
    "Update rows by RMSProp around the mean gradient.",
    devices=_CPU_ONLY,
)
apply_ftrl_rows = updates_rows(
    "ResourceSparseApplyFtrl(var: resource, accum: resource, linear: resource, grad: T,"
    " indices: Tindices, lr: T, l1: T, l2: T, lr_power: T; use_locking: bool = False,"
    " multiply_linear_by_lr: bool = False)",
    rules.ftrl_rows,
    "Update rows of a variable by FTRL.",
)
apply_ftrl_v2_rows = updates_rows(
    "ResourceSparseApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T,"
    " indices: Tindices, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T;"
    " use_locking: bool = False, multiply_linear_by_lr: bool = False)",
    rules.ftrl_rows,
    "Update rows of a variable by FTRL with shrinkage.",
)
