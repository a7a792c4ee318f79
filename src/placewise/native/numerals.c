/* Numbers as strings and strings as numbers: ops/strings/numerals.py is the readable form.
 *
 * The usual spellings only: `parse_numbers` stops at any other, which Python then reads.
 */
#include "native.h"

#include <math.h>

static inline int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline int is_digit(char c) { return c >= '0' && c <= '9'; }

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const char *
trim(const char *text, const char **end)
{
    while (text < *end && is_space(*text))
        text++;
    while (text < *end && is_space((*end)[-1]))
        --*end;
    return text;
}

static int
parse_integer(const char *text, const char *end, int64_t *number)
{
    text = trim(text, &end);
    int negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    if (text == end || end - text > 18) /* longer ones may not fit */
        return 0;
    int64_t value = 0;
    for (; text < end; text++) {
        if (!is_digit(*text))
            return 0;
        value = value * 10 + (*text - '0');
    }
    *number = negative ? -value : value;
    return 1;
}

/* Read a decimal. Mantissas up to 2^53 and powers of ten up to 10^22 are exact doubles, so that one
 * product or quotient is rounded correctly; all others go to Python's reader. */
static int
parse_double(const char *text, const char *end, double *number)
{
    text = trim(text, &end);
    const char *start = text;
    int negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    uint64_t mantissa = 0;
    int digits = 0, fraction = 0, exponent = 0;
    for (; text < end && is_digit(*text); text++, digits++)
        mantissa = digits < 18 ? mantissa * 10 + (*text - '0') : mantissa;
    if (text < end && *text == '.')
        for (text++; text < end && is_digit(*text); text++, digits++, fraction++)
            mantissa = digits < 18 ? mantissa * 10 + (*text - '0') : mantissa;
    if (digits == 0)
        return 0;
    if (text < end && (*text == 'e' || *text == 'E')) {
        text++;
        int minus = text < end && *text == '-', count = 0;
        text += text < end && (*text == '-' || *text == '+');
        for (; text < end && is_digit(*text) && count < 6; text++, count++)
            exponent = exponent * 10 + (*text - '0');
        if (count == 0)
            return 0;
        exponent = minus ? -exponent : exponent;
    }
    if (text != end)
        return 0;
    exponent -= fraction;
    if (digits <= 18 && mantissa <= (1ull << 53) && exponent >= -22 && exponent <= 22) {
        double value = (double)mantissa;
        value = exponent < 0 ? value / POWERS[-exponent] : value * POWERS[exponent];
        *number = negative ? -value : value;
        return 1;
    }
    char copy[64], *last;
    if (end - start >= (Py_ssize_t)sizeof(copy))
        return 0;
    memcpy(copy, start, end - start);
    copy[end - start] = 0;
    *number = PyOS_string_to_double(copy, &last, NULL);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return last == copy + (end - start);
}

int
store_number(char kind, void *items, Py_ssize_t i, const char *text, Py_ssize_t size)
{
    int64_t integer;
    double real;
    if (kind == 'f' || kind == 'd') {
        if (!parse_double(text, text + size, &real))
            return 0;
        if (kind == 'f')
            ((float *)items)[i] = (float)real;
        else
            ((double *)items)[i] = real;
        return 1;
    }
    if (!parse_integer(text, text + size, &integer))
        return 0;
    if (kind == 'q') {
        ((int64_t *)items)[i] = integer;
        return 1;
    }
    if (integer != (int32_t)integer)
        return 0;
    ((int32_t *)items)[i] = (int32_t)integer;
    return 1;
}

/* The number of 1 to 8 digits and nothing else, all at once: to go on after each is a guess that the
 * processor gets wrong at the end. 0 if there is anything else. */
static int
parse_digits(const char *text, Py_ssize_t size, int64_t *number)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (size < 1 || size > 8)
        return 0;
    const uint64_t ones = 0x0101010101010101u, high = ones * 0xF0, pairs = 0x000000FF000000FFu;
    uint64_t word = short_word(text, size);
    if (size < 8) /* zeros before it */
        word = word << (64 - 8 * size) | (ones * '0') >> (8 * size);
    if (((word & high) | ((word + ones * 6) & high) >> 4) != ones * 0x33)
        return 0;
    word -= ones * '0';
    word = word * 10 + (word >> 8); /* every other byte: two digits */
    const uint64_t first = (word & pairs) * (100 + (1000000ull << 32));
    const uint64_t second = (word >> 16 & pairs) * (1 + (10000ull << 32));
    *number = (int64_t)((first + second) >> 32);
    return 1;
#else
    return 0;
#endif
}

static PyObject *
parse_numbers(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    const char *kind;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(args, "OOsn", &strings, &results, &kind, &i))
        return NULL;
    Array in, out;
    if (take_objects(strings, 0, &in) < 0)
        return NULL;
    if (take_array(results, kind[0] == 'f' || kind[0] == 'i' ? 4 : 8, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    for (i = i < 0 ? 0 : i; i < in.count && i < out.count; i++) {
        Py_ssize_t size;
        const char *text = string_at(&in, i, &size);
        int64_t integer;
        if (text != NULL && kind[0] == 'q' && parse_digits(text, size, &integer)) {
            ((int64_t *)out.items)[i] = integer;
            continue;
        }
        if (text != NULL && kind[0] == 'i' && parse_digits(text, size, &integer)) {
            ((int32_t *)out.items)[i] = (int32_t)integer;
            continue;
        }
        if (text == NULL || !store_number(kind[0], out.items, i, text, size))
            break;
    }
    release_array(&in);
    release_array(&out);
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(i);
}

/* Write digits before `end`; return where they begin. */
static char *
write_digits(char *end, uint64_t value, int at_least)
{
    for (; value > 0 || at_least > 0; at_least--, value /= 10)
        *--end = '0' + value % 10;
    return end;
}

static PyObject *
format_integers(PyObject *self, PyObject *args)
{
    PyObject *numbers, *results;
    if (!PyArg_ParseTuple(args, "OO", &numbers, &results))
        return NULL;
    Array in, out;
    if (take_array(numbers, 8, 0, &in) < 0)
        return NULL;
    if (take_objects(results, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < in.count && i < out.count; i++) {
        char text[24], *end = text + sizeof(text);
        int64_t value = ((int64_t *)in.items)[i];
        char *start = write_digits(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
        if (value < 0)
            *--start = '-';
        PyObject *item = PyBytes_FromStringAndSize(start, end - start);
        if (item == NULL)
            break;
        put_object(&out, i, item);
    }
    release_array(&in);
    release_array(&out);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* Floats with six digits behind the point. The product of a float and a million has at most 44
 * bits, so the double is exact, and rounding it to even is what printf does. */
static PyObject *
format_floats(PyObject *self, PyObject *args)
{
    PyObject *numbers, *results;
    if (!PyArg_ParseTuple(args, "OO", &numbers, &results))
        return NULL;
    Array in, out;
    Py_ssize_t i = -1;
    if (take_array(numbers, 4, 0, &in) < 0)
        return NULL;
    if (take_objects(results, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    for (i = 0; i < in.count && i < out.count; i++) {
        double value = ((float *)in.items)[i];
        if (!(fabs(value) < 9e12))
            break; /* large, infinite or no number: Python writes it */
        char text[40], *end = text + sizeof(text);
        uint64_t scaled = (uint64_t)rint(fabs(value) * 1e6);
        char *start = write_digits(end, scaled % 1000000, 6);
        *--start = '.';
        start = write_digits(start, scaled / 1000000, 1);
        if (signbit(value))
            *--start = '-';
        PyObject *item = PyBytes_FromStringAndSize(start, end - start);
        if (item == NULL)
            break;
        put_object(&out, i, item);
    }
    int complete = i == in.count;
    release_array(&in);
    release_array(&out);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(complete);
}

PyMethodDef numeral_methods[] = {
    {"parse_numbers", parse_numbers, METH_VARARGS,
     "Fill an array with the numbers that strings hold; return where it stopped."},
    {"format_integers", format_integers, METH_VARARGS, "Fill an array with numerals."},
    {"format_floats", format_floats, METH_VARARGS,
     "Fill an array with numerals; return whether all could be written."},
    {NULL, NULL, 0, NULL},
};
