"""tf.math.special: Bessel functions and functions that are integrals."""

from placewise.ops.math.bessel import bessel_i0 as bessel_i0
from placewise.ops.math.bessel import bessel_i0e as bessel_i0e
from placewise.ops.math.bessel import bessel_i1 as bessel_i1
from placewise.ops.math.bessel import bessel_i1e as bessel_i1e
from placewise.ops.math.bessel import bessel_j0 as bessel_j0
from placewise.ops.math.bessel import bessel_j1 as bessel_j1
from placewise.ops.math.bessel import bessel_k0 as bessel_k0
from placewise.ops.math.bessel import bessel_k0e as bessel_k0e
from placewise.ops.math.bessel import bessel_k1 as bessel_k1
from placewise.ops.math.bessel import bessel_k1e as bessel_k1e
from placewise.ops.math.bessel import bessel_y0 as bessel_y0
from placewise.ops.math.bessel import bessel_y1 as bessel_y1
from placewise.ops.math.integrals import dawsn as dawsn
from placewise.ops.math.integrals import expint as expint
from placewise.ops.math.integrals import fresnel_cos as fresnel_cos
from placewise.ops.math.integrals import fresnel_sin as fresnel_sin
from placewise.ops.math.integrals import spence as spence
