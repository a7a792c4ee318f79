"""Functions in which one block must not see what another, or an earlier trace, left behind."""

# ruff: noqa - the shapes of control flow are the point

from functions_cases import Cases


class Holder:
    """Something with attributes."""

    def __init__(self):
        self.value = 5
        self.inner = None


def make(tf):
    """Return the cases, written with the given TensorFlow."""
    cases = Cases()
    add = cases.add

    @add([0], [1])
    def number_in_else(n):
        d = 5
        if n > 0:
            d = d + 1
            r = tf.constant(d)
        else:
            r = tf.constant(d)
        return r

    @add([0], [1])
    def tensor_in_else(n):
        d = n * 2
        if n > 0:
            d = d + 1
            r = d
        else:
            r = d - 1
        return r

    @add([0], [1], [2])
    def in_elif(n):
        d = 5
        if n > 1:
            d += 10
            r = tf.constant(d)
        elif n > 0:
            d += 100
            r = tf.constant(d)
        else:
            r = tf.constant(d)
        return r

    @add([0], [1], [3])
    def in_test_of_elif(n):
        d = 1
        if n > 2:
            d = d + 5
            r = n + d
        elif n > d - 1:
            r = n * 100 + d
        else:
            r = n - d
        return r

    @add([0], [1])
    def nested_branches(n):
        d = 1
        e = 2
        if n > 0:
            if n > 5:
                d = 7
                r = n + d
            else:
                e = d + 3
                r = n + d * e
        else:
            r = n + d + e
        return r

    @add([0], [1])
    def after_nested_branch(n):
        d = 1
        if n < 5:
            if n > 0:
                d = d + 10
                r = n + d
            else:
                r = n + d
            r = r * 10
        else:
            r = n + d
        return r

    @add([0], [1])
    def tuple_targets(n):
        a, b = 1, 2
        if n > 0:
            a, b = b, a + 10
            r = n + a * b
        else:
            r = n + a * 100 + b
        return r

    @add([0], [1])
    def target_of_loop(n):
        i = 7
        if n > 0:
            r = n
            for i in range(3):
                r = r + i
        else:
            r = n + i
        return r

    @add([0], [1])
    def target_of_staged_loop(n):
        i = 7
        if n > 0:
            r = n
            for i in tf.range(3):
                r = r + i
        else:
            r = n + i
        return r

    @add([0], [1])
    def name_of_with(n):
        scope = "outside"
        if n > 0:
            with tf.name_scope("inside") as scope:
                r = n + len(scope)
        else:
            r = n + len(scope)
        return r

    @add([0], [1])
    def tried(n):
        d = 1
        if n > 0:
            try:
                d = d + 4
                raise KeyError
            except KeyError:
                d = d * 3
            r = n + d
        else:
            r = n + d
        return r

    @add([0], [1])
    def finally_part(n):
        d = 1
        if n > 0:
            try:
                r = n + d
            finally:
                d = 50
        else:
            r = n + d
        return r

    @add([0], [1])
    def function_defined_anew(n):
        def scaled(v):
            return v + 1

        if n > 0:

            def scaled(v):
                return v * 10

            r = scaled(n)
        else:
            r = scaled(n)
        return r

    @add([0], [1])
    def read_by_closure(n):
        d = 5

        def held():
            return d

        if n > 0:
            d = d + 1
            r = tf.constant(held())
        else:
            r = tf.constant(held())
        return r

    @add([0], [1])
    def read_by_lambda(n):
        d = 5
        held = lambda: d
        if n > 0:
            d = 6
            r = n + held()
        else:
            r = n + held()
        return r

    @add([0], [1])
    def read_by_comprehension(n):
        d = 5
        if n > 0:
            d = 6
            r = n + sum([d + each for each in range(2)])
        else:
            r = n + sum([d + each for each in range(2)])
        return r

    @add([0], [1])
    def attribute_in_else(n):
        holder = Holder()
        if n > 0:
            holder.value = holder.value + 1
            r = n + holder.value
        else:
            r = n + holder.value
        return r

    @add([0], [1])
    def inner_attribute_in_else(n):
        holder = Holder()
        holder.inner = Holder()
        if n > 0:
            holder.inner.value = n + 1
            r = holder.inner.value
        else:
            r = n + holder.inner.value
        return r

    @add([0], [1])
    def item(n):
        d = {"k": 5}
        if n > 0:
            d["k"] = d["k"] + 1
            r = n + d["k"]
        else:
            r = n + d["k"]
        return r

    @add([0], [1])
    def item_by_name(n):
        d = [5, 6]
        k = 1
        if n > 0:
            d[k] = d[k] + 1
            r = n + d[k]
        else:
            r = n + d[k]
        return r

    @add([0], [1])
    def object_replaced(n):
        d = {"k": 5}
        if n > 0:
            d = {"k": 6}
            r = n + d["k"]
        else:
            r = n + d["k"]
        return r

    @add([0], [1])
    def deleted_beside_else(n):
        d = 5
        if n > 0:
            r = n + d
            del d
        else:
            r = n - d
        return r

    @add([0], [3])
    def deleted_in_loop(n):
        d = n
        r = n
        for i in tf.range(n):
            del d
            r = r + i
        return r

    @add([0], [3])
    def in_loop(n):
        d = 5
        r = n
        for i in tf.range(n):
            if i > 0:
                d = 6
                r = r + d
            else:
                r = r * 10 + d
        return r

    @add([0], [3])
    def made_in_loop(n):
        r = n
        for i in tf.range(n):
            d = 1
            if i > 0:
                d = d + 6
                r = r + d
            else:
                r = r * 10 + d
        return r

    @add([0], [3])
    def loop_beside_else(n):
        d = 5
        if n > 0:
            k = n
            while k > 0:
                d = d + k
                k = k - 1
            r = d + 0
        else:
            r = n + d
        return r

    @add([0], [4])
    def with_break(n):
        d = 5
        r = n
        for i in tf.range(n):
            if i > 2:
                d = 100
                r = r + d
                break
            else:
                r = r + d
        return r

    @add([0], [4])
    def with_continue(n):
        d = 5
        r = n
        for i in tf.range(n):
            if i > 2:
                d = 100
                r = r + d
                continue
            r = r + d
        return r

    @add([0], [1])
    def with_returns(n):
        d = 5
        if n > 0:
            d = d + 1
            return n + d
        else:
            return n - d

    @add([0], [1])
    def with_early_return(n):
        d = 5
        if n > 0:
            d = d + 1
            return n + d
        d = d * 2
        return n - d

    @add([0], [1])
    def changed_by_function(n):
        d = 5

        def change():
            nonlocal d
            d = d + 1
            return d

        if n > 0:
            r = n + change()
        else:
            r = n + d
        return r

    @add([1], [3])
    def first_defined_in_loop(n):
        z = 2
        for i in tf.range(n):
            a = i * 10
            z = z + 1
        return a, z

    @add([1], [3])
    def first_defined_in_while(n):
        z = 2
        while n > 0:
            b = z * 10
            a = b + n
            z = z + 1
            n = n - 1
        return a, b, n, z

    @add([1], [3])
    def kept_from_an_iteration_before(n):
        b = 0
        for i in tf.range(n):
            for j in tf.range(1 - i):
                a = j + 5
            b = b * 10 + a
        return b

    @add([0])
    def never_defined_in_loop(n):
        for i in tf.range(n):
            a = i * 2
        return a

    @add([0])
    def never_defined_in_while(n):
        while n > 0:
            a = n
            b = n * 2
            n = n - 1
        return a + b

    @add([0], [2])
    def item_after_no_iteration(n):
        for i in tf.range(n):
            n = n + 1
        return i

    @add([0], [1], [3])
    def return_beside_later_names(n):
        v = 2
        for i in tf.range(n):
            if v < 2:
                return 5
            v = v + 1
        return 100

    return cases
