"""Sequences to sequences over lists of steps: decoders, encoders with decoders, their losses."""

from __future__ import annotations

import copy
from typing import Any

import placewise as tf
from placewise.contrib.rnn.linear_maps import linear
from placewise.contrib.rnn.wrappers import EmbeddingWrapper, OutputProjectionWrapper
from placewise.core import nest
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.graph.variable_scope import get_variable, get_variable_scope, variable_scope
from placewise.layers.static_rnn import static_rnn


def _cross_entropy(labels: Any, logits: Any) -> Any:
    flat = tf.reshape(labels, [-1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=flat, logits=logits)


def sequence_loss_by_example(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """Return the weighted cross entropy of each sequence, from lists of steps."""
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    loss_of = softmax_loss_function or _cross_entropy
    with tf.name_scope(name or "sequence_loss_by_example"):
        steps = zip(logits, targets, weights, strict=True)
        total = tf.add_n(
            [loss_of(labels=target, logits=logit) * weight for logit, target, weight in steps]
        )
        if average_across_timesteps:
            # Steps without weight must not divide by nothing.
            total = total / (tf.add_n(list(weights)) + 1e-12)
    return total


def sequence_loss(
    logits: TensorLike,
    targets: Any,
    weights: TensorLike,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """Return the weighted cross entropy of all sequences."""
    with tf.name_scope(name or "sequence_loss"):
        total = tf.reduce_sum(
            sequence_loss_by_example(
                logits, targets, weights, average_across_timesteps, softmax_loss_function
            )
        )
        if average_across_batch:
            return total / tf.cast(tf.shape(targets[0])[0], total.dtype)
        return total


def rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    loop_function: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Return the outputs of each step, and the last state; inputs may be made of outputs."""
    outputs: list[Any] = []
    state = initial_state
    with variable_scope(scope or "rnn_decoder") as own_scope:
        for number, inputs in enumerate(decoder_inputs):
            if outputs:
                if loop_function is not None:
                    with variable_scope("loop_function", reuse=True):
                        inputs = loop_function(outputs[-1], number)
                own_scope.reuse_variables()
            output, state = cell(inputs, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    dtype: DTypeLike = tf.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Return the outputs of a decoder that begins with an encoder's last state."""
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    loop_function: Any = None,
    dtype: DTypeLike = tf.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Return the outputs of a decoder that shares its variables with the encoder."""
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def _fed_back(embedding: Any, projection: Any, updates: bool) -> Any:
    """Return a function that gives the vector of the likeliest symbol of an output."""

    def feed(previous: Any, _: int) -> Any:
        if projection is not None:
            weights, biases = projection
            previous = tf.matmul(previous, weights) + biases
        found = tf.nn.embedding_lookup(embedding, tf.argmax(previous, 1))
        return found if updates else tf.stop_gradient(found)

    return feed


def embedding_rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Return the outputs of a decoder of symbols."""
    with variable_scope(scope or "embedding_rnn_decoder"):
        table = get_variable("embedding", [num_symbols, embedding_size])
        feed = None
        if feed_previous:
            feed = _fed_back(table, output_projection, update_embedding_for_previous)
        vectors = [tf.nn.embedding_lookup(table, each) for each in decoder_inputs]
        return rnn_decoder(vectors, initial_state, cell, loop_function=feed)


def _either(condition: Any, decode: Any) -> tuple[Any, Any]:
    """Return what a decoder gives, fed back or not as a tensor says at run time."""

    def decoded(back: bool, reuse: bool) -> list[Any]:
        with variable_scope(get_variable_scope(), reuse=True if reuse else None):
            outputs, state = decode(back)
            structure.append((outputs, state))
            return list(outputs) + nest.flatten(state)

    structure: list[Any] = []
    made = tf.cond(condition, lambda: decoded(True, False), lambda: decoded(False, True))
    outputs, state = structure[0]
    count = len(outputs)
    return list(made[:count]), nest.pack_sequence_as(state, list(made[count:]))


def embedding_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: DTypeLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Return the outputs of a decoder of symbols after an encoder of symbols."""
    with variable_scope(scope or "embedding_rnn_seq2seq"):
        encoder = EmbeddingWrapper(
            copy.deepcopy(cell),
            embedding_classes=num_encoder_symbols,
            embedding_size=embedding_size,
        )
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype or tf.float32)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(back: bool) -> tuple[list[Any], Any]:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=back,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous)
        return _either(feed_previous, decode)


def attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Any = None,
    dtype: DTypeLike | None = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Return the outputs of a decoder that looks at states of an encoder."""
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        kind = opened.dtype
        batch = tf.shape(decoder_inputs[0])[0]
        length, width = attention_states.shape.as_list()[1:3]
        length = tf.shape(attention_states)[1] if length is None else length
        hidden = tf.reshape(attention_states, [-1, length, 1, width])
        features, directions = [], []
        for head in range(num_heads):
            weights = get_variable(f"AttnW_{head}", [1, 1, width, width], kind)
            features.append(tf.nn.conv2d(hidden, weights, [1, 1, 1, 1], "SAME"))
            directions.append(get_variable(f"AttnV_{head}", [width], kind))

        def attended(query: Any) -> list[Any]:
            flat = nest.flatten(query)
            joined = flat[0] if len(flat) == 1 else tf.concat(flat, 1)
            seen = []
            for head in range(num_heads):
                with variable_scope(f"Attention_{head}"):
                    asked = tf.reshape(linear(joined, width, True), [-1, 1, 1, width])
                    scores = tf.reduce_sum(
                        directions[head] * tf.tanh(features[head] + asked), [2, 3]
                    )
                    shares = tf.reshape(tf.nn.softmax(scores), [-1, length, 1, 1])
                    found = tf.reduce_sum(shares * hidden, [1, 2])
                    seen.append(tf.reshape(found, [-1, width]))
            return seen

        state, outputs, previous = initial_state, [], None
        seen = [tf.zeros(tf.stack([batch, width]), kind) for _ in range(num_heads)]
        for each in seen:
            each.set_shape([None, width])
        if initial_state_attention:
            seen = attended(initial_state)
        for number, given in enumerate(decoder_inputs):
            if number > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and previous is not None:
                with variable_scope("loop_function", reuse=True):
                    given = loop_function(previous, number)
            mixed = linear([given, *seen], given.shape.as_list()[1], True)
            cell_output, state = cell(mixed, state)
            if number == 0 and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    seen = attended(state)
            else:
                seen = attended(state)
            with variable_scope("AttnOutputProjection"):
                output = linear([cell_output, *seen], size, True)
            if loop_function is not None:
                previous = output
            outputs.append(output)
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: DTypeLike | None = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Return the outputs of a decoder of symbols that looks at states of an encoder."""
    size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        table = get_variable("embedding", [num_symbols, embedding_size])
        feed = None
        if feed_previous:
            feed = _fed_back(table, output_projection, update_embedding_for_previous)
        vectors = [tf.nn.embedding_lookup(table, each) for each in decoder_inputs]
        return attention_decoder(
            vectors,
            initial_state,
            attention_states,
            cell,
            output_size=size,
            num_heads=num_heads,
            loop_function=feed,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: DTypeLike | None = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Return the outputs of a decoder of symbols that looks at an encoder of symbols."""
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        kind = opened.dtype
        encoder = EmbeddingWrapper(
            copy.deepcopy(cell),
            embedding_classes=num_encoder_symbols,
            embedding_size=embedding_size,
        )
        outputs, state = static_rnn(encoder, encoder_inputs, dtype=kind)
        attended = tf.concat([tf.reshape(row, [-1, 1, cell.output_size]) for row in outputs], 1)
        options: dict[str, Any] = {
            "num_heads": num_heads,
            "initial_state_attention": initial_state_attention,
        }
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            options["output_size"] = num_decoder_symbols
        else:
            options["output_projection"] = output_projection
        sizes = (num_decoder_symbols, embedding_size)

        def decode(feeds_back: bool) -> tuple[list[Any], Any]:
            known = (decoder_inputs, state, attended, cell, *sizes)
            return embedding_attention_decoder(*known, feed_previous=feeds_back, **options)

        if isinstance(feed_previous, bool):
            return decode(feed_previous)
        return _either(feed_previous, decode)


def model_with_buckets(
    encoder_inputs: Any,
    decoder_inputs: Any,
    targets: Any,
    weights: Any,
    buckets: Any,
    seq2seq: Any,
    softmax_loss_function: Any = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """Return outputs and losses of a model for each pair of lengths."""
    for given, place, told in (
        (encoder_inputs, 0, "encoder_inputs"),
        (targets, 1, "targets"),
        (weights, 1, "weights"),
    ):
        if len(given) < buckets[-1][place]:
            raise ValueError(
                f"Length of {told} ({len(given)}) must be at least that of last bucket "
                f"({buckets[-1][place]})."
            )
    losses, outputs = [], []
    with tf.name_scope(name or "model_with_buckets"):
        for number, (entering, leaving) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number > 0 else None):
                made, _ = seq2seq(encoder_inputs[:entering], decoder_inputs[:leaving])
                outputs.append(made)
                measure = sequence_loss_by_example if per_example_loss else sequence_loss
                losses.append(
                    measure(
                        made,
                        targets[:leaving],
                        weights[:leaving],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
