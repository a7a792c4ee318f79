"""tf.contrib.learn.ModeKeys and learn's other small names."""

from __future__ import annotations

from placewise.estimator.modes import ModeKeys as _Modes


class ModeKeys:
    """What a model is called for."""

    TRAIN = _Modes.TRAIN
    EVAL = _Modes.EVAL
    INFER = _Modes.PREDICT
