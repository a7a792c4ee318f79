"""What a saved model is called for: `tensorflow.python.saved_model.model_utils.mode_keys`."""

from __future__ import annotations


class KerasModeKeys:
    """Keras's names of the modes."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


class EstimatorModeKeys:
    """The estimator's names of the modes."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def is_predict(mode: str) -> bool:
    """Return whether a mode is that of predictions."""
    return mode in (KerasModeKeys.PREDICT, EstimatorModeKeys.PREDICT)


def is_eval(mode: str) -> bool:
    """Return whether a mode is that of evaluation."""
    return mode in (KerasModeKeys.TEST, EstimatorModeKeys.EVAL)


def is_train(mode: str) -> bool:
    """Return whether a mode is that of training."""
    return mode == KerasModeKeys.TRAIN
