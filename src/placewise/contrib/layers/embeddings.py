"""Ids as vectors: sequences, bags of words, and sparse lookups."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.framework.arg_scopes import add_arg_scope
from placewise.contrib.framework.variables import model_variable
from placewise.contrib.layers import shared
from placewise.core.arguments import TensorLike
from placewise.graph.variable_scope import variable_scope


def _lookup(params: Any, ids: Any) -> Any:
    return tf.nn.embedding_lookup(params, ids)


def embed_sequence(
    ids: TensorLike,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """Return the vectors of ids, from embeddings that are learned."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError("Must specify vocab size and embedding dimension when not reusing.")
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        # A table that is used again has its shape already.
        is_sized = vocab_size is not None and embed_dim is not None
        shape = [vocab_size, embed_dim] if is_sized else None
        options = {"regularizer": regularizer, "trainable": trainable}
        table = model_variable("embeddings", shape, initializer=initializer, **options)
        return (embedding_lookup_unique if unique else _lookup)(table, ids)


def bow_encoder(
    ids: TensorLike,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """Return the mean of the vectors of each case's ids."""
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if not sparse_lookup:
            if isinstance(ids, tf.SparseTensor):
                raise TypeError("ids are expected to be dense Tensor, got: ", ids)
            return tf.reduce_mean(_lookup(embeddings, ids), 1)
        if not isinstance(ids, tf.SparseTensor):
            ids = dense_to_sparse(ids)
        return safe_embedding_lookup_sparse([embeddings], ids, combiner="mean", default_id=0)


def embedding_lookup_unique(
    params: TensorLike, ids: Any, partition_strategy: str = "mod", name: str | None = None
) -> Any:
    """Return the vectors of ids, each different id looked up once."""
    with tf.name_scope(name or "EmbeddingLookupUnique"):
        ids = tf.convert_to_tensor(ids)
        rows, places = tf.unique(tf.reshape(ids, [-1]))
        found = tf.gather(_lookup(params, rows), places)
        width = found.shape.as_list()[1:]
        outputs = tf.reshape(found, tf.concat([tf.shape(ids), tf.constant(width, tf.int32)], 0))
        outputs.set_shape(ids.shape.concatenate(width))
        return outputs


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: Any = None,
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Any:
    """Return combined vectors of sparse ids; rows without valid ids get the default or zeros."""
    if isinstance(embedding_weights, (list, tuple)) and len(embedding_weights) == 1:
        embedding_weights = embedding_weights[0]
    return tf.nn.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights=sparse_weights,
        combiner=combiner or "mean",
        default_id=default_id,
        max_norm=max_norm,
        name=name,
    )


@add_arg_scope
def dense_to_sparse(
    tensor: Any, eos_token: int = 0, outputs_collections: Any = None, scope: Any = None
) -> Any:
    """Return what is not `eos_token` as a sparse tensor."""
    with variable_scope(scope, "dense_to_sparse", [tensor]) as opened:
        dense = tf.convert_to_tensor(tensor)
        # In TensorFlow 1 `!=` compares which tensors these are.
        places = tf.where(tf.not_equal(dense, tf.constant(eos_token, dense.dtype)))
        shape = tf.shape(dense, out_type=tf.int64)
        sparse = tf.SparseTensor(places, tf.gather_nd(dense, places), shape)
        return shared.collect_outputs(outputs_collections, opened.name, sparse)
