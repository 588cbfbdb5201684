/* Flows: rates that are those of no position, linear in the velocities,
 *
 *     w = sum_k c_k a_k(q) db_k/dt                                                            (1)
 *     dw/dv = sum c_k a_k grad b_k                                                            (2)
 *     dw/dt = sum c_k (da_k/dt db_k/dt + a_k d2b_k/dt2)                                       (3)
 *     dw/dq = sum c_k (db_k/dt grad a_k + a_k d(db_k/dt)/dq)                                  (4)
 *
 * with polynomials a, b of the mechanism. Angular velocities are such, w_x = 1/2 sum_j (e_j x de_j/dt)_x
 * over the axes e_j of the body, in its own axes w_1 = e_3 . de_2/dt; and velocities along the axes
 * of a body. */
#include "system/kinematics.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void* a, const void* b)
{
    return *(const int*)a - *(const int*)b;
}

/* The coordinates of all polynomials, and where those of each are among them. */
sar_status sari_flow_list(sari_kinematics* k, int scalar)
{
    const sari_flow* f = sari_flow_of(k, scalar);
    sari_term_list* all = &k->scalar_depends[scalar];
    int total = 0, n = 0;
    for (int i = 0; i < 2 * f->terms; i++) total += k->depends[f->poly[i]].n;
    all->i = SARI_TAKE(k->memory, int, total);
    int* at = k->scalar_map[scalar] = SARI_TAKE(k->memory, int, total);
    if (k->memory->failed) return SAR_E_NOMEM;
    for (int i = 0; i < 2 * f->terms; i++)
        for (int e = 0; e < k->depends[f->poly[i]].n; e++)
            all->i[n++] = k->depends[f->poly[i]].i[e];
    qsort(all->i, (size_t)n, sizeof *all->i, compare);
    for (int e = 0; e < n; e++)
        if (all->n == 0 || all->i[all->n - 1] != all->i[e]) all->i[all->n++] = all->i[e];
    for (int i = 0; i < 2 * f->terms; i++)
        for (int e = 0; e < k->depends[f->poly[i]].n; e++) {
            const int* found = bsearch(&k->depends[f->poly[i]].i[e], all->i, (size_t)all->n,
                                       sizeof *all->i, compare);
            *at++ = (int)(found - all->i);
        }
    return SAR_OK;
}

/* A polynomial's value, its gradient in local[0], and its rate. */
static double search(const sari_kinematics* k, int poly, double* rate)
{
    const sari_term_list* list = &k->depends[poly];
    const double value = sari_poly_gradient(k, poly, k->local[0]);
    *rate = 0.0;
    for (int i = 0; k->v && i < list->n; i++) *rate += k->local[0][i] * k->v[list->i[i]];
    return value;
}

sar_status sari_flow_eval(const sari_kinematics* k, int scalar, int level, sari_scalar_value* out)
{
    const sari_flow* f = sari_flow_of(k, scalar);
    const int* at = k->scalar_map[scalar];
    memset(out->g, 0, (size_t)k->scalar_depends[scalar].n * sizeof *out->g);
    out->value = out->rate = out->bias = 0.0;
    for (int i = 0; i < f->terms; i++) {
        const int a = f->poly[2 * i], b = f->poly[2 * i + 1], *at_b = at + k->depends[a].n;
        double rate_a, rate_b;
        const double value = f->weight[i] * search(k, a, &rate_a);
        search(k, b, &rate_b);
        for (int e = 0; e < k->depends[b].n; e++) out->g[at_b[e]] += value * k->local[0][e]; // (2)
        if (level) out->rate += value * rate_b;                                              // (1)
        if (level > 1) out->bias += f->weight[i] * rate_a * rate_b + value * sari_poly_bias(k, b);
        at = at_b + k->depends[b].n;
    }
    return SAR_OK;
}

void sari_flow_rate_slope(const sari_kinematics* k, int scalar, double* out)
{
    const sari_flow* f = sari_flow_of(k, scalar);
    const int* at = k->scalar_map[scalar];
    memset(out, 0, (size_t)k->scalar_depends[scalar].n * sizeof *out);
    for (int i = 0; i < f->terms; i++) {
        const int a = f->poly[2 * i], b = f->poly[2 * i + 1], *at_b = at + k->depends[a].n;
        double rate_a, rate_b;
        search(k, b, &rate_b);
        const double value = f->weight[i] * search(k, a, &rate_a);
        for (int e = 0; e < k->depends[a].n; e++)
            out[at[e]] += f->weight[i] * rate_b * k->local[0][e]; // (4)
        sari_poly_gradient_rate(k, b, k->local[0]);
        for (int e = 0; e < k->depends[b].n; e++) out[at_b[e]] += value * k->local[0][e];
        at = at_b + k->depends[b].n;
    }
}
