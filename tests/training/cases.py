"""What is asked of TensorFlow 1.15 and of placewise alike: each case returns plain data.

Runs under both (TensorFlow 1.15 needs Python 3.7): `tf` is the module, `variable(value, name)`
makes a reference or a resource variable.
"""

import numpy as np

STEPS = 4


def optimizers(tf):
    """Return name → function that makes the optimizer."""
    t = tf.train
    return {
        "sgd": lambda: t.GradientDescentOptimizer(0.1),
        "momentum": lambda: t.MomentumOptimizer(0.05, 0.9),
        "nesterov": lambda: t.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
        "adam": lambda: t.AdamOptimizer(0.1),
        "adam_slow": lambda: t.AdamOptimizer(0.01, beta1=0.8, beta2=0.9, epsilon=0.1),
        "adagrad": lambda: t.AdagradOptimizer(0.1),
        "adagrad_da": lambda: t.AdagradDAOptimizer(
            0.1,
            t.get_or_create_global_step(),
            l1_regularization_strength=0.01,
            l2_regularization_strength=0.02,
        ),
        "adadelta": lambda: t.AdadeltaOptimizer(1.0, 0.9, 1e-3),
        "rmsprop": lambda: t.RMSPropOptimizer(0.05, momentum=0.5),
        "rmsprop_centered": lambda: t.RMSPropOptimizer(0.02, centered=True),
        "ftrl": lambda: t.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        "ftrl_power": lambda: t.FtrlOptimizer(0.1, learning_rate_power=-0.3),
        "ftrl_shrinkage": lambda: t.FtrlOptimizer(
            0.1, l2_regularization_strength=0.1, l2_shrinkage_regularization_strength=0.1
        ),
        "proximal_sgd": lambda: t.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
        "proximal_adagrad": lambda: t.ProximalAdagradOptimizer(
            0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02
        ),
    }


def losses(tf):
    """Return name → function of two variables that makes a loss."""
    return {
        "dense": lambda w, b: tf.reduce_sum(tf.square(w * b - 0.5)),
        "sparse": lambda w, b: tf.reduce_sum(tf.square(tf.gather(w, [0, 2, 0]) * b - 0.5)),
    }


def optimizer_names():
    """Return the names of all optimizer cases."""

    class Any:
        def __getattr__(self, name):
            return self

    return sorted(optimizers(Any()))


def optimize(tf, variable, optimizer, loss, dtype):
    """Return what training leaves behind, step by step, and what it is called."""
    with tf.Graph().as_default() as graph:
        w = variable((np.arange(6).reshape(3, 2) / 3 - 0.4).astype(dtype), "w")
        b = variable(np.array([1.0, -2.0], dtype), "b")
        value = losses(tf)[loss](w, b)
        step = tf.train.get_or_create_global_step()
        made = optimizers(tf)[optimizer]()
        train = made.minimize(value, global_step=step)
        slots = made.variables()
        answer = {
            "slots": made.get_slot_names(),
            "variables": [each.name for each in slots],
            "train": train.name,
            "updates": sorted(op.type for op in graph.get_operations() if "Apply" in op.type),
            "steps": [],
        }
        with tf.Session() as session:
            session.run([v.initializer for v in graph.get_collection("variables")])
            for _ in range(STEPS):
                session.run(train)
                found = session.run([w, b, step, *slots])
                answer["steps"].append([np.asarray(each).tolist() for each in found])
    return answer


def decays(tf):
    """Return name → function of a step that makes a rate."""
    t = tf.train
    return {
        "exponential": lambda s: t.exponential_decay(0.1, s, 10, 0.5),
        "exponential_staircase": lambda s: t.exponential_decay(0.1, s, 10, 0.5, staircase=True),
        "piecewise": lambda s: t.piecewise_constant(s, [3, 6], [1.0, 0.5, 0.1]),
        "polynomial": lambda s: t.polynomial_decay(0.1, s, 10),
        "polynomial_cycle": lambda s: t.polynomial_decay(0.1, s, 10, power=2.0, cycle=True),
        "natural": lambda s: t.natural_exp_decay(0.1, s, 10, 0.5),
        "natural_staircase": lambda s: t.natural_exp_decay(0.1, s, 10, 0.5, staircase=True),
        "inverse_time": lambda s: t.inverse_time_decay(0.1, s, 10, 0.5),
        "inverse_time_staircase": lambda s: t.inverse_time_decay(0.1, s, 10, 0.5, True),
        "cosine": lambda s: t.cosine_decay(0.1, s, 10, 0.2),
        "cosine_restarts": lambda s: t.cosine_decay_restarts(0.1, s, 10, 2.0, 0.9, 0.1),
        "cosine_restarts_even": lambda s: t.cosine_decay_restarts(0.1, s, 10, 1.0, 0.9, 0.1),
        "linear_cosine": lambda s: t.linear_cosine_decay(0.1, s, 10),
    }


DECAY_STEPS = (0, 1, 3, 4, 6, 7, 10, 15, 31)


def decay(tf, name):
    """Return the rates at some steps, and the name of the tensor."""
    with tf.Graph().as_default():
        step = tf.placeholder(tf.int64, [])
        rate = decays(tf)[name](step)
        with tf.Session() as session:
            return [float(session.run(rate, {step: at})) for at in DECAY_STEPS]


AVERAGES = {"plain": {}, "updates": {"num_updates": 2}, "debiased": {"zero_debias": True}}


def average(tf, variable, options):
    """Return what moving averages of a variable and of a tensor are, step by step."""
    with tf.Graph().as_default() as graph:
        w = variable(np.array([1.0, 2.0], "f4"), "w")
        double = tf.multiply(w, 2.0, name="double")
        averages = tf.train.ExponentialMovingAverage(0.9, **options)
        move = averages.apply([w, double])
        grow = w.assign_add([1.0, 1.0])
        answer = {
            "names": [averages.average_name(w), averages.average_name(double)],
            "all": sorted(each.name for each in graph.get_collection("variables")),
            "restore": {k: v.name for k, v in averages.variables_to_restore().items()},
            "steps": [],
        }
        with tf.Session() as session:
            session.run([v.initializer for v in graph.get_collection("variables")])
            for _ in range(3):
                session.run(move)
                found = session.run([averages.average(w), averages.average(double)])
                answer["steps"].append([each.tolist() for each in found])
                session.run(grow)
    return answer
