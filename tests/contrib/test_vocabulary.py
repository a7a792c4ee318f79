"""tf.contrib.learn.preprocessing: ids of words, and the file they are kept in."""

import json
import pickle

import pytest

import placewise.compat.v1 as tf

VocabularyProcessor = tf.contrib.learn.preprocessing.VocabularyProcessor
DOCUMENTS = ["to be or not to be", "that is the question"]


def rows(processor, documents):
    return [row.tolist() for row in processor.transform(documents)]


def test_a_processor_is_restored_from_its_file(tmp_path):
    path = tmp_path / "vocabulary"
    processor = VocabularyProcessor(4, min_frequency=0).fit(DOCUMENTS)
    processor.save(path)
    restored = VocabularyProcessor.restore(path)
    assert rows(restored, DOCUMENTS) == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert rows(restored, ["to sleep"]) == [[1, 0, 0, 0]]
    assert list(restored.reverse([[1, 2, 0]])) == ["to be <UNK>"]


def test_the_file_is_json_that_runs_nothing(tmp_path):
    VocabularyProcessor(4).fit(DOCUMENTS).save(tmp_path / "vocabulary")
    state = json.loads((tmp_path / "vocabulary").read_text())
    assert state["vocabulary"]["words"][:2] == [["to", 2], ["be", 2]]


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('the pickle was read')",)


def test_a_pickle_is_not_read_and_the_way_out_is_told(tmp_path):
    path = tmp_path / "old"
    path.write_bytes(pickle.dumps(Bomb(), 2))
    with pytest.raises(ValueError, match="old is a pickle: it is not read") as raised:
        VocabularyProcessor.restore(path)
    assert "_reverse_mapping[1:]" in str(raised.value)


def test_a_file_of_another_kind_is_refused_with_its_first_bytes(tmp_path):
    (tmp_path / "text").write_text("to be")
    with pytest.raises(ValueError, match=r"(?s)is no file that .*begins with b'to be'"):
        VocabularyProcessor.restore(tmp_path / "text")


def test_a_tokenizer_of_ones_own_is_asked_for_again(tmp_path):
    def split(texts):
        return (text.split("-") for text in texts)

    path = tmp_path / "vocabulary"
    VocabularyProcessor(2, tokenizer_fn=split).fit(["a-b"]).save(path)
    with pytest.raises(ValueError, match="pass that function"):
        VocabularyProcessor.restore(path)
    assert rows(VocabularyProcessor.restore(path, tokenizer_fn=split), ["b-a"]) == [[2, 1]]


def test_rare_words_are_forgotten_and_frequent_ones_come_first():
    processor = VocabularyProcessor(3, min_frequency=1).fit(["b a a", "b c b"])
    assert rows(processor, ["a b c"]) == [[2, 1, 0]]
