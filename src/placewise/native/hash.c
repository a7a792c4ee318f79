/* Hashes of byte strings: FarmHash's Fingerprint64, SipHash-2-4 and MurmurHash64A.
 *
 * The same as ops/strings/fingerprints.py, which is the readable form.
 */
#include "hash.h"

static const uint64_t K0 = 0xC3A5C85C97CB3127u;
static const uint64_t K1 = 0xB492B66FBE98F273u;
static const uint64_t K2 = 0x9AE16A3B2F90404Fu;

static inline uint64_t rotate(uint64_t x, int by) { return x >> by | x << (64 - by); }

static inline uint64_t mixed(uint64_t x) { return x ^ (x >> 47); }

static inline uint64_t
little_endian(const unsigned char *data, int bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < bytes; i++)
        word |= (uint64_t)data[i] << (8 * i);
    return word;
}

/* A loop over bytes is eight loads to some compilers, a copy is one to all. */
static inline uint64_t
word_at(const unsigned char *data)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word;
#else
    return little_endian(data, 8);
#endif
}

static inline uint64_t
joined(uint64_t u, uint64_t v, uint64_t multiplier)
{
    uint64_t a = mixed((u ^ v) * multiplier);
    uint64_t b = mixed((v ^ a) * multiplier);
    return b * multiplier;
}

static uint64_t
farm_to_16(const unsigned char *s, size_t size)
{
    uint64_t mul = K2 + size * 2;
    if (size >= 8) {
        uint64_t a = word_at(s) + K2, b = word_at(s + size - 8);
        return joined(rotate(b, 37) * mul + a, (rotate(a, 25) + b) * mul, mul);
    }
    if (size >= 4)
        return joined(size + (little_endian(s, 4) << 3), little_endian(s + size - 4, 4), mul);
    if (size) {
        uint64_t y = s[0] + ((uint64_t)s[size >> 1] << 8);
        uint64_t z = size + ((uint64_t)s[size - 1] << 2);
        return mixed(y * K2 ^ z * K0) * K2;
    }
    return K2;
}

static uint64_t
farm_to_32(const unsigned char *s, size_t size)
{
    uint64_t mul = K2 + size * 2;
    uint64_t a = word_at(s) * K1, b = word_at(s + 8);
    uint64_t c = word_at(s + size - 8) * mul, d = word_at(s + size - 16) * K2;
    return joined(rotate(a + b, 43) + rotate(c, 30) + d, a + rotate(b + K2, 18) + c, mul);
}

static uint64_t
farm_to_64(const unsigned char *s, size_t size)
{
    uint64_t mul = K2 + size * 2;
    uint64_t a = word_at(s) * K2, b = word_at(s + 8);
    uint64_t c = word_at(s + size - 8) * mul, d = word_at(s + size - 16) * K2;
    uint64_t y = rotate(a + b, 43) + rotate(c, 30) + d;
    uint64_t z = joined(y, a + rotate(b + K2, 18) + c, mul);
    uint64_t e = word_at(s + 16) * mul, f = word_at(s + 24);
    uint64_t g = (y + word_at(s + size - 32)) * mul, h = (z + word_at(s + size - 24)) * mul;
    return joined(rotate(e + f, 43) + rotate(g, 30) + h, e + rotate(f + a, 18) + g, mul);
}

typedef struct {
    uint64_t x, y, z, v[2], w[2];
} Farm;

static inline void
farm_weak(const unsigned char *s, uint64_t a, uint64_t b, uint64_t pair[2])
{
    uint64_t w = word_at(s), x = word_at(s + 8), y = word_at(s + 16), z = word_at(s + 24);
    a += w;
    b = rotate(b + a + z, 21);
    uint64_t c = a;
    a += x + y;
    b += rotate(a, 44);
    pair[0] = a + z;
    pair[1] = b + c;
}

static inline void
farm_step(Farm *f, const unsigned char *s, uint64_t mul, uint64_t weight)
{
    f->x = rotate(f->x + f->y + f->v[0] + word_at(s + 8), 37) * mul;
    f->y = rotate(f->y + f->v[1] + word_at(s + 48), 42) * mul;
    f->x ^= f->w[1] * weight;
    f->y += f->v[0] * weight + word_at(s + 40);
    f->z = rotate(f->z + f->w[0], 33) * mul;
    farm_weak(s, f->v[1] * mul, f->x + f->w[0], f->v);
    farm_weak(s + 32, f->z + f->w[1], f->y + word_at(s + 16), f->w);
    uint64_t swapped = f->x;
    f->x = f->z;
    f->z = swapped;
}

static uint64_t
farm_long(const unsigned char *s, size_t size)
{
    uint64_t y = 81 * K1 + 113;
    Farm f = {81 * K2 + word_at(s), y, mixed(y * K2 + 113) * K2, {0, 0}, {0, 0}};
    size_t end = (size - 1) / 64 * 64;
    for (size_t at = 0; at < end; at += 64)
        farm_step(&f, s + at, K1, 1);
    uint64_t mul = K1 + ((f.z & 0xFF) << 1);
    f.w[0] += (size - 1) & 63;
    f.v[0] += f.w[0];
    f.w[0] += f.v[0];
    farm_step(&f, s + size - 64, mul, 9);
    uint64_t u = joined(f.v[0], f.w[0], mul) + mixed(f.y) * K0 + f.z;
    return joined(u, joined(f.v[1], f.w[1], mul) + f.x, mul);
}

uint64_t
fingerprint64(const unsigned char *s, size_t size)
{
    if (size <= 16)
        return farm_to_16(s, size);
    if (size <= 32)
        return farm_to_32(s, size);
    return size <= 64 ? farm_to_64(s, size) : farm_long(s, size);
}

static uint64_t
murmur64(const unsigned char *s, size_t size)
{
    const uint64_t mul = 0xC6A4A7935BD1E995u;
    uint64_t h = 0xDECAFCAFFEu ^ (size * mul);
    size_t whole = size & ~(size_t)7;
    for (size_t at = 0; at < whole; at += 8) {
        uint64_t k = word_at(s + at) * mul;
        h = (h ^ mixed(k) * mul) * mul;
    }
    if (size & 7)
        h = (h ^ little_endian(s + whole, size & 7)) * mul;
    return mixed(mixed(h) * mul);
}

static inline void
sip_round(uint64_t v[4])
{
    v[0] += v[1], v[1] = rotate(v[1], 51) ^ v[0], v[0] = rotate(v[0], 32);
    v[2] += v[3], v[3] = rotate(v[3], 48) ^ v[2];
    v[0] += v[3], v[3] = rotate(v[3], 43) ^ v[0];
    v[2] += v[1], v[1] = rotate(v[1], 47) ^ v[2], v[2] = rotate(v[2], 32);
}

static uint64_t
siphash(const unsigned char *s, size_t size, const uint64_t key[2])
{
    uint64_t v[4] = {key[0] ^ 0x736F6D6570736575u, key[1] ^ 0x646F72616E646F6Du,
                     key[0] ^ 0x6C7967656E657261u, key[1] ^ 0x7465646279746573u};
    size_t whole = size & ~(size_t)7;
    for (size_t at = 0; at <= whole; at += 8) {
        uint64_t word = at < whole
                            ? word_at(s + at)
                            : little_endian(s + whole, size & 7) | (uint64_t)(size & 0xFF) << 56;
        v[3] ^= word;
        sip_round(v), sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xFF;
    for (int i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static PyObject *
hash_buckets(PyObject *self, PyObject *args)
{
    PyObject *strings, *results;
    unsigned long long buckets, k0, k1;
    const char *kind;
    if (!PyArg_ParseTuple(args, "OOKsKK", &strings, &results, &buckets, &kind, &k0, &k1))
        return NULL;
    Array in, out;
    if (take_objects(strings, 0, &in) < 0)
        return NULL;
    if (take_array(results, 8, 1, &out) < 0) {
        release_array(&in);
        return NULL;
    }
    const uint64_t key[2] = {k0, k1};
    int fits = out.count == in.count && buckets > 0;
    for (Py_ssize_t i = 0; fits && i < in.count; i++) {
        Py_ssize_t size;
        const unsigned char *s = (const unsigned char *)string_at(&in, i, &size);
        if (s == NULL)
            break;
        uint64_t hash = kind[0] == 'f'   ? fingerprint64(s, size)
                        : kind[0] == 'm' ? murmur64(s, size)
                                         : siphash(s, size, key);
        ((uint64_t *)out.items)[i] = hash % buckets;
    }
    release_array(&in);
    release_array(&out);
    if (fits && PyErr_Occurred())
        return NULL;
    if (fits)
        Py_RETURN_NONE;
    PyErr_SetString(PyExc_ValueError, "as many results as strings, and at least one bucket");
    return NULL;
}

PyMethodDef hash_methods[] = {
    {"hash_buckets", hash_buckets, METH_VARARGS, "Fill an array with the buckets of strings."},
    {NULL, NULL, 0, NULL},
};
