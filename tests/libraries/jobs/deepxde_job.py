"""DeepXDE: a network that solves a differential equation, u'' = -pi^2 sin(pi x)."""

import os

os.environ["DDE_BACKEND"] = "tensorflow"
import deepxde as dde
import numpy as np
import tensorflow as tf

dde.config.set_random_seed(1)


def equation(x, y):
    return dde.grad.hessian(y, x) + np.pi**2 * tf.sin(np.pi * x)


line = dde.geometry.Interval(-1, 1)
edge = dde.icbc.DirichletBC(line, lambda x: 0.0 * x[:, :1], lambda x, on_boundary: on_boundary)
data = dde.data.PDE(line, equation, edge, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=50)
model = dde.Model(data, dde.nn.FNN([1] + [20] * 2 + [1], "tanh", "Glorot uniform"))
model.compile("adam", lr=0.01, metrics=["l2 relative error"])
history, state = model.train(iterations=600, display_every=200, verbose=0)
first, last = history.loss_train[0].sum(), history.loss_train[-1].sum()
print("learns", last < first / 50)
print("error small", float(history.metrics_test[-1][0]) < 0.1)
saved = model.save("equation")
before = model.predict(np.array([[0.5]]))
model.train(iterations=5, verbose=0, display_every=5)
model.restore(saved, verbose=0)
print("restored", np.array_equal(before, model.predict(np.array([[0.5]]))))
