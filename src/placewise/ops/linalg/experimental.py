"""tf.linalg.experimental: solvers whose interface may still change."""

from placewise.ops.linalg.iterative import conjugate_gradient as conjugate_gradient
