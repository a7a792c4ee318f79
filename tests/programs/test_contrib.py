"""Programs with tf.contrib and tf.estimator, run as a user runs them."""

from pathlib import Path

import pytest

from tests.programs.running import warm

HERE = Path(__file__).parent
EXPECTED = {
    "contrib_char_rnn.py": ["cost below 2: True"],
    "contrib_crf.py": ["likelier: True", "same as viterbi: True"],
    "contrib_layers_mlp.py": ["steps 120", "exclusive or: [0 1 1 0]", "'hidden/weights'"],
    "contrib_rnn_classifier.py": ["accuracy over 0.8: True", "fw/multi_rnn_cell/cell_0/basic_lstm"],
    "contrib_seq2seq.py": ["loss went down: True"],
    "contrib_slim_cnn.py": ["model variables 10", "trained True", "accuracy over 0.9: True"],
    "contrib_text.py": ["words 8 [1 2 3 0]", "right: 1.0"],
    "estimator_custom.py": ["rmse below 0.05: True step 300", "close: True"],
    "estimator_iris.py": ["accuracy over 0.6: True step 120", "['saved_model.pb', 'variables']"],
    "estimator_wide_deep.py": ["accuracy over 0.9: True auc over 0.9: True"],
}


def test_every_program_here_is_run():
    found = [*HERE.glob("contrib_*.py"), *HERE.glob("estimator_*.py")]
    assert {path.name for path in found} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_program(name, tmp_path):
    done = warm("plain").run(["run", "--simulate", "K40c", str(HERE / name)], tmp_path)
    assert done.status == 0, done.stderr
    for line in EXPECTED[name]:
        assert line in done.stdout
