/* Dynamics of an open tree by recursion: the articulated-body algorithm and that of Newton and
 * Euler [featherstone1987].
 *
 * Vectors are in world axes, so that nothing is turned on the way along the tree; moments and
 * accelerations are about and of the origins of the nodes, so that nothing large cancels. Outwards,
 * from the parent p over the arm r, with the motion's axis z and rate v:
 *
 *     turn    w = w_p + z v       zeta = (w_p x z v, w_p x (w_p x r))                           (1)
 *     slide   w = w_p             zeta = (0, w_p x (w_p x r) + 2 w_p x z v)                     (2)
 *     ball    as a turn, with R v, R the node's frame, in place of z v                          (3)
 *
 * zeta is what the velocities add to the acceleration (alpha, a) of the node. What a node and all
 * beyond it ask of its joint is (N, F) = I (alpha, a) + p, with the articulated inertia
 * I = [J H; H' M]. A rigid body has J about the node's origin, H = [h]x, h = mass * centre, mass M,
 * and p = (w x J w, w x (w x h)). Weight is an acceleration of the ground, -g. Inwards, with S = z
 * in the angular or the linear half:
 *
 *     p += I zeta                                                                               (4)
 *     U = I S,  D = S.U,  K = U / D,  u = tau - S.p,  e = u / D                                 (5)
 *     I -= K U',  p += K u                                                                      (6)
 *
 * For a ball S is the unit matrix of the angular half, turned by R:
 *
 *     K = J^-1 H,  e = J^-1 (R tau - n - H zeta_a)                                              (7)
 *     J = 0, H = 0, M -= H'K,  n = R tau,  f += M zeta_a + H'e                                  (8)
 *
 * and about the origin of the parent
 *
 *     H += [r]x M,  J += Y + Y', Y = [r]x (H + [r]x M / 2)',  n += r x f                        (9)
 *
 * which it adds to its own. Outwards again, with A = (alpha, a) = (alpha_p, a_p + alpha_p x r):
 *
 *     turn, slide:  q'' = e - K.A,  A += zeta + S q'' (10) ball:  alpha = e - K a,  q'' = R'(alpha
 * - alpha_p - zeta_alpha),  a += zeta_a             (11)
 *
 * A motion without mass has D = 0, up to rounding. */
#include "system/articulated.h"

#include "base/memory.h"
#include "base/status.h"
#include "system/articulated_kernels.h"
#include "system/sine_cosine.h"

#include <float.h>

struct sari_articulated {
    int nodes, turns, branches;
    sari_link* link;        ///< [nodes + 1], the ground first
    sari_link_state* state; ///< the same
    int* branch; ///< [nodes + 1] where children other than the next node add to, 0: there are none
    sari_articulated_inertia* beyond; ///< [branches], from 1
    int* turn;                        ///< [turns, rounded up to four] their numbers in q
    double* cosine_sine;              ///< [2 * turns, rounded up] four cosines, four sines, ...
};

/* ---- construction --------------------------------------------------------------------------- */

void sari_articulated_destroy(sari_articulated* self)
{
    if (!self) return;
    sari_release(self->link);
    sari_release(self->state);
    sari_release(self->branch);
    sari_release(self->beyond);
    sari_release(self->turn);
    sari_release(self->cosine_sine);
    sari_release(self);
}

static void set_link(const sari_node* node, sari_link* l)
{
    const double m = node->mass, *c = node->center;
    memcpy(l->R, node->R, sizeof l->R);
    memcpy(l->r, node->r, sizeof l->r);
    l->J[0] = node->J[0] + m * (c[1] * c[1] + c[2] * c[2]);
    l->J[1] = node->J[1] + m * (c[0] * c[0] + c[2] * c[2]);
    l->J[2] = node->J[2] + m * (c[0] * c[0] + c[1] * c[1]);
    l->J[3] = node->J[3] - m * c[0] * c[1];
    l->J[4] = node->J[4] - m * c[0] * c[2];
    l->J[5] = node->J[5] - m * c[1] * c[2];
    for (int k = 0; k < 3; k++) l->h[k] = m * c[k];
    l->mass = m;
    l->massless = m == 0.0;
    for (int k = 0; k < 6; k++) l->massless = l->massless && l->J[k] == 0.0;
    l->motion = (short)node->motion, l->parent = node->parent + 1;
    l->p = node->p, l->q = node->q;
}

/* Turns are numbered, and so are the nodes with children that do not follow them at once. */
static void number_parts(sari_articulated* self)
{
    self->branches = 1;
    for (int i = 1; i <= self->nodes; i++) {
        sari_link* l = &self->link[i];
        if (l->parent && l->parent != i - 1 && !self->branch[l->parent])
            self->branch[l->parent] = self->branches++;
        if (l->motion != SARI_TURN) continue;
        self->turn[self->turns] = l->p;
        l->p = 8 * (self->turns / 4) + self->turns % 4;
        self->turns++;
    }
    while (self->turns % 4) self->turn[self->turns] = self->turn[self->turns - 1], self->turns++;
}

sari_articulated* sari_articulated_create(const sari_tree* t)
{
    sari_articulated* self = SARI_NEW(sari_articulated);
    if (!self) return NULL;
    self->nodes = t->nodes;
    self->link = SARI_NEW_ARRAY(sari_link, t->nodes + 1);
    self->state = SARI_NEW_ARRAY(sari_link_state, t->nodes + 1);
    self->branch = SARI_NEW_ARRAY(int, t->nodes + 1);
    self->turn = SARI_NEW_ARRAY(int, t->nodes + 3);
    self->cosine_sine = SARI_NEW_ARRAY(double, 2 * (t->nodes + 3));
    if (!self->link || !self->state || !self->branch || !self->turn || !self->cosine_sine)
        goto fail;
    for (int i = 0; i < t->nodes; i++) set_link(&t->node[i], &self->link[i + 1]);
    number_parts(self);
    self->beyond = SARI_NEW_ARRAY(sari_articulated_inertia, self->branches);
    if (!self->beyond) goto fail;
    for (int k = 0; k < 3; k++) {
        self->state[0].R[5 * k] = 1.0;
        self->state[0].A[3 + k] = -t->mechanism->model->gravity[k];
    }
    return self;
fail:
    sari_articulated_destroy(self);
    return NULL;
}

/* ---- outwards: places and velocities -------------------------------------------------------- */

static void evaluate_turns(sari_articulated* self, const double* q)
{
    double* out = self->cosine_sine;
    for (int k = 0; k < self->turns; k += 4) {
        const int* at = self->turn + k;
        const sari_vec4 angle = {q[at[0]], q[at[1]], q[at[2]], q[at[3]]};
        sari_sine_cosine4(angle, out + 2 * k, out + 2 * k + 4);
    }
}

SARI_INLINE void place_ball(const double* q, const double* v, const double A[12],
                            const sari_link_state* from, sari_link_state* to)
{
    double turned[9];
    sari_rotation_of_quaternion(q, turned);
    for (int k = 0; k < 3; k++)
        SARI_VEC(to->R + 4 * k) = sari_along(A, turned[k], turned[3 + k], turned[6 + k]);
    double rate[4];
    SARI_VEC(rate) = sari_along(to->R, v[0], v[1], v[2]);
    SARI_VEC(to->w) = SARI_CONST_VEC(from->w) + SARI_CONST_VEC(rate);
    sari_cross(from->w, rate, to->zeta); // (3)
}

SARI_INLINE void place_link(const sari_articulated* self, const double* q, const double* v,
                            const sari_link* l, const sari_link_state* from, sari_link_state* to)
{
    const double* w = from->w;
    double A[12], rate[4], speed[3];
    for (int k = 0; k < 3; k++)
        SARI_VEC(A + 4 * k) = sari_along(from->R, l->R[k], l->R[3 + k], l->R[6 + k]);
    const sari_vec4 x = SARI_CONST_VEC(A), y = SARI_CONST_VEC(A + 4), z = SARI_CONST_VEC(A + 8);
    sari_vec4 r = sari_along(from->R, l->r[0], l->r[1], l->r[2]);
    if (l->motion == SARI_TURN) {
        const double c = self->cosine_sine[l->p], s = self->cosine_sine[l->p + 4];
        SARI_VEC(to->R) = x * c + y * s;
        SARI_VEC(to->R + 4) = y * c - x * s;
        SARI_VEC(to->R + 8) = z;
        SARI_VEC(rate) = z * v[l->q];
        SARI_VEC(to->w) = SARI_CONST_VEC(w) + z * v[l->q];
        sari_cross(w, rate, to->zeta); // (1)
    } else if (l->motion == SARI_SLIDE) {
        SARI_VEC(to->R) = x, SARI_VEC(to->R + 4) = y, SARI_VEC(to->R + 8) = z;
        SARI_VEC(rate) = z * (2 * v[l->q]);
        SARI_VEC(to->w) = SARI_CONST_VEC(w);
        r += z * q[l->p];
        for (int k = 0; k < 3; k++) to->zeta[k] = 0.0;
    } else {
        place_ball(q + l->p, v + l->q, A, from, to);
    }
    SARI_VEC(to->r) = r;
    sari_cross(w, to->r, speed);
    if (l->motion == SARI_SLIDE)
        for (int k = 0; k < 3; k++) speed[k] += rate[k]; // (2)
    sari_cross(w, speed, to->zeta + 3);
}

/* ---- inwards: inertia ----------------------------------------------------------------------- */

static sar_status without_mass(double number)
{
    return isnan(number) ? SAR_R_NOT_FINITE : SAR_R_SINGULAR;
}

/* Rounding of what was added and taken away to get a pivot. */
SARI_INLINE double rounding(const double A[6])
{
    return 64 * DBL_EPSILON * (A[0] + A[1] + A[2]);
}

SARI_INLINE sar_status eliminate_line(const sari_link* l, sari_link_state* s, double tau,
                                      sari_articulated_inertia* I)
{
    const double *z = s->R + 8, *zeta = s->zeta, *J = I->J, *H = I->H, *M = I->M;
    double U[6], n[3], f[3], turned[3], D, u, tiny;
    sari_times_sym(J, zeta, n);
    sari_times_sym(M, zeta + 3, f);
    sari_times_transposed(H, zeta, turned);
    for (int k = 0; k < 3; k++) { // (4)
        I->n[k] += n[k] + sari_dot(H + 3 * k, zeta + 3);
        I->f[k] += f[k] + turned[k];
    }
    if (l->motion == SARI_TURN) { // (5)
        sari_times_sym(J, z, U);
        sari_times_transposed(H, z, U + 3);
        D = sari_dot(z, U), u = tau - sari_dot(z, I->n), tiny = rounding(J);
    } else {
        for (int k = 0; k < 3; k++) U[k] = sari_dot(H + 3 * k, z);
        sari_times_sym(M, z, U + 3);
        D = sari_dot(z, U + 3), u = tau - sari_dot(z, I->f), tiny = rounding(M);
    }
    if (!(D > tiny)) return without_mass(D);
    const double inverse = 1 / D;
    for (int k = 0; k < 6; k++) s->K[k] = U[k] * inverse;
    s->e[0] = u * inverse;
    sari_release_line(I, s->K, U, u); // (6)
    sari_shift(I, s->r);
    return SAR_OK;
}

SARI_INLINE sar_status eliminate_ball(sari_link_state* s, const double* tau,
                                      sari_articulated_inertia* I)
{
    const double *H = I->H, *zeta = s->zeta + 3, tiny = rounding(I->J);
    double L[3], inverse[3], applied[4] = {0, 0, 0, 0}, u[3], pulled[3], f[3];
    if (tau) SARI_VEC(applied) = sari_along(s->R, tau[0], tau[1], tau[2]);
    for (int k = 0; k < 3; k++) u[k] = (applied[k] - I->n[k]) - sari_dot(H + 3 * k, zeta);
    if (!sari_factor3(I->J, tiny, L, inverse)) return without_mass(tiny);
    sari_solve3(L, inverse, u, 1, s->e, 1); // (7)
    for (int c = 0; c < 3; c++) sari_solve3(L, inverse, H + c, 3, s->K + c, 3);
    sari_times_sym(I->M, zeta, f); // (8)
    sari_times_transposed(H, s->e, pulled);
    for (int k = 0; k < 3; k++) I->f[k] += f[k] + pulled[k], I->n[k] = applied[k];
    sari_release_ball(H, s->K, I->M);
    sari_shift_mass(I, s->r);
    return SAR_OK;
}

static sar_status eliminate_all(sari_articulated* self, const double* tau, int* node)
{
    sari_articulated_inertia I = {{0}};
    sari_rigid body;
    memset(self->beyond, 0, sizeof *self->beyond * (size_t)self->branches);
    for (int i = self->nodes; i > 0; i--) {
        const sari_link* l = &self->link[i];
        sari_link_state* s = &self->state[i];
        if (self->branch[i]) sari_add_inertia(&I, &self->beyond[self->branch[i]]);
        if (!l->massless) {
            sari_link_rigid(l, s, &body);
            sari_add_rigid(&body, l->mass, &I);
        }
        const double* applied = tau ? tau + l->q : NULL;
        const sar_status status = l->motion == SARI_BALL
                                      ? eliminate_ball(s, applied, &I)
                                      : eliminate_line(l, s, applied ? *applied : 0.0, &I);
        if (status != SAR_OK) {
            if (node) *node = i - 1;
            return status;
        }
        if (l->parent == i - 1) continue; // stays at hand
        if (l->parent) sari_add_inertia(&self->beyond[self->branch[l->parent]], &I);
        memset(&I, 0, sizeof I);
    }
    return SAR_OK;
}

/* ---- outwards: accelerations ---------------------------------------------------------------- */

SARI_INLINE void accelerate(const sari_link* l, const sari_link_state* from, sari_link_state* s,
                            double* a)
{
    const double* zeta = s->zeta;
    double A[6];
    memcpy(A, from->A, sizeof A);
    sari_add_cross(A, s->r, A + 3);
    if (l->motion == SARI_BALL) { // (11)
        double turned[3];
        for (int k = 0; k < 3; k++) {
            s->A[k] = s->e[k] - sari_dot(s->K + 3 * k, A + 3);
            s->A[3 + k] = A[3 + k] + zeta[3 + k];
            turned[k] = (s->A[k] - A[k]) - zeta[k];
        }
        sari_components(s->R, turned, a);
        return;
    }
    *a = s->e[0] - (sari_dot(s->K, A) + sari_dot(s->K + 3, A + 3)); // (10)
    for (int k = 0; k < 6; k++) s->A[k] = A[k] + zeta[k];
    double* half = s->A + (l->motion == SARI_TURN ? 0 : 3);
    for (int k = 0; k < 3; k++) half[k] += s->R[8 + k] * *a;
}

sar_status sari_articulated_accelerations(sari_articulated* self, const double* q, const double* v,
                                          const double* tau, double* a, int* node)
{
    const sari_link* l = self->link;
    sari_link_state* s = self->state;
    evaluate_turns(self, q);
    for (int i = 1; i <= self->nodes; i++) place_link(self, q, v, &l[i], &s[l[i].parent], &s[i]);
    SARI_TRY(eliminate_all(self, tau, node));
    for (int i = 1; i <= self->nodes; i++) accelerate(&l[i], &s[l[i].parent], &s[i], a + l[i].q);
    return SAR_OK;
}

/* ---- Newton and Euler ----------------------------------------------------------------------- */

/* Accelerations of a node, and into K the (N, F) of its own mass. */
SARI_INLINE void ask_of_joint(const sari_link* l, const sari_link_state* from, sari_link_state* s,
                              const double* a)
{
    double *A = s->A, *W = s->K, added[4], spin[4];
    for (int k = 0; k < 6; k++) A[k] = from->A[k] + s->zeta[k];
    sari_add_cross(from->A, s->r, A + 3);
    if (l->motion == SARI_BALL)
        SARI_VEC(added) = sari_along(s->R, a[0], a[1], a[2]);
    else
        SARI_VEC(added) = SARI_CONST_VEC(s->R + 8) * *a;
    double* half = A + (l->motion == SARI_SLIDE ? 3 : 0);
    for (int k = 0; k < 3; k++) half[k] += added[k];
    for (int k = 0; k < 6; k++) W[k] = 0.0;
    if (l->massless) return;
    sari_rigid body;
    sari_link_rigid(l, s, &body);
    SARI_VEC(spin) = sari_along(body.J, A[0], A[1], A[2]);
    for (int k = 0; k < 3; k++) {
        W[k] = body.n[k] + spin[k];
        W[3 + k] = body.f[k] + l->mass * A[3 + k];
    }
    sari_add_cross(body.h, A + 3, W);
    sari_add_cross(A, body.h, W + 3);
}

void sari_articulated_inverse(sari_articulated* self, const double* q, const double* v,
                              const double* a, double* tau)
{
    const sari_link* link = self->link;
    sari_link_state* s = self->state;
    evaluate_turns(self, q);
    for (int i = 1; i <= self->nodes; i++) {
        const sari_link* l = &link[i];
        place_link(self, q, v, l, &s[l->parent], &s[i]);
        ask_of_joint(l, &s[l->parent], &s[i], a + l->q);
    }
    for (int i = self->nodes; i > 0; i--) {
        const sari_link* l = &link[i];
        double *W = s[i].K, *to = s[l->parent].K, *out = tau + l->q;
        if (l->motion == SARI_BALL)
            sari_components(s[i].R, W, out);
        else
            *out = sari_dot(s[i].R + 8, l->motion == SARI_TURN ? W : W + 3);
        sari_add_cross(s[i].r, W + 3, W);
        for (int k = 0; k < 6; k++) to[k] += W[k];
    }
}
