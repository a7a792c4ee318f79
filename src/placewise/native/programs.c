/* Programs of plans, as `planning/scripts/programs.py` writes them: parts on float32 tensors that run
 * one after the other. What lies between them is in memory that nobody else sees.
 *
 * A program is int32 words: a header, where each value between parts begins in that memory, then the
 * parts: kind and number of words, then the words. Addresses are numbered: those that the caller
 * passes, then the values between parts.
 */
#include "native.h"
#include "products.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { ELEMENTWISE, PRODUCT, SUM, COPY, OWN_PRODUCT };
enum { MOST_ADDRESSES = 4096, ALIGNMENT = 64, KEPT = 1 << 18, LEVELS = 4, COLUMNS = 256 };

/* Of the BLAS: all arguments are addresses. Its whole numbers are of 32 or 64 bits; those passed are
 * small numbers of 64, which reads well as either on processors that are little-endian. */
typedef void (*Sgemm)(const char *, const char *, const int64_t *, const int64_t *, const int64_t *,
                      const float *, const float *, const int64_t *, const float *, const int64_t *,
                      const float *, float *, const int64_t *);

static Sgemm sgemm;

typedef struct {
    int32_t addresses, between, room, parts;
} Header;

typedef struct {
    int32_t address, offset, stride; /* `stride` is from row to row */
} Place;

typedef struct {
    int32_t rows, columns, depth, is_a_transposed, is_b_transposed;
    Place a, b, bias; /* the address of a bias that is not there is -1 */
    int32_t target;
} Product;

typedef struct {
    int32_t rows, columns;
    Place from, to;
} Rows;

/* See `elementwise.c`. */
int run_elements(const int32_t *words, int64_t count, float *const *addresses, int64_t addressed);

static void
multiply(const Product *part, float *const *at)
{
    const char flags[] = {'N', 'T'};
    const int64_t rows = part->rows, columns = part->columns, depth = part->depth;
    const int64_t a_stride = part->a.stride, b_stride = part->b.stride;
    float *target = at[part->target];
    const float one = 1.0f, beta = part->bias.address < 0 ? 0.0f : 1.0f;
    if (part->bias.address >= 0) {
        const float *bias = at[part->bias.address] + part->bias.offset;
        for (int64_t row = 0; row < rows; row++)
            memcpy(target + row * columns, bias + row * part->bias.stride, columns * sizeof(float));
    }
    /* By columns, as the BLAS has it, the product is that of the transposed ones in other order. */
    sgemm(&flags[part->is_b_transposed], &flags[part->is_a_transposed], &columns, &rows, &depth, &one,
          at[part->b.address] + part->b.offset, &b_stride, at[part->a.address] + part->a.offset, &a_stride,
          &beta, target, &columns);
}

/* The same by `products.c`; return -2 without memory. */
static int
multiply_wide(const Product *part, float *const *at)
{
    const Place *a = &part->a, *b = &part->b, *bias = &part->bias;
    const Matrix first = {at[a->address] + a->offset, part->is_a_transposed ? 1 : a->stride,
                          part->is_a_transposed ? a->stride : 1};
    const Matrix second = {at[b->address] + b->offset, part->is_b_transposed ? 1 : b->stride,
                           part->is_b_transposed ? b->stride : 1};
    const Matrix added = {bias->address < 0 ? NULL : at[bias->address] + bias->offset, bias->stride, 1};
    return 2 * multiply_matrices(part->rows, part->columns, part->depth, first, second, added, at[part->target]);
}

/* Add rows as torch adds them: sixteen, and what these give again in sixteens. */
WIDE static void
add_in_order(const float *from, int64_t stride, int32_t rows, int32_t count, float *to)
{
    float sums[LEVELS][COLUMNS];
    memset(sums, 0, sizeof(sums));
    for (int32_t row = 0; row < rows; from += stride) {
        for (int32_t i = 0; i < count; i++)
            sums[0][i] += from[i];
        row++;
        if (row % 16)
            continue;
        for (int32_t level = 1; level < LEVELS; level++) {
            for (int32_t i = 0; i < count; i++) {
                sums[level][i] += sums[level - 1][i];
                sums[level - 1][i] = 0.0f;
            }
            if (row & (15 << (4 * level)))
                break;
        }
    }
    for (int32_t level = 1; level < LEVELS; level++)
        for (int32_t i = 0; i < count; i++)
            sums[0][i] += sums[level][i];
    memcpy(to, sums[0], count * sizeof(float));
}

/* The same for the last columns: torch adds every fourth row, and then those four. */
static void
add_by_fours(const float *from, int64_t stride, int32_t rows, int32_t count, float *to)
{
    float sums[4][COLUMNS];
    for (int32_t k = 0; k < 4; k++)
        add_in_order(from + k * stride, 4 * stride, rows / 4, count, sums[k]);
    for (int32_t row = rows / 4 * 4; row < rows; row++)
        for (int32_t i = 0; i < count; i++)
            sums[0][i] += from[row * stride + i];
    for (int32_t i = 0; i < count; i++)
        to[i] = ((sums[0][i] + sums[1][i]) + sums[2][i]) + sums[3][i];
}

static void
add_rows(const Rows *part, float *const *at)
{
    const float *from = at[part->from.address] + part->from.offset;
    float *to = at[part->to.address] + part->to.offset;
    /* Where torch's vectors, four at a time, end. */
    const int32_t columns = part->columns, group = columns < 8 ? 4 : 32, last = columns / group * group;
    for (int32_t i = 0; i < columns;) {
        const int32_t end = i < last ? last : columns, count = end - i < COLUMNS ? end - i : COLUMNS;
        (i < last ? add_in_order : add_by_fours)(from + i, part->from.stride, part->rows, count, to + i);
        i += count;
    }
}

/* Copy rows; without a source they become 0. */
static void
copy_rows(const Rows *part, float *const *at)
{
    float *to = at[part->to.address] + part->to.offset;
    for (int32_t row = 0; row < part->rows; row++, to += part->to.stride) {
        if (part->from.address < 0)
            memset(to, 0, part->columns * sizeof(float));
        else
            memcpy(to, at[part->from.address] + part->from.offset + (int64_t)row * part->from.stride,
                   part->columns * sizeof(float));
    }
}

/* Run a part of some words; return -1 if they are none of a part, -2 without memory. */
static int
run_part(int32_t kind, const int32_t *words, int32_t count, float *const *at)
{
    if (kind == ELEMENTWISE) {
        const int32_t addressed = words[0];
        float *own[MOST_ADDRESSES];
        if (addressed < 0 || addressed >= count || addressed > MOST_ADDRESSES)
            return -1;
        for (int32_t k = 0; k < addressed; k++)
            own[k] = at[words[1 + k]];
        return run_elements(words + 1 + addressed, count - 1 - addressed, own, addressed);
    }
    const int is_product = kind == PRODUCT || kind == OWN_PRODUCT;
    if (count != (int32_t)((is_product ? sizeof(Product) : sizeof(Rows)) / sizeof(int32_t)))
        return -1;
    if ((kind == PRODUCT && sgemm == NULL) || (kind == OWN_PRODUCT && !has_wide_products()))
        return -1;
    if (kind == OWN_PRODUCT)
        return multiply_wide((const Product *)words, at);
    if (kind == PRODUCT)
        multiply((const Product *)words, at);
    else if (kind == SUM)
        add_rows((const Rows *)words, at);
    else
        copy_rows((const Rows *)words, at);
    return 0;
}

/* Memory between parts: to get and free as much each time takes longer than a small product. One
 * thread has it, others that come meanwhile get their own. */
static float kept[KEPT];
static atomic_flag is_taken = ATOMIC_FLAG_INIT;

static int
run_parts(const Header *head, const int32_t *words, const int32_t *end, float *memory, float **at)
{
    float *room = (float *)(((uintptr_t)memory + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    words = (const int32_t *)(head + 1);
    for (int32_t k = 0; k < head->between; k++)
        at[head->addresses + k] = room + *words++;
    int failed = 0;
    for (int32_t k = 0; k < head->parts && !failed; k++) {
        if (end - words < 2 || words[1] < 1 || end - words - 2 < words[1]) {
            failed = -1;
            break;
        }
        failed = run_part(words[0], words + 2, words[1], at);
        words += 2 + words[1];
    }
    return failed;
}

static int
run(const int32_t *words, const int32_t *end, float **at)
{
    const Header *head = (const Header *)words;
    const size_t needed = (size_t)head->room + ALIGNMENT / sizeof(float);
    if (needed <= KEPT && !atomic_flag_test_and_set(&is_taken)) {
        int failed = run_parts(head, words, end, kept, at);
        atomic_flag_clear(&is_taken);
        return failed;
    }
    float *memory = malloc(needed * sizeof(float));
    if (memory == NULL)
        return -2;
    int failed = run_parts(head, words, end, memory, at);
    free(memory);
    return failed;
}

/* Run a program on tensors: its words, then the addresses of outputs and of inputs. */
static PyObject *
run_program(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Py_ssize_t bytes = count ? PyBytes_Size(args[0]) : -1;
    if (bytes < (Py_ssize_t)sizeof(Header)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a program is needed");
        return NULL;
    }
    const int32_t *words = (const int32_t *)PyBytes_AsString(args[0]), *end = words + bytes / sizeof(int32_t);
    const Header *head = (const Header *)words;
    int64_t addressed = (int64_t)head->addresses + head->between;
    int failed = 0;
    float *addresses[MOST_ADDRESSES];
    if (count - 1 != head->addresses || head->between < 0 || head->room < 0 || addressed > MOST_ADDRESSES ||
        end - words < (int64_t)(sizeof(Header) / sizeof(int32_t)) + head->between)
        failed = -1;
    for (Py_ssize_t k = 0; k + 1 < count && !failed; k++)
        addresses[k] = PyLong_AsVoidPtr(args[k + 1]);
    if (PyErr_Occurred())
        return NULL;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        failed = run(words, end, addresses);
        Py_END_ALLOW_THREADS
    }
    if (failed == -2)
        return PyErr_NoMemory();
    if (failed) {
        PyErr_SetString(PyExc_ValueError, "the program and the addresses do not agree");
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Let products of matrices be those of a BLAS, by the address of its `sgemm`. */
static PyObject *
set_sgemm(PyObject *self, PyObject *address)
{
    void *found = PyLong_AsVoidPtr(address);
    if (PyErr_Occurred())
        return NULL;
    memcpy(&sgemm, &found, sizeof(sgemm));
    Py_RETURN_NONE;
}

PyMethodDef program_methods[] = {
    {"run_program", (PyCFunction)(void (*)(void))run_program, METH_FASTCALL, "Run a program on tensors."},
    {"set_sgemm", set_sgemm, METH_O, "Let products of matrices be those of a BLAS."},
    {NULL, NULL, 0, NULL},
};
