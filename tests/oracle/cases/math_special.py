"""Special functions: gamma, Bessel, error functions and the integrals kept in `tf.math.special`."""

LINES = """
tf.math.lgamma(A([0.5, 1., 2.5, 10., -0.5, 0., -1.]))
tf.math.digamma(A([0.5, 1., 2.5, 10., -0.5]))
tf.math.digamma(A([0., -1.]))
tf.math.erf(A([0., 0.5, -1., 3., inf, nan]))
tf.math.erfc(A([0., 0.5, -1., 3., inf]))
tf.math.erfinv(A([0., 0.5, -0.9, 1., -1., 2.]))
tf.math.erfcinv(A([0.1, 0.5, 1., 1.5]))
tf.math.ndtri(A([0.1, 0.5, 0.975, 0., 1.]))
tf.math.igamma(A([0.5, 1., 2., 5.]), A([0.5, 1., 3., 2.]))
tf.math.igammac(A([0.5, 1., 2., 5.]), A([0.5, 1., 3., 2.]))
tf.math.igamma(A([-1., 0.]), A([1., 1.]))
tf.math.igamma(A([1.]), A([[0.], [1.], [inf]]))
tf.math.betainc(A([0.5, 1., 2.]), A([0.5, 2., 3.]), A([0.3, 0.5, 0.9]))  #: rtol=1e-4
tf.math.betainc(A(2., 'float64'), A(3., 'float64'), A([0., 0.25, 1.], 'float64'))
tf.math.zeta(A([2., 3., 1.5]), A([1., 2., 0.5]))
tf.math.zeta(A([1., 0.5]), A([1., 1.]))
tf.math.polygamma(A([0., 1., 2.]), A([1., 2., 0.5]))  #: rtol=1e-4
tf.math.lbeta(A([[1., 2.], [0.5, 3.]]))
tf.math.lbeta(A([2., 3., 4.]))
tf.math.lbeta(tf.zeros([2, 0]))
tf.math.bessel_i0(A([0., 0.5, -2., 5.]))
tf.math.bessel_i0e(A([0., 0.5, -2., 50.]))
tf.math.bessel_i1(A([0., 0.5, -2., 5.]))
tf.math.bessel_i1e(A([0., 0.5, -2., 50.]))
tf.math.special.bessel_i0(A([1.])), tf.math.special.bessel_i0e(A([1.]))
tf.math.special.bessel_i1(A([1.])), tf.math.special.bessel_i1e(A([1.]))
tf.math.special.bessel_j0(A([0., 1., 5.])), tf.math.special.bessel_j1(A([0., 1., 5.]))  #: rtol=1e-4
tf.math.special.bessel_k0(A([0.5, 1., 5.])), tf.math.special.bessel_k1(A([0.5, 1., 5.]))
tf.math.special.bessel_k0e(A([0.5, 1., 5.])), tf.math.special.bessel_k1e(A([0.5, 1., 5.]))
tf.math.special.bessel_y0(A([0.5, 1., 5.]))  #: rtol=1e-4
tf.math.special.bessel_y1(A([0.5, 1., 5.]))  #: rtol=1e-4
tf.math.special.dawsn(A([0., 0.5, -2., 5.]))
tf.math.special.expint(A([0.5, 1., 5., -1.]))
tf.math.special.fresnel_cos(A([0., 0.5, -2., 5.]))
tf.math.special.fresnel_sin(A([0., 0.5, -2., 5.]))
tf.math.special.spence(A([0.5, 1., 2., 0.]))
tf.math.sobol_sample(3, 5)
tf.math.sobol_sample(2, 4, skip=3, dtype=tf.float64)
tf.math.special.expint(A([0., inf])), tf.math.special.dawsn(A([nan, inf]))
tf.math.lgamma(A([100., 1e10])), tf.math.erf(A([-inf, 1e-8]))
"""

FAMILIES = [
    (
        "tf.math.<f>(A([0.25, 0.5, 0.75, 1.5], '<d>'))",
        {
            "f": "lgamma digamma erf erfc erfinv bessel_i0 bessel_i1 bessel_i0e bessel_i1e",
            "d": "float16 bfloat16 float64",
        },
    ),
    (
        "tf.math.special.<f>(A([0.25, 0.5, 1.5], '<d>'))",
        {
            "f": "bessel_j0 bessel_j1 bessel_k0 bessel_k1 bessel_k0e bessel_k1e bessel_y0 "
            "bessel_y1 dawsn "
            "expint fresnel_cos fresnel_sin spence",
            "d": "float64 float16",
        },
        {"rtol": 5e-3},
    ),
    (
        "tf.math.<f>(A([0.5, 2.], 'float64'), A([1.5, 2.5], 'float64'))",
        {"f": "igamma igammac zeta polygamma xlogy xlog1py xdivy"},
    ),
    ("tf.math.<f>(A([1, 2]))", {"f": "lgamma digamma erf erfinv bessel_i0 ndtri"}),
    ("tf.math.<f>(A([1.]), A([1.], 'float64'))", {"f": "igamma igammac zeta polygamma"}),
    ("tf.math.<f>(tf.ones([2]), tf.ones([3]))", {"f": "igamma zeta polygamma xlogy"}),
]

ERRORS = """
tf.math.betainc(A([1., 2.]), A([1., 2., 3.]), A([0.5, 0.5]))
tf.math.igamma(A([1], 'int32'), A([1], 'int32'))
tf.math.lgamma(A([1j]))
tf.math.erf(A(['a']))
tf.math.sobol_sample(0, 5)
tf.math.sobol_sample(2, -1)
tf.math.zeta(A([2.], 'float16'), A([1.], 'float16'))
"""
