"""The options of the program."""

import tensorflow as tf

tf.app.flags.DEFINE_integer("pulls", 200, "How often to pull.")
tf.app.flags.DEFINE_float("epsilon", 0.1, "How often to try something else.")
tf.app.flags.DEFINE_list("chances", ["0.2", "0.4", "0.9"], "What the levers pay.")
FLAGS = tf.app.flags.FLAGS
