/* Which forces a change of the model leaves as they are: those with the same numbers, along scalars with the same
 * polynomials. */
#include "model/fingerprint.h"
#include "system/forces/forces_parts.h"

#include <string.h>

static int same_polynomial(const sari_quadratics* a, const sari_quadratics* b, int row)
{
    const int first = a->p[row], end = a->p[row + 1];
    if (first != b->p[row] || end != b->p[row + 1] || a->row[row].c != b->row[row].c) return 0;
    for (int e = first; e < end; e++) {
        if (a->entry[e].i != b->entry[e].i || a->entry[e].b != b->entry[e].b) return 0;
        if (a->h[e] != b->h[e] || a->h[e + 1] != b->h[e + 1]) return 0;
        for (int t = a->h[e]; t < a->h[e + 1]; t++)
            if (a->term[t].i != b->term[t].i || a->term[t].c != b->term[t].c) return 0;
    }
    return 1;
}

/* Curves, composites and flows are taken for others. */
static int same_scalar(const sari_kinematics* a, const sari_kinematics* b, int scalar)
{
    const sari_scalar *x = &a->scalar[scalar], *y = &b->scalar[scalar];
    if (x->kind != y->kind || x->a != y->a || x->b != y->b) return 0;
    if (x->kind == SARI_SCALAR_STATE) return 1;
    if (x->curve || y->curve || !sari_scalar_is_polynomial(x) || x->zero != y->zero) return 0;
    if (memcmp(x->rotation.axis, y->rotation.axis, sizeof x->rotation.axis) != 0) return 0;
    return same_polynomial(&a->compiled, &b->compiled, x->a) &&
           (!sari_scalar_has_two(x) || same_polynomial(&a->compiled, &b->compiled, x->b));
}

/* Where bodies are, as functions of q, and their centres of mass in them. */
static int same_map(const sari_system* a, const sari_system* b)
{
    for (int k = 0; k < a->model->bodies_count; k++)
        if (memcmp(a->model->bodies[k].def.center, b->model->bodies[k].def.center,
                   sizeof a->model->bodies[k].def.center) != 0)
            return 0;
    const sari_linear_map *x = &a->kinematics->map, *y = &b->kinematics->map;
    const int nx = a->kinematics->nx * a->mechanism->bodies;
    return memcmp(a->coordinates.X0, b->coordinates.X0, (size_t)nx * sizeof(double)) == 0 &&
           memcmp(x->p, y->p, ((size_t)nx + 1) * sizeof(int)) == 0 &&
           memcmp(x->q, y->q, (size_t)x->p[nx] * sizeof(int)) == 0 &&
           memcmp(x->t, y->t, (size_t)x->p[nx] * sizeof(double)) == 0;
}

int sari_forces_alike(const sari_system* a, const sari_system* b)
{
    const sari_force_set *f = a->forces, *g = b->forces;
    const sari_kinematics *x = a->kinematics, *y = b->kinematics;
    if (a->constant_force && b->constant_force) return 1;
    if (!x->constant || !y->constant || f->laws_count != g->laws_count ||
        f->loads_count != g->loads_count || x->scalars != y->scalars ||
        x->compiled.rows != y->compiled.rows || a->model->signals_count != b->model->signals_count)
        return 0;
    if (sari_forces_fingerprint(a->model) != sari_forces_fingerprint(b->model)) return 0;
    for (int k = 0; k < f->laws_count; k++)
        if (f->laws[k].scalar != g->laws[k].scalar || !same_scalar(x, y, f->laws[k].scalar))
            return 0;
    for (int i = 0; i < a->model->signals_count; i++)
        if (f->signal_used[i] &&
            (a->mechanism->signal_scalar[i] != b->mechanism->signal_scalar[i] ||
             !same_scalar(x, y, a->mechanism->signal_scalar[i])))
            return 0;
    return f->loads_count == 0 || same_map(a, b);
}
