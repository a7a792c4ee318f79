/* Elements chosen: by a mask, by rank, by chance, once each. The kernels that call these
 * (`ops/array/where.py`, `ops/math/extremes.py`, `ops/random/categorical.py`,
 * `ops/nn/candidates.py`, `ops/array/distinct.py`) have the same in torch or NumPy.
 */
#include "arrays.h"
#include "philox.h"

#include <math.h>
#include <stdlib.h>

/* A choice without a branch: a mask has no pattern that a processor could foresee. */
#define SELECT(bits)                                                                               \
    WIDE static void select##bits(const uint8_t *mask, const uint##bits##_t *t, int t_step,        \
                                  const uint##bits##_t *e, int e_step, uint##bits##_t *out,        \
                                  Py_ssize_t count)                                                \
    {                                                                                              \
        uint##bits##_t first = t[0], second = e[0];                                                \
        if (t_step && e_step)                                                                      \
            for (Py_ssize_t i = 0; i < count; i++) {                                               \
                uint##bits##_t all = -(uint##bits##_t)(mask[i] != 0);                              \
                out[i] = (t[i] & all) | (e[i] & ~all);                                             \
            }                                                                                      \
        else if (t_step)                                                                           \
            for (Py_ssize_t i = 0; i < count; i++) {                                               \
                uint##bits##_t all = -(uint##bits##_t)(mask[i] != 0);                              \
                out[i] = (t[i] & all) | (second & ~all);                                           \
            }                                                                                      \
        else if (e_step)                                                                           \
            for (Py_ssize_t i = 0; i < count; i++) {                                               \
                uint##bits##_t all = -(uint##bits##_t)(mask[i] != 0);                              \
                out[i] = (first & all) | (e[i] & ~all);                                            \
            }                                                                                      \
        else                                                                                       \
            for (Py_ssize_t i = 0; i < count; i++) {                                               \
                uint##bits##_t all = -(uint##bits##_t)(mask[i] != 0);                              \
                out[i] = (first & all) | (second & ~all);                                          \
            }                                                                                      \
    }

SELECT(32)
SELECT(64)

static PyObject *
select_by_mask(PyObject *self, PyObject *args)
{
    PyObject *objects[4];
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "OOOOn", &objects[0], &objects[1], &objects[2], &objects[3], &size))
        return NULL;
    const Py_ssize_t sizes[4] = {1, size, size, size};
    Array a[4];
    if (take_arrays(objects, sizes, 4, 1, a) < 0)
        return NULL;
    Py_ssize_t count = a[3].count;
    int fits = a[0].count == count && (a[1].count == count || a[1].count == 1) &&
               (a[2].count == count || a[2].count == 1) && (size == 4 || size == 8);
    if (fits && count) {
        int t_step = a[1].count == count, e_step = a[2].count == count;
        Py_BEGIN_ALLOW_THREADS
        if (size == 4)
            select32(a[0].items, a[1].items, t_step, a[2].items, e_step, a[3].items, count);
        else
            select64(a[0].items, a[1].items, t_step, a[2].items, e_step, a[3].items, count);
        Py_END_ALLOW_THREADS
    }
    return finished(a, 4, fits);
}

static PyObject *
in_top_k(PyObject *self, PyObject *args)
{
    PyObject *objects[3];
    long long k;
    if (!PyArg_ParseTuple(args, "OOOL", &objects[0], &objects[1], &objects[2], &k))
        return NULL;
    const Py_ssize_t sizes[3] = {4, 8, 1};
    Array a[3];
    if (take_arrays(objects, sizes, 3, 1, a) < 0)
        return NULL;
    Py_ssize_t rows = a[2].count, classes = rows ? a[0].count / rows : 0;
    int fits = a[1].count == rows && a[0].count == rows * classes;
    const float *row = a[0].items;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; fits && r < rows; r++, row += classes) {
        int64_t target = ((const int64_t *)a[1].items)[r];
        int holds = target >= 0 && target < classes && isfinite(row[target]);
        long long better = 0;
        /* Ends at the first number that is not finite, or when too many are better. */
        for (Py_ssize_t i = 0; holds && i < classes; i++) {
            better += row[i] > row[target];
            holds = isfinite(row[i]) && better <= k;
        }
        ((uint8_t *)a[2].items)[r] = holds && better < k;
    }
    Py_END_ALLOW_THREADS
    return finished(a, 3, fits);
}

enum { IN_LANES = 32 };

/* Where the largest of `sign` times the elements of a row is, the first of several. NaN counts as the
 * least there is. In lanes, as no compiler may change the order of comparisons by itself. */
WIDE static int64_t
first_largest(const float *row, Py_ssize_t count, float sign)
{
    float most = -INFINITY, lanes[IN_LANES];
    Py_ssize_t whole = count / IN_LANES * IN_LANES;
    for (int k = 0; k < IN_LANES; k++)
        lanes[k] = -INFINITY;
    for (Py_ssize_t i = 0; i < whole; i += IN_LANES)
        for (int k = 0; k < IN_LANES; k++) {
            const float x = sign * row[i + k];
            lanes[k] = x > lanes[k] ? x : lanes[k];
        }
    for (int k = 0; k < IN_LANES; k++)
        most = lanes[k] > most ? lanes[k] : most;
    for (Py_ssize_t i = whole; i < count; i++)
        most = sign * row[i] > most ? sign * row[i] : most;
    if (most == -INFINITY)
        return 0;
    const float value = sign * most;
    for (Py_ssize_t i = 0; i < whole; i += IN_LANES) {
        int32_t is_here = 0;
        for (int k = 0; k < IN_LANES; k++)
            is_here |= row[i + k] == value;
        if (is_here) {
            whole = i;
            break;
        }
    }
    while (row[whole] != value)
        whole++;
    return whole;
}

/* Fill with the places of the largest of each row, or with those of the smallest. */
static PyObject *
extreme_places(PyObject *self, PyObject *args)
{
    PyObject *objects[2];
    int is_smallest, bytes;
    if (!PyArg_ParseTuple(args, "OOip", &objects[0], &objects[1], &bytes, &is_smallest))
        return NULL;
    const Py_ssize_t sizes[2] = {4, bytes == 4 ? 4 : 8};
    Array a[2];
    if (take_arrays(objects, sizes, 2, 1, a) < 0)
        return NULL;
    Py_ssize_t rows = a[1].count, columns = rows ? a[0].count / rows : 0;
    int fits = a[0].count == rows * columns && columns <= INT32_MAX;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; fits && r < rows; r++) {
        const float *row = (const float *)a[0].items + r * columns;
        int64_t place = first_largest(row, columns, is_smallest ? -1.0f : 1.0f);
        if (bytes == 4)
            ((int32_t *)a[1].items)[r] = (int32_t)place;
        else
            ((int64_t *)a[1].items)[r] = place;
    }
    Py_END_ALLOW_THREADS
    return finished(a, 2, fits);
}

enum { IN_BLOCK = 256 };

/* Where the largest of `sign` times the elements of each column is, in as many columns as fit. */
WIDE static void
first_largest_of_columns(const float *x, Py_ssize_t rows, Py_ssize_t stride, int columns, float sign,
                         int32_t *places)
{
    float most[IN_BLOCK];
    for (int k = 0; k < columns; k++) {
        most[k] = -INFINITY;
        places[k] = 0;
    }
    for (int32_t row = 0; row < rows; row++)
        for (int k = 0; k < columns; k++) {
            const float y = sign * x[row * stride + k];
            const int is_more = y > most[k];
            most[k] = is_more ? y : most[k];
            places[k] = is_more ? row : places[k];
        }
}

/* Fill with the places of the largest, or smallest, along the middle axis of an array: `sizes` are those
 * of that axis and of the one after it. */
static PyObject *
extreme_columns(PyObject *self, PyObject *args)
{
    PyObject *objects[2];
    Py_ssize_t rows, columns;
    int is_smallest, bytes;
    if (!PyArg_ParseTuple(args, "OO(nn)ip", &objects[0], &objects[1], &rows, &columns, &bytes,
                          &is_smallest))
        return NULL;
    const Py_ssize_t sizes[2] = {4, bytes == 4 ? 4 : 8};
    Array a[2];
    if (take_arrays(objects, sizes, 2, 1, a) < 0)
        return NULL;
    int fits = rows > 0 && columns > 0 && rows <= INT32_MAX && a[0].count % rows == 0 &&
               a[0].count / rows == a[1].count && a[1].count % columns == 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t start = 0; fits && start < a[1].count; start += columns)
        for (Py_ssize_t k = 0; k < columns; k += IN_BLOCK) {
            int32_t places[IN_BLOCK];
            int width = columns - k < IN_BLOCK ? (int)(columns - k) : IN_BLOCK;
            first_largest_of_columns((const float *)a[0].items + start * rows + k, rows, columns,
                                     width, is_smallest ? -1.0f : 1.0f, places);
            for (int i = 0; i < width; i++)
                if (bytes == 4)
                    ((int32_t *)a[1].items)[start + k + i] = places[i];
                else
                    ((int64_t *)a[1].items)[start + k + i] = places[i];
        }
    Py_END_ALLOW_THREADS
    return finished(a, 2, fits);
}

/* Whether element i ranks below element j: smaller, or equal and later. */
static inline int
is_below(const float *row, int32_t i, int32_t j)
{
    return row[i] < row[j] || (row[i] == row[j] && i > j);
}

static void
sift_down(const float *row, int32_t *heap, Py_ssize_t at, Py_ssize_t size)
{
    int32_t moved = heap[at];
    for (Py_ssize_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && is_below(row, heap[child + 1], heap[child]))
            child++;
        if (!is_below(row, heap[child], moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* The k largest of a row, best first; 0 if there is a NaN. The heap's root is the least of them. */
static int
largest(const float *row, Py_ssize_t count, int32_t *heap, Py_ssize_t k)
{
    for (Py_ssize_t i = 0; i < k; i++)
        heap[i] = (int32_t)i;
    for (Py_ssize_t i = k / 2; i-- > 0;)
        sift_down(row, heap, i, k);
    float least = row[heap[0]];
    int is_number = 1;
    for (Py_ssize_t i = 0; i < k; i++)
        is_number &= row[i] == row[i];
    for (Py_ssize_t begin = k; begin < count; begin += 64) {
        Py_ssize_t end = begin + 64 < count ? begin + 64 : count;
        int any = 0;
        for (Py_ssize_t i = begin; i < end; i++)
            any |= !(row[i] <= least);
        for (Py_ssize_t i = begin; any && i < end; i++) {
            is_number &= row[i] == row[i];
            if (row[i] > least) {
                heap[0] = (int32_t)i;
                sift_down(row, heap, 0, k);
                least = row[heap[0]];
            }
        }
    }
    for (Py_ssize_t size = k; size-- > 1;) { /* the least goes last */
        int32_t last = heap[size];
        heap[size] = heap[0];
        heap[0] = last;
        sift_down(row, heap, 0, size);
    }
    return is_number;
}

static PyObject *
top_k(PyObject *self, PyObject *args)
{
    PyObject *objects[3];
    Py_ssize_t rows, k;
    if (!PyArg_ParseTuple(args, "OOOnn", &objects[0], &objects[1], &objects[2], &rows, &k))
        return NULL;
    const Py_ssize_t sizes[3] = {4, 4, 4};
    Array a[3];
    if (take_arrays(objects, sizes, 3, 2, a) < 0)
        return NULL;
    Py_ssize_t columns = rows > 0 ? a[0].count / rows : 0;
    int fits = rows > 0 && k > 0 && k <= columns && columns < INT32_MAX &&
               a[0].count == rows * columns && a[1].count == rows * k && a[2].count == rows * k;
    int is_number = fits;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; is_number && r < rows; r++) {
        const float *row = (const float *)a[0].items + r * columns;
        int32_t *places = (int32_t *)a[2].items + r * k;
        is_number = largest(row, columns, places, k);
        for (Py_ssize_t i = 0; i < k; i++)
            ((float *)a[1].items)[r * k + i] = row[places[i]];
    }
    Py_END_ALLOW_THREADS
    release_arrays(a, 3);
    return PyBool_FromLong(is_number);
}

/* Draw classes by weights, which become their running sums; what is not finite weighs nothing. */
static PyObject *
categorical(PyObject *self, PyObject *args)
{
    PyObject *objects[3];
    Py_ssize_t classes;
    if (!PyArg_ParseTuple(args, "OOOn", &objects[0], &objects[1], &objects[2], &classes))
        return NULL;
    const Py_ssize_t sizes[3] = {8, 8, 8};
    Array a[3]; /* uniform samples; weights, results */
    if (take_arrays(objects, sizes, 3, 2, a) < 0)
        return NULL;
    Py_ssize_t rows = classes > 0 ? a[1].count / classes : 0;
    Py_ssize_t draws = rows ? a[2].count / rows : 0;
    int fits = a[1].count == rows * classes && a[0].count == a[2].count &&
               a[2].count == rows * draws;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t r = 0; fits && r < rows; r++) {
        double *sums = (double *)a[1].items + r * classes, total = 0;
        for (Py_ssize_t i = 0; i < classes; i++) {
            total += isfinite(sums[i]) ? sums[i] : 0.0;
            sums[i] = total;
        }
        for (Py_ssize_t d = 0; d < draws; d++) {
            double wanted = ((const double *)a[0].items)[r * draws + d] * total;
            Py_ssize_t low = 0, high = classes; /* the first sum above */
            while (low < high) {
                Py_ssize_t middle = (low + high) / 2;
                if (sums[middle] > wanted)
                    high = middle;
                else
                    low = middle + 1;
            }
            ((int64_t *)a[2].items)[r * draws + d] = low;
        }
    }
    Py_END_ALLOW_THREADS
    return finished(a, 3, fits);
}

/* A number's slot in a table of a power of two: where it is, or where it belongs. */
static inline size_t
slot_of(const int32_t *table, size_t mask, const int64_t *values, int64_t value)
{
    size_t slot = (size_t)(((uint64_t)value * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (table[slot] >= 0 && values[table[slot]] != value)
        slot = (slot + 1) & mask;
    return slot;
}

static int32_t *
new_table(Py_ssize_t count, size_t *mask)
{
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    *mask = size - 1;
    int32_t *table = malloc(size * sizeof(int32_t));
    if (table != NULL)
        memset(table, 0xFF, size * sizeof(int32_t));
    return table;
}

static PyObject *
log_uniform(PyObject *self, PyObject *args)
{
    unsigned long long key, low, high;
    long long range;
    int unique;
    double span;
    PyObject *results;
    if (!PyArg_ParseTuple(args, "KKKLdpO", &key, &low, &high, &range, &span, &unique, &results))
        return NULL;
    Array out;
    if (take_array(results, 8, 1, &out) < 0)
        return NULL;
    size_t mask;
    int32_t *table = new_table(out.count, &mask);
    if (table == NULL) {
        release_array(&out);
        return PyErr_NoMemory();
    }
    int64_t *drawn = out.items;
    Place place = {key, low, high};
    long long tries = 0;
    Py_BEGIN_ALLOW_THREADS
    Words words;
    for (Py_ssize_t count = 0; count < out.count; tries++) {
        int at = (int)(tries % (2 * LANES)), pair = 2 * (at & 1);
        if (at == 0)
            blocks_from(&place, (uint64_t)(tries / 2), words);
        double fraction = double_of(words[pair][at >> 1], words[pair + 1][at >> 1]);
        int64_t value = ((int64_t)exp(fraction * span) - 1) % range;
        if (!unique) {
            drawn[count++] = value;
            continue;
        }
        size_t slot = slot_of(table, mask, drawn, value);
        if (table[slot] < 0) {
            table[slot] = (int32_t)count;
            drawn[count++] = value;
        }
    }
    Py_END_ALLOW_THREADS
    free(table);
    release_array(&out);
    return PyLong_FromLongLong(tries);
}

/* Fill an array with how often classes are expected among `count` samples that took some tries. */
static PyObject *
log_uniform_counts(PyObject *self, PyObject *args)
{
    PyObject *o[2]; /* ids, results */
    double span;
    long long count, tries;
    if (!PyArg_ParseTuple(args, "OOdLL", &o[0], &o[1], &span, &count, &tries))
        return NULL;
    const Py_ssize_t sizes[2] = {8, 4};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    int fits = a[0].count == a[1].count;
    const int64_t *ids = a[0].items;
    float *expected = a[1].items;
    for (Py_ssize_t i = 0; fits && i < a[0].count; i++) {
        float chance = (float)(log(((double)ids[i] + 2.0) / ((double)ids[i] + 1.0)) / span);
        expected[i] = tries == count ? chance * (float)count
                                     : (float)-expm1((double)tries * log1p(-(double)chance));
    }
    return finished(a, 2, fits);
}

/* Number the distinct values in the order they come up: fills `first` with where each came up
 * first and `indices` with the number of each element; returns how many there are. */
static PyObject *
distinct(PyObject *self, PyObject *args)
{
    PyObject *objects[4];
    if (!PyArg_ParseTuple(args, "OOOO", &objects[0], &objects[1], &objects[2], &objects[3]))
        return NULL;
    const Py_ssize_t sizes[4] = {8, 8, 4, 4};
    Array a[4]; /* values; the distinct ones, places, numbers */
    if (take_arrays(objects, sizes, 4, 3, a) < 0)
        return NULL;
    Py_ssize_t size = a[0].count, count = 0;
    int fits = a[1].count >= size && a[2].count >= size && a[3].count == size && size < INT32_MAX;
    size_t mask;
    int32_t *table = fits ? new_table(size, &mask) : NULL;
    if (table == NULL) {
        release_arrays(a, 4);
        PyErr_SetString(fits ? PyExc_MemoryError : PyExc_ValueError, "no table for the values");
        return NULL;
    }
    const int64_t *values = a[0].items;
    int64_t *kept = a[1].items;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < size; i++) {
        size_t slot = slot_of(table, mask, kept, values[i]);
        if (table[slot] < 0) {
            table[slot] = (int32_t)count;
            ((int32_t *)a[2].items)[count] = (int32_t)i;
            kept[count++] = values[i];
        }
        ((int32_t *)a[3].items)[i] = table[slot];
    }
    Py_END_ALLOW_THREADS
    free(table);
    release_arrays(a, 4);
    return PyLong_FromSsize_t(count);
}

PyMethodDef selection_methods[] = {
    {"select_by_mask", select_by_mask, METH_VARARGS, "Fill with elements of one or the other."},
    {"in_top_k", in_top_k, METH_VARARGS, "Fill with whether targets are among the k largest."},
    {"extreme_places", extreme_places, METH_VARARGS, "Fill with where the extremes of rows are."},
    {"extreme_columns", extreme_columns, METH_VARARGS, "Fill with where those of columns are."},
    {"top_k", top_k, METH_VARARGS, "Fill with the k largest and their places; False for NaN."},
    {"categorical", categorical, METH_VARARGS, "Fill with classes drawn by their logits."},
    {"log_uniform", log_uniform, METH_VARARGS, "Fill with classes by Zipf's law; return tries."},
    {"log_uniform_counts", log_uniform_counts, METH_VARARGS, "Fill with expected counts."},
    {"distinct", distinct, METH_VARARGS, "Number distinct values; return how many there are."},
    {NULL, NULL, 0, NULL},
};
