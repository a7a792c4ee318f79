"""Questions about tf.distribute that TensorFlow and placewise answer in the same words.

Each takes the namespace and a MirroredStrategy of two replicas. `python probes.py` under
TensorFlow writes `answers.json`, which the tests hold placewise to.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).with_name("answers.json")
PROBES: dict[str, Any] = {}


def probe(function: Any) -> Any:
    """Add a question."""
    PROBES[function.__name__] = function
    return function


def words(value: Any) -> str:
    """Return a value as text without what differs from run to run and machine to machine."""
    text = re.sub(r"0x[0-9a-f]+", "0x", str(value))
    return re.sub(r"device:(CPU|GPU)", "device:XPU", text)


def failure(call: Any) -> str:
    """Return what a call raises, by class and words."""
    try:
        result = call()
    except Exception as problem:
        return f"{type(problem).__name__}: {words(problem)}"
    return f"no error: {words(result)}"


def replica(tf: Any) -> Any:
    """Return the number of the replica as a float."""
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


@probe
def kinds_and_names(tf, s):
    with s.scope():
        v = tf.Variable([1.0, 2.0], name="v")
    return [
        words(v),
        [part.name for part in v.values],
        v.name,
        words(v.shape),
        words(v.dtype),
        words(v.device),
        type(v).__name__,
        words(v.values[1].device),
        v.trainable,
        words(v.aggregation),
        words(v.synchronization),
    ]


@probe
def per_replica_results(tf, s):
    out = s.run(lambda: {"a": (replica(tf), 3), "b": None, "c": [replica(tf) * 2]})
    return [
        words(out),
        words(s.experimental_local_results(out["a"][0])),
        words(s.experimental_local_results(out["a"][1])),
    ]


@probe
def reduce_in_all_ways(tf, s):
    x = s.run(lambda: tf.reshape(tf.range(4.0), [2, 2]) + replica(tf))
    return [
        words(s.reduce(op, value, axis=axis))
        for op in ("SUM", "mean", tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN)
        for value, axis in ((x, None), (x, 0), (x, 1), (x, -1), (x, (0, 1)))
    ]


@probe
def reduce_of_uneven_parts(tf, s):
    batches = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(5).batch(5)))
    part = next(batches)
    return [words(s.reduce("SUM", part, axis=0)), words(s.reduce("MEAN", part, axis=0))]


@probe
def reduce_of_a_plain_value(tf, s):
    return [
        failure(lambda: s.reduce("SUM", tf.constant(2.0), axis=None)),
        failure(lambda: s.reduce("MEAN", tf.constant(2.0), axis=None)),
        failure(lambda: s.reduce("SUM", tf.constant([2.0]), axis=0)),
        failure(lambda: s.reduce("MEAN", tf.constant([2.0]), axis=0)),
        failure(lambda: s.reduce("SUM", 2, axis=None)),
        failure(lambda: s.reduce("MEAN", 2.0, axis=None)),
        failure(lambda: s.reduce("SUM", 2, axis=0)),
    ]


@probe
def reduce_refuses(tf, s):
    x = s.run(lambda: replica(tf))
    return [failure(lambda: s.reduce("max", x, axis=None)), failure(lambda: s.reduce(3, x, None))]


@probe
def reduce_of_structures(tf, s):
    x = s.run(lambda: {"a": replica(tf), "b": (replica(tf) + 1,)})
    return failure(lambda: s.reduce("SUM", x, axis=None))


@probe
def reduce_of_integers(tf, s):
    x = s.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group + 1)
    return [words(s.reduce("SUM", x, axis=None)), failure(lambda: s.reduce("MEAN", x, axis=None))]


@probe
def gather_and_its_errors(tf, s):
    even = s.run(lambda: tf.ones([2, 2]) * replica(tf))
    scalar = s.run(lambda: replica(tf))
    return [
        words(s.gather(even, axis=0)),
        words(s.gather(even, axis=1)),
        failure(lambda: s.gather(scalar, axis=0)),
        failure(lambda: s.gather(even, axis=5)),
        failure(lambda: s.gather(tf.ones([2]), axis=0)),
    ]


@probe
def all_reduce_in_replicas(tf, s):
    def fn():
        c = tf.distribute.get_replica_context()
        one = c.all_reduce("sum", replica(tf) + 1)
        two = c.all_reduce(tf.distribute.ReduceOp.MEAN, [replica(tf), {"k": tf.ones([2])}])
        return one, two

    return words(s.run(fn))


@probe
def all_gather_in_replicas(tf, s):
    def fn():
        c = tf.distribute.get_replica_context()
        uneven = tf.ones([c.replica_id_in_sync_group + 1, 2]) * replica(tf)
        return c.all_gather(uneven, axis=0), c.all_gather({"a": tf.ones([2])}, axis=0)

    return words(s.run(fn))


@probe
def all_reduce_of_slices(tf, s):
    def fn():
        c = tf.distribute.get_replica_context()
        slices = tf.IndexedSlices(
            tf.ones([1, 2]) * (replica(tf) + 1),
            tf.cast([c.replica_id_in_sync_group], tf.int64),
            tf.constant([4, 2]),
        )
        return tf.convert_to_tensor(c.all_reduce("sum", slices))

    return words(s.run(fn))


@probe
def all_reduce_has_a_gradient(tf, s):
    def fn():
        c = tf.distribute.get_replica_context()
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = c.all_reduce("sum", x * x) * (replica(tf) + 1)
        return tape.gradient(y, x)

    return words(s.run(fn))


@probe
def merge_call_sees_everybody(tf, s):
    seen = []

    def merge(strategy, value, named=None):
        seen.append(
            [
                words(value),
                words(named),
                tf.distribute.get_replica_context() is None,
                strategy is s,
                tf.distribute.in_cross_replica_context(),
            ]
        )
        return strategy.reduce("SUM", value, axis=None), 7

    def fn():
        return tf.distribute.get_replica_context().merge_call(
            merge, args=(replica(tf),), kwargs={"named": "x"}
        )

    return [words(s.run(fn)), seen]


@probe
def assign_with_each_aggregation(tf, s):
    found = []
    for name in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        aggregation = getattr(tf.VariableAggregation, name)
        with s.scope():
            v = tf.Variable(10.0, aggregation=aggregation, name="v")
        for method in ("assign", "assign_add", "assign_sub"):
            if name == "NONE":
                continue
            found.append(
                [
                    name,
                    method,
                    failure(lambda v=v, m=method: s.run(lambda: getattr(v, m)(replica(tf) + 1.0))),
                    words(v),
                ]
            )
            found.append(
                [
                    name,
                    method,
                    failure(lambda v=v, m=method: s.run(lambda: getattr(v, m)(1.0))),
                    words(v),
                ]
            )
        v.assign(3.0)
        found.append(words(v.assign_add(1.0)))
        found.append(words(v.assign_add(1.0, read_value=False)))
        found.append(words(v.read_value()))
    return found


@probe
def assign_without_aggregation_in_replicas(tf, s):
    with s.scope():
        v = tf.Variable(10.0, name="v")
    return [
        failure(lambda: s.run(lambda: v.assign(2.0))),
        failure(lambda: s.run(lambda: v.assign(replica(tf)))),
    ]


@probe
def sync_on_read(tf, s):
    found = []
    for name in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        with s.scope():
            v = tf.Variable(
                1.0,
                aggregation=getattr(tf.VariableAggregation, name),
                trainable=False,
                synchronization=tf.VariableSynchronization.ON_READ,
                name="v",
            )
        s.run(lambda v=v: v.assign_add(replica(tf) + 1))
        found += [
            name,
            words(v),
            failure(v.read_value),
            failure(v.numpy),
            failure(lambda v=v: v + 0.0),
            words(s.run(lambda v=v: v.read_value())),
            failure(lambda v=v: v.assign(8.0)),
            words(v),
            failure(lambda v=v: v.assign_add(1.0)),
            failure(lambda v=v: v.assign_sub(1.0)),
            words(v),
        ]
        s.run(lambda v=v: v.assign(4.0))
        with s.scope():
            found.append(failure(v.read_value))
    return found


@probe
def means_of_other_than_floats(tf, s):
    def kind(value, synchronization):
        made = tf.Variable(
            value,
            trainable=False,
            aggregation=tf.VariableAggregation.MEAN,
            synchronization=getattr(tf.VariableSynchronization, synchronization),
        )
        return made.dtype

    with s.scope():
        return [
            failure(lambda value=value, when=when: kind(value, when))
            for when in ("AUTO", "ON_READ")
            for value in (3, True, "x", 1j, 2.0)
        ]


@probe
def numbers_of_variables(tf, s):
    with s.scope():
        v = tf.Variable(3)
    return [failure(lambda: int(v.numpy())), failure(lambda: int(v)), failure(lambda: float(v))]


@probe
def sync_on_read_is_not_trained(tf, s):
    with s.scope():
        v = tf.Variable(
            1.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
        found = [v.trainable]
        found.append(
            failure(
                lambda: tf.Variable(
                    1.0, trainable=True, synchronization=tf.VariableSynchronization.ON_READ
                )
            )
        )
        found.append(
            failure(
                lambda: tf.Variable(1.0, name="q", synchronization=tf.VariableSynchronization.NONE)
            )
        )
        found.append(failure(lambda: tf.Variable(1.0, synchronization="x")))
        found.append(failure(lambda: tf.Variable(1.0, aggregation="x")))
    return found


@probe
def scatter_updates(tf, s):
    found = []
    with s.scope():
        v = tf.Variable(tf.ones([3, 1]), aggregation=tf.VariableAggregation.SUM, name="v")
        w = tf.Variable(tf.ones([3, 1]), name="w")
    slices = tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([1]))
    for method in ("add", "sub", "update", "mul", "div", "min", "max"):
        found.append(
            [method, failure(lambda m=method: getattr(v, f"scatter_{m}")(slices)), words(v)]
        )
        found.append(
            [method, failure(lambda m=method: getattr(w, f"scatter_{m}")(slices)), words(w)]
        )

    def inside(method, target):
        def fn():
            own = tf.IndexedSlices(tf.ones([1, 1]) * (replica(tf) + 1), tf.constant([0]))
            getattr(target, f"scatter_{method}")(own)
            return 0

        return s.run(fn)

    return found + [
        [method, failure(lambda m=method: inside(m, v)), words(v)]
        for method in ("add", "sub", "update", "mul", "div", "min", "max")
    ]


@probe
def variables_made_in_replicas(tf, s):
    made = []

    def fn():
        if len(made) < 2:
            made.append(tf.Variable(replica(tf) + 1.0, name="inner"))
        return made[-1] + 0.0

    out = s.run(fn)
    return [words(out), [type(v).__name__ for v in made], words(made[0])]


@probe
def reading_in_replicas(tf, s):
    with s.scope():
        v = tf.Variable(3.0, name="v")

    def fn():
        return v + 1, v.read_value(), tf.square(v), v.value(), tf.identity(v)

    return words(s.run(fn))


@probe
def returned_variables(tf, s):
    with s.scope():
        v = tf.Variable(3.0, name="v")
    out = s.run(lambda: v)
    return [type(out).__name__, out is v]


@probe
def contexts(tf, s):
    d = tf.distribute
    found = [
        d.has_strategy(),
        d.in_cross_replica_context(),
        type(d.get_strategy()).__name__,
        type(d.get_replica_context()).__name__,
        d.get_strategy().num_replicas_in_sync,
    ]
    with s.scope():
        found += [d.has_strategy(), d.in_cross_replica_context(), d.get_replica_context() is None]
        with s.scope():
            found.append(d.get_strategy() is s)

    def fn():
        c = d.get_replica_context()
        inner = failure(s.scope().__enter__)
        return [
            d.has_strategy(),
            d.in_cross_replica_context(),
            c.num_replicas_in_sync,
            c.strategy is s,
            words(c.devices),
            type(c).__name__,
            inner,
            words(c.replica_id_in_sync_group),
        ]

    return [found, words(s.run(fn))]


@probe
def misuse(tf, s):
    other = tf.distribute.OneDeviceStrategy("/cpu:0")

    def mixed():
        with s.scope(), other.scope():
            pass

    def in_default():
        with s.scope():
            return tf.distribute.get_replica_context()

    kept = []

    def keep():
        kept.append(tf.distribute.get_replica_context())
        return 0

    s.run(keep)
    return [
        failure(lambda: s.run(lambda: s.run(lambda: 1))),
        failure(mixed),
        failure(in_default),
        failure(lambda: s.run(lambda: s.reduce("SUM", 1.0, axis=None))),
        failure(lambda: s.run(lambda: s.gather(tf.ones([1]), axis=0))),
        failure(lambda: s.run(3)),
        failure(lambda: kept[0].all_reduce("sum", 1.0)),
        failure(lambda: kept[0].merge_call(lambda st: 1)),
        failure(lambda: tf.distribute.MirroredStrategy([])),
    ]


@probe
def errors_in_one_replica(tf, s):
    def one():
        if int(tf.distribute.get_replica_context().replica_id_in_sync_group) == 1:
            raise KeyError("replica one")
        return 1

    def uneven():
        c = tf.distribute.get_replica_context()
        if int(c.replica_id_in_sync_group) == 0:
            c.merge_call(lambda st: 1)
        return 1

    return [
        failure(lambda: s.run(one)),
        failure(lambda: s.run(uneven)),
        words(s.run(lambda: replica(tf))),
    ]


@probe
def different_structures(tf, s):
    def one():
        i = int(tf.distribute.get_replica_context().replica_id_in_sync_group)
        return [1] if i else [1, 2]

    return failure(lambda: s.run(one)).split(":")[0]


@probe
def default_strategy(tf, s):
    d = tf.distribute.get_strategy()
    c = tf.distribute.get_replica_context()
    return [
        words(d.run(lambda x: x + 1, args=(tf.constant(1),))),
        d.num_replicas_in_sync,
        words(d.reduce("SUM", tf.constant([1.0, 3.0]), axis=0)),
        words(d.reduce("MEAN", tf.constant([1.0, 3.0]), axis=0)),
        words(d.reduce("MEAN", tf.constant([1.0, 3.0]), axis=None)),
        words(c.all_reduce("SUM", tf.constant(2.0))),
        words(c.replica_id_in_sync_group),
        words(c.merge_call(lambda st, x: x * 2, args=(tf.constant(2.0),))),
        words(d.experimental_local_results(tf.constant(1))),
        failure(lambda: c.devices),
        words(list(d.experimental_distribute_dataset(tf.data.Dataset.range(2)))),
        failure(lambda: d.extended.worker_devices),
        words(c.all_gather(tf.ones([1]), axis=0)),
        words(d.gather(tf.ones([1]), axis=0)),
    ]


@probe
def datasets(tf, s):
    found = []
    for size, batch in ((11, 4), (7, 3), (5, 5), (1, 2), (3, 1)):
        d = s.experimental_distribute_dataset(tf.data.Dataset.range(size).batch(batch))
        found.append([words(d.element_spec), [words(x) for x in d]])
    d = s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4, drop_remainder=True))
    found.append([words(d.element_spec), [words(x) for x in d]])
    return found


@probe
def datasets_of_structures(tf, s):
    data = tf.data.Dataset.from_tensor_slices(
        {"x": [[1.0], [2.0], [3.0]], "y": (["a", "b", "c"],)}
    ).batch(2)
    d = s.experimental_distribute_dataset(data)
    return [words(d.element_spec), [words(x) for x in d]]


@probe
def datasets_without_batches(tf, s):
    return failure(
        lambda: [words(x) for x in s.experimental_distribute_dataset(tf.data.Dataset.range(3))]
    )


@probe
def datasets_from_functions(tf, s):
    seen = []

    def fn(ctx):
        seen.append(
            [
                words(ctx),
                ctx.num_input_pipelines,
                ctx.input_pipeline_id,
                ctx.num_replicas_in_sync,
                ctx.get_per_replica_batch_size(8),
                failure(lambda: ctx.get_per_replica_batch_size(7)),
            ]
        )
        return tf.data.Dataset.range(6).batch(2)

    d = s.distribute_datasets_from_function(fn)
    return [
        words(d.element_spec),
        [words(x) for x in d],
        seen,
        failure(lambda: s.distribute_datasets_from_function(lambda c: 3)),
    ]


@probe
def iterators(tf, s):
    d = s.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    it = iter(d)
    found = [words(it.get_next()), type(it).__name__, words(it.element_spec)]
    optional = it.get_next_as_optional()
    found += [words(optional.has_value()), words(optional.get_value())]
    found += [
        words(it.get_next_as_optional().has_value()),
        failure(lambda: next(it)).split(":")[0],
        failure(it.get_next).split(":")[0],
    ]
    return found


@probe
def iterators_in_functions(tf, s):
    d = s.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(2))

    @tf.function
    def total(it):
        n = tf.constant(0, tf.int64)
        for _ in tf.range(3):
            n += s.reduce("SUM", s.run(lambda x: tf.reduce_sum(x), args=(next(it),)), axis=None)
        return n

    @tf.function
    def over(data):
        n = tf.constant(0, tf.int64)
        for x in data:
            n += s.reduce("SUM", x, axis=0)
        return n

    return [words(total(iter(d))), words(over(d))]


@probe
def values_from_functions(tf, s):
    v = s.experimental_distribute_values_from_function
    return [
        words(v(lambda c: c.replica_id_in_sync_group)),
        words(v(lambda c: tf.constant(c.num_replicas_in_sync))),
        words(v(lambda c: {"a": (c.replica_id_in_sync_group, "x")})),
        words(s.run(lambda x: x * 2, args=(v(lambda c: c.replica_id_in_sync_group + 1.5),))),
        failure(lambda: tf.function(lambda: v(lambda c: 1))()).split("\n")[0],
        words(tf.distribute.experimental.ValueContext(1, 2)),
    ]


@probe
def functions_of_per_replica_values(tf, s):
    traces = []

    @tf.function
    def step(x):
        traces.append(words(x).split("{")[0])
        return s.run(lambda y: y * 2, args=(x,))

    make = s.experimental_distribute_values_from_function
    first = step(make(lambda c: tf.constant(c.replica_id_in_sync_group)))
    second = step(make(lambda c: tf.constant(c.replica_id_in_sync_group + 5)))
    return [words(first), words(second), traces]


@probe
def functions_inside_replicas(tf, s):
    with s.scope():
        v = tf.Variable(2.0, aggregation=tf.VariableAggregation.SUM, name="v")

    @tf.function
    def inner(x):
        return x * v

    return words(s.run(lambda: inner(replica(tf) + 1)))


@probe
def training_step(tf, s):
    with s.scope():
        v = tf.Variable([1.0, 2.0], name="v")

    def step():
        c = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) * (replica(tf) + 1)
        grad = c.all_reduce("mean", tape.gradient(loss, v))

        def apply(strategy, var, g):
            strategy.extended.update(var, lambda part, d: part.assign_sub(0.1 * d), args=(g,))

        c.merge_call(apply, args=(v, grad))
        return loss

    found = [words(s.reduce("SUM", s.run(step), axis=None)), words(v)]
    compiled = tf.function(lambda: s.reduce("SUM", s.run(step), axis=None))
    return [*found, words(compiled()), words(compiled()), words(v)]


@probe
def tape_around_run(tf, s):
    with s.scope():
        v = tf.Variable(3.0, name="v")
    with tf.GradientTape(persistent=True) as tape:
        out = s.run(lambda: v * v * (replica(tf) + 1))
        total = s.reduce("SUM", out, axis=None)
    return [
        failure(lambda: tape.gradient(total, v)),
        failure(lambda: tape.gradient(out.values[0], v.values[0])),
        failure(lambda: tape.gradient(out.values[1], v.values[1])),
        failure(lambda: tape.gradient(total, v.values)),
    ]


@probe
def extended_calls(tf, s):
    e = s.extended
    with s.scope():
        v = tf.Variable([1.0, 2.0], name="v")
        x = s.run(lambda: tf.ones([2]) * (replica(tf) + 1))
        found = [
            words(e.reduce_to("SUM", x, destinations=v)),
            words(e.reduce_to(tf.distribute.ReduceOp.MEAN, x, destinations=e.worker_devices[0])),
            [words(r) for r in e.batch_reduce_to("SUM", [(x, v), (x, x)])],
            words(e.update(v, lambda part, d: part.assign_add(d), args=(x,), group=False)),
            words(v),
            e.variable_created_in_scope(v),
            words(e.value_container(v.values[1]) is v),
            words(e.worker_devices),
            words(e.parameter_devices),
            e.experimental_require_static_shapes,
        ]
    found.append(e.variable_created_in_scope(tf.Variable(1.0)))
    found.append(failure(lambda: e.update(v, lambda part: 1)))
    return found


@probe
def one_device(tf, s):
    o = tf.distribute.OneDeviceStrategy("/cpu:0")
    with o.scope():
        v = tf.Variable(1.0, name="v")
    found = [
        type(v).__name__,
        words(o.run(lambda: v + 1)),
        o.num_replicas_in_sync,
        words(o.extended.worker_devices),
        words(o.reduce("SUM", o.run(lambda: v + 1), axis=None)),
        words(o.reduce("MEAN", tf.constant([1.0, 2.0]), axis=0)),
    ]
    d = o.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(2))
    found += [type(d).__name__, words(list(d)), words(d.element_spec)]
    c = []
    o.run(lambda: c.append(tf.distribute.get_replica_context()))
    return [
        *found,
        type(c[0]).__name__,
        words(o.run(lambda: v.assign(3.0))),
        type(o.run(lambda: v)).__name__,
    ]


@probe
def options_and_contexts(tf, s):
    d = tf.distribute
    o = d.InputOptions()
    return [
        o.experimental_fetch_to_device,
        words(o.experimental_replication_mode),
        o.experimental_place_dataset_on_device,
        o.experimental_per_replica_buffer_size,
        words(d.InputContext(3, 1, 6)),
        words(d.ReduceOp.SUM),
        words(list(d.ReduceOp)),
        words(list(d.InputReplicationMode)),
        words(d.RunOptions()),
        words(d.experimental.CommunicationOptions().__dict__),
        words(list(d.experimental.CommunicationImplementation)),
        failure(lambda: d.experimental.CommunicationOptions(bytes_per_pack=-1)),
        failure(lambda: d.experimental.CommunicationOptions(implementation="x")),
        words(d.experimental.CollectiveHints(50).__dict__),
        failure(lambda: d.NcclAllReduce(num_packs=-1)),
        failure(lambda: d.HierarchicalCopyAllReduce(num_packs=-1)),
    ]


@probe
def partitioners(tf, s):
    p = tf.distribute.experimental.partitioners
    shape = tf.TensorShape
    return [
        p.FixedShardsPartitioner(2)(shape([10, 3]), tf.float32),
        p.FixedShardsPartitioner(4)(shape([3, 3]), tf.float32),
        p.MinSizePartitioner(min_shard_bytes=4, max_shards=2)(shape([6, 1]), tf.float32),
        p.MinSizePartitioner()(shape([6, 1]), tf.float32),
        p.MaxSizePartitioner(max_shard_bytes=4)(shape([6, 1]), tf.float32),
        p.MaxSizePartitioner(max_shard_bytes=4, max_shards=2)(shape([6, 1]), tf.float32),
        p.MaxSizePartitioner(max_shard_bytes=1024)(shape([6, 1]), tf.float32),
        failure(lambda: p.MinSizePartitioner(min_shard_bytes=-1)),
        failure(lambda: p.MaxSizePartitioner(max_shard_bytes=-1)),
        failure(lambda: p.MaxSizePartitioner(1, max_shards=0)),
        failure(lambda: p.MinSizePartitioner(max_shards=0)),
    ]


@probe
def resolvers(tf, s):
    import os

    r = tf.distribute.cluster_resolver
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": ["c:3"]})
    simple = r.SimpleClusterResolver(spec, task_type="worker", task_id=1, rpc_layer="grpc")
    found = [
        words(simple.cluster_spec()),
        simple.master(),
        simple.task_type,
        simple.task_id,
        simple.master("ps", 0),
        simple.environment,
        words(simple.num_accelerators()),
        simple.rpc_layer,
        simple.master("worker", 0, rpc_layer="x"),
        failure(lambda: r.SimpleClusterResolver({"a": ["b"]})),
    ]
    config = {
        "cluster": {"worker": ["h:1", "i:2"], "chief": ["j:3"]},
        "task": {"type": "worker", "index": 1},
        "rpc_layer": "grpc",
        "environment": "cloud",
    }
    os.environ["TF_CONFIG"] = json.dumps(config)
    try:
        t = r.TFConfigClusterResolver()
        found += [
            words(t.cluster_spec()),
            t.master(),
            t.task_type,
            t.task_id,
            t.environment,
            t.rpc_layer,
            t.master("chief", 0),
            words(t.num_accelerators()),
        ]
        u = r.UnionResolver(
            simple,
            r.SimpleClusterResolver(
                tf.train.ClusterSpec({"worker": ["z:9"], "evaluator": ["y:8"]})
            ),
        )
        found += [
            words(u.cluster_spec()),
            u.master(),
            u.task_type,
            u.task_id,
            u.rpc_layer,
            failure(lambda: r.UnionResolver()),
            failure(lambda: r.UnionResolver(3)),
        ]
        os.environ["TF_CONFIG"] = "{}"
        t = r.TFConfigClusterResolver()
        found += [words(t.cluster_spec()), t.master(), t.task_type, t.task_id, t.rpc_layer]
        os.environ["TF_CONFIG"] = "{bad"
        found.append(failure(r.TFConfigClusterResolver).split(":")[0])
    finally:
        del os.environ["TF_CONFIG"]
    return found


@probe
def slurm(tf, s):
    import os

    before = dict(os.environ)
    os.environ.update(
        SLURM_STEP_NODELIST="n[1-2,7],m3",
        SLURM_STEP_NUM_TASKS="4",
        SLURM_STEP_NUM_NODES="4",
        SLURM_STEP_TASKS_PER_NODE="1(x4)",
        SLURM_PROCID="2",
        SLURM_NTASKS="4",
        SLURM_LOCALID="0",
        SLURM_NODEID="2",
    )
    try:
        r = tf.distribute.cluster_resolver.SlurmClusterResolver(
            {"ps": 1, "worker": 3},
            port_base=9000,
            gpus_per_node=2,
            gpus_per_task=1,
            tasks_per_node=1,
            auto_set_gpu=False,
        )
        found = [
            words(r.cluster_spec()),
            r.get_task_info(),
            r.master(),
            r.task_type,
            r.task_id,
            words(r.num_accelerators()),
        ]
        os.environ["SLURM_STEP_TASKS_PER_NODE"] = "2(x2)"
        os.environ["SLURM_STEP_NODELIST"] = "node[08-09]"
        os.environ["SLURM_STEP_NUM_NODES"] = "2"
        r = tf.distribute.cluster_resolver.SlurmClusterResolver(
            gpus_per_node=2, gpus_per_task=1, auto_set_gpu=False
        )
        found += [words(r.cluster_spec()), r.get_task_info()]
        r = tf.distribute.cluster_resolver.SlurmClusterResolver(
            {"worker": 4}, gpus_per_node=2, gpus_per_task=1, auto_set_gpu=True
        )
        found += [
            words(r.cluster_spec()),
            r.get_task_info(),
            os.environ.get("CUDA_VISIBLE_DEVICES"),
        ]
        found.append(
            failure(
                lambda: tf.distribute.cluster_resolver.SlurmClusterResolver(
                    {"worker": 9}, gpus_per_node=1, gpus_per_task=1, auto_set_gpu=False
                ).cluster_spec()
            )
        )
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)
    return found


@probe
def checkpoints(tf, s):
    import tempfile

    with s.scope():
        v = tf.Variable([1.0, 2.0], name="v")
        r = tf.Variable(
            0.0,
            name="r",
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
    s.run(lambda: r.assign(replica(tf) + 1))
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(v=v, r=r).save(folder + "/c")
        found = [words(tf.train.list_variables(path))]
        found.append(words(tf.train.load_variable(path, "r/.ATTRIBUTES/VARIABLE_VALUE")))
        v.assign([0.0, 0.0])
        s.run(lambda: r.assign(0.0))
        tf.train.Checkpoint(v=v, r=r).restore(path).assert_consumed()
        found += [words(v), words(r)]
        plain = tf.Variable([0.0, 0.0])
        tf.train.Checkpoint(v=plain).restore(path).expect_partial()
        found.append(words(plain))
    return found


@probe
def keras_optimizer_by_hand(tf, s):
    with s.scope():
        v = tf.Variable([1.0, 2.0], name="v")
    d = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).batch(4)

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x) * tf.reduce_sum(v) / 4
        grads = tf.distribute.get_replica_context().all_reduce("sum", [tape.gradient(loss, v)])
        tf.distribute.get_replica_context().merge_call(
            lambda st, var, g: st.extended.update(var, lambda p, q: p.assign_sub(q), args=(g,)),
            args=(v, grads[0]),
        )
        return loss

    @tf.function
    def go(x):
        return s.reduce("SUM", s.run(step, args=(x,)), axis=None)

    return [[words(go(x)) for x in s.experimental_distribute_dataset(d)], words(v)]


@probe
def updates_in_functions(tf, s):
    with s.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN, name="v")
        r = tf.Variable(
            0.0,
            name="r",
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.MEAN,
        )

    @tf.function
    def go():
        def fn():
            v.assign_add(replica(tf))
            r.assign_add(replica(tf) + 1)
            return v + r

        return s.run(fn)

    return [
        words(go()),
        words(go()),
        words(v),
        words(r),
        words(r.read_value()),
        words(tf.function(lambda: r.read_value() + v)()),
    ]


@probe
def random_numbers(tf, s):
    tf.random.set_seed(1)
    a = s.run(lambda: tf.random.uniform([]))
    return [len({float(x) for x in s.experimental_local_results(a)})]


@probe
def stops_and_control(tf, s):
    @tf.function
    def go(flag):
        def fn(x):
            if x > 0:  # noqa: SIM108 - it is what is asked about
                y = x * 2
            else:
                y = x - 1
            return y

        return s.run(fn, args=(flag,))

    return [words(go(tf.constant(3))), words(go(tf.constant(-3)))]


@probe
def cross_device_ops(tf, s):
    d = tf.distribute
    x = s.run(lambda: tf.ones([2]) * (replica(tf) + 1))
    found = []
    for ops in (d.ReductionToOneDevice(), d.HierarchicalCopyAllReduce()):
        found.append(words(ops.reduce(d.ReduceOp.SUM, x, destinations=x)))
        found.append([words(r) for r in ops.batch_reduce(d.ReduceOp.MEAN, [(x, x), (x, x)])])
        found.append(words(ops.broadcast(tf.constant(1.0), destinations=x)))
    return found


def answers(tf: Any, devices: list[str]) -> dict[str, Any]:
    """Return every question's answer, as JSON keeps it."""
    strategy = tf.distribute.MirroredStrategy(devices)
    found = {}
    for name, question in PROBES.items():
        try:
            found[name] = question(tf, strategy)
        except Exception as problem:
            found[name] = f"failed: {type(problem).__name__}: {words(problem)}"
    return json.loads(json.dumps(found))


if __name__ == "__main__":
    import tensorflow

    first = tensorflow.config.list_physical_devices("CPU")[0]
    two = [tensorflow.config.LogicalDeviceConfiguration()] * 2
    tensorflow.config.set_logical_device_configuration(first, two)
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS
    where.write_text(json.dumps(answers(tensorflow, ["/cpu:0", "/cpu:1"]), indent=1) + "\n")
