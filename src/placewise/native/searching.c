/* Places of values in rows that are in order: `ops/array/searchsorted.py` has the same by torch.
 *
 * Several values are searched for at a time: the memory that one of them waits for is no hindrance to
 * the others.
 */
#include "arrays.h"

enum { AT_ONCE = 16 };

/* `goes` says whether the place of a value is behind an element; it is not for NaN, as for torch. */
#define SEARCH(name, type, goes)                                                                   \
    static void name(const type *row, int64_t size, const type *values, int64_t count,             \
                     int64_t *places)                                                              \
    {                                                                                              \
        for (int64_t start = 0; start < count; start += AT_ONCE) {                                 \
            type value[AT_ONCE];                                                                   \
            int64_t place[AT_ONCE] = {0};                                                          \
            int64_t lanes = count - start < AT_ONCE ? count - start : AT_ONCE;                     \
            for (int k = 0; k < AT_ONCE; k++)                                                      \
                value[k] = values[start + (k < lanes ? k : 0)];                                    \
            for (int64_t left = size; left > 0;) {                                                 \
                const int64_t half = (left + 1) / 2;                                               \
                for (int k = 0; k < AT_ONCE; k++) {                                                \
                    const type element = row[place[k] + half - 1], wanted = value[k];              \
                    place[k] += goes ? half : 0;                                                   \
                }                                                                                  \
                left -= half;                                                                      \
            }                                                                                      \
            for (int k = 0; k < lanes; k++)                                                        \
                places[start + k] = place[k];                                                      \
        }                                                                                          \
    }

#define BOTH_SIDES(name, type)                                                                     \
    SEARCH(name##_left, type, !(element >= wanted))                                                \
    SEARCH(name##_right, type, !(element > wanted))

BOTH_SIDES(search_float, float)
BOTH_SIDES(search_double, double)
BOTH_SIDES(search_int, int32_t)
BOTH_SIDES(search_long, int64_t)

#define SEARCH_ROWS(name, type)                                                                    \
    (is_right ? name##_right : name##_left)((const type *)a[0].items + r * size, size,             \
                                            (const type *)a[1].items + r * count, count,           \
                                            (int64_t *)a[2].items + r * count)

/* Fill with the places of the values of each row in the row of the same number. */
static PyObject *
search_rows(PyObject *self, PyObject *args)
{
    PyObject *o[3]; /* rows in order, values; places */
    Py_ssize_t rows;
    int kind, is_right;
    if (!PyArg_ParseTuple(args, "OOOnCp", &o[0], &o[1], &o[2], &rows, &kind, &is_right))
        return NULL;
    const Py_ssize_t bytes = kind == 'f' || kind == 'i' ? 4 : 8, sizes[3] = {bytes, bytes, 8};
    Array a[3];
    if (take_arrays(o, sizes, 3, 1, a) < 0)
        return NULL;
    int fits = rows > 0 && a[0].count % rows == 0 && a[1].count % rows == 0 &&
               a[2].count == a[1].count;
    int64_t size = fits ? a[0].count / rows : 0, count = fits ? a[1].count / rows : 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; fits && r < rows; r++)
        if (kind == 'f')
            SEARCH_ROWS(search_float, float);
        else if (kind == 'd')
            SEARCH_ROWS(search_double, double);
        else if (kind == 'i')
            SEARCH_ROWS(search_int, int32_t);
        else
            SEARCH_ROWS(search_long, int64_t);
    Py_END_ALLOW_THREADS
    return finished(a, 3, fits);
}

PyMethodDef search_methods[] = {
    {"search_rows", search_rows, METH_VARARGS, "Fill with places of values in rows in order."},
    {NULL, NULL, 0, NULL},
};
