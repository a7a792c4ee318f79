"""A plan is written once more for each kind of record: it frees what the plan itself frees."""

import placewise as tf
from placewise.planning.emission import source
from placewise.session import executable, recorded_plans

v1 = tf.compat.v1


def test_the_recorded_program_of_a_loop_frees_the_same_values(monkeypatch):
    sources = []

    def compile_plan(*args, **options):
        program = source.compile_plan(*args, **options)
        sources.append(program.source)
        return program

    monkeypatch.setattr(executable, "compile_plan", compile_plan)
    monkeypatch.setattr(recorded_plans, "compile_plan", compile_plan)
    with tf.simulate("V100"), tf.Graph().as_default(), v1.Session() as session:
        x = tf.ones([4, 4]) * v1.placeholder(tf.float32, [])
        _, y = tf.while_loop(lambda i, _: i < 3, lambda i, h: (i + 1, tf.tanh(h)), [0, x])
        feed = {x.op.inputs[1]: 2.0}
        session.run(y, feed)
        with tf.record():
            session.run(y, feed)
    deletes = [[line for line in text.splitlines() if "del " in line] for text in sources]
    assert ["record.ran" in text for text in sources] == [False, True]
    assert deletes[0] == deletes[1]
