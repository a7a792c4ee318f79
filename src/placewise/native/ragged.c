/* Rows of different lengths: where their values are, and the same padded to one length.
 * `ops/ragged/conversion.py` and `ops/ragged/to_dense.py` have both in NumPy, for more levels of rows too.
 */
#include "arrays.h"

/* Row splits as the ops get them: numbers of 4 or 8 bytes. */
static inline int64_t
split_at(const Array *splits, Py_ssize_t bytes, Py_ssize_t i)
{
    return bytes == 4 ? ((const int32_t *)splits->items)[i] : ((const int64_t *)splits->items)[i];
}

/* Whether splits begin with 0, never fall, and end with `count`; `longest` is the longest row. */
static int
are_rows(const Array *splits, Py_ssize_t bytes, Py_ssize_t count, int64_t *longest)
{
    int64_t most = 0, before = 0;
    if (splits->count < 1 || split_at(splits, bytes, 0) != 0)
        return 0;
    for (Py_ssize_t i = 1; i < splits->count; i++) {
        int64_t end = split_at(splits, bytes, i);
        if (end < before)
            return 0;
        most = end - before > most ? end - before : most;
        before = end;
    }
    *longest = most;
    return before == count;
}

/* Fill an array with row and column of each value; return the length of the longest row, or -1 if the
 * splits are none of as many values. */
static PyObject *
ragged_places(PyObject *self, PyObject *args)
{
    PyObject *o[2]; /* splits, places */
    Py_ssize_t bytes;
    if (!PyArg_ParseTuple(args, "OOn", &o[0], &o[1], &bytes))
        return NULL;
    const Py_ssize_t sizes[2] = {bytes == 4 ? 4 : 8, 8};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    int64_t longest, *place = a[1].items;
    if (!are_rows(&a[0], bytes, a[1].count / 2, &longest))
        longest = -1;
    for (Py_ssize_t row = 0; longest >= 0 && row + 1 < a[0].count; row++) {
        int64_t length = split_at(&a[0], bytes, row + 1) - split_at(&a[0], bytes, row);
        for (int64_t column = 0; column < length; column++) {
            *place++ = row;
            *place++ = column;
        }
    }
    release_arrays(a, 2);
    return PyLong_FromLongLong(longest);
}

static inline void
fill(char *to, int64_t count, const char *item, Py_ssize_t unit)
{
    uint32_t word;
    if (unit == 4) {
        memcpy(&word, item, 4);
        for (int64_t k = 0; k < count; k++)
            memcpy(to + 4 * k, &word, 4);
    } else
        for (int64_t k = 0; k < count; k++)
            memcpy(to + k * unit, item, unit);
}

/* Copy rows of values of `unit` bytes into lines of one length, the rest of which is a default;
 * what a row has beyond it is dropped. Lines without a row are the default. */
static PyObject *
pad_rows(PyObject *self, PyObject *args)
{
    PyObject *o[4]; /* splits, values, default, results */
    Py_ssize_t bytes, unit, width;
    if (!PyArg_ParseTuple(args, "OOOOnnn", &o[0], &o[1], &o[2], &o[3], &bytes, &unit, &width))
        return NULL;
    const Py_ssize_t sizes[4] = {bytes == 4 ? 4 : 8, 1, 1, 1};
    Array a[4];
    if (take_arrays(o, sizes, 4, 1, a) < 0)
        return NULL;
    int64_t longest;
    int fits = unit > 0 && width >= 0 && width < PY_SSIZE_T_MAX / unit && a[2].count == unit &&
               a[1].count % unit == 0 && are_rows(&a[0], bytes, a[1].count / unit, &longest) &&
               (width == 0 ? a[3].count == 0 : a[3].count % (width * unit) == 0);
    const char *values = a[1].items, *item = a[2].items;
    char *to = a[3].items;
    Py_ssize_t lines = fits && width ? a[3].count / (width * unit) : 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t row = 0; row < lines; row++, to += width * unit) {
        int64_t start = 0, length = 0;
        if (row + 1 < a[0].count) {
            start = split_at(&a[0], bytes, row);
            length = split_at(&a[0], bytes, row + 1) - start;
            length = length < width ? length : width;
        }
        memcpy(to, values + start * unit, length * unit);
        fill(to + length * unit, width - length, item, unit);
    }
    Py_END_ALLOW_THREADS
    return finished(a, 4, fits);
}

PyMethodDef ragged_methods[] = {
    {"ragged_places", ragged_places, METH_VARARGS, "Fill with row and column of each value."},
    {"pad_rows", pad_rows, METH_VARARGS, "Fill with rows padded to one length."},
    {NULL, NULL, 0, NULL},
};
