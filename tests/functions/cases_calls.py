"""Functions that call others: helpers, closures, methods, builtins, for any TensorFlow."""

# ruff: noqa - the shapes of control flow are the point

import functools

from functions_cases import Cases


def helper_absolute(x):
    if x > 0:
        return x
    return -x


def helper_with_defaults(x, k=3, *, scale=2.0, **rest):
    if x > k:
        return x * scale
    return x - scale


def helper_recursive(x, depth):
    if depth == 0:
        return x
    if x > 0:
        x = x - 1
    return helper_recursive(x, depth - 1)


def wrapped(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs) + 1

    return inner


@wrapped
def helper_decorated(x):
    if x > 0:
        return x * 2
    return x


class Base:
    def step(self, x):
        if x > 0:
            return x + 1
        return x - 1


class Derived(Base):
    __factor = 3.0

    def __init__(self, k):
        self.k = k

    def step(self, x):
        y = super().step(x)
        if y > 2:
            y = y * self.k
        return y

    def private(self, x):
        if x > 0:
            return x * self.__factor
        return x

    def super_in_branch(self, x):
        if x > 0:
            y = super().step(x)
        else:
            y = x
        return y

    def __call__(self, x):
        if x > 0:
            return x * self.k
        return x

    @staticmethod
    def fixed(x):
        if x > 0:
            return x * 5
        return x

    @classmethod
    def of_class(cls, x):
        if x > 0:
            return cls.fixed(x)
        return x

    @property
    def size(self):
        return self.k * 2

    def accumulate(self, n):
        self.total = 0
        for i in range(n):
            self.total += i
        return self.total


def make(tf):
    """Return the cases, written with the given TensorFlow."""
    cases = Cases()
    add = cases.add

    @add([2.0], [-2.0], gradient=True)
    def helper(x):
        return helper_absolute(x) * 3

    @add([4.0], [-2.0])
    def helper_keywords(x):
        return helper_with_defaults(x, scale=5.0, other=1) + helper_with_defaults(x, 1)

    @add([4.0], [-2.0])
    def helper_star(x):
        args, kwargs = (x,), {"k": 2}
        return helper_with_defaults(*args, **kwargs)

    @add([2.0], [-2.0])
    def recursion(x):
        return helper_recursive(x, 3)

    @add([2.0], [-2.0])
    def decorated_helper(x):
        return helper_decorated(x)

    @add([2.0], [-2.0], gradient=True)
    def method(x):
        return Derived(2.0).step(x)

    @add([2.0], [-2.0])
    def private_name(x):
        return Derived(2.0).private(x)

    @add([2.0], [-2.0])
    def super_inside(x):
        return Derived(2.0).super_in_branch(x)

    @add([2.0], [-2.0])
    def callable_object(x):
        return Derived(4.0)(x)

    @add([2.0], [-2.0])
    def static_and_class_methods(x):
        return Derived.fixed(x) + Derived(1.0).of_class(x) + Derived.of_class(x)

    @add([2.0])
    def property_read(x):
        return Derived(3.0).size + x

    @add([5])
    def method_with_state(n):
        return Derived(3.0).accumulate(n)

    @add([2.0], [-2.0])
    def partial(x):
        return functools.partial(helper_with_defaults, k=1, scale=7.0)(x)

    @add([2.0], [-2.0])
    def nested_function(x):
        def inner(y):
            if y > 0:
                return y * 2
            return y * 3

        return inner(x) + inner(x - 3)

    @add([2.0], [-2.0])
    def nested_with_nonlocal(x):
        total = x

        def bump(y):
            nonlocal total
            if y > 0:
                total = total + y
            return total

        bump(x)
        bump(x * 2)
        return total

    @add([2.0], [-2.0])
    def lambda_with_ternary(x):
        pick = lambda v: v * 2 if v > 0 else v * 3  # noqa: E731
        return pick(x) + pick(-x)

    @add([2.0], [-2.0])
    def lambda_argument(x):
        return tf.map_fn(lambda v: v * 2 if v > 0 else v * 3, tf.stack([x, -x]))

    @add([2.0], [-2.0])
    def nested_in_cond(x):
        def one():
            if x > 1:
                return x * 10
            return x

        return tf.cond(x > 0, one, lambda: x)

    @add([2.0], [-2.0])
    def helper_in_map_fn(x):
        return tf.map_fn(helper_absolute, tf.stack([x, -x]))

    @add([2])
    def helper_in_while_loop(n):
        def body(i, s):
            if s > 3:
                s = s - 1
            else:
                s = s + 2
            return i + 1, s

        return tf.while_loop(lambda i, s: i < 5, body, (0, n))

    @add([2.0], [-2.0])
    def python_list_append(x):
        items = []
        for i in range(3):
            items.append(x * i)
        return tf.stack(items)

    @add([2.0], [-2.0])
    def append_in_branch_of_python(x):
        items = []
        flag = True
        if flag:
            items.append(x)
        return items[0]

    @add([[3, 1, 2]])
    def len_of_tensor(x):
        return len(x)

    @add([[3, 1, 2]], [[1]], signature=[([None], "int32")])
    def len_of_unknown(x):
        return len(x)

    @add([2.7], [-2.7])
    def int_of_tensor(x):
        return int(x)

    @add([2], [-2])
    def float_of_tensor(n):
        return float(n)

    @add([2.7], [-2.7])
    def abs_of_tensor(x):
        return abs(x)

    @add([2.7, 1.0], [-2.7, 3.0])
    def max_of_scalars(x, y):
        return max(x, y) - min(x, y)

    @add([[2.7, 1.0, 3.0]])
    def max_of_vector(x):
        return max(x) - min(x)

    @add([[True, False]], [[True, True]])
    def any_and_all(x):
        return any(x), all(x)

    @add([[3, 1, 2]])
    def sorted_tensor(x):
        return sorted(x)

    @add([[3, 1, 2]])
    def sum_of_tensor(x):
        return sum(x)

    @add([[1.0, 2.0]])
    def map_builtin(x):
        return tf.stack(list(map(lambda v: v * 2, [x, x + 1])))

    @add([3])
    def pow_and_divmod(n):
        return pow(n, 2), divmod(7, 2)

    @add([3.6])
    def round_builtin(x):
        return round(x)

    @add([3])
    def isinstance_and_type(n):
        if isinstance(n, tf.Tensor) and callable(tf.identity):
            return n + 1
        return n

    @add([2.0], [-2.0])
    def function_of_function(x):
        inner = tf.function(helper_absolute)
        return inner(x) + 1

    @add([2.0], [-2.0])
    def numpy_inside(x):
        import numpy as np

        return x * np.float32(2) + np.sum([1.0, 2.0]).astype("float32")

    @add([2.0], [-2.0])
    def closure_over_loop(x):
        functions = [lambda v, k=k: v * k if v > 0 else v - k for k in (1.0, 2.0)]
        for function in functions:
            x = function(x)
        return x

    @add([2.0], [-2.0])
    def generator_consumed(x):
        return sum(x * k for k in range(3))

    @add([2.0], [-2.0])
    def conversions_off(x):
        @tf.autograph.experimental.do_not_convert
        def raw(y):
            return y * 2

        return raw(x)

    @add([2.0], [-2.0])
    def getattr_and_hasattr(x):
        box = Derived(2.0)
        if hasattr(box, "k"):
            return getattr(box, "k") * x  # noqa: B009
        return x

    @add([2.0], [-2.0])
    def dict_of_functions(x):
        table = {"double": lambda v: v * 2, "absolute": helper_absolute}
        return table["double"](x) + table["absolute"](x)

    @add([2.0], [-2.0])
    def returned_function(x):
        def maker(k):
            def inner(v):
                if v > 0:
                    return v * k
                return v

            return inner

        return maker(3.0)(x)

    @add([2.0], [-2.0])
    def assert_that_holds(x):
        assert x > -100, "too small"
        return x

    @add([2.0], [-200.0])
    def assert_that_fails(x):
        assert x > -100, "too small"
        return x

    @add([2.0])
    def assert_of_python(x):
        y = 3
        assert y == 3
        return x

    @add([2.0], [-2.0])
    def variable_outside(x):
        if variables.get("v") is None:
            variables["v"] = tf.Variable(1.0)
        v = variables["v"]
        if x > 0:
            v.assign_add(x)
        return v.read_value()

    variables = {}

    @add([3])
    def variable_in_loop(n):
        if variables.get("w") is None:
            variables["w"] = tf.Variable(0)
        v = variables["w"]
        v.assign(0)
        for i in tf.range(n):
            v.assign_add(i)
        return v.read_value()

    @add([2.0], [-2.0])
    def custom_gradient_inside(x):
        @tf.custom_gradient
        def double(y):
            def grad(dy):
                return dy * 100.0

            return y * 2, grad

        return double(x)

    @add([3.0], [-3.0])
    def tape_inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if x > 0:
                y = x * x
            else:
                y = x * 3
        return tape.gradient(y, x)

    @add([3.0])
    def tape_over_loop(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x
        return tape.gradient(y, x)

    @add([3.0], [-3.0])
    def default_of_nested(x):
        k = 5.0

        def inner(v, factor=k):
            return v * factor if v > 0 else v

        return inner(x)

    @add([3.0])
    def filter_builtin(x):
        total = x
        for v in filter(lambda k: k > 1, [1.0, 2.0, 3.0]):
            total = total + v
        return total

    @add([2.0, 1.0], [1.0, 2.0])
    def call_sequence_of_helpers(x, y):
        def larger(a, b):
            return a if a > b else b

        return larger(x, y) * larger(y, x)

    @add([1.0], [2.0], [[1.0, 2.0]], [3])
    def traced_by_signature(x):
        return x + x

    @add([2.0], [-2.0])
    def to_graph_of_helper(x):
        return tf.autograph.to_graph(helper_absolute)(x)

    return cases
