"""The public surface: TensorFlow's recorded names and parameters, and the tests that hold ours."""
