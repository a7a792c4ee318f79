/* Images of float32, channels last: resized, cropped, coloured; and boxes that suppress each other.
 * The kernels of `ops/image` have the same in torch and NumPy.
 */
#include "arrays.h"

#include <math.h>
#include <stdlib.h>

/* Rows [batch, old, width] resampled to [batch, new, width] by taps along the middle axis. */
WIDE static void
resample_rows(const float *x, Py_ssize_t batch, Py_ssize_t old, Py_ssize_t width,
              const int64_t *places, const float *weights, Py_ssize_t new, Py_ssize_t taps,
              float *out)
{
    for (Py_ssize_t b = 0; b < batch; b++)
        for (Py_ssize_t y = 0; y < new; y++) {
            float *to = out + (b * new + y) * width;
            for (Py_ssize_t k = 0; k < taps; k++) {
                const float *from = x + (b * old + places[y * taps + k]) * width;
                float weight = weights[y * taps + k];
                if (k == 0)
                    for (Py_ssize_t i = 0; i < width; i++)
                        to[i] = from[i] * weight;
                else if (weight != 0.0f)
                    for (Py_ssize_t i = 0; i < width; i++)
                        to[i] += from[i] * weight;
            }
        }
}

/* Columns [rows, old, channels] resampled to [rows, new, channels]. */
__attribute__((always_inline)) static inline void
resample_row(const float *from, const int64_t *places, const float *weights, Py_ssize_t new,
             Py_ssize_t taps, Py_ssize_t channels, float *to)
{
    for (Py_ssize_t x = 0; x < new; x++, to += channels) {
        for (Py_ssize_t c = 0; c < channels; c++)
            to[c] = from[places[x * taps] * channels + c] * weights[x * taps];
        for (Py_ssize_t k = 1; k < taps; k++)
            for (Py_ssize_t c = 0; c < channels; c++)
                to[c] += from[places[x * taps + k] * channels + c] * weights[x * taps + k];
    }
}

static void
resample_columns(const float *x, Py_ssize_t rows, Py_ssize_t old, Py_ssize_t channels,
                 const int64_t *places, const float *weights, Py_ssize_t new, Py_ssize_t taps,
                 float *out)
{
    for (Py_ssize_t r = 0; r < rows; r++, x += old * channels, out += new * channels)
        if (channels == 3)
            resample_row(x, places, weights, new, taps, 3, out);
        else if (channels == 1)
            resample_row(x, places, weights, new, taps, 1, out);
        else
            resample_row(x, places, weights, new, taps, channels, out);
}

static PyObject *
resample(PyObject *self, PyObject *args)
{
    PyObject *objects[4]; /* x [outer, old, inner], places and weights [new, taps], out */
    Py_ssize_t outer, old, inner;
    if (!PyArg_ParseTuple(args, "OOOOnnn", &objects[0], &objects[1], &objects[2], &objects[3],
                          &outer, &old, &inner))
        return NULL;
    const Py_ssize_t sizes[4] = {4, 8, 4, 4};
    Array a[4];
    if (take_arrays(objects, sizes, 4, 1, a) < 0)
        return NULL;
    Py_ssize_t around = outer * inner, new = around > 0 ? a[3].count / around : 0;
    Py_ssize_t taps = new > 0 ? a[1].count / new : 0;
    int fits = around > 0 && taps > 0 && a[0].count == around * old &&
               a[3].count == around * new && a[1].count == new * taps &&
               a[2].count == a[1].count;
    for (Py_ssize_t i = 0; fits && i < a[1].count; i++)
        fits = ((int64_t *)a[1].items)[i] >= 0 && ((int64_t *)a[1].items)[i] < old;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        (inner < 8 ? resample_columns : resample_rows)(
            a[0].items, outer, old, inner, a[1].items, a[2].items, new, taps, a[3].items);
        Py_END_ALLOW_THREADS
    }
    return finished(a, 4, fits);
}

/* One row between two, and pixels between their neighbours: a + (b - a) * part, so that equal
 * pixels stay equal. */
WIDE static void
blend_rows(const float *a, const float *b, float part, Py_ssize_t width, float *out)
{
    for (Py_ssize_t i = 0; i < width; i++)
        out[i] = a[i] + (b[i] - a[i]) * part;
}

__attribute__((always_inline)) static inline void
blend_row(const float *row, const int64_t *lower, const int64_t *upper, const float *part,
          Py_ssize_t new, Py_ssize_t channels, float *out)
{
    for (Py_ssize_t x = 0; x < new; x++, out += channels) {
        const float *left = row + lower[x] * channels, *right = row + upper[x] * channels;
        for (Py_ssize_t c = 0; c < channels; c++)
            out[c] = left[c] + (right[c] - left[c]) * part[x];
    }
}

#if defined(__GNUC__)
/* The same for three channels, four numbers at once: `row` and `out` have one number more. */
static void
blend_row_of_3(const float *row, const int64_t *lower, const int64_t *upper, const float *part,
               Py_ssize_t new, float *out)
{
    typedef float Four __attribute__((vector_size(16)));
    for (Py_ssize_t x = 0; x < new; x++, out += 3) {
        Four left, right;
        memcpy(&left, row + lower[x] * 3, sizeof left);
        memcpy(&right, row + upper[x] * 3, sizeof right);
        left = left + (right - left) * part[x];
        memcpy(out, &left, sizeof left);
    }
}
#else
#define blend_row_of_3(row, lower, upper, part, new, out) \
    blend_row(row, lower, upper, part, new, 3, out)
#endif

static void
blend_columns(const float *row, const int64_t *lower, const int64_t *upper, const float *part,
              Py_ssize_t new, Py_ssize_t channels, float *out)
{
    if (channels == 3)
        blend_row_of_3(row, lower, upper, part, new, out);
    else if (channels == 1)
        blend_row(row, lower, upper, part, new, 1, out);
    else
        blend_row(row, lower, upper, part, new, channels, out);
}

WIDE static void
widen_row(const uint8_t *row, Py_ssize_t width, float *out)
{
    for (Py_ssize_t i = 0; i < width; i++)
        out[i] = row[i];
}

static int
are_inside(const Array *places, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < places->count; i++)
        if (((int64_t *)places->items)[i] < 0 || ((int64_t *)places->items)[i] >= size)
            return 0;
    return 1;
}

/* Images of float32 or uint8. The scratch is of two rows of the result and one of the images, and
 * each of them has a number more than it needs. */
static PyObject *
resize_bilinear(PyObject *self, PyObject *args)
{
    PyObject *o[9]; /* x, rows' lower, upper, part; columns'; scratch, out */
    Py_ssize_t batch, height, width, channels, bytes;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOnnnnn", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6],
                          &o[7], &o[8], &batch, &height, &width, &channels, &bytes))
        return NULL;
    const Py_ssize_t sizes[9] = {bytes == 1 ? 1 : 4, 8, 8, 4, 8, 8, 4, 4, 4};
    Array a[9];
    if (take_arrays(o, sizes, 9, 2, a) < 0)
        return NULL;
    Py_ssize_t rows = a[3].count, columns = a[6].count, stride = columns * channels;
    Py_ssize_t line = width * channels;
    int fits = a[0].count == batch * height * line && a[1].count == rows &&
               a[2].count == rows && a[4].count == columns && a[5].count == columns &&
               a[7].count == 2 * (stride + 1) + line + 1 &&
               a[8].count == batch * rows * stride && are_inside(&a[1], height) &&
               are_inside(&a[2], height) && are_inside(&a[4], width) && are_inside(&a[5], width);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        const int64_t *tops = a[1].items, *bottoms = a[2].items;
        float *out = a[8].items, *scratch = a[7].items, *row = scratch + 2 * (stride + 1);
        row[line] = 0;
        for (Py_ssize_t b = 0; b < batch; b++) {
            const char *image = (const char *)a[0].items + b * height * line * sizes[0];
            float *blended[2] = {scratch, scratch + stride + 1};
            int64_t held[2] = {-1, -1}; /* which rows the two are */
            for (Py_ssize_t y = 0; y < rows; y++, out += stride) {
                int64_t wanted[2] = {tops[y], bottoms[y]};
                if (held[1] == wanted[0]) { /* the row below is now the one above */
                    float *moved = blended[0];
                    blended[0] = blended[1], blended[1] = moved;
                    held[1] = held[0], held[0] = wanted[0];
                }
                for (int i = 0; i < 2; i++)
                    if (held[i] != wanted[i]) {
                        const char *from = image + wanted[i] * line * sizes[0];
                        if (sizes[0] == 1)
                            widen_row((const uint8_t *)from, line, row);
                        else
                            memcpy(row, from, line * sizeof(float));
                        blend_columns(row, a[4].items, a[5].items, a[6].items, columns, channels,
                                      blended[i]);
                        held[i] = wanted[i];
                    }
                blend_rows(blended[0], blended[1], ((float *)a[3].items)[y], stride, out);
            }
        }
        Py_END_ALLOW_THREADS
    }
    return finished(a, 9, fits);
}

/* Where a sample lies along an axis, the pixels around and the part of the way between them. */
typedef struct {
    int64_t lower, upper;
    float part;
    int inside;
} Sample;

static Sample
sample_at(float start, float end, Py_ssize_t old, Py_ssize_t new, Py_ssize_t at)
{
    float last = (float)(old - 1), place;
    if (new > 1) {
        float scale = (end - start) * last / (float)(new - 1);
        place = start * last + (float)at * scale;
    } else
        place = 0.5f * (start + end) * last;
    Sample sample = {0, 0, 0.0f, place >= 0 && place <= last};
    if (sample.inside) {
        float floor_of = floorf(place);
        sample.lower = (int64_t)floor_of;
        sample.upper = (int64_t)ceilf(place);
        sample.part = place - floor_of;
    }
    return sample;
}

static PyObject *
crop_and_resize(PyObject *self, PyObject *args)
{
    PyObject *o[4]; /* images, boxes, their images' indices; crops */
    Py_ssize_t batch, height, width, channels, rows, columns;
    float outside;
    if (!PyArg_ParseTuple(args, "OOOOnnnnnnf", &o[0], &o[1], &o[2], &o[3], &batch, &height, &width,
                          &channels, &rows, &columns, &outside))
        return NULL;
    const Py_ssize_t sizes[4] = {4, 4, 8, 4};
    Array a[4];
    if (take_arrays(o, sizes, 4, 1, a) < 0)
        return NULL;
    Py_ssize_t count = a[2].count;
    int fits = a[0].count == batch * height * width * channels && a[1].count == 4 * count &&
               a[3].count == count * rows * columns * channels && are_inside(&a[2], batch);
    Sample *samples = fits ? malloc((columns + 1) * sizeof(Sample)) : NULL;
    if (fits && samples == NULL) {
        release_arrays(a, 4);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
    float *out = a[3].items;
    for (Py_ssize_t i = 0; fits && i < count; i++) {
        const float *box = (const float *)a[1].items + 4 * i;
        for (Py_ssize_t x = 0; x < columns; x++)
            samples[x] = sample_at(box[1], box[3], width, columns, x);
        const float *image =
            (const float *)a[0].items + ((int64_t *)a[2].items)[i] * height * width * channels;
        for (Py_ssize_t y = 0; y < rows; y++) {
            Sample down = sample_at(box[0], box[2], height, rows, y);
            const float *top = image + down.lower * width * channels;
            const float *bottom = image + down.upper * width * channels;
            for (Py_ssize_t x = 0; x < columns; x++, out += channels) {
                const Sample across = samples[x];
                Py_ssize_t left = across.lower * channels, right = across.upper * channels;
                for (Py_ssize_t c = 0; c < channels; c++) {
                    float above = top[left + c] + (top[right + c] - top[left + c]) * across.part;
                    float below =
                        bottom[left + c] + (bottom[right + c] - bottom[left + c]) * across.part;
                    out[c] = down.inside && across.inside ? above + (below - above) * down.part
                                                          : outside;
                }
            }
        }
    }
    Py_END_ALLOW_THREADS
    free(samples);
    return finished(a, 4, fits);
}

/* Colours, some pixels at a time, channel by channel and without branches: compilers make wide
 * instructions of that. */
#define PIXELS 64

/* One of two by bits: of the operator, compilers make a branch. */
__attribute__((always_inline)) static inline float
either(int condition, float a, float b)
{
    uint32_t mask = -(uint32_t)condition, x, y;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    x = (x & mask) | (y & ~mask);
    memcpy(&a, &x, sizeof(a));
    return a;
}

__attribute__((always_inline)) static inline float
clamped(float x)
{
    x = either(x < 0.0f, 0.0f, x);
    return either(x > 1.0f, 1.0f, x);
}

/* The largest and smallest channel; NaN if any is. */
__attribute__((always_inline)) static inline void
ends_of(float r, float g, float b, float *high, float *low)
{
    float most = either(r > g, r, g), least = either(r < g, r, g);
    int is_nan = (r != r) | (g != g) | (b != b);
    *high = either(is_nan, NAN, either(most > b, most, b));
    *low = either(is_nan, NAN, either(least < b, least, b));
}

__attribute__((always_inline)) static inline void
to_hsv(float r, float g, float b, float *hue, float *saturation, float *value)
{
    float high, low;
    ends_of(r, g, b, &high, &low);
    float span = high - low;
    float turn = 1.0f / (6.0f * either(span > 0.0f, span, 1.0f));
    float h = either(g == high, turn * (b - r) + (float)(2.0 / 6), turn * (r - g) + (float)(4.0 / 6));
    h = either(r == high, turn * (g - b), h);
    h = either(span > 0.0f, h, 0.0f);
    *hue = either(h < 0.0f, h + 1.0f, h);
    *saturation = either(high > 0.0f, span / either(high > 0.0f, high, 1.0f), 0.0f);
    *value = high;
}

WIDE static void
turn_hue(const float *r, const float *g, const float *b, float *restrict x, float *restrict y,
         float *restrict z, float turn)
{
    for (int i = 0; i < PIXELS; i++) {
        float high, low;
        ends_of(r[i], g[i], b[i], &high, &low);
        float span = high - low, scale = 1.0f / either(span > 0.0f, span, 1.0f);
        float h = either(g[i] == high, (b[i] - r[i]) * scale + 2.0f, (r[i] - g[i]) * scale + 4.0f);
        h = either(r[i] == high, (g[i] - b[i]) * scale, h);
        h = either(span > 0.0f, h, 0.0f) + turn;
        h = either(h >= 6.0f, h - 6.0f, h);
        h = either(h < 0.0f, h + 6.0f, h);
        h = either(h < 0.0f, h + 6.0f, h);
        x[i] = low + clamped(fabsf(h - 3.0f) - 1.0f) * span;
        y[i] = low + clamped(2.0f - fabsf(h - 2.0f)) * span;
        z[i] = low + clamped(2.0f - fabsf(h - 4.0f)) * span;
    }
}

WIDE static void
make_hsv(const float *r, const float *g, const float *b, float *restrict x, float *restrict y,
         float *restrict z, float unused)
{
    for (int i = 0; i < PIXELS; i++)
        to_hsv(r[i], g[i], b[i], &x[i], &y[i], &z[i]);
}

WIDE static void
scale_saturation(const float *r, const float *g, const float *b, float *restrict x,
                 float *restrict y, float *restrict z, float scale)
{
    for (int i = 0; i < PIXELS; i++) {
        float hue, saturation, value;
        to_hsv(r[i], g[i], b[i], &hue, &saturation, &value);
        float turn = hue * 6.0f;
        saturation = clamped(saturation * scale);
        float rest = 1.0f - saturation;
        x[i] = (rest + saturation * clamped(fabsf(turn - 3.0f) - 1.0f)) * value;
        y[i] = (rest + saturation * clamped(2.0f - fabsf(turn - 2.0f))) * value;
        z[i] = (rest + saturation * clamped(2.0f - fabsf(turn - 4.0f))) * value;
    }
}

typedef void (*Recolor)(const float *, const float *, const float *, float *, float *, float *,
                        float);

static void
recolor_all(const float *in, float *out, Py_ssize_t pixels, Recolor change, float amount)
{
    float from[3][PIXELS] = {{0}}, to[3][PIXELS];
    for (Py_ssize_t at = 0; at < pixels; at += PIXELS, in += 3 * PIXELS, out += 3 * PIXELS) {
        int size = pixels - at < PIXELS ? (int)(pixels - at) : PIXELS;
        for (int i = 0; i < size; i++)
            from[0][i] = in[3 * i], from[1][i] = in[3 * i + 1], from[2][i] = in[3 * i + 2];
        change(from[0], from[1], from[2], to[0], to[1], to[2], amount);
        for (int i = 0; i < size; i++)
            out[3 * i] = to[0][i], out[3 * i + 1] = to[1][i], out[3 * i + 2] = to[2][i];
    }
}

static PyObject *
recolor(PyObject *self, PyObject *args)
{
    PyObject *o[2];
    const char *how;
    float amount;
    if (!PyArg_ParseTuple(args, "OOsf", &o[0], &o[1], &how, &amount))
        return NULL;
    const Py_ssize_t sizes[2] = {4, 4};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    int fits = a[0].count == a[1].count && a[0].count % 3 == 0;
    Recolor change = strcmp(how, "hue") == 0          ? turn_hue
                     : strcmp(how, "saturation") == 0 ? scale_saturation
                                                      : make_hsv;
    if (fits) {
        if (change == turn_hue) /* within one turn: hues lie from -6 to 12 then */
            amount = fmodf(amount, 6.0f);
        Py_BEGIN_ALLOW_THREADS
        recolor_all(a[0].items, a[1].items, a[0].count / 3, change, amount);
        Py_END_ALLOW_THREADS
    }
    return finished(a, 2, fits);
}

/* Each channel's distance from its mean over an image, times a factor. */
WIDE static void
stretch_contrast(const float *image, Py_ssize_t pixels, Py_ssize_t channels, float factor,
                 float *out)
{
    /* A run of pixels whose length is a multiple of the channels has its means side by side. */
    float means[96];
    double sums[96] = {0}, totals[96] = {0};
    Py_ssize_t size = pixels * channels, whole = 96 / channels * channels, at = 0;
    for (; at + whole <= size; at += whole)
        for (Py_ssize_t i = 0; i < whole; i++)
            sums[i] += image[at + i];
    for (Py_ssize_t i = 0; at + i < size; i++)
        sums[i] += image[at + i];
    for (Py_ssize_t i = 0; i < whole; i++)
        totals[i % channels] += sums[i];
    for (Py_ssize_t i = 0; i < whole; i++)
        means[i] = (float)(totals[i % channels] / (double)pixels);
    for (at = 0; at < size; at += whole) {
        Py_ssize_t end = size - at < whole ? size - at : whole;
        for (Py_ssize_t i = 0; i < end; i++)
            out[at + i] = (image[at + i] - means[i]) * factor + means[i];
    }
}

static PyObject *
contrast(PyObject *self, PyObject *args)
{
    PyObject *o[2];
    Py_ssize_t batch, channels;
    float factor;
    if (!PyArg_ParseTuple(args, "OOnnf", &o[0], &o[1], &batch, &channels, &factor))
        return NULL;
    const Py_ssize_t sizes[2] = {4, 4};
    Array a[2];
    if (take_arrays(o, sizes, 2, 1, a) < 0)
        return NULL;
    Py_ssize_t pixels = batch > 0 && channels > 0 ? a[0].count / (batch * channels) : 0;
    int fits = pixels > 0 && channels <= 96 && a[0].count == a[1].count &&
               a[0].count == batch * pixels * channels;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t b = 0; fits && b < batch; b++)
        stretch_contrast((float *)a[0].items + b * pixels * channels, pixels, channels, factor,
                         (float *)a[1].items + b * pixels * channels);
    Py_END_ALLOW_THREADS
    return finished(a, 2, fits);
}

/* Of boxes, best first: which stay; returns how many. Any two opposite corners make a box. */
static PyObject *
suppress(PyObject *self, PyObject *args)
{
    PyObject *o[4]; /* boxes, their order; scratch for the kept boxes, numbers of the kept */
    float threshold;
    if (!PyArg_ParseTuple(args, "OOOOf", &o[0], &o[1], &o[2], &o[3], &threshold))
        return NULL;
    const Py_ssize_t sizes[4] = {4, 8, 4, 4};
    Array a[4];
    if (take_arrays(o, sizes, 4, 2, a) < 0)
        return NULL;
    const float *boxes = a[0].items;
    const int64_t *order = a[1].items;
    float *corners = a[2].items;
    int32_t *kept = a[3].items;
    Py_ssize_t limit = a[3].count, size = 0;
    if (!are_inside(&a[1], a[0].count / 4) || a[2].count != 4 * limit)
        return finished(a, 4, 0);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < a[1].count && size < limit; i++) {
        const float *box = boxes + 4 * order[i];
        float top = box[0] < box[2] ? box[0] : box[2], bottom = box[0] < box[2] ? box[2] : box[0];
        float left = box[1] < box[3] ? box[1] : box[3], right = box[1] < box[3] ? box[3] : box[1];
        float own = (bottom - top) * (right - left);
        int stays = 1;
        for (Py_ssize_t j = 0; stays && own > 0.0f && j < size; j++) {
            const float *other = corners + 4 * j;
            float high = (bottom < other[2] ? bottom : other[2]) - (top > other[0] ? top : other[0]);
            float wide = (right < other[3] ? right : other[3]) - (left > other[1] ? left : other[1]);
            if (!(high > 0.0f && wide > 0.0f))
                continue;
            float area = (other[2] - other[0]) * (other[3] - other[1]), shared = high * wide;
            stays = area <= 0.0f || !(shared / (area + own - shared) > threshold);
        }
        if (stays) {
            corners[4 * size] = top, corners[4 * size + 1] = left;
            corners[4 * size + 2] = bottom, corners[4 * size + 3] = right;
            kept[size++] = (int32_t)order[i];
        }
    }
    Py_END_ALLOW_THREADS
    release_arrays(a, 4);
    return PyLong_FromSsize_t(size);
}

/* Where a box begins or ends, cut to a whole pixel; what is no number is very low. */
static inline int64_t
edge_at(float part, Py_ssize_t size)
{
    float place = part * (float)(size - 1);
    if (!isfinite(place) || place < -1e18f)
        return INT64_MIN;
    return place > 1e18f ? INT64_MAX : (int64_t)place;
}

/* Fill pixels of a column (`step` a row) or a row (`step` a pixel) with a color. */
static inline void
draw_line(char *at, Py_ssize_t step, int64_t count, const char *color, Py_ssize_t pixel)
{
    for (int64_t i = 0; i < count; i++, at += step)
        memcpy(at, color, pixel);
}

static void
draw_box(char *image, Py_ssize_t height, Py_ssize_t width, Py_ssize_t pixel, const float *box,
         const char *color)
{
    int64_t y1 = edge_at(box[0], height), x1 = edge_at(box[1], width);
    int64_t y2 = edge_at(box[2], height), x2 = edge_at(box[3], width);
    if (y1 > y2 || x1 > x2 || y1 >= height || y2 < 0 || x1 >= width || x2 < 0)
        return;
    int64_t top = y1 < 0 ? 0 : y1, bottom = y2 < height ? y2 : height - 1;
    int64_t left = x1 < 0 ? 0 : x1, right = x2 < width ? x2 : width - 1;
    Py_ssize_t row = width * pixel;
    char *corner = image + top * row + left * pixel;
    if (y1 >= 0)
        draw_line(corner, pixel, right - left + 1, color, pixel);
    if (y2 < height)
        draw_line(image + bottom * row + left * pixel, pixel, right - left + 1, color, pixel);
    if (x1 >= 0)
        draw_line(corner, row, bottom - top + 1, color, pixel);
    if (x2 < width)
        draw_line(image + top * row + right * pixel, row, bottom - top + 1, color, pixel);
}

/* Draw boxes into images, as bytes; the shape is batch, height, width, bytes of a pixel. */
static PyObject *
draw_boxes(PyObject *self, PyObject *args)
{
    PyObject *o[3]; /* boxes, colors, images */
    Py_ssize_t batch, height, width, pixel;
    if (!PyArg_ParseTuple(args, "OOO(nnnn)", &o[2], &o[0], &o[1], &batch, &height, &width, &pixel))
        return NULL;
    const Py_ssize_t sizes[3] = {4, 1, 1};
    Array a[3];
    if (take_arrays(o, sizes, 3, 1, a) < 0)
        return NULL;
    int fits = batch > 0 && height > 0 && width > 0 && pixel > 0 && a[2].count % batch == 0 &&
               a[2].count / batch % height == 0 && a[2].count / batch / height % width == 0 &&
               a[2].count / batch / height / width == pixel && a[0].count % 4 == 0 &&
               a[0].count / 4 % batch == 0 && a[1].count >= pixel && a[1].count % pixel == 0;
    Py_ssize_t boxes = fits ? a[0].count / 4 / batch : 0, colors = fits ? a[1].count / pixel : 0;
    const float *box = a[0].items;
    char *image = a[2].items;
    for (Py_ssize_t b = 0; fits && b < batch; b++, image += height * width * pixel)
        for (Py_ssize_t i = 0; i < boxes; i++, box += 4)
            draw_box(image, height, width, pixel, box,
                     (const char *)a[1].items + i % colors * pixel);
    return finished(a, 3, fits);
}

PyMethodDef images_methods[] = {
    {"resample", resample, METH_VARARGS, "Fill with weighted sums along an axis."},
    {"resize_bilinear", resize_bilinear, METH_VARARGS, "Fill with images of another size."},
    {"crop_and_resize", crop_and_resize, METH_VARARGS, "Fill with crops of images."},
    {"contrast", contrast, METH_VARARGS, "Fill with images of another contrast."},
    {"recolor", recolor, METH_VARARGS, "Fill with pixels of another hue, saturation, or as HSV."},
    {"draw_boxes", draw_boxes, METH_VARARGS, "Draw boxes into images."},
    {"suppress", suppress, METH_VARARGS, "Fill with the boxes that stay; return how many."},
    {NULL, NULL, 0, NULL},
};
