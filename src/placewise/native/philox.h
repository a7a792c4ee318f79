/* Philox 4x32-10, several blocks at a time: what `ops/random/philox.py` computes with NumPy. */
#ifndef PLACEWISE_PHILOX_H
#define PLACEWISE_PHILOX_H

#include "native.h"

/* Blocks computed together: words lie lane by lane, so that compilers use wide instructions. */
#define LANES 16

/* A place in a stream: 64-bit key, 128-bit counter. */
typedef struct {
    uint64_t key, low, high;
} Place;

typedef uint32_t Words[4][LANES];

/* Fill x0 to x3 with the words of the blocks of some counters; x1 and x3 have more bits above. */
__attribute__((always_inline)) static inline void
rounds(uint64_t key, const uint64_t low[LANES], const uint64_t high[LANES], uint64_t x0[LANES],
       uint64_t x1[LANES], uint64_t x2[LANES], uint64_t x3[LANES])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    /* 64 bits a word, for that is how wide instructions multiply. */
    for (int i = 0; i < LANES; i++) {
        x0[i] = (uint32_t)low[i];
        x1[i] = low[i] >> 32;
        x2[i] = (uint32_t)high[i];
        x3[i] = high[i] >> 32;
    }
    for (int round = 0; round < 10; round++) {
#pragma GCC unroll 1
        for (int i = 0; i < LANES; i++) {
            uint64_t first = (uint64_t)(uint32_t)x0[i] * 0xD2511F53u;
            uint64_t second = (uint64_t)(uint32_t)x2[i] * 0xCD9E8D57u;
            x0[i] = (second >> 32) ^ (uint32_t)x1[i] ^ k0;
            x2[i] = (first >> 32) ^ (uint32_t)x3[i] ^ k1;
            x1[i] = second;
            x3[i] = first;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* Fill `words` with the blocks of some counters. */
__attribute__((always_inline)) static inline void
blocks_at(uint64_t key, const uint64_t low[LANES], const uint64_t high[LANES], Words words)
{
    uint64_t x0[LANES], x1[LANES], x2[LANES], x3[LANES];
    rounds(key, low, high, x0, x1, x2, x3);
    for (int i = 0; i < LANES; i++) {
        words[0][i] = (uint32_t)x0[i];
        words[1][i] = (uint32_t)x1[i];
        words[2][i] = (uint32_t)x2[i];
        words[3][i] = (uint32_t)x3[i];
    }
}

/* The counters of the blocks `begin`, `begin + 1`, ... from a place on. */
__attribute__((always_inline)) static inline void
counters_from(const Place *place, uint64_t begin, uint64_t low[LANES], uint64_t high[LANES])
{
    for (int i = 0; i < LANES; i++) {
        low[i] = place->low + begin + i;
        high[i] = place->high + (low[i] < place->low);
    }
}

/* Fill `words` with the blocks `begin`, `begin + 1`, ... from a place on. */
__attribute__((always_inline)) static inline void
blocks_from(const Place *place, uint64_t begin, Words words)
{
    uint64_t low[LANES], high[LANES];
    counters_from(place, begin, low, high);
    blocks_at(place->key, low, high, words);
}

/* The same as 4 * LANES words in the order of the stream. */
__attribute__((always_inline)) static inline void
stream_from(const Place *place, uint64_t begin, uint64_t *pairs)
{
    uint64_t low[LANES], high[LANES], x0[LANES], x1[LANES], x2[LANES], x3[LANES];
    counters_from(place, begin, low, high);
    rounds(place->key, low, high, x0, x1, x2, x3);
    for (int i = 0; i < LANES; i++) {
        pairs[2 * i] = x0[i] | x1[i] << 32;
        pairs[2 * i + 1] = x2[i] | x3[i] << 32;
    }
}

/* A word as a float in [0, 1), and two as a double. */
__attribute__((always_inline)) static inline float
single_of(uint32_t word)
{
    uint32_t bits = (word & 0x007FFFFFu) | 0x3F800000u;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value - 1.0f;
}

__attribute__((always_inline)) static inline double
double_of(uint32_t upper, uint32_t lower)
{
    uint64_t bits = (uint64_t)(upper & 0xFFFFFu) << 32 | lower | 0x3FF0000000000000u;
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value - 1.0;
}

#endif
