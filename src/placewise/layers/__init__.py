"""TensorFlow 1's layers, losses, metrics and recurrent networks, made of variables and ops."""
