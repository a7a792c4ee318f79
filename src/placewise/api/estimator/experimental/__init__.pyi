"""Names of tf.estimator.experimental."""

from placewise.estimator.kmeans import KMeans as KMeans
