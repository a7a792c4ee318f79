"""TensorFlow 1 sessions: who runs a plan, with feeds, fetches and state of its own."""
