"""The ops optimizers update whole variables with: `tf.raw_ops.ResourceApplyAdam` and its like."""

from __future__ import annotations

from placewise.ops.state import update_rules as rules
from placewise.ops.state.update_ops import updates_all

apply_gradient_descent = updates_all(
    "ResourceApplyGradientDescent(var: resource, alpha: T, delta: T; use_locking: bool = False)",
    rules.gradient_descent,
    "Take a step against the gradient.",
)
apply_proximal_gradient_descent = updates_all(
    "ResourceApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, delta: T;"
    " use_locking: bool = False)",
    rules.proximal_gradient_descent,
    "Take a step against the gradient, then shrink.",
)
apply_momentum = updates_all(
    "ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T;"
    " use_locking: bool = False, use_nesterov: bool = False)",
    rules.momentum,
    "Update a variable with momentum.",
)
apply_keras_momentum = updates_all(
    "ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T;"
    " use_locking: bool = False, use_nesterov: bool = False)",
    rules.keras_momentum,
    "Update a variable with momentum that holds the learning rate.",
)
apply_adam = updates_all(
    "ResourceApplyAdam(var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T,"
    " lr: T, beta1: T, beta2: T, epsilon: T, grad: T; use_locking: bool = False,"
    " use_nesterov: bool = False)",
    rules.adam,
    "Update a variable by Adam.",
    rules.adam_of_many,
)
apply_adam_with_amsgrad = updates_all(
    "ResourceApplyAdamWithAmsgrad(var: resource, m: resource, v: resource, vhat: resource,"
    " beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T;"
    " use_locking: bool = False)",
    rules.adam_with_amsgrad,
    "Update a variable by Adam in its AMSGrad form.",
)
apply_ada_max = updates_all(
    "ResourceApplyAdaMax(var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T,"
    " beta2: T, epsilon: T, grad: T; use_locking: bool = False)",
    rules.ada_max,
    "Update a variable by AdaMax.",
)
apply_adagrad = updates_all(
    "ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T;"
    " use_locking: bool = False, update_slots: bool = True)",
    rules.adagrad,
    "Update a variable by Adagrad.",
)
apply_adagrad_v2 = updates_all(
    "ResourceApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T;"
    " use_locking: bool = False, update_slots: bool = True)",
    rules.adagrad_v2,
    "Update a variable by Adagrad with an epsilon.",
)
apply_adagrad_da = updates_all(
    "ResourceApplyAdagradDA(var: resource, gradient_accumulator: resource,"
    " gradient_squared_accumulator: resource, grad: T, lr: T, l1: T, l2: T, global_step: int64;"
    " use_locking: bool = False)",
    rules.adagrad_da,
    "Update a variable by Adagrad with dual averaging.",
)
apply_proximal_adagrad = updates_all(
    "ResourceApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T;"
    " use_locking: bool = False)",
    rules.proximal_adagrad,
    "Update a variable by Adagrad, then shrink.",
)
apply_adadelta = updates_all(
    "ResourceApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T,"
    " epsilon: T, grad: T; use_locking: bool = False)",
    rules.adadelta,
    "Update a variable by Adadelta.",
)
apply_rms_prop = updates_all(
    "ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T,"
    " epsilon: T, grad: T; use_locking: bool = False)",
    rules.rms_prop,
    "Update a variable by RMSProp.",
)
apply_centered_rms_prop = updates_all(
    "ResourceApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T,"
    " rho: T, momentum: T, epsilon: T, grad: T; use_locking: bool = False)",
    rules.centered_rms_prop,
    "Update a variable by RMSProp around the mean gradient.",
)
apply_ftrl = updates_all(
    "ResourceApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T,"
    " l2: T, lr_power: T; use_locking: bool = False, multiply_linear_by_lr: bool = False)",
    rules.ftrl,
    "Update a variable by FTRL.",
)
apply_ftrl_v2 = updates_all(
    "ResourceApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T,"
    " l2: T, l2_shrinkage: T, lr_power: T; use_locking: bool = False,"
    " multiply_linear_by_lr: bool = False)",
    rules.ftrl,
    "Update a variable by FTRL with shrinkage.",
)
apply_add_sign = updates_all(
    "ResourceApplyAddSign(var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T,"
    " grad: T; use_locking: bool = False)",
    rules.add_sign,
    "Update a variable by AddSign.",
)
apply_power_sign = updates_all(
    "ResourceApplyPowerSign(var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T,"
    " grad: T; use_locking: bool = False)",
    rules.power_sign,
    "Update a variable by PowerSign.",
)
