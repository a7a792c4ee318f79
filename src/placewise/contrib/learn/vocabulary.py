"""tf.contrib.learn.preprocessing: words of documents as ids of a fixed number."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from placewise.core.errors import hint

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)

Tokenizer = Callable[[Iterable[str]], Iterator[list[str]]]

# What the first field of a file that `VocabularyProcessor.save` writes says.
_FORMAT = "placewise vocabulary processor 1"

# The first byte of a pickle of protocol 2 and later, which TensorFlow writes.
_PICKLE = b"\x80"


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each text."""
    return map(_WORDS.findall, iterator)


class CategoricalVocabulary:
    """Ids of words, in the order they come; 0 is for those not known."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._is_frozen = False
        self._assign_ids(())

    def _assign_ids(self, words: Iterable[tuple[str, int]]) -> None:
        """Give ids from 1 to words with their counts, and forget all others."""
        self._counts = dict(words)
        names = (self._unknown_token, *self._counts)
        self._ids = {name: number for number, name in enumerate(names)}
        self._words: list[str] = []  # the inverse, made by `reverse` when it is out of date

    def __len__(self) -> int:
        return len(self._ids)

    def freeze(self, freeze: bool = True) -> None:
        """Take no more words in."""
        self._is_frozen = freeze

    def get(self, category: str) -> int:
        """Return the id of a word: a new one if it is not known, or 0 once frozen."""
        number = self._ids.get(category)
        if number is None:
            number = 0 if self._is_frozen else self._ids.setdefault(category, len(self._ids))
        return number

    def add(self, category: str, count: int = 1) -> None:
        """Count a word."""
        if self.get(category) > 0:
            self._counts[category] = self._counts.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Forget words that are too rare or too frequent; the most frequent gets the first id."""
        limit = max_frequency if max_frequency > 0 else float("inf")
        kept = [(word, n) for word, n in self._counts.items() if min_frequency < n < limit]
        self._assign_ids(sorted(kept, key=lambda item: (-item[1], item[0])))

    def reverse(self, class_id: int) -> str:
        """Return the word of an id."""
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        if len(self._words) != len(self._ids):
            self._words = list(self._ids)
        return self._words[class_id]

    def to_state(self) -> dict[str, Any]:
        """Return all there is to know as values that JSON has."""
        return {
            "words": [
                [word, self._counts.get(word)] for word in itertools.islice(self._ids, 1, None)
            ],
            "unknown_token": self._unknown_token,
            "support_reverse": self._support_reverse,
            "is_frozen": self._is_frozen,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> CategoricalVocabulary:
        """Return the vocabulary that `to_state` was called on."""
        vocabulary = cls(state["unknown_token"], state["support_reverse"])
        for word, count in state["words"]:
            vocabulary.get(word)
            if count is not None:
                vocabulary._counts[word] = count
        vocabulary.freeze(state["is_frozen"])
        return vocabulary


class VocabularyProcessor:
    """Turns documents into rows of ids, cut or filled up to one length.

    >>> processor = VocabularyProcessor(3)
    >>> [row.tolist() for row in processor.fit_transform(["to be or", "not to be that is"])]
    [[1, 2, 3], [4, 1, 2]]
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Tokenizer | None = None,
    ) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learn the words of documents."""
        vocabulary = self.vocabulary_
        for word in itertools.chain.from_iterable(self._tokenizer(raw_documents)):
            vocabulary.add(word)
        if self.min_frequency > 0:
            vocabulary.trim(self.min_frequency)
        vocabulary.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """Learn the words of documents, and yield their ids."""
        documents = list(raw_documents)  # an iterator could be read only once
        return self.fit(documents).transform(documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Yield the ids of each document."""
        length = self.max_document_length
        for words in self._tokenizer(raw_documents):
            ids = [self.vocabulary_.get(word) for word in words[:length]]
            yield np.array(ids + [0] * (length - len(ids)), np.int64)

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Yield the words of rows of ids."""
        for ids in documents:
            yield " ".join(map(self.vocabulary_.reverse, ids))

    def save(self, filename: Any) -> None:
        """Write the processor to a file, as JSON: TensorFlow, which reads pickles, cannot read it.

        A tokenizer of your own is not written: pass it to `restore`.
        """
        state = {
            "format": _FORMAT,
            "max_document_length": self.max_document_length,
            "min_frequency": self.min_frequency,
            "has_own_tokenizer": self._tokenizer is not tokenizer,
            "vocabulary": self.vocabulary_.to_state(),
        }
        Path(filename).write_text(json.dumps(state), encoding="utf-8")

    @classmethod
    def restore(cls, filename: Any, tokenizer_fn: Tokenizer | None = None) -> VocabularyProcessor:
        """Return the processor that `save` wrote.

        `tokenizer_fn` is the one it was made with, if that was not the default. ValueError for a
        pickle, as TensorFlow writes: whoever reads a pickle runs what it says.
        """
        state = _read_state(filename)
        if state["has_own_tokenizer"] and tokenizer_fn is None:
            raise ValueError(
                hint(
                    f"{filename} was saved by a processor with a tokenizer_fn of its own",
                    "pass that function: VocabularyProcessor.restore(filename, tokenizer_fn=...)",
                )
            )
        return cls(
            state["max_document_length"],
            state["min_frequency"],
            CategoricalVocabulary.from_state(state["vocabulary"]),
            tokenizer_fn,
        )


def _read_state(filename: Any) -> dict[str, Any]:
    content = Path(filename).read_bytes()
    if content.startswith(_PICKLE):
        raise ValueError(
            hint(
                f"{filename} is a pickle: it is not read, as reading one runs code that it names",
                "if you trust it, let the program that wrote it (TensorFlow 1) restore it and "
                "write processor.vocabulary_._reverse_mapping[1:] as text",
                "then `add` these words here to a CategoricalVocabulary, give it to a "
                "VocabularyProcessor, and `save` that",
            )
        )
    try:
        state = json.loads(content)
    except ValueError:
        state = None
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise ValueError(
            hint(
                f"{filename} is no file that VocabularyProcessor.save wrote",
                f"it begins with {content[:40]!r}",
                "fit the processor again, and save it",
            )
        )
    return state
