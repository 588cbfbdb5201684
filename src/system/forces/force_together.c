/* Laws of a force that all depend on the same coordinates, as those of a wheel do: with the gradients
 * G of its scalars, one row each, and the slopes S of their rates,
 *
 *     K += G' (f_s G + f_s' S) + sum_k f_k d2 s_k/dq2,   C += G' f_s' G
 *
 * as products of small matrices. One by one, nine laws would visit the entries of K 81 times. */
#include "system/forces/forces_parts.h"

#include <string.h>

enum { FEW = 3 }; ///< laws that are added one by one

void sari_laws_find_together(const sari_system* s, sari_force_set* f, const sari_law* l)
{
    const sari_term_list* depends = s->kinematics->scalar_depends;
    const sari_term_list* first = &depends[l->scalar];
    int same = l->count > FEW;
    for (int k = l->first; same && k < l->first + l->count; k++) {
        const sari_term_list* other = &depends[f->laws[k].scalar];
        same = other->n == first->n &&
               memcmp(other->i, first->i, (size_t)first->n * sizeof *first->i) == 0;
    }
    int plain = same;
    for (int k = l->first; k < l->first + l->count; k++)
        plain &= s->kinematics->scalar[f->laws[k].scalar].kind == SARI_SCALAR_PLAIN;
    for (int k = l->first; k < l->first + l->count; k++)
        f->laws[k].together = same, f->laws[k].plain = plain;
}

/* rows += by x */
static void add_row(double by, const double* x, int n, double* row)
{
    if (by == 0.0) return;
    for (int j = 0; j < n; j++) row[j] += by * x[j];
}

/* f->H += sum_k f_k d2 s_k/dq2 */
static void add_second(sari_system* s, const sari_law* l, const sari_force_action* action)
{
    int poly[SARI_FORCE_SCALARS], count = 0;
    double force[SARI_FORCE_SCALARS];
    for (int i = 0; i < l->count; i++) {
        if (action->force[i] == 0.0) continue;
        poly[count] = s->kinematics->scalar[l[i].scalar].a;
        force[count++] = action->force[i];
    }
    sari_polys_hessian(s->kinematics, count, poly, force, s->forces->H);
}

void sari_laws_add_together(sari_system* s, const sari_law* l, const sari_force_action* action)
{
    const sari_force_set* f = s->forces;
    const int n = s->kinematics->scalar_depends[l->scalar].n, m = l->count;
    const int* at = l->blocks[0].at;
    double *by_q = f->together, *by_v = f->together + m * n;
    memset(f->together, 0, (size_t)(2 * m * n) * sizeof *f->together);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            const double* g = f->value[l->first + k].g;
            add_row(action->by_value[i][k], g, n, by_q + n * i);
            add_row(action->by_rate[i][k], f->slope + f->longest * (l->first + k), n, by_q + n * i);
            add_row(action->by_rate[i][k], g, n, by_v + n * i);
        }
    memset(f->H, 0, (size_t)(n * n) * sizeof *f->H);
    if (l->plain) add_second(s, l, action);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            double stiffness = f->H[n * r + c], damping = 0.0;
            for (int i = 0; i < m; i++) {
                const double g = f->value[l->first + i].g[r];
                stiffness += g * by_q[n * i + c];
                damping += g * by_v[n * i + c];
            }
            s->K.x[at[n * r + c]] += stiffness;
            s->C.x[at[n * r + c]] += damping;
        }
}
