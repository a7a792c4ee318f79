/* Simple patterns, matched to many strings: `ops/strings/regex.py` has the same with RE2.
 *
 * A pattern is a row of sets of characters. Each is met once, or as often as possible and then, if
 * the rest does not match, less often: what Perl's rule and RE2's give. Only ASCII is matched.
 */
#include "native.h"

#define SET_SIZE 256
#define LONGEST 512
#define MOST_ATOMS 256

typedef struct {
    const uint8_t *sets; /* SET_SIZE of them for each atom: whether it meets a byte */
    const uint8_t *least, *most; /* of each atom; a most of 0 is without limit */
    Py_ssize_t atoms;
} Pattern;

static int
take_pattern(const char *sets, Py_ssize_t set_bytes, const char *limits, Py_ssize_t limit_bytes,
             Pattern *pattern)
{
    pattern->atoms = limit_bytes / 2;
    pattern->sets = (const uint8_t *)sets;
    pattern->least = (const uint8_t *)limits;
    pattern->most = pattern->least + pattern->atoms;
    if (limit_bytes % 2 == 0 && pattern->atoms <= MOST_ATOMS &&
        set_bytes == pattern->atoms * SET_SIZE)
        return 0;
    PyErr_SetString(PyExc_ValueError, "the sizes of the arrays do not agree");
    return -1;
}

/* Where a match from `at` on ends, or -1; `whole` means that it must end where the text does. */
static Py_ssize_t
match_end(const Pattern *p, Py_ssize_t atom, const char *text, Py_ssize_t at, Py_ssize_t size,
          int whole)
{
    for (; atom < p->atoms; atom++) {
        const uint8_t *set = p->sets + atom * SET_SIZE;
        if (p->least[atom] == 1 && p->most[atom] == 1) {
            if (at == size || !set[(uint8_t)text[at]])
                return -1;
            at++;
            continue;
        }
        Py_ssize_t from = at, longest = p->most[atom] ? at + p->most[atom] : size;
        while (at < size && at < longest && set[(uint8_t)text[at]])
            at++;
        for (; at - from >= p->least[atom]; at--) {
            Py_ssize_t end = match_end(p, atom + 1, text, at, size, whole);
            if (end >= 0)
                return end;
        }
        return -1;
    }
    return whole && at != size ? -1 : at;
}

static inline int
is_plain(const char *text, Py_ssize_t size)
{
    uint8_t seen = 0;
    for (Py_ssize_t i = 0; i < size; i++)
        seen |= (uint8_t)text[i];
    return size <= LONGEST && seen < 128;
}

/* Fill an array with whether strings match as a whole; False if one is long or not ASCII. */
static PyObject *
match_pattern(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    const char *sets, *limits;
    Py_ssize_t set_bytes, limit_bytes;
    Pattern pattern;
    if (!PyArg_ParseTuple(args, "Oy#y#O", &strings, &sets, &set_bytes, &limits, &limit_bytes,
                          &results) ||
        take_pattern(sets, set_bytes, limits, limit_bytes, &pattern) < 0)
        return NULL;
    Array in, out;
    if (take_objects(strings, 0, &in) < 0)
        return NULL;
    if (take_array(results, 1, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    Py_ssize_t i = 0;
    for (; i < in.count && i < out.count; i++) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        if (text == NULL || !is_plain(text, size))
            break;
        ((uint8_t *)out.items)[i] = match_end(&pattern, 0, text, 0, size, 1) >= 0;
    }
    int complete = i == in.count;
    release_array(&in);
    release_array(&out);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(complete);
}

/* The text with matches replaced; `item` itself if there are none. No match is empty. */
static PyObject *
replaced(const Pattern *pattern, PyObject *item, const char *text, Py_ssize_t size, const char *by,
         Py_ssize_t by_size, int everywhere, const uint8_t *first)
{
    Py_ssize_t starts[LONGEST], ends[LONGEST], found = 0, at = 0, removed = 0;
    while (at < size) {
        if (first != NULL)
            while (at < size && !first[(uint8_t)text[at]])
                at++;
        Py_ssize_t end = at < size ? match_end(pattern, 0, text, at, size, 0) : -1;
        if (end <= at) {
            at++;
            continue;
        }
        starts[found] = at, ends[found++] = at = end;
        removed += end - starts[found - 1];
        if (!everywhere)
            break;
    }
    if (!found) {
        Py_INCREF(item);
        return item;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, size - removed + found * by_size);
    if (result == NULL)
        return NULL;
    char *place = (char *)result + bytes_offset;
    Py_ssize_t copied = 0;
    for (Py_ssize_t i = 0; i < found; i++) {
        memcpy(place, text + copied, starts[i] - copied);
        place += starts[i] - copied;
        memcpy(place, by, by_size);
        place += by_size;
        copied = ends[i];
    }
    memcpy(place, text + copied, size - copied);
    return result;
}

/* Fill an array with strings whose matches are replaced; False if one is long or not ASCII. */
static PyObject *
replace_pattern(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    const char *sets, *limits, *by;
    Py_ssize_t set_bytes, limit_bytes, by_size;
    int everywhere;
    Pattern pattern;
    if (!PyArg_ParseTuple(args, "Oy#y#y#pO", &strings, &sets, &set_bytes, &limits, &limit_bytes,
                          &by, &by_size, &everywhere, &results) ||
        take_pattern(sets, set_bytes, limits, limit_bytes, &pattern) < 0)
        return NULL;
    Array in, out;
    if (take_objects(strings, 0, &in) < 0)
        return NULL;
    if (take_objects(results, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    /* Where a match begins with a certain set, other bytes are passed over. */
    const uint8_t *first = pattern.atoms && pattern.least[0] ? pattern.sets : NULL;
    Py_ssize_t i = 0;
    for (; i < in.count && i < out.count; i++) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        if (text == NULL || !is_plain(text, size))
            break;
        PyObject *made = replaced(&pattern, ((PyObject **)in.items)[i], text, size, by, by_size,
                                  everywhere, first);
        if (made == NULL)
            break;
        put_object(&out, i, made);
    }
    int complete = i == in.count;
    release_array(&in);
    release_array(&out);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(complete);
}

PyMethodDef pattern_methods[] = {
    {"match_pattern", match_pattern, METH_VARARGS, "Fill an array with which strings match."},
    {"replace_pattern", replace_pattern, METH_VARARGS, "Fill an array with strings rewritten."},
    {NULL, NULL, 0, NULL},
};
