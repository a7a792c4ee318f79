"""What the messages that programs write by hand say in `help`: full name → docstring."""

DESCRIPTIONS = {
    "tensorflow.ConfigProto": """The options of a session or a server: devices, memory, logging.

    Read here: `gpu_options` (memory and visible GPUs), `device_count` (how many devices of a type),
    `allow_soft_placement` (run elsewhere what cannot run on the device it asks for),
    `log_device_placement` (say where each operation runs), `operation_timeout_in_ms`, and of
    `graph_options` the level of compilation.

    Accepted, without effect, since plans run on torch's threads and in one process:
    `intra_op_parallelism_threads`, `inter_op_parallelism_threads`, `use_per_session_threads`,
    `session_inter_op_thread_pool`, `placement_period`, `device_filters`,
    `pluggable_device_options`, `rpc_options`, `cluster_def`, `isolate_session_state`,
    `share_cluster_devices_in_session`, `experimental`.

    >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.per_process_gpu_memory_fraction = 0.4
    >>> config.allow_soft_placement
    True
    """,
    "tensorflow.Example": """One case of a data set: named features, as record files hold them.

    `features`: a `tf.train.Features`.

    >>> sizes = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))
    >>> case = tf.train.Example(features=tf.train.Features(feature={"size": sizes}))
    >>> tf.train.Example.FromString(case.SerializeToString()) == case
    True
    """,
    "tensorflow.Features": """The features of an example, by name.

    `feature`: a map from names to `tf.train.Feature`.

    >>> sizes = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))
    >>> list(tf.train.Features(feature={"size": sizes}).feature)
    ['size']
    """,
    "tensorflow.Feature": """The values of one feature: one list of three kinds.

    `bytes_list`, `float_list`, `int64_list`: the list that is set; setting another clears it.

    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> feature.WhichOneof("kind")
    'int64_list'
    """,
    "tensorflow.BytesList": """A list of byte strings, for a `tf.train.Feature`.

    `value`: the strings; a text has to be encoded.

    >>> tf.train.BytesList(value=["name".encode()]).value[0]
    b'name'
    """,
    "tensorflow.FloatList": """A list of float32 numbers, for a `tf.train.Feature`.

    `value`: the numbers.

    >>> tf.train.FloatList(value=[0.5, 1.5]).value[:]
    [0.5, 1.5]
    """,
    "tensorflow.Int64List": """A list of integers, for a `tf.train.Feature`.

    `value`: the numbers.

    >>> tf.train.Int64List(value=[7, 8]).value[:]
    [7, 8]
    """,
}
