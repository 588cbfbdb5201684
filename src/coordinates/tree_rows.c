#include "coordinates/tree_rows.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/random.h"
#include "math/vec3.h"
#include "system/mechanism/quadratics_kernels.h"

#include <stdint.h>

/* ---- construction --------------------------------------------------------------------------- */

/* Some placement of a body, for no purpose but to tell what vanishes by accident from what always
 * does. */
static void place_somewhere(const sari_mechanism* m, uint64_t* seed, double* X)
{
    double u[7], p[4], R[9], square = 0.0;
    for (int k = 0; k < 7; k++) u[k] = 0.5 * (1.0 + sari_random(seed)) - 0.45;
    for (int k = 0; k < 4; k++) p[k] = u[3 + k], square += p[k] * p[k];
    for (int k = 0; k < 4; k++) p[k] /= sqrt(square);
    sari_rotation_of_quaternion(p, R);
    if (m->dimension == 2) {
        X[0] = u[0], X[1] = u[1], X[2] = sari_cos(9.0 * u[2]), X[3] = sari_sin(9.0 * u[2]);
        return;
    }
    for (int k = 0; k < 3; k++) X[k] = u[k];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) X[3 + 3 * c + k] = R[3 * k + c];
}

/* Numbers of a polynomial's variables as those of the placements of its bodies; nx = k->nx. */
SARI_INLINE void spread(const sari_kinematics* k, int poly, const double* by_X, const int nx,
                        double G[2][12])
{
    const int *p = k->compiled.p, *slot = k->slot[poly], split = k->paths[poly].split;
    const sari_quadratic_entry* entry = k->compiled.entry + p[poly];
    for (int a = 0; a < nx; a++) G[0][a] = G[1][a] = 0.0;
    for (int e = 0; e < split; e++) G[0][entry[e].i - nx * slot[0]] = by_X[e];
    for (int e = split; e < p[poly + 1] - p[poly]; e++) G[1][entry[e].i - nx * slot[1]] = by_X[e];
}

/* Gradient of a polynomial by the placements of its bodies, one after the other. */
static double by_placement(const sari_kinematics* k, int poly, const double* X, double G[2][12])
{
    double value, by_X[SARI_POLY_X];
    sari_quadratics_gradient(&k->compiled, poly, poly + 1, X, &value, by_X);
    spread(k, poly, by_X, k->nx, G);
    return value;
}

/* Does a polynomial of two bodies not change when both are moved as one? */
static int is_relative(const sari_kinematics* k, int poly)
{
    const int nx = k->nx, *slot = k->slot[poly];
    const sari_tree* t = k->coordinates->tree;
    double saved[2][12], G[2][12], sum = 0.0, scale = 0.0;
    uint64_t seed = 88172645463325252u;
    if (slot[1] == 0) return 0;
    for (int e = 0; e < 2; e++) memcpy(saved[e], k->X + nx * slot[e], (size_t)nx * sizeof(double));
    for (int e = 0; e < 2; e++) place_somewhere(t->mechanism, &seed, k->X + nx * slot[e]);
    by_placement(k, poly, k->X, G);
    sari_six W[2];
    for (int e = 0; e < 2; e++) sari_tree_wrench(t, k->X + nx * slot[e], G[e], W[e]);
    for (int c = 0; c < 6; c++) {
        sum = fmax(sum, fabs(W[0][c] + W[1][c]));
        scale = fmax(scale, fmax(fabs(W[0][c]), fabs(W[1][c])));
    }
    for (int e = 0; e < 2; e++) memcpy(k->X + nx * slot[e], saved[e], (size_t)nx * sizeof(double));
    return sum <= 1e-11 * scale;
}

static int variables_of_first(const sari_kinematics* k, int poly)
{
    int e = k->compiled.p[poly];
    while (e < k->compiled.p[poly + 1] && k->compiled.entry[e].i / k->nx == k->slot[poly][0]) e++;
    return e - k->compiled.p[poly];
}

static const sari_body_map* map_of(const sari_kinematics* k, int poly, int e)
{
    return &k->coordinates->body[k->slot[poly][e]]; // the ground's is empty
}

static int common(const sari_body_map* a, const sari_body_map* b)
{
    int n = 0;
    while (n < a->nq && n < b->nq && a->q[n] == b->q[n]) n++;
    return n;
}

sar_status sari_tree_list(sari_kinematics* k, int poly)
{
    const sari_body_map *a = map_of(k, poly, 0), *b = map_of(k, poly, 1);
    sari_poly_paths* paths = &k->paths[poly];
    paths->split = variables_of_first(k, poly);
    const char* local = k->coordinates->tree->local;
    const int first = (local && local[poly]) || is_relative(k, poly) ? common(a, b) : 0;
    int most = a->nq + b->nq - 2 * first, n = 0, i = first, j = first;
    sari_term_list* list = &k->depends[poly];
    list->i = SARI_TAKE(k->memory, int, most);
    paths->first = first;
    paths->at[0] = SARI_TAKE(k->memory, int, a->nq - first);
    paths->at[1] = SARI_TAKE(k->memory, int, b->nq - first);
    if (k->memory->failed) return SAR_E_NOMEM;
    while (i < a->nq || j < b->nq) { // merge
        int take_a = i < a->nq && (j >= b->nq || a->q[i] <= b->q[j]);
        int take_b = j < b->nq && (i >= a->nq || b->q[j] <= a->q[i]);
        list->i[n] = take_a ? a->q[i] : b->q[j];
        if (take_a) paths->at[0][i++ - first] = n;
        if (take_b) paths->at[1][j++ - first] = n;
        n++;
    }
    list->n = n;
    return SAR_OK;
}

int sari_tree_is_coordinate(const sari_kinematics* k, int scalar)
{
    const sari_tree* t = k->coordinates->tree;
    const sari_scalar* s = &k->scalar[scalar];
    const sari_term_list* list = &k->scalar_depends[scalar];
    if (s->joint < 0 || s->of_rows || list->n != 1) return 0;
    if (list->i[0] >= t->nq) return 0; // a state
    const sari_tree_node* node = &t->node[t->node_of[list->i[0]]];
    if (node->joint != s->joint || node->n != 1) return 0;
    const int is = (s->kind == SARI_SCALAR_ANGLE && node->motion == SARI_TURN) ||
                   (s->kind == SARI_SCALAR_PLAIN && node->motion == SARI_SLIDE);
    return is ? 1 + node->p : 0;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* b + H x of the variables of one body, as forces G on its placement: (2) of quadratics.h. What they
 * make of twice the value is added to that. */
SARI_INLINE double push(const sari_quadratics* f, const sari_quadratic_entry* e,
                        const sari_quadratic_entry* end, const double* X, int first, const int nx,
                        double twice, double* restrict G)
{
    for (int a = 0; a < nx; a++) G[a] = 0.0;
    for (; e < end; e++) {
        const double force = e->b + sari_quadratics_times(f, e, X, 1);
        G[e->i - first] = force;
        twice += X[e->i] * (e->b + force);
    }
    return twice;
}

/* The same forces, and H Xd, their rates. */
SARI_INLINE void push_both(const sari_quadratics* f, const sari_quadratic_entry* e,
                           const sari_quadratic_entry* end, const double* X, const double* Xd,
                           int first, const int nx, double* restrict G, double* restrict rate)
{
    for (int a = 0; a < nx; a++) G[a] = rate[a] = 0.0;
    for (; e < end; e++) {
        double force = e->c[0] * X[e->x[0]] + e->c[1] * X[e->x[1]];
        double change = e->c[0] * Xd[e->x[0]] + e->c[1] * Xd[e->x[1]];
        for (int k = e->more; k < e->end; k++) {
            force += f->term[k].c * X[f->term[k].i];
            change += f->term[k].c * Xd[f->term[k].i];
        }
        G[e->i - first] = e->b + force;
        rate[e->i - first] = change;
    }
}

/* For both dimensions: nx = k->nx, known to the compiler. */
SARI_INLINE double gradient(const sari_kinematics* k, int poly, const int nx, double* g)
{
    const sari_tree* t = k->coordinates->tree;
    const int *slot = k->slot[poly], first = k->paths[poly].first;
    const sari_quadratics* f = &k->compiled;
    const sari_quadratic_entry *entry = f->entry + f->p[poly], *end = entry + k->paths[poly].split;
    double twice = 0.0, G[12];
    for (int i = 0; i < k->depends[poly].n; i++) g[i] = 0.0;
    for (int e = 0; e < 2 && slot[e]; e++, entry = end, end = f->row[poly].end) {
        const sari_body_map* map = &k->coordinates->body[slot[e]];
        const int* at = k->paths[poly].at[e];
        sari_six W;
        twice = push(f, entry, end, k->X, nx * slot[e], nx, twice, G);
        sari_wrench_about(t->o, k->X + nx * slot[e], G, nx == 4, W);
        for (int i = first; i < map->nq; i++)
            g[at[i - first]] += sari_work_of(t->S[map->q[i]], W, nx == 4); // (1)
    }
    return f->row[poly].c + 0.5 * twice;
}

double sari_tree_gradient(const sari_kinematics* k, int poly, double* g)
{
    return k->nx == 4 ? gradient(k, poly, 4, g) : gradient(k, poly, 12, g);
}

SARI_INLINE void gradient_rate(const sari_kinematics* k, int poly, const int nx, double* g)
{
    const sari_tree* t = k->coordinates->tree;
    const int *slot = k->slot[poly], first = k->paths[poly].first;
    const sari_quadratics* f = &k->compiled;
    const sari_quadratic_entry *entry = f->entry + f->p[poly], *end = entry + k->paths[poly].split;
    double G[12], rate[12];
    for (int i = 0; i < k->depends[poly].n; i++) g[i] = 0.0;
    for (int e = 0; e < 2 && slot[e]; e++, entry = end, end = f->row[poly].end) {
        const sari_body_map* map = &k->coordinates->body[slot[e]];
        const int* at = k->paths[poly].at[e];
        const double *X = k->X + nx * slot[e], *Xd = k->Xd + nx * slot[e];
        sari_six W, W_dot;
        push_both(f, entry, end, k->X, k->Xd, nx * slot[e], nx, G, rate);
        sari_wrench_about(t->o, X, G, nx == 4, W);
        sari_wrench_about(t->o, X, rate, nx == 4, W_dot);
        sari_add_wrench_change(Xd, G, nx == 4, W_dot);
        for (int i = first; i < map->nq; i++) {
            const int j = map->q[i];
            g[at[i - first]] += sari_work_of(t->S_dot[j], W, nx == 4);
            g[at[i - first]] += sari_work_of(t->S[j], W_dot, nx == 4);
        }
    }
}

void sari_tree_gradient_rate(const sari_kinematics* k, int poly, double* g)
{
    if (k->nx == 4)
        gradient_rate(k, poly, 4, g);
    else
        gradient_rate(k, poly, 12, g);
}

/* Z of (2) */
static void carried(const sari_six S, const sari_six W, sari_six Z)
{
    double turn[3], shift[3];
    sari_cross(W, S, turn);
    sari_cross(W + 3, S + 3, shift);
    sari_cross(W + 3, S, Z + 3);
    for (int k = 0; k < 3; k++) Z[k] = turn[k] + shift[k];
}

/* out_i += S_i . (dW + [j not beyond i] Z), i over the coordinates of a body from `first` on */
static void add_change(const sari_tree* t, const sari_body_map* map, int first, const int* at,
                       int stride, int j, const sari_six dW, const sari_six Z, double* out)
{
    sari_six both;
    for (int c = 0; c < 6; c++) both[c] = dW[c] + Z[c];
    for (int i = first; i < map->nq; i++) {
        const int a = t->node_of[j], b = t->node_of[map->q[i]];
        const int behind = a < b || (a == b && !t->node[a].outer);
        out[stride * (at ? at[i - first] : i)] +=
            sari_tree_work(t, t->S[map->q[i]], behind ? both : dW);
    }
}

/* The rate of sum->by when the placement of body e, the first or second, changes by dX. */
static void add_placement_rate(const sari_polys_on_X* sum, int nx, int e, const double* dX,
                               double rate[SARI_POLY_X])
{
    for (int b = 0; b < nx; b++) // `second` is symmetric
        for (int a = 0; a < SARI_POLY_X; a++) rate[a] += sum->second[nx * e + b][a] * dX[b];
}

/* The same for one polynomial, times s: it has few second derivatives, and dX of a joint has zeros. */
SARI_INLINE void add_rate_of_one(const sari_kinematics* k, int poly, const int nx, double s, int e,
                                 const double* dX, double rate[SARI_POLY_X])
{
    const sari_quadratics* f = &k->compiled;
    const int *slot = k->slot[poly], split = k->paths[poly].split;
    const int first = f->p[poly], count = f->p[poly + 1] - first;
    const sari_quadratic_entry* entry = f->entry + first;
    for (int i = e ? split : 0; i < (e ? count : split); i++) {
        const double d = s * dX[entry[i].i - nx * slot[e]];
        if (d == 0.0) continue;
        for (int t = f->h[first + i]; t < f->h[first + i + 1]; t++) { // H is symmetric
            const int second = f->term[t].at >= split;
            rate[f->term[t].i - nx * (slot[second] - second)] += f->term[t].c * d;
        }
    }
}

/* First derivatives by X of s phi, as sari_polys_eval_on_X has them. */
SARI_INLINE void first_of_one(const sari_kinematics* k, int poly, const int nx, double s,
                              double by[SARI_POLY_X])
{
    const sari_quadratics* f = &k->compiled;
    const int* slot = k->slot[poly];
    const sari_quadratic_entry *entry = f->entry + f->p[poly], *end = entry + k->paths[poly].split;
    for (int e = 0; e < 2; e++, entry = end, end = f->row[poly].end) {
        push(f, entry, end, k->X, nx * slot[e], nx, 0.0, by + nx * e);
        for (int a = 0; a < nx; a++) by[nx * e + a] *= s;
    }
}

SARI_INLINE void hessian(const sari_kinematics* k, int count, const int* polys, const double* s,
                         const int nx, double* H)
{
    const sari_tree* t = k->coordinates->tree;
    const int poly = polys[0]; // the others have the same paths
    const int n = k->depends[poly].n, *slot = k->slot[poly];
    const int bodies = slot[0] == 0 ? 0 : slot[1] == 0 ? 1 : 2;
    int next[2] = {k->paths[poly].first, k->paths[poly].first}; // on the way to each body
    double dX[2][12];
    sari_six W[2];
    sari_polys_on_X sum;
    if (count == 1)
        first_of_one(k, poly, nx, s[0], sum.by);
    else
        sari_polys_eval_on_X(k, count, polys, s, &sum);
    for (int e = 0; e < bodies; e++)
        sari_wrench_about(t->o, k->X + nx * slot[e], sum.by + nx * e, nx == 4, W[e]);
    for (int column = 0; column < n; column++) {
        const int j = k->depends[poly].i[column];
        double dG[SARI_POLY_X] = {0};
        int carries[2] = {0};
        for (int e = 0; e < bodies; e++) {
            const sari_body_map* map = map_of(k, poly, e);
            carries[e] = next[e] < map->nq && map->q[next[e]] == j;
            next[e] += carries[e];
            if (!carries[e]) continue;
            sari_tree_carry(t, k->X + nx * slot[e], t->S[j], dX[e]);
            if (count == 1)
                add_rate_of_one(k, poly, nx, s[0], e, dX[e], dG);
            else
                add_placement_rate(&sum, nx, e, dX[e], dG);
        }
        for (int e = 0; e < bodies; e++) {
            sari_six dW, Z = {0};
            sari_wrench_about(t->o, k->X + nx * slot[e], dG + nx * e, nx == 4, dW);
            if (carries[e]) {
                sari_add_wrench_change(dX[e], sum.by + nx * e, nx == 4, dW);
                carried(t->S[j], W[e], Z);
            }
            add_change(t, map_of(k, poly, e), k->paths[poly].first, k->paths[poly].at[e], n, j, dW,
                       Z, H + column); // (2)
        }
    }
}

void sari_tree_hessian(const sari_kinematics* k, int count, const int* polys, const double* s,
                       double* H)
{
    if (k->nx == 4)
        hessian(k, count, polys, s, 4, H);
    else
        hessian(k, count, polys, s, 12, H);
}

/* ---- forces on bodies ----------------------------------------------------------------------- */

void sari_tree_pull(const sari_kinematics* k, int b, const double* G, double* out)
{
    const sari_tree* t = k->coordinates->tree;
    const sari_body_map* map = &k->coordinates->body[b];
    sari_six W;
    if (map->nq) sari_tree_wrench(t, k->X + k->nx * b, G, W);
    for (int i = 0; i < map->nq; i++) out[i] = sari_tree_work(t, t->S[map->q[i]], W);
}

void sari_tree_add_second(const sari_kinematics* k, int b, const double* G, int j, double* out)
{
    const sari_tree* t = k->coordinates->tree;
    const sari_body_map* map = &k->coordinates->body[b];
    sari_six W, dW = {0}, Z;
    double dX[12];
    sari_tree_wrench(t, k->X + k->nx * b, G, W);
    sari_tree_carry(t, k->X + k->nx * b, t->S[map->q[j]], dX);
    sari_tree_add_wrench_change(t, dX, G, dW);
    carried(t->S[map->q[j]], W, Z);
    add_change(t, map, 0, NULL, 1, map->q[j], dW, Z, out);
}
