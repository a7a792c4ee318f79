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
