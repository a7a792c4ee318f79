"""Files that are damaged in part: what can be read is read, in TensorFlow's order."""

import sqlite3

import pytest

import placewise as tf


def _rows(path, text, defaults, ignore=False, **options):
    path.write_bytes(text)
    dataset = tf.data.experimental.CsvDataset(str(path), defaults, **options)
    if ignore:
        dataset = dataset.ignore_errors()
    return [tuple(value.numpy() for value in row) for row in dataset]


def test_records_behind_a_damaged_one_of_another_file_are_read(tmp_path):
    files = [str(tmp_path / name) for name in "ab"]
    for name in files:
        with tf.io.TFRecordWriter(name) as writer:
            writer.write(b"1")
            writer.write(b"2")
        with open(name, "ab") as file:
            file.write(b"corrupted data")
    dataset = tf.data.TFRecordDataset(files)
    assert list(dataset.ignore_errors().as_numpy_iterator()) == [b"1", b"2"] * 2
    iterator = iter(dataset)
    seen = []
    for _ in range(6):
        try:
            seen.append(next(iterator).numpy())
        except tf.errors.DataLossError:
            seen.append("lost")
    assert seen == [b"1", b"2", "lost", b"1", b"2", "lost"]


def test_rows_behind_a_wrong_one_are_read(tmp_path):
    path, texts = tmp_path / "rows.csv", [[""]] * 3
    text = b'1,"2"3",4\n1,"2"3",4",5,5\na,b,"c"d"\ne,f,g'
    assert _rows(path, text, texts, ignore=True) == [(b"e", b"f", b"g")]
    unquoted = b'1,2"3,4\na,b,c"d\n9,8"7,6,5\ne,f,g'
    assert _rows(path, unquoted, texts, ignore=True) == [(b"e", b"f", b"g")]
    numbers = b"1,2\n3,4,5\nx,6\n7,8\n"
    assert _rows(path, numbers, [[0], [0]], ignore=True) == [(1, 2), (7, 8)]
    some = b"1,2,3\n4,5\n4,5,6"
    assert _rows(path, some, [[0], [0]], ignore=True, exclude_cols=[1]) == [(1, 3), (4, 6)]


def test_carriage_returns_end_rows_outside_of_quotes(tmp_path):
    path, texts = tmp_path / "rows.csv", [["NA"]] * 3
    assert _rows(path, b"a,b,c\r0,1,2\r,,", texts) == [
        (b"a", b"b", b"c"),
        (b"0", b"1", b"2"),
        (b"NA", b"NA", b"NA"),
    ]
    quoted = b'"\n\n","\r\r","x"\r"0","1","2"'
    assert _rows(path, quoted, texts) == [(b"\n\n", b"\r\r", b"x"), (b"0", b"1", b"2")]


def test_a_blank_line_of_one_column_is_an_empty_field(tmp_path):
    path = tmp_path / "rows.csv"
    assert _rows(path, b"0\n\n2", [["NA"]]) == [(b"0",), (b"NA",), (b"2",)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 2 fields but have 0"):
        _rows(path, b"1,2\n\n3,4\n", [[0], [0]])


def test_a_file_without_the_header_that_was_asked_for_is_refused(tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can't read header"):
        _rows(tmp_path / "rows.csv", b"", [[0]], header=True)


def test_texts_of_a_database_are_read_as_numbers(tmp_path):
    path = str(tmp_path / "rows.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a VARCHAR, b VARCHAR)")
        connection.execute("INSERT INTO t VALUES ('12', '2.5'), ('7x', 'none')")
    connection.close()

    def rows(query, types):
        return list(tf.data.experimental.SqlDataset("sqlite", path, query, types))

    found = rows("SELECT a, b FROM t", (tf.int32, tf.float64))
    assert [(int(a), float(b)) for a, b in found] == [(12, 2.5), (7, 0.0)]
    assert [int(a) for a in rows("SELECT a FROM t", tf.int64)] == [12, 7]
    with pytest.raises(tf.errors.UnknownError, match="no such column"):
        rows("SELECT c FROM t", (tf.string,))


def test_names_of_files_are_strings():
    with pytest.raises(TypeError, match=r"must contain `tf.string` elements. Got `?tf.int32"):
        tf.data.TFRecordDataset([1, 2])
    with pytest.raises(TypeError, match=r"must contain `tf.string` elements"):
        tf.data.TFRecordDataset(tf.constant([1]))
    with pytest.raises(TypeError, match="Got a dataset of"):
        tf.data.TextLineDataset(tf.data.Dataset.range(3))
    with pytest.raises(TypeError, match=r"Got a dataset of element shape TensorShape\(\[2\]\)"):
        tf.data.TextLineDataset(tf.data.Dataset.from_tensors(["a", "b"]))
    assert list(tf.data.TFRecordDataset([])) == []


def test_windows_fail_where_they_hold_what_failed():
    nan = float("nan")
    rows = tf.data.Dataset.from_tensor_slices([1.0, nan, 2.0, nan, 3.0, 4.0, 5.0, nan, 6.0])
    checked = rows.map(lambda x: tf.debugging.check_numerics(x, "m"))

    def read(size, shift, stride, drop=False):
        windows = checked.window(size, shift, stride, drop).ignore_errors()
        return [w.numpy().tolist() for w in windows.flat_map(lambda window: window.batch(5))]

    assert read(2, 2, 2, True) == [[1.0, 2.0], [2.0, 3.0], [3.0, 5.0], [5.0, 6.0]]
    assert read(2, 1, 1) == [[3.0, 4.0], [4.0, 5.0], [6.0]]
    assert read(3, 1, 1) == [[3.0, 4.0, 5.0], [6.0]]
