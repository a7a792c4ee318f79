"""Names of tf.contrib.tensorboard.plugins.projector."""

from placewise.contrib.tensorboard.plugins.projector.embeddings import EmbeddingInfo as EmbeddingInfo
from placewise.contrib.tensorboard.plugins.projector.embeddings import ProjectorConfig as ProjectorConfig
from placewise.contrib.tensorboard.plugins.projector.embeddings import SpriteMetadata as SpriteMetadata
from placewise.contrib.tensorboard.plugins.projector.embeddings import visualize_embeddings as visualize_embeddings
