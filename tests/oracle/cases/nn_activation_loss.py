"""Activations, softmaxes and losses of `tf.nn`."""

LINES = """
tf.nn.relu(A([-1., 0., 2., nan, -0.0]))
tf.nn.relu(A([-1, 3]))
tf.nn.relu(A([-1, 3], 'int8')), tf.nn.relu(A([1, 3], 'uint8'))
tf.nn.relu6(A([-1., 3., 7.])), tf.nn.relu6(A([-1, 3, 9]))
tf.nn.elu(A([-2., -0.5, 0., 1.]))
tf.nn.selu(A([-2., -0.5, 0., 1.]))
tf.nn.leaky_relu(A([-2., 0., 3.]))
tf.nn.leaky_relu(A([-2., 0., 3.]), alpha=0.1)
tf.nn.leaky_relu(features=A([-2, 3]))
tf.nn.crelu(A([[-1., 2.]]))
tf.nn.crelu(A([[-1., 2.]]), axis=0)
tf.nn.gelu(A([-2., -0.5, 0., 1.]))
tf.nn.gelu(A([-2., -0.5, 0., 1.]), approximate=True)
tf.nn.silu(A([-2., 0., 1.])), tf.nn.swish(A([-2., 0., 1.])), tf.nn.swish(A([1., 2.]), beta=2.0)
tf.nn.sigmoid(A([-2., 0., 1.])), tf.nn.tanh(A([-2., 0., 1.]))
tf.nn.softplus(A([-2., 0., 50.])), tf.nn.softsign(A([-2., 0., 50.]))
tf.nn.softmax(A([1., 2., 3.]))
tf.nn.softmax(R(2, 3))
tf.nn.softmax(R(2, 3), axis=0)
tf.nn.softmax(R(2, 3, 2), axis=1)
tf.nn.softmax(A([1000., 1000., -1000.]))
tf.nn.softmax(A([[inf, 1.]])), tf.nn.softmax(A([[-inf, -inf]]))
tf.nn.softmax(logits=R(2, 2, dtype='float64'), axis=-1)
tf.nn.softmax(tf.zeros([0, 3]))
tf.nn.softmax([1., 2.])
tf.nn.log_softmax(R(2, 3))
tf.nn.log_softmax(R(2, 3), axis=0)
tf.nn.log_softmax(A([1000., 0.]))
tf.math.softmax(R(2, 2)), tf.math.log_softmax(R(2, 2))
tf.nn.softmax_cross_entropy_with_logits(A([[0., 1., 0.], [0.5, 0.25, 0.25]]), R(2, 3))
tf.nn.softmax_cross_entropy_with_logits(labels=A([[0., 1.]]), logits=A([[1000., 0.]]))
tf.nn.softmax_cross_entropy_with_logits(A([[0., 1.], [1., 0.]]), R(2, 2), axis=0)
tf.nn.softmax_cross_entropy_with_logits(A([0., 1., 0.]), R(3))
tf.nn.softmax_cross_entropy_with_logits(tf.ones([2, 2, 3]) / 3, R(2, 2, 3))
tf.nn.softmax_cross_entropy_with_logits(A([[0., 1.]], 'float16'), A([[1., 2.]], 'float16'))
tf.nn.sparse_softmax_cross_entropy_with_logits(A([0, 2]), R(2, 3))
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=A(1, 'int64'), logits=R(3))
tf.nn.sparse_softmax_cross_entropy_with_logits([[0, 1], [1, 0]], R(2, 2, 2))
tf.nn.sparse_softmax_cross_entropy_with_logits(A([1]), A([[1., 2.]], 'bfloat16'))
tf.nn.sigmoid_cross_entropy_with_logits(A([0., 1., 0.5]), A([-2., 3., 100.]))
tf.nn.sigmoid_cross_entropy_with_logits(labels=R(2, 2, low=0, high=1), logits=R(2, 2))
tf.nn.weighted_cross_entropy_with_logits(A([0., 1., 0.5]), A([-2., 3., 1.]), pos_weight=2.0)
tf.nn.weighted_cross_entropy_with_logits(labels=A([1.]), logits=A([0.3]), pos_weight=A([0.5]))
tf.nn.log_poisson_loss(A([0., 1., 5.]), A([0.5, 1., 2.]))
tf.nn.log_poisson_loss(A([0., 1., 5.]), A([0.5, 1., 2.]), compute_full_loss=True)
tf.nn.l2_loss(R(2, 3)), tf.nn.l2_loss(A([3., 4.], 'float64'))
tf.nn.compute_average_loss(A([1., 2., 3.]))
tf.nn.compute_average_loss(A([1., 2., 3.]), sample_weight=A([1., 0., 2.]))
tf.nn.compute_average_loss(A([1., 2., 3.]), global_batch_size=6)
tf.nn.scale_regularization_loss(A([1., 2.]))
tf.nn.isotonic_regression(A([[3., 1., 2.], [1., 2., 3.]]))
tf.nn.isotonic_regression(A([3., 1., 2.]), decreasing=False)
tf.nn.l2_normalize(R(2, 3), axis=1), tf.nn.l2_normalize(R(2, 3), axis=0, epsilon=0.5)
tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2(labels=A([[0., 1.]]), logits=R(1, 2))
tf.compat.v1.nn.softmax(R(2, 2), dim=0), tf.compat.v1.nn.log_softmax(R(2, 2), dim=0)
tf.compat.v1.nn.xw_plus_b(R(2, 3), R(3, 2, seed=1), R(2, seed=2))
tf.compat.v1.nn.relu_layer(R(2, 3), R(3, 2, seed=1), R(2, seed=2))
tf.compat.v1.losses.mean_squared_error(A([1., 2.]), A([2., 4.]))
tf.compat.v1.losses.softmax_cross_entropy(A([[0., 1.]]), R(1, 2))
tf.compat.v1.losses.sparse_softmax_cross_entropy(A([1]), R(1, 2))
tf.compat.v1.losses.sigmoid_cross_entropy(A([[0., 1.]]), R(1, 2))
tf.compat.v1.losses.absolute_difference(A([1., 2.]), A([2., 4.]), weights=0.5)
tf.compat.v1.losses.huber_loss(A([1., 2.]), A([2., 4.]))
tf.compat.v1.losses.hinge_loss(A([1., 0.]), A([0.5, 0.4]))
tf.compat.v1.losses.log_loss(A([1., 0.]), A([0.5, 0.4]))
tf.compat.v1.losses.cosine_distance(A([0.6, 0.8]), A([1., 0.]), axis=0)
tf.nn.compute_average_loss(A([1, 2]))
"""

FAMILIES = [
    (
        "tf.nn.<f>(R(4, dtype='<d>'))",
        {
            "f": "relu relu6 elu selu leaky_relu gelu silu sigmoid tanh softplus softsign softmax "
            "log_softmax",
            "d": "float16 bfloat16 float64",
        },
    ),
    ("tf.nn.<f>(A([1, 2]))", {"f": "elu selu gelu silu softmax log_softmax l2_loss softsign"}),
    ("tf.nn.<f>(A(['a']))", {"f": "relu softmax sigmoid l2_loss"}),
    ("tf.nn.<f>(A([1j]))", {"f": "relu sigmoid softmax tanh"}),
    (
        "tf.nn.sparse_softmax_cross_entropy_with_logits(I(2, high=3, dtype='<d>'), R(2, "
        "3, dtype='<l>'))",
        {"d": "int32 int64 int8 uint8", "l": "float64 float16"},
    ),
]

ERRORS = """
tf.nn.softmax(A(5.))
tf.nn.softmax(R(2, 3), axis=2)
tf.nn.log_softmax(R(2, 3), axis=-3)
tf.nn.softmax_cross_entropy_with_logits(R(2, 3), R(2, 2))
tf.nn.softmax_cross_entropy_with_logits(A([[0, 1]]), A([[1, 2]]))
tf.nn.sparse_softmax_cross_entropy_with_logits(A([0, 3]), R(2, 3))
tf.nn.sparse_softmax_cross_entropy_with_logits(A([0, -1]), R(2, 3))
tf.nn.sparse_softmax_cross_entropy_with_logits(A([0, 1, 2]), R(2, 3))
tf.nn.sparse_softmax_cross_entropy_with_logits(A([[0], [1]]), R(2, 3))
tf.nn.sparse_softmax_cross_entropy_with_logits(A([0.5]), R(1, 3))
tf.nn.sparse_softmax_cross_entropy_with_logits(A(0), A(1.))
tf.nn.sigmoid_cross_entropy_with_logits(A([0.]), A([1., 2.]))
tf.nn.sigmoid_cross_entropy_with_logits(labels=None, logits=A([1.]))
tf.nn.weighted_cross_entropy_with_logits(A([0.]), A([1., 2.]), 1.)
tf.nn.log_poisson_loss(A([0.]), A([1., 2.]))
tf.nn.crelu(A([1., 2.]), axis=4)
tf.nn.leaky_relu(A(['a']))
tf.nn.relu(None)
"""
