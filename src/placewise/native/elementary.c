/* Elementary functions of float32 numbers: tanh, erf, exp, log, sin, cos, sqrt, rsqrt. torch takes them from a library
 * that is slow on some processors; `ops/math/elementary.py` says when these are used instead.
 *
 * Each is a polynomial, or a quotient of two, fitted for these intervals; every result is within 2 units in the
 * last place of the exact one (`tests/native/test_elementary.py`). Branches are choices between computed
 * values, so that the compiler makes wide instructions of the loops. Products and sums are fused:
 * the accuracy depends on it, hence a processor without such instructions has none of these.
 */
#include "arrays.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define FUSED __attribute__((target("avx2,fma")))
#define WIDEST __attribute__((target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")))
#define HAS_FUSED (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define HAS_WIDEST                                                                                 \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                    \
     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
#else
#define FUSED
#define WIDEST
#define HAS_FUSED AARCH64
#define HAS_WIDEST 0
#endif
#if defined(__aarch64__)
#define AARCH64 1
#else
#define AARCH64 0
#endif
#define INLINE static inline __attribute__((always_inline)) FUSED

/* Added to a number of moderate size it leaves the nearest integer in the lowest bits. */
#define ROUNDING 12582912.0f
/* Beyond this, what is left of an angle after the quarter turns is not exact enough. */
#define LARGEST_ANGLE 20000.0f

INLINE int32_t
bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE float
float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE float
with_sign_of(float magnitude, float x)
{
    return float_of(bits_of(magnitude) | (bits_of(x) & INT32_MIN));
}

/* e^x = 2^n e^r with |r| below half of log 2. 2^n is two factors: either may be a number although
 * their product is too large or too small for one. */
INLINE float
exp_of(float x)
{
    float a = x > 89.0f ? 89.0f : x; /* nan stays */
    a = a < -104.0f ? -104.0f : a;
    float shifted = fmaf(a, 1.44269504089f, ROUNDING);
    int32_t n = bits_of(shifted) - bits_of(ROUNDING);
    float whole = shifted - ROUNDING;
    float r = fmaf(whole, -0.693145751953125f, a);
    r = fmaf(whole, -1.42860682030941723212e-6f, r);
    float p = fmaf(0.00139505969765f, r, 0.00836895403483f);
    p = fmaf(p, r, 0.0416662042117f);
    p = fmaf(p, r, 0.166665183004f);
    p = fmaf(p, r, 0.500000009568f);
    p = fmaf(p * r, r, r) + 1.0f;
    int32_t half = n >> 1;
    return p * float_of((half + 127) << 23) * float_of((n - half + 127) << 23);
}

/* What is near 1 is 1 minus something small, whose own error counts little: e^2x needs no second
 * step of reduction there. */
INLINE float
tanh_of(float x)
{
    float a = float_of(bits_of(x) & INT32_MAX);
    float z = a * a;
    float near = fmaf(-0.00567856478039f, z, 0.0206173868401f);
    near = fmaf(near, z, -0.0537337448796f);
    near = fmaf(near, z, 0.133313800908f);
    near = fmaf(near, z, -0.333332800592f);
    near = fmaf(near * z, a, a);
    float limited = a > 10.0f ? 10.0f : a; /* 1 from there on; nan stays */
    float shifted = fmaf(limited, 2.88539008178f, ROUNDING);
    float f = fmaf(limited, 2.88539008178f, ROUNDING - shifted);
    float p = fmaf(0.000154719680064f, f, 0.00133905522298f);
    p = fmaf(p, f, 0.00961802235679f);
    p = fmaf(p, f, 0.0555036145686f);
    p = fmaf(p, f, 0.240226511556f);
    p = fmaf(p, f, 0.69314718056f);
    p = fmaf(p, f, 1.0f);
    uint32_t exponent = ((uint32_t)bits_of(shifted) << 23) + (127u << 23);
    float far = 1.0f - 2.0f / fmaf(p, float_of((int32_t)exponent), 1.0f);
    return with_sign_of(a < 0.625f ? near : far, x);
}

/* Beyond 1.15: 1 - erfc, where erfc is the eighth power of 1 / p. */
INLINE float
erf_of(float x)
{
    float a = float_of(bits_of(x) & INT32_MAX);
    float z = a * a;
    float near = fmaf(6.89791001271e-5f, z, -0.000770571471857f);
    near = fmaf(near, z, 0.0051520467243f);
    near = fmaf(near, z, -0.0268339739572f);
    near = fmaf(near, z, 0.112830983624f);
    near = fmaf(near, z, -0.376125826236f);
    near = fmaf(near, z, 0.12837915962f);
    near = fmaf(near, a, a);
    float limited = a > 3.93f ? 3.93f : a; /* 1 from there on; nan stays */
    float p = fmaf(0.000663160557002f, limited, -0.00549048775937f);
    p = fmaf(p, limited, 0.0255594595118f);
    p = fmaf(p, limited, -0.0554126928499f);
    p = fmaf(p, limited, 0.11160538743f);
    p = fmaf(p, limited, 0.011572244519f);
    p = fmaf(p, limited, 0.179907076583f);
    p = fmaf(p, limited, 0.991705851206f);
    p *= p;
    p *= p;
    p *= p;
    return with_sign_of(a < 1.15f ? near : 1.0f - 1.0f / p, x);
}

/* log x = n log 2 + log(1 + f), where 1 + f is between the roots of 1/2 and of 2. */
INLINE float
log_of(float x)
{
    int is_small = x < 1.17549435e-38f; /* no full digits: made larger first */
    float scaled = is_small ? x * 8388608.0f : x;
    int32_t bits = bits_of(scaled);
    int32_t n = (bits - 0x3f3504f3) >> 23;
    float f = float_of(bits - (n << 23)) - 1.0f;
    float whole = (float)n - (is_small ? 23.0f : 0.0f);
    float p = fmaf(0.0674628422639f, f, -0.116754038719f);
    p = fmaf(p, f, 0.118881892608f);
    p = fmaf(p, f, -0.124056324895f);
    p = fmaf(p, f, 0.142195544523f);
    p = fmaf(p, f, -0.166679934896f);
    p = fmaf(p, f, 0.200021184712f);
    p = fmaf(p, f, -0.250000096363f);
    p = fmaf(p, f, 0.333333126069f);
    float square = f * f;
    float rest = fmaf(square * f, p, fmaf(-0.5f, square, whole * 1.42860682030941723212e-6f));
    float y = fmaf(whole, 0.693145751953125f, f + rest);
    y = x == 0.0f ? -INFINITY : y;
    y = x < 0.0f ? NAN : y;
    return x < INFINITY ? y : x; /* inf and nan stay */
}

/* Sine of a moderate angle that is `turned` by some quarters of a circle. */
INLINE float
sin_of(float x, int32_t turned)
{
    float shifted = fmaf(x, 0.636619772368f, ROUNDING);
    int32_t n = bits_of(shifted) - bits_of(ROUNDING) + turned;
    float whole = shifted - ROUNDING;
    float r = fmaf(whole, -1.5707962512969970703f, x);
    r = fmaf(whole, -7.5497894158615963534e-8f, r);
    r = fmaf(whole, -5.3903029534742383927e-15f, r);
    float z = r * r;
    float s = fmaf(-0.000195166414172f, z, 0.00833217341103f);
    s = fmaf(s, z, -0.166666548707f);
    s = fmaf(s * z, r, r);
    float c = fmaf(2.44377258249e-5f, z, -0.00138873614076f);
    c = fmaf(c, z, 0.0416666467468f);
    c = fmaf(c * z, z, fmaf(-0.5f, z, 1.0f));
    float y = n & 1 ? c : s;
    return float_of(bits_of(y) ^ ((n & 2) << 30));
}

/* A loop as `name`, and as `name_wide` for instructions on 16 numbers: the bits are the same. Both arrays
 * may be the same memory. */
#define LOOP_FOR(target, name, expression)                                                         \
    target static void name(const float *x, float *y, Py_ssize_t count)                            \
    {                                                                                              \
        _Pragma("GCC ivdep") for (Py_ssize_t i = 0; i < count; i++)                                \
            y[i] = expression;                                                                     \
    }
#define LOOP(name, expression)                                                                     \
    LOOP_FOR(FUSED, name, expression)                                                              \
    LOOP_FOR(WIDEST, name##_wide, expression)

LOOP(tanh_loop, tanh_of(x[i]))
LOOP(erf_loop, erf_of(x[i]))
LOOP(exp_loop, exp_of(x[i]))
LOOP(log_loop, log_of(x[i]))
LOOP(sqrt_loop, sqrtf(x[i]))
LOOP_FOR(FUSED, rsqrt_loop, 1.0f / sqrtf(x[i]))
LOOP(near_sin_loop, sin_of(x[i], 0))
LOOP(near_cos_loop, sin_of(x[i], 1))

/* Sines of all angles: blocks that have a large one are the C library's. */
#define ANGLES_FOR(target, name, near, library)                                                    \
    target static void name(const float *x, float *y, Py_ssize_t count)                            \
    {                                                                                              \
        for (Py_ssize_t first = 0; first < count; first += 1024) {                                 \
            Py_ssize_t size = count - first < 1024 ? count - first : 1024;                         \
            int are_near = 1;                                                                      \
            for (Py_ssize_t i = 0; i < size; i++)                                                  \
                are_near &= float_of(bits_of(x[first + i]) & INT32_MAX) < LARGEST_ANGLE;           \
            if (are_near)                                                                          \
                near(x + first, y + first, size);                                                  \
            else                                                                                   \
                for (Py_ssize_t i = 0; i < size; i++)                                              \
                    y[first + i] = (float)library(x[first + i]);                                   \
        }                                                                                          \
    }
#define ANGLES(name, near, library)                                                                \
    ANGLES_FOR(FUSED, name, near, library)                                                         \
    ANGLES_FOR(WIDEST, name##_wide, near##_wide, library)

ANGLES(sin_loop, near_sin_loop, sin)
ANGLES(cos_loop, near_cos_loop, cos)

/* A quotient and a root take longer than to read the numbers: instead one step of Newton's method from an
 * estimate, which stays where it is 0, infinite or no number. */
#if defined(__x86_64__) && defined(__GNUC__)
WIDEST static inline __m512
rsqrt_of(__m512 x)
{
    const __m512 near = _mm512_rsqrt14_ps(x);
    const __m512 error = _mm512_fmadd_ps(x * near, near, _mm512_set1_ps(-1.0f));
    const __m512 nearer = _mm512_fmadd_ps(near * -0.5f, error, near);
    return _mm512_mask_mov_ps(nearer, _mm512_cmp_ps_mask(nearer, nearer, _CMP_UNORD_Q), near);
}

WIDEST static void
rsqrt_loop_wide(const float *x, float *y, Py_ssize_t count)
{
    Py_ssize_t i = 0;
    _Pragma("GCC unroll 4") for (; i + 16 <= count; i += 16)
        _mm512_storeu_ps(y + i, rsqrt_of(_mm512_loadu_ps(x + i)));
    const __mmask16 rest = (__mmask16)((1 << (count - i)) - 1);
    _mm512_mask_storeu_ps(y + i, rest, rsqrt_of(_mm512_maskz_loadu_ps(rest, x + i)));
}
#else
#define rsqrt_loop_wide rsqrt_loop
#endif

#define BOTH(name) name##_loop, name##_loop_wide

static const struct {
    const char *name;
    void (*loop)(const float *, float *, Py_ssize_t);
    void (*wide)(const float *, float *, Py_ssize_t);
} LOOPS[] = {
    {"tanh", BOTH(tanh)}, {"erf", BOTH(erf)}, {"exp", BOTH(exp)}, {"log", BOTH(log)},
    {"sqrt", BOTH(sqrt)}, {"rsqrt", BOTH(rsqrt)}, {"sin", BOTH(sin)}, {"cos", BOTH(cos)},
};

/* Fill an array with a function of another; return False where this processor has none of them. */
static PyObject *
elementary(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *o[2];
    if (!PyArg_ParseTuple(args, "sOO", &name, &o[0], &o[1]))
        return NULL;
    if (!HAS_FUSED)
        Py_RETURN_FALSE;
    size_t which = 0, known = sizeof(LOOPS) / sizeof(LOOPS[0]);
    while (which < known && strcmp(LOOPS[which].name, name) != 0)
        which++;
    const Py_ssize_t sizes[2] = {4, 4};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    int fits = which < known && a[0].count == a[1].count;
    Py_BEGIN_ALLOW_THREADS
    if (fits && HAS_WIDEST)
        LOOPS[which].wide(a[0].items, a[1].items, a[0].count);
    else if (fits)
        LOOPS[which].loop(a[0].items, a[1].items, a[0].count);
    Py_END_ALLOW_THREADS
    PyObject *none = finished(a, 2, fits);
    if (none == NULL)
        return NULL;
    Py_DECREF(none);
    Py_RETURN_TRUE;
}

PyMethodDef elementary_methods[] = {
    {"elementary", elementary, METH_VARARGS, "Fill with a function of each number."},
    {NULL, NULL, 0, NULL},
};
