/* Code points of UTF-8: ops/strings/codecs.py is the readable form.
 *
 * Sound text only: at the first malformed piece the caller turns to Python.
 */
#include "native.h"

/* Read a code point; return its bytes, 0 if they are malformed. */
static inline int
read_point(const unsigned char *s, Py_ssize_t left, int32_t *point)
{
    unsigned char c = s[0];
    if (c < 0x80) {
        *point = c;
        return 1;
    }
    int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
    if (c < 0xC2 || c > 0xF4 || left <= more)
        return 0;
    int32_t value = c & (0x3F >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (s[i] & 0x3F);
    }
    if ((more == 2 && (value < 0x800 || (value >= 0xD800 && value <= 0xDFFF))) ||
        (more == 3 && (value < 0x10000 || value > 0x10FFFF)))
        return 0;
    *point = value;
    return more + 1;
}

static PyObject *
decode_utf8(PyObject *self, PyObject *args)
{
    PyObject *strings, *ends, *points, *offsets;
    if (!PyArg_ParseTuple(args, "OOOO", &strings, &ends, &points, &offsets))
        return NULL;
    Array in = {0}, splits = {0}, out = {0}, starts = {0};
    int sound = 0;
    Py_ssize_t count = 0;
    if (take_objects(strings, 0, &in) < 0 || take_array(ends, 8, 1, &splits) < 0 ||
        take_array(points, 4, 1, &out) < 0 ||
        (offsets != Py_None && take_array(offsets, 8, 1, &starts) < 0))
        goto end;
    if (splits.count != in.count + 1 || (starts.items != NULL && starts.count != out.count)) {
        PyErr_SetString(PyExc_ValueError, "arrays do not fit each other");
        goto end;
    }
    int32_t *values = out.items;
    ((int64_t *)splits.items)[0] = 0;
    for (Py_ssize_t i = 0; i < in.count; i++) {
        Py_ssize_t size;
        const unsigned char *text = (const unsigned char *)string_at(&in, i, &size);
        if (text == NULL || count + size > out.count)
            goto end;
        for (Py_ssize_t at = 0; at < size; count++) {
            int width = read_point(text + at, size - at, values + count);
            if (width == 0)
                goto end;
            if (starts.items != NULL)
                ((int64_t *)starts.items)[count] = at;
            at += width;
        }
        ((int64_t *)splits.items)[i + 1] = count;
    }
    sound = 1;
end:
    release_array(&in), release_array(&splits), release_array(&out), release_array(&starts);
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(sound ? count : -1);
}

PyMethodDef unicode_methods[] = {
    {"decode_utf8", decode_utf8, METH_VARARGS,
     "Fill arrays with code points; return how many, or -1 if a string is malformed."},
    {NULL, NULL, 0, NULL},
};
