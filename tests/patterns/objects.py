"""Patterns of objects: savers, tensors as Python values, tests."""

from .table import pattern


@pattern
def a_saver_saves_eager_variables(tf, folder):
    variable = tf.Variable(3.0, name="v")
    saver = tf.compat.v1.train.Saver([variable])
    path = saver.save(None, folder + "/m")
    variable.assign(4.0)
    saver.restore(None, path)
    return variable
