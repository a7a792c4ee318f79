/* Lines of comma-separated values as columns: ops/io/csv.py is the readable form.
 *
 * Stops at any field that is not plain (badly quoted, no number, missing without a default, too many
 * or few in a line): Python then reads all lines and says what is wrong.
 */
#include "native.h"

#include <stdlib.h>

typedef struct {
    char kind; /* s: string, else as store_number has it */
    Array out;
    PyObject *fallback; /* a string: the default; for numbers it stands in the array already */
    int required;
} Field;

typedef struct {
    char delimiter;
    int quotes;
    const char *missing;
    Py_ssize_t missing_size;
    Field *fields;
    Py_ssize_t count;
    const int64_t *chosen; /* which columns are taken, in order; NULL for all */
    char *scratch;         /* a quoted field without its quotes */
} Table;

/* Find the end of the field at `*at`, and its text; 0 if it is badly quoted. */
static int
read_field(Table *t, const char *line, Py_ssize_t size, Py_ssize_t *at, const char **text,
           Py_ssize_t *length)
{
    Py_ssize_t k = *at;
    if (!t->quotes || k >= size || line[k] != '"') {
        for (; k < size && line[k] != t->delimiter; k++)
            if (t->quotes && (line[k] == '"' || line[k] == '\r' || line[k] == '\n'))
                return 0;
        *text = line + *at;
        *length = k - *at;
        *at = k;
        return 1;
    }
    Py_ssize_t used = 0;
    int closed = 0;
    for (k++; k < size && !closed; k++) {
        if (line[k] != '"')
            t->scratch[used++] = line[k];
        else if (k + 1 < size && line[k + 1] == '"')
            t->scratch[used++] = line[k++];
        else
            closed = 1;
    }
    if (!closed || (k < size && line[k] != t->delimiter))
        return 0;
    *text = t->scratch;
    *length = used;
    *at = k;
    return 1;
}

static int
store_field(Table *t, Field *field, Py_ssize_t row, const char *text, Py_ssize_t size)
{
    int missing =
        size == 0 || (size == t->missing_size && memcmp(text, t->missing, size) == 0);
    if (missing && field->required)
        return 0;
    if (field->kind != 's') /* the array has the default */
        return missing || store_number(field->kind, field->out.items, row, text, size);
    PyObject *item = missing ? field->fallback : PyBytes_FromStringAndSize(text, size);
    if (missing)
        Py_INCREF(item);
    if (item == NULL)
        return 0;
    put_object(&field->out, row, item);
    return 1;
}

static int
read_line(Table *t, Py_ssize_t row, const char *line, Py_ssize_t size)
{
    Py_ssize_t at = 0, column = 0, taken = 0;
    if (size == 0)
        return t->count == 0;
    for (;; column++, at++) {
        const char *text;
        Py_ssize_t length;
        if (!read_field(t, line, size, &at, &text, &length))
            return 0;
        if (t->chosen == NULL || (taken < t->count && t->chosen[taken] == column)) {
            if (taken == t->count || !store_field(t, t->fields + taken, row, text, length))
                return 0;
            taken++;
        }
        if (at >= size)
            return taken == t->count;
    }
}

static int
take_fields(Table *t, const char *kinds, PyObject *outputs, PyObject *defaults, Py_ssize_t rows)
{
    for (Py_ssize_t k = 0; k < t->count; k++) {
        Field *field = t->fields + k;
        char kind = kinds[k];
        PyObject *output = PyTuple_GetItem(outputs, k);
        field->kind = kind;
        field->fallback = PyTuple_GetItem(defaults, k);
        if (output == NULL || field->fallback == NULL)
            return 0;
        field->required = field->fallback == Py_None;
        int size = kind == 'f' || kind == 'i' ? 4 : 8;
        if ((kind == 's' ? take_objects(output, 1, &field->out)
                         : take_array(output, size, 1, &field->out)) < 0)
            return 0;
        if (field->out.count != rows) {
            PyErr_SetString(PyExc_ValueError, "as many results as lines");
            return 0;
        }
    }
    return 1;
}

static PyObject *
csv_columns(PyObject *self, PyObject *args)
{
    PyObject *lines, *outputs, *defaults, *chosen;
    const char *kinds;
    int delimiter;
    Table t = {0};
    Array in = {0}, taken = {0};
    if (!PyArg_ParseTuple(args, "OCpy#sO!O!O", &lines, &delimiter, &t.quotes, &t.missing,
                          &t.missing_size, &kinds, &PyTuple_Type, &outputs, &PyTuple_Type,
                          &defaults, &chosen))
        return NULL;
    t.delimiter = (char)delimiter;
    t.count = (Py_ssize_t)strlen(kinds);
    t.fields = calloc(t.count + 1, sizeof(Field));
    int sound = t.fields != NULL && take_objects(lines, 0, &in) == 0 &&
                (chosen == Py_None || take_array(chosen, 8, 0, &taken) == 0) &&
                take_fields(&t, kinds, outputs, defaults, in.count) &&
                (taken.items == NULL || taken.count == t.count);
    t.chosen = taken.items;
    Py_ssize_t room = 0;
    for (Py_ssize_t i = 0; sound && i < in.count; i++) {
        Py_ssize_t size;
        const char *line = string_at(&in, i, &size);
        if (line != NULL && size > room) {
            free(t.scratch);
            room = 2 * size;
            t.scratch = malloc(room);
        }
        sound = line != NULL && (room == 0 || t.scratch != NULL) && read_line(&t, i, line, size);
    }
    for (Py_ssize_t k = 0; t.fields != NULL && k < t.count; k++)
        release_array(&t.fields[k].out);
    free(t.fields);
    free(t.scratch);
    release_array(&in), release_array(&taken);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(sound);
}

PyMethodDef csv_methods[] = {
    {"csv_columns", csv_columns, METH_VARARGS,
     "Fill columns with the fields of lines; return False if Python must read them."},
    {NULL, NULL, 0, NULL},
};
