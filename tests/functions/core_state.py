"""Captures, variables and effects: what functions share with the world around them."""

# ruff: noqa - cases are written as programs are

import gc
import weakref

import numpy as np
from core_cases import Cases, attempt

case = Cases()


@case
def captured_variable_is_read_each_time(tf):
    v = tf.Variable(1.0)
    f = tf.function(lambda x: x + v)
    first = f(tf.constant(1.0))
    v.assign(10.0)
    return [first, f(tf.constant(1.0)), f.experimental_get_tracing_count()]


@case
def python_globals_are_frozen(tf):
    state = {"k": 1}
    f = tf.function(lambda x: x + state["k"])
    first = f(tf.constant(1))
    state["k"] = 100
    return [first, f(tf.constant(1)), f(tf.constant([1]))]


@case
def eager_tensor_is_captured(tf):
    held = [tf.constant(1.0)]
    f = tf.function(lambda x: x + held[0])
    first = f(tf.constant(1.0))
    held[0] = tf.constant(50.0)
    return [first, f(tf.constant(1.0))]


@case
def numpy_array_is_frozen(tf):
    held = np.array([1.0], np.float32)
    f = tf.function(lambda x: x + held)
    first = f(tf.constant(1.0))
    held[0] = 9.0
    return [first, f(tf.constant(1.0))]


@case
def variable_swapped_in_object(tf):
    class Holder:
        pass

    holder = Holder()
    holder.v = tf.Variable(1.0)
    f = tf.function(lambda x: x * holder.v)
    first = f(tf.constant(2.0))
    holder.v = tf.Variable(100.0)
    return [first, f(tf.constant(2.0))]


@case
def deleted_variable(tf):
    def make():
        v = tf.Variable(3.0)

        @tf.function
        def f(x):
            return x * v

        f(tf.constant(1.0))
        return f

    f = make()
    gc.collect()
    return f(tf.constant(2.0))


@case
def variables_made_once(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(5.0))
        return made[0].assign_add(x)

    return [f(tf.constant(1.0)), f(tf.constant(1.0)), f(tf.constant(2.0)), len(made)]


@case
def variable_made_each_call(tf):
    @tf.function
    def f(x):
        return tf.Variable(1.0) + x

    return [attempt(f, tf.constant(1.0)), f.experimental_get_tracing_count()]


@case
def variable_made_in_second_trace(tf):
    made = {}

    @tf.function
    def f(x, k):
        if k not in made:
            made[k] = tf.Variable(1.0)
        return made[k] * x

    return [f(tf.constant(1.0), 1), attempt(f, tf.constant(1.0), 2)]


@case
def variable_begins_random(tf):
    made = []

    @tf.function
    def f():
        if not made:
            made.append(tf.Variable(tf.random.stateless_uniform([2], [1, 2]) * 0.0 + 3.0))
        return made[0] + 0.0

    return [f(), f()]


@case
def variable_begins_with_argument(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(x * 2.0))
        return made[0] + x

    return [f(tf.constant(1.0)), f(tf.constant(10.0))]


@case
def variable_begins_with_argument_without_lifting(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(x))
        return made[0].assign_add(x)

    return [f(tf.constant(1.0)), f(tf.constant(10.0)), made[0].numpy()]


@case
def variable_made_in_init_scope(tf):
    made = []

    @tf.function
    def f(x):
        with tf.init_scope():
            if not made:
                made.append(tf.Variable(2.0))
        return made[0] * x

    return [f(tf.constant(2.0)), f.experimental_get_tracing_count()]


@case
def init_scope_is_eager(tf):
    seen = []

    @tf.function
    def f(x):
        with tf.init_scope():
            seen.append([tf.executing_eagerly(), tf.constant(1).numpy().item()])
        seen.append(tf.executing_eagerly())
        return x

    f(1)
    return [seen, attempt(tf.function(lambda x: _lift(tf, x)), tf.constant(1.0))]


def _lift(tf, x):
    with tf.init_scope():
        return x + 1.0


@case
def one_function_for_two_objects(tf):
    class Holder(tf.Module):
        def __init__(self):
            self.v = None

        @tf.function
        def f(self, x):
            if self.v is None:
                self.v = tf.Variable(1.0)
            return self.v.assign_add(x)

    a, b = Holder(), Holder()
    return [a.f(1.0), b.f(2.0), a.f(3.0), a.v.numpy(), b.v.numpy(), len(a.variables)]


@case
def nested_function_makes_variables(tf):
    made = []

    @tf.function
    def inner(x):
        if not made:
            made.append(tf.Variable(4.0))
        return made[0] * x

    @tf.function
    def outer(x):
        return inner(x) + 1.0

    return [outer(tf.constant(2.0)), outer(tf.constant(3.0)), inner(tf.constant(1.0))]


@case
def variable_names(tf):
    made = []

    @tf.function
    def f():
        if not made:
            with tf.name_scope("scope"):
                made.append(tf.Variable(1.0, name="inner"))
            made.append(tf.Variable(1.0))
        return made[0] + made[1]

    f()
    return [v.name for v in made]


@case
def methods_are_weak(tf):
    class Thing:
        @tf.function
        def f(self, x):
            return x + 1

    thing = Thing()
    first = thing.f(tf.constant(1))
    ref = weakref.ref(thing)
    del thing
    gc.collect()
    return [first, ref() is None]


@case
def methods_per_instance(tf):
    traces = []

    class Thing:
        def __init__(self, k):
            self.k = k

        @tf.function
        def f(self, x):
            traces.append(self.k)
            return x * self.k

    a, b = Thing(2), Thing(3)
    return [
        a.f(tf.constant(1)),
        b.f(tf.constant(1)),
        a.f(tf.constant(5)),
        b.f(tf.constant(6)),
        traces,
        a.f.experimental_get_tracing_count(),
        Thing.f(a, tf.constant(7)),
        traces,
    ]


@case
def method_called_through_class(tf):
    class Thing:
        k = 4

        @tf.function
        def f(self, x):
            return x * self.k

    thing = Thing()
    return [Thing.f(thing, tf.constant(2)), tf.function(thing.f)(tf.constant(3))]


@case
def static_and_class_methods(tf):
    class Thing:
        k = 4

        @staticmethod
        @tf.function
        def s(x):
            return x + 1

        @classmethod
        @tf.function
        def c(cls, x):
            return x * cls.k

    return [
        Thing.s(tf.constant(1)),
        Thing().s(tf.constant(2)),
        Thing.c(tf.constant(3)),
        Thing().c(tf.constant(4)),
    ]


@case
def property_of_traced(tf):
    class Thing:
        @property
        @tf.function
        def p(self):
            return tf.constant(3)

    return attempt(lambda: Thing().p)


@case
def method_with_super(tf):
    class Base:
        @tf.function
        def f(self, x):
            return x + 1

    class Derived(Base):
        @tf.function
        def f(self, x):
            return super().f(x) * 10

    derived = Derived()
    return derived.f(tf.constant(1))


@case
def effects_in_order(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        v.assign_add(1.0)
        a = v.read_value()
        v.assign(a * 10.0)
        b = v.read_value()
        v.assign_sub(5.0)
        return a, b, v.read_value()

    return [f(), f(), v.numpy()]


@case
def effects_without_results(tf):
    v = tf.Variable(0)

    @tf.function
    def f():
        v.assign_add(1)

    f()
    f()
    return [v.numpy().item(), f()]


@case
def effects_of_nested(tf):
    v = tf.Variable(1)

    @tf.function
    def double():
        v.assign(v * 2)

    @tf.function
    def f():
        double()
        v.assign_add(1)
        double()
        return v.read_value()

    return [f(), f()]


@case
def effects_in_branches(tf):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        if x > 0:
            v.assign_add(x)
        else:
            v.assign_sub(1)
        return v.read_value()

    return [f(tf.constant(3)), f(tf.constant(-3)), f(tf.constant(2))]


@case
def effects_on_two_variables(tf):
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def swap():
        x, y = a.read_value(), b.read_value()
        a.assign(y)
        b.assign(x)

    swap()
    return [a.numpy(), b.numpy()]


@case
def aliased_variables(tf):
    v, w = tf.Variable(1.0), tf.Variable(5.0)

    @tf.function
    def f(a, b):
        a.assign_add(1.0)
        b.assign(b * 10.0)
        return a.read_value(), b.read_value()

    return [f(v, v), f(v, w), f(w, w), v.numpy(), w.numpy()]


@case
def python_functions_inside(tf):
    seen = []

    @tf.function
    def f(x):
        tf.py_function(lambda t: seen.append(int(t)), [x], [])
        y = tf.py_function(lambda t: t * 2, [x], tf.int32)
        z = tf.numpy_function(lambda t: np.int32(t + 1), [y], tf.int32)
        tf.py_function(lambda t: seen.append(int(t)), [z], [])
        return z

    return [f(tf.constant(3)), f(tf.constant(4)), seen]


@case
def python_function_shape_is_unknown(tf):
    seen = []

    @tf.function
    def f(x):
        y = tf.py_function(lambda t: t * 2, [x], tf.float32)
        seen.append(y.shape.rank)
        y.set_shape([2])
        return y

    return [f(tf.constant([1.0, 2.0])), seen]


@case
def python_function_gradient(tf):
    @tf.function
    def f(x):
        return tf.py_function(lambda t: t * t, [x], tf.float32)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@case
def python_function_raises(tf):
    def bad(x):
        raise ValueError("from inside")

    f = tf.function(lambda x: tf.py_function(bad, [x], tf.int32))
    found = attempt(f, tf.constant(1))
    return [found["error"], "from inside" in found["text"]]


@case
def queue_inside(tf):
    queue = tf.queue.FIFOQueue(10, [tf.int32], shapes=[[]])

    @tf.function
    def f(x):
        queue.enqueue(x)
        queue.enqueue(x + 1)
        return queue.dequeue()

    return [f(tf.constant(1)), f(tf.constant(5)), queue.size().numpy().item()]


@case
def table_inside(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    @tf.function
    def f(key, value):
        before = table.lookup(key)
        table.insert(key, value)
        return before, table.lookup(key), table.size()

    return [
        f(tf.constant("a"), tf.constant(1, tf.int64)),
        f(tf.constant("a"), tf.constant(2, tf.int64)),
    ]


@case
def static_table_inside(tf):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    f = tf.function(lambda x: table.lookup(x))
    return f(tf.constant(["b", "c", "a"]))


@case
def table_made_inside(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            with tf.init_scope():
                made.append(
                    tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), -1)
                )
        return made[0].lookup(x)

    return f(tf.constant("a"))


@case
def tensor_array_returned(tf):
    @tf.function
    def f():
        array = tf.TensorArray(tf.int32, 3)
        for k in tf.range(3):
            array = array.write(k, k * k)
        return array.stack(), array.size()

    return f()


@case
def tensor_array_as_result(tf):
    @tf.function
    def f():
        return tf.TensorArray(tf.int32, 2).unstack(tf.constant([4, 5]))

    return attempt(lambda: f().stack())


@case
def random_inside_differs_between_calls(tf):
    f = tf.function(lambda: tf.random.uniform([]))
    a, b = f().numpy().item(), f().numpy().item()
    return a != b


@case
def random_after_seed_repeats(tf):
    tf.random.set_seed(1)
    f = tf.function(lambda: tf.random.uniform([]))
    a = [f().numpy().item() for _ in range(3)]
    tf.random.set_seed(1)
    g = tf.function(lambda: tf.random.uniform([]))
    b = [g().numpy().item() for _ in range(3)]
    return a == b


@case
def generator_inside(tf):
    g = tf.random.Generator.from_seed(1)
    f = tf.function(lambda: g.uniform([]))
    return f().numpy().item() != f().numpy().item()


@case
def control_dependencies_inside(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        with tf.control_dependencies([v.assign_add(1)]):
            return tf.identity(v)

    return [f(), f()]


@case
def assertions_inside(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="must be positive")
        tf.debugging.assert_equal(tf.shape(x)[0], 2)
        tf.debugging.assert_rank(x, 1)
        tf.debugging.assert_less(x, 10.0)
        return tf.sqrt(x)

    bad = attempt(f, tf.constant([-1.0, 2.0]))
    return [f(tf.constant([4.0, 9.0])), bad["error"], "must be positive" in bad["text"]]


@case
def assert_and_check_numerics(tf):
    @tf.function
    def f(x):
        tf.debugging.Assert(tf.reduce_all(x > 0), [x])
        return tf.debugging.check_numerics(1.0 / x, "bad")

    @tf.function
    def g(x):
        return tf.debugging.check_numerics(1.0 / x, "bad")

    a, b = attempt(f, tf.constant(-1.0)), attempt(g, tf.constant(0.0))
    return [f(tf.constant(2.0)), a["error"], a["text"][:17], b["error"], "bad" in b["text"]]


@case
def static_assertions_fail_while_tracing(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_rank(x, 2)
        return x

    @tf.function
    def g(x):
        tf.debugging.assert_equal(tf.constant(1), tf.constant(2), message="never")
        return x

    @tf.function
    def h(x):
        tf.debugging.assert_type(x, tf.int32)
        return x

    @tf.function
    def s(x):
        tf.debugging.assert_shapes([(x, ("N", 2))])
        return x

    return [
        attempt(f, tf.constant(1.0))["error"],
        attempt(g, 1)["error"],
        attempt(h, tf.constant(1.0))["error"],
        attempt(s, tf.ones([3, 3]))["error"],
        s(tf.ones([3, 2])),
    ]


@case
def assertions_of_every_kind(tf):
    debug = tf.debugging
    found = {}
    pairs = {
        "assert_equal": (1, 2),
        "assert_none_equal": (1, 1),
        "assert_less": (2, 1),
        "assert_less_equal": (2, 1),
        "assert_greater": (1, 2),
        "assert_greater_equal": (1, 2),
        "assert_near": (1.0, 2.0),
    }
    for name, (a, b) in pairs.items():
        f = tf.function(lambda x, y, name=name: _checked(tf, getattr(debug, name), x, y))
        same = attempt(f, tf.constant(a), tf.constant(b))
        found[name] = same["error"] if isinstance(same, dict) else "no error"
    for name, a in {
        "assert_positive": 0,
        "assert_negative": 0,
        "assert_non_negative": -1,
        "assert_non_positive": 1,
    }.items():
        f = tf.function(lambda x, name=name: _checked(tf, getattr(debug, name), x))
        same = attempt(f, tf.constant(a))
        found[name] = same["error"] if isinstance(same, dict) else "no error"
    return found


def _checked(tf, check, *args):
    check(*args)
    return tf.constant(1)


@case
def assert_words(tf):
    @tf.function
    def f(x, y):
        tf.debugging.assert_equal(x, y, message="these differ")
        return x

    return attempt(f, tf.constant(1), tf.constant(2))["text"][:60]


@case
def iterator_as_argument(tf):
    data = tf.data.Dataset.range(5)

    @tf.function
    def f(it):
        return next(it) + next(it)

    it = iter(data)
    return [f(it), f(it), f.experimental_get_tracing_count()]


@case
def dataset_as_argument(tf):
    @tf.function
    def f(data):
        total = tf.constant(0, tf.int64)
        for x in data:
            total += x
        return total

    return [
        f(tf.data.Dataset.range(4)),
        f(tf.data.Dataset.range(5)),
        f.experimental_get_tracing_count(),
    ]


@case
def dataset_made_inside(tf):
    @tf.function
    def f(n):
        total = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(n).map(lambda v: v * 2):
            total += x
        return total

    return f(tf.constant(4, tf.int64))


@case
def inside_a_dataset_map(tf):
    traces = []

    @tf.function
    def f(x):
        traces.append(1)
        return x * 2

    found = [int(x) for x in tf.data.Dataset.range(3).map(f)]
    return [found, [int(x) for x in tf.data.Dataset.range(3).map(lambda x: f(x) + 1)], len(traces)]
