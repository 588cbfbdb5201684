/* Vectors of numbers with derivatives (dual.h). */
#ifndef SARI_DUAL_VEC3_H
#define SARI_DUAL_VEC3_H

#include "math/dual.h"

typedef struct vector {
    dual x[3];
} vector;

static inline dual vector_dot(const vector* a, const vector* b)
{
    return dual_add(dual_add(dual_times(a->x[0], b->x[0]), dual_times(a->x[1], b->x[1])),
                    dual_times(a->x[2], b->x[2]));
}

static inline vector vector_cross(const vector* a, const vector* b)
{
    vector out;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out.x[k] = dual_subtract(dual_times(a->x[i], b->x[j]), dual_times(a->x[j], b->x[i]));
    }
    return out;
}

/// a + k b
static inline vector vector_plus(const vector* a, dual k, const vector* b)
{
    vector out;
    for (int i = 0; i < 3; i++) out.x[i] = dual_add(a->x[i], dual_times(k, b->x[i]));
    return out;
}

/// a + k b, k a number
static inline vector vector_add(const vector* a, double k, const vector* b)
{
    vector out;
    for (int i = 0; i < 3; i++) out.x[i] = dual_add(a->x[i], dual_scale(k, b->x[i]));
    return out;
}

#endif
