"""Identity, grouping, gradients stopped: ops that steer, and compute nothing."""
