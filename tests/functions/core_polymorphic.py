"""Which calls share a trace, and which make a new one."""

# ruff: noqa - cases are written as programs are

import collections
import functools
import inspect

import numpy as np
from core_cases import Cases, attempt, log_of_tensorflow

case = Cases()


def counted(tf, function=None, **options):
    """Return a traced function and the list of its traces."""
    traces = []

    @tf.function(**options)
    def traced(*args, **kwargs):
        traces.append(1)
        return tf.constant(len(traces)) if function is None else function(*args, **kwargs)

    return traced, traces


def counts(tf, calls, **options):
    """Return after each call how many traces there are."""
    traced, traces = counted(tf, **options)
    found = []
    for args in calls:
        traced(*args)
        found.append(len(traces))
    return found


@case
def dtypes_and_shapes(tf):
    make = tf.constant
    return counts(
        tf,
        [
            (make(1),),
            (make(2),),
            (make(1.0),),
            (make([1.0]),),
            (make([1.0, 2.0]),),
            (make([3.0]),),
            (make(1, tf.int64),),
            (make(True),),
            (make("a"),),
            (make([[1.0]]),),
            (make(5),),
        ],
    )


@case
def python_numbers(tf):
    return counts(
        tf,
        [
            (1,),
            (1,),
            (2,),
            (1.0,),
            (True,),
            (False,),
            (None,),
            ("a",),
            ("b",),
            (b"a",),
            (1,),
            (1j,),
        ],
    )


@case
def one_and_true_are_apart(tf):
    traced = tf.function(lambda x: tf.constant(repr(x)))
    return [
        traced(1),
        traced(True),
        traced(1.0),
        traced(0),
        traced(False),
        traced(-0.0),
        traced(0.0),
    ]


@case
def nan_arguments(tf):
    return counts(tf, [(float("nan"),), (float("nan"),)])


@case
def numpy_arguments(tf):
    return counts(
        tf,
        [
            (np.float32(1),),
            (np.float32(2),),
            (np.ones(2, np.float32),),
            (np.zeros(2, np.float32),),
            (tf.ones(2),),
            (np.ones(2),),
            (np.int64(1),),
            (np.bool_(True),),
        ],
    )


@case
def nested_structures(tf):
    one = tf.constant(1)
    return counts(
        tf,
        [
            ([one, one],),
            ((one, one),),
            ([one],),
            ({"a": one},),
            ({"a": one, "b": one},),
            ({"b": one, "a": one},),
            ([one, [one]],),
            ([one, (one,)],),
            ({"a": [one]},),
            ([one, one],),
            ([],),
            ({},),
            ((),),
        ],
    )


@case
def named_tuples_and_ordered(tf):
    Point = collections.namedtuple("Point", "x y")
    one = tf.constant(1)
    return counts(
        tf,
        [
            (Point(one, one),),
            (Point(one, one),),
            ((one, one),),
            (collections.OrderedDict(a=one),),
            ({"a": one},),
            (collections.OrderedDict(a=one),),
        ],
    )


@case
def objects_by_identity(tf):
    class Thing:
        pass

    a, b = Thing(), Thing()
    return counts(tf, [(a,), (a,), (b,), (a,)])


@case
def equal_objects(tf):
    class Thing:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return isinstance(other, Thing) and self.k == other.k

        def __hash__(self):
            return hash(self.k)

    a, b, c = Thing(1), Thing(1), Thing(2)
    return counts(tf, [(a,), (b,), (c,)])


@case
def functions_as_arguments(tf):
    def f():
        return 1

    def g():
        return 2

    return counts(tf, [(f,), (g,), (f,)])


@case
def dtype_and_shape_arguments(tf):
    return counts(
        tf,
        [
            (tf.float32,),
            (tf.float32,),
            (tf.int32,),
            (tf.TensorShape([1]),),
            (tf.TensorShape([1]),),
            (tf.TensorShape([2]),),
            (tf.TensorShape(None),),
        ],
    )


@case
def enum_and_slices(tf):
    import enum

    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    return counts(tf, [(Color.RED,), (Color.RED,), (Color.BLUE,)])


@case
def variables_by_spec(tf):
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable([1.0])
    traced, traces = counted(tf, lambda v, *rest: v + 1.0)
    found = []
    for args in [(a,), (b,), (c,), (a, b), (b, a), (a, a), (b, b)]:
        traced(*args)
        found.append(len(traces))
    return found


@case
def variable_arguments_are_assigned(tf):
    a, b = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def add(v, k):
        v.assign_add(k)
        return v * 2.0

    return [add(a, 1.0), add(b, 1.0), a.numpy(), b.numpy(), add.experimental_get_tracing_count()]


@case
def keywords_and_defaults_share(tf):
    traces = []

    @tf.function
    def f(a, b=2, *, c=3):
        traces.append(1)
        return a + b + c

    one = tf.constant(1)
    return [
        f(one),
        f(one, 2),
        f(one, b=2),
        f(a=one),
        f(one, c=3),
        f(one, c=4),
        f(b=2, a=one),
        len(traces),
    ]


@case
def extra_positional_and_keywords(tf):
    traces = []

    @tf.function
    def f(*args, **kwargs):
        traces.append(1)
        return tf.add_n(list(args) + [kwargs[k] for k in sorted(kwargs)])

    one = tf.constant(1)
    return [
        f(one),
        f(one, one),
        f(one, k=one),
        f(one, k=one, j=one),
        f(one, j=one, k=one),
        len(traces),
    ]


@case
def tensor_and_python_number_differ(tf):
    return counts(tf, [(1,), (tf.constant(1),), (np.int32(1),)])


@case
def reduced_retracing(tf):
    make = tf.ones
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x):
        seen.append(x.shape.as_list() if x.shape.rank is not None else None)
        return tf.reduce_sum(x)

    for shape in ([2], [3], [4], [2, 2], [2, 3], [5], [3, 2, 1], []):
        f(make(shape))
    return seen


@case
def reduced_retracing_two_arguments(tf):
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x, y):
        seen.append([x.shape.as_list(), y.shape.as_list()])
        return tf.reduce_sum(x) + tf.reduce_sum(y)

    for a, b in ((2, 2), (3, 2), (3, 3), (4, 5), (2, 2)):
        f(tf.ones([a, 1]), tf.ones([b]))
    return seen


@case
def reduced_retracing_in_structures(tf):
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x):
        seen.append(x["a"].shape.as_list())
        return tf.reduce_sum(x["a"])

    for a in (2, 3, 4):
        f({"a": tf.ones([a])})
    return seen


@case
def old_name_of_reduced_retracing(tf):
    return counts(tf, [(tf.ones([k]),) for k in (1, 2, 3, 4)], experimental_relax_shapes=True)


@case
def general_trace_is_found_for_narrow_calls(tf):
    traced, traces = counted(tf, lambda x: tf.reduce_sum(x))
    traced.get_concrete_function(tf.TensorSpec([None], tf.float32))
    traced(tf.ones([3]))
    traced(tf.ones([4]))
    traced(tf.ones([1, 1]))
    return len(traces)


@case
def failed_trace_counts(tf):
    @tf.function
    def f(x):
        raise ValueError("no")

    first = attempt(f, 1)
    second = attempt(f, 1)
    return [first, second, f.experimental_get_tracing_count()]


@case
def failed_then_working_trace(tf):
    state = {"fails": True}

    @tf.function
    def f(x):
        if state["fails"]:
            raise KeyError("no")
        return x + 1

    first = attempt(f, tf.constant(1))
    state["fails"] = False
    return [first, f(tf.constant(1)), f.experimental_get_tracing_count()]


@case
def tracing_count(tf):
    f = tf.function(lambda x: x + 1)
    found = [f.experimental_get_tracing_count()]
    for x in (tf.constant(1), tf.constant(2), tf.constant(1.0), tf.constant(1)):
        f(x)
        found.append(f.experimental_get_tracing_count())
    return found


@case
def tracing_count_with_variables(tf):
    class Holder(tf.Module):
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(2.0)
            return x * self.v

    holder = Holder()
    return [
        holder(tf.constant(3.0)),
        holder(tf.constant(4.0)),
        holder(tf.constant([1.0])),
        holder.__call__.experimental_get_tracing_count(),
    ]


@case
def signature_of_functions(tf):
    def f(a, b: int = 2, *args, c=None, **kwargs):
        """Doc."""
        return a

    g = tf.function(f)
    return [
        str(inspect.signature(g)),
        g.__name__,
        g.__doc__,
        g.__wrapped__ is f,
        g.python_function is f,
        callable(g),
        inspect.isfunction(g),
    ]


@case
def signature_of_methods(tf):
    class Thing:
        @tf.function
        def f(self, a, b=1):
            return a

    thing = Thing()
    return [str(inspect.signature(Thing.f)), str(inspect.signature(thing.f)), thing.f is thing.f]


@case
def partial_functions(tf):
    def f(a, b, c=3):
        return a + b * c

    g = tf.function(functools.partial(f, 1, c=5))
    h = tf.function(functools.partial(f, b=2))
    return [
        g(tf.constant(2)),
        h(tf.constant(7)),
        str(inspect.signature(g)),
        attempt(g),
        g(b=tf.constant(1)),
    ]


@case
def partial_of_traced(tf):
    @tf.function
    def f(a, b):
        return a - b

    g = functools.partial(f, b=tf.constant(2))
    return [g(tf.constant(5)), f.experimental_get_tracing_count()]


@case
def callable_objects(tf):
    class Thing:
        def __call__(self, x):
            return x * 3

    return tf.function(Thing())(tf.constant(2))


@case
def lambdas_and_builtins(tf):
    return [
        tf.function(lambda: tf.constant(1))(),
        tf.function(tf.add)(1, 2),
        tf.function(tf.identity)(3),
    ]


@case
def without_autograph(tf):
    @tf.function(autograph=False)
    def f(x):
        if x > 0:
            return x
        return -x

    return attempt(f, tf.constant(1))


@case
def too_many_arguments(tf):
    @tf.function
    def f(a, b=1):
        return a

    return [attempt(f, 1, 2, 3), attempt(f), attempt(f, 1, c=2), attempt(f, 1, a=2)]


@case
def tensors_as_dict_keys_order(tf):
    @tf.function
    def f(d):
        return [d[k] for k in d]

    return f({"b": tf.constant(1), "a": tf.constant(2)})


@case
def retracing_warning_rule(tf):
    found = []
    with log_of_tensorflow() as log:
        f = tf.function(lambda x: x)
        for k in range(12):
            f(k)
            found.append(len(log))
    return [found, [text[:24] for text in log[:2]]]


@case
def retracing_warning_between_hits(tf):
    found = []
    with log_of_tensorflow() as log:
        f = tf.function(lambda x: x)
        for k in (1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8):
            f(k)
            found.append(len(log))
    return [found, [text[:24] for text in log]]


@case
def retracing_warning_text(tf):
    with log_of_tensorflow() as log:

        @tf.function
        def f(x):
            return x

        for k in range(5):
            f(k)
    return [text.split(" triggered")[1].split(". ")[0] for text in log]


@case
def retracing_of_new_functions_in_a_loop(tf):
    found = []
    with log_of_tensorflow() as log:

        def inner(x):
            return x

        for _ in range(7):
            tf.function(inner)(1)
            found.append(len(log))
    return found


@case
def hashable_lists_are_structures(tf):
    return counts(tf, [([1, 2],), ([1, 2],), ([1, 3],), ((1, 2),)])


@case
def unhashable_objects(tf):
    traced, traces = counted(tf)
    one, other = {1}, {1}
    return [attempt(lambda: [traced(one), traced(one), traced(other)]), len(traces)]


@case
def deep_structures_are_given(tf):
    @tf.function
    def f(x):
        return {"s": x["p"][0] + x["q"]["r"], "t": (x["p"][1],)}

    return f({"p": [tf.constant(1), tf.constant(2)], "q": {"r": tf.constant(5)}})


@case
def mutating_an_argument_list(tf):
    given = [tf.constant(1)]

    @tf.function
    def f(x):
        x.append(tf.constant(2))
        return tf.add_n(x)

    return [f(given), len(given)]


@case
def pretty_printed(tf):
    @tf.function
    def f(a, b, c="x"):
        return a

    f(tf.constant(1.0), [tf.constant(2), 3])
    return f.pretty_printed_concrete_signatures()
