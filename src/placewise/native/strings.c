/* Lengths and parts of strings: ops/strings/characters.py and split.py are the readable forms. */
#include "native.h"

#include <math.h>
#include <stdlib.h>

static inline int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* A character of UTF-8 begins at every byte that does not continue one. */
static inline int begins(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

static PyObject *
string_lengths(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    int characters;
    if (!PyArg_ParseTuple(args, "OOp", &strings, &results, &characters))
        return NULL;
    Array in, out;
    if (take_objects(strings, 0, &in) < 0)
        return NULL;
    if (take_array(results, 4, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    int32_t *lengths = out.items;
    for (Py_ssize_t i = 0; i < in.count && i < out.count; i++) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        if (text == NULL)
            break;
        Py_ssize_t length = size;
        if (characters) {
            length = 0;
            for (Py_ssize_t k = 0; k < size; k++)
                length += begins(text[k]);
        }
        lengths[i] = (int32_t)length;
    }
    release_array(&in);
    release_array(&out);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* Return the byte at which character `index` begins; the size if there are fewer. */
static Py_ssize_t
place_of(const char *text, Py_ssize_t size, Py_ssize_t index)
{
    Py_ssize_t k = 0;
    for (; k < size; k++)
        if (begins(text[k]) && index-- == 0)
            break;
    return k;
}

/* Narrow a text to `count` units from `first`; 0 if `first` is outside of it. */
static int
narrow(const char **text, Py_ssize_t *size, int64_t first, int64_t count, int characters)
{
    Py_ssize_t units = *size;
    if (characters) {
        units = 0;
        for (Py_ssize_t k = 0; k < *size; k++)
            units += begins((*text)[k]);
    }
    if (first < -units || first > units)
        return 0;
    first += first < 0 ? units : 0;
    if (count < 0)  /* of bytes, it wraps around to more than any string has */
        count = characters ? 0 : units - first;
    Py_ssize_t end = count < units - first ? first + count : units;
    Py_ssize_t start = characters ? place_of(*text, *size, first) : first;
    if (characters)
        end = count == 0 ? start : place_of(*text, *size, end);
    *text += start;
    *size = end - start;
    return 1;
}

/* Short strings that were made before by the same call: columns of them repeat, and to share an object
 * takes a third of what it takes to make and free one. */
enum { SHARED = 4096, TRIED = 1024 };

typedef struct {
    uint64_t word;
    Py_ssize_t size;
    PyObject *item; /* borrowed: the array of results holds it */
} SharedString;

typedef struct {
    SharedString *strings; /* NULL: nothing is shared */
    Py_ssize_t seen, repeated;
} Pool;

static void
open_pool(Pool *pool, Py_ssize_t count)
{
    pool->seen = pool->repeated = 0;
    pool->strings = count < TRIED ? NULL : calloc(SHARED, sizeof(SharedString));
}

static void
close_pool(Pool *pool)
{
    free(pool->strings);
    pool->strings = NULL;
}

/* A new reference to a string object with this text, which is part of one. */
static inline PyObject *
pooled_string(Pool *pool, const char *text, Py_ssize_t size)
{
    if (pool->strings == NULL || size < 2 || size > 8)
        return PyBytes_FromStringAndSize(text, size);
    if (++pool->seen == TRIED && pool->repeated < TRIED / 4) {
        close_pool(pool); /* they seem to be different */
        return PyBytes_FromStringAndSize(text, size);
    }
    uint64_t word = short_word(text, size);
    SharedString *shared = &pool->strings[(word * 0x9E3779B97F4A7C15u) >> 52];
    if (shared->word == word && shared->size == size) {
        pool->repeated++;
        Py_INCREF(shared->item);
        return shared->item;
    }
    PyObject *item = PyBytes_FromStringAndSize(text, size);
    if (item != NULL)
        *shared = (SharedString){word, size, item};
    return item;
}

static PyObject *
substrings(PyObject *self, PyObject *args)
{
    PyObject *strings, *starts, *counts, *results;
    int characters;
    if (!PyArg_ParseTuple(args, "OOOOp", &strings, &starts, &counts, &results, &characters))
        return NULL;
    Array in = {0}, first = {0}, count = {0}, out = {0};
    Pool pool = {0};
    Py_ssize_t i = -1;
    if (take_objects(strings, 0, &in) < 0 || take_array(starts, 8, 0, &first) < 0 ||
        take_array(counts, 8, 0, &count) < 0 || take_objects(results, 1, &out) < 0)
        goto end;
    Py_ssize_t step = first.count > 1;
    if (out.count != in.count || count.count != first.count ||
        (first.count != 1 && first.count != in.count)) {
        PyErr_SetString(PyExc_ValueError, "one start and length, or as many as strings");
        goto end;
    }
    const int64_t *from = first.items, *sizes = count.items;
    open_pool(&pool, in.count);
    for (i = 0; i < in.count; i++, from += step, sizes += step) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        if (text == NULL || !narrow(&text, &size, *from, *sizes, characters))
            break;
        PyObject *part = pooled_string(&pool, text, size);
        if (part == NULL)
            break;
        put_object(&out, i, part);
    }
    i = i == in.count ? -1 : i;
end:
    close_pool(&pool);
    release_array(&in), release_array(&first), release_array(&count), release_array(&out);
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(i);
}

/* Where the next part ends: at the separator, or at white space if there is none. */
static inline Py_ssize_t
part_end(const char *text, Py_ssize_t from, Py_ssize_t size, const char *sep, Py_ssize_t width)
{
    if (width == 0) {
        while (from < size && !is_space(text[from]))
            from++;
        return from;
    }
    while (from + width <= size) {
        const char *hit = memchr(text + from, sep[0], size - width + 1 - from);
        if (hit == NULL)
            break;
        from = hit - text;
        if (width == 1 || memcmp(hit, sep, width) == 0)
            return from;
        from++;
    }
    return size;
}

/* The parts of one text: counted, or put into `out` from `place` on if it is there. */
static Py_ssize_t
cut(const char *text, Py_ssize_t size, const char *sep, Py_ssize_t width, Array *out,
    Py_ssize_t place)
{
    Py_ssize_t parts = 0, from = 0;
    for (;;) {
        while (width == 0 && from < size && is_space(text[from]))
            from++;
        if (width == 0 && from == size)
            return parts;
        Py_ssize_t end = part_end(text, from, size, sep, width);
        if (out != NULL) {
            PyObject *part = PyBytes_FromStringAndSize(text + from, end - from);
            if (part == NULL)
                return -1;
            put_object(out, place + parts, part);
        }
        parts++;
        if (end == size)
            return parts;
        from = end + width;
    }
}

static PyObject *
count_parts(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    const char *sep;
    Py_ssize_t width;
    if (!PyArg_ParseTuple(args, "Oy#O", &strings, &sep, &width, &results))
        return NULL;
    Array in, out;
    if (take_objects(strings, 0, &in) < 0)
        return NULL;
    if (take_array(results, 8, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < in.count && i < out.count; i++) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        if (text == NULL)
            break;
        ((int64_t *)out.items)[i] = cut(text, size, sep, width, NULL, 0);
    }
    release_array(&in);
    release_array(&out);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
split_strings(PyObject *self, PyObject *args)
{
    PyObject *strings, *results, *places;
    const char *sep;
    Py_ssize_t width, place = 0;
    if (!PyArg_ParseTuple(args, "Oy#OO", &strings, &sep, &width, &results, &places))
        return NULL;
    Array in = {0}, out = {0}, index = {0};
    if (take_objects(strings, 0, &in) < 0 || take_objects(results, 1, &out) < 0 ||
        take_array(places, 8, 1, &index) < 0)
        goto end;
    int64_t *indices = index.items;
    for (Py_ssize_t i = 0; i < in.count; i++) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        Py_ssize_t parts = text == NULL ? -1 : cut(text, size, sep, width, NULL, 0);
        /* The strings may have changed since they were counted. */
        if (parts < 0 || place + parts > out.count || 2 * (place + parts) > index.count)
            break;
        if (cut(text, size, sep, width, &out, place) < 0)
            break;
        for (Py_ssize_t k = 0; k < parts; k++, place++) {
            indices[2 * place] = i;
            indices[2 * place + 1] = k;
        }
    }
    if (!PyErr_Occurred() && place != out.count)
        PyErr_SetString(PyExc_ValueError, "not as many parts as were counted");
end:
    release_array(&in), release_array(&out), release_array(&index);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* Put the items of a list of `bytes` and `str` into an array; False if there are others. */
static PyObject *
fill_strings(PyObject *self, PyObject *args)
{
    PyObject *list, *results;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &list, &results))
        return NULL;
    Array out;
    if (take_objects(results, 1, &out) < 0)
        return NULL;
    Py_ssize_t i = 0;
    for (; i < out.count && i < PyList_Size(list); i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (Py_TYPE(item) == &PyBytes_Type)
            Py_INCREF(item);
        else if (Py_TYPE(item) == &PyUnicode_Type)
            item = PyUnicode_AsUTF8String(item);
        else
            break;
        if (item == NULL)
            break;
        put_object(&out, i, item);
    }
    int complete = i == out.count;
    release_array(&out);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(complete);
}

/* Put the items of a list into an array of float32 (f) or int32 (i) numbers; False if there are
 * others than floats or integers, or, of floats only if that is checked, too large ones. */
static PyObject *
fill_numbers(PyObject *self, PyObject *args)
{
    PyObject *list, *results;
    int kind, checked;
    if (!PyArg_ParseTuple(args, "O!OCp", &PyList_Type, &list, &results, &kind, &checked))
        return NULL;
    Array out;
    if (take_array(results, 4, 1, &out) < 0)
        return NULL;
    Py_ssize_t i = 0, size = PyList_Size(list);
    for (; i < out.count && i < size; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (kind == 'f') {
            if (Py_TYPE(item) != &PyFloat_Type)
                break;
            double number = PyFloat_AsDouble(item);
            float narrow = (float)number;
            if (checked && isinf(narrow) && !isinf(number))
                break;
            ((float *)out.items)[i] = narrow;
        } else {
            int beyond;
            if (Py_TYPE(item) != &PyLong_Type)
                break;
            long long number = PyLong_AsLongLongAndOverflow(item, &beyond);
            if (beyond || number < INT32_MIN || number > INT32_MAX)
                break;
            ((int32_t *)out.items)[i] = (int32_t)number;
        }
    }
    int complete = i == out.count && i == size;
    release_array(&out);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(complete);
}

/* Fill an array with strings whose ASCII letters are small, or capital. */
static PyObject *
change_case(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    int is_upper;
    if (!PyArg_ParseTuple(args, "OOp", &strings, &results, &is_upper))
        return NULL;
    Array in = {0}, out = {0};
    if (take_objects(strings, 0, &in) < 0 || take_objects(results, 1, &out) < 0)
        goto end;
    const unsigned char first = is_upper ? 'a' : 'A';
    for (Py_ssize_t i = 0; i < in.count && i < out.count; i++) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        PyObject *made = text == NULL ? NULL : PyBytes_FromStringAndSize(NULL, size);
        if (made == NULL)
            break;
        char *to = (char *)made + bytes_offset;
        if (size == 1) { /* Python's own object for the letter is never written to */
            Py_DECREF(made);
            char letter = *text ^ ((unsigned char)(*text - first) < 26 ? 32 : 0);
            made = PyBytes_FromStringAndSize(&letter, 1);
            if (made == NULL)
                break;
        } else
            for (Py_ssize_t k = 0; k < size; k++)
                to[k] = text[k] ^ ((unsigned char)(text[k] - first) < 26 ? 32 : 0);
        put_object(&out, i, made);
    }
end:
    release_array(&in), release_array(&out);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* Fill an array with the strings of several arrays put together, a separator between. An array of
 * one string counts for all. */
static PyObject *
join_strings(PyObject *self, PyObject *args)
{
    PyObject *tuple, *results;
    const char *separator;
    Py_ssize_t gap;
    if (!PyArg_ParseTuple(args, "O!y#O", &PyTuple_Type, &tuple, &separator, &gap, &results))
        return NULL;
    Py_ssize_t columns = PyTuple_Size(tuple), taken = 0;
    Array out = {0}, *in = PyMem_Calloc(columns + 1, sizeof(Array));
    const char **texts = PyMem_Calloc(columns + 1, sizeof(char *));
    Py_ssize_t *sizes = PyMem_Calloc(columns + 1, sizeof(Py_ssize_t));
    if (in == NULL || texts == NULL || sizes == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    if (take_objects(results, 1, &out) < 0)
        goto end;
    for (; taken < columns; taken++) {
        if (take_objects(PyTuple_GetItem(tuple, taken), 0, &in[taken]) < 0)
            goto end;
        if (in[taken].count != 1 && in[taken].count != out.count) {
            PyErr_SetString(PyExc_ValueError, "the sizes of the arrays do not agree");
            taken++;
            goto end;
        }
    }
    for (Py_ssize_t i = 0; i < out.count; i++) {
        Py_ssize_t total = columns > 1 ? gap * (columns - 1) : 0;
        for (Py_ssize_t k = 0; k < columns; k++) {
            texts[k] = string_at(&in[k], in[k].count == 1 ? 0 : i, &sizes[k]);
            if (texts[k] == NULL)
                goto end;
            if (sizes[k] > PY_SSIZE_T_MAX / 2 - total) {
                PyErr_NoMemory();
                goto end;
            }
            total += sizes[k];
        }
        /* One byte more than needed: what has one byte or none is an object that Python shares. */
        PyObject *made = PyBytes_FromStringAndSize(NULL, total < 2 ? 2 : total);
        if (made == NULL)
            goto end;
        char *to = (char *)made + bytes_offset;
        for (Py_ssize_t k = 0; k < columns; k++) {
            if (k > 0 && gap > 0)
                memcpy(to, separator, gap), to += gap;
            memcpy(to, texts[k], sizes[k]), to += sizes[k];
        }
        if (total < 2) {
            PyObject *shared = PyBytes_FromStringAndSize((char *)made + bytes_offset, total);
            Py_DECREF(made);
            made = shared;
            if (made == NULL)
                goto end;
        }
        put_object(&out, i, made);
    }
end:
    for (Py_ssize_t k = 0; k < taken; k++)
        release_array(&in[k]);
    release_array(&out);
    PyMem_Free(in), PyMem_Free(texts), PyMem_Free(sizes);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* Fill an array with the strings of rows put together, a separator between: as many rows as results. */
static PyObject *
join_rows(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    const char *separator;
    Py_ssize_t gap;
    if (!PyArg_ParseTuple(args, "Oy#O", &strings, &separator, &gap, &results))
        return NULL;
    Array in = {0}, out = {0};
    if (take_objects(strings, 0, &in) < 0 || take_objects(results, 1, &out) < 0)
        goto end;
    Py_ssize_t count = out.count ? in.count / out.count : 0, at = 0;
    if (count < 2 || in.count != out.count * count) {
        PyErr_SetString(PyExc_ValueError, "rows of two strings at least, all of one size");
        goto end;
    }
    for (Py_ssize_t row = 0; row < out.count; row++, at += count) {
        Py_ssize_t total = 0, size;
        for (Py_ssize_t i = 0; i < count; i++) {
            if (string_at(&in, at + i, &size) == NULL)
                goto end;
            if (size > PY_SSIZE_T_MAX / 4 - gap || total > PY_SSIZE_T_MAX / 4) {
                PyErr_NoMemory();
                goto end;
            }
            total += size + (i ? gap : 0);
        }
        /* What has one byte or none is an object that Python shares. */
        PyObject *made = PyBytes_FromStringAndSize(NULL, total < 2 ? 2 : total);
        if (made == NULL)
            goto end;
        char *to = (char *)made + bytes_offset;
        for (Py_ssize_t i = 0; i < count; i++) {
            if (i > 0 && gap > 0)
                memcpy(to, separator, gap), to += gap;
            const char *text = string_at(&in, at + i, &size);
            memcpy(to, text, size), to += size;
        }
        if (total < 2) {
            PyObject *shared = PyBytes_FromStringAndSize((char *)made + bytes_offset, total);
            Py_DECREF(made);
            made = shared;
            if (made == NULL)
                goto end;
        }
        put_object(&out, row, made);
    }
end:
    release_array(&in), release_array(&out);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef string_methods[] = {
    {"string_lengths", string_lengths, METH_VARARGS, "Fill an array with lengths of strings."},
    {"substrings", substrings, METH_VARARGS,
     "Fill an array with parts of strings; return the first that has none, or -1."},
    {"count_parts", count_parts, METH_VARARGS, "Fill an array with how many parts strings have."},
    {"split_strings", split_strings, METH_VARARGS, "Fill arrays with parts and their indices."},
    {"fill_numbers", fill_numbers, METH_VARARGS, "Fill an array with numbers of a list."},
    {"fill_strings", fill_strings, METH_VARARGS, "Fill an array with strings of a list."},
    {"change_case", change_case, METH_VARARGS, "Fill with strings in small or capital letters."},
    {"join_rows", join_rows, METH_VARARGS, "Fill with the strings of rows put together."},
    {"join_strings", join_strings, METH_VARARGS, "Fill with strings put together."},
    {NULL, NULL, 0, NULL},
};
