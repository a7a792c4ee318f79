"""tf.contrib.learn.preprocessing."""

from placewise.contrib.learn.vocabulary import CategoricalVocabulary as CategoricalVocabulary
from placewise.contrib.learn.vocabulary import VocabularyProcessor as VocabularyProcessor
from placewise.contrib.learn.vocabulary import tokenizer as tokenizer
