"""Names of tf.contrib.factorization."""

from placewise.estimator.clustering import COSINE_DISTANCE as COSINE_DISTANCE
from placewise.estimator.clustering import KMEANS_PLUS_PLUS_INIT as KMEANS_PLUS_PLUS_INIT
from placewise.estimator.clustering import RANDOM_INIT as RANDOM_INIT
from placewise.estimator.clustering import SQUARED_EUCLIDEAN_DISTANCE as SQUARED_EUCLIDEAN_DISTANCE
from placewise.estimator.clustering import KMeans as KMeans
from placewise.estimator.kmeans import KMeansClustering as KMeansClustering
from placewise.contrib.factorization.mixtures import GMM as GMM
from placewise.contrib.factorization.mixtures import gmm as gmm
