"""tensorflow-probability: densities, a fitted flow, variational inference, and a Markov chain."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors


def densities() -> None:
    mixture = tfd.MixtureSameFamily(
        tfd.Categorical(probs=[0.3, 0.7]), tfd.Normal([-1.0, 2.0], [0.5, 1.0])
    )
    print("mixture", np.round(mixture.log_prob([-1.0, 0.0, 2.0]).numpy(), 4).tolist())
    full = tfd.MultivariateNormalTriL([1.0, -1.0], [[1.0, 0.0], [0.5, 2.0]])
    print("normal", np.round(full.log_prob([[0.0, 0.0], [1.0, 2.0]]).numpy(), 4).tolist())
    gamma, other = tfd.Gamma(2.0, 3.0), tfd.Gamma(1.5, 2.0)
    print("divergence", round(float(tfd.kl_divergence(gamma, other)), 4))
    flow = tfb.Chain([tfb.Exp(), tfb.Shift(1.0), tfb.Scale(2.0)])
    moved = tfd.TransformedDistribution(tfd.Normal(0.0, 1.0), flow)
    print("moved", np.round(moved.log_prob([1.0, 3.0]).numpy(), 4).tolist())


def fit() -> None:
    """Fit a normal by maximum likelihood; the scale goes through a softplus."""
    data = np.linspace(-2.0, 6.0, 33, dtype=np.float32)
    loc = tf.Variable(0.0)
    scale = tfp.util.TransformedVariable(1.0, tfb.Softplus())
    model = tfd.Normal(loc, scale)
    optimizer = tf.keras.optimizers.Adam(0.2)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(model.log_prob(data))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    losses = [float(step()) for _ in range(60)]
    print("fit", [round(losses[i], 3) for i in (0, 10, 59)])
    with tempfile.TemporaryDirectory() as folder:
        saved = tf.train.Checkpoint(model=model).save(os.path.join(folder, "model"))
        kept = float(model.mean()), float(model.stddev())
        loc.assign(100.0)
        tf.train.Checkpoint(model=model).restore(saved)
        print("restored", (float(model.mean()), float(model.stddev())) == kept)


def chain() -> None:
    """Sample a correlated normal by Hamiltonian steps; the moments must be near the true ones."""
    target = tfd.MultivariateNormalTriL([1.0, -2.0], [[1.0, 0.0], [0.8, 0.6]])
    kernel = tfp.mcmc.SimpleStepSizeAdaptation(
        tfp.mcmc.HamiltonianMonteCarlo(target.log_prob, step_size=0.3, num_leapfrog_steps=4), 100
    )

    @tf.function
    def run():
        return tfp.mcmc.sample_chain(
            300,
            tf.zeros([16, 2]),
            kernel=kernel,
            num_burnin_steps=100,
            seed=[1, 2],
            trace_fn=lambda _, results: results.inner_results.is_accepted,
        )

    samples, accepted = run()
    print("accepted", 0.5 < float(tf.reduce_mean(tf.cast(accepted, tf.float32))) < 1.0)
    mean = tf.reduce_mean(samples, [0, 1]).numpy()
    print("mean near", bool(np.all(np.abs(mean - [1.0, -2.0]) < 0.15)))


def variational() -> None:
    """Fit a posterior of a coin: Beta(2 + 7, 2 + 3) has mean 9 / 14."""
    joint = tfd.JointDistributionSequential(
        [tfd.Beta(2.0, 2.0), lambda p: tfd.Binomial(10.0, probs=p)]
    )
    loc, scale = tf.Variable(0.0), tfp.util.TransformedVariable(1.0, tfb.Softplus())
    surrogate = tfd.TransformedDistribution(tfd.Normal(loc, scale), tfb.Sigmoid())
    losses = tfp.math.minimize(
        lambda: tf.reduce_mean(
            surrogate.log_prob(z := surrogate.sample(64, seed=(3, 4))) - joint.log_prob(z, 7.0)
        ),
        num_steps=80,
        optimizer=tf.keras.optimizers.Adam(0.1),
    )
    print(
        "posterior near",
        abs(float(tf.reduce_mean(surrogate.sample(2000, seed=(5, 6)))) - 9 / 14) < 0.03,
    )
    print("elbo falls", float(losses[-1]) < float(losses[0]))


def process() -> None:
    """Regress with a Gaussian process."""
    x = np.linspace(0.0, 1.0, 8)[:, None]
    kernel = tfp.math.psd_kernels.ExponentiatedQuadratic(np.float64(1.0), np.float64(0.3))
    model = tfd.GaussianProcessRegressionModel(
        kernel, [[0.25], [0.5]], x, np.sin(6.0 * x[:, 0]), observation_noise_variance=0.01
    )
    print(
        "process",
        np.round(model.mean().numpy(), 4).tolist(),
        np.round(model.stddev().numpy(), 4).tolist(),
    )


densities()
fit()
chain()
variational()
process()
