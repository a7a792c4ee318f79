"""Gradients of every differentiable op family, jacobians, higher order, and custom gradients."""

UNARY = (
    "abs negative square exp expm1 sin cos sinh cosh tanh asinh atan sigmoid "
    "log_sigmoid softplus softsign "
    "erf erfc bessel_i0 bessel_i0e bessel_i1 bessel_i1e sign floor ceil round rint"
)
POSITIVE = "sqrt rsqrt log log1p reciprocal lgamma digamma reciprocal_no_nan tan"
INSIDE = "asin acos atanh erfinv ndtri"
BINARY = (
    "add subtract multiply divide pow maximum minimum squared_difference atan2 "
    "divide_no_nan multiply_no_nan "
    "floordiv floormod xlogy xlog1py xdivy truediv"
)

LINES = """
grad(lambda x: tf.reduce_sum(x), R(2, 3)), grad(lambda x: tf.reduce_mean(x), R(2, 3))
grad(lambda x: tf.reduce_mean(x, axis=1), R(2, 3))
grad(lambda x: tf.reduce_max(x, axis=1), R(2, 3)), grad(lambda x: tf.reduce_max(x), A([1., 3., 3.]))
grad(lambda x: tf.reduce_min(x), R(4))
grad(lambda x: tf.reduce_prod(x), A([2., 3., 4.]))
grad(lambda x: tf.reduce_prod(x), A([2., 0., 4.]))
grad(lambda x: tf.reduce_prod(x, axis=0), R(2, 3))
grad(lambda x: tf.reduce_logsumexp(x, axis=1), R(2, 3)), grad(lambda x: tf.math.reduce_std(x), R(4))
grad(lambda x: tf.math.reduce_variance(x), R(4))
grad(lambda x: tf.norm(x), R(3)), grad(lambda x: tf.norm(x, ord=1), R(3))
grad(lambda x: tf.math.reduce_euclidean_norm(x), R(3)), grad(lambda x: tf.norm(x), tf.zeros([2]))
grad(lambda x, y: tf.matmul(x, y), R(2, 3), R(3, 2, seed=1))
grad(lambda x, y: tf.matmul(x, y, transpose_a=True), R(3, 2), R(3, 2, seed=1))
grad(lambda x, y: tf.matmul(x, y, transpose_b=True), R(2, 3), R(2, 3, seed=1))
grad(lambda x, y: tf.matmul(x, y), R(2, 2, 3), R(3, 2, seed=1))
grad(lambda x, y: tf.matmul(x, y, adjoint_a=True), R(2, 2, dtype='complex64'), R(2, 2, seed=1,
  dtype='complex64'))
grad(lambda x, y: tf.einsum('ij,jk->ik', x, y), R(2, 3), R(3, 2, seed=1))
grad(lambda x: tf.einsum('ii->', x), R(3, 3))
grad(lambda x, y: tf.einsum('bij,bj->bi', x, y), R(2, 2, 3), R(2, 3, seed=1))
grad(lambda x, y: tf.tensordot(x, y, 1), R(2, 3), R(3, seed=1))
grad(lambda x, y: tf.linalg.matvec(x, y), R(2, 3), R(3, seed=1))
grad(lambda x, y: tf.linalg.cross(x, y), R(3), R(3, seed=1))
grad(lambda x: tf.linalg.inv(x), SPD(2)), grad(lambda x: tf.linalg.det(x), SPD(3))
grad(lambda x: tf.linalg.logdet(x), SPD(3)), grad(lambda x: tf.linalg.cholesky(x), SPD(3))
grad(lambda x: tf.linalg.slogdet(x)[1], SPD(3))
grad(lambda x, y: tf.linalg.solve(x, y), SPD(3), R(3, 1))
grad(lambda x, y: tf.linalg.triangular_solve(x, y), SPD(3), R(3, 1))
grad(lambda x: tf.linalg.trace(x), R(3, 3)), grad(lambda x: tf.linalg.diag_part(x), R(3, 3))
grad(lambda x: tf.linalg.eigvalsh(x), SPD(3))  #: rtol=1e-3
grad(lambda x: tf.linalg.svd(x, compute_uv=False), R(3, 2))  #: rtol=1e-3
grad(lambda x: tf.abs(tf.linalg.qr(x)[1]), SPD(2))  #: rtol=1e-3
grad(lambda x: tf.linalg.expm(x), R(2, 2))  #: rtol=1e-3
grad(lambda x: tf.linalg.diag(x), R(3)), grad(lambda x: tf.linalg.band_part(x, 0, -1), R(3, 3))
grad(lambda x, y: tf.linalg.set_diag(x, y), R(2, 2), R(2, seed=1))
grad(lambda x: tf.linalg.adjoint(x), R(2, 2, dtype='complex64'))
grad(lambda x, y: tf.linalg.lstsq(x, y), R(4, 2), R(4, 1, seed=1))  #: rtol=1e-3
grad(lambda x: tf.reshape(x, [6]), R(2, 3)), grad(lambda x: tf.transpose(x), R(2, 3))
grad(lambda x: tf.expand_dims(x, 0), R(2)), grad(lambda x: tf.squeeze(x), R(1, 2))
grad(lambda x: tf.tile(x, [2, 3]), R(1, 2)), grad(lambda x: tf.repeat(x, [1, 2]), R(2))
grad(lambda x, y: tf.concat([x, y], 0), R(2), R(3, seed=1))
grad(lambda x, y: tf.stack([x, y]), R(2), R(2, seed=1)), grad(lambda x: tf.unstack(x)[1], R(2, 2))
grad(lambda x: tf.split(x, 2)[0], R(4)), grad(lambda x: tf.split(x, [1, 3])[1], R(4))
grad(lambda x: tf.pad(x, [[1, 2]]), R(3)), grad(lambda x: tf.pad(x, [[2, 1]], 'REFLECT'), R(3))
grad(lambda x: tf.pad(x, [[2, 1]], 'SYMMETRIC'), R(3)), grad(lambda x: tf.reverse(x, [0]), R(3))
grad(lambda x: tf.roll(x, 1, 0), R(3)), grad(lambda x: tf.broadcast_to(x, [2, 3]), R(3))
grad(lambda x: x[1:], R(3)), grad(lambda x: x[0], R(3)), grad(lambda x: x[::-2], R(4))
grad(lambda x: x[:, 1], R(2, 3)), grad(lambda x: x[..., None], R(2))
grad(lambda x: tf.slice(x, [1], [2]), R(4))
grad(lambda x: tf.strided_slice(x, [0], [4], [2]), R(4))
grad(lambda x: tf.gather_nd(x, [[0], [2], [0]]), R(3))
grad(lambda x: tf.convert_to_tensor(x), R(2))
grad(lambda x: tf.boolean_mask(x, [True, False, True]), R(3))
grad(lambda x, y: tf.where(A([True, False]), x, y), R(2), R(2, seed=1))
grad(lambda x: tf.where(x > 0., x, 2. * x), R(4))
grad(lambda x: tf.gather(x, [0, 2, 0]), R(3, 2))
grad(lambda x: tf.gather(x, [1, 1], axis=1), R(2, 3))
grad(lambda x: tf.gather(x, [[0], [1]], batch_dims=1), R(2, 3))
grad(lambda x: tf.nn.embedding_lookup(x, [1, 1, 0]), R(3, 2))
grad(lambda x: tf.scatter_nd([[0], [2]], x, [4]), R(2))
grad(lambda x, y: tf.tensor_scatter_nd_update(x, [[1]], y), R(3), R(1, seed=1))
grad(lambda x, y: tf.tensor_scatter_nd_add(x, [[1]], y), R(3), R(1, seed=1))
grad(lambda x, y: tf.tensor_scatter_nd_max(x, [[1]], y), R(3), R(1, seed=1))
grad(lambda x: tf.cumsum(x), R(4)), grad(lambda x: tf.cumsum(x, exclusive=True, reverse=True), R(4))
grad(lambda x: tf.math.cumprod(x), R(4)), grad(lambda x: tf.math.cumulative_logsumexp(x), R(4))
grad(lambda x: tf.sort(x), R(4)), grad(lambda x: tf.math.top_k(x, 2).values, R(4))
grad(lambda x: tf.math.segment_sum(x, [0, 0, 1]), R(3))
grad(lambda x: tf.math.segment_mean(x, [0, 0, 1]), R(3))
grad(lambda x: tf.math.segment_max(x, [0, 0, 1]), R(3))
grad(lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 2), R(3))
grad(lambda x: tf.math.unsorted_segment_max(x, [1, 0, 1], 2), R(3))
grad(lambda x: tf.math.unsorted_segment_prod(x, [1, 0, 1], 2), R(3))
grad(lambda x: tf.sparse.segment_sum(x, [0, 2], [0, 0]), R(3, 2))
grad(lambda x: tf.dynamic_partition(x, [0, 1, 0], 2)[0], R(3))
grad(lambda x, y: tf.dynamic_stitch([[0], [1]], [x, y]), R(1), R(1, seed=1))
grad(lambda x: tf.clip_by_value(x, -1., 1.), R(4)), grad(lambda x: tf.clip_by_norm(x, 1.), R(3))
grad(lambda x: tf.cast(x, tf.float64), R(2))
grad(lambda x: tf.identity(x), R(2)), grad(lambda x: tf.stop_gradient(x) * x, R(2))
grad(lambda x: tf.add_n([x, x, x]), R(2)), grad(lambda x: tf.math.accumulate_n([x, x]), R(2))
grad(lambda x: tf.reverse_sequence(x, [2, 1], seq_axis=1), R(2, 3))
grad(lambda x: tf.ensure_shape(x, [2]), R(2)), grad(lambda x: tf.math.l2_normalize(x), R(3))
grad(lambda x: tf.nn.relu(x), A([-1., 0., 2.])), grad(lambda x: tf.nn.relu6(x), A([-1., 3., 7.]))
grad(lambda x: tf.nn.elu(x), R(4)), grad(lambda x: tf.nn.selu(x), R(4))
grad(lambda x: tf.nn.leaky_relu(x, 0.1), R(4)), grad(lambda x: tf.nn.gelu(x), R(4))
grad(lambda x: tf.nn.gelu(x, approximate=True), R(4)), grad(lambda x: tf.nn.silu(x), R(4))
grad(lambda x: tf.nn.crelu(x), R(4))
grad(lambda x: tf.nn.softmax(x), R(2, 3)), grad(lambda x: tf.nn.log_softmax(x), R(2, 3))
grad(lambda x: tf.nn.softmax(x, axis=0), R(2, 3))
grad(lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.ones([2, 3]) / 3., x), R(2, 3))
grad(lambda x, y: tf.nn.softmax_cross_entropy_with_logits(y, x), R(2, 3), P(2, 3))
grad(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], x), R(2, 3))
grad(lambda x: tf.nn.sigmoid_cross_entropy_with_logits(A([0., 1.]), x), R(2))
grad(lambda x: tf.nn.weighted_cross_entropy_with_logits(A([0., 1.]), x, 2.), R(2))
grad(lambda x: tf.nn.l2_loss(x), R(3)), grad(lambda x: tf.nn.log_poisson_loss(A([1., 2.]), x), R(2))
grad(lambda x, w: tf.nn.conv2d(x, w, 1, 'SAME'), R(1, 3, 3, 1), R(2, 2, 1, 2, seed=1))
grad(lambda x, w: tf.nn.conv2d(x, w, 2, 'VALID'), R(1, 4, 4, 1), R(2, 2, 1, 1, seed=1))
grad(lambda x, w: tf.nn.conv2d_transpose(x, w, [1, 4, 4, 1], 2), R(1, 2, 2, 1), R(3, 3, 1, 1,
  seed=1))
grad(lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], 'SAME'), R(1, 3, 3, 2), R(2, 2, 2, 1,
  seed=1))
grad(lambda x, w: tf.nn.conv1d(x, w, 1, 'SAME'), R(1, 4, 1), R(2, 1, 1, seed=1))
grad(lambda x, w: tf.nn.conv3d(x, w, [1] * 5, 'VALID'), R(1, 2, 2, 2, 1), R(2, 2, 2, 1, 1, seed=1))
grad(lambda x: tf.nn.max_pool2d(x, 2, 2, 'VALID'), R(1, 4, 4, 1))
grad(lambda x: tf.nn.max_pool2d(x, 2, 1, 'SAME'), tf.ones([1, 3, 3, 1]))
grad(lambda x: tf.nn.avg_pool2d(x, 2, 2, 'SAME'), R(1, 3, 3, 1))
grad(lambda x: tf.nn.avg_pool3d(x, 2, 1, 'VALID'), R(1, 3, 2, 2, 1))
grad(lambda x: tf.nn.max_pool1d(x, 2, 2, 'VALID'), R(1, 4, 1))
grad(lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, 'VALID')[0], R(1, 4, 4, 1))
grad(lambda x: tf.nn.bias_add(R(2, 3), x), R(3)), grad(lambda x: tf.nn.lrn(x), R(1, 1, 2, 4))
grad(lambda x, s, o: tf.nn.batch_normalization(x, R(3), P(3), o, s, 0.01), R(2, 3), P(3), R(3))
grad(lambda x: tf.nn.moments(x, [0])[1], R(4))
grad(lambda x, s, o: tf.compat.v1.nn.fused_batch_norm(x, s, o)[0], R(2, 2, 2, 1), P(1),
  R(1))  #: rtol=1e-3
grad(lambda x: tf.nn.dilation2d(x, R(2, 2, 1, seed=1), [1] * 4, 'VALID', 'NHWC', [1] * 4), R(1, 3,
  3, 1))
grad(lambda x: tf.nn.space_to_depth(x, 2), R(1, 2, 2, 1))
grad(lambda x: tf.nn.depth_to_space(x, 2), R(1, 1, 1, 4))
grad(lambda x: tf.space_to_batch(x, [2], [[0, 0]]), R(1, 4, 1))
grad(lambda x: tf.nn.ctc_loss(A([[1, 2]]), x, [2], [4]), R(4, 1, 3))  #: rtol=1e-3
grad(lambda x: tf.nn.embedding_lookup_sparse(x, SP([[0, 0], [0, 1]], [1, 2], [1, 2]), None,
  combiner='mean'), R(3, 2))
grad(lambda x: tf.image.resize(x, [3, 3]), R(1, 2, 2, 1))
grad(lambda x: tf.image.resize(x, [2, 2], 'nearest'), R(1, 3, 3, 1))
grad(lambda x: tf.image.resize(x, [3, 3], 'bicubic'), R(1, 2, 2, 1))
grad(lambda x: tf.image.crop_and_resize(x, A([[0., 0., 0.7, 0.7]]), [0], [2, 2]), R(1, 3, 3, 1))
grad(lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'VALID'), R(1,
  3, 3, 1))
grad(lambda x: tf.image.total_variation(x), R(3, 3, 1))
grad(lambda x: tf.image.flip_left_right(x), R(2, 2, 1))
grad(lambda x: tf.image.rgb_to_grayscale(x), R(1, 2, 3))
grad(lambda x: tf.image.per_image_standardization(x), R(2, 2, 1))
grad(lambda x: tf.math.real(tf.signal.fft(tf.cast(x, tf.complex64))), R(4))
grad(lambda x: tf.abs(tf.signal.rfft(x)), R(4))
grad(lambda x: tf.signal.irfft(tf.complex(x, x)), R(3))
grad(lambda x: tf.signal.frame(x, 2, 1), R(4)), grad(lambda x: tf.signal.dct(x), R(4))
grad(lambda x: tf.signal.overlap_and_add(x, 1), R(2, 2))
grad(lambda x: tf.abs(tf.signal.stft(x, 4, 2)), R(8))
grad(lambda x: tf.math.real(x), R(2, dtype='complex64'))
grad(lambda x: tf.math.imag(x), R(2, dtype='complex64'))
grad(lambda x: tf.abs(x), R(2, dtype='complex64'))
grad(lambda x: tf.math.conj(x), R(2, dtype='complex64'))
grad(lambda x: tf.math.angle(x), R(2, dtype='complex64'))
grad(lambda x, y: tf.complex(x, y), R(2), R(2, seed=1))
grad(lambda x: x * x, R(2, dtype='complex64')), grad(lambda x: tf.exp(x), R(2, dtype='complex128'))
grad(lambda x, y: tf.math.igamma(x, y), P(3), P(3, seed=1))
grad(lambda x, y: tf.math.zeta(x, y), P(2) + 1., P(2, seed=1))
grad(lambda x, y: tf.math.polygamma(x, y), A([1., 2.]), P(2))
grad(lambda x: tf.math.betainc(A([2., 3.]), A([1., 2.]), x), A([0.3, 0.6]))
grad(lambda x: tf.math.lbeta(x), P(3)), grad(lambda x: tf.math.polyval([1., x, 2.], A([2.])), A(3.))
grad(lambda x: tf.sparse.sparse_dense_matmul(SP([[0, 1], [1, 0]], [1., 2.], [2, 2]), x), R(2, 2))
grad(lambda v: tf.sparse.to_dense(SP([[0, 1], [1, 0]], v, [2, 2])), R(2))
grad(lambda v: tf.sparse.reduce_sum(SP([[0, 1], [1, 0]], v, [2, 2])), R(2))
grad(lambda v: tf.sparse.sparse_dense_matmul(SP([[0, 1]], v, [2, 2]), R(2, 2)), R(1))
grad(lambda x: tf.RaggedTensor.from_row_lengths(x, [1, 2]).to_tensor(), R(3))
grad(lambda x: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [1, 2]), axis=1), R(3))
grad(lambda x: tf.quantization.fake_quant_with_min_max_args(x, -1., 1.), R(4))
grad(lambda x: tf.quantization.fake_quant_with_min_max_vars(x, -1., 1.), R(4))
grad(lambda x: tf.map_fn(lambda e: e * e, x), R(3))
grad(lambda x: tf.scan(lambda a, e: a * e, x), P(3))
grad(lambda x: tf.foldl(lambda a, e: a * e, x), P(3))
grad(lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [A(0), x])[1], A(2.))
grad(lambda x: tf.cond(x > 0., lambda: x * 2., lambda: x * 3.), A(1.))
grad(lambda x: tf.vectorized_map(lambda e: e * e, x), R(3))
grad(lambda x: x ** 2, R(3)), grad(lambda x: 2. ** x, R(3)), grad(lambda x: x / 3. + 1. / x, P(3))
grad(lambda x: -x, R(2)), grad(lambda x: abs(x), A([-1., 0., 1.])), grad(lambda x: x @ x, R(2, 2))
grad(lambda x: x % 0.7, R(3)), grad(lambda x: x // 0.7, R(3))
grad(lambda x: x * A([[1.], [2.]]), R(2)), grad(lambda x, y: x + y, R(2, 1), R(3))
grad(lambda x: x, A(3.)), grad(lambda x: x[0] * x[1], R(2))
grad(lambda x: tf.pow(x, 0.), A([0., 1.])), grad(lambda x: tf.sqrt(x), A([0.]))
grad(lambda x: tf.math.log(x), A([0.])), grad(lambda x: tf.math.divide_no_nan(x, A([0., 2.])), R(2))
grad(lambda x: tf.maximum(x, x), R(2)), grad(lambda x: tf.maximum(x, 1.), A([1., 2.]))
grad(lambda x: tf.minimum(x, A([1., 1.])), A([1., 2.])), grad(lambda x: tf.sqrt(x), tf.zeros([0]))
grad2(lambda x: x ** 3, R(3)), grad2(tf.math.sin, R(3)), grad2(tf.math.exp, R(3))
grad2(tf.math.tanh, R(3)), grad2(tf.math.sigmoid, R(3)), grad2(tf.math.log, P(3))
grad2(tf.math.sqrt, P(3)), grad2(tf.math.rsqrt, P(3)), grad2(tf.nn.elu, R(3))
grad2(tf.nn.softplus, R(3)), grad2(lambda x: tf.reduce_prod(x), P(3))
grad2(lambda x: tf.matmul(x, x), R(2, 2)), grad2(tf.nn.relu, R(3)), grad2(tf.nn.softmax, R(3))
grad2(lambda x: 1. / x, P(3)), grad2(tf.nn.selu, R(3)), grad2(tf.math.reciprocal, P(3))
grad2(lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.ones([1, 3]) / 3., x), R(1, 3))
grad2(lambda x: tf.nn.conv2d(x * x, R(2, 2, 1, 1), 1, 'SAME'), R(1, 2, 2, 1))
grad2(lambda x: tf.nn.max_pool2d(x * x, 2, 2, 'VALID'), R(1, 2, 2, 1))
grad2(lambda x: tf.linalg.inv(x), SPD(2)), grad2(lambda x: tf.gather(x * x, [0, 0]), R(2))
grad2(lambda x: tf.math.erf(x), R(2)), grad2(lambda x: tf.math.lgamma(x), P(2))
grad2(lambda x: tf.reduce_sum(x * x), R(2))
jac(lambda x: x ** 2, R(3)), jac(lambda x: tf.matmul(x, R(2, 2, seed=1)), R(1, 2))
jac(lambda x: tf.nn.softmax(x), R(3)), jac(lambda x: tf.reduce_sum(x), R(2))
jac(lambda x: tf.stack([x[0] * x[1], x[0]]), R(2)), jac(lambda x: tf.sin(x), A(0.5))
jac(lambda x: tf.gather(x, [1, 0]), R(2))
grad(lambda x: x * x, A([1., 2.]), weight=A([1.]))
"""

FAMILIES = [
    ("grad(tf.math.<f>, R(5))", {"f": UNARY}),
    ("grad(tf.math.<f>, P(4))", {"f": POSITIVE}),
    ("grad(tf.math.<f>, R(4, low=0.1, high=0.9))", {"f": INSIDE}),
    ("grad(tf.math.acosh, P(3) + 1.)", {"f": "acosh"}),
    ("grad(tf.math.<f>, P(2, 3), P(3, seed=1))", {"f": BINARY}),
    (
        "grad(tf.math.<f>, R(4, dtype='<d>'))",
        {"f": "square exp tanh sigmoid sin", "d": "float64 float16 bfloat16 complex64"},
    ),
    (
        "grad(tf.math.special.<f>, P(3))",
        {
            "f": "dawsn expint fresnel_cos fresnel_sin spence bessel_j0 bessel_j1 bessel_k0 "
            "bessel_k1 bessel_y0"
        },
        {"rtol": 1e-4},
    ),
    (
        "grad(lambda x: tf.reduce_<f>(x, axis=<a>, keepdims=<k>), R(2, 2, 2))",
        {"f": "sum mean max prod", "a": ["0", "[1, 2]"], "k": "True False"},
    ),
    (
        "grad(lambda x: tf.nn.<f>2d(x, <k>, <s>, '<p>'), R(1, 4, 4, 1))",
        {"f": "max_pool avg_pool", "k": "2 3", "s": "1 2", "p": "SAME VALID"},
    ),
    (
        "grad(lambda x, w: tf.nn.conv2d(x, w, <s>, '<p>'), R(1, 4, 4, 2), R(<k>, <k>, 2, "
        "1, seed=1))",
        {"k": "1 2 3", "s": "1 2", "p": "SAME VALID"},
    ),
]

SNIPPETS = """
x = tf.Variable(3.)
with tf.GradientTape() as tape:
    y = x * x
[tape.gradient(y, x), tape.watched_variables()[0].numpy()]

x = tf.constant(3.)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)

x = tf.constant(3.)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
[tape.gradient(y, [x])]

x, z = tf.constant(3.), tf.constant(4.)
with tf.GradientTape() as tape:
    tape.watch([x, z])
    y = x * x
[tape.gradient(y, {'x': x, 'z': z}, unconnected_gradients=tf.UnconnectedGradients.ZERO)]

x = tf.constant([1., 2.])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    z = y * y
[tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y), tape.gradient([y, z], x)]

x = tf.constant([1., 2.])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * 3.
tape.gradient(y, x, output_gradients=A([10., 20.]))

x = tf.Variable([1., 2.])
with tf.GradientTape(watch_accessed_variables=False) as tape:
    y = x * 3.
tape.gradient(y, x)

x = tf.constant(2.)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * 2.
    with tape.stop_recording():
        z = y * y
    w = y + z
tape.gradient(w, x)

x = tf.constant(2.)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * 2.
    tape.reset()
    tape.watch(x)
    z = x * 5.
tape.gradient(z, x)

x = tf.constant(2.)
with tf.GradientTape() as t3:
    t3.watch(x)
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = x ** 4
        g1 = t1.gradient(y, x)
    g2 = t2.gradient(g1, x)
g3 = t3.gradient(g2, x)
[g1, g2, g3]

v = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])
with tf.GradientTape() as tape:
    y = tf.gather(v, [0, 2, 0]) * 2.
tape.gradient(y, v)

v = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])
with tf.GradientTape() as tape:
    y = tf.nn.embedding_lookup(v, [1, 1])
g = tape.gradient(y, v)
[type(g).__name__, tf.convert_to_tensor(g), g.indices, g.dense_shape]

v = tf.Variable([[1., 2.], [3., 4.]])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(tf.gather(v, [1, 0]) ** 2)
tape.gradient(y, v)

v = tf.Variable([[1., 2.], [3., 4.]])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(v)
tape.gradient(y, v)

x = tf.constant([1, 2])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x)

@tf.custom_gradient
def f(x):
    return x * x, lambda dy: dy * 100.
x = tf.constant([1., 2.])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
[y, tape.gradient(y, x)]

@tf.custom_gradient
def f(x, y):
    def grad_fn(dz):
        return dz * y, None
    return x * y, grad_fn
x, y = tf.constant(2.), tf.constant(3.)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = f(x, y)
tape.gradient(z, [x, y])

w = tf.Variable(5.)
@tf.custom_gradient
def f(x):
    def grad_fn(dy, variables=None):
        return dy * w, [dy * 7.]
    return x * w, grad_fn
x = tf.constant(2.)
with tf.GradientTape() as tape:
    tape.watch(x)
    z = f(x)
tape.gradient(z, [x, w])

x = tf.constant([1., 2.])
f = tf.grad_pass_through(lambda t: tf.round(t * 1.3))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
[y, tape.gradient(y, x)]

x = tf.constant([1., 2.])
f = tf.recompute_grad(lambda t: tf.sin(t) * t)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
tape.gradient(y, x)

x = tf.constant([[1., 2.], [3., 4.]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.batch_jacobian(y, x)

x = tf.constant([1., 2.])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
[tape.jacobian(y, x, experimental_use_pfor=False), tape.jacobian(y, [x])]

x = tf.constant([1., 2., 3.])
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.reduce_sum(x ** 3) + x[0] * x[1]
    g = inner.gradient(y, x)
outer.jacobian(g, x)

x = tf.constant([1., 2.])
with tf.autodiff.ForwardAccumulator(x, tf.constant([1., 0.])) as acc:
    y = x * x + tf.sin(x)
acc.jvp(y)

v = tf.Variable([1., 2.])
with tf.autodiff.ForwardAccumulator(v, tf.constant([1., 10.])) as acc:
    y = tf.reduce_sum(v ** 3)
acc.jvp(y)

x = tf.constant(2.)
@tf.function
def f(x):
    return x ** 3 if x > 0 else -x
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
tape.gradient(y, x)

v = tf.Variable(3.)
with tf.GradientTape() as tape:
    v.assign_add(1.)
    y = v * v
tape.gradient(y, v)

v = tf.Variable(3.)
with tf.GradientTape() as tape:
    y = v * 2.
    v.assign(10.)
    z = y * v
tape.gradient(z, v)

x = tf.constant(2.)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.py_function(lambda t: t * t, [x], tf.float32)
tape.gradient(y, x)

x = tf.constant(2.)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.numpy_function(lambda t: t * t, [x], tf.float32)
tape.gradient(y, x)

x = tf.constant([1., 2.])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.cast(tf.cast(x, tf.int32), tf.float32)
tape.gradient(y, x)

x = tf.constant([1., 2.])
with tf.GradientTape() as tape:
    tape.watch(x)
    ys = {'a': x * 2., 'b': [tf.reduce_sum(x)]}
tape.gradient(ys, x)

#: raises=True
x = tf.constant(2.)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x)
tape.gradient(y, x)

#: raises=True
with tf.GradientTape() as tape:
    tape.watch('a')
1

#: raises=True
x = tf.constant([1., 2.])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x, output_gradients=A([1., 2., 3.]))

#: raises=True
x = tf.constant([1., 2.])
tf.gradients(x * x, x)

#: raises=True
x = tf.constant([1., 2.])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(x)
tape.batch_jacobian(y, x)

#: raises=True
tape = tf.GradientTape()
tape.watch(tf.constant(1.))
1

@tf.function
def f(x):
    return tf.gradients(x * x * 3., x)[0], tf.hessians(tf.reduce_sum(x ** 3), x)[0]
f(A([1., 2.]))
"""

ERRORS = """
grad(lambda x, w: tf.nn.conv2d(x, w, 1, 'VALID', dilations=2), R(1, 4, 4, 1), R(2, 2, 1, 1, seed=1))
grad(lambda x: tf.image.adjust_contrast(x, 2.), R(2, 2, 1))
grad(lambda x: tf.matmul(x, R(3, 2)), R(2, 2))
grad(lambda x: x * x, 3.)
grad(lambda x: x * x, A([1., 2.]), weight=A([1, 2]))
"""
