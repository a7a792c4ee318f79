"""The public names, as tables apart from the implementation.

`v2` has the namespaces of TensorFlow 2, `v1` those of TensorFlow 1; `contrib` and `estimator`
belong to TensorFlow 1.
"""
