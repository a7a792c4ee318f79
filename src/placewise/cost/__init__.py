"""What a step costs on a machine: work of ops, speed of cards and links, timelines. No tensors."""
