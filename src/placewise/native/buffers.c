/* A base class whose subclasses are buffers by their Python method `__buffer__`.
 *
 * Python 3.12 has that protocol itself; for 3.11 this is it. The method returns a memoryview, and
 * the consumer's view is taken of that: it keeps the memory alive, and checks what was asked for.
 */
#include "native.h"

static int
get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    view->obj = NULL;
    PyObject *inner = PyObject_CallMethod(self, "__buffer__", "i", flags);
    if (inner == NULL)
        return -1;
    int outcome = PyObject_GetBuffer(inner, view, flags);
    Py_DECREF(inner);
    return outcome;
}

static PyType_Slot exporter_slots[] = {
    {Py_bf_getbuffer, get_buffer},
    {Py_tp_doc, "Base of classes whose method `__buffer__` gives their memory."},
    {0, NULL},
};

static PyType_Spec exporter_spec = {
    .name = "placewise._native.Exporter",
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = exporter_slots,
};

int
add_exporter(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&exporter_spec);
    if (type == NULL)
        return -1;
    int outcome = PyModule_AddObjectRef(module, "Exporter", type);
    Py_DECREF(type);
    return outcome;
}
