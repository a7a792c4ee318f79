/* The module `placewise._native`: the functions of the other files, and what they share.
 *
 * A new file has a table of its methods; it is named twice below. `_native.pyi` declares them.
 */
#include "native.h"

extern PyMethodDef hash_methods[];
extern PyMethodDef images_methods[];
extern PyMethodDef philox_methods[];
extern PyMethodDef selection_methods[];

static PyMethodDef *const TABLES[] = {
    hash_methods,
    images_methods,
    philox_methods,
    selection_methods,
};

int
take_array(PyObject *object, Py_ssize_t size, int writable, Array *array)
{
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    array->items = NULL;
    if (PyObject_GetBuffer(object, &array->view, flags) < 0)
        return -1;
    if (array->view.itemsize != size) {
        PyErr_Format(PyExc_TypeError, "items of %zd bytes, not of %zd", array->view.itemsize, size);
        PyBuffer_Release(&array->view);
        return -1;
    }
    array->items = array->view.buf;
    array->count = array->view.len / size;
    return 0;
}

void
release_array(Array *array)
{
    if (array->items != NULL)
        PyBuffer_Release(&array->view);
    array->items = NULL;
}

int
take_strings(PyObject *object, Array *array)
{
    if (take_array(object, sizeof(PyObject *), 0, array) < 0)
        return -1;
    PyObject **items = array->items;
    int fits = array->view.format != NULL && strcmp(array->view.format, "O") == 0;
    for (Py_ssize_t i = 0; fits && i < array->count; i++)
        fits = items[i] != NULL && PyBytes_Check(items[i]);
    if (!fits) {
        PyErr_SetString(PyExc_TypeError, "an array of bytes objects is needed");
        release_array(array);
        return -1;
    }
    return 0;
}

static int
add_contents(PyObject *module)
{
    for (size_t i = 0; i < sizeof(TABLES) / sizeof(TABLES[0]); i++)
        if (PyModule_AddFunctions(module, TABLES[i]) < 0)
            return -1;
    return PyModule_AddObject(module, "FINGERPRINT", PyLong_FromUnsignedLong(SOURCES_FINGERPRINT));
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_contents}, {0, NULL}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "placewise._native", .m_size = 0, .m_slots = slots};

PyMODINIT_FUNC
PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}
