"""Random numbers: the exact streams of seeded ops, stateless ops and generators."""

FLOATS = "float16 bfloat16 float32 float64"
INTEGERS = "int32 int64"

LINES = """
tf.random.stateless_uniform([5], seed=[1, 2])
tf.random.stateless_uniform([2, 3], seed=[7, 8], minval=-1., maxval=1.)
tf.random.stateless_uniform([5], [1, 2], minval=0, maxval=100, dtype=tf.int32)
tf.random.stateless_uniform([5], [1, 2], minval=-5, maxval=5, dtype=tf.int64)
tf.random.stateless_uniform([5], [1, 2], minval=None, maxval=None, dtype=tf.int32)
tf.random.stateless_uniform([5], [1, 2], minval=None, maxval=None, dtype=tf.uint32)
tf.random.stateless_uniform([5], [1, 2], minval=None, maxval=None, dtype=tf.uint64)
tf.random.stateless_uniform([5], [1, 2], minval=None, maxval=None, dtype=tf.int64)
tf.random.stateless_uniform([], [1, 2]), tf.random.stateless_uniform([0], [1, 2])
tf.random.stateless_uniform([3], A([1, 2], 'int64')), tf.random.stateless_uniform([3], A([-1, -2]))
tf.random.stateless_uniform([3], [2**40, 5]), tf.random.stateless_uniform(A([3]), [0, 0])
tf.random.stateless_uniform([4], [1, 2], alg='philox')
tf.random.stateless_uniform([4], [1, 2], alg='auto_select')
tf.random.stateless_normal([5], seed=[1, 2])
tf.random.stateless_normal([2, 3], [3, 4], mean=5., stddev=2.)
tf.random.stateless_normal([4], [1, 2], alg='philox')
tf.random.stateless_truncated_normal([8], seed=[1, 2])
tf.random.stateless_truncated_normal([3], seed=[1, 2], mean=10., stddev=0.5)
tf.random.stateless_parameterized_truncated_normal([4], [1, 2], means=0.5, stddevs=2., minvals=-1.,
  maxvals=1.)
tf.random.stateless_parameterized_truncated_normal([2, 2], [1, 2], means=A([0., 5.]), minvals=-9.,
  maxvals=9.)
tf.random.stateless_categorical(A([[0., 1., 2.], [5., 0., 0.]]), 6, seed=[1, 2])
tf.random.stateless_categorical(R(1, 4), 5, seed=[3, 4], dtype=tf.int32)
tf.random.stateless_gamma([5], [1, 2], alpha=2.)
tf.random.stateless_gamma([2, 3], [1, 2], A([0.5, 1., 3.]), beta=2.)
tf.random.stateless_gamma([3], [1, 2], A(0.3, 'float64'), dtype=tf.float64)
tf.random.stateless_poisson([5], [1, 2], lam=3.)
tf.random.stateless_poisson([2, 2], [1, 2], A([1., 20.]), dtype=tf.float32)
tf.random.stateless_binomial([5], [1, 2], counts=10., probs=0.3)
tf.random.stateless_binomial([2, 2], [1, 2], A([5., 100.]), A([0.5, 0.9]), output_dtype=tf.float32)
tf.random.experimental.stateless_shuffle(tf.range(8), [1, 2])
tf.random.experimental.stateless_shuffle(R(4, 2), [1, 2])
tf.random.experimental.stateless_split([1, 2], 3)
tf.random.experimental.stateless_fold_in([1, 2], 5)
tf.random.split([1, 2]), tf.random.split([1, 2], num=3), tf.random.fold_in([1, 2], 7)
tf.random.create_rng_state(123, 'philox'), tf.random.create_rng_state([1, 2], 1)
tf.random.create_rng_state(5, 'threefry')
tf.random.Generator.from_seed(1).normal([3]), tf.random.Generator.from_seed(1).uniform([3])
tf.random.Generator.from_seed([5, 6]).uniform([3], minval=-1., maxval=1.)
tf.random.Generator.from_seed(1).uniform([4], 0, 10, dtype=tf.int32)
tf.random.Generator.from_seed(1).uniform_full_int([4])
tf.random.Generator.from_seed(1).uniform_full_int([4], tf.int32)
tf.random.Generator.from_seed(1).truncated_normal([4], mean=1., stddev=2.)
tf.random.Generator.from_seed(1).binomial([4], 10., 0.5), tf.random.Generator.from_seed(1).state
tf.random.Generator.from_seed(1).key, tf.random.Generator.from_seed(1).make_seeds(2)
tf.random.Generator.from_seed(1).algorithm
tf.random.Generator.from_state([1, 2, 3], alg='philox').normal([2])
tf.random.Generator.from_key_counter(5, [1, 2], 'philox').uniform([2])
[g.normal([2]) for g in tf.random.Generator.from_seed(1).split(2)]
tf.random_normal_initializer(seed=1)([3]), tf.random_uniform_initializer(seed=1)([3])
tf.random_uniform_initializer(-1., 1., seed=2)([2, 2])
tf.random_normal_initializer(2., 0.5, seed=3)([2], tf.float64)
tf.image.stateless_random_brightness(R(2, 2, 3, low=0, high=1), 0.2, [1, 2])
tf.image.stateless_random_contrast(R(2, 2, 3, low=0, high=1), 0.2, 0.9, [1, 2])
tf.image.stateless_random_crop(R(4, 4, 1), [2, 2, 1], [1, 2])
tf.image.stateless_random_flip_left_right(R(2, 3, 1), [1, 2])
tf.image.stateless_random_flip_up_down(R(3, 2, 1), [3, 4])
tf.image.stateless_random_hue(R(2, 2, 3, low=0, high=1), 0.2, [1, 2])  #: rtol=1e-4
tf.image.stateless_random_saturation(R(2, 2, 3, low=0, high=1), 0.2, 0.9, [1, 2])  #: rtol=1e-4
tf.image.stateless_sample_distorted_bounding_box([20, 20, 3], A([[[0.1, 0.1, 0.9, 0.9]]]), [1, 2])
tf.math.sobol_sample(2, 3, skip=1)
tf.random.shuffle(A(1))
tf.random.uniform(shape=[2, 2]).shape, tf.random.normal(shape=[3], stddev=2.0).dtype
tf.random.categorical(logits=R(1, 3), num_samples=4).shape
tf.random_normal_initializer(mean=1.0, stddev=0.1, seed=5)(shape=[3])
tf.random_uniform_initializer(minval=0., maxval=5., seed=5)([3]), tf.random.Algorithm.PHILOX.value
tf.random.uniform([3], minval=5, maxval=6, dtype=tf.int32), tf.random.uniform([2], 1., 1.)
"""

FAMILIES = [
    (
        "tf.random.stateless_<f>([7], seed=[11, 22], dtype='<d>')",
        {"f": "uniform normal truncated_normal", "d": FLOATS},
    ),
    (
        "tf.random.stateless_uniform([7], seed=[11, 22], minval=-3, maxval=9, dtype='<d>')",
        {"d": INTEGERS + " uint32 uint64 int8"},
    ),
    ("tf.random.stateless_normal([<n>], [5, 6])", {"n": "1 2 3 4 9 17"}),
    ("tf.random.stateless_uniform([<n>], [5, 6])", {"n": "1 2 3 4 9 17"}),
    (
        "tf.random.stateless_<f>([3], [<a>, <b>])",
        {"f": "uniform normal", "a": "0 1 -1 2147483647 9223372036854775807", "b": "0 3"},
    ),
    (
        "tf.random.Generator.from_seed(<s>).<f>([5], dtype='<d>')",
        {"s": "42", "f": "normal uniform truncated_normal", "d": FLOATS},
    ),
    ("tf.random.Generator.from_seed(<s>).normal([3])", {"s": "0 7 -1 123456789012"}),
]

SNIPPETS = """
tf.random.set_seed(1)
[tf.random.uniform([3]), tf.random.uniform([3]), tf.random.normal([3])]

tf.random.set_seed(1)
[tf.random.uniform([3], seed=5), tf.random.uniform([3], seed=5)]

tf.random.set_seed(2)
tf.random.uniform([2, 2], minval=-1., maxval=3.)

tf.random.set_seed(2)
tf.random.uniform([5], 0, 10, dtype=tf.int32)

tf.random.set_seed(2)
tf.random.uniform([5], maxval=2**40, dtype=tf.int64)

tf.random.set_seed(2)
tf.random.uniform([], maxval=7, dtype=tf.int32, seed=3)

tf.random.set_seed(3)
tf.random.normal([2, 3], mean=4., stddev=0.5)

tf.random.set_seed(3)
tf.random.normal([5], dtype=tf.float64, seed=9)

tf.random.set_seed(3)
tf.random.truncated_normal([6])

tf.random.set_seed(3)
tf.random.truncated_normal([4], mean=2., stddev=3., seed=1, dtype=tf.float64)

tf.random.set_seed(4)
tf.random.shuffle(tf.range(8))

tf.random.set_seed(4)
tf.random.shuffle(A([[1, 2], [3, 4], [5, 6]]), seed=2)

tf.random.set_seed(5)
tf.random.categorical(A([[0., 1., 2.], [3., 0., 0.]]), 6)

tf.random.set_seed(5)
tf.random.categorical(R(1, 3), 4, dtype=tf.int32, seed=7)

tf.random.set_seed(6)
tf.random.gamma([4], 2.)

tf.random.set_seed(6)
tf.random.gamma([2], alpha=A([0.5, 3.]), beta=2., seed=1)

tf.random.set_seed(6)
tf.random.poisson([5], 3.)

tf.random.set_seed(6)
tf.random.poisson([2], lam=A([1., 30.]), dtype=tf.int32, seed=2)

tf.random.set_seed(7)
tf.nn.dropout(tf.ones([10]), rate=0.4)

tf.random.set_seed(7)
tf.nn.dropout(R(3, 4), rate=0.5, noise_shape=[3, 1], seed=11)

tf.random.set_seed(8)
tf.image.random_flip_left_right(R(2, 3, 1))

tf.random.set_seed(8)
tf.image.random_flip_up_down(R(2, 3, 1), seed=4)

tf.random.set_seed(8)
tf.image.random_brightness(R(2, 2, 3), 0.3)

tf.random.set_seed(8)
tf.image.random_contrast(R(2, 2, 3), 0.2, 1.8, seed=3)

#: rtol=1e-4
tf.random.set_seed(8)
tf.image.random_hue(R(2, 2, 3, low=0, high=1), 0.2, seed=3)

#: rtol=1e-4
tf.random.set_seed(8)
tf.image.random_saturation(R(2, 2, 3, low=0, high=1), lower=0.5, upper=1.5, seed=3)

tf.random.set_seed(8)
tf.image.random_crop(R(4, 5, 1), size=[2, 2, 1], seed=3)

tf.random.set_seed(8)
tf.image.random_crop(R(4, 5, 3), [3, 3, 3])

tf.random.set_seed(9)
tf.image.sample_distorted_bounding_box([20, 30, 3], A([[[0.1, 0.2, 0.8, 0.9]]]),
    seed=4, min_object_covered=0.3)

tf.random.set_seed(9)
tf.image.sample_distorted_bounding_box([20, 30, 3], tf.zeros([1, 0, 4]), seed=3,
    min_object_covered=0.1, aspect_ratio_range=[0.75, 1.33], area_range=[0.05, 1.0],
    max_attempts=100, use_image_if_no_bounding_boxes=True)

tf.random.set_seed(10)
tf.random.uniform_candidate_sampler(A([[1]], 'int64'), 1, 3, True, 10, seed=2)

tf.random.set_seed(10)
tf.random.log_uniform_candidate_sampler(A([[1]], 'int64'), 1, 4, False, 20, seed=2)

tf.random.set_seed(10)
tf.random.learned_unigram_candidate_sampler(A([[1]], 'int64'), 1, 3, True, 10, seed=2)

tf.random.set_seed(10)
tf.random.fixed_unigram_candidate_sampler(A([[1]], 'int64'), 1, 3, True, 4, unigrams=[1., 2., 3.,
    4.], seed=2)

tf.random.set_seed(10)
tf.random.all_candidate_sampler(A([[0]], 'int64'), 1, 3, True, seed=2)

tf.random.set_seed(10)
tf.nn.sampled_softmax_loss(R(6, 3), R(6, seed=1), A([[1], [2]], 'int64'), R(2, 3, seed=2), 3, 6,
    seed=1)

tf.random.set_seed(10)
tf.nn.nce_loss(weights=R(6, 3), biases=R(6, seed=1), labels=A([[1], [2]], 'int64'), inputs=R(2,
    3, seed=2),
               num_sampled=3, num_classes=6)

tf.random.set_seed(0)
[tf.random.normal([1], seed=s) for s in (0, 1, 2)]

tf.random.set_seed(-3)
tf.random.uniform([2])

tf.random.set_seed(2**40)
tf.random.uniform([2])

tf.random.set_seed(11)
g = tf.random.get_global_generator()
tf.random.set_global_generator(tf.random.Generator.from_seed(5))
tf.random.get_global_generator().normal([3])

g = tf.random.Generator.from_seed(1)
[g.normal([2]), g.normal([2]), g.uniform([5]), g.state]

g = tf.random.Generator.from_seed(1)
g.skip(10)
[g.normal([2]), g.state]

g = tf.random.Generator.from_seed(1)
g.reset_from_seed(9)
g.uniform([2])

g = tf.random.Generator.from_seed(1)
g.reset([4, 5, 6])
g.normal([2])

g = tf.random.Generator.from_seed(1)
g.reset_from_key_counter(3, [1, 2])
g.normal([2])

tf.random.set_seed(12)
tf.compat.v1.random_uniform([3], seed=1)

tf.random.set_seed(12)
tf.compat.v1.truncated_normal([3], stddev=0.1)

tf.random.set_seed(12)
[tf.compat.v1.random_normal([3]), tf.compat.v1.random_shuffle(tf.range(5)),
    tf.compat.v1.multinomial(R(1, 3), 2)]

tf.random.set_seed(12)
tf.compat.v1.random_crop(R(4, 4), [2, 2])

tf.compat.v1.set_random_seed(13)
[tf.compat.v1.random_normal_initializer(seed=1)([3]),
    tf.compat.v1.truncated_normal_initializer(seed=1)([3])]

tf.random.set_seed(13)
[tf.compat.v1.variance_scaling_initializer(seed=2)([2, 3]),
    tf.compat.v1.glorot_uniform_initializer(seed=2)([2, 3])]

tf.random.set_seed(14)
tf.raw_ops.RandomStandardNormal(shape=[3], dtype=tf.float32, seed=1, seed2=2)

tf.random.set_seed(14)
tf.raw_ops.RandomUniform(shape=[3], dtype=tf.float32, seed=1, seed2=2), tf.raw_ops.RandomUniformInt(
    shape=[3], minval=0, maxval=9, seed=1, seed2=2)

tf.random.set_seed(15)
tf.nn.fractional_max_pool(R(1, 5, 5, 1), 1.5, seed=2)

tf.random.set_seed(16)
[tf.random.uniform([2]), tf.random.shuffle(tf.range(4)), tf.random.normal([2]),
    tf.random.categorical(R(1, 3), 2)]

tf.random.set_seed(16)
tf.random.uniform([1000])[::101]

tf.random.set_seed(16)
tf.random.normal([1000])[::101]

tf.random.set_seed(17)
f = tf.function(lambda: tf.random.uniform([2], seed=3))
[f(), f()]
"""

ERRORS = """
tf.random.stateless_uniform([3], seed=[1])
tf.random.stateless_uniform([3], seed=5)
tf.random.stateless_uniform([3], seed=[1.5, 2.])
tf.random.stateless_uniform([-1], seed=[1, 2])
tf.random.stateless_uniform([3], [1, 2], minval=5, maxval=5, dtype=tf.int32)
tf.random.stateless_uniform([3], [1, 2], dtype=tf.int32)
tf.random.stateless_uniform([3], [1, 2], dtype=tf.string)
tf.random.stateless_uniform([3], [1, 2], alg='mersenne')
tf.random.stateless_normal([3], [1, 2], dtype=tf.int32)
tf.random.stateless_categorical(R(3), 2, [1, 2])
tf.random.uniform([3], dtype=tf.int32)
tf.random.uniform([3], minval=3, maxval=1, dtype=tf.int32)
tf.random.uniform([-1])
tf.random.uniform(['a'])
tf.random.uniform([2], dtype=tf.bool)
tf.random.normal([2], dtype=tf.int32)
tf.random.normal([2.5])
tf.random.categorical(R(3), 2)
tf.random.categorical(R(1, 3), -1)
tf.random.categorical(tf.zeros([1, 0]), 2)
tf.random.gamma([2], alpha=A([1, 2]))
tf.random.uniform_candidate_sampler(A([[1]], 'int64'), 1, 11, True, 10)
tf.random.Generator.from_seed(1, alg='none')
tf.random.Generator.from_seed(1).uniform([2], dtype=tf.int32)
tf.random.Generator.from_state([1], 'philox')
tf.image.random_crop(R(2, 2), [3, 3])
tf.image.stateless_random_brightness(R(2, 2, 3), -0.2, [1, 2])
tf.image.random_contrast(R(2, 2, 3), 0.9, 0.2)
tf.image.random_hue(R(2, 2, 3), 0.9)
tf.random.stateless_uniform([4], [1, 2], alg='threefry')
tf.random.stateless_normal([4], [1, 2], alg='threefry')
tf.random.experimental.index_shuffle(3, [1, 2, 3], 9)
tf.random.experimental.index_shuffle(A([0, 1, 2, 3]), [5, 6, 7], 3)
tf.random.Generator.from_seed(1, alg='threefry').normal([3])
"""
