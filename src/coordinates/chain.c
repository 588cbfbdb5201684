/* The chain rule: bodies placed by X(q), with T = dX/dq and D2 = dT/dq. With M_X the inertia of a
 * placement,
 *
 *     M = sum_b T' M_X T,     Q = T' (weight - M_X v' D2 v)
 *
 *     d phi/dq = phi_X T,     d2 phi/dq2 = T' phi_XX T + sum_a phi_Xa D2_a */
#include "coordinates/chain.h"
#include "base/memory.h"
#include "base/status.h"
#include "linalg/inline.h"

#include <string.h>

/* ---- places and polynomials ----------------------------------------------------------------- */

/* Xd = T v and Xdd = v' D2 v of a body */
static void body_rates(const sari_kinematics* k, int b)
{
    const sari_body_map* map = &k->coordinates->body[b];
    const double* v = k->v;
    const int n = map->nq, *q = map->q;
    for (int a = 0; a < k->nx; a++) {
        const double* T = map->T + n * a;
        const int first = sari_body_map_first(map, a), end = sari_body_map_end(map, a);
        double xd = 0.0, xdd = 0.0;
        for (int i = first; i < end; i++) xd += T[i] * v[q[i]];
        k->Xd[k->nx * b + a] = xd;
        if (!map->D2) continue;
        const double* D2 = map->D2 + n * n * a;
        for (int i = first; i < end; i++) {
            double sum = 0.0;
            for (int j = first; j < end; j++) sum += D2[n * i + j] * v[q[j]];
            xdd += v[q[i]] * sum;
        }
        k->Xdd[k->nx * b + a] = xdd;
    }
}

/* Bring the rates of X to v unless they are there. */
static void rates(sari_kinematics* k, int bodies)
{
    (void)bodies; // they come with the rest
    const sari_coordinates* c = k->coordinates;
    const size_t bytes = (size_t)c->nq * sizeof(double);
    if (k->moving && memcmp(k->at_v, k->v, bytes) == 0) return;
    for (int b = 1; b < c->mechanism->bodies; b++) body_rates(k, b);
    memcpy(k->at_v, k->v, bytes);
    k->moving = 1;
}

void sari_chain_pull(const sari_kinematics* k, int b, const double* G, double* out)
{
    const sari_body_map* map = &k->coordinates->body[b];
    for (int i = 0; i < map->nq; i++) out[i] = 0.0;
    for (int a = 0; k->constant && a < k->nx; a++) {
        const sari_linear_map* T = &k->map;
        const double force = G[a];
        const int end = force != 0.0 ? T->p[k->nx * b + a + 1] : 0;
        for (int e = T->p[k->nx * b + a]; e < end; e++) out[T->at[e]] += T->t[e] * force;
    }
    for (int a = 0; !k->constant && a < k->nx; a++) {
        const double *T = map->T + map->nq * a, force = G[a];
        const int end = sari_body_map_end(map, a);
        for (int i = sari_body_map_first(map, a); i < end; i++) out[i] += T[i] * force;
    }
}

void sari_chain_column(const sari_kinematics* k, int b, int j, double* dX)
{
    const sari_body_map* map = &k->coordinates->body[b];
    for (int a = 0; a < k->nx; a++) dX[a] = map->T[map->nq * a + j];
}

void sari_chain_add_second(const sari_kinematics* k, int b, const double* G, int j, double* out)
{
    const sari_body_map* map = &k->coordinates->body[b];
    for (int i = 0; map->D2 && i < map->nq; i++)
        for (int a = 0; a < k->nx; a++) out[i] += G[a] * map->D2[map->nq * (map->nq * a + i) + j];
}

void sari_chain_accelerations(const sari_kinematics* k, const double* a, double* Xdd)
{
    const sari_coordinates* c = k->coordinates;
    for (int b = 1; b < c->mechanism->bodies; b++)
        for (int x = k->nx * b; x < k->nx * (b + 1); x++) Xdd[x] = c->body[b].D2 ? k->Xdd[x] : 0.0;
    for (int b = 1; b < c->mechanism->bodies; b++) {
        const sari_body_map* map = &c->body[b];
        for (int x = 0; x < k->nx; x++)
            for (int i = 0; i < map->nq; i++)
                Xdd[k->nx * b + x] += map->T[map->nq * x + i] * a[map->q[i]];
    }
}

/* How component a of X depends on the coordinates of a polynomial: from `first` to `end` of those of
 * its body, which begin at `at`. */
typedef struct link {
    int at, first, end, nq;
    const double *T, *D2; ///< of that component; D2 may be NULL
    const int* q;
} link;

SARI_INLINE link link_of(const sari_kinematics* k, int poly, int a)
{
    const int b = a / k->nx, x = a - k->nx * b;
    const sari_body_map* map = &k->coordinates->body[b];
    return (link){.at = k->offset[poly][k->slot[poly][1] == b],
                  .first = sari_body_map_first(map, x),
                  .end = sari_body_map_end(map, x),
                  .nq = map->nq,
                  .T = map->T + map->nq * x,
                  .D2 = map->D2 ? map->D2 + map->nq * map->nq * x : NULL,
                  .q = map->q};
}

double sari_chain_gradient(const sari_kinematics* k, int poly, double* g)
{
    double value;
    double by_X[SARI_POLY_X];
    const int* p = k->compiled.p;
    const sari_quadratic_entry* entry = k->compiled.entry + p[poly];
    sari_quadratics_gradient(&k->compiled, poly, poly + 1, k->X, &value, by_X);
    for (int i = 0; i < k->depends[poly].n; i++) g[i] = 0.0;
    for (int e = 0; e < p[poly + 1] - p[poly]; e++) {
        const link l = link_of(k, poly, entry[e].i);
        for (int i = l.first; i < l.end; i++) g[l.at + i] += by_X[e] * l.T[i];
    }
    return value;
}

void sari_chain_gradient_rate(const sari_kinematics* k, int poly, double* g)
{
    double value, by_X[SARI_POLY_X], rate[SARI_POLY_X];
    const int* p = k->compiled.p;
    const sari_quadratic_entry* entry = k->compiled.entry + p[poly];
    sari_quadratics_gradient(&k->compiled, poly, poly + 1, k->X, &value, by_X);
    sari_quadratics_gradient_rate(&k->compiled, poly, poly + 1, k->Xd, rate);
    for (int i = 0; i < k->depends[poly].n; i++) g[i] = 0.0;
    for (int e = 0; e < p[poly + 1] - p[poly]; e++) {
        const link l = link_of(k, poly, entry[e].i);
        for (int i = l.first; i < l.end; i++) {
            g[l.at + i] += rate[e] * l.T[i];
            for (int j = l.first; l.D2 && j < l.end; j++)
                g[l.at + i] += by_X[e] * l.D2[l.nq * i + j] * k->v[l.q[j]];
        }
    }
}

/* H += T_a' (s phi_Xa,X T) + s phi_Xa D2_a, component after component */
static void hessian_of_one(const sari_kinematics* k, int poly, double s, double* H)
{
    const sari_quadratics* f = &k->compiled;
    const int first = f->p[poly], n = k->depends[poly].n;
    double by_X[SARI_POLY_X], row[SARI_POLY_X], value;
    link at[SARI_POLY_X];
    sari_quadratics_gradient(f, poly, poly + 1, k->X, &value, by_X);
    for (int e = 0; e < f->p[poly + 1] - first; e++)
        at[e] = link_of(k, poly, f->entry[first + e].i);
    for (int e = 0; e < f->p[poly + 1] - first; e++) {
        const link l = at[e];
        memset(row, 0, (size_t)n * sizeof *row);
        for (int t = f->h[first + e]; t < f->h[first + e + 1]; t++) {
            const link* other = &at[f->term[t].at];
            const double c = s * f->term[t].c;
            for (int j = other->first; j < other->end; j++) row[other->at + j] += c * other->T[j];
        }
        for (int i = l.first; i < l.end; i++) {
            double* to = H + n * (l.at + i);
            if (f->h[first + e] < f->h[first + e + 1])
                for (int j = 0; j < n; j++) to[j] += l.T[i] * row[j];
            for (int j = l.first; l.D2 && j < l.end; j++)
                to[l.at + j] += s * by_X[e] * l.D2[l.nq * i + j];
        }
    }
}

/* The same for the sum of several, whose derivatives by X are added first. */
static void hessian_of_many(const sari_kinematics* k, int count, const int* poly, const double* s,
                            double* H)
{
    const int *slot = k->slot[poly[0]], n = k->depends[poly[0]].n, all = (slot[1] ? 2 : 1) * k->nx;
    sari_polys_on_X sum;
    link at[SARI_POLY_X];
    sari_polys_eval_on_X(k, count, poly, s, &sum);
    for (int a = 0; a < all; a++) at[a] = link_of(k, poly[0], k->nx * slot[a >= k->nx] + a % k->nx);
    for (int a = 0; a < all; a++) {
        const link l = at[a];
        double row[SARI_POLY_X] = {0};
        for (int b = 0; b < all; b++)
            for (int j = at[b].first; sum.second[a][b] != 0.0 && j < at[b].end; j++)
                row[at[b].at + j] += sum.second[a][b] * at[b].T[j];
        for (int i = l.first; i < l.end; i++) {
            double* to = H + n * (l.at + i);
            for (int j = 0; j < n; j++) to[j] += l.T[i] * row[j];
            for (int j = l.first; l.D2 && j < l.end; j++)
                to[l.at + j] += sum.by[a] * l.D2[l.nq * i + j];
        }
    }
}

void sari_chain_hessian(const sari_kinematics* k, int count, const int* poly, const double* s,
                        double* H)
{
    if (count == 1)
        hessian_of_one(k, *poly, *s, H);
    else
        hessian_of_many(k, count, poly, s, H);
}

sar_status sari_chain_list(sari_kinematics* k, int poly)
{
    int list[SARI_POLY_X], total = 0;
    for (int e = 0; e < 2 && k->slot[poly][e]; e++) {
        k->offset[poly][e] = total;
        const sari_body_map* map = &k->coordinates->body[k->slot[poly][e]];
        for (int i = 0; i < map->nq; i++) list[total++] = map->q[i];
    }
    k->depends[poly].n = total;
    k->depends[poly].i = sari_arena_copy(k->memory, list, (size_t)total, sizeof *list);
    return k->depends[poly].i ? SAR_OK : SAR_E_NOMEM;
}

/* ---- inertia -------------------------------------------------------------------------------- */

static sar_status mass_pattern(sari_system* s, sari_pattern* pattern)
{
    for (int b = 1; b < s->mechanism->bodies; b++)
        sari_pattern_add_clique(pattern, s->coordinates.body[b].q, s->coordinates.body[b].nq);
    return SAR_OK; // remembered by the pattern
}

static sar_status mass_locate(sari_system* s)
{
    const sari_mechanism* m = s->mechanism;
    int total = 0;
    for (int b = 1; b < m->bodies; b++)
        total += s->coordinates.body[b].nq * (s->coordinates.body[b].nq + 1) / 2;
    s->mass_at = SARI_TAKE(&s->memory, int, total);
    s->mass_first = SARI_TAKE(&s->memory, int, m->bodies);
    if (s->memory.failed) return SAR_E_NOMEM;
    int* at = s->mass_at;
    for (int b = 1; b < m->bodies; b++) {
        const sari_body_map* map = &s->coordinates.body[b];
        s->mass_first[b] = (int)(at - s->mass_at);
        for (int i = 0; i < map->nq; i++)
            for (int j = 0; j <= i; j++) *at++ = sari_sym_find(&s->M, map->q[i], map->q[j]);
    }
    return SAR_OK;
}

static int mass_is_constant(const sari_system* s)
{
    return s->coordinates.constant || s->mechanism->dimension == 2;
}

/* M = sum_b T' M_X T */
static void set_mass(sari_system* s)
{
    const sari_mechanism* m = s->mechanism;
    const int nx = m->nx;
    for (int i = 0; i < s->M.p[s->nq]; i++) s->M.x[i] = 0.0;
    for (int b = 1; b < m->bodies; b++) {
        const sari_body_map* map = &s->coordinates.body[b];
        const int* at = s->mass_at + s->mass_first[b]; // row i of the block, up to the diagonal
        for (int i = 0; i < map->nq; at += ++i) {
            double column[12], y[12];
            for (int a = 0; a < nx; a++) column[a] = map->T[map->nq * a + i];
            sari_inertia_times(m, b, column, y);
            for (int a = 0; a < nx; a++) {
                const double* T = map->T + map->nq * a;
                const int end = sari_body_map_end(map, a) <= i ? sari_body_map_end(map, a) : i + 1;
                if (y[a] == 0.0) continue;
                for (int j = sari_body_map_first(map, a); j < end; j++)
                    s->M.x[at[j]] += T[j] * y[a];
            }
        }
    }
}

/* Q = -T' M_X (v' D2 v) + T_r' m g */
static void set_force(sari_system* s, int with_velocity)
{
    const sari_mechanism* m = s->mechanism;
    int nx = m->nx;
    for (int i = 0; i < s->nq; i++) s->Q[i] = 0.0;
    for (int b = 1; b < m->bodies; b++) {
        const sari_body_map* map = &s->coordinates.body[b];
        double force[12] = {0};
        if (with_velocity && map->D2) {
            sari_inertia_times(m, b, s->kinematics->Xdd + nx * b, force);
            for (int a = 0; a < nx; a++) force[a] = -force[a];
        }
        for (int k = 0; k < m->dimension; k++)
            force[k] += m->model->bodies[b].def.mass * m->model->gravity[k];
        for (int a = 0; a < nx; a++) {
            if (force[a] == 0.0) continue;
            const double* T = map->T + map->nq * a;
            for (int i = sari_body_map_first(map, a); i < sari_body_map_end(map, a); i++)
                s->Q[map->q[i]] += T[i] * force[a];
        }
    }
}

/* dM/dt v = sum_b dT/dt' M_X dX/dt + T' M_X (v' D2 v) */
static void add_mass_rate(sari_system* s, double* out)
{
    const sari_mechanism* m = s->mechanism;
    const double* v = s->kinematics->v;
    int nx = m->nx;
    for (int b = 1; b < m->bodies; b++) {
        const sari_body_map* map = &s->coordinates.body[b];
        int n = map->nq;
        double momentum[12], force[12];
        if (!map->D2) continue;
        sari_inertia_times(m, b, s->kinematics->Xd + nx * b, momentum);
        sari_inertia_times(m, b, s->kinematics->Xdd + nx * b, force);
        for (int a = 0; a < nx; a++)
            for (int i = 0; i < n; i++) {
                double rate = 0.0;
                for (int j = 0; j < n; j++) rate += map->D2[n * (n * a + i) + j] * v[map->q[j]];
                out[map->q[i]] += rate * momentum[a] + map->T[n * a + i] * force[a];
            }
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

void sari_chain_rows(sari_system* s, unsigned what)
{
    const sari_kinematics* k = s->kinematics;
    double* J = s->Phi_q.x;
    const int* p = s->Phi_q.p;
    const int compiled = s->compiled.rows, plain = s->own_rows + s->polynomial_rows;
    if (what & SARI_EVAL_JACOBIAN) {
        if (compiled) sari_quadratics_gradient(&s->compiled, 0, compiled, s->own.q, s->Phi, J);
        for (int r = compiled; r < plain; r++)
            s->Phi[r] = sari_poly_gradient(k, s->row_polynomial[r - s->own_rows], J + p[r]);
    }
    if ((what & (SARI_EVAL_JACOBIAN | SARI_EVAL_PHI)) == SARI_EVAL_PHI) {
        for (int r = 0; r < s->own_rows; r++) s->Phi[r] = sari_poly_value(&s->own, r);
        for (int r = s->own_rows; r < plain; r++)
            s->Phi[r] = sari_poly_value(k, s->row_polynomial[r - s->own_rows]);
    }
    if (what & SARI_EVAL_BIAS) {
        if (compiled) sari_quadratics_curvature(&s->compiled, 0, compiled, s->own.v, s->bias);
        for (int r = compiled; r < plain; r++)
            s->bias[r] = sari_poly_bias(k, s->row_polynomial[r - s->own_rows]);
    }
}

const sari_evaluator_ops sari_evaluator_chain = {
    .list = sari_chain_list,
    .gradient = sari_chain_gradient,
    .gradient_rate = sari_chain_gradient_rate,
    .hessian = sari_chain_hessian,
    .pull = sari_chain_pull,
    .column = sari_chain_column,
    .add_second = sari_chain_add_second,
    .rates = rates,
    .accelerations = sari_chain_accelerations,
    .mass_pattern = mass_pattern,
    .mass_locate = mass_locate,
    .mass = set_mass,
    .mass_is_constant = mass_is_constant,
    .mass_rate = add_mass_rate,
    .force = set_force,
    .rows = sari_chain_rows,
};
