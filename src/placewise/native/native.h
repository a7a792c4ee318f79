/* What every file of the extension includes first.
 *
 * The limited API of Python 3.11: one binary serves that version and all later ones. Arrays come as
 * buffers (NumPy's export one, of objects too) or as addresses (`tensor.data_ptr()`): no header of
 * NumPy or torch is needed. The caller allocates results with NumPy and passes them to be filled.
 */
#ifndef PLACEWISE_NATIVE_H
#define PLACEWISE_NATIVE_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

/* A loop that gains from wide instructions is compiled for them as well, and the processor's choice
 * is made when the module is loaded. Results are the same: contraction to FMA is off. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define WIDE __attribute__((target_clones("avx2", "default")))
#endif
#else
#define WIDE
#endif

/* Memory that is read soon is called for, so that nothing waits for it then. */
#if defined(__GNUC__)
#define CALL_FOR(address) __builtin_prefetch(address)
#else
#define CALL_FOR(address)
#endif

/* A contiguous buffer as items of a type; `items` is NULL and an exception set if it is none. */
typedef struct {
    Py_buffer view;
    void *items;
    Py_ssize_t count;
} Array;

/* Take the buffer of `object`; `size` is the bytes of an item, `writable` whether it is filled. */
int take_array(PyObject *object, Py_ssize_t size, int writable, Array *array);
void release_array(Array *array);

/* The same for an array of objects. */
int take_objects(PyObject *object, int writable, Array *array);

/* Where the characters of a bytes object begin, measured when the module is loaded: calls of
 * PyBytes_AsString and PyBytes_Size are most of the time of a loop over short strings. */
extern Py_ssize_t bytes_offset;

/* A string of an array of objects; NULL, with an exception set, if the object is no string. */
static inline const char *
string_at(const Array *array, Py_ssize_t index, Py_ssize_t *size)
{
    PyObject *item = ((PyObject **)array->items)[index];
    if (item == NULL || !(Py_TYPE(item) == &PyBytes_Type || PyBytes_Check(item))) {
        PyErr_SetString(PyExc_TypeError, "an array of bytes objects is needed");
        return NULL;
    }
    *size = Py_SIZE(item);
    /* Strings are spread over memory. */
    if (index + 12 < array->count)
        CALL_FOR(((PyObject **)array->items)[index + 12]);
    return (const char *)item + bytes_offset;
}

/* The text of 1 to 8 bytes of a bytes object, or of a part of one, as a number. */
static inline uint64_t
short_word(const char *text, Py_ssize_t size)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* One load that ends with the text: what is before it is part of the object, too. */
    memcpy(&word, text + size - 8, 8);
    return word >> (64 - 8 * size);
#else
    memcpy(&word, text, size);
    return word;
#endif
}

/* Replace an object of a writable array of objects; takes over the reference to `item`. */
static inline void
put_object(Array *array, Py_ssize_t index, PyObject *item)
{
    PyObject **place = (PyObject **)array->items + index;
    PyObject *before = *place;
    *place = item;
    Py_XDECREF(before);
}

/* Read a text as a number of a kind (f: float32, d: float64, i: int32, q: int64) into item `i` of an
 * array; 0 if Python must read it. */
int store_number(char kind, void *items, Py_ssize_t i, const char *text, Py_ssize_t size);

#endif
