/* Sine, cosine, tangent.
 *
 *     x = k pi/2 + y,  |y| <= pi/4;   sin y = y + y^3 S(y^2),   cos y = 1 - y^2/2 + y^4 C(y^2)   (1)
 *
 * y has two parts, so that also the sine near a multiple of pi is exact to its last place. */
#include "math/function_tables.h"
#include "math/functions.h"
#include "math/pairs.h"

__extension__ typedef unsigned __int128 wide;

/* 64 bits of 2/pi from bit `at` behind the point; before it there are zeros. */
static uint64_t bits_from(int at)
{
    if (at <= -64) return 0;
    if (at < 0) return TWO_BY_PI[0] >> -at;
    const int word = at / 64, shift = at % 64;
    const uint64_t upper = TWO_BY_PI[word] << shift;
    return shift ? upper | TWO_BY_PI[word + 1] >> (64 - shift) : upper;
}

/* x = m 2^e with an integer m. Of m (2/pi) 2^e only what is below 4 matters, so that the bits of 2/pi
 * whose products with m 2^e are multiples of 4 can be left out. Three words of the rest leave an
 * error below 2^-137; no double is nearer to a multiple of pi/2 than 2^-62 of a turn. */
sari_reduced sari_reduce_slowly(double x)
{
    if (!(x <= 0x1.fffffffffffffp1023)) return (sari_reduced){.y = x - x};
    int e;
    const uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
    e -= 53;
    // bits of 2/pi from the one that counts 2 quarters: worth 2^(1 - e), hence bit e - 2 behind the point
    uint64_t w[3];
    for (int k = 0; k < 3; k++) w[k] = bits_from(e - 2 + 64 * k);
    const wide low = (wide)m * w[2], middle = (wide)m * w[1] + (uint64_t)(low >> 64);
    const uint64_t top = m * w[0] + (uint64_t)(middle >> 64), next = (uint64_t)middle;
    // quarters in the first two bits, then the fraction; round to the nearest
    uint64_t quarters = top >> 62;
    wide fraction = ((wide)top << 64 | next) << 2 | (uint64_t)low >> 62;
    const int up = (int)(fraction >> 127);
    if (up) quarters++, fraction = -fraction;
    // the fraction as a sum of three doubles, of 2^-128 each
    const double high = (double)(uint64_t)(fraction >> 75) * 0x1p-53, // 53 bits
        middle_part = (double)(uint64_t)(fraction >> 22 & 0x1fffffffffffffu) * 0x1p-106,
                 last = (double)(uint64_t)(fraction & 0x3fffffu) * 0x1p-128;
    sari_pair f = sari_sum_ordered(high, middle_part);
    f = sari_sum_ordered(f.near, f.rest + last);
    const sari_pair y = sari_product(f.near, HALF_PI[0]);
    const double rest = y.rest + (f.near * HALF_PI[1] + f.rest * HALF_PI[0]);
    const sari_pair out = sari_sum_ordered(y.near, rest);
    return up ? (sari_reduced){-out.near, -out.rest, quarters}
              : (sari_reduced){out.near, out.rest, quarters};
}

double sari_sin(double x)
{
    double s, c;
    sari_sine_cosine(x, &s, &c);
    return s;
}

double sari_cos(double x)
{
    double s, c;
    sari_sine_cosine(x, &s, &c);
    return c;
}

/// Beyond this the tangent is the angle itself, to the last place.
static const double TINY = 0x1p-27;

/* Sine and cosine with twice the digits: the remainder of the series behind the first terms is small. */
static inline sari_pair sine_pair(sari_reduced a, sari_pair square)
{
    const double* s = SARI_SINE;
    const double z = square.near;
    const double p = s[1] + z * (s[2] + z * (s[3] + z * (s[4] + z * (s[5] + z * s[6]))));
    const sari_pair third = sari_product(z, s[0]);
    const sari_pair series =
        sari_sum_ordered(third.near, third.rest + (square.rest * s[0] + z * z * p));
    const sari_pair rest = sari_product(a.y, series.near);
    const sari_pair sum = sari_sum_ordered(a.y, rest.near);
    return sari_sum_ordered(sum.near,
                            sum.rest + (rest.rest + a.y * series.rest) + a.rest * (1.0 - 0.5 * z));
}

static inline sari_pair cosine_pair(sari_reduced a, sari_pair square)
{
    const double* c = SARI_COSINE;
    const double z = square.near;
    const double p = c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * (c[4] + z * c[5]))));
    const sari_pair first = sari_sum_ordered(1.0, -0.5 * z);
    return sari_sum_ordered(first.near,
                            first.rest + (z * z * p - (0.5 * square.rest + a.y * a.rest)));
}

double sari_tan(double x)
{
    if (fabs(x) < TINY) return x;
    const sari_reduced a = sari_reduce(fabs(x));
    const sari_pair square = sari_product(a.y, a.y);
    const sari_pair sine = sine_pair(a, square), cosine = cosine_pair(a, square);
    const double t = a.quarters & 1 ? -sari_pair_quotient(cosine, sine).near
                                    : sari_pair_quotient(sine, cosine).near;
    return signbit(x) ? -t : t;
}
