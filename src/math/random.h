/* Numbers without a pattern, the same in every run: a linear congruential generator, of which the
 * upper bits are good. */
#ifndef SARI_RANDOM_H
#define SARI_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/// The next number in [-1, 1].
static inline double sari_random(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0; // 2^52
}

static inline void sari_fill_at_random(uint64_t* state, double* x, size_t count)
{
    for (size_t i = 0; i < count; i++) x[i] = sari_random(state);
}

#endif
