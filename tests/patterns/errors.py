"""Patterns that raise: which class, and what the words have in common."""

from .table import pattern


def _raised(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "nothing"


@pattern
def make_csv_dataset_checks_its_columns(tf, folder):
    path = folder + "/table.csv"
    with open(path, "w") as file:
        file.write("a,b\n1,2\n3,4\n")

    def made(**options):
        return _raised(lambda: tf.data.experimental.make_csv_dataset(path, 1, **options))

    return [
        made(column_names=["a", "b", "c"]),
        made(compression_type="ZLIB"),
        made(column_names=["a", "b"], compression_type="ZLIB", column_defaults=[0, 0]),
        made(column_defaults=[0]),
        made(column_defaults=[0, 0], select_columns=[0]),
        made(select_columns=[5]),
        made(select_columns=["z"]),
        made(label_name="z"),
        made(column_names=["a", "a"]),
    ]


@pattern
def sparse_batches_check_the_shape_of_rows(tf, folder):
    def batch(value):
        return _raised(lambda: list(tf.data.Dataset.from_tensors(value).sparse_batch(4, [12])))

    return [batch([[1]]), batch(list(range(13))), batch(list(range(12)))]


@pattern
def checkpoints_of_tensorflow_1_take_options(tf, folder):
    options = tf.train.CheckpointOptions()
    path = tf.compat.v1.train.Checkpoint(v=tf.Variable(3)).save(folder + "/c", options=options)
    return tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")


@pattern
def ranks_are_checked_when_a_graph_is_built(tf, folder):
    with tf.Graph().as_default():
        return [
            _raised(lambda: tf.fill([[0, 1], [2, 3]], 1.0)),
            _raised(lambda: tf.fill([3, 2], [1.0, 2.0])),
            _raised(lambda: tf.roll(7, 1, 0)),
            _raised(lambda: tf.roll([1, 2], [[1]], 0)),
            _raised(lambda: tf.roll([1, 2], [1], [0, 1])),
            _raised(lambda: tf.convert_to_tensor(tf.TensorShape([2**31]), tf.int32)),
            _raised(lambda: tf.compat.v1.constant([1, 2, 3], shape=[2])),
        ]


@pattern
def eager_constants_fill_no_shape_of_another_size(tf, folder):
    v1 = tf.compat.v1
    return [
        _raised(lambda: v1.constant([1, 2, 3], shape=[2])),
        _raised(lambda: v1.constant([1, 2, 3], shape=[4])),
        v1.constant(1, shape=[2]),
    ]


@pattern
def one_element_of_a_variable_is_updated(tf, folder):
    truth, numbers = tf.Variable([True, False]), tf.Variable([1, 2])
    tf.compat.v1.scatter_update(truth, 1, True)
    tf.compat.v1.scatter_add(numbers, 0, 5)
    return [truth, numbers]


@pattern
def values_that_no_tensor_holds(tf, folder):
    calls = [
        lambda: tf.constant(10**310, tf.float64),
        lambda: tf.constant([1, 2, [1]]),
        lambda: tf.constant([[1, 2], [3]]),
        lambda: tf.Variable(1).handle.numpy(),
    ]
    answers = []
    for call in calls:
        try:
            answers.append(call())
        except (ValueError, tf.errors.InvalidArgumentError) as problem:
            answers.append([type(problem).__name__, str(problem).split("\n")[0]])
    return answers
