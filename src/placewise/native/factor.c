/* Cholesky factors of small matrices: `ops/linalg/factor.py` has the same by LAPACK, whose calls for matrices
 * of this size take longer than the arithmetic.
 */
#include "arrays.h"

#include <math.h>
#include <stdlib.h>

/* Rows that are taken off the rest together: each number of the rest is read and written once for all. */
#define STEP 4

/* Make the upper triangle of `u` its own factor, so that uᵀu is what it was; 0 if there is none. */
#define FACTOR(name, real, root)                                                                   \
    WIDE static int name(real *restrict u, Py_ssize_t n)                                           \
    {                                                                                              \
        for (Py_ssize_t first = 0; first < n; first += STEP) {                                     \
            const Py_ssize_t end = first + STEP < n ? first + STEP : n;                            \
            for (Py_ssize_t k = first; k < end; k++) {                                             \
                real *row = u + k * n;                                                             \
                for (Py_ssize_t p = first; p < k; p++) {                                           \
                    const real *above = u + p * n, factor = above[k];                              \
                    for (Py_ssize_t j = k; j < n; j++)                                             \
                        row[j] -= factor * above[j];                                               \
                }                                                                                  \
                if (!(row[k] > 0))                                                                 \
                    return 0;                                                                      \
                const real pivot = root(row[k]);                                                   \
                row[k] = pivot;                                                                    \
                for (Py_ssize_t j = k + 1; j < n; j++)                                             \
                    row[j] /= pivot;                                                               \
            }                                                                                      \
            for (Py_ssize_t i = end; i < n; i++) {                                                 \
                const real *a = u + first * n, *b = a + n, *c = b + n, *d = c + n;                 \
                real *row = u + i * n;                                                             \
                const real fa = a[i], fb = b[i], fc = c[i], fd = d[i];                             \
                for (Py_ssize_t j = i; j < n; j++)                                                 \
                    row[j] = row[j] - fa * a[j] - fb * b[j] - fc * c[j] - fd * d[j];               \
            }                                                                                      \
        }                                                                                          \
        return 1;                                                                                  \
    }                                                                                              \
                                                                                                   \
    static void name##_matrix(const real *x, real *l, real *u, Py_ssize_t n)                       \
    {                                                                                              \
        for (Py_ssize_t i = 0; i < n; i++)                                                         \
            for (Py_ssize_t j = 0; j <= i; j++)                                                    \
                u[j * n + i] = x[i * n + j];                                                       \
        const int is_factor = name(u, n);                                                          \
        for (Py_ssize_t i = 0; i < n; i++)                                                         \
            for (Py_ssize_t j = 0; j < n; j++)                                                     \
                l[i * n + j] = j > i ? 0 : is_factor ? u[j * n + i] : (real)NAN;                   \
    }

FACTOR(factor_float, float, sqrtf)
FACTOR(factor_double, double, sqrt)

/* Fill with the lower triangular factors of square matrices of float32 or float64; NaN where a matrix is not
 * positive definite. */
static PyObject *
cholesky(PyObject *self, PyObject *args)
{
    PyObject *o[2];
    Py_ssize_t n, bytes;
    if (!PyArg_ParseTuple(args, "OOnn", &o[0], &o[1], &n, &bytes))
        return NULL;
    const Py_ssize_t size = bytes == 4 ? 4 : 8, sizes[2] = {size, size};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    int fits = n > 0 && n < 1 << 20 && a[0].count % (n * n) == 0 && a[0].count == a[1].count;
    char *scratch = fits ? malloc(n * n * size) : NULL;
    if (fits && scratch == NULL) {
        release_arrays(a, 2);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t at = 0; fits && at < a[0].count; at += n * n)
        if (size == 4)
            factor_float_matrix((const float *)a[0].items + at, (float *)a[1].items + at,
                                (float *)scratch, n);
        else
            factor_double_matrix((const double *)a[0].items + at, (double *)a[1].items + at,
                                 (double *)scratch, n);
    Py_END_ALLOW_THREADS
    free(scratch);
    return finished(a, 2, fits);
}

PyMethodDef factor_methods[] = {
    {"cholesky", cholesky, METH_VARARGS, "Fill with Cholesky factors; NaN where there is none."},
    {NULL, NULL, 0, NULL},
};
