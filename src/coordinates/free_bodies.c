/* With p = r + R s and a rotation R exp(theta~), theta in body axes [algebra in coordinates/
 * increments.c]:
 *
 *     dp = dr + R (theta x s)                 p'' = R (w x (w x s))  without accelerations     (1)
 *
 *     d(u_a . u_b) = theta_a . (u x R_a' u_b) + theta_b . (u' x R_b' u_a)                      (2)
 *
 * u, u' the directions in their bodies' axes. On the ground R = 1 and nothing moves. */
#include "coordinates/free_bodies.h"

#include "base/parallel.h"
#include "linalg/inline.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"

/* ---- a body in motion ----------------------------------------------------------------------- */

/* R s, from the columns of R */
SARI_INLINE void out_of(const double* R, const double* s, double* out)
{
    for (int k = 0; k < 3; k++) out[k] = R[k] * s[0] + R[3 + k] * s[1] + R[6 + k] * s[2];
}

/* R' x */
SARI_INLINE void into(const double* R, const double* x, double* out)
{
    for (int c = 0; c < 3; c++)
        out[c] = R[3 * c] * x[0] + R[3 * c + 1] * x[1] + R[3 * c + 2] * x[2];
}

SARI_INLINE const double* columns(const double* X, int body)
{
    return X + 12 * body + 3;
}

SARI_INLINE void direction_of(const double* X, const sari_free_end* e, double* u)
{
    if (e->body)
        out_of(columns(X, e->body), e->axis, u);
    else
        memcpy(u, e->axis, 3 * sizeof *u);
}

SARI_INLINE void point_of(const double* X, const sari_free_end* e, double* p)
{
    if (!e->body) {
        memcpy(p, e->point, 3 * sizeof *p);
        return;
    }
    out_of(columns(X, e->body), e->point, p);
    for (int k = 0; k < 3; k++) p[k] += X[12 * e->body + k];
}

/* Rate and, without accelerations, second rate of a vector s fixed in a body. */
static void rates(const double* X, const double* v, int body, const double* s, double* rate,
                  double* second)
{
    double turn[3], again[3];
    const double* w = v + 6 * (body - 1) + 3;
    sari_cross(w, s, turn);
    sari_cross(w, turn, again);
    out_of(columns(X, body), turn, rate);
    out_of(columns(X, body), again, second);
}

static void direction_rates(const double* X, const double* v, const sari_free_end* e, double* rate,
                            double* second)
{
    memset(rate, 0, 3 * sizeof *rate);
    memset(second, 0, 3 * sizeof *second);
    if (e->body) rates(X, v, e->body, e->axis, rate, second);
}

/* of p_b - p_a */
static void offset_rates(const double* X, const double* v, const sari_free_row* r, double* rate,
                         double* second)
{
    const sari_free_end* end[2] = {&r->a, &r->b};
    memset(rate, 0, 3 * sizeof *rate);
    memset(second, 0, 3 * sizeof *second);
    for (int e = 0; e < 2; e++) {
        double one[3], two[3], sign = e ? 1.0 : -1.0;
        if (!end[e]->body) continue;
        rates(X, v, end[e]->body, end[e]->point, one, two);
        for (int k = 0; k < 3; k++) {
            rate[k] += sign * (v[6 * (end[e]->body - 1) + k] + one[k]);
            second[k] += sign * two[k];
        }
    }
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* The three rows sign (dr + R (theta x s)) of (1); the part of dr never changes. */
SARI_INLINE void point_block(const double* X, const sari_free_end* e, double sign, int width,
                             double* restrict J)
{
    const double *R = columns(X, e->body), *s = e->point;
    const double x = sign * s[0], y = sign * s[1], z = sign * s[2];
    double* row = J + e->at + 3;
    for (int k = 0; k < 3; k++, row += width) {
        row[0] = y * R[6 + k] - z * R[3 + k];
        row[1] = z * R[k] - x * R[6 + k];
        row[2] = x * R[3 + k] - y * R[k];
    }
}

SARI_INLINE void eval_points(const sari_free_row* r, const double* X, double* restrict Phi,
                             double* restrict J)
{
    double pa[3], pb[3];
    point_of(X, &r->a, pa);
    point_of(X, &r->b, pb);
    for (int k = 0; k < 3; k++) Phi[k] = pb[k] - pa[k];
    if (!J) return;
    if (r->a.body) point_block(X, &r->a, -1.0, r->width, J);
    if (r->b.body) point_block(X, &r->b, 1.0, r->width, J);
}

/* (2): the part theta . (axis x R' other) of one end */
static void dot_block(const double* X, const sari_free_end* e, const double* axis,
                      const double* other, double* J)
{
    double seen[3];
    if (!e->body) return;
    into(columns(X, e->body), other, seen);
    sari_cross(axis, seen, J + e->at + 3);
}

static void eval_dot(const sari_free_row* r, const double* X, double* Phi, double* J)
{
    double ua[3], ub[3];
    direction_of(X, &r->a, ua);
    direction_of(X, &r->b, ub);
    *Phi = sari_dot(ua, ub);
    if (!J) return;
    dot_block(X, &r->a, r->a.axis, ub, J);
    dot_block(X, &r->b, r->b.axis, ua, J);
}

/* f . dp of one end, f a vector in space */
static void along_block(const double* X, const sari_free_end* e, double sign, const double* f,
                        double* J)
{
    double force[3] = {sign * f[0], sign * f[1], sign * f[2]};
    if (!e->body) return;
    memcpy(J + e->at, force, sizeof force);
    dot_block(X, e, e->point, force, J);
}

static void eval_offset(const sari_free_row* r, const double* X, double* Phi, double* J)
{
    double pa[3], pb[3], d[3], u[3], turned[3];
    point_of(X, &r->a, pa);
    point_of(X, &r->b, pb);
    direction_of(X, &r->a, u);
    for (int k = 0; k < 3; k++) d[k] = pb[k] - pa[k];
    *Phi = sari_dot(d, u) - r->constant;
    if (!J) return;
    along_block(X, &r->b, 1.0, u, J);
    along_block(X, &r->a, -1.0, u, J);
    if (!r->a.body) return;
    into(columns(X, r->a.body), d, turned); // u turns too
    double more[3];
    sari_cross(r->a.axis, turned, more);
    for (int k = 0; k < 3; k++) J[r->a.at + 3 + k] += more[k];
}

static void eval_distance(const sari_free_row* r, const double* X, double* Phi, double* J)
{
    double pa[3], pb[3], twice[3];
    point_of(X, &r->a, pa);
    point_of(X, &r->b, pb);
    for (int k = 0; k < 3; k++) twice[k] = 2.0 * (pb[k] - pa[k]);
    *Phi = 0.25 * sari_dot(twice, twice) - r->constant;
    if (!J) return;
    along_block(X, &r->b, 1.0, twice, J);
    along_block(X, &r->a, -1.0, twice, J);
}

static void eval_row(const sari_free_row* r, const double* X, double* Phi, double* J)
{
    switch (r->kind) {
    case SARI_FREE_POINTS:
        eval_points(r, X, Phi, J);
        break;
    case SARI_FREE_DOT:
        eval_dot(r, X, Phi, J);
        break;
    case SARI_FREE_OFFSET:
        eval_offset(r, X, Phi, J);
        break;
    case SARI_FREE_DISTANCE:
        eval_distance(r, X, Phi, J);
        break;
    }
}

/* What a loop over rows or bodies works with. */
typedef struct task {
    const sari_free* s;
    const double *X, *v;
    double *out, *J, factor;
} task;

static void eval_rows(void* self, int first, int end)
{
    const task* t = self;
    for (const sari_free_row* r = t->s->rows + first; r < t->s->rows + end; r++)
        eval_row(r, t->X, t->out + r->row, t->J);
}

void sari_free_constraints(const sari_free* s, const double* X, double* Phi, double* J)
{
    task t = {.s = s, .X = X, .out = Phi, .J = J};
    sari_parallel(s->threads, s->count, eval_rows, &t);
}

/* ---- reactions ------------------------------------------------------------------------------ */

/* f at the point of an end of a body: (f, s x R'f) */
SARI_INLINE void add_force(const double* X, const sari_free_end* e, double factor, const double* f,
                           double* out)
{
    double seen[3], moment[3];
    into(columns(X, e->body), f, seen);
    sari_cross(e->point, seen, moment);
    for (int k = 0; k < 3; k++) out[k] += factor * f[k], out[3 + k] += factor * moment[k];
}

/* factor times the transposed columns of the body at one end of a row, times 1 */
static void add_row_reaction(const sari_free_row* r, int at_b, const double* X, double factor,
                             double* out)
{
    double J[12] = {0}, Phi;
    sari_free_row one = *r; // its columns here: those of a, then those of b
    one.a.at = 0, one.b.at = 6;
    eval_row(&one, X, &Phi, J);
    for (int k = 0; k < 6; k++) out[k] += factor * J[6 * at_b + k];
}

static void body_reactions(void* self, int first, int end)
{
    const task* t = self;
    const sari_free* s = t->s;
    for (int b = first + 1; b < end + 1; b++)
        for (int k = s->incident[b]; k < s->incident[b + 1]; k++) {
            const sari_free_row* r = &s->rows[s->incidence[k] / 2];
            const int at_b = s->incidence[k] % 2;
            double* out = t->out + 6 * (b - 1);
            if (r->kind == SARI_FREE_POINTS)
                add_force(t->X, at_b ? &r->b : &r->a, at_b ? t->factor : -t->factor, t->v + r->row,
                          out);
            else
                add_row_reaction(r, at_b, t->X, t->factor * t->v[r->row], out);
        }
}

void sari_free_add_reaction(const sari_free* s, const double* X, double factor,
                            const double* lambda, double* out)
{
    task t = {.s = s, .X = X, .v = lambda, .out = out, .factor = factor};
    sari_parallel(s->threads, s->mechanism->bodies - 1, body_reactions, &t);
}

/* ---- bias ----------------------------------------------------------------------------------- */

static void bias_row(const sari_free_row* r, const double* X, const double* v, double* bias)
{
    double pa[3], pb[3], d[3], d1[3], d2[3], u[3], u1[3], u2[3], w[3], w1[3], w2[3];
    offset_rates(X, v, r, d1, d2);
    if (r->kind == SARI_FREE_POINTS) {
        memcpy(bias, d2, sizeof d2);
        return;
    }
    point_of(X, &r->a, pa);
    point_of(X, &r->b, pb);
    for (int k = 0; k < 3; k++) d[k] = pb[k] - pa[k];
    if (r->kind == SARI_FREE_DISTANCE) {
        *bias = 2.0 * (sari_dot(d1, d1) + sari_dot(d, d2));
        return;
    }
    direction_of(X, &r->a, u);
    direction_rates(X, v, &r->a, u1, u2);
    if (r->kind == SARI_FREE_OFFSET) {
        *bias = sari_dot(d2, u) + 2.0 * sari_dot(d1, u1) + sari_dot(d, u2);
        return;
    }
    direction_of(X, &r->b, w);
    direction_rates(X, v, &r->b, w1, w2);
    *bias = sari_dot(u2, w) + 2.0 * sari_dot(u1, w1) + sari_dot(u, w2);
}

static void bias_rows(void* self, int first, int end)
{
    const task* t = self;
    for (const sari_free_row* r = t->s->rows + first; r < t->s->rows + end; r++)
        bias_row(r, t->X, t->v, t->out + r->row);
}

void sari_free_bias(const sari_free* s, const double* X, const double* v, double* bias)
{
    task t = {.s = s, .X = X, .v = v, .out = bias};
    sari_parallel(s->threads, s->count, bias_rows, &t);
}

/* ---- inertia -------------------------------------------------------------------------------- */

void sari_free_mass_pattern(const sari_free* s, sari_pattern* pattern)
{
    for (int b = 1; b < s->mechanism->bodies; b++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                if (s->inertia[9 * b + 3 * i + j] != 0.0)
                    sari_pattern_add(pattern, 6 * (b - 1) + 3 + i, 6 * (b - 1) + 3 + j);
}

void sari_free_mass(const sari_free* s, sari_sym* M)
{
    for (int c = 0; c < 6 * (s->mechanism->bodies - 1); c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++) {
            int b = 1 + c / 6, i = M->i[k] % 6, j = c % 6;
            M->x[k] = j < 3 ? s->mechanism->model->bodies[b].def.mass
                            : s->inertia[9 * b + 3 * (i - 3) + j - 3];
        }
}

static void bodies_times(void* self, int first, int end)
{
    const task* t = self;
    for (int b = first + 1; b < end + 1; b++) {
        const double *x = t->v + 6 * (b - 1), m = t->s->mechanism->model->bodies[b].def.mass;
        double* out = t->out + 6 * (b - 1);
        for (int k = 0; k < 3; k++) out[k] = m * x[k];
        sari_rotate(t->s->inertia + 9 * b, x + 3, out + 3);
    }
}

void sari_free_mass_times(const sari_free* s, const double* x, double* out)
{
    task t = {.s = s, .v = x, .out = out};
    sari_parallel(s->threads, s->mechanism->bodies - 1, bodies_times, &t);
}

static void body_forces(void* self, int first, int end)
{
    const task* t = self;
    const sar_model* model = t->s->mechanism->model;
    for (int b = first + 1; b < end + 1; b++) {
        double* out = t->out + 6 * (b - 1);
        for (int k = 0; k < 3; k++) out[k] = model->bodies[b].def.mass * model->gravity[k];
        out[3] = out[4] = out[5] = 0.0;
        if (!t->v || !t->s->gyroscopic[b]) continue;
        const double* w = t->v + 6 * (b - 1) + 3;
        double spin[3];
        sari_rotate(t->s->inertia + 9 * b, w, spin);
        sari_cross(spin, w, out + 3);
    }
}

void sari_free_force(const sari_free* s, const double* v, double* Q)
{
    task t = {.s = s, .v = v, .out = Q};
    sari_parallel(s->threads, s->mechanism->bodies - 1, body_forces, &t);
}

/* G += sym(l s') - (l . s) 1, the second derivative of l . R exp(theta) s with l in body axes */
SARI_INLINE void add_turning(const double* l, const double* s, double* restrict G)
{
    const double all = sari_dot(l, s);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            *G++ += 0.5 * (l[i] * s[j] + l[j] * s[i]) - (i == j ? all : 0.0);
}

/* The second derivative of f . (vector fixed in a body), f a vector in space */
SARI_INLINE void add_end(const double* X, int body, const double* vector, const double* f,
                         double factor, double* G)
{
    double l[3];
    into(columns(X, body), f, l);
    for (int k = 0; k < 3; k++) l[k] *= factor;
    add_turning(l, vector, G);
}

/* The part of a condition in the stiffness of the body at its end a, or b. */
SARI_INLINE void add_row_stiffness(const sari_free_row* r, int at_b, const double* X,
                                   const double* lambda, double* G)
{
    const sari_free_end *own = at_b ? &r->b : &r->a, *other = at_b ? &r->a : &r->b;
    if (r->kind == SARI_FREE_POINTS) {
        add_end(X, own->body, own->point, lambda, at_b ? 1.0 : -1.0, G);
    } else if (r->kind == SARI_FREE_DOT) {
        double u[3];
        direction_of(X, other, u);
        add_end(X, own->body, own->axis, u, *lambda, G);
    }
}

static void body_stiffness(void* self, int first, int end)
{
    const task* t = self;
    for (int b = first + 1; b < end + 1; b++) {
        double* G = t->out + 6 * (b - 1);
        memset(G, 0, 6 * sizeof *G);
        for (int k = t->s->incident[b]; k < t->s->incident[b + 1]; k++) {
            const sari_free_row* r = &t->s->rows[t->s->incidence[k] / 2];
            add_row_stiffness(r, t->s->incidence[k] % 2, t->X, t->v + r->row, G);
        }
    }
}

void sari_free_stiffness(const sari_free* s, const double* X, const double* lambda, double* G)
{
    task t = {.s = s, .X = X, .v = lambda, .out = G};
    sari_parallel(s->threads, s->mechanism->bodies - 1, body_stiffness, &t);
}
