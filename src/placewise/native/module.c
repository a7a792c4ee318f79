/* The module `placewise._native`: the functions of the other files, and what they share.
 *
 * A new file has a table of its methods; it is named twice below. `_native.pyi` declares them.
 */
#include "native.h"

extern PyMethodDef csv_methods[];
extern PyMethodDef elementary_methods[];
extern PyMethodDef example_methods[];
extern PyMethodDef factor_methods[];
extern PyMethodDef hash_methods[];
extern PyMethodDef inverse_methods[];
extern PyMethodDef merge_methods[];
extern PyMethodDef numeral_methods[];
extern PyMethodDef order_methods[];
extern PyMethodDef pattern_methods[];
extern PyMethodDef pooling_methods[];
extern PyMethodDef product_methods[];
extern PyMethodDef program_methods[];
extern PyMethodDef ragged_methods[];
extern PyMethodDef record_methods[];
extern PyMethodDef row_methods[];
extern PyMethodDef search_methods[];
extern PyMethodDef string_methods[];
extern PyMethodDef unicode_methods[];
extern PyMethodDef word_methods[];
extern PyMethodDef images_methods[];
extern PyMethodDef philox_methods[];
extern PyMethodDef selection_methods[];

int add_exporter(PyObject *module);

Py_ssize_t bytes_offset;

static PyMethodDef *const TABLES[] = {
    csv_methods,
    elementary_methods,
    example_methods,
    factor_methods,
    hash_methods,
    inverse_methods,
    merge_methods,
    numeral_methods,
    order_methods,
    pattern_methods,
    pooling_methods,
    product_methods,
    program_methods,
    ragged_methods,
    record_methods,
    row_methods,
    search_methods,
    string_methods,
    unicode_methods,
    word_methods,
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
take_objects(PyObject *object, int writable, Array *array)
{
    if (take_array(object, sizeof(PyObject *), writable, array) < 0)
        return -1;
    if (array->view.format == NULL || strcmp(array->view.format, "O") != 0) {
        PyErr_SetString(PyExc_TypeError, "an array of bytes objects is needed");
        release_array(array);
        return -1;
    }
    return 0;
}

static int
add_contents(PyObject *module)
{
    PyObject *sample = PyBytes_FromStringAndSize("x", 1);
    if (sample == NULL)
        return -1;
    bytes_offset = PyBytes_AsString(sample) - (char *)sample;
    Py_DECREF(sample);
    for (size_t i = 0; i < sizeof(TABLES) / sizeof(TABLES[0]); i++)
        if (PyModule_AddFunctions(module, TABLES[i]) < 0)
            return -1;
    if (add_exporter(module) < 0)
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
