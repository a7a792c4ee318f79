"""`tf.feature_column.shared_embeddings` of TensorFlow 2."""

from __future__ import annotations

from typing import Any

from placewise.feature_column.dense import shared_embedding_columns


def shared_embeddings(
    categorical_columns: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[Any]:
    """Return columns whose ids share their vectors."""
    return shared_embedding_columns(
        categorical_columns,
        dimension,
        combiner,
        initializer,
        shared_embedding_collection_name,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )
