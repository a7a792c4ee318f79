"""What TensorBoard shows: ops that make summaries, and ops that write them to event files."""
