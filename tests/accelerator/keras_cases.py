"""Layers, losses and metrics of Keras to compare between devices, with what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf

_NUMBERS = np.random.RandomState(0)


def floats(*shape: int) -> np.ndarray:
    """Return numbers from -1 to 1."""
    return _NUMBERS.uniform(-1, 1, shape).astype("float32")


def integers(end: int, *shape: int) -> np.ndarray:
    """Return numbers below `end`."""
    return _NUMBERS.randint(0, end, shape).astype("int32")


PADDED = np.array([[1, 2, 3, 0], [4, 5, 0, 0], [1, 6, 2, 3]], "int32")
WITH_HOLES = np.array([[1, 0, 3, 0], [0, 5, 0, 0], [1, 6, 2, 3]], "int32")
SEQUENCES = floats(4, 6, 3)
ENDING = SEQUENCES * np.array([1, 1, 1, 1, 0, 0], "float32")[None, :, None]
TABLE, LINES, IMAGES, VOLUMES = (
    floats(8, 3),
    floats(4, 9, 3),
    floats(4, 7, 6, 2),
    floats(2, 5, 6, 4, 2),
)

# Name: layers one after the other, and what the first is given. `L` is tf.keras.layers.
CHAINS: dict[str, tuple[Any, np.ndarray]] = {
    "dense": (lambda L: [L.Dense(4, activation="relu"), L.Dense(3, activation="softmax")], TABLE),
    "conv1d": (lambda L: [L.Conv1D(4, 3, strides=2, padding="same")], LINES),
    "conv1d_causal": (lambda L: [L.Conv1D(4, 3, padding="causal", dilation_rate=2)], LINES),
    "conv2d": (lambda L: [L.Conv2D(4, 3, activation="relu")], IMAGES),
    "conv2d_same": (lambda L: [L.Conv2D(4, (3, 2), padding="same", strides=(2, 1))], IMAGES),
    "conv2d_groups": (lambda L: [L.Conv2D(4, 3, groups=2, dilation_rate=2)], IMAGES),
    "conv3d": (lambda L: [L.Conv3D(2, 3, padding="same")], VOLUMES),
    "conv1d_transpose": (lambda L: [L.Conv1DTranspose(3, 3, strides=2)], LINES),
    "conv2d_transpose": (lambda L: [L.Conv2DTranspose(3, 3, strides=2, padding="same")], IMAGES),
    "conv3d_transpose": (lambda L: [L.Conv3DTranspose(3, 3, strides=2)], VOLUMES),
    "depthwise1d": (lambda L: [L.DepthwiseConv1D(3, depth_multiplier=2)], LINES),
    "depthwise2d": (
        lambda L: [L.DepthwiseConv2D(3, depth_multiplier=2, padding="same")],
        IMAGES,
    ),
    "separable1d": (lambda L: [L.SeparableConv1D(4, 3)], LINES),
    "separable2d": (lambda L: [L.SeparableConv2D(4, 3, padding="same", strides=2)], IMAGES),
    "max_pool1d": (lambda L: [L.Conv1D(2, 1), L.MaxPooling1D()], LINES),
    "max_pool2d": (lambda L: [L.Conv2D(2, 1), L.MaxPooling2D(padding="same")], IMAGES),
    "max_pool3d": (lambda L: [L.Conv3D(2, 1), L.MaxPooling3D()], VOLUMES),
    "average_pool1d": (lambda L: [L.Conv1D(2, 1), L.AveragePooling1D(2)], LINES),
    "average_pool2d": (
        lambda L: [L.Conv2D(2, 1), L.AveragePooling2D(3, 1, padding="same")],
        IMAGES,
    ),
    "average_pool3d": (lambda L: [L.Conv3D(2, 1), L.AveragePooling3D(2)], VOLUMES),
    "global_average_pool": (lambda L: [L.Conv2D(2, 1), L.GlobalAveragePooling2D()], IMAGES),
    "global_max_pool": (lambda L: [L.Conv2D(2, 1), L.GlobalMaxPooling2D()], IMAGES),
    "batch_normalization": (lambda L: [L.Dense(4), L.BatchNormalization()], TABLE),
    "batch_normalization_of_images": (lambda L: [L.Conv2D(2, 1), L.BatchNormalization()], IMAGES),
    "layer_normalization": (lambda L: [L.Dense(4), L.LayerNormalization()], TABLE),
    "group_normalization": (lambda L: [L.Conv2D(4, 1), L.GroupNormalization(2)], IMAGES),
    "unit_normalization": (lambda L: [L.Dense(4), L.UnitNormalization()], TABLE),
    "spectral_normalization": (lambda L: [L.SpectralNormalization(L.Dense(4))], TABLE),
    "dropout": (lambda L: [L.Dense(4), L.Dropout(0.5, seed=3)], TABLE),
    "spatial_dropout": (lambda L: [L.Conv2D(4, 1), L.SpatialDropout2D(0.5, seed=3)], IMAGES),
    "noise": (
        lambda L: [L.Dense(4), L.GaussianNoise(0.5, seed=3), L.GaussianDropout(0.3, seed=4)],
        TABLE,
    ),
    "lstm": (lambda L: [L.LSTM(4)], SEQUENCES),
    "lstm_backwards": (
        lambda L: [L.LSTM(4, return_sequences=True, go_backwards=True), L.LSTM(3)],
        SEQUENCES,
    ),
    "lstm_with_dropout": (
        lambda L: [L.LSTM(4, dropout=0.3, recurrent_dropout=0.2, seed=1)],
        SEQUENCES,
    ),
    "lstm_masked": (lambda L: [L.Embedding(7, 3, mask_zero=True), L.LSTM(4)], PADDED),
    "gru": (lambda L: [L.GRU(4)], SEQUENCES),
    "gru_reset_before": (lambda L: [L.GRU(4, reset_after=False)], SEQUENCES),
    "gru_masked": (
        lambda L: [L.Embedding(7, 3, mask_zero=True), L.GRU(4, return_sequences=True), L.GRU(3)],
        PADDED,
    ),
    "gru_masked_anywhere": (
        lambda L: [L.Embedding(7, 3, mask_zero=True), L.GRU(4, use_cudnn=False)],
        WITH_HOLES,
    ),
    "simple_rnn": (lambda L: [L.SimpleRNN(4)], SEQUENCES),
    "bidirectional": (
        lambda L: [L.Bidirectional(L.LSTM(4, return_sequences=True)), L.Bidirectional(L.GRU(3))],
        SEQUENCES,
    ),
    "bidirectional_masked": (lambda L: [L.Masking(), L.Bidirectional(L.LSTM(4))], ENDING),
    "cells": (lambda L: [L.RNN([L.LSTMCell(3), L.GRUCell(4)])], SEQUENCES),
    "conv_lstm": (lambda L: [L.ConvLSTM1D(2, 3)], floats(2, 4, 6, 3)),
    "embedding": (lambda L: [L.Embedding(7, 3), L.Flatten(), L.Dense(2)], integers(7, 4, 5)),
    "time_distributed": (lambda L: [L.TimeDistributed(L.Dense(3))], SEQUENCES),
    "einsum_dense": (
        lambda L: [L.EinsumDense("abc,cd->abd", output_shape=(None, 4), bias_axes="d")],
        SEQUENCES,
    ),
    "activations": (
        lambda L: [L.Dense(4), L.PReLU(), L.LeakyReLU(), L.ELU(), L.Softmax()],
        TABLE,
    ),
    "upsampling": (
        lambda L: [
            L.Conv2D(2, 1),
            L.UpSampling2D(interpolation="bilinear"),
            L.ZeroPadding2D(),
            L.Cropping2D(2),
        ],
        IMAGES,
    ),
    "resizing": (lambda L: [L.Resizing(6, 7), L.Rescaling(0.5), L.Conv2D(2, 1)], IMAGES),
    "reshaping": (
        lambda L: [L.Dense(6), L.Reshape((2, 3)), L.Permute((2, 1)), L.Flatten(), L.Dense(2)],
        TABLE,
    ),
    "normalization": (
        lambda L: [L.Normalization(mean=[1.0, 2, 3], variance=[1.0, 4, 9]), L.Dense(2)],
        TABLE,
    ),
    "discretization": (
        lambda L: [L.Discretization(bin_boundaries=[-0.5, 0.0, 0.5]), L.Embedding(4, 2)],
        TABLE,
    ),
    "category_encoding": (
        lambda L: [L.CategoryEncoding(5, output_mode="count"), L.Dense(2)],
        integers(5, 4, 3),
    ),
    "hashing": (lambda L: [L.Hashing(5), L.Embedding(5, 2)], integers(50, 4, 3)),
    "integer_lookup": (
        lambda L: [L.IntegerLookup(vocabulary=[3, 5, 7]), L.Embedding(5, 2)],
        integers(9, 4, 3),
    ),
}


def _attention(**options: Any) -> Any:
    def join(layers: Any, x: Any) -> Any:
        return layers.MultiHeadAttention(2, 3)(x, x, **options)

    return join


def _masked_attention(layers: Any, x: Any) -> Any:
    rows = layers.Embedding(7, 6, mask_zero=True)(x)
    return layers.MultiHeadAttention(2, 3)(rows, rows)


def _grouped_attention(layers: Any, x: Any) -> Any:
    return layers.GroupQueryAttention(4, 4, 2)(x, x)


def _plain_attention(layers: Any, x: Any) -> Any:
    rows = layers.Dense(4)(x)
    return layers.Attention(use_scale=True)([rows, layers.AdditiveAttention()([rows, rows])])


def _merged(layers: Any, x: Any) -> Any:
    pair = [layers.Dense(3)(x), layers.Dense(3)(x)]
    kinds = ("Add", "Multiply", "Maximum", "Minimum", "Average", "Subtract")
    merged = [getattr(layers, kind)()(pair) for kind in kinds]
    return layers.Concatenate()([*merged, layers.Dot(1)(pair)])


# Name: a function of tf.keras.layers and the input that returns the output; what it is given.
JOINED: dict[str, tuple[Any, np.ndarray]] = {
    "attention": (_attention(), SEQUENCES),
    "attention_causal": (_attention(use_causal_mask=True), SEQUENCES),
    "attention_masked": (
        _attention(attention_mask=np.tril(np.ones((1, 6, 6), bool), 1)),
        SEQUENCES,
    ),
    "attention_of_padded": (_masked_attention, PADDED),
    "attention_grouped": (_grouped_attention, SEQUENCES),
    "attention_plain": (_plain_attention, SEQUENCES),
    "merging": (_merged, TABLE),
}
LAYERS = [*CHAINS, *JOINED]


def given(name: str) -> np.ndarray:
    """Return what the layers of a case are given."""
    return (CHAINS.get(name) or JOINED[name])[1]


def model(name: str) -> Any:
    """Return a model of the layers of a case."""
    data, layers = given(name), tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    x = tf.keras.Input(data.shape[1:], dtype=str(data.dtype))
    if name in JOINED:
        return tf.keras.Model(x, JOINED[name][0](layers, x))
    y = x
    for layer in CHAINS[name][0](layers):
        y = layer(y)
    return tf.keras.Model(x, y)


_CLASSES = np.array([0, 1, 2, 3, 1, 0], "int32")
_ONE_HOT = np.eye(4, dtype="float32")[_CLASSES]
_SHARES = _NUMBERS.uniform(0.05, 0.95, (6, 4)).astype("float32")
_CHANCES = _SHARES / _SHARES.sum(1, keepdims=True)
_BITS = _NUMBERS.randint(0, 2, (6, 4)).astype("float32")
_FREE = floats(6, 4)
# What is true, and what is predicted.
PAIRS: dict[str, tuple[np.ndarray, np.ndarray]] = {
    "one_hot": (_ONE_HOT, _CHANCES),
    "classes": (_CLASSES, _CHANCES),
    "predicted_classes": (_CLASSES, np.array([0, 1, 1, 3, 2, 0], "int32")),
    "bits": (_BITS, _SHARES),
    "numbers": (_BITS, _FREE),
    "signs": (_BITS * 2 - 1, _FREE),
    "positive": (_BITS + 0.1, _SHARES),
}
# Class, what it compares, options.
LOSSES: list[tuple[str, str, dict[str, Any]]] = [
    ("BinaryCrossentropy", "bits", {}),
    ("BinaryCrossentropy", "numbers", {"from_logits": True}),
    ("BinaryFocalCrossentropy", "bits", {}),
    ("CategoricalCrossentropy", "one_hot", {}),
    ("CategoricalCrossentropy", "one_hot", {"from_logits": True, "label_smoothing": 0.1}),
    ("CategoricalFocalCrossentropy", "one_hot", {}),
    ("CategoricalHinge", "one_hot", {}),
    ("CosineSimilarity", "numbers", {}),
    ("Dice", "bits", {}),
    ("Hinge", "signs", {}),
    ("Huber", "numbers", {}),
    ("KLDivergence", "one_hot", {}),
    ("LogCosh", "numbers", {}),
    ("MeanAbsoluteError", "numbers", {}),
    ("MeanAbsolutePercentageError", "positive", {}),
    ("MeanSquaredError", "numbers", {}),
    ("MeanSquaredLogarithmicError", "positive", {}),
    ("Poisson", "positive", {}),
    ("SparseCategoricalCrossentropy", "classes", {}),
    ("SparseCategoricalCrossentropy", "classes", {"from_logits": True}),
    ("SparseCategoricalCrossentropy", "classes", {"ignore_class": 1}),
    ("SquaredHinge", "signs", {}),
    ("Tversky", "bits", {}),
]
METRICS: list[tuple[str, str, dict[str, Any]]] = [
    ("Accuracy", "predicted_classes", {}),
    ("AUC", "bits", {}),
    ("AUC", "bits", {"multi_label": True, "curve": "PR"}),
    ("BinaryAccuracy", "bits", {}),
    ("BinaryCrossentropy", "bits", {}),
    ("BinaryIoU", "bits", {}),
    ("CategoricalAccuracy", "one_hot", {}),
    ("CategoricalCrossentropy", "one_hot", {}),
    ("ConcordanceCorrelation", "numbers", {}),
    ("CosineSimilarity", "numbers", {}),
    ("F1Score", "one_hot", {}),
    ("FBetaScore", "one_hot", {"average": "micro", "threshold": 0.3}),
    ("FalseNegatives", "bits", {}),
    ("FalsePositives", "bits", {}),
    ("Hinge", "signs", {}),
    ("IoU", "predicted_classes", {"num_classes": 4, "target_class_ids": [0, 2]}),
    ("KLDivergence", "one_hot", {}),
    ("LogCoshError", "numbers", {}),
    ("MeanAbsoluteError", "numbers", {}),
    ("MeanIoU", "predicted_classes", {"num_classes": 4}),
    ("OneHotIoU", "one_hot", {"num_classes": 4, "target_class_ids": [1]}),
    ("OneHotMeanIoU", "one_hot", {"num_classes": 4}),
    ("PearsonCorrelation", "numbers", {}),
    ("Poisson", "positive", {}),
    ("Precision", "bits", {}),
    ("Precision", "one_hot", {"top_k": 2, "class_id": 1}),
    ("PrecisionAtRecall", "bits", {"recall": 0.5}),
    ("R2Score", "numbers", {}),
    ("Recall", "bits", {"thresholds": [0.3, 0.6]}),
    ("RecallAtPrecision", "bits", {"precision": 0.5}),
    ("RootMeanSquaredError", "numbers", {}),
    ("SensitivityAtSpecificity", "bits", {"specificity": 0.5}),
    ("SparseCategoricalAccuracy", "classes", {}),
    ("SparseCategoricalCrossentropy", "classes", {}),
    ("SparseTopKCategoricalAccuracy", "classes", {"k": 2}),
    ("SpecificityAtSensitivity", "bits", {"sensitivity": 0.5}),
    ("TopKCategoricalAccuracy", "one_hot", {"k": 2}),
    ("TrueNegatives", "bits", {}),
    ("TruePositives", "bits", {}),
]
