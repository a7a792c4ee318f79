"""Mistakes with variables, functions, graphs, sessions and devices.

Each error says the value and what to do.
"""

import numpy as np
import pytest

import placewise as tf
from tests.errors.mistakes import check, collector

v1 = tf.compat.v1
MISTAKES, mistake = collector()


@mistake(
    ValueError,
    "Cannot assign value to variable ' Variable:0': Shape mismatch.The",
    "reshape the value, or make the variable with",
)
def assign_shape():
    tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])


@mistake(
    ValueError,
    "Tensor conversion requested dtype float32 for Tensor with dtype",
    "convert it: tf.cast(x, tf.float32)",
)
def assign_dtype():
    tf.Variable([1.0]).assign(tf.constant([1]))


@mistake(
    ValueError,
    "The `initial_value` arg to `tf.Variable` must be specified except",
    "pass a tensor, a number or a function without",
)
def variable_none():
    tf.Variable()


@mistake(
    ValueError,
    "tf.function only supports singleton tf.Variables created on the first",
    "make it outside and pass it in, or keep it: if self.v",
)
def variable_fn():

    @tf.function
    def f():
        return tf.Variable(1.0)

    f()


@mistake(
    RuntimeError,
    "A non-persistent GradientTape can only be used to compute one set of",
    "make it with tf.GradientTape(persistent=True), or ask",
)
def tape_twice():
    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    t.gradient(y, x)
    t.gradient(y, x)


@mistake(
    ValueError,
    "No gradients provided for any variable, check your graph for ops that",
    "does the loss use these variables, and only ops with",
)
def v1_optimizer_none():
    with tf.Graph().as_default():
        v1.Variable(1.0)
        v1.train.GradientDescentOptimizer(0.1).minimize(v1.constant(1.0))


@mistake(
    AttributeError,
    "'GraphTensor' object has no attribute 'numpy'",
    "x:0 is symbolic: return it from the tf.function, run it",
)
def function_numpy():

    @tf.function
    def f(x):
        return x.numpy()

    f(tf.constant(1.0))


@mistake(
    TypeError,
    "Binding inputs to tf.function failed due to `Can not cast",
    "pass what input_signature says",
    "None in tf.TensorSpec([None], tf.float32) leaves a",
)
def function_signature():

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def f(x):
        return x

    f(tf.constant([1.0, 2.0, 3.0]))


@mistake(
    TypeError,
    "Binding inputs to tf.function failed due to `too many positional",
    "pass what input_signature says",
    "None in tf.TensorSpec([None], tf.float32) leaves a",
)
def function_signature_count():

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def f(x):
        return x

    f(tf.constant([1.0, 2.0]), 2)


@mistake(
    TypeError,
    "'y' has dtype int32 in the main branch, but dtype float32 in the else",
    "give both branches one dtype, as with tf.cast or 1.0 in",
)
def function_branch_dtype():

    @tf.function
    def f(c):
        if c:  # noqa: SIM108 - the statement is what is tested
            y = 1
        else:
            y = 2.0
        return y

    f(tf.constant(True))


@mistake(
    tf.errors.FailedPreconditionError,
    "Could not find variable v. This could mean that the variable has been",
    "run tf.compat.v1.global_variables_initializer() in this",
)
def session_uninit():
    with tf.Graph().as_default():
        v = v1.Variable(1.0, name="v")
        v1.Session().run(v)


@mistake(
    tf.errors.FailedPreconditionError,
    "Attempting to use uninitialized value v",
    "run tf.compat.v1.global_variables_initializer() in this",
)
def session_uninit_ref():
    with tf.Graph().as_default():
        v = v1.Variable(1.0, name="v", use_resource=False)
        v1.Session().run(v)


@mistake(
    RuntimeError,
    "Attempted to use a closed Session.",
    "close() or the end of a `with` block closed it: make a",
)
def session_closed():
    with tf.Graph().as_default():
        s = v1.Session()
        c = v1.constant(1.0)
        s.close()
        s.run(c)


@mistake(
    ValueError,
    "Cannot feed value of shape (3,) for Tensor 'p:0', which has shape",
    "reshape the value, or leave a dimension of the",
)
def session_feed_shape():
    with tf.Graph().as_default():
        p = v1.placeholder(tf.float32, [2], name="p")
        v1.Session().run(p, {p: [1.0, 2.0, 3.0]})


@mistake(
    ValueError,
    "could not convert string to float: 'a'",
    "'p:0' takes float32, received list",
    "feed numbers of one shape, or make the placeholder with",
)
def session_feed_dtype():
    with tf.Graph().as_default():
        p = v1.placeholder(tf.float32, [2], name="p")
        v1.Session().run(p, {p: ["a", "b"]})


@mistake(
    tf.errors.InvalidArgumentError,
    "You must feed a value for placeholder tensor 'p' with dtype float and",
    "pass it to run: feed_dict={placeholder: value}",
)
def session_feed_missing():
    with tf.Graph().as_default():
        p = v1.placeholder(tf.float32, [2], name="p")
        v1.Session().run(p + 1)


@mistake(
    TypeError,
    "The value of a feed cannot be a tf.Tensor object. Acceptable feed",
    "feed numpy values: session.run(tensor) first, or build",
)
def session_feed_tensor():
    with tf.Graph().as_default():
        p = v1.placeholder(tf.float32, [2], name="p")
        v1.Session().run(p, {p: v1.constant([1.0, 2.0])})


@mistake(
    TypeError,
    "Cannot interpret feed_dict key as Tensor: The name 'q:0' refers to a",
    "keys are tensors of this session's graph, or names such",
)
def session_feed_key():
    with tf.Graph().as_default():
        p = v1.placeholder(tf.float32, [2], name="p")
        v1.Session().run(p, {"q:0": [1.0, 2.0]})


@mistake(
    RuntimeError,
    "The Session graph is empty.  Add operations to the graph before",
    "build the graph under `with graph.as_default():`, and",
)
def session_fetch_other():
    with tf.Graph().as_default():
        a = v1.constant(1.0)
    with tf.Graph().as_default():
        v1.Session().run(a)


@mistake(
    ValueError,
    "Fetch argument 'd:0' cannot be interpreted as a Tensor. (\"The name",
    "fetch tensors and operations of this session's graph",
    "[op.name for op in graph.get_operations()] lists names",
)
def session_fetch_name():
    with tf.Graph().as_default():
        v1.constant(1.0, name="c")
        v1.Session().run("d:0")


@mistake(
    ValueError,
    "Fetch argument 'c:3' cannot be interpreted as a Tensor. (\"The name",
    "fetch tensors and operations of this session's graph",
    "[op.name for op in graph.get_operations()] lists names",
)
def session_fetch_opname():
    with tf.Graph().as_default():
        v1.constant(1.0, name="c")
        v1.Session().run("c:3")


@mistake(
    ValueError,
    "Cannot evaluate tensor using `eval()`: No default session is",
    "or call session.run(tensor)",
    "in eager mode see .numpy()",
)
def eval_no_session():
    with tf.Graph().as_default():
        v1.constant(1.0).eval()


@mistake(
    ValueError,
    'Tensor Tensor("Const:0", shape=(), dtype=float32) must be from the',
    "build both under one `with graph.as_default():`, or",
)
def graph_mismatch():
    with tf.Graph().as_default():
        a = v1.constant(1.0)
    with tf.Graph().as_default():
        a + v1.constant(1.0)


@mistake(
    NotImplementedError,
    "Cannot convert a symbolic tf.Tensor (Const:0) to a numpy array. This",
    "call Session.run(tensor) in a graph",
    "inside tf.function use tf functions, or",
)
def graph_numpy():
    with tf.Graph().as_default():
        np.asarray(v1.constant(1.0))


@mistake(
    RuntimeError,
    "Graph is finalized and cannot be modified.",
    "add all operations before the session starts",
    "make tf.assign and the like once, outside of the loop",
)
def graph_finalized():
    with tf.Graph().as_default() as g:
        g.finalize()
        v1.constant(1.0)


@mistake(
    ValueError,
    "The name 'x' refers to an Operation, not a Tensor. Tensor names must",
    "for the first output: 'x:0'",
)
def get_tensor_form():
    with tf.Graph().as_default() as g:
        v1.constant(1.0, name="x")
        g.get_tensor_by_name("x")


@mistake(
    RuntimeError,
    "tf.placeholder() is not compatible with eager execution.",
    "pass values as arguments of a tf.function, or build a",
)
def placeholder_eager():
    v1.placeholder(tf.float32)


@mistake(
    ValueError,
    "Variable s/v does not exist, or was not created with",
    "there is no variable yet: the first call must make it",
)
def get_variable_reuse():
    with tf.Graph().as_default(), v1.variable_scope("s", reuse=True):
        v1.get_variable("v", [1])


@mistake(
    ValueError,
    "Trying to share variable v, but specified shape (2,) and found shape",
    "ask for the shape it was made with, or use another name",
)
def get_variable_shape():
    with tf.Graph().as_default():
        v1.get_variable("v", [1])
        v1.get_variable_scope().reuse_variables()
        v1.get_variable("v", [2])


@mistake(
    ValueError,
    "The initializer passed is not valid. It should be a callable with no",
    "give `shape` without None, or a tensor as initializer",
)
def get_variable_noshape():
    with tf.Graph().as_default():
        v1.get_variable("v")


@mistake(
    ValueError,
    "'bad name!' is not a valid node name",
    "names have letters, digits and _ . - / and begin with a",
)
def op_name():
    with tf.Graph().as_default():
        v1.constant(1.0, name="bad name!")


@mistake(
    ValueError,
    "positional args must be a list or tuple, got <class 'int'>",
    "strategy.run(fn, args=(x,)) passes one argument",
)
def strategy_scope():
    s = tf.distribute.MirroredStrategy(["cpu:0"])
    s.run(lambda x: x, args=3)


@pytest.mark.parametrize(("function", "kind", "words", "shown"), MISTAKES)
def test_the_error_says_the_value_and_what_to_do(function, kind, words, shown, tmp_path):
    check(function, kind, words, shown, tmp_path)
