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
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
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

/* The same for an array of `bytes` objects: checks each, so that loops need not. */
int take_strings(PyObject *object, Array *array);

/* A string of such an array. */
static inline const char *
string_at(const Array *array, Py_ssize_t index, Py_ssize_t *size)
{
    PyObject *item = ((PyObject **)array->items)[index];
    *size = PyBytes_Size(item);
    return PyBytes_AsString(item);
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

#endif
