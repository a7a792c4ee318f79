"""Names of tf.contrib.tensorboard.plugins.projector."""

from placewise.contrib.tensorboard.plugins.projector.showing import EmbeddingInfo as EmbeddingInfo
from placewise.contrib.tensorboard.plugins.projector.showing import ProjectorConfig as ProjectorConfig
from placewise.contrib.tensorboard.plugins.projector.showing import SpriteMetadata as SpriteMetadata
from placewise.contrib.tensorboard.plugins.projector.showing import visualize_embeddings as visualize_embeddings
