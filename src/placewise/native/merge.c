/* Two ascending sequences of numbers united, as `ops/sparse/arithmetic.py` does it by sorting. */
#include "arrays.h"

/* Unite the keys of two arrays. Fill with where each one's keys are in the union, and with which of
 * all keys, the first array's before the second's, is first in each place of the union. Return the
 * size of the union, or -1 if an array is not strictly ascending. */
static PyObject *
unite(PyObject *self, PyObject *args)
{
    PyObject *o[5]; /* keys, keys; where the first ones go, the second ones, origins */
    if (!PyArg_ParseTuple(args, "OOOOO", &o[0], &o[1], &o[2], &o[3], &o[4]))
        return NULL;
    const Py_ssize_t sizes[5] = {8, 8, 8, 8, 8};
    Array a[5];
    if (take_arrays(o, sizes, 5, 3, a) < 0)
        return NULL;
    Py_ssize_t first = a[0].count, second = a[1].count, size = 0, i = 0, k = 0;
    const int64_t *left = a[0].items, *right = a[1].items;
    int64_t *mine = a[2].items, *theirs = a[3].items, *origins = a[4].items;
    int fits = a[2].count == first && a[3].count == second && a[4].count == first + second;
    Py_BEGIN_ALLOW_THREADS
    while (fits && (i < first || k < second)) {
        int takes_left = k == second || (i < first && left[i] <= right[k]);
        int takes_right = i == first || (k < second && right[k] <= left[i]);
        if ((takes_left && i && left[i] <= left[i - 1]) ||
            (takes_right && k && right[k] <= right[k - 1])) {
            size = -1;
            break;
        }
        origins[size] = takes_left ? i : first + k;
        if (takes_left)
            mine[i++] = size;
        if (takes_right)
            theirs[k++] = size;
        size++;
    }
    Py_END_ALLOW_THREADS
    release_arrays(a, 5);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "the sizes of the arrays do not agree");
        return NULL;
    }
    return PyLong_FromSsize_t(size);
}

PyMethodDef merge_methods[] = {
    {"unite", unite, METH_VARARGS, "Fill with how two sequences are united; return the size."},
    {NULL, NULL, 0, NULL},
};
