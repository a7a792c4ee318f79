/* Rows of numbers: added up by id, and cut to a band around the diagonal. `ops/math/segments.py` and
 * `ops/linalg/diagonal.py` have the same in torch, which adds row by row with a call for each.
 */
#include "arrays.h"

WIDE static void
add_row(const float *restrict row, float *restrict sum, Py_ssize_t width)
{
    for (Py_ssize_t i = 0; i < width; i++)
        sum[i] += row[i];
}

/* Add each row of an array to the row of another that its id names. */
static PyObject *
add_rows(PyObject *self, PyObject *args)
{
    PyObject *o[3]; /* rows, ids, sums */
    Py_ssize_t width;
    if (!PyArg_ParseTuple(args, "OOOn", &o[0], &o[1], &o[2], &width))
        return NULL;
    const Py_ssize_t sizes[3] = {4, 8, 4};
    Array a[3];
    if (take_arrays(o, sizes, 3, 1, a) < 0)
        return NULL;
    const float *rows = a[0].items;
    const int64_t *ids = a[1].items;
    float *sums = a[2].items;
    Py_ssize_t count = a[1].count, segments = width > 0 ? a[2].count / width : 0;
    int fits = width > 0 && a[0].count % width == 0 && a[0].count / width == count &&
               a[2].count % width == 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; fits && i < count; i++)
        fits = ids[i] >= 0 && ids[i] < segments;
    for (Py_ssize_t i = 0; fits && i < count; i++)
        add_row(rows + i * width, sums + ids[i] * width, width);
    Py_END_ALLOW_THREADS
    return finished(a, 3, fits);
}

/* Copy the elements of matrices of some bytes each that are near the diagonal; others become 0.
 * `lower` and `upper` are how many diagonals stay below and above; negative means all. */
static PyObject *
band_part(PyObject *self, PyObject *args)
{
    PyObject *o[2];
    Py_ssize_t rows, columns, lower, upper, size;
    if (!PyArg_ParseTuple(args, "OOnnnnn", &o[0], &o[1], &rows, &columns, &lower, &upper, &size))
        return NULL;
    const Py_ssize_t sizes[2] = {1, 1};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    const Py_ssize_t most = PY_SSIZE_T_MAX / 64;
    int fits = rows > 0 && columns > 0 && size > 0 && size <= 16 && rows < most && columns < most &&
               lower < most && upper < most && a[0].count == a[1].count &&
               a[0].count % (columns * size) == 0 && a[0].count / (columns * size) % rows == 0;
    Py_ssize_t line = fits ? columns * size : 0, lines = fits ? a[0].count / line : 0;
    const char *from = a[0].items;
    char *to = a[1].items;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < lines; i++, from += line, to += line) {
        Py_ssize_t row = i % rows;
        Py_ssize_t first = lower < 0 || row < lower ? 0 : row - lower;
        Py_ssize_t end = upper < 0 || row + upper >= columns ? columns : row + upper + 1;
        first = first > columns ? columns : first;
        end = end < first ? first : end;
        memset(to, 0, first * size);
        memcpy(to + first * size, from + first * size, (end - first) * size);
        memset(to + end * size, 0, line - end * size);
    }
    Py_END_ALLOW_THREADS
    return finished(a, 2, fits);
}

PyMethodDef row_methods[] = {
    {"add_rows", add_rows, METH_VARARGS, "Add rows to those that ids name."},
    {"band_part", band_part, METH_VARARGS, "Fill with matrices cut to a band."},
    {NULL, NULL, 0, NULL},
};
