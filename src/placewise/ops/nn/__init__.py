"""Neural network ops: activations, convolutions, pooling, normalisation, losses."""
