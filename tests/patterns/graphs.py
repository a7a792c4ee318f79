"""Patterns of TensorFlow 1 graphs and sessions."""

import os

import numpy as np

from .table import pattern


@pattern
def a_ragged_tensor_is_fetched(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        ragged = tf.ragged.constant([[[1.0, 2.0], []], [[3.0]]])
        fetched = v1.Session().run({"a": ragged, "b": tf.strings.split(["a b", "c"])})
        one = fetched["a"]
        return [
            type(one).__name__,
            one.to_list(),
            one.shape,
            one.ragged_rank,
            repr(one.values.row_splits),
            fetched["b"].to_list(),
            str(fetched["b"]),
        ]


@pattern
def a_ragged_placeholder_is_fed(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        ragged = v1.ragged.placeholder(tf.int32, 1)
        doubled = tf.ragged.map_flat_values(lambda x: x * 2, ragged)
        value = v1.ragged.constant_value([[1, 2], [3]], tf.int32)
        fetched = v1.Session().run(doubled, {ragged: value})
        return [repr(value), fetched.to_list(), ragged.flat_values.name, ragged.row_splits.name]


@pattern
def ragged_values_say_what_they_take(tf, folder):
    return tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2]), np.array([0.0, 2.0]))


@pattern
def feeds_have_tuples_as_keys(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        return v1.Session().run(a - b, {(a, b): (3.0, 2.0)})


@pattern
def a_sparse_placeholder_of_known_shape_is_fed(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        sparse = v1.sparse_placeholder(tf.float32, shape=[2, 3])
        dense = v1.sparse.to_dense(sparse)
        value = v1.SparseTensorValue([[0, 1]], [2.0], [2, 3])
        return v1.Session().run(dense, {sparse: value})


@pattern
def while_loop_of_one_variable_in_eager_code(tf, folder):
    return tf.compat.v1.while_loop(lambda x: x < 3, lambda x: x + 1, [tf.constant(0)])


@pattern
def a_queue_of_scalars_has_an_empty_shape(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        queue = v1.FIFOQueue(3, [tf.float32], shapes=())
        put, taken = queue.enqueue(2.0), queue.dequeue()
        session = v1.Session()
        session.run(put)
        return [session.run(taken), taken.shape]


@pattern
def variables_to_train_are_values_of_a_dict(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        made = {name: v1.get_variable(name, initializer=1.0) for name in "ab"}
        step = v1.train.AdamOptimizer().minimize(made["a"] * made["b"], var_list=made.values())
        session = v1.Session()
        session.run(v1.global_variables_initializer())
        session.run(step)
        return session.run(made)


@pattern
def a_python_function_gets_scalar_strings_as_bytes(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        seen = []

        def f(x, y):
            seen.append((type(x).__name__, type(y).__name__))
            return x + b"!"

        y = v1.py_func(f, [tf.constant("a"), tf.constant(1.0)], tf.string)
        return [v1.Session().run(y), seen]


@pattern
def a_writer_takes_a_graph_def(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
        v1.summary.FileWriter(folder, graph.as_graph_def()).close()
        return [len(os.listdir(folder))]


@pattern
def a_checkpoint_may_be_named_checkpoint(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v1.get_variable("a", initializer=1.0)
        session = v1.Session()
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, folder + "/checkpoint", global_step=1)
        return [os.path.basename(path), sorted(os.listdir(folder))]


@pattern
def attributes_of_operations_are_messages(tf, folder):
    with tf.Graph().as_default():
        constant = tf.constant([[1.0, 2.0]]).op
        known = tf.compat.v1.placeholder(tf.float32, [None, 3]).op
        unknown = tf.compat.v1.placeholder(tf.float32).op
        queue = tf.compat.v1.FIFOQueue(3, [tf.float32, tf.int32], [[2], []]).queue_ref.op
        return [
            tf.make_ndarray(constant.get_attr("value")),
            [dim.size for dim in known.get_attr("shape").dim],
            unknown.get_attr("shape").unknown_rank,
            [[dim.size for dim in shape.dim] for shape in queue.get_attr("shapes")],
        ]


@pattern
def placeholders_of_old_graphs_have_any_shape(tf, folder):
    shapes = []
    for producer in (0, 21, 23, 134):
        for dims in ([], [2]):
            graph_def = tf.compat.v1.GraphDef()
            graph_def.versions.producer = producer
            node = graph_def.node.add(name="P", op="Placeholder")
            node.attr["dtype"].type = tf.float32.as_datatype_enum
            node.attr["shape"].shape.SetInParent()
            for size in dims:
                node.attr["shape"].shape.dim.add().size = size
            with tf.Graph().as_default():
                (place,) = tf.graph_util.import_graph_def(graph_def, return_elements=["P:0"])
                shapes.append(str(place.shape))
    return shapes


@pattern
def positions_out_of_range_are_ignored_in_tensorflow_1_too(tf, folder):
    v1 = tf.compat.v1
    return [
        v1.gather_nd([1, 2], [[1], [5]], bad_indices_policy="IGNORE"),
        v1.nn.top_k([1.0, 3.0, 2.0], 2, index_type=tf.int64).indices,
        v1.gather_nd(tf.Variable([1, 2]), [[1], [5]], bad_indices_policy="IGNORE"),
    ]


@pattern
def operators_of_matrices_of_any_rank(tf, folder):
    v1, linalg = tf.compat.v1, tf.linalg
    full = linalg.LinearOperatorFullMatrix
    kinds = [
        full,
        linalg.LinearOperatorLowerTriangular,
        lambda matrix: linalg.LinearOperatorInversion(full(matrix)),
        lambda matrix: linalg.LinearOperatorAdjoint(full(matrix)),
    ]
    answers = []
    for kind in kinds:
        with tf.Graph().as_default(), v1.Session() as session:
            operator = kind(v1.placeholder_with_default([[2.0, 0.0], [1.0, 4.0]], shape=None))
            known = [str(operator.shape), operator.tensor_rank, operator.is_square]
            told = [
                operator.shape_tensor(),
                operator.tensor_rank_tensor(),
                operator.matmul([[1.0], [1.0]]),
                operator.solve([[2.0], [4.0]]),
                operator.determinant(),
                operator.to_dense(),
            ]
            answers.append([known, [np.round(value, 4) for value in session.run(told)]])
    return answers


@pattern
def operators_are_checked_in_graphs(tf, folder):
    linalg = tf.linalg
    singular = [[1.0, 0.0], [1.0, 0.0]]
    cases = [
        lambda: linalg.LinearOperatorFullMatrix(singular).assert_non_singular(),
        lambda: linalg.LinearOperatorFullMatrix(singular).assert_self_adjoint(),
        lambda: linalg.LinearOperatorDiag([1.0, 0.0]).assert_non_singular(),
        lambda: linalg.LinearOperatorDiag([1.0, 2.0]).assert_non_singular(),
    ]
    answers = []
    for case in cases:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            try:
                answers.append(session.run(case()))
            except tf.errors.InvalidArgumentError as problem:
                answers.append(type(problem).__name__)
    full = linalg.LinearOperatorFullMatrix
    for kind in (linalg.LinearOperatorInversion, linalg.LinearOperatorAdjoint):
        try:
            kind(full(singular, is_self_adjoint=False), is_self_adjoint=True)
        except ValueError as problem:
            answers.append(str(problem))
    return answers
