/* Lengths and angles in the plane.
 *
 *     atan q = atan c + atan t,   t = (q - c)/(1 + c q),   0 <= q <= 1                        (1)
 *
 * with c = i/256 next to q, so that |t| <= 1/512; where q itself is small, without c. Quotients and
 * angles have two parts. */
#include "math/function_tables.h"
#include "math/functions.h"
#include "math/pairs.h"

/// Below this a series is short enough.
static const double SHORT = 1.0 / 32;

/* (1) of q + rest */
static inline sari_pair arc_of(double q, double rest)
{
    if (q < SHORT) {
        const double z = q * q;
        const double series =
            -1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11))));
        return sari_sum_ordered(q, rest + q * z * series);
    }
    const int part = (int)(q * ARC_PARTS + 0.5);
    const double c = part * (1.0 / ARC_PARTS), inverse = 1.0 / (1.0 + c * q), t = (q - c) * inverse;
    const double z = t * t, series = t * z * (-1.0 / 3 + z * (1.0 / 5));
    const sari_pair sum = sari_sum_ordered(ARC_TABLE[part][0], t);
    return sari_sum_ordered(sum.near, sum.rest + (ARC_TABLE[part][1] + (rest * inverse + series)));
}

/// atan(y/x), 0 <= y <= x
static inline sari_pair lower_angle(double y, double x)
{
    const double q = y / x, inverse = 1.0 / x;
    return arc_of(q, -inverse * sari_product_rest(q, x, y));
}

/// constant - a
static inline sari_pair remaining(const double constant[2], sari_pair a)
{
    return sari_pair_sum((sari_pair){constant[0], constant[1]}, (sari_pair){-a.near, -a.rest});
}

/// The angle of (x, y), y > 0, between 0 and pi; both finite, neither nearly 0 nor very large
static inline sari_pair angle(double y, double x)
{
    const double across = fabs(x);
    sari_pair a = y <= across ? lower_angle(y, across) : remaining(HALF_PI, lower_angle(across, y));
    return x < 0.0 ? remaining(PI, a) : a;
}

/// Where the quotient of two numbers is beyond these powers of two, their angle is that of an axis.
enum { FAR = 64, COMFORTABLE = 400 };

/// x and y finite and not 0; y > 0
static double angle_of_any(double y, double x)
{
    int ex, ey;
    frexp(x, &ex), frexp(y, &ey);
    if (ey - ex > FAR) return HALF_PI[0];
    if (ex - ey > FAR) return x < 0.0 ? PI[0] : y / x;
    return angle(ldexp(y, -ex), ldexp(x, -ex)).near;
}

static inline int is_comfortable(double x)
{
    return x >= 0x1p-400 && x <= 0x1p400;
}

double sari_atan2(double y, double x)
{
    const double up = fabs(y), across = fabs(x);
    if (is_comfortable(up) && is_comfortable(across)) {
        if (across < up * 0x1p64 && up < across * 0x1p64) return copysign(angle(up, x).near, y);
        return copysign(angle_of_any(up, x), y);
    }
    if (isnan(x) || isnan(y)) return x + y;
    double out;
    if (isinf(y))
        out = isinf(x) ? (x > 0.0 ? 0.5 * HALF_PI[0] : 0x1.2d97c7f3321d2p+1) : HALF_PI[0]; // 3/4 pi
    else if (y == 0.0 || isinf(x))
        out = signbit(x) ? PI[0] : 0.0;
    else if (x == 0.0)
        out = HALF_PI[0];
    else
        out = angle_of_any(up, x);
    return copysign(out, y);
}

/// Arcs of numbers below this are these numbers.
static const double TINY = 0x1p-28;

double sari_atan(double x)
{
    const double size = fabs(x);
    if (!(size >= TINY)) return x;
    if (size <= 1.0) return copysign(arc_of(size, 0.0).near, x);
    return copysign(size < 0x1p64 ? angle(size, 1.0).near : HALF_PI[0], x);
}

/* The root of 1 - x^2, in two parts; |x| < 1 */
static inline sari_pair other_side(double x)
{
    const sari_pair square = sari_product(x, x);
    const sari_pair whole = sari_sum_ordered(1.0, -square.near);
    const sari_pair left = sari_sum_ordered(whole.near, whole.rest - square.rest);
    const double root = sqrt(left.near);
    const sari_pair back = sari_product(root, root);
    return (sari_pair){root, (((left.near - back.near) - back.rest) + left.rest) / (2.0 * root)};
}

/* The rest of the other side turns the angle by x times as much: the sides are those of a triangle
 * with the hypotenuse 1. */
double sari_asin(double x)
{
    const double size = fabs(x);
    if (!(size < 1.0)) return size == 1.0 ? copysign(HALF_PI[0], x) : x - x == 0.0 ? NAN : x * 0.0;
    if (size < TINY) return x;
    const sari_pair other = other_side(size), a = angle(size, other.near);
    return copysign(a.near + (a.rest - size * other.rest), x);
}

double sari_acos(double x)
{
    const double size = fabs(x);
    if (!(size < 1.0)) return x == 1.0 ? 0.0 : x == -1.0 ? PI[0] : size > 1.0 ? NAN : x;
    if (size < 0x1p-60) return HALF_PI[0];
    const sari_pair other = other_side(size), a = angle(other.near, x);
    return a.near + (a.rest + x * other.rest);
}

double sari_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (a < b) {
        const double other = a;
        a = b, b = other;
    }
    if (isinf(x) || isinf(y)) return INFINITY;
    if (!(b > 0.0) || a > b * 0x1p60) return a + b; // NaN too
    double scale = 1.0;
    if (a > 0x1p400) scale = 0x1p-600;
    if (b < 0x1p-400) scale = 0x1p600;
    a *= scale, b *= scale;
    const double root = sqrt(a * a + b * b);
    const double a1 = sari_upper_half(a), b1 = sari_upper_half(b), root1 = sari_upper_half(root);
    const double small =
        (a - a1) * (a + a1) + (b - b1) * (b + b1) - (root - root1) * (root + root1);
    return (root + (((a1 * a1 - root1 * root1) + b1 * b1) + small) / (2.0 * root)) / scale;
}
