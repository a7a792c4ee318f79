"""What is asked of each distribution; the same questions go to TensorFlow and to placewise."""

import numpy as np

# Class, parameters, values.
CASES = {
    "normal": ("Normal", {"loc": [0.0, 1.0], "scale": [1.0, 2.5]}, [0.5, -3.0]),
    "normal_far_out": ("Normal", {"loc": 0.0, "scale": 1.0}, [-30.0, -11.0, -4.0, 7.0]),
    "bernoulli": ("Bernoulli", {"probs": [0.2, 0.9]}, [1, 0]),
    "bernoulli_logits": ("Bernoulli", {"logits": [[-1.0], [2.0]]}, [1, 0]),
    "categorical": ("Categorical", {"logits": [[1.0, 2.0, 0.5], [0.0, 0.0, 3.0]]}, [1, 2]),
    "categorical_probs": ("Categorical", {"probs": [0.2, 0.3, 0.5]}, [[0], [2]]),
    "uniform": ("Uniform", {"low": [0.0, -1.0], "high": 2.0}, [0.5, 3.0]),
    "gamma": ("Gamma", {"concentration": [0.5, 3.0], "rate": [1.0, 2.0]}, [0.5, 2.0]),
    "beta": ("Beta", {"concentration1": [0.5, 3.0], "concentration0": 2.0}, [0.3, 0.7]),
    "dirichlet": ("Dirichlet", {"concentration": [1.5, 2.0, 3.0]}, [0.2, 0.3, 0.5]),
    "dirichlet_multinomial": (
        "DirichletMultinomial",
        {"total_count": 4.0, "concentration": [1.0, 2.0, 3.0]},
        [1.0, 1.0, 2.0],
    ),
    "exponential": ("Exponential", {"rate": [1.0, 4.0]}, [0.5, 2.0]),
    "laplace": ("Laplace", {"loc": [0.0, 1.0], "scale": [1.0, 2.0]}, [0.5, -3.0]),
    "multinomial": ("Multinomial", {"total_count": 4.0, "probs": [0.2, 0.3, 0.5]}, [1.0, 1.0, 2.0]),
    "student_t": ("StudentT", {"df": [3.0, 1.5], "loc": 1.0, "scale": [1.0, 2.0]}, [0.5, -3.0]),
}
OF_VALUES = (
    "log_prob",
    "prob",
    "log_cdf",
    "cdf",
    "log_survival_function",
    "survival_function",
)
STATISTICS = ("entropy", "mean", "variance", "stddev", "covariance", "mode")


def ask(tf, name):
    """Return what a distribution answers, method by method."""
    distributions = tf.compat.v1.distributions
    kind, parameters, values = CASES[name]
    parameters = {key: np.array(value, np.float32) for key, value in parameters.items()}
    one = getattr(distributions, kind)(**parameters)
    other = getattr(distributions, kind)(**{k: v * np.float32(0.75) for k, v in parameters.items()})
    questions = {method: lambda m=method: getattr(one, m)(values) for method in OF_VALUES}
    questions |= {method: getattr(one, method) for method in STATISTICS}
    questions["quantile"] = lambda: one.quantile([0.2, 0.6])
    questions["kl_divergence"] = lambda: one.kl_divergence(other)
    questions["cross_entropy"] = lambda: one.cross_entropy(other)
    questions["sample"] = lambda: _sample(tf, one, [2])
    questions["one_sample"] = lambda: _sample(tf, one, ())
    questions["shapes"] = lambda: [one.batch_shape.as_list(), one.event_shape.as_list()]
    questions["shape_tensors"] = lambda: [
        one.batch_shape_tensor().numpy().tolist(),
        one.event_shape_tensor().numpy().tolist(),
    ]
    questions["parameters"] = lambda: sorted(one.parameters)
    return {question: _answer(asked) for question, asked in questions.items()}


def _sample(tf, distribution, shape):
    tf.random.set_seed(5)
    return distribution.sample(shape, seed=7)


def _answer(asked):
    try:
        result = asked()
    except Exception as problem:
        return {"error": type(problem).__name__, "text": str(problem).split("\n")[0]}
    if not hasattr(result, "numpy"):
        return result
    array = result.numpy()
    return {"dtype": str(array.dtype), "shape": list(array.shape), "value": _floats(array)}


def _floats(array):
    return [repr(float(value)) for value in array.ravel()]
