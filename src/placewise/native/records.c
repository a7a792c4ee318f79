/* TFRecord frames and their checksums: ops/io/records.py is the readable form. */
#include "native.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define HAS_SSE 1
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

static uint32_t table[256];

/* CRC-32C, a byte at a time: for processors without the instruction. */
static uint32_t
crc_plain(uint32_t crc, const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        crc = table[(crc ^ data[i]) & 0xFF] ^ crc >> 8;
    return crc;
}

#if defined(HAS_SSE)
__attribute__((target("sse4.2"))) static uint32_t
crc_wide(uint32_t crc, const unsigned char *data, size_t size)
{
    uint64_t wide = crc, word;
    for (; size >= 8; size -= 8, data += 8) {
        memcpy(&word, data, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    for (; size > 0; size--)
        wide = _mm_crc32_u8((uint32_t)wide, *data++);
    return (uint32_t)wide;
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
static uint32_t
crc_wide(uint32_t crc, const unsigned char *data, size_t size)
{
    uint64_t word;
    for (; size >= 8; size -= 8, data += 8) {
        memcpy(&word, data, 8);
        crc = __crc32cd(crc, word);
    }
    for (; size > 0; size--)
        crc = __crc32cb(crc, *data++);
    return crc;
}
#endif

static uint32_t (*crc_of)(uint32_t, const unsigned char *, size_t);

static void
prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t entry = i;
        for (int k = 0; k < 8; k++)
            entry = entry & 1 ? entry >> 1 ^ 0x82F63B78u : entry >> 1;
        table[i] = entry;
    }
    crc_of = crc_plain;
#if defined(HAS_SSE)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2"))
        crc_of = crc_wide;
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
    crc_of = crc_wide;
#endif
}

static uint32_t
masked(const unsigned char *data, size_t size)
{
    if (crc_of == NULL)
        prepare();
    uint32_t crc = ~crc_of(~0u, data, size);
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

static uint64_t
read_number(const unsigned char *data, int bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++)
        number |= (uint64_t)data[i] << (8 * i);
    return number;
}

static void
write_number(unsigned char *data, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        data[i] = (unsigned char)(number >> (8 * i));
}

static PyObject *
masked_checksum(PyObject *self, PyObject *data)
{
    Array in;
    if (take_array(data, 1, 0, &in) < 0)
        return NULL;
    uint32_t crc = masked(in.items, in.count);
    release_array(&in);
    return PyLong_FromUnsignedLong(crc);
}

static PyObject *
frame_record(PyObject *self, PyObject *data)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(data, &bytes, &size) < 0)
        return NULL;
    PyObject *framed = PyBytes_FromStringAndSize(NULL, size + 16);
    if (framed == NULL)
        return NULL;
    unsigned char *out = (unsigned char *)PyBytes_AsString(framed);
    write_number(out, size, 8);
    write_number(out + 8, masked(out, 8), 4);
    memcpy(out + 12, bytes, size);
    write_number(out + 12 + size, masked((unsigned char *)bytes, size), 4);
    return framed;
}

/* Take whole records off the front of a buffer. Returns them, the bytes they took, and the bytes
 * that the next record needs (0: unknown yet; -1: its length, -2: its data is damaged). */
static PyObject *
split_records(PyObject *self, PyObject *data)
{
    Array in;
    if (take_array(data, 1, 0, &in) < 0)
        return NULL;
    const unsigned char *bytes = in.items;
    Py_ssize_t place = 0, needed = 0;
    PyObject *records = PyList_New(0);
    while (records != NULL && in.count - place >= 12) {
        uint64_t length = read_number(bytes + place, 8);
        if (masked(bytes + place, 8) != read_number(bytes + place + 8, 4)) {
            needed = -1;
            break;
        }
        if (length > (uint64_t)PY_SSIZE_T_MAX - 16 ||
            in.count - place - 12 < 4 || length > (uint64_t)(in.count - place - 16)) {
            needed = length > (uint64_t)PY_SSIZE_T_MAX - 16 ? PY_SSIZE_T_MAX
                                                            : (Py_ssize_t)length + 16;
            break;
        }
        const unsigned char *record = bytes + place + 12;
        if (masked(record, length) != read_number(record + length, 4)) {
            needed = -2;
            break;
        }
        PyObject *item = PyBytes_FromStringAndSize((const char *)record, length);
        if (item == NULL || PyList_Append(records, item) < 0)
            Py_CLEAR(records);
        Py_XDECREF(item);
        place += 16 + length;
    }
    release_array(&in);
    return records == NULL ? NULL : Py_BuildValue("Nnn", records, place, needed);
}

PyMethodDef record_methods[] = {
    {"masked_checksum", masked_checksum, METH_O, "Return the CRC-32C of data as records store it."},
    {"frame_record", frame_record, METH_O, "Return a record with its length and checksums."},
    {"split_records", split_records, METH_O, "Take whole records off the front of a buffer."},
    {NULL, NULL, 0, NULL},
};
