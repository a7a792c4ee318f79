/* Parts of programs: elementwise operations on float32 tensors, as `planning/scripts/elementwise.py`
 * writes them; `programs.c` runs them.
 *
 * A part is int32 words: eight of the header, then its tables in the order of `Program`. Numbers
 * are computed in blocks that stay in the processor's first cache, one instruction of the program
 * after the other over a block. A value is an operand, a scalar, an output or a register; values are
 * numbered in this order.
 */
#include "native.h"

#include <math.h>
#include <stdlib.h>

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, SIGMOID, TANH, SIGMOID_GRAD, TANH_GRAD, COPY, STORE };
enum { FLAT, SINGLE, GRID }; /* how the elements of an operand are found in its memory */
enum { BLOCK = 512, ON_STACK = 16384, MOST_VALUES = 4096 };

typedef struct {
    int32_t address, kind, offset, row_stride, column_stride;
} Operand;

typedef struct {
    int32_t size, is_zeroed;
} Output;

typedef struct {
    int32_t op, target, a, b, c;
} Instruction;

typedef struct {
    int32_t rows, columns, addresses, operands, scalars, outputs, registers, instructions;
} Header;

typedef struct {
    const Header *head;
    const Operand *operands;
    const float *scalars;
    const Output *outputs;
    const Instruction *instructions;
} Program;

/* e^x for x of at most 89, within an ulp; at least e^-87, where the caller adds 1 to it. Powers of
 * two are made of the bits of a number, in two parts: 2^128 is none. */
static inline float
exponential(float x)
{
    x = x < -87.0f ? -87.0f : x;
    x = x > 89.0f ? 89.0f : x;
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number */
    float rounded = x * 1.44269504f + shift;
    float power = rounded - shift;
    float r = (x - power * 0.693359375f) - power * -2.12194440e-4f;
    float p = 1.39262e-3f;
    p = p * r + 8.36319e-3f;
    p = p * r + 4.166655e-2f;
    p = p * r + 1.6666577e-1f;
    p = p * r + 0.5f;
    p = (p * (r * r) + r) + 1.0f;
    union {
        float number;
        int32_t bits;
    } whole = {rounded}, scale;
    scale.bits = (int32_t)((uint32_t)(whole.bits - 0x4B400000 + 126) << 23);
    return p * scale.number * 2.0f;
}

static inline float
sigmoid(float x)
{
    float y = 1.0f / (1.0f + exponential(-x));
    return x != x ? x : y;
}

/* Near 0 a polynomial, which loses no digits there; 1 - 2 / (e^2x + 1) further out. */
static inline float
hyperbolic_tangent(float x)
{
    float size = fabsf(x), s = x * x;
    float p = 2.29274e-3f;
    p = p * s - 8.34395e-3f;
    p = p * s + 2.176892e-2f;
    p = p * s - 5.395926e-2f;
    p = p * s + 1.3333304e-1f;
    p = p * s - 3.3333333e-1f;
    float near = p * (s * size) + size;
    float far = 1.0f - 2.0f / (exponential(size + size) + 1.0f);
    float y = copysignf(size < 0.625f ? near : far, x);
    return x != x ? x : y;
}

/* Loops over a block. A target may be a source: the elements of a place do not depend on others.
 * At most one of two sources is a single number, which then counts for all elements. */
#define UNARY(case_, expression)                                                                   \
    case case_: {                                                                                  \
        _Pragma("GCC ivdep") for (int32_t i = 0; i < count; i++)                                   \
        {                                                                                          \
            const float x = a[i];                                                                  \
            y[i] = (expression);                                                                   \
        }                                                                                          \
        break;                                                                                     \
    }

#define BINARY(case_, expression)                                                                  \
    case case_: {                                                                                  \
        if (is_single[in->a]) {                                                                    \
            const float l = *a;                                                                    \
            _Pragma("GCC ivdep") for (int32_t i = 0; i < count; i++)                               \
            {                                                                                      \
                const float r = b[i];                                                              \
                y[i] = (expression);                                                               \
            }                                                                                      \
        } else if (is_single[in->b]) {                                                             \
            const float r = *b;                                                                    \
            _Pragma("GCC ivdep") for (int32_t i = 0; i < count; i++)                               \
            {                                                                                      \
                const float l = a[i];                                                              \
                y[i] = (expression);                                                               \
            }                                                                                      \
        } else                                                                                     \
            _Pragma("GCC ivdep") for (int32_t i = 0; i < count; i++)                               \
            {                                                                                      \
                const float l = a[i], r = b[i];                                                    \
                y[i] = (expression);                                                               \
            }                                                                                      \
        break;                                                                                     \
    }

/* Write a block into a part of an output; `b` is where it begins and `c` from row to row. */
static void
store(const Instruction *in, const float *a, float *y, int32_t first, int32_t count, const Header *head)
{
    y += in->b;
    if (head->rows == 1) {
        memcpy(y + first, a, count * sizeof(float));
        return;
    }
    for (int32_t row = first / head->columns; count > 0; row++, a += head->columns, count -= head->columns)
        memcpy(y + (int64_t)row * in->c, a, head->columns * sizeof(float));
}

/* Copy whole rows of an operand into a register. */
static void
gather(const Operand *operand, const float *from, float *to, int32_t row, int32_t count, int32_t columns)
{
    from += operand->offset + (int64_t)row * operand->row_stride;
    for (; count > 0; count -= columns, to += columns, from += operand->row_stride) {
        if (operand->column_stride) {
            memcpy(to, from, columns * sizeof(float));
            continue;
        }
        for (int32_t i = 0; i < columns; i++)
            to[i] = *from;
    }
}

WIDE static void
compute(const Program *program, float **at, const char *is_single, float *const *outputs, int32_t first,
        int32_t count)
{
    const Header *head = program->head;
    for (int32_t k = 0; k < head->instructions; k++) {
        const Instruction *in = &program->instructions[k];
        const float *a = at[in->a], *b = at[in->b];
        float *y = at[in->target];
        switch (in->op) {
            BINARY(ADD, l + r)
            BINARY(SUBTRACT, l - r)
            BINARY(MULTIPLY, l *r)
            BINARY(DIVIDE, l / r)
            BINARY(SIGMOID_GRAD, l *(1.0f - r) * r)
            BINARY(TANH_GRAD, l *(1.0f - r * r))
            UNARY(NEGATE, -x)
            UNARY(SIGMOID, sigmoid(x))
            UNARY(TANH, hyperbolic_tangent(x))
            UNARY(COPY, x)
        default:
            store(in, a, outputs[in->target], first, count, head);
        }
    }
}

static void
run(const Program *program, float *const *addresses, float **at, char *is_single, float *room, int32_t block)
{
    const Header *head = program->head;
    const int64_t size = (int64_t)head->rows * head->columns;
    int32_t value = head->operands;
    for (int32_t k = 0; k < head->scalars; k++, value++) {
        at[value] = (float *)&program->scalars[k];
        is_single[value] = 1;
    }
    const int32_t first_output = value, first_register = value + head->outputs;
    for (int32_t k = 0; k < head->outputs; k++)
        if (program->outputs[k].is_zeroed)
            memset(addresses[k], 0, program->outputs[k].size * sizeof(float));
    float *scratch = room;
    for (int32_t k = 0; k < head->operands; k++) {
        const Operand *operand = &program->operands[k];
        is_single[k] = operand->kind == SINGLE;
        at[k] = addresses[operand->address] + operand->offset;
        if (operand->kind == GRID) {
            at[k] = scratch;
            scratch += block;
        }
    }
    for (int32_t k = 0; k < head->registers; k++, scratch += block)
        at[first_register + k] = scratch;
    for (int64_t first = 0; first < size; first += block) {
        const int32_t count = size - first < block ? (int32_t)(size - first) : block;
        for (int32_t k = 0; k < head->operands; k++) {
            const Operand *operand = &program->operands[k];
            if (operand->kind == FLAT)
                at[k] = addresses[operand->address] + operand->offset + first;
            else if (operand->kind == GRID)
                gather(operand, addresses[operand->address], at[k], (int32_t)(first / head->columns), count,
                       head->columns);
        }
        for (int32_t k = 0; k < head->outputs; k++)
            at[first_output + k] = addresses[k] + first;
        compute(program, at, is_single, addresses, (int32_t)first, count);
    }
}

/* Run a program of some words on addresses; return -1 if they do not agree, -2 without memory. */
int
run_elements(const int32_t *words, int64_t count, float *const *addresses, int64_t addressed)
{
    const Header *head = (const Header *)words;
    if (count < (int64_t)(sizeof(Header) / sizeof(int32_t)))
        return -1;
    Program program = {head, (const Operand *)(head + 1)};
    program.scalars = (const float *)(program.operands + head->operands);
    program.outputs = (const Output *)(program.scalars + head->scalars);
    program.instructions = (const Instruction *)(program.outputs + head->outputs);
    const int32_t *end = (const int32_t *)(program.instructions + head->instructions);
    const int32_t values = head->operands + head->scalars + head->outputs + head->registers;
    if (end != words + count || values > MOST_VALUES || addressed != head->addresses)
        return -1;
    float *at[MOST_VALUES], on_stack[ON_STACK];
    char is_single[MOST_VALUES];
    memset(is_single, 0, values);
    /* Of a grid whole rows. */
    const int32_t columns = head->columns;
    int32_t block = head->rows == 1 ? BLOCK : columns < BLOCK ? BLOCK / columns * columns : columns;
    const int64_t size = (int64_t)head->rows * columns;
    block = size < block ? (int32_t)size : block;
    const int64_t needed = (int64_t)block * (head->operands + head->registers);
    float *room = needed <= ON_STACK ? on_stack : malloc(needed * sizeof(float));
    if (room == NULL)
        return -2;
    run(&program, addresses, at, is_single, room, block);
    if (room != on_stack)
        free(room);
    return 0;
}
