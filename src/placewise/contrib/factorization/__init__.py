"""Implementation of tf.contrib.factorization: mixtures; k-means is in `estimator/clustering.py`."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
