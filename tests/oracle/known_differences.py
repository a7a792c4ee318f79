"""Cases where placewise deliberately differs from TensorFlow: case id to reason."""

KNOWN_DIFFERENCES: dict[str, str] = {}
