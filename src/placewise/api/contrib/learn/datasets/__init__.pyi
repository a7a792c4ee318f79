"""Names of tf.contrib.learn.datasets."""

from placewise.contrib.learn.datasets import base as base
from placewise.contrib.learn.datasets import mnist as mnist
from placewise.contrib.learn.datasets.base import DATASETS as DATASETS
from placewise.contrib.learn.datasets.base import load_boston as load_boston
from placewise.contrib.learn.datasets.base import load_dataset as load_dataset
from placewise.contrib.learn.datasets.base import load_iris as load_iris
