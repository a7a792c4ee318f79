"""State of a program's own kind in checkpoints."""

import placewise as tf


class Counter(tf.train.experimental.PythonState):
    value = 0

    def serialize(self):
        return str(self.value)

    def deserialize(self, string_value):
        self.value = int(string_value)


def test_state_is_restored_at_once_where_a_graph_is_built(tmp_path):
    written = Counter()
    written.value = 5
    path = tf.train.Checkpoint(counter=written).write(str(tmp_path / "state"))
    for graph in (None, tf.Graph()):
        read = Counter()
        if graph is None:
            tf.train.Checkpoint(counter=read).read(path)
        else:
            with graph.as_default():
                tf.train.Checkpoint(counter=read).read(path)
            assert not graph.get_operations()
        assert read.value == 5


def test_saving_state_adds_nothing_to_a_graph(tmp_path):
    counter = Counter()
    with tf.Graph().as_default() as graph, tf.compat.v1.Session():
        checkpoint = tf.train.Checkpoint(counter=counter)
        checkpoint.save(tmp_path / "state")
        graph.finalize()
        counter.value = 7
        path = checkpoint.save(tmp_path / "state")
        counter.value = 0
        checkpoint.restore(path)
    assert counter.value == 7
