"""Normalisation, moments, embeddings, dropout, samplers and CTC in `tf.nn`."""

LINES = """
tf.nn.moments(R(2, 3), axes=[0])
tf.nn.moments(R(2, 3), [0, 1])
tf.nn.moments(R(2, 3, 2), axes=[-1], keepdims=True)
tf.nn.moments(R(2, 3, dtype='float16'), [0])
tf.nn.moments(R(4), 0)
tf.nn.moments(R(2, 3), axes=[0], shift=A([1., 1., 1.]))
tf.nn.weighted_moments(R(2, 3), [0], P(2, 3))
tf.nn.weighted_moments(R(2, 3), axes=[1], frequency_weights=P(2, 1), keepdims=True)
tf.nn.sufficient_statistics(R(2, 3), [0])
tf.nn.sufficient_statistics(R(2, 3), [0, 1], shift=A(0.5), keepdims=True)
tf.nn.normalize_moments(A(4.), A([8., 4.]), A([20., 8.]), None)
tf.nn.normalize_moments(A(4.), A([8., 4.]), A([20., 8.]), A([1., 1.]))
tf.nn.batch_normalization(R(2, 3), R(3, seed=1), P(3), R(3, seed=2), P(3, seed=3), 0.001)
tf.nn.batch_normalization(R(2, 3), R(3, seed=1), P(3), None, None, variance_epsilon=1e-3)
tf.nn.batch_normalization(x=R(1, 2, 2, 2), mean=R(2), variance=P(2), offset=R(2, seed=1),
  scale=None, variance_epsilon=0.1)
tf.nn.batch_norm_with_global_normalization(R(1, 2, 2, 2), R(2), P(2), R(2, seed=1), P(2, seed=1),
  0.01, True)
tf.compat.v1.nn.fused_batch_norm(R(2, 2, 2, 2), P(2), R(2))
tf.compat.v1.nn.fused_batch_norm(R(2, 2, 2, 2), P(2), R(2), mean=R(2, seed=1), variance=P(2,
  seed=1), is_training=False, epsilon=0.01)
tf.nn.lrn(R(1, 2, 2, 4))
tf.nn.lrn(R(1, 1, 2, 6), depth_radius=2, bias=0.5, alpha=0.3, beta=0.75)
tf.nn.local_response_normalization(R(1, 1, 1, 3), depth_radius=1)
tf.nn.dropout(R(4), rate=0)
tf.nn.dropout(R(4), rate=0.0, noise_shape=[4])
tf.nn.dropout(tf.ones([2, 2]), rate=0.5).shape
tf.nn.experimental.stateless_dropout(tf.ones([3, 4]), 0.5, seed=[1, 2])
tf.nn.experimental.stateless_dropout(R(3, 4), 0.3, seed=[1, 2], noise_shape=[3, 1])
tf.nn.experimental.general_dropout(tf.ones([2, 2]), 0.5, lambda shape, dtype: A([[0.1, 0.6], [0.7,
  0.2]]))
tf.nn.embedding_lookup_sparse(R(4, 2), SP([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2]), None)
tf.nn.embedding_lookup_sparse(R(4, 2), SP([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2]), SP([[0, 0],
  [0, 1], [1, 0]], [0.5, 2., 1.], [2, 2]), combiner='sum')
tf.nn.embedding_lookup_sparse(R(4, 2), SP([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2]), SP([[0, 0],
  [0, 1], [1, 0]], [0.5, 2., 1.], [2, 2]), combiner='mean')
tf.nn.embedding_lookup_sparse(R(4, 2), SP([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2]), SP([[0, 0],
  [0, 1], [1, 0]], [0.5, 2., 1.], [2, 2]), combiner='sqrtn', max_norm=1.)
tf.nn.safe_embedding_lookup_sparse(R(4, 2), SP([[0, 0], [2, 0]], A([1, 3], 'int64'), [3, 2]))
tf.nn.safe_embedding_lookup_sparse(R(4, 2), SP([[0, 0], [2, 0]], A([1, -3], 'int64'), [3, 2]),
  default_id=2, combiner='sum')
tf.nn.embedding_lookup(R(4, 2), RAG([[0, 1], [3]]))
tf.nn.ctc_loss(A([[1, 2]]), R(4, 1, 3), [2], [4])  #: rtol=1e-4
tf.nn.ctc_loss(A([[1, 2], [2, 0]]), R(4, 2, 4), label_length=[2, 1], logit_length=[4,
  3])  #: rtol=1e-4
tf.nn.ctc_loss(A([[1, 2]]), R(1, 4, 3), [2], [4], logits_time_major=False,
  blank_index=0)  #: rtol=1e-4
tf.nn.ctc_loss(A([[0, 1]]), R(4, 1, 3), [2], [4], blank_index=-1)  #: rtol=1e-4
tf.nn.ctc_loss(SP([[0, 0], [0, 1]], [1, 0], [1, 2]), R(4, 1, 3), None, [4],
  blank_index=-1)  #: rtol=1e-4
tf.nn.ctc_greedy_decoder(R(5, 2, 3), [5, 3])
tf.nn.ctc_greedy_decoder(R(5, 2, 3), A([5, 4]), merge_repeated=False)
tf.nn.ctc_greedy_decoder(R(5, 1, 3), [5], blank_index=0)
tf.nn.ctc_beam_search_decoder(R(5, 1, 3), [5])  #: rtol=1e-4
tf.nn.ctc_beam_search_decoder(R(5, 2, 3), [5, 3], beam_width=4, top_paths=2)  #: rtol=1e-4
tf.nn.ctc_unique_labels(A([[3, 4, 4, 3]]))
tf.nn.collapse_repeated(A([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]]), A([5, 3]))
tf.nn.compute_accidental_hits(A([[1, 2], [3, 4]], 'int64'), A([2, 5, 3], 'int64'), 2)
tf.nn.nce_loss(R(4, 3), R(4, seed=1), A([[1], [2]], 'int64'), R(2, 3, seed=2), 2, 4,
  sampled_values=(A([0, 3], 'int64'), P(2, 1), P(2, seed=1)))
tf.nn.sampled_softmax_loss(R(4, 3), R(4, seed=1), A([[1], [2]], 'int64'), R(2, 3, seed=2), 2, 4,
  sampled_values=(A([0, 3], 'int64'), P(2, 1), P(2, seed=1)))
tf.nn.sampled_softmax_loss(R(4, 3), R(4, seed=1), A([[1], [2]], 'int64'), R(2, 3, seed=2), 2, 4,
  sampled_values=(A([0, 1], 'int64'), P(2, 1), P(2, seed=1)), remove_accidental_hits=False)
tf.nn.all_candidate_sampler(A([[0], [2]], 'int64'), 1, 3, True)
tf.nn.approx_max_k(R(2, 5), 2)
tf.nn.log_softmax(R(1, 3)), tf.nn.zero_fraction(tf.nn.relu(R(10)))
tf.nn.experimental.stateless_dropout(R(2), 0., seed=[1, 2])
tf.compat.v1.nn.dropout(tf.ones([3]), keep_prob=1.0), tf.compat.v1.nn.dropout(tf.ones([2]), rate=0.)
tf.compat.v1.nn.moments(R(2, 3), [0], keep_dims=True), tf.compat.v1.nn.l2_normalize(R(2, 3), dim=1)
"""

FAMILIES = [
    (
        "tf.nn.moments(R(2, 2, 3, dtype='<d>'), <a>)",
        {"d": "float64 bfloat16 complex64", "a": ["[0]", "[0, 1]", "[1, 2]", "[]"]},
    ),
    (
        "tf.nn.batch_normalization(R(2, 3, dtype='<d>'), R(3, dtype='<d>'), P(3, dtype='<d>'), "
        "R(3, seed=2, dtype='<d>'), P(3, seed=3, dtype='<d>'), 0.01)",
        {"d": "float64 float16 bfloat16"},
    ),
    (
        "tf.nn.embedding_lookup_sparse(R(4, 2), SP([[0, 0], [0, 1], [2, 0]], [1, 3, 0], "
        "[3, 2]), None, '<c>')",
        {"c": "sum mean sqrtn max"},
    ),
    (
        "tf.compat.v1.nn.fused_batch_norm(R(2, 2, 2, 2), P(2), R(2), epsilon=0.01, "
        "data_format='<f>', "
        "is_training=True)",
        {"f": "NHWC NCHW"},
    ),
]

ERRORS = """
tf.nn.moments(R(2, 3), [2])
tf.nn.moments(A(['a']), [0])
tf.nn.batch_normalization(R(2, 3), R(2), P(3), None, None, 0.01)
tf.nn.lrn(R(2, 3))
tf.nn.dropout(R(4), rate=1.5)
tf.nn.dropout(R(4), rate=-0.1)
tf.nn.dropout(A([1, 2]), rate=0.5)
tf.nn.dropout(R(4), rate='a')
tf.nn.dropout(R(4), rate=0.5, noise_shape=[3])
tf.nn.experimental.stateless_dropout(R(4), 0.5, seed=[1])
tf.nn.embedding_lookup_sparse(R(4, 2), A([1, 2]), None)
tf.nn.embedding_lookup_sparse(R(4, 2), SP([[0, 0]], [9], [1, 1]), None)
tf.nn.ctc_greedy_decoder(R(5, 2, 3), [6, 3])
tf.nn.ctc_greedy_decoder(R(5, 2), [5, 3])
tf.nn.ctc_greedy_decoder(R(5, 2, 3), [5])
tf.nn.ctc_beam_search_decoder(R(5, 1, 3), [5], beam_width=1, top_paths=2)
tf.nn.ctc_loss(SP([[0, 0]], [1], [1, 1]), R(4, 1, 3), None, [4])
tf.nn.sampled_softmax_loss(R(4, 3), R(4), A([[1], [2]]), R(2, 2), 2, 4)
tf.nn.nce_loss(R(4, 3), R(4), A([1, 2], 'int64'), R(2, 3), 2, 4)
tf.nn.batch_norm_with_global_normalization(R(2, 2), R(2), P(2), R(2), P(3), 0.01, True)
"""
