/* Products of matrices of float32; see `products.c`. */
#ifndef PLACEWISE_PRODUCTS_H
#define PLACEWISE_PRODUCTS_H

#include <stdint.h>

/* Where the elements of a matrix are: from row to row, and from column to column. */
typedef struct {
    const float *items;
    int64_t row_stride, column_stride;
} Matrix;

/* Write `a` times `b`, and `bias` added to it unless its items are NULL, into rows beside each other.
 * `b` lies by rows or by columns, `bias` by rows. Return -1 if there is no memory. */
int multiply_matrices(int64_t rows, int64_t columns, int64_t depth, Matrix a, Matrix b, Matrix bias, float *to);

/* Whether this processor can compute them. */
int has_wide_products(void);

#endif
