/* Dynamics of an open tree by recursion: the articulated-body algorithm and that of Newton and
 * Euler [featherstone1987].
 *
 * Vectors are in world axes, so that nothing is turned on the way along the tree; moments and
 * accelerations are about and of the origins of the nodes, so that nothing large cancels. Outwards,
 * from the parent p over the arm r, with the motion's axis z and rate v:
 *
 *     turn    w = w_p + z v       zeta = (w_p x z v,  w_p x (w_p x r) - (w_p x z v) x r)        (1)
 *     slide   w = w_p             zeta = (0,  w_p x (w_p x r) + 2 w_p x z v)                    (2)
 *     ball    as a turn, with R v, R the node's frame, in place of z v                          (3)
 *
 * zeta is what the velocities add to the acceleration of the node, seen at the parent's origin:
 *
 *     B = (alpha_p, a_p) + zeta                                                                 (4)
 *     A = (B_alpha, B_a + B_alpha x r) + S q''                                                  (5)
 *
 * with S = z in the angular half (turn) or the linear one (slide). What a node and all beyond it
 * ask of its joint is (N, F) = I A + p, with the articulated inertia I = [J H; H' M]. A rigid body
 * has J about the node's origin, H = [h]x, h = mass * centre, and p = (w x J w, w x (w x h)).
 * Weight is an acceleration -g of the ground. Inwards:
 *
 *     U = I S,  D = S.U,  K = U / D,  u = tau - S.p,  e = u / D                                 (6)
 *     I -= K U',  p += K u                                                                      (7)
 *
 * For a ball S is R in the angular half:
 *
 *     K = J^-1 H,  e = J^-1 (R tau - n)                                                         (8)
 *     f += H'e,  n = R tau,  M -= H'K,  J = 0, H = 0                                            (9)
 *
 * and then about the origin of the parent, which adds it to its own,
 *
 *     J += [r]x (H + [r]x M)' - H [r]x,  H += [r]x M,  n += r x f (10) p += I zeta (11)
 *
 * Outwards again, with K seen from the parent's origin, K_alpha + r x K_a, and B of (4):
 *
 *     turn, slide:  q'' = e - K.B (12) ball:  alpha = e - K a,  q'' = R'(alpha - B_alpha) (13)
 *
 * A motion without mass has D = 0, up to rounding. */
#include "coordinates/articulated.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "coordinates/articulated_kernels.h"
#include "coordinates/sine_cosine.h"

#include <float.h>

struct sari_articulated {
    int nodes, turns, branches;
    sari_arena memory;
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
    sari_arena_clear(&self->memory);
    sari_release(self);
}

static void set_link(const sari_tree_node* node, sari_link* l)
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

/* Links and states from the beginning of a cache line on. */
static int make_room(sari_articulated* self)
{
    const size_t line = 64, count = (size_t)self->nodes + 1;
    char* block =
        sari_arena_take(&self->memory, count + 1, sizeof *self->state + sizeof *self->link);
    if (!block) return 0;
    const size_t past = (uintptr_t)block % line;
    self->link = (sari_link*)(block + (past ? line - past : 0));
    self->state = (sari_link_state*)(self->link + count);
    return 1;
}

sari_articulated* sari_articulated_create(const sari_tree* t)
{
    sari_articulated* self = SARI_NEW(sari_articulated);
    if (!self) return NULL;
    self->nodes = t->nodes;
    self->branch = SARI_TAKE(&self->memory, int, t->nodes + 1);
    self->turn = SARI_TAKE(&self->memory, int, t->nodes + 3);
    self->cosine_sine = SARI_TAKE(&self->memory, double, 2 * (t->nodes + 3));
    if (!make_room(self) || self->memory.failed) goto fail;
    for (int i = 0; i < t->nodes; i++) set_link(&t->node[i], &self->link[i + 1]);
    number_parts(self);
    self->beyond = SARI_TAKE(&self->memory, sari_articulated_inertia, self->branches);
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

/* The node's frame from that of its joint, A, and the velocity of the motion, 2 z v of a slide. */
SARI_INLINE sari_vec4 place_motion(const sari_articulated* self, const double* q, const double* v,
                                   const sari_link* l, const double A[12], double R[12])
{
    const sari_vec4 x = SARI_CONST_VEC(A), y = SARI_CONST_VEC(A + 4), z = SARI_CONST_VEC(A + 8);
    if (l->motion == SARI_BALL) {
        double turned[9];
        sari_rotation_of_quaternion(q + l->p, turned);
        for (int k = 0; k < 3; k++)
            SARI_VEC(R + 4 * k) = sari_along(A, turned[k], turned[3 + k], turned[6 + k]);
        return sari_along(R, v[l->q], v[l->q + 1], v[l->q + 2]);
    }
    SARI_VEC(R + 8) = z;
    if (l->motion == SARI_SLIDE) {
        SARI_VEC(R) = x, SARI_VEC(R + 4) = y;
        return z * (2 * v[l->q]);
    }
    const double c = self->cosine_sine[l->p], s = self->cosine_sine[l->p + 4];
    SARI_VEC(R) = x * c + y * s;
    SARI_VEC(R + 4) = y * c - x * s;
    return z * v[l->q];
}

SARI_INLINE void place_link(const sari_articulated* self, const double* q, const double* v,
                            const sari_link* l, const sari_link_state* from, sari_link_state* to)
{
    const double* w = from->w;
    double A[12], rate[4], *zeta = to->zeta, speed[3], turn[3];
    for (int k = 0; k < 3; k++)
        SARI_VEC(A + 4 * k) = sari_along(from->R, l->R[k], l->R[3 + k], l->R[6 + k]);
    SARI_VEC(rate) = place_motion(self, q, v, l, A, to->R);
    SARI_VEC(to->r) = sari_along(from->R, l->r[0], l->r[1], l->r[2]);
    SARI_VEC(to->w) = SARI_CONST_VEC(w);
    if (l->motion == SARI_SLIDE) {
        SARI_VEC(to->r) += SARI_CONST_VEC(A + 8) * q[l->p];
        sari_cross(w, to->r, speed);
        for (int k = 0; k < 3; k++) zeta[k] = 0.0, speed[k] += rate[k];
        sari_cross(w, speed, zeta + 3); // (2)
        return;
    }
    SARI_VEC(to->w) += SARI_CONST_VEC(rate);
    sari_cross(w, rate, zeta); // (1), (3)
    sari_cross(w, to->r, speed);
    sari_cross(w, speed, zeta + 3);
    sari_cross(zeta, to->r, turn);
    for (int k = 0; k < 3; k++) zeta[3 + k] -= turn[k];
}

/* ---- inwards: inertia ----------------------------------------------------------------------- */

static sar_status without_mass(double number)
{
    return isnan(number) ? SAR_R_NOT_FINITE : SAR_R_SINGULAR;
}

/* Rounding of what was added and taken away to get a pivot. */
SARI_INLINE double rounding(const sari_vec4 A[3])
{
    return 64 * DBL_EPSILON * (A[0][0] + A[1][1] + A[2][2]);
}

SARI_INLINE sar_status eliminate_line(const sari_link* l, sari_link_state* s, double tau,
                                      sari_articulated_inertia* I)
{
    const double *z = s->R + 8, *r = s->r;
    const int turns = l->motion == SARI_TURN;
    sari_vec4 U[2], K[2], columns[3];
    double parts[8], p[4]; // of U and of p, lane by lane
    if (turns) {
        U[0] = sari_rows(I->J, z), U[1] = sari_rows(I->H, z);
    } else {
        sari_transpose(I->H, columns);
        U[0] = sari_rows(columns, z), U[1] = sari_rows(I->M, z);
    }
    SARI_VEC(parts) = U[0], SARI_VEC(parts + 4) = U[1];
    SARI_VEC(p) = turns ? I->n : I->f;
    sari_vec4 work = turns ? U[0] : U[1];
    work *= SARI_CONST_VEC(z);
    const double D = work[0] + work[1] + work[2], u = tau - sari_dot(z, p);
    if (!(D > rounding(turns ? I->J : I->M))) return without_mass(D);
    const double inverse = 1 / D;
    K[0] = U[0] * inverse, K[1] = U[1] * inverse; // (6)
    SARI_VEC(s->K) = K[0] + sari_cross4(SARI_CONST_VEC(r), K[1]);
    SARI_VEC(s->K + 4) = K[1];
    s->K[3] = u * inverse;
    sari_release_line(I, K, parts, u); // (7)
    sari_shift(I, r, s->zeta, 0);
    return SAR_OK;
}

SARI_INLINE sar_status eliminate_ball(sari_link_state* s, const double* tau,
                                      sari_articulated_inertia* I)
{
    const double tiny = rounding(I->J);
    double J[12], H[12], u[4], L[3], inverse[3];
    sari_vec4 applied = {0, 0, 0, 0}, K[3];
    if (tau) applied = sari_along(s->R, tau[0], tau[1], tau[2]);
    SARI_VEC(u) = applied - I->n;
    for (int k = 0; k < 3; k++) SARI_VEC(J + 4 * k) = I->J[k], SARI_VEC(H + 4 * k) = I->H[k];
    if (!sari_factor3(J, tiny, L, inverse)) return without_mass(tiny);
    for (int k = 0; k < 3; k++) { // u in the last lane
        const sari_vec4 all = {u[k], u[k], u[k], u[k]};
        K[k] = SARI_PICK(I->H[k], all, 0, 1, 2, 7);
    }
    sari_solve3(L, inverse, K); // (8)
    for (int k = 0; k < 3; k++) {
        SARI_VEC(s->K + 4 * k) = K[k];
        I->M[k] -= K[0] * H[k] + K[1] * H[4 + k] + K[2] * H[8 + k]; // (9)
    }
    I->f += I->H[0] * s->K[3] + I->H[1] * s->K[7] + I->H[2] * s->K[11], I->n = applied;
    sari_shift(I, s->r, s->zeta, 1);
    return SAR_OK;
}

static sar_status eliminate_all(sari_articulated* self, const double* tau, int* node)
{
    _Alignas(32) sari_articulated_inertia I;
    sari_rigid body;
    memset(&I, 0, sizeof I);
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

/* B: (4) on the way in, A on the way out. */
SARI_INLINE void accelerate(const sari_link* l, const sari_link_state* s, double B[6], double* a)
{
    const double *K = s->K, *z = s->R + 8;
    for (int k = 0; k < 6; k++) B[k] += s->zeta[k];
    if (l->motion == SARI_BALL) { // (13)
        double turned[3];
        sari_add_cross(B, s->r, B + 3);
        for (int k = 0; k < 3; k++) {
            const double alpha = K[4 * k + 3] - sari_dot(K + 4 * k, B + 3);
            turned[k] = alpha - B[k], B[k] = alpha;
        }
        sari_components(s->R, turned, a);
        return;
    }
    const double second = (K[3] - sari_dot(K, B)) - sari_dot(K + 4, B + 3); // (12)
    *a = second;
    sari_add_cross(B, s->r, B + 3); // (5)
    if (l->motion == SARI_TURN)
        for (int k = 0; k < 3; k++) B[k] += z[k] * second;
    else
        for (int k = 0; k < 3; k++) B[3 + k] += z[k] * second;
}

static void accelerate_all(sari_articulated* self, double* a)
{
    sari_link_state* s = self->state;
    double A[6];
    memcpy(A, s[0].A, sizeof A);
    for (int i = 1; i <= self->nodes; i++) {
        const sari_link* l = &self->link[i];
        if (l->parent != i - 1) memcpy(A, s[l->parent].A, sizeof A);
        accelerate(l, &s[i], A, a + l->q);
        memcpy(s[i].A, A, sizeof A);
    }
}

sar_status sari_articulated_accelerations(sari_articulated* self, const double* q, const double* v,
                                          const double* tau, double* a, int* node)
{
    const sari_link* l = self->link;
    sari_link_state* s = self->state;
    evaluate_turns(self, q);
    for (int i = 1; i <= self->nodes; i++) place_link(self, q, v, &l[i], &s[l[i].parent], &s[i]);
    SARI_TRY(eliminate_all(self, tau, node));
    accelerate_all(self, a);
    return SAR_OK;
}

/* ---- Newton and Euler ----------------------------------------------------------------------- */

/* Accelerations of a node, and into K the (N, F) of its own mass. */
SARI_INLINE void ask_of_joint(const sari_link* l, const sari_link_state* from, sari_link_state* s,
                              const double* a)
{
    double *A = s->A, *W = s->K, added[4];
    if (l->motion == SARI_BALL)
        SARI_VEC(added) = sari_along(s->R, a[0], a[1], a[2]);
    else
        SARI_VEC(added) = SARI_CONST_VEC(s->R + 8) * *a;
    for (int k = 0; k < 6; k++) A[k] = from->A[k] + s->zeta[k], W[k] = 0.0;
    sari_add_cross(A, s->r, A + 3); // (5)
    double* half = A + (l->motion == SARI_SLIDE ? 3 : 0);
    for (int k = 0; k < 3; k++) half[k] += added[k];
    if (l->massless) return;
    sari_rigid body;
    double n[4], f[4], h[4];
    sari_link_rigid(l, s, &body);
    SARI_VEC(n) = body.n + sari_rows(body.J, A), SARI_VEC(f) = body.f, SARI_VEC(h) = body.h;
    for (int k = 0; k < 3; k++) W[k] = n[k], W[3 + k] = f[k] + l->mass * A[3 + k];
    sari_add_cross(h, A + 3, W);
    sari_add_cross(A, h, W + 3);
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
        if (!l->parent) continue;
        sari_add_cross(s[i].r, W + 3, W);
        for (int k = 0; k < 6; k++) to[k] += W[k];
    }
}
