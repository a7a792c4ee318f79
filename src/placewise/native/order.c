/* Rows of 32-bit numbers in descending order, equals in theirs: `ops/math/extremes.py` has the same by torch.
 *
 * By digits of eight bits from the lowest on, of which every pass keeps the order of the one before.
 */
#include "arrays.h"

#include <stdlib.h>

enum { DIGITS = 4, VALUES = 256 };

typedef struct {
    uint32_t key;
    int32_t place;
} Item;

/* A number that is smaller the earlier it comes. -0 is 0, and NaN is like -inf. */
static inline uint32_t
float_key(float x)
{
    uint32_t bits;
    x = x != x ? -1.0f / 0.0f : x + 0.0f;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? bits : ~(bits | 0x80000000u);
}

static void
fill_items(const void *row, int is_float, Py_ssize_t count, Item *items,
           uint32_t counts[DIGITS][VALUES])
{
    memset(counts, 0, sizeof(uint32_t) * DIGITS * VALUES);
    for (Py_ssize_t i = 0; i < count; i++) {
        uint32_t key = is_float ? float_key(((const float *)row)[i])
                                : ~(((const uint32_t *)row)[i] ^ 0x80000000u);
        items[i] = (Item){key, (int32_t)i};
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][key >> (8 * digit) & 255]++;
    }
}

/* Sort items by their keys; returns which of both arrays has them then. */
static Item *
sorted_items(Item *items, Item *others, Py_ssize_t count, uint32_t counts[DIGITS][VALUES])
{
    for (int digit = 0; digit < DIGITS; digit++) {
        uint32_t *next = counts[digit], sum = 0;
        if (next[items[0].key >> (8 * digit) & 255] == (uint32_t)count)
            continue; /* all have the same digit */
        for (int value = 0; value < VALUES; value++) {
            uint32_t size = next[value];
            next[value] = sum;
            sum += size;
        }
        for (Py_ssize_t i = 0; i < count; i++)
            others[next[items[i].key >> (8 * digit) & 255]++] = items[i];
        Item *swapped = items;
        items = others;
        others = swapped;
    }
    return items;
}

static void
order_row(const uint32_t *row, int is_float, Py_ssize_t count, Item *items, uint32_t *values,
          int32_t *places)
{
    uint32_t counts[DIGITS][VALUES];
    fill_items(row, is_float, count, items, counts);
    const Item *sorted = sorted_items(items, items + count, count, counts);
    for (Py_ssize_t i = 0; i < count; i++) {
        places[i] = sorted[i].place;
        values[i] = row[sorted[i].place];
    }
}

/* Fill with the numbers of each row in descending order and with their places. */
static PyObject *
order_rows(PyObject *self, PyObject *args)
{
    PyObject *o[3]; /* float32 or int32 numbers; the same in order, places */
    Py_ssize_t columns;
    int is_float;
    if (!PyArg_ParseTuple(args, "OOOnp", &o[0], &o[1], &o[2], &columns, &is_float))
        return NULL;
    const Py_ssize_t sizes[3] = {4, 4, 4};
    Array a[3];
    if (take_arrays(o, sizes, 3, 2, a) < 0)
        return NULL;
    int fits = columns > 0 && columns < INT32_MAX && a[0].count % columns == 0 &&
               a[1].count == a[0].count && a[2].count == a[0].count;
    Item *items = fits ? malloc(2 * columns * sizeof(Item)) : NULL;
    if (fits && items == NULL) {
        release_arrays(a, 3);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t start = 0; fits && start < a[0].count; start += columns)
        order_row((const uint32_t *)a[0].items + start, is_float, columns, items,
                  (uint32_t *)a[1].items + start, (int32_t *)a[2].items + start);
    Py_END_ALLOW_THREADS
    free(items);
    return finished(a, 3, fits);
}

PyMethodDef order_methods[] = {
    {"order_rows", order_rows, METH_VARARGS, "Fill with rows in descending order and places."},
    {NULL, NULL, 0, NULL},
};
