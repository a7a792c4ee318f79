/* Several arrays taken at once, for functions that read some and fill others. */
#ifndef PLACEWISE_ARRAYS_H
#define PLACEWISE_ARRAYS_H

#include "native.h"

static inline void
release_arrays(Array *arrays, int count)
{
    for (int i = 0; i < count; i++)
        release_array(&arrays[i]);
}

/* Take `count` arrays of items of `sizes` bytes; the last `filled` of them are written to. */
static inline int
take_arrays(PyObject **objects, const Py_ssize_t *sizes, int count, int filled, Array *arrays)
{
    for (int i = 0; i < count; i++)
        if (take_array(objects[i], sizes[i], i >= count - filled, &arrays[i]) < 0) {
            release_arrays(arrays, i);
            return -1;
        }
    return 0;
}

/* Release the arrays, and return None, or NULL with an exception if sizes did not agree. */
static inline PyObject *
finished(Array *arrays, int count, int fits)
{
    release_arrays(arrays, count);
    if (fits)
        Py_RETURN_NONE;
    PyErr_SetString(PyExc_ValueError, "the sizes of the arrays do not agree");
    return NULL;
}

#endif
