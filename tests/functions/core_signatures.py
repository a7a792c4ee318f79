"""Input signatures, concrete functions, and what they say about themselves."""

# ruff: noqa - cases are written as programs are

import numpy as np
from core_cases import Cases, attempt

case = Cases()


def spec(tf, shape=None, dtype=None, name=None):
    return tf.TensorSpec(shape, dtype or tf.float32, name)


@case
def one_trace_for_a_signature(tf):
    f = tf.function(lambda x: tf.reduce_sum(x), input_signature=[spec(tf, [None])])
    return [
        f(tf.ones(3)),
        f(tf.ones(4)),
        f([1.0, 2.0]),
        f(np.ones(2, np.float32)),
        f.experimental_get_tracing_count(),
    ]


@case
def signature_refuses_shape(tf):
    @tf.function(input_signature=[spec(tf, [None])])
    def f(x):
        return x

    return [
        attempt(f, tf.ones([1, 1])),
        attempt(f, tf.constant(1)),
        attempt(f, "a"),
        attempt(f, None),
        attempt(f),
    ]


@case
def signature_refuses_counts(tf):
    @tf.function(input_signature=[spec(tf), spec(tf)])
    def f(x, y):
        return x

    return [attempt(f, 1.0), attempt(f, 1.0, 2.0, 3.0), attempt(f, 1.0, z=2.0)]


@case
def signature_too_long(tf):
    return attempt(lambda: tf.function(lambda x: x, input_signature=[spec(tf), spec(tf)])(1.0))


@case
def signature_shorter_with_defaults(tf):
    f = tf.function(lambda x, y=2.0: x + y, input_signature=[spec(tf)])
    return [f(1.0), attempt(f, 1.0, 3.0)]


@case
def signature_shorter_without_defaults(tf):
    return attempt(lambda: tf.function(lambda x, y: x + y, input_signature=[spec(tf)])(1.0, 2.0))


@case
def signature_not_specs(tf):
    return [
        attempt(lambda: tf.function(lambda x: x, input_signature=[1])(1.0)),
        attempt(lambda: tf.function(lambda x: x, input_signature=spec(tf))(1.0)),
    ]


@case
def nested_signature(tf):
    f = tf.function(
        lambda x: x["a"] + x["b"][0], input_signature=[{"a": spec(tf), "b": [spec(tf)]}]
    )
    return [
        f({"a": 1.0, "b": [2.0]}),
        attempt(f, {"a": 1.0}),
        attempt(f, [1.0, 2.0]),
        attempt(f, {"a": 1.0, "b": (2.0,)}),
    ]


@case
def signature_by_keyword(tf):
    f = tf.function(lambda x, y: x - y, input_signature=[spec(tf), spec(tf)])
    return [f(1.0, y=3.0), f(y=1.0, x=5.0)]


@case
def signature_casts_python(tf):
    f = tf.function(lambda x: x, input_signature=[spec(tf, [], None)])
    return [
        f(1),
        f(2.5),
        attempt(f, np.float64(1.5)),
        attempt(f, np.int32(1)),
        attempt(f, tf.constant(1.0, tf.float64)),
    ]


@case
def signature_of_variable(tf):
    f = tf.function(lambda x: x + 1.0, input_signature=[spec(tf, [])])
    return f(tf.Variable(2.0))


@case
def signature_empty(tf):
    f = tf.function(lambda: tf.constant(1), input_signature=[])
    return [f(), attempt(f, 1)]


@case
def signature_with_names(tf):
    f = tf.function(lambda x, y: x + y, input_signature=[spec(tf, [], name="first"), spec(tf, [])])
    concrete = f.get_concrete_function()
    return [
        concrete.structured_input_signature,
        [t.name for t in concrete.inputs],
        [str(s) for s in f.input_signature],
    ]


@case
def concrete_of_specs(tf):
    f = tf.function(lambda x: x * 2)
    c = f.get_concrete_function(tf.TensorSpec([None], tf.int32))
    return [
        c(tf.constant([1, 2])),
        c(tf.constant([1])),
        attempt(c, tf.constant([1.0])),
        attempt(c, tf.constant([[1]])),
        [t.name for t in c.inputs],
        c.structured_input_signature,
        c.output_shapes,
        c.output_dtypes,
    ]


@case
def concrete_by_name(tf):
    @tf.function
    def f(a, b):
        return a - b

    c = f.get_concrete_function(
        tf.TensorSpec([], tf.int32, name="u"), tf.TensorSpec([], tf.int32, name="v")
    )
    return [
        [t.name for t in c.inputs],
        c.structured_input_signature,
        attempt(c, a=tf.constant(3), b=tf.constant(1)),
        attempt(lambda: c(u=tf.constant(3), v=tf.constant(1))),
        attempt(c, tf.constant(3), tf.constant(1)),
    ]


@case
def concrete_with_python_values(tf):
    @tf.function
    def f(a, k, flag=True):
        return a * k if flag else a

    c = f.get_concrete_function(tf.TensorSpec([], tf.int32), 3)
    return [
        c(tf.constant(2)),
        attempt(c, tf.constant(2), 3),
        attempt(c, tf.constant(2), 4),
        c.structured_input_signature,
    ]


@case
def concrete_of_structures(tf):
    @tf.function
    def f(x):
        return {"sum": x["a"] + x["b"][0], "all": [x["b"][0], None, (x["a"],)]}

    c = f.get_concrete_function(
        {"a": tf.TensorSpec([], tf.int32), "b": [tf.TensorSpec([], tf.int32)]}
    )
    return [
        c.structured_input_signature,
        sorted(c.structured_outputs),
        attempt(lambda: c({"a": tf.constant(1), "b": [tf.constant(2)]})),
        c.output_dtypes,
        c.output_shapes,
        [t.name for t in c.inputs],
    ]


@case
def concrete_is_kept(tf):
    f = tf.function(lambda x: x + 1)
    a = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    b = f.get_concrete_function(tf.ones([2]))
    c = f.get_concrete_function(tf.TensorSpec([3], tf.float32))
    return [a is b, a is c, f.experimental_get_tracing_count()]


@case
def concrete_wants_a_signature(tf):
    f = tf.function(lambda x: x)
    return attempt(f.get_concrete_function)


@case
def concrete_of_a_signature_with_more(tf):
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.float32)])
    return [
        attempt(
            lambda: (
                f.get_concrete_function(tf.TensorSpec([2], tf.float32)).structured_input_signature
            )
        ),
        attempt(lambda: f.get_concrete_function(tf.TensorSpec([2], tf.int32))),
    ]


@case
def concrete_graph(tf):
    @tf.function
    def f(x):
        return tf.tanh(x) + 1.0

    c = f.get_concrete_function(tf.TensorSpec([2], tf.float32, "x"))
    return [
        [op.type for op in c.graph.get_operations()][:2],
        c.graph.building_function,
        [t.name for t in c.graph.inputs],
        c.graph.as_graph_def().node[0].op,
        type(c.graph).__name__,
        c.outputs[0].shape.as_list(),
    ]


@case
def concrete_variables(tf):
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, trainable=False, name="w")

    @tf.function
    def f(x):
        return x * v + w

    c = f.get_concrete_function(tf.constant(1.0))
    return [
        [each.name for each in c.variables],
        [each.name for each in c.trainable_variables],
        len(c.captured_inputs),
        [t.dtype for t in c.captured_inputs],
        len(c.inputs),
    ]


@case
def captured_tensors(tf):
    big, small = tf.ones([1000]), tf.constant(3.0)

    @tf.function
    def f(x):
        return x + tf.reduce_sum(big) * small

    c = f.get_concrete_function(tf.constant(1.0))
    return [c(tf.constant(1.0)), c.inputs[0].name]


@case
def function_def(tf):
    @tf.function
    def f(x, y):
        return {"sum": x + y, "product": x * y}

    c = f.get_concrete_function(
        tf.TensorSpec([], tf.float32, "x"), tf.TensorSpec([], tf.float32, "y")
    )
    d = c.function_def
    return [
        [(a.name, a.type) for a in d.signature.input_arg],
        [a.type for a in d.signature.output_arg],
        sorted(n.op for n in d.node_def if n.op not in ("Identity", "NoOp")),
        d.signature.name.startswith("__inference_f_"),
        len(d.ret),
    ]


@case
def function_def_with_capture(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return x * v

    d = f.get_concrete_function(tf.TensorSpec([], tf.float32, "x")).function_def
    return [
        [a.type for a in d.signature.input_arg],
        sorted(n.op for n in d.node_def if n.op not in ("Identity", "NoOp")),
    ]


@case
def concrete_repr(tf):
    f = tf.function(lambda x: x)
    c = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    return [str(c), "inference_" in str(c.name), type(c).__name__, type(f).__name__]


@case
def concrete_pretty(tf):
    @tf.function
    def f(a, b=2, *, c=None):
        return [a, {"k": a}]

    return f.get_concrete_function(tf.TensorSpec([2], tf.float32)).pretty_printed_signature()


@case
def concrete_none_output(tf):
    f = tf.function(lambda x: None)
    c = f.get_concrete_function(tf.constant(1))
    return [c(tf.constant(1)), c.structured_outputs, c.outputs, f(1)]


@case
def types_of_functions(tf):
    f = tf.function(lambda x: x)
    c = f.get_concrete_function(tf.constant(1))
    kinds = tf.types.experimental
    return [
        isinstance(f, kinds.PolymorphicFunction),
        isinstance(f, kinds.GenericFunction),
        isinstance(c, kinds.ConcreteFunction),
        isinstance(c, kinds.Callable),
        isinstance(f, kinds.Callable),
        isinstance(f, kinds.ConcreteFunction),
        isinstance(lambda: 1, kinds.Callable),
    ]


@case
def concrete_of_methods(tf):
    class Thing(tf.Module):
        def __init__(self):
            self.v = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def scale(self, x):
            return x * self.v

    thing = Thing()
    c = thing.scale.get_concrete_function()
    return [
        c(tf.constant([1.0, 2.0])),
        thing.scale(tf.constant([4.0])),
        c.structured_input_signature,
    ]


@case
def concrete_with_default_tensor_spec_dtype(tf):
    f = tf.function(lambda x, y=1.5: x * y)
    c = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    return [c(tf.constant(2.0)), c.structured_input_signature]


@case
def ragged_signature(tf):
    f = tf.function(
        lambda r: tf.reduce_sum(r.values),
        input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)],
    )
    return [
        f(tf.ragged.constant([[1], [2, 3]])),
        f(tf.ragged.constant([[1, 4], [], [5]])),
        f.experimental_get_tracing_count(),
    ]


@case
def prune_a_function(tf):
    def f(x):
        a = x + 1.0
        b = a * 2.0
        return b

    wrapped = tf.compat.v1.wrap_function(f, [tf.TensorSpec([], tf.float32)])
    part = wrapped.prune(wrapped.inputs[0], wrapped.graph.get_operations()[2].outputs[0])
    return [wrapped(tf.constant(1.0)), part(tf.constant(1.0))]


@case
def wrapped_function_variables(tf):
    def f(x):
        with tf.compat.v1.variable_scope("s"):
            w = tf.compat.v1.get_variable("w", initializer=3.0)
        return x * w

    wrapped = tf.compat.v1.wrap_function(f, [tf.TensorSpec([], tf.float32)])
    return [wrapped(tf.constant(2.0)), [v.name for v in wrapped.variables]]
