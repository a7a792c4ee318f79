"""Training in TensorFlow 1: optimizers, rates that decay, moving averages, queues' threads."""
