/* Serialized `tf.train.Example` messages: the values of some features, column by column.
 *
 * Reads the wire format that nearly all writers give. At anything else (malformed bytes, unknown or
 * repeated fields, another dtype) it stops, and ops/io/examples.py parses with protobuf, which
 * decides what it means. Every read is checked against the end of the piece it is in.
 */
#include "native.h"

#include <stdlib.h>

typedef struct {
    const unsigned char *at, *end;
} Piece;

typedef struct {
    const char *name;
    Py_ssize_t size;
    char kind;      /* b: bytes, f: float, i: int64 */
    char *data;     /* numbers, one example's after the other's */
    size_t used, room;
    PyObject *list; /* bytes objects */
    int64_t *lengths;
} Column;

static int
read_varint(Piece *piece, uint64_t *value)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 70 && piece->at < piece->end; shift += 7) {
        unsigned char byte = *piece->at++;
        if (shift == 63 && byte > 1)
            return 0;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = number;
            return 1;
        }
    }
    return 0;
}

/* Take a field of bytes: the tag was read. */
static int
read_piece(Piece *piece, Piece *inner)
{
    uint64_t size;
    if (!read_varint(piece, &size) || size > (uint64_t)(piece->end - piece->at))
        return 0;
    inner->at = piece->at;
    inner->end = piece->at += size;
    return 1;
}

static void *
grow(Column *column, size_t bytes)
{
    if (column->used + bytes > column->room) {
        size_t room = 2 * column->room + bytes + 256;
        char *data = realloc(column->data, room);
        if (data == NULL)
            return NULL;
        column->data = data;
        column->room = room;
    }
    void *place = column->data + column->used;
    column->used += bytes;
    return place;
}

/* The three lists: each reads all values and returns how many, -1 if it cannot. Without a column
 * the values are only checked. */

static int64_t
read_strings(Piece list, Column *column)
{
    int64_t count = 0;
    for (; list.at < list.end; count++) {
        Piece text;
        if (*list.at++ != 0x0A || !read_piece(&list, &text))
            return -1;
        if (column == NULL)
            continue;
        PyObject *item = PyBytes_FromStringAndSize((const char *)text.at, text.end - text.at);
        if (item == NULL || PyList_Append(column->list, item) < 0) {
            Py_XDECREF(item);
            return -1;
        }
        Py_DECREF(item);
    }
    return count;
}

static int64_t
read_floats(Piece list, Column *column)
{
    int64_t count = 0;
    while (list.at < list.end) {
        Piece packed;
        unsigned char tag = *list.at++;
        if (tag == 0x0D && list.end - list.at >= 4) {
            packed.at = list.at;
            packed.end = list.at += 4;
        } else if (tag != 0x0A || !read_piece(&list, &packed) || (packed.end - packed.at) % 4)
            return -1;
        size_t bytes = packed.end - packed.at;
        if (column != NULL) {
            void *place = grow(column, bytes);
            if (place == NULL)
                return -1;
            memcpy(place, packed.at, bytes);
        }
        count += bytes / 4;
    }
    return count;
}

static int64_t
read_integers(Piece list, Column *column)
{
    int64_t count = 0;
    while (list.at < list.end) {
        Piece packed;
        unsigned char tag = *list.at++;
        int single = tag == 0x08;
        if (single)
            packed = list;
        else if (tag != 0x0A || !read_piece(&list, &packed))
            return -1;
        uint64_t number;
        while (packed.at < packed.end) {
            if (!read_varint(&packed, &number))
                return -1;
            if (column != NULL) {
                uint64_t *place = grow(column, 8);
                if (place == NULL)
                    return -1;
                memcpy(place, &number, 8);
            }
            count++;
            if (single)
                break;
        }
        if (single)
            list.at = packed.at;
    }
    return count;
}

static int
read_feature(Piece value, Column *column, Py_ssize_t example)
{
    if (value.at == value.end) /* a feature of no kind counts as missing */
        return 1;
    unsigned char tag = *value.at++;
    char kind = tag == 0x0A ? 'b' : tag == 0x12 ? 'f' : tag == 0x1A ? 'i' : 0;
    Piece list;
    if (kind == 0 || !read_piece(&value, &list) || value.at != value.end)
        return 0;
    if (column != NULL && column->kind != kind)
        return 0;
    int64_t count = kind == 'b'   ? read_strings(list, column)
                    : kind == 'f' ? read_floats(list, column)
                                  : read_integers(list, column);
    if (column != NULL)
        column->lengths[example] = count;
    return count >= 0;
}

/* Find the column of a name, beginning behind the last one that was found: writers keep an order. */
static Column *
column_of(Column *columns, Py_ssize_t count, Piece name, Py_ssize_t *next)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        Py_ssize_t index = *next + k < count ? *next + k : *next + k - count;
        Column *column = columns + index;
        if (column->size == name.end - name.at &&
            memcmp(column->name, name.at, column->size) == 0) {
            *next = index + 1 < count ? index + 1 : 0;
            return column;
        }
    }
    return NULL;
}

static int
read_entry(Piece entry, Column *columns, Py_ssize_t count, Py_ssize_t example, Py_ssize_t *next)
{
    Piece name, value;
    if (entry.at == entry.end || *entry.at++ != 0x0A || !read_piece(&entry, &name))
        return 0;
    if (entry.at == entry.end || *entry.at++ != 0x12 || !read_piece(&entry, &value))
        return 0;
    if (entry.at != entry.end)
        return 0;
    for (const unsigned char *at = name.at; at < name.end; at++)
        if (*at >= 0x80) /* protobuf checks that it is UTF-8 */
            return 0;
    Column *column = column_of(columns, count, name, next);
    if (column != NULL && column->lengths[example] >= 0)
        return 0;
    return read_feature(value, column, example);
}

static int
read_example(Piece data, Column *columns, Py_ssize_t count, Py_ssize_t example)
{
    Piece features, entry;
    Py_ssize_t next = 0;
    if (data.at == data.end)
        return 1;
    if (*data.at++ != 0x0A || !read_piece(&data, &features) || data.at != data.end)
        return 0;
    while (features.at < features.end)
        if (*features.at++ != 0x0A || !read_piece(&features, &entry) ||
            !read_entry(entry, columns, count, example, &next))
            return 0;
    return 1;
}

static int
start_columns(PyObject *keys, const char *kinds, Array *lengths, Py_ssize_t examples,
              Column *columns, Py_ssize_t count)
{
    if (lengths->count != examples * count || (Py_ssize_t)strlen(kinds) != count) {
        PyErr_SetString(PyExc_ValueError, "a kind and a row of lengths for each key");
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        char *name;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(keys, k), &name, &columns[k].size) < 0)
            return 0;
        columns[k].name = name;
        columns[k].kind = kinds[k];
        columns[k].lengths = (int64_t *)lengths->items + k * examples;
        for (Py_ssize_t i = 0; i < examples; i++)
            columns[k].lengths[i] = -1;
        if (kinds[k] == 'b' && (columns[k].list = PyList_New(0)) == NULL)
            return 0;
    }
    return 1;
}

static PyObject *
values_of(Column *columns, Py_ssize_t count)
{
    PyObject *values = PyTuple_New(count);
    for (Py_ssize_t k = 0; values != NULL && k < count; k++) {
        PyObject *item = columns[k].list;
        if (item != NULL)
            Py_INCREF(item);
        else
            item = PyByteArray_FromStringAndSize(columns[k].data, columns[k].used);
        if (item == NULL || PyTuple_SetItem(values, k, item) < 0)
            Py_CLEAR(values);
    }
    return values;
}

static PyObject *
parse_examples(PyObject *self, PyObject *args)
{
    PyObject *serialized, *keys, *sizes, *values = NULL;
    const char *kinds;
    if (!PyArg_ParseTuple(args, "OO!sO", &serialized, &PyTuple_Type, &keys, &kinds, &sizes))
        return NULL;
    const uint16_t probe = 1;
    if (*(const unsigned char *)&probe == 0) /* floats are copied as they stand in the message */
        Py_RETURN_NONE;
    Array in = {0}, lengths = {0};
    Py_ssize_t count = PyTuple_Size(keys);
    Column *columns = calloc(count ? count : 1, sizeof(Column));
    int sound = columns != NULL;
    if (!sound)
        PyErr_NoMemory();
    sound = sound && take_objects(serialized, 0, &in) == 0 && take_array(sizes, 8, 1, &lengths) == 0 &&
            start_columns(keys, kinds, &lengths, in.count, columns, count);
    for (Py_ssize_t i = 0; sound && i < in.count; i++) {
        Py_ssize_t size;
        const unsigned char *data = (const unsigned char *)string_at(&in, i, &size);
        sound = data != NULL && read_example((Piece){data, data + size}, columns, count, i);
    }
    if (sound)
        values = values_of(columns, count);
    for (Py_ssize_t k = 0; columns != NULL && k < count; k++) {
        free(columns[k].data);
        Py_XDECREF(columns[k].list);
    }
    free(columns);
    release_array(&in), release_array(&lengths);
    if (PyErr_Occurred())
        return NULL;
    if (sound)
        return values;
    Py_RETURN_NONE;
}

PyMethodDef example_methods[] = {
    {"parse_examples", parse_examples, METH_VARARGS,
     "Return the values of features, and fill their lengths; None if protobuf must decide."},
    {NULL, NULL, 0, NULL},
};
