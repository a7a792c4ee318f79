/* Products of matrices of float32 with AVX-512, for processors on which the BLAS of torch does without:
 * `ops/linalg/matrix_products.py` says when.
 *
 * An element is the sum over the depth, in order, each product fused into it. Its bits depend neither on
 * the other elements nor on threads.
 */
#include "native.h"
#include "products.h"

#include <stdlib.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define UNROLLED _Pragma("GCC unroll 16")

/* A tile of the result stays in registers: 14 rows of two vectors are 28 of the 32. */
enum { LANES = 16, MOST_ROWS = 14, WIDTH = 2 * LANES };

/* Compute a tile; the last of its vectors has some columns only. `rows` and `vectors` are constants
 * wherever this is called, so that the loops over them are written out. */
AVX512 static inline __attribute__((always_inline)) void
compute_tile(const int rows, const int vectors, int64_t depth, Matrix a, Matrix b, Matrix bias, float *to,
             int64_t stride, __mmask16 last)
{
    __m512 sums[MOST_ROWS][2], factors[2];
    UNROLLED for (int i = 0; i < rows; i++)
        UNROLLED for (int v = 0; v < vectors; v++)
            sums[i][v] = _mm512_setzero_ps();
    for (int64_t k = 0; k < depth; k++) {
        UNROLLED for (int v = 0; v < vectors; v++)
            factors[v] = _mm512_maskz_loadu_ps(v == vectors - 1 ? last : 0xFFFF, b.items + v * LANES);
        UNROLLED for (int i = 0; i < rows; i++) {
            const __m512 factor = _mm512_set1_ps(a.items[i * a.row_stride]);
            UNROLLED for (int v = 0; v < vectors; v++)
                sums[i][v] = _mm512_fmadd_ps(factor, factors[v], sums[i][v]);
        }
        a.items += a.column_stride;
        b.items += b.row_stride;
    }
    UNROLLED for (int i = 0; i < rows; i++)
        UNROLLED for (int v = 0; v < vectors; v++) {
            const __mmask16 some = v == vectors - 1 ? last : 0xFFFF;
            if (bias.items != NULL) /* last, as a step after the product adds it */
                sums[i][v] += _mm512_maskz_loadu_ps(some, bias.items + i * bias.row_stride + v * LANES);
            _mm512_mask_storeu_ps(to + i * stride + v * LANES, some, sums[i][v]);
        }
}

#define TILE(rows)                                                                                 \
    case rows:                                                                                     \
        if (columns > LANES)                                                                       \
            compute_tile(rows, 2, depth, a, b, bias, to, stride, last);                            \
        else                                                                                       \
            compute_tile(rows, 1, depth, a, b, bias, to, stride, last);                            \
        break;

AVX512 static void
compute(int64_t rows, int64_t columns, int64_t depth, Matrix a, Matrix b, Matrix bias, float *to, int64_t stride)
{
    const __mmask16 last = (__mmask16)(0xFFFF >> (columns > LANES ? WIDTH - columns : LANES - columns));
    switch (rows) {
        TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7)
        TILE(8) TILE(9) TILE(10) TILE(11) TILE(12) TILE(13) TILE(14)
    }
}

/* Transpose 16 x 16 numbers: swap the blocks beside the diagonal, then theirs, and so on. */
AVX512 static inline void
transpose_block(const float *from, int64_t stride, int rows, __mmask16 columns, float *to)
{
    __m512 lines[LANES];
    UNROLLED for (int i = 0; i < LANES; i++)
        lines[i] = i < rows ? _mm512_maskz_loadu_ps(columns, from + i * stride) : _mm512_setzero_ps();
    UNROLLED for (int size = LANES / 2; size; size /= 2) {
        const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        const __mmask16 is_second = _mm512_test_epi32_mask(places, _mm512_set1_epi32(size));
        const __m512i offset = _mm512_set1_epi32(LANES - size), by = _mm512_set1_epi32(size);
        const __m512i low = _mm512_mask_add_epi32(places, is_second, places, offset);
        const __m512i high = _mm512_mask_add_epi32(_mm512_add_epi32(places, by), is_second, places,
                                                   _mm512_set1_epi32(LANES));
        UNROLLED for (int i = 0; i < LANES; i++) {
            if (i & size)
                continue;
            const __m512 one = lines[i], other = lines[i + size];
            lines[i] = _mm512_permutex2var_ps(one, low, other);
            lines[i + size] = _mm512_permutex2var_ps(one, high, other);
        }
    }
    UNROLLED for (int i = 0; i < LANES; i++)
        if (columns >> i & 1)
            _mm512_storeu_ps(to + i * WIDTH, lines[i]);
}

/* Write some columns of a matrix that lies by columns as rows of WIDTH numbers. */
AVX512 static void
pack(const float *from, int64_t stride, int64_t columns, int64_t depth, float *to)
{
    for (int64_t k = 0; k < depth; k += LANES) {
        const __mmask16 some = (__mmask16)(depth - k < LANES ? (1 << (depth - k)) - 1 : 0xFFFF);
        for (int64_t j = 0; j < columns; j += LANES)
            transpose_block(from + j * stride + k, stride, columns - j < LANES ? (int)(columns - j) : LANES, some,
                            to + k * WIDTH + j);
    }
}

int
multiply_matrices(int64_t rows, int64_t columns, int64_t depth, Matrix a, Matrix b, Matrix bias, float *to)
{
    const int64_t tiles = (rows + MOST_ROWS - 1) / MOST_ROWS;
    const int is_by_columns = b.column_stride != 1;
    float *packed = is_by_columns ? malloc(depth * WIDTH * sizeof(float)) : NULL;
    if (is_by_columns && packed == NULL)
        return -1;
    for (int64_t j = 0; j < columns; j += WIDTH) {
        const int64_t count = columns - j < WIDTH ? columns - j : WIDTH;
        Matrix panel = {b.items + j, b.row_stride, 1};
        if (is_by_columns) {
            pack(b.items + j * b.column_stride, b.column_stride, count, depth, packed);
            panel = (Matrix){packed, WIDTH, 1};
        }
        /* Tiles of about as many rows each. */
        for (int64_t tile = 0, i = 0; tile < tiles; tile++) {
            const int64_t some = (rows - i + tiles - tile - 1) / (tiles - tile);
            const Matrix part = {a.items + i * a.row_stride, a.row_stride, a.column_stride};
            const Matrix added = {bias.items ? bias.items + i * bias.row_stride + j : NULL, bias.row_stride, 1};
            compute(some, count, depth, part, panel, added, to + i * columns + j, columns);
            i += some;
        }
    }
    free(packed);
    return 0;
}

int
has_wide_products(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#else
int
multiply_matrices(int64_t rows, int64_t columns, int64_t depth, Matrix a, Matrix b, Matrix bias, float *to)
{
    return -1;
}

int
has_wide_products(void)
{
    return 0;
}
#endif

/* From here on others run: to let them costs as much as a small product. */
enum { LONG = 1 << 19 };

/* Multiply matrices by their addresses: rows, columns, depth, then address and strides of each. */
static PyObject *
multiply(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    enum { A = 3, B = 6, BIAS = 9, TO = 12, COUNT };
    int64_t numbers[COUNT];
    if (count != COUNT || !has_wide_products()) {
        PyErr_SetString(PyExc_TypeError, "13 numbers, and a processor with AVX-512, are needed");
        return NULL;
    }
    for (int k = 0; k < COUNT; k++)
        numbers[k] = PyLong_AsLongLong(args[k]);
    if (PyErr_Occurred())
        return NULL;
    const Matrix a = {(const float *)(intptr_t)numbers[A], numbers[A + 1], numbers[A + 2]};
    const Matrix b = {(const float *)(intptr_t)numbers[B], numbers[B + 1], numbers[B + 2]};
    const Matrix bias = {(const float *)(intptr_t)numbers[BIAS], numbers[BIAS + 1], numbers[BIAS + 2]};
    float *to = (float *)(intptr_t)numbers[TO];
    const int64_t rows = numbers[0], columns = numbers[1], depth = numbers[2];
    int failed;
    if (rows * columns * depth < LONG)
        failed = multiply_matrices(rows, columns, depth, a, b, bias, to);
    else {
        Py_BEGIN_ALLOW_THREADS
        failed = multiply_matrices(rows, columns, depth, a, b, bias, to);
        Py_END_ALLOW_THREADS
    }
    if (failed)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *
has_products(PyObject *self, PyObject *nothing)
{
    return PyBool_FromLong(has_wide_products());
}

PyMethodDef product_methods[] = {
    {"multiply", (PyCFunction)(void (*)(void))multiply, METH_FASTCALL, "Multiply matrices."},
    {"has_products", has_products, METH_NOARGS, "Return whether `multiply` runs on this processor."},
    {NULL, NULL, 0, NULL},
};
