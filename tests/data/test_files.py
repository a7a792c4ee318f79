"""Datasets of files: records, lines, pieces, tables, databases, and what `save` writes."""

import gzip
import os
import sqlite3

import pytest

import placewise as tf


def _list(dataset):
    return list(dataset.as_numpy_iterator())


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_come_back(tmp_path, compression):
    path = str(tmp_path / "a.tfrecord")
    writer = tf.data.experimental.TFRecordWriter(path, compression)
    writer.write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    assert _list(tf.data.TFRecordDataset(path, compression)) == [b"a", b"b"]
    several = tf.data.TFRecordDataset([path, path], compression, num_parallel_reads=2)
    assert _list(several) == [b"a", b"a", b"b", b"b"]


def test_lines_lose_their_ends(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b"a\nb\r\n\nc")
    assert _list(tf.data.TextLineDataset(path)) == [b"a", b"b", b"", b"c"]
    names = tf.data.Dataset.from_tensors(str(path))
    assert _list(tf.data.TextLineDataset(names).take(1)) == [b"a"]
    packed = tmp_path / "t.gz"
    packed.write_bytes(gzip.compress(b"x\ny"))
    assert _list(tf.data.TextLineDataset(str(packed), "GZIP")) == [b"x", b"y"]


def test_pieces_of_fixed_length(tmp_path):
    path = tmp_path / "f.bin"
    path.write_bytes(b"Habcdef.")
    dataset = tf.data.FixedLengthRecordDataset(str(path), 2, header_bytes=1, footer_bytes=1)
    assert _list(dataset) == [b"ab", b"cd", b"ef"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not an exact multiple"):
        _list(tf.data.FixedLengthRecordDataset(str(path), 3))


def test_csv_rows_are_tuples_and_batches_are_dicts(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text('x,y,z\n1,2.5,a\n3,4.5,"b,c"\n')
    kinds = [tf.int32, tf.float32, tf.string]
    rows = _list(tf.data.experimental.CsvDataset(str(path), kinds, header=True))
    assert rows == [(1, 2.5, b"a"), (3, 4.5, b"b,c")]
    chosen = tf.data.experimental.CsvDataset(str(path), [0.0], header=True, select_cols=[1])
    assert _list(chosen) == [(2.5,), (4.5,)]
    batches = tf.data.experimental.make_csv_dataset(
        str(path), 2, label_name="y", shuffle=False, num_epochs=1
    )
    ((features, label),) = list(batches)
    assert features["x"].dtype == tf.int32
    assert features["x"].numpy().tolist() == [1, 3]
    assert features["z"].numpy().tolist() == [b"a", b"b,c"]
    assert label.numpy().tolist() == [2.5, 4.5]


def test_rows_of_a_database(tmp_path):
    path = str(tmp_path / "s.db")
    connection = sqlite3.connect(path)
    connection.execute("create table t (a int, b text)")
    connection.execute("insert into t values (1, 'x'), (2, 'y')")
    connection.commit()
    connection.close()
    dataset = tf.data.experimental.SqlDataset(
        "sqlite", path, "select * from t", (tf.int64, tf.string)
    )
    assert _list(dataset) == [(1, b"x"), (2, b"y")]


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_a_saved_dataset_is_loaded_with_its_structure(tmp_path, compression):
    dataset = tf.data.Dataset.from_tensor_slices(({"a": [1, 2, 3]}, ["x", "y", "z"]))
    dataset.save(str(tmp_path / "saved"), compression=compression)
    loaded = tf.data.Dataset.load(str(tmp_path / "saved"), compression=compression)
    assert loaded.element_spec == dataset.element_spec
    assert int(loaded.cardinality()) == 3
    assert _list(loaded) == _list(dataset)


def test_elements_are_saved_as_tensorflow_saves_them(tmp_path):
    tf.data.Dataset.from_tensor_slices(([1], ["x"])).save(str(tmp_path / "saved"))
    (file,) = (tmp_path / "saved").glob("*/00000000.shard/00000000.snapshot")
    # TensorFlow 2.21's own records for these two tensors.
    records = [b'\x08\x03\x12\x00"\x04\x01\x00\x00\x00', b'\x08\x07\x12\x00"\x02\x01x']
    assert _list(tf.data.TFRecordDataset(str(file))) == records
    assert (tmp_path / "saved" / "dataset_spec.pb").read_bytes() == (
        b"\xa2\x03\x12\n\x07\x8a\x02\x04\x12\x00\x18\x03\n\x07\x8a\x02\x04\x12\x00\x18\x07"
    )


def test_saved_elements_may_go_to_several_files(tmp_path):
    path = str(tmp_path / "saved")
    tf.data.Dataset.range(6).save(path, shard_func=lambda x: x % 2)
    assert sorted(_list(tf.data.Dataset.load(path))) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(tf.errors.NotFoundError, match="Could not find metadata file"):
        tf.data.Dataset.load(str(tmp_path / "nothing"))


def test_caches_and_snapshots_are_read_the_second_time(tmp_path):
    calls = []

    def noted(x):
        calls.append(1)
        return x

    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(noted, [x], tf.int64))
    for kept in (dataset.cache(str(tmp_path / "c")), dataset.snapshot(str(tmp_path / "s"))):
        calls.clear()
        assert _list(kept) == [0, 1, 2]
        assert _list(kept) == [0, 1, 2]
        assert len(calls) == 3


def test_files_are_listed_by_pattern(tmp_path):
    for name in ("b.txt", "a.txt", "c.bin"):
        (tmp_path / name).write_text("")
    found = _list(tf.data.Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False))
    assert [os.path.basename(each) for each in found] == [b"a.txt", b"b.txt"]
    shuffled = _list(tf.data.Dataset.list_files(str(tmp_path / "*.txt"), seed=1))
    assert sorted(shuffled) == found


def test_a_changed_pipeline_does_not_read_the_snapshot_of_another(tmp_path):
    ds = tf.data.Dataset
    folder, more = str(tmp_path / "kept"), tf.constant(3, tf.int64)
    pipelines = [
        lambda: ds.range(3),
        lambda: ds.range(4),
        lambda: ds.range(3).map(lambda x: x * 2),
        lambda: ds.range(3).map(lambda x: x * 5),
        lambda: ds.range(3).map(lambda x: x + more),
        lambda: ds.from_tensor_slices([1.0, 2.0]),
        lambda: ds.from_tensor_slices([1.0, 3.0]),
        lambda: ds.from_tensors(7),
    ]
    for made in pipelines * 2:
        wanted = list(made().as_numpy_iterator())
        assert list(made().snapshot(folder).as_numpy_iterator()) == wanted
    assert len(list((tmp_path / "kept").iterdir())) == len(pipelines)


def test_a_snapshot_of_endless_elements_is_written_while_it_is_read(tmp_path):
    endless = tf.data.Dataset.range(3).repeat().snapshot(str(tmp_path / "kept"))
    assert _list(endless.take(5)) == [0, 1, 2, 0, 1]
    assert _list(endless.take(4)) == [0, 1, 2, 0]  # nobody saw its end: it is written again
    assert len(list((tmp_path / "kept").glob("*/*/"))) == 2


def test_a_snapshot_has_a_shard_for_each_processor(tmp_path):
    kept = tf.data.Dataset.range(100).snapshot(str(tmp_path / "kept"))
    assert _list(kept) == list(range(100)) == _list(kept)
    shards = sorted(each.name for each in (tmp_path / "kept").glob("*/*/*.shard"))
    assert shards == [f"{number:08d}.shard" for number in range(min(100, os.cpu_count()))]


def test_a_snapshot_is_read_as_its_reader_function_says(tmp_path):
    kept = tf.data.Dataset.range(8).snapshot(
        str(tmp_path / "kept"),
        shard_func=lambda x: x % 4,
        reader_func=lambda shards: shards.flat_map(lambda shard: shard),
    )
    assert _list(kept) == list(range(8))
    assert _list(kept) == [0, 4, 1, 5, 2, 6, 3, 7]  # as TensorFlow's


def test_a_snapshot_with_a_failure_is_not_taken_for_whole(tmp_path):
    numbers = tf.data.Dataset.range(3).map(
        lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "at one")
    )
    kept = numbers.snapshot(str(tmp_path / "kept"))
    for _ in range(2):
        reading = iter(kept)
        assert float(next(reading)) == -1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="at one"):
            next(reading)
        assert [float(x) for x in reading] == [1.0]


def test_shards_are_loaded_by_turns_as_many_at_once_as_there_are_processors(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    tf.data.Dataset.range(12).save(str(tmp_path / "saved"), shard_func=lambda x: x % 4)
    wanted = [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]  # TensorFlow's order with two processors
    assert _list(tf.data.Dataset.load(str(tmp_path / "saved"))) == wanted


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shard_func": lambda x: "text"}, "Invalid `shard_func`"),
        ({"reader_func": lambda shards: 1}, "Invalid `reader_func`"),
    ],
)
def test_functions_of_snapshots_must_return_numbers_and_datasets(tmp_path, options, words):
    with pytest.raises(TypeError, match=words):
        tf.data.Dataset.range(3).snapshot(str(tmp_path / "kept"), **options)


def test_saving_writes_checkpoints_and_goes_on_from_them(tmp_path):
    failing = [True]

    def seen(x):
        if failing[0] and x == 7:
            raise ValueError("the machine goes away")
        return x

    numbers = tf.data.Dataset.range(10).map(
        lambda x: tf.numpy_function(seen, [x], tf.int64, stateful=False)
    )
    step = tf.Variable(0)
    arguments = {
        "directory": str(tmp_path / "checkpoints"),
        "max_to_keep": 2,
        "step_counter": step,
        "checkpoint_interval": 3,
    }
    with pytest.raises(tf.errors.InvalidArgumentError, match="goes away"):
        numbers.save(str(tmp_path / "saved"), checkpoint_args=arguments)
    assert tf.train.latest_checkpoint(arguments["directory"]).endswith("ckpt-3")
    failing[0] = False
    step.assign(0)
    numbers.save(str(tmp_path / "saved"), checkpoint_args=arguments)
    assert int(step) == 3  # seven elements were read before
    assert _list(tf.data.Dataset.load(str(tmp_path / "saved"))) == list(range(10))
    with pytest.raises(ValueError, match="not allowed to include 'checkpoint'"):
        numbers.save(str(tmp_path / "saved"), checkpoint_args={"checkpoint": None, **arguments})


def test_two_iterators_do_not_write_one_cache(tmp_path):
    datasets = [tf.data.Dataset.range(4).cache(str(tmp_path / "c")) for _ in range(2)]
    first = iter(datasets[0])
    assert next(first) == 0
    with pytest.raises(tf.errors.AlreadyExistsError, match="concurrent caching iterator"):
        next(iter(datasets[1]))
    assert [int(element) for element in first] == [1, 2, 3]
    assert [int(element) for element in datasets[1]] == [0, 1, 2, 3]
    assert [path.name for path in tmp_path.iterdir()] == ["c.cache"]


def test_a_cache_that_was_left_halfway_is_written_again(tmp_path):
    dataset = tf.data.Dataset.range(4).cache(str(tmp_path / "c")).prefetch(1)
    assert [int(element) for element in dataset.take(2)] == [0, 1]
    assert [int(element) for element in dataset] == [0, 1, 2, 3]


def test_readers_of_queues_are_refused():
    with pytest.raises(TypeError, match="`reader` argument must return a `Dataset`"):
        tf.data.experimental.make_batched_features_dataset(
            "none", 2, {}, reader=tf.compat.v1.TFRecordReader
        )
