"""Patterns of gradients that a program gives itself."""

from .table import pattern


@pattern
def custom_gradient_on_a_method(tf, folder):
    class Model:
        scale = 2.0

        @tf.custom_gradient
        def call(self, x):
            return x * self.scale, lambda dy: dy * 5.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = Model().call(x)
    return [y, tape.gradient(y, x)]


@pattern
def custom_gradient_with_keyword_arguments(tf, folder):
    @tf.custom_gradient
    def f(x, n=3):
        return x * float(n), lambda dy: dy * 5.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, n=4)
    return [y, tape.gradient(y, x)]


@pattern
def custom_gradient_of_variables_made_by_get_variable(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():

        @tf.custom_gradient
        def f(x):
            v = v1.get_variable("v", initializer=2.0, use_resource=True)

            def gradient(dy, variables=None):
                return dy * v, [dy * 7.0 for _ in variables]

            return x * v, gradient

        x = tf.constant(3.0)
        with v1.variable_scope("s", use_resource=True):
            y = f(x)
        gradients = v1.gradients(y, [x, *v1.trainable_variables()])
        session = v1.Session()
        session.run(v1.global_variables_initializer())
        return session.run(gradients)


@pattern
def custom_gradient_on_a_ragged_tensor(tf, folder):
    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda dy: dy * 3.0

    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(ragged)
        y = f(ragged)
    return [y.to_list(), tape.gradient(y, ragged).to_list()]


@pattern
def tape_in_a_graph_watches_resource_variables(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=2.0, use_resource=True)
        with tf.GradientTape() as tape:
            y = v * v
        gradient = tape.gradient(y, v)
        names = [variable.name for variable in tape.watched_variables()]
        session = v1.Session()
        session.run(v1.global_variables_initializer())
        return [names, session.run(gradient)]
