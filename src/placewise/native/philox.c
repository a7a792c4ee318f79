/* Random numbers of a Philox stream: uniform, normal, truncated, an order. `ops/random/samples.py`
 * and `ops/random/shuffle.py` have the same in NumPy.
 */
#include "philox.h"

#include <math.h>

#define PAIRS (2 * LANES)

/* log(x) for x in (0, 1] as a double exact to the last bits: 2 atanh((m - 1) / (m + 1)) + e log 2.
 * Rounded to float32 it is the correctly rounded logarithm of every possible sample. */
__attribute__((always_inline)) static inline double
log_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    /* m from sqrt(1/2) to sqrt(2): the bits of sqrt(1/2) are subtracted before the exponent is
     * read. */
    uint64_t shifted = bits - 0x3FE6A09E00000000u;
    int64_t exponent = (int64_t)(shifted & 0xFFF0000000000000u);
    uint64_t mantissa = bits - (uint64_t)exponent;
    double m;
    memcpy(&m, &mantissa, sizeof(m));
    /* The exponent as a double, by its bits: no instruction converts 64-bit integers by fours. */
    uint64_t magic = ((shifted >> 52) ^ 0x800u) | 0x4330000000000000u;
    double e;
    memcpy(&e, &magic, sizeof(e));
    e -= 4503599627370496.0 + 2048.0;
    double s = (m - 1.0) / (m + 1.0), z = s * s;
    double sum = 1.0 / 21;
    sum = sum * z + 1.0 / 19;
    sum = sum * z + 1.0 / 17;
    sum = sum * z + 1.0 / 15;
    sum = sum * z + 1.0 / 13;
    sum = sum * z + 1.0 / 11;
    sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7;
    sum = sum * z + 1.0 / 5;
    sum = sum * z + 1.0 / 3;
    return (s + s) + (s + s) * (z * sum) + e * 0.693147180559945309417;
}

/* Sine and cosine of an angle from 0 to 2 pi, by series within an eighth of the circle. */
__attribute__((always_inline)) static inline void
sine_cosine(double angle, double *sine, double *cosine)
{
    const double round = 6755399441055744.0; /* adding it leaves no fraction */
    double quarter = (angle * 0.636619772367581343076 + round) - round;
    double x = (angle - quarter * 1.57079632673412561417) - quarter * 6.07710050650619224932e-11;
    double z = x * x;
    double s = -1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    s = x + x * (z * s);
    double c = 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    c = c * z - 1.0 / 2.0;
    c = 1.0 + z * c;
    /* Quarter 1 swaps the two, quarter 2 negates them, quarter 3 does both, quarter 4 is 0. */
    double is_odd = quarter - 2.0 * (((quarter * 0.5 - 0.25) + round) - round);
    double a = is_odd == 0.0 ? s : c, b = is_odd == 0.0 ? c : s;
    *sine = (quarter == 2.0 || quarter == 3.0) ? -a : a;
    *cosine = (quarter == 1.0 || quarter == 2.0) ? -b : b;
}

/* Pairs of words to pairs of normal samples: Box and Muller, with float32's roundings. */
__attribute__((always_inline)) static inline void
normals_of(Words words, float samples[LANES][4])
{
    float first[PAIRS], second[PAIRS], radius[PAIRS], sines[PAIRS], cosines[PAIRS];
    for (int i = 0; i < LANES; i++) {
        first[i] = single_of(words[0][i]);
        second[i] = single_of(words[1][i]);
        first[LANES + i] = single_of(words[2][i]);
        second[LANES + i] = single_of(words[3][i]);
    }
    for (int i = 0; i < PAIRS; i++) {
        float bounded = first[i] > 1.0e-7f ? first[i] : 1.0e-7f;
        radius[i] = (float)log_of((double)bounded) * -2.0f;
    }
    for (int i = 0; i < PAIRS; i++)
        radius[i] = sqrtf(radius[i]);
    for (int i = 0; i < PAIRS; i++) {
        float angle = (float)((double)second[i] * 6.28318530717958647693);
        double sine, cosine;
        sine_cosine((double)angle, &sine, &cosine);
        sines[i] = (float)sine;
        cosines[i] = (float)cosine;
    }
    for (int i = 0; i < LANES; i++) {
        samples[i][0] = sines[i] * radius[i];
        samples[i][1] = cosines[i] * radius[i];
        samples[i][2] = sines[LANES + i] * radius[LANES + i];
        samples[i][3] = cosines[LANES + i] * radius[LANES + i];
    }
}

WIDE static void
fill_words(const Place *place, uint32_t *out, Py_ssize_t count)
{
    uint64_t pairs[2 * LANES];
    for (Py_ssize_t at = 0; at < count; at += 4 * LANES) {
        stream_from(place, at / 4, pairs);
        Py_ssize_t end = count - at < 4 * LANES ? count - at : 4 * LANES;
        memcpy(out + at, pairs, end * sizeof(uint32_t));
    }
}

WIDE static void
fill_uniform(const Place *place, float *out, Py_ssize_t count)
{
    uint64_t pairs[2 * LANES];
    float samples[4 * LANES];
    for (Py_ssize_t at = 0; at < count; at += 4 * LANES) {
        stream_from(place, at / 4, pairs);
        for (int i = 0; i < 2 * LANES; i++)
            pairs[i] = (pairs[i] & 0x007FFFFF007FFFFFu) | 0x3F8000003F800000u;
        memcpy(samples, pairs, sizeof(samples));
        for (int i = 0; i < 4 * LANES; i++)
            samples[i] -= 1.0f;
        Py_ssize_t end = count - at < 4 * LANES ? count - at : 4 * LANES;
        memcpy(out + at, samples, end * sizeof(float));
    }
}

WIDE static void
fill_uniform64(const Place *place, double *out, Py_ssize_t count)
{
    Words words;
    for (Py_ssize_t at = 0; at < count; at += 2 * LANES) {
        blocks_from(place, at / 2, words);
        Py_ssize_t end = count - at < 2 * LANES ? count - at : 2 * LANES;
        for (Py_ssize_t i = 0; i < end; i++) {
            int pair = 2 * (i & 1);
            out[at + i] = double_of(words[pair][i >> 1], words[pair + 1][i >> 1]);
        }
    }
}

WIDE static void
fill_normal(const Place *place, float *out, Py_ssize_t count)
{
    Words words;
    float samples[LANES][4];
    for (Py_ssize_t at = 0; at < count; at += 4 * LANES) {
        blocks_from(place, at / 4, words);
        normals_of(words, samples);
        Py_ssize_t end = count - at < 4 * LANES ? count - at : 4 * LANES;
        memcpy(out + at, samples, end * sizeof(float));
    }
}

/* Groups of four samples looked at together, and the blocks set aside for each. */
#define GROUPS 512
#define GROUP_STRIDE 256

WIDE static void
fill_truncated(const Place *place, float *out, Py_ssize_t count)
{
    Words words;
    float samples[LANES][4], kept[GROUPS][4];
    int pending[GROUPS + LANES], lengths[GROUPS];
    for (Py_ssize_t at = 0; at < count; at += 4 * GROUPS) {
        Py_ssize_t left = (count - at + 3) / 4;
        int size = left < GROUPS ? (int)left : GROUPS;
        for (int g = 0; g < size; g++)
            pending[g] = g, lengths[g] = 0;
        /* Each round takes a block more of the groups that are not full yet. */
        for (uint64_t block = 0; size > 0; block++) {
            int remaining = 0;
            for (int begin = 0; begin < size; begin += LANES) {
                uint64_t low[LANES], high[LANES];
                int end = size - begin < LANES ? size - begin : LANES;
                for (int i = 0; i < LANES; i++) {
                    uint64_t group = at / 4 + pending[begin + (i < end ? i : 0)];
                    low[i] = place->low + group * GROUP_STRIDE + block;
                    high[i] = place->high + (low[i] < place->low);
                }
                blocks_at(place->key, low, high, words);
                normals_of(words, samples);
                for (int i = 0; i < end; i++) {
                    int group = pending[begin + i], length = lengths[group];
                    for (int j = 0; j < 4 && length < 4; j++)
                        if (fabsf(samples[i][j]) < 2.0f)
                            kept[group][length++] = samples[i][j];
                    lengths[group] = length;
                    if (length < 4)
                        pending[remaining++] = group;
                }
            }
            size = remaining;
        }
        Py_ssize_t end = count - at < 4 * GROUPS ? count - at : 4 * GROUPS;
        memcpy(out + at, kept, end * sizeof(float));
    }
}

/* Fisher and Yates, from the front. */
static void
fill_order(const Place *place, int32_t *order, Py_ssize_t count)
{
    uint32_t words[4096];
    for (Py_ssize_t i = 0; i < count; i++)
        order[i] = (int32_t)i;
    for (Py_ssize_t at = 0; at + 1 < count; at += 4096) {
        Py_ssize_t end = count - 1 - at < 4096 ? count - 1 - at : 4096;
        Place here = {place->key, place->low + at / 4, place->high};
        here.high += here.low < place->low;
        fill_words(&here, words, end);
        for (Py_ssize_t i = 0; i < end; i++) {
            Py_ssize_t other = at + i + words[i] % (uint32_t)(count - at - i);
            int32_t moved = order[at + i];
            order[at + i] = order[other];
            order[other] = moved;
        }
    }
}

typedef void (*Filler)(const Place *, void *, Py_ssize_t);

static PyObject *
filled(PyObject *args, Py_ssize_t size, Filler fill)
{
    unsigned long long key, low, high;
    PyObject *results;
    if (!PyArg_ParseTuple(args, "KKKO", &key, &low, &high, &results))
        return NULL;
    Array out;
    if (take_array(results, size, 1, &out) < 0)
        return NULL;
    Place place = {key, low, high};
    Py_BEGIN_ALLOW_THREADS
    fill(&place, out.items, out.count);
    Py_END_ALLOW_THREADS
    release_array(&out);
    Py_RETURN_NONE;
}

#define METHOD(name, size)                                                                         \
    static PyObject *philox_##name(PyObject *self, PyObject *args)                                 \
    {                                                                                              \
        return filled(args, size, (Filler)fill_##name);                                            \
    }

METHOD(words, 4)
METHOD(uniform, 4)
METHOD(uniform64, 8)
METHOD(normal, 4)
METHOD(truncated, 4)
METHOD(order, 4)

PyMethodDef philox_methods[] = {
    {"philox_words", philox_words, METH_VARARGS, "Fill uint32 with the words of a stream."},
    {"philox_uniform", philox_uniform, METH_VARARGS, "Fill float32 with samples in [0, 1)."},
    {"philox_uniform64", philox_uniform64, METH_VARARGS, "Fill float64 with samples in [0, 1)."},
    {"philox_normal", philox_normal, METH_VARARGS, "Fill float32 with normal samples."},
    {"philox_truncated", philox_truncated, METH_VARARGS,
     "Fill float32 with normal samples within two deviations."},
    {"philox_order", philox_order, METH_VARARGS, "Fill int32 with a random order."},
    {NULL, NULL, 0, NULL},
};
