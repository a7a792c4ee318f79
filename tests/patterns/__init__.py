"""Small things that public programs do, with TensorFlow's answers."""
