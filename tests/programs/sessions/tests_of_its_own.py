"""A program's own tests, with tf.test."""

import tensorflow as tf


class SquareTest(tf.test.TestCase):
    def testSquare(self):
        with self.test_session():
            x = tf.square([2, 3])
            self.assertAllEqual(x.eval(), [4, 9])

    def testGradient(self):
        with self.cached_session():
            x = tf.constant([1.0, 2.0], name="x")
            self.assertLess(tf.test.compute_gradient_error(x, [2], x * x, [2]), 1e-2)

    def testError(self):
        with self.session() as session:
            x = tf.placeholder(tf.float32, name="x")
            with self.assertRaisesOpError("must feed a value for placeholder tensor 'x'"):
                session.run(x)


if __name__ == "__main__":
    tf.test.main()
