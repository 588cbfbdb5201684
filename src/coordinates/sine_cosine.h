/* Sines and cosines of four angles at a time.
 *
 *     x = k pi/2 + y,  |y| <= pi/4                                                          (1)
 *
 * pi/2 in three parts, the first two short enough that their products with k are exact. Series of
 * Taylor in y, up to y^17 and y^16: what follows is below 2e-18. The error is below 2e-16. The same
 * bits on any machine; not those of sari_sine_cosine, whose errors are smaller where these cancel.
 */
#ifndef SARI_SINE_COSINE_H
#define SARI_SINE_COSINE_H

#include "linalg/inline.h"
#include "math/functions.h"

#include <math.h>

// Vectors are passed between functions of one file only: other files do not see how.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef long long sari_int4 __attribute__((vector_size(32), aligned(8), may_alias));

/// Beyond 1e5, or where an angle is no number, sari_sine_cosine is asked.
SARI_INLINE void sari_sine_cosine4(sari_vec4 x, double cosine[4], double sine[4])
{
    const sari_vec4 most = {1e5, 1e5, 1e5, 1e5};
    const double shifter = 0x1.8p52; // rounds to an integer, which is then in the last bits
    const sari_vec4 shifted = x * 0x1.45f306dc9c883p-1 + shifter, k = shifted - shifter;
    const sari_vec4 y =
        ((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69; // (1)
    const sari_vec4 y2 = y * y;
    sari_vec4 s = y2 * (1 / 355687428096000.) - 1 / 1307674368000.;
    sari_vec4 c = y2 * (1 / 20922789888000.) - 1 / 87178291200.;
    s = s * y2 + 1 / 6227020800., c = c * y2 + 1 / 479001600.;
    s = s * y2 - 1 / 39916800., c = c * y2 - 1 / 3628800.;
    s = s * y2 + 1 / 362880., c = c * y2 + 1 / 40320.;
    s = s * y2 - 1 / 5040., c = c * y2 - 1 / 720.;
    s = s * y2 + 1 / 120., c = c * y2 + 1 / 24.;
    s = s * y2 - 1 / 6., c = c * y2 - 1 / 2.;
    s = y + y * (y2 * s), c = 1 + y2 * c;

    const sari_int4 quarter = (sari_int4)shifted, odd = -(quarter & 1);
    const sari_int4 s_bits = ((sari_int4)s & ~odd) | ((sari_int4)c & odd),
                    c_bits = ((sari_int4)c & ~odd) | ((sari_int4)s & odd);
    SARI_VEC(sine) = (sari_vec4)(s_bits ^ ((quarter & 2) << 62));
    SARI_VEC(cosine) = (sari_vec4)(c_bits ^ (((quarter + 1) & 2) << 62));
    const sari_int4 large = (sari_int4)(x * x) > (sari_int4)(most * most);
    if (large[0] | large[1] | large[2] | large[3]) // as bits: what is no number is larger
        for (int lane = 0; lane < 4; lane++)
            if (large[lane]) sari_sine_cosine(x[lane], &sine[lane], &cosine[lane]);
}

#endif
