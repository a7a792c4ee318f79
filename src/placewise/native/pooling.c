/* Windows of images with channels last: their maxima and means, and the gradient of the maxima.
 * `ops/nn/max_pooling.py` and `average_pooling.py` have the same in torch, whose kernels keep
 * positions of 8 bytes for each maximum. Sums are in the same order: results agree to the bit.
 */
#include "arrays.h"

#include <float.h>
#include <math.h>

#define LARGEST 0x7FFFFFFF
#define BLOCK 32

typedef struct {
    long long batch, size[2], channels, window[2], step[2], before[2], count[2];
} Geometry;

/* Whether `count` is the product of the sizes, without computing it: it may not be a number. */
static int
is_product(Py_ssize_t count, long long batch, const long long size[2], long long channels)
{
    const long long factors[4] = {batch, size[0], size[1], channels};
    for (int i = 0; i < 4; i++) {
        if (factors[i] < 1 || factors[i] > LARGEST || count % factors[i])
            return 0;
        count /= factors[i];
    }
    return count == 1;
}

static int
is_sound(const Geometry *g, Py_ssize_t images, Py_ssize_t pooled)
{
    for (int i = 0; i < 2; i++)
        if (g->window[i] < 1 || g->window[i] > LARGEST || g->step[i] < 1 || g->step[i] > LARGEST ||
            g->before[i] < 0 || g->before[i] > LARGEST)
            return 0;
    return is_product(images, g->batch, g->size, g->channels) &&
           is_product(pooled, g->batch, g->count, g->channels);
}

/* The part of a window that is inside of the image, along an axis. */
static inline void
inside(const Geometry *g, int axis, long long place, long long *from, long long *to)
{
    long long start = place * g->step[axis] - g->before[axis], end = start + g->window[axis];
    *from = start < 0 ? 0 : start;
    *to = end > g->size[axis] ? g->size[axis] : end;
}

typedef struct {
    const float *first; /* pixel of the window, at the first channel of the block */
    long long rows, columns, row_stride, pixel_stride;
} Window;

/* Pool `n` channels of a window, which stay in registers where `n` is a constant. */
static inline __attribute__((always_inline)) void
pool_window(const Window *w, int n, int is_mean, float *to)
{
    float kept[BLOCK];
    /* NaN is larger than nothing; and there is nothing below the least number. */
    for (int c = 0; c < n; c++)
        kept[c] = is_mean ? 0.0f : -FLT_MAX;
    for (long long i = 0; i < w->rows; i++)
        for (long long j = 0; j < w->columns; j++) {
            const float *pixel = w->first + i * w->row_stride + j * w->pixel_stride;
            for (int c = 0; c < n; c++)
                kept[c] = is_mean ? kept[c] + pixel[c] : pixel[c] > kept[c] ? pixel[c] : kept[c];
        }
    const float covered = (float)(w->rows * w->columns);
    for (int c = 0; c < n; c++)
        to[c] = is_mean ? kept[c] / covered : kept[c];
}

WIDE static void
pool(const Geometry *g, const float *restrict images, float *restrict pooled, int is_mean)
{
    const long long n = g->channels, row = g->size[1] * n;
    long long top, bottom, left, right;
    for (long long b = 0; b < g->batch; b++, images += g->size[0] * row)
        for (long long y = 0; y < g->count[0]; y++)
            for (long long x = 0; x < g->count[1]; x++, pooled += n) {
                inside(g, 0, y, &top, &bottom);
                inside(g, 1, x, &left, &right);
                Window w = {images + top * row + left * n, bottom - top, right - left, row, n};
                long long c = 0;
                for (; c + BLOCK <= n && is_mean; c += BLOCK, w.first += BLOCK)
                    pool_window(&w, BLOCK, 1, pooled + c);
                for (; c + BLOCK <= n; c += BLOCK, w.first += BLOCK)
                    pool_window(&w, BLOCK, 0, pooled + c);
                if (c < n)
                    pool_window(&w, (int)(n - c), is_mean, pooled + c);
            }
}

/* Add the gradients of one window's maxima, for `n` channels, to the first pixel that has each. */
static inline void
add_window_back(const float *restrict images, const float *restrict gradients,
                float *restrict results, long long channels, long long width, const long long rows[2],
                const long long columns[2], int n)
{
    float best[BLOCK];
    int32_t where[BLOCK];
    for (int c = 0; c < n; c++)
        best[c] = -INFINITY, where[c] = (int32_t)(rows[0] * width + columns[0]);
    for (long long i = rows[0]; i < rows[1]; i++)
        for (long long j = columns[0]; j < columns[1]; j++) {
            int32_t place = (int32_t)(i * width + j);
            const float *pixel = images + place * channels;
            for (int c = 0; c < n; c++) {
                int larger = pixel[c] > best[c];
                where[c] = larger ? place : where[c];
                best[c] = larger ? pixel[c] : best[c];
            }
        }
    for (long long i = rows[0]; i < rows[1]; i++)
        for (long long j = columns[0]; j < columns[1]; j++) {
            int32_t place = (int32_t)(i * width + j);
            float *pixel = results + place * channels;
            for (int c = 0; c < n; c++)
                pixel[c] += where[c] == place ? gradients[c] : 0.0f;
        }
}

WIDE static void
add_back(const Geometry *g, const float *images, const float *gradients, float *results)
{
    long long n = g->channels, image = g->size[0] * g->size[1] * n, rows[2], columns[2];
    for (long long b = 0; b < g->batch; b++, images += image, results += image)
        for (long long y = 0; y < g->count[0]; y++)
            for (long long x = 0; x < g->count[1]; x++, gradients += n) {
                inside(g, 0, y, &rows[0], &rows[1]);
                inside(g, 1, x, &columns[0], &columns[1]);
                long long c = 0;
                for (; c + BLOCK <= n; c += BLOCK) /* a number that the compiler knows */
                    add_window_back(images + c, gradients + c, results + c, n, g->size[1], rows,
                                    columns, BLOCK);
                if (c < n)
                    add_window_back(images + c, gradients + c, results + c, n, g->size[1], rows,
                                    columns, (int)(n - c));
            }
}

#define GEOMETRY "(LLLL)(LL)(LL)(LL)(LL)"
#define PARTS(g)                                                                                   \
    &g.batch, &g.size[0], &g.size[1], &g.channels, &g.window[0], &g.window[1], &g.step[0],         \
        &g.step[1], &g.before[0], &g.before[1], &g.count[0], &g.count[1]

static PyObject *
pool_images(PyObject *self, PyObject *args)
{
    PyObject *objects[2];
    Geometry g;
    int is_mean;
    if (!PyArg_ParseTuple(args, "OO" GEOMETRY "p", &objects[0], &objects[1], PARTS(g), &is_mean))
        return NULL;
    const Py_ssize_t sizes[2] = {4, 4};
    Array a[2];
    if (take_arrays(objects, sizes, 2, 1, a) < 0)
        return NULL;
    int fits = is_sound(&g, a[0].count, a[1].count);
    Py_BEGIN_ALLOW_THREADS
    if (fits)
        pool(&g, a[0].items, a[1].items, is_mean);
    Py_END_ALLOW_THREADS
    return finished(a, 2, fits);
}

static PyObject *
max_pool_gradient(PyObject *self, PyObject *args)
{
    PyObject *objects[3];
    Geometry g;
    if (!PyArg_ParseTuple(args, "OOO" GEOMETRY, &objects[0], &objects[1], &objects[2], PARTS(g)))
        return NULL;
    const Py_ssize_t sizes[3] = {4, 4, 4};
    Array a[3];
    if (take_arrays(objects, sizes, 3, 1, a) < 0)
        return NULL;
    int fits = is_sound(&g, a[0].count, a[1].count) && a[2].count == a[0].count &&
               g.size[0] * g.size[1] <= LARGEST;
    Py_BEGIN_ALLOW_THREADS
    if (fits)
        add_back(&g, a[0].items, a[1].items, a[2].items);
    Py_END_ALLOW_THREADS
    return finished(a, 3, fits);
}

PyMethodDef pooling_methods[] = {
    {"pool_images", pool_images, METH_VARARGS, "Fill with the maxima or means of windows."},
    {"max_pool_gradient", max_pool_gradient, METH_VARARGS, "Add gradients to where maxima were."},
    {NULL, NULL, 0, NULL},
};
