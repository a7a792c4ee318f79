"""Functions with `while`, `for`, `break`, `continue` and returns in loops, for any TensorFlow."""

# ruff: noqa - the shapes of control flow are the point

from functions_cases import Cases


def make(tf):
    """Return the cases, written with the given TensorFlow."""
    cases = Cases()
    add = cases.add

    @add([5], [0])
    def while_count(n):
        i = 0
        while i < n:
            i += 1
        return i

    @add([2.0], [50.0], gradient=True)
    def while_double(x):
        while x < 30.0:
            x = x * 2
        return x

    @add([2.0, 3], [2.0, 0], gradient=True)
    def power(x, n):
        y = tf.constant(1.0)
        i = 0
        while i < n:
            y = y * x
            i = i + 1
        return y

    @add([5], [0])
    def sum_of_range(n):
        total = 0
        for i in tf.range(n):
            total += i
        return total

    @add([5], [9])
    def range_with_step(n):
        total = 0
        for i in tf.range(1, n, 3):
            total = total * 10 + i
        return total

    @add([5], [9])
    def range_downwards(n):
        total = 0
        for i in tf.range(n, 0, -2):
            total = total * 10 + i
        return total

    @add([0.5])
    def range_of_floats(step):
        total = 0.0
        for v in tf.range(0.0, 2.0, step):
            total += v
        return total

    @add([[1.0, 2.0, 3.0]], gradient=True)
    def rows_static(x):
        total = 0.0
        for v in x:
            total = total * 2 + v
        return total

    @add([[1.0, 2.0, 3.0]], [[1.0]], signature=[([None], "float32")], gradient=True)
    def rows_dynamic(x):
        total = 0.0
        for v in x:
            total = total * 2 + v
        return total

    @add([[[1.0, 2.0], [3.0, 4.0]]], gradient=True)
    def rows_of_matrix(x):
        total = tf.zeros([2])
        for row in x:
            total = total + row * row
        return total

    @add([[1.0, 2.0, 3.0, 4.0]])
    def nested_for(x):
        total = 0.0
        for a in x:
            for b in x:
                total += a * b
        return total

    @add([4])
    def nested_range(n):
        total = 0
        for i in tf.range(n):
            for j in tf.range(i):
                total += j
        return total

    @add([10], [3])
    def break_in_while(n):
        i = 0
        while i < n:
            if i == 5:
                break
            i += 1
        return i

    @add([10], [3])
    def break_in_for(n):
        total = 0
        for i in tf.range(n):
            if i > 5:
                break
            total += i
        return total

    @add([10], [3])
    def continue_in_for(n):
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            total += i
        return total

    @add([10], [3])
    def continue_in_while(n):
        i = 0
        total = 0
        while i < n:
            i += 1
            if i % 3 == 0:
                continue
            total += i
        return total

    @add([20], [3])
    def break_and_continue(n):
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            if i > 11:
                break
            total += i
        return total

    @add([20], [3])
    def break_in_both_branches(n):
        i = 0
        while i < 100:
            if i > n:
                i += 1000
                break
            else:
                i += 7
                if i > 17:
                    break
        return i

    @add([10], [3])
    def return_in_for(n):
        for i in tf.range(n):
            if i * i > 20:
                return i
        return -1

    @add([10], [3])
    def return_in_while(n):
        i = 0
        while i < n:
            if i * i > 20:
                return i * 100
            i += 1
        return i

    @add([10], [3])
    def return_in_nested_loops(n):
        for i in tf.range(n):
            for j in tf.range(n):
                if i * j > 11:
                    return i * 10 + j
        return -1

    @add([10], [3])
    def break_inner_only(n):
        total = 0
        for i in tf.range(n):
            for j in tf.range(n):
                if j > i:
                    break
                total += 1
        return total

    @add([3])
    def while_true(n):
        i = 0
        while True:
            i += 1
            if i > 4:
                break
        return i + n

    @add([3], [30])
    def while_true_tensor_break(n):
        i = tf.constant(0)
        while tf.constant(True):
            i += 1
            if i > n:
                break
        return i

    @add([1.0], gradient=True)
    def python_range(x):
        for i in range(4):
            x = x * 2 + i
        return x

    @add([1.0], gradient=True)
    def python_list(x):
        for v in [1.0, 2.0, 3.0]:
            if x > 5:
                x = x - v
            else:
                x = x * v + 2
        return x

    @add([1.0])
    def python_break(x):
        for i in range(10):
            if i > 3:
                break
            x = x + i
        return x

    @add([1.0])
    def python_continue(x):
        for i in range(10):
            if i % 2:
                continue
            x = x + i
        return x

    @add([1.0])
    def python_return(x):
        for i in range(10):
            if i > 3:
                return x * i
            x = x + i
        return x

    @add([1.0])
    def python_while(x):
        n = 0
        while n < 3:
            x = x + 1
            n += 1
        return x

    @add([1.0])
    def python_for_else(x):
        found = 0
        for i in range(3):
            found = i
        return x + found

    @add([5])
    def range_of_tensor(n):
        total = 0
        for i in range(n):
            total += i
        return total

    @add([[3, 4, 5]])
    def enumerate_tensor(x):
        total = 0
        for i, v in enumerate(x):
            total += tf.cast(i, tf.int32) * v
        return total

    @add([1.0])
    def enumerate_list(x):
        for i, v in enumerate([x, x * 2]):
            x = x + i * v
        return x

    @add([1.0])
    def zip_lists(x):
        for a, b in zip([x, x * 2], [3.0, 4.0]):
            x = x + a * b
        return x

    @add([5])
    def tensor_array(n):
        ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(i, i * i)
        return ta.stack()

    @add([[1.0, 2.0, 3.0]], gradient=True)
    def tensor_array_of_floats(x):
        ta = tf.TensorArray(tf.float32, size=3)
        i = 0
        for v in x:
            ta = ta.write(i, v * v)
            i += 1
        return ta.stack()

    @add([3])
    def growing(n):
        x = tf.zeros([0], tf.int32)
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, [i]], 0)
        return x

    @add([30])
    def maximum_iterations(n):
        total = 0
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(maximum_iterations=4)
            total += i
        return total

    @add([30])
    def maximum_iterations_while(n):
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(
                maximum_iterations=6, parallel_iterations=1, swap_memory=True
            )
            i += 1
        return i

    @add([3.0], gradient=True)
    def structured_loop_variables(x):
        state = (x, {"a": x * 2})
        for _ in tf.range(3):
            state = (state[1]["a"], {"a": state[0] + 1})
        return state[0] + state[1]["a"]

    @add([4])
    def defined_in_loop_only(n):
        for i in tf.range(n):
            last = i * 2
        return last

    @add([4])
    def temporary_in_loop(n):
        total = 0
        for i in tf.range(n):
            t = i * 2
            total += t
        return total

    @add([4])
    def loop_variable_after(n):
        i = 0
        for i in tf.range(n):
            pass
        return i

    @add([4], [9])
    def fibonacci(n):
        a, b = 0, 1
        for _ in tf.range(n):
            a, b = b, a + b
        return a

    @add([27], [1])
    def collatz(n):
        steps = 0
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    @add([[5, 1, 4, 2]])
    def maximum_by_hand(x):
        best = x[0]
        for v in x:
            if v > best:
                best = v
        return best

    @add([12, 18])
    def greatest_common_divisor(a, b):
        while b != 0:
            a, b = b, a % b
        return a

    @add([7.0], gradient=True)
    def newton(x):
        guess = x / 2
        while tf.abs(guess * guess - x) > 1e-3:
            guess = (guess + x / guess) / 2
        return guess

    @add([10, 3])
    def while_with_and(n, m):
        i = 0
        while i < n and i * i < m:
            i += 1
        return i

    @add([10])
    def attribute_in_loop(n):
        class Box:
            pass

        box = Box()
        box.total = 0
        for i in tf.range(n):
            box.total += i
        return box.total

    @add([10])
    def item_in_loop(n):
        d = {"total": 0}
        for i in tf.range(n):
            d["total"] = d["total"] + i
        return d["total"]

    @add([0], [3])
    def zero_iterations(n):
        x = tf.constant(7)
        for i in tf.range(n):
            x = i
        return x

    @add([3.0])
    def loop_in_branch(x):
        total = 0.0
        if x > 0:
            for i in tf.range(3):
                total += tf.cast(i, tf.float32) * x
        else:
            total = x
        return total

    @add([6])
    def try_in_loop(n):
        total = 0
        for i in tf.range(n):
            try:
                if i > 2:
                    total += i
            finally:
                total += 1
        return total

    @add([6])
    def with_in_loop(n):
        total = 0
        for i in tf.range(n):
            with tf.name_scope("inside"):
                if i > 3:
                    break
                total += i
        return total

    @add([[[1, 2], [3, 4]]])
    def unpacked_rows(x):
        total = 0
        for row in x:
            a, b = tf.unstack(row)
            total += a * b
        return total

    @add([5])
    def closure_in_loop(n):
        total = 0
        for i in tf.range(n):
            k = i * 2
            total += tf.reduce_sum(tf.map_fn(lambda t: t + k, tf.constant([1, 2])))  # noqa: B023
        return total

    @add([4])
    def list_comprehension_of_range(n):
        return tf.add_n([n * i for i in range(3)])

    @add([4])
    def dataset_loop(n):
        total = tf.constant(0, tf.int64)
        for v in tf.data.Dataset.range(5):
            total += v
        return total + tf.cast(n, tf.int64)

    @add([4])
    def dataset_break(n):
        total = tf.constant(0, tf.int64)
        for v in tf.data.Dataset.range(10):
            if v > 4:
                break
            total += v
        return total

    @add([4])
    def dataset_pairs(n):
        total = tf.constant(0, tf.int64)
        data = tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(3)))
        for a, b in data:
            total += a * b
        return total

    @add([4])
    def dataset_enumerate(n):
        total = tf.constant(0, tf.int64)
        for i, v in enumerate(tf.data.Dataset.range(4)):
            total += i * v
        return total

    @add([4])
    def dataset_return(n):
        for v in tf.data.Dataset.range(10):
            if v * v > 10:
                return v
        return tf.constant(-1, tf.int64)

    @add([6])
    def else_of_while_by_flag(n):
        i = 0
        found = False
        while i < n and not found:
            found = i * i > 10
            i += 1
        return i, found

    @add([6])
    def two_loops(n):
        a = 0
        for i in tf.range(n):
            a += i
        for i in tf.range(n):
            a *= 2
        return a

    @add([3])
    def triple_nesting(n):
        c = 0
        for i in tf.range(n):
            for j in tf.range(n):
                for k in tf.range(n):
                    if i != j and j != k:
                        c += 1
        return c

    @add([10])
    def sieve(n):
        total = 0
        for i in tf.range(2, n):
            prime = True
            for j in tf.range(2, i):
                if i % j == 0:
                    prime = False
                    break
            if prime:
                total += i
        return total

    @add([3])
    def python_loop_in_tensor_loop(n):
        total = 0
        for i in tf.range(n):
            for k in range(3):
                total += i * k
        return total

    @add([3])
    def tensor_loop_in_python_loop(n):
        total = 0
        for k in range(3):
            for i in tf.range(n):
                total += i * k
        return total

    @add([3])
    def starred(n):
        total = 0
        for a, *rest in [(1, 2, 3), (4, 5)]:
            total += a * len(rest)
        return total + n

    @add([3], [8])
    def condition_changes(n):
        going = tf.constant(True)
        i = 0
        while going:
            i += 1
            going = i < n
        return i

    @add([[1.0, 2.0, 3.0]], gradient=True)
    def recurrence(x):
        h = tf.zeros([2])
        w = tf.constant([[0.5, 0.1], [0.2, 0.3]])
        for v in x:
            h = tf.tanh(tf.linalg.matvec(w, h) + v)
        return h

    return cases
