"""TensorFlow 1's own spellings of functions, and what only its programs call."""
