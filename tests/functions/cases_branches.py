"""Functions with `if`, ternaries, boolean operators and returns, for any TensorFlow."""

# ruff: noqa - the shapes of control flow are the point

from functions_cases import Cases


def make(tf):
    """Return the cases, written with the given TensorFlow."""
    cases = Cases()
    add = cases.add

    @add([2.0], [-3.0], gradient=True)
    def if_only(x):
        if x > 0:
            x = x * 2
        return x

    @add([2.0], [-3.0], gradient=True)
    def if_else(x):
        if x > 0:
            y = x * 2
        else:
            y = x * x
        return y

    @add([2.0], [0.0], [-3.0], gradient=True)
    def elif_chain(x):
        if x > 1:
            y = x * 2
        elif x > -1:
            y = x + 10
        else:
            y = -x
        return y

    @add([2.0], [-3.0], gradient=True)
    def return_in_both(x):
        if x > 0:
            return x * 3
        else:
            return x * 4

    @add([2.0], [-3.0], gradient=True)
    def early_return(x):
        if x > 0:
            return x * 3
        x = x + 1
        return x * 5

    @add([2.0], [0.5], [-3.0], gradient=True)
    def several_early_returns(x):
        if x > 1:
            return x
        if x > 0:
            return x * 10
        y = x - 1
        if y < -10:
            return y
        return y * 2

    @add([2.0], [0.5], [-3.0], gradient=True)
    def nested_if(x):
        y = x
        if x > 0:
            if x > 1:
                y = x * 100
            else:
                y = x * 10
            y = y + 1
        return y

    @add([2.0], [0.5], [-3.0], gradient=True)
    def nested_returns(x):
        if x > 0:
            if x > 1:
                return x * 100
            x = x + 1
        else:
            x = x - 1
        return x

    @add([1.0], [-1.0], gradient=True)
    def ternary(x):
        return x * 2 if x > 0 else x * 3

    @add([3.0], [1.0], [-1.0], gradient=True)
    def nested_ternary(x):
        return x * 2 if x > 2 else (x * 3 if x > 0 else x * 4)

    @add([1.0, 2.0], [1.0, -2.0], [-1.0, 2.0])
    def both(x, y):
        return x > 0 and y > 0

    @add([1.0, 2.0], [1.0, -2.0], [-1.0, -2.0])
    def either(x, y):
        return x > 0 or y > 0

    @add([1.0], [-1.0])
    def negation(x):
        return not x > 0

    @add([1.0, 2.0, 3.0], [1.0, -2.0, -1.0], [-1.0, -2.0, 4.0])
    def mixed_boolean(x, y, z):
        if (x > 0 and y > 0) or not z > 0:
            return x + y
        return x + z

    @add([1.0], [5.0], [11.0])
    def comparison_chain(x):
        if 0 < x < 3:
            return 1
        if 3 <= x <= 10:
            return 2
        return 3

    @add([1.0, 1.0], [1.0, 2.0])
    def equality(x, y):
        if x == y:
            return x
        return y

    @add([1.0, 1.0], [1.0, 2.0])
    def inequality(x, y):
        if x != y:
            return x - y
        return x

    @add([1.0], [-1.0])
    def python_numbers_become_tensors(x):
        y = 1
        if x > 0:
            y = 2
        return y

    @add([1.0], [-1.0])
    def python_condition(x):
        flag = True
        if flag:
            y = x
        else:
            y = undefined_name  # noqa: F821
        return y

    @add([1.0], [-1.0])
    def temporary_differs(x):
        if x > 0:
            t = tf.constant([1.0, 2.0])
            y = x + tf.reduce_sum(t)
        else:
            t = "text"
            y = x
        return y

    @add([1.0], [-1.0])
    def temporary_in_one_branch(x):
        y = x
        if x > 0:
            t = x * 4
            y = t + 1
        return y

    @add([1.0], [-1.0])
    def tuple_results(x):
        if x > 0:
            a, b = x, x * 2
        else:
            a, b = x * 3, x
        return a, b

    @add([1.0], [-1.0])
    def dict_result(x):
        if x > 0:
            d = {"a": x, "b": x + 1}
        else:
            d = {"a": x * 2, "b": x - 1}
        return d

    @add([1.0], [-1.0])
    def list_result(x):
        if x > 0:
            d = [x, x + 1]
        else:
            d = [x * 2, x - 1]
        return d

    @add([1.0], [-1.0])
    def dict_item(x):
        d = {"a": x}
        if x > 0:
            d["a"] = x * 2
        return d["a"]

    @add([1.0], [-1.0])
    def dict_item_added(x):
        d = {"a": x}
        if x > 0:
            d["b"] = x * 2
        else:
            d["b"] = x * 3
        return d["b"]

    @add([1.0], [-1.0])
    def attribute(x):
        class Box:
            pass

        box = Box()
        box.value = x
        if x > 0:
            box.value = x * 2
        return box.value

    @add([1.0], [-1.0])
    def attribute_of_attribute(x):
        class Box:
            pass

        box = Box()
        box.inner = Box()
        box.inner.value = x
        if x > 0:
            box.inner.value = box.inner.value * 2
        return box.inner.value

    @add([[1.0, 2.0]], [[-1.0, 2.0]], gradient=True)
    def on_vector(x):
        if tf.reduce_all(x > 0):
            return tf.reduce_sum(x)
        return tf.reduce_prod(x)

    @add([[1.0, 2.0]], [[-1.0, 2.0]])
    def differing_shapes(x):
        if tf.reduce_all(x > 0):
            y = x
        else:
            y = tf.concat([x, x], 0)
        return y

    @add([True], [False])
    def boolean_argument(flag):
        if flag:
            return tf.constant(1)
        return tf.constant(2)

    @add([2], [-2])
    def integer_branches(n):
        if n > 0:
            return n // 2
        return n % 3

    @add([1.0], [-1.0], gradient=True)
    def augmented(x):
        y = x
        if x > 0:
            y += 3
            y *= x
        else:
            y -= 3
        return y

    @add([1.0], [-1.0])
    def pass_branch(x):
        if x > 0:
            pass
        else:
            x = x - 100
        return x

    @add([1.0], [-1.0])
    def unchanged(x):
        y = x
        if x > 0:
            y = y
        return y

    @add([1.0], [-1.0])
    def none_in_both(x):
        if x > 0:
            y = None
        else:
            y = None
        return x if y is None else y

    @add([1.0], [-1.0])
    def is_none_test(x):
        y = None
        if y is None:
            y = x + 1
        if y is not None:
            y = y + 1
        return y

    @add([1.0], [-1.0])
    def isinstance_test(x):
        if isinstance(x, tf.Tensor):
            if x > 0:
                return x
            return -x
        return x

    @add([1.0, 5.0], [-1.0, 5.0])
    def nested_in_with(x, y):
        with tf.name_scope("here"):
            if x > 0:
                y = y + x
            else:
                y = y * x
        return y

    @add([1.0], [-1.0])
    def return_in_with(x):
        with tf.name_scope("here"):
            if x > 0:
                return x * 7
            x = x - 1
        return x

    @add([1.0], [-1.0])
    def try_around(x):
        try:
            if x > 0:
                y = x * 2
            else:
                y = x
        finally:
            x = x + 1
        return x + y

    @add([1.0], [-1.0])
    def raise_caught(x):
        try:
            raise ValueError("no")
        except ValueError:
            if x > 0:
                x = x + 5
        return x

    @add([1.0], [-1.0])
    def string_branch(x):
        if x > 0:
            s = "positive"
        else:
            s = "other"
        return s

    @add([1.0], [-1.0])
    def condition_by_variable(x):
        c = x > 0
        d = tf.logical_not(c)
        if d:
            x = x * 10
        return x

    @add([1.0], [-1.0])
    def shadowed_by_argument(x, y=3.0):
        if x > 0:
            y = x
        return y + 0.0

    @add([1.0], [-1.0])
    def keyword_only(x, *, k=2.0):
        if x > 0:
            x = x * k
        return x

    @add([4.0], [1.0], [-1.0])
    def if_in_ternary_in_argument(x):
        return tf.maximum(x if x > 0 else -x, 2.0 if x > 3 else 1.0)

    @add([4.0], [-1.0])
    def boolean_default(x):
        y = x > 0 and x < 3
        z = x > 100 or x < 0
        return tf.cast(y, tf.int32) + 2 * tf.cast(z, tf.int32)

    @add([4.0], [-1.0])
    def python_and_tensor(x):
        ready = True
        if ready and x > 0:
            return x
        return x * 2

    @add([4.0], [-1.0])
    def python_or_tensor(x):
        ready = False
        if ready or x > 0:
            return x
        return x * 2

    @add([4.0], [-1.0])
    def not_python(x):
        items = []
        if not items:
            return x + 1
        return x

    @add([4.0], [-1.0])
    def walrus(x):
        if (y := x * 2) > 0:
            return y
        return y - 1

    @add([4.0], [-1.0])
    def multiple_assignment(x):
        if x > 0:
            a = b = x + 1
        else:
            a = x
            b = x * 2
        return a + b

    @add([4.0], [-1.0])
    def swap(x):
        a, b = x, x + 1
        if x > 0:
            a, b = b, a
        return a - b

    @add([4.0], [-1.0], [0.5])
    def returns_of_tuples(x):
        if x > 1:
            return x, x * 2
        if x > 0:
            return x, x * 3
        return x, x * 4

    @add([4.0], [-1.0])
    def identical_objects(x):
        options = {"k": 2.0}
        if x > 0:
            y = x * options["k"]
        else:
            y = x
        return y

    @add([4.0], [-1.0])
    def unused_else_value(x):
        y = tf.constant(0.0)
        if x > 0:
            y = x
            unused = y  # noqa: F841
        return y

    @add([4.0], [-1.0])
    def return_none(x):
        if x > 100:
            tf.identity(x)
        return None

    @add([4.0], [-1.0])
    def bare_returns(x):
        if x > 0:
            return
        tf.identity(x)

    return cases
