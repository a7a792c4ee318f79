"""Each operation as operators of TensorFlow Lite: one function an operation, by its type."""
