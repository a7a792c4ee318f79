"""tf.contrib.learn.preprocessing: words of documents as ids of a fixed number."""

from __future__ import annotations

import pickle
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each text."""
    for text in iterator:
        yield _WORDS.findall(text)


class CategoricalVocabulary:
    """Ids of words, in the order they come; 0 is for those not known."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping: dict[str, int] = {unknown_token: 0}
        self._reverse_mapping = [unknown_token]
        self._freq: dict[str, int] = defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Take no more words in."""
        self._freeze = freeze

    def get(self, category: str) -> int:
        """Return the id of a word, new if it may be."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: str, count: int = 1) -> None:
        """Count a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Forget words that are too rare or too frequent."""
        ordered = sorted(sorted(self._freq.items()), key=lambda pair: pair[1], reverse=True)
        self._mapping = {self._unknown_token: 0}
        self._reverse_mapping = [self._unknown_token]
        self._freq = defaultdict(int)
        for word, count in ordered:
            if max_frequency > 0 and count >= max_frequency:
                continue
            if count <= min_frequency:
                break
            self._mapping[word] = len(self._mapping)
            self._reverse_mapping.append(word)
            self._freq[word] = count

    def reverse(self, class_id: int) -> str:
        """Return the word of an id."""
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Turns documents into rows of ids, cut or filled up to one length."""

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterator[list[str]]] | None = None,
    ) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learn the words of documents."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """Learn the words of documents, and yield their ids."""
        kept = list(raw_documents)
        self.fit(kept)
        return self.transform(kept)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Yield the ids of each document."""
        for words in self._tokenizer(raw_documents):
            ids = np.zeros(self.max_document_length, np.int64)
            for place, word in enumerate(words[: self.max_document_length]):
                ids[place] = self.vocabulary_.get(word)
            yield ids

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Yield the words of rows of ids."""
        for ids in documents:
            yield " ".join(self.vocabulary_.reverse(each) for each in ids)

    def save(self, filename: Any) -> None:
        """Write the processor to a file."""
        with open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: Any) -> VocabularyProcessor:
        """Return the processor that a file has. The file is a pickle: only read your own."""
        with open(filename, "rb") as file:
            processor: VocabularyProcessor = pickle.loads(file.read())
            return processor
