"""Functions that TensorFlow refuses, with its words, for any TensorFlow."""

# ruff: noqa - the shapes of control flow are the point

from functions_cases import Cases


def make(tf):
    """Return the cases, written with the given TensorFlow."""
    cases = Cases()
    add = cases.add

    @add([1.0])
    def missing_in_else(x):
        if x > 0:
            y = x
        return y

    @add([1.0])
    def missing_in_main(x):
        if x > 0:
            pass
        else:
            y = x
        return y

    @add([1.0])
    def dtypes_differ(x):
        if x > 0:
            y = 1
        else:
            y = 1.0
        return y

    @add([1.0])
    def structures_differ(x):
        if x > 0:
            y = (x, x)
        else:
            y = x
        return y

    @add([1.0])
    def lengths_differ(x):
        if x > 0:
            y = (x, x)
        else:
            y = (x, x, x)
        return y

    @add([1.0])
    def none_in_one_branch(x):
        y = None
        if x > 0:
            y = x
        return y

    @add([1.0])
    def none_in_else(x):
        y = x
        if x > 0:
            y = None
        return y

    @add([1.0])
    def object_in_branch(x):
        y = None
        if x > 0:
            y = object()
        else:
            y = object()
        return y

    @add([1.0])
    def no_return_in_else(x):
        if x > 0:
            return x

    @add([1.0])
    def return_structures_differ(x):
        if x > 0:
            return x, x
        return x

    @add([1.0])
    def return_dtypes_differ(x):
        if x > 0:
            return 1
        return 2.0

    @add([1.0])
    def return_none_in_one(x):
        if x > 0:
            return None
        return x

    @add([3])
    def loop_dtype_changes(n):
        x = 0
        for i in tf.range(n):
            x = x + 1.5
        return x

    @add([3])
    def loop_dtype_changes_in_while(n):
        x = 0
        while n > 0:
            n -= 1
            x = tf.cast(x, tf.float32)
        return x

    @add([3])
    def loop_shape_changes(n):
        x = tf.zeros([1])
        for _ in tf.range(n):
            x = tf.concat([x, x], 0)
        return x

    @add([3])
    def loop_structure_changes(n):
        x = (n, n)
        for i in tf.range(n):
            x = (i, i, i)
        return x

    @add([3])
    def loop_none(n):
        x = None
        for i in tf.range(n):
            x = i
        return x

    @add([3])
    def loop_becomes_none(n):
        x = n
        for _ in tf.range(n):
            x = None
        return x

    @add([3])
    def loop_object(n):
        x = object()
        for _ in tf.range(n):
            x = object()
        return x

    @add([3])
    def loop_undefined_in_while(n):
        while n > 0:
            n -= 1
            y = n
        return y

    @add([3])
    def loop_undefined_structure(n):
        while n > 0:
            n -= 1
            y = (n, [n])
        return y

    @add([3])
    def loop_undefined_sometimes(n):
        for i in tf.range(n):
            if i > 1:
                y = i
        return y

    @add([3])
    def loop_read_before_write(n):
        for i in tf.range(n):
            if i > 0:
                n = n + y  # noqa: F821
            y = i
        return n

    @add([3])
    def python_break_on_tensor(n):
        total = 0
        for i in range(5):
            if n > i:
                break
            total += i
        return total

    @add([3])
    def python_return_on_tensor(n):
        for i in range(5):
            if n > i:
                return i
        return 7

    @add([3])
    def bool_of_tensor(n):
        return bool(n)

    @add([3])
    def unpacking(n):
        a, b = tf.stack([n, n])
        return a + b

    @add([3])
    def tensor_in_list(n):
        return n in [1, 2, 3]

    @add([3])
    def list_comprehension_over_tensor(n):
        return [i for i in tf.range(n)]

    @add([3])
    def condition_in_comprehension(n):
        return [i for i in range(3) if n > i]

    @add([3])
    def not_converted(n):
        @tf.autograph.experimental.do_not_convert
        def raw(k):
            if k > 0:
                return k
            return -k

        return raw(n)

    @add([[1.0, 2.0]])
    def condition_of_vector(x):
        if x > 0:
            return x
        return -x

    @add([3])
    def condition_of_integer(n):
        if n:
            return n
        return -n

    @add([3])
    def while_of_integer(n):
        while n:
            n -= 1
        return n

    @add([3.0])
    def scalar_iteration(x):
        total = 0.0
        for v in x:
            total += v
        return total

    @add([3])
    def range_as_index(n):
        return [1, 2, 3, 4][n]

    @add([3])
    def assert_fails(n):
        assert n > 5, "n is too small"
        return n

    @add([3])
    def error_in_branch(n):
        if n > 0:
            raise ValueError("positive not allowed")
        return n

    @add([3])
    def error_in_helper(n):
        def inner(k):
            return tf.reshape(tf.zeros([4]), [3]) + k

        return inner(n)

    @add([3])
    def unbound(n):
        if n is None:
            y = 3
        return y

    @add([3])
    def append_in_tensor_loop(n):
        items = []
        for i in tf.range(n):
            items.append(i)
        return tf.stack(items)

    @add([3])
    def bad_loop_option(n):
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(i, tf.TensorShape([2]))])
        return n

    @add([3])
    def deleted(n):
        y = n
        if n > 0:
            del y
        return y

    @add([3])
    def generator_function(n):
        def count(k):
            for i in range(2):
                yield k + i

        return list(count(n))

    @add([3])
    def numpy_of_symbolic(n):
        return n.numpy()

    @add([3])
    def while_else(n):
        i = 0
        while i < n:
            i += 1
        else:
            i += 100
        return i

    @add([3])
    def for_else(n):
        total = 0
        for i in range(3):
            total += i
        else:
            total += 100
        return total + n

    @add([3.0])
    def enumerate_python_loop_break(x):
        for i, v in enumerate([1.0, 2.0]):
            if x > v:
                break
        return x + i

    @add([3])
    def math_on_tensor(n):
        import math

        return math.sqrt(n)

    @add([3])
    def inner_trace_error(n):
        return undefined_here + n  # noqa: F821

    return cases
