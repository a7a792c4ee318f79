/* Rows of numbers: added up by id, combined as flags, and cut to a band around the diagonal.
 * `ops/math/segments.py`, `ops/math/reduction.py` and `ops/linalg/diagonal.py` have the same in torch or
 * NumPy; torch adds row by row with a call for each.
 */
#include "arrays.h"

/* Columns of a run of rows that are added up in registers. */
#define PART 32
/* Ids that are checked at once, before numbers are added: they are in the first cache then. */
#define CHECKED 2048

static inline __attribute__((always_inline)) void
add_parts(const float *restrict rows, Py_ssize_t count, Py_ssize_t width, float *restrict sum)
{
    float total[PART];
    memcpy(total, sum, sizeof total);
    for (Py_ssize_t r = 0; r < count; r++)
        for (int k = 0; k < PART; k++)
            total[k] += rows[r * width + k];
    memcpy(sum, total, sizeof total);
}

/* Add rows to those that ids name, in order; return 0 at an id out of range. Single numbers whose
 * ids seem to be in order are added up in a register while the id stays the same: a sum that is
 * written and read again for each number is slower, but for mixed ids the test would be. */
#define ADD_ROWS(bits)                                                                             \
    WIDE static int add_rows##bits(const float *restrict rows, const int##bits##_t *ids,           \
                                   Py_ssize_t count, float *restrict sums, Py_ssize_t segments,    \
                                   Py_ssize_t width)                                               \
    {                                                                                              \
        int is_ordered = 1;                                                                        \
        for (Py_ssize_t i = 1; i < count && i < 64; i++)                                           \
            is_ordered &= ids[i] >= ids[i - 1];                                                    \
        for (Py_ssize_t first = 0; width == 1 && !is_ordered; first += CHECKED) {                  \
            Py_ssize_t end = first + CHECKED < count ? first + CHECKED : count;                    \
            int is_outside = 0;                                                                    \
            for (Py_ssize_t i = first; i < end; i++)                                               \
                is_outside |= (uint64_t)(int64_t)ids[i] >= (uint64_t)segments;                     \
            if (is_outside)                                                                        \
                return 0;                                                                          \
            for (Py_ssize_t i = first; i < end; i++)                                               \
                sums[ids[i]] += rows[i];                                                           \
            if (end == count)                                                                      \
                return 1;                                                                          \
        }                                                                                          \
        for (Py_ssize_t i = 0; i < count; i++) {                                                   \
            uint64_t id = (uint64_t)(int64_t)ids[i];                                               \
            if (id >= (uint64_t)segments)                                                          \
                return 0;                                                                          \
            if (width == 1) {                                                                      \
                float sum = sums[id] + rows[i];                                                    \
                while (i + 1 < count && (uint64_t)(int64_t)ids[i + 1] == id)                       \
                    sum += rows[++i];                                                              \
                sums[id] = sum;                                                                    \
                continue;                                                                          \
            }                                                                                      \
            const float *row = rows + i * width;                                                   \
            float *sum = sums + id * width;                                                        \
            Py_ssize_t run = 1, k = 0;                                                             \
            while (i + run < count && (uint64_t)(int64_t)ids[i + run] == id)                       \
                run++;                                                                             \
            for (; run > 1 && k + PART <= width; k += PART)                                        \
                add_parts(row + k, run, width, sum + k);                                           \
            for (Py_ssize_t r = 0; r < run; r++)                                                   \
                for (Py_ssize_t rest = k; rest < width; rest++)                                    \
                    sum[rest] += row[r * width + rest];                                            \
            i += run - 1;                                                                          \
        }                                                                                          \
        return 1;                                                                                  \
    }

ADD_ROWS(32)
ADD_ROWS(64)

/* Add each row of an array to the row of another that its id, of some bytes, names. */
static PyObject *
add_rows(PyObject *self, PyObject *args)
{
    PyObject *o[3]; /* rows, ids, sums */
    Py_ssize_t width, bytes;
    if (!PyArg_ParseTuple(args, "OOOnn", &o[0], &o[1], &o[2], &width, &bytes))
        return NULL;
    const Py_ssize_t sizes[3] = {4, bytes == 4 ? 4 : 8, 4};
    Array a[3];
    if (take_arrays(o, sizes, 3, 1, a) < 0)
        return NULL;
    Py_ssize_t count = a[1].count, segments = width > 0 ? a[2].count / width : 0;
    int fits = width > 0 && a[0].count % width == 0 && a[0].count / width == count &&
               a[2].count % width == 0;
    Py_BEGIN_ALLOW_THREADS
    if (fits && bytes == 4)
        fits = add_rows32(a[0].items, a[1].items, count, a[2].items, segments, width);
    else if (fits)
        fits = add_rows64(a[0].items, a[1].items, count, a[2].items, segments, width);
    Py_END_ALLOW_THREADS
    return finished(a, 3, fits);
}

/* Whether a row of booleans has one that is `wanted`; looks at a block at a time and ends early. */
WIDE static int
has_flag(const uint8_t *row, Py_ssize_t count, uint8_t wanted)
{
    Py_ssize_t i = 0;
    for (; i + 256 <= count; i += 256) {
        uint8_t differs = 0;
        for (int k = 0; k < 256; k++)
            differs |= row[i + k] ^ !wanted;
        if (differs)
            return 1;
    }
    uint8_t differs = 0;
    for (; i < count; i++)
        differs |= row[i] ^ !wanted;
    return differs != 0;
}

/* Fill with whether any flag of each row holds, or with whether all do. */
static PyObject *
row_flags(PyObject *self, PyObject *args)
{
    PyObject *o[2];
    int is_all;
    if (!PyArg_ParseTuple(args, "OOp", &o[0], &o[1], &is_all))
        return NULL;
    const Py_ssize_t sizes[2] = {1, 1};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    Py_ssize_t rows = a[1].count, columns = rows ? a[0].count / rows : 0;
    int fits = a[0].count == rows * columns;
    const uint8_t *row = a[0].items;
    uint8_t *result = a[1].items;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; fits && r < rows; r++, row += columns)
        result[r] = is_all ? !has_flag(row, columns, 0) : has_flag(row, columns, 1);
    Py_END_ALLOW_THREADS
    return finished(a, 2, fits);
}

#define DESCENDS(bits)                                                                             \
    WIDE static int descends##bits(const int##bits##_t *numbers, Py_ssize_t count)                 \
    {                                                                                              \
        int found = 0;                                                                             \
        for (Py_ssize_t i = 1; i < count; i++)                                                     \
            found |= numbers[i] < numbers[i - 1];                                                  \
        return found;                                                                              \
    }

DESCENDS(32)
DESCENDS(64)

/* Return whether no number of an array, of some bytes each, is below the one before it. */
static PyObject *
ascends(PyObject *self, PyObject *args)
{
    PyObject *object;
    Py_ssize_t bytes;
    if (!PyArg_ParseTuple(args, "On", &object, &bytes))
        return NULL;
    Array a;
    if (take_array(object, bytes == 4 ? 4 : 8, 0, &a) < 0)
        return NULL;
    int found;
    Py_BEGIN_ALLOW_THREADS
    found = bytes == 4 ? descends32(a.items, a.count) : descends64(a.items, a.count);
    Py_END_ALLOW_THREADS
    release_array(&a);
    return PyBool_FromLong(!found);
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
    {"row_flags", row_flags, METH_VARARGS, "Fill with whether any, or all, flags of rows hold."},
    {"ascends", ascends, METH_VARARGS, "Return whether numbers are in order."},
    {"band_part", band_part, METH_VARARGS, "Fill with matrices cut to a band."},
    {NULL, NULL, 0, NULL},
};
