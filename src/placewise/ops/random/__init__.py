"""Random numbers: TensorFlow's generators and seed rules."""
