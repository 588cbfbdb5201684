/* Constants of sari_sine_cosine. Written by tools/function_tables.py, do not edit. */
#ifndef SARI_SINE_COEFFICIENTS_H
#define SARI_SINE_COEFFICIENTS_H

#define SARI_TWO_BY_PI 0x1.45f306dc9c883p-1
/* pi/2 in three parts; the first two have 33 bits. */
#define SARI_HALF_PI_1 0x1.921fb54400000p+0
#define SARI_HALF_PI_2 0x1.0b4611a600000p-34
#define SARI_HALF_PI_3 0x1.3198a2e037073p-69

/// (sin y - y)/y^3 in powers of y^2, |y| <= pi/4: sines have a relative error of 2^-57.3
static const double SARI_SINE[7] = {
    -0x1.5555555555555p-3,  0x1.1111111111110p-7,  -0x1.a01a01a019937p-13, 0x1.71de3a546084fp-19,
    -0x1.ae645412a8579p-26, 0x1.61217ef47d510p-33, -0x1.ab17c6747fa25p-41,
};

/// (cos y - 1 + y^2/2)/y^4: cosines have an error of 2^-60.1
static const double SARI_COSINE[6] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4ea36p-16,
    -0x1.27e4fa17c9952p-22, 0x1.1eeb68d8157f6p-29,  -0x1.907d970cf7123p-37,
};

#endif
