"""GPflow: Gaussian process regression fitted by L-BFGS, a sparse one by Adam, a checkpoint."""

import gpflow
import numpy as np
import tensorflow as tf

x = np.linspace(0.0, 1.0, 20)[:, None]
y = np.sin(8.0 * x) + 0.1 * np.cos(40.0 * x)
model = gpflow.models.GPR((x, y), kernel=gpflow.kernels.SquaredExponential())
print("before", round(float(model.log_marginal_likelihood()), 4))
gpflow.optimizers.Scipy().minimize(
    model.training_loss, model.trainable_variables, options={"maxiter": 50}
)
print("after", round(float(model.log_marginal_likelihood()), 2))
mean, variance = model.predict_f(np.array([[0.33], [1.5]]))
print("mean", np.round(mean.numpy()[:, 0], 2).tolist())
print("grows", bool(variance[1, 0] > variance[0, 0]))

sparse = gpflow.models.SVGP(
    gpflow.kernels.Matern32(),
    gpflow.likelihoods.Gaussian(0.1),
    inducing_variable=x[::4].copy(),
    num_data=20,
)
gpflow.set_trainable(sparse.inducing_variable, False)
optimizer = tf.keras.optimizers.Adam(0.05)


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = sparse.training_loss((x, y))
    variables = sparse.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return loss


losses = [float(step()) for _ in range(20)]
print("sparse", [round(losses[at], 3) for at in (0, 5, 19)])
path = tf.train.Checkpoint(model=sparse).save("gp/model")
kept = sparse.kernel.variance.numpy()
sparse.kernel.variance.assign(9.0)
tf.train.Checkpoint(model=sparse).restore(path)
print("restored", bool(np.isclose(kept, sparse.kernel.variance.numpy())))
