/* The hash that other files use as well: FarmHash64, which TensorFlow calls a fingerprint. */
#ifndef PLACEWISE_HASH_H
#define PLACEWISE_HASH_H

#include "native.h"

uint64_t fingerprint64(const unsigned char *s, size_t size);

#endif
