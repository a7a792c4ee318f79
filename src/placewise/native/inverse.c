/* Inverses of float32 matrices from their LU factors: `ops/linalg/inverse.py` has the same by LAPACK, whose
 * triangular solves are those of a BLAS without AVX-512.
 *
 * The factors come as LAPACK leaves them, by columns: L below the diagonal, whose own numbers are 1, and U
 * on and above it. The inverse is by rows. Some rows at a time: what the rows that are done add to them is a
 * product of matrices, and only what they add to each other is left.
 */
#include "arrays.h"
#include "products.h"

#include <stdlib.h>

enum { STEP = 16 };

/* Subtract a multiple of a row from another. */
WIDE static void
subtract(float *restrict to, const float *restrict row, float factor, Py_ssize_t n)
{
    for (Py_ssize_t j = 0; j < n; j++)
        to[j] -= factor * row[j];
}

WIDE static void
scale(float *row, float divisor, Py_ssize_t n)
{
    for (Py_ssize_t j = 0; j < n; j++)
        row[j] /= divisor;
}

/* Subtract from `rows` rows at `first` what `depth` rows at `from` add to them. */
static int
subtract_product(const float *lu, float *x, float *scratch, Py_ssize_t n, Py_ssize_t first, Py_ssize_t rows,
                 Py_ssize_t from, Py_ssize_t depth)
{
    if (depth == 0)
        return 0;
    const Matrix a = {lu + from * n + first, 1, n}, b = {x + from * n, n, 1}, none = {NULL, 0, 1};
    if (multiply_matrices(rows, n, depth, a, b, none, scratch) < 0)
        return -1;
    subtract(x + first * n, scratch, 1.0f, rows * n);
    return 0;
}

/* Fill `x` with the inverse; `scratch` has STEP rows. Return -1 without memory. */
static int
invert_one(const float *lu, const int32_t *pivots, float *x, float *scratch, Py_ssize_t n)
{
    /* The identity with the rows that the factorisation swapped. */
    memset(x, 0, n * n * sizeof(float));
    int32_t *places = malloc(n * sizeof(int32_t));
    if (places == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++)
        places[i] = (int32_t)i;
    for (Py_ssize_t i = 0; i < n; i++) {
        const int32_t other = pivots[i] - 1, place = places[i];
        places[i] = places[other];
        places[other] = place;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        x[i * n + places[i]] = 1.0f;
    free(places);
    for (Py_ssize_t first = 0; first < n; first += STEP) {
        const Py_ssize_t end = first + STEP < n ? first + STEP : n;
        if (subtract_product(lu, x, scratch, n, first, end - first, 0, first) < 0)
            return -1;
        for (Py_ssize_t i = first; i < end; i++)
            for (Py_ssize_t k = first; k < i; k++)
                subtract(x + i * n, x + k * n, lu[k * n + i], n);
    }
    for (Py_ssize_t end = n; end > 0;) {
        const Py_ssize_t first = (end - 1) / STEP * STEP;
        if (subtract_product(lu, x, scratch, n, first, end - first, end, n - end) < 0)
            return -1;
        for (Py_ssize_t i = end - 1; i >= first; i--) {
            for (Py_ssize_t k = i + 1; k < end; k++)
                subtract(x + i * n, x + k * n, lu[k * n + i], n);
            scale(x + i * n, lu[i * n + i], n);
        }
        end = first;
    }
    return 0;
}

static int
are_pivots(const int32_t *pivots, Py_ssize_t count, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (pivots[i] < 1 || pivots[i] > n)
            return 0;
    return 1;
}

/* Fill with the inverses of matrices of n rows: factors by columns, pivots of LAPACK, results. */
static PyObject *
invert(PyObject *self, PyObject *args)
{
    PyObject *o[3];
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "OOOn", &o[0], &o[1], &o[2], &n))
        return NULL;
    const Py_ssize_t sizes[3] = {4, 4, 4};
    Array a[3];
    if (take_arrays(o, sizes, 3, 1, a) < 0)
        return NULL;
    const int32_t *pivots = a[1].items;
    int fits = has_wide_products() && n > 0 && n < 1 << 20 && a[0].count % (n * n) == 0 &&
               a[0].count == a[2].count && a[1].count * n == a[0].count && are_pivots(pivots, a[1].count, n);
    float *scratch = fits ? malloc(STEP * n * sizeof(float)) : NULL;
    int failed = fits && scratch == NULL ? -1 : 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t k = 0; fits && !failed && k < a[0].count / (n * n); k++)
        failed = invert_one((const float *)a[0].items + k * n * n, pivots + k * n,
                            (float *)a[2].items + k * n * n, scratch, n);
    Py_END_ALLOW_THREADS
    free(scratch);
    if (failed) {
        release_arrays(a, 3);
        return PyErr_NoMemory();
    }
    return finished(a, 3, fits);
}

PyMethodDef inverse_methods[] = {
    {"invert", invert, METH_VARARGS, "Fill with inverses by LU factors."},
    {NULL, NULL, 0, NULL},
};
