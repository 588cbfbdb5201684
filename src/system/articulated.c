#include "system/articulated.h"

#include "base/memory.h"
#include "system/articulated_kernels.h"

#include <float.h>

typedef struct link {
    double R[9], r[3];
    double J[6], h[3], mass;
    int motion, parent, p, q;
} link;

typedef struct state {
    double R[9], r[3], w[3], bias[6], K[9], e[3], A[6];
} state;

struct sari_articulated {
    int nodes, slots;
    link* link;
    state* state;
    int* slot;
    sari_articulated_inertia* branch;
};

void sari_articulated_destroy(sari_articulated* self)
{
    if (!self) return;
    sari_release(self->link);
    sari_release(self->state);
    sari_release(self->slot);
    sari_release(self->branch);
    sari_release(self);
}

static void make_link(const sari_node* node, link* l)
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
    l->motion = (int)node->motion, l->parent = node->parent + 1;
    l->p = node->p, l->q = node->q;
}

sari_articulated* sari_articulated_create(const sari_tree* t)
{
    sari_articulated* self = SARI_NEW(sari_articulated);
    if (!self) return NULL;
    self->nodes = t->nodes;
    self->link = SARI_NEW_ARRAY(link, t->nodes + 1);
    self->state = SARI_NEW_ARRAY(state, t->nodes + 1);
    self->slot = SARI_NEW_ARRAY(int, t->nodes + 2);
    for (int i = 0; i < t->nodes; i++) make_link(&t->node[i], &self->link[i + 1]);
    self->slots = 1;
    for (int i = 2; i <= t->nodes; i++) {
        int p = self->link[i].parent;
        if (p && p != i - 1 && !self->slot[p]) self->slot[p] = self->slots++;
    }
    self->branch = SARI_NEW_ARRAY(sari_articulated_inertia, self->slots);
    self->state[0].R[0] = self->state[0].R[4] = self->state[0].R[8] = 1;
    for (int k = 0; k < 3; k++) self->state[0].A[3 + k] = -t->mechanism->model->gravity[k];
    return self;
}

SARI_INLINE void place(const link* l, const state* from, const double* q, const double* v,
                       state* to)
{
    double R[9];
    sari_multiply3(from->R, l->R, R);
    sari_rotate(from->R, l->r, to->r);
    const double* w = from->w;
    for (int k = 0; k < 6; k++) to->bias[k] = 0;
    memcpy(to->w, w, sizeof to->w);
    if (l->motion == SARI_TURN) {
        const double angle = q[l->p], rate = v[l->q], c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; k++) {
            to->R[3 * k] = c * R[3 * k] + s * R[3 * k + 1];
            to->R[3 * k + 1] = c * R[3 * k + 1] - s * R[3 * k];
            to->R[3 * k + 2] = R[3 * k + 2];
        }
        const double z[3] = {R[2] * rate, R[5] * rate, R[8] * rate};
        add_cross(w, z, to->bias);
        for (int k = 0; k < 3; k++) to->w[k] += z[k];
    } else if (l->motion == SARI_SLIDE) {
        memcpy(to->R, R, sizeof R);
        const double x = q[l->p], rate = 2 * v[l->q];
        const double z[3] = {R[2] * rate, R[5] * rate, R[8] * rate};
        for (int k = 0; k < 3; k++) to->r[k] += R[3 * k + 2] * x;
        add_cross(w, z, to->bias + 3);
    } else {
        double turned[9], u[3];
        sari_rotation_of_quaternion(q + l->p, turned);
        sari_multiply3(R, turned, to->R);
        sari_rotate(to->R, v + l->q, u);
        add_cross(w, u, to->bias);
        for (int k = 0; k < 3; k++) to->w[k] += u[k];
    }
    double x[3];
    sari_cross(w, to->r, x);
    add_cross(w, x, to->bias + 3);
}

SARI_INLINE void add_own(const link* l, const state* s, sari_articulated_inertia* I)
{
    double J[6], h[3], x[3];
    turn_sym(s->R, l->J, J);
    sari_rotate(s->R, l->h, h);
    times_sym(J, s->w, x);
    add_cross(s->w, x, I->n);
    sari_cross(s->w, h, x);
    add_cross(s->w, x, I->f);
    for (int k = 0; k < 6; k++) I->J[k] += J[k];
    I->H[1] -= h[2], I->H[2] += h[1];
    I->H[3] += h[2], I->H[5] -= h[0];
    I->H[6] -= h[1], I->H[7] += h[0];
    for (int k = 0; k < 3; k++) I->M[k] += l->mass;
}

SARI_INLINE int eliminate_line(const link* l, state* s, double tau, sari_articulated_inertia* I)
{
    const double z[3] = {s->R[2], s->R[5], s->R[8]}, *b = s->bias;
    double *J = I->J, *H = I->H, *M = I->M;
    double U[6], x[3], y[3];
    times_sym(J, b, x);
    times_sym(M, b + 3, y);
    for (int k = 0; k < 3; k++) {
        I->n[k] += x[k] + sari_dot(H + 3 * k, b + 3);
        I->f[k] += y[k] + (H[k] * b[0] + H[3 + k] * b[1] + H[6 + k] * b[2]);
    }
    double D, u, size;
    if (l->motion == SARI_TURN) {
        times_sym(J, z, U);
        for (int k = 0; k < 3; k++) U[3 + k] = H[k] * z[0] + H[3 + k] * z[1] + H[6 + k] * z[2];
        D = sari_dot(z, U);
        u = tau - sari_dot(z, I->n);
        size = J[0] + J[1] + J[2];
    } else {
        times_sym(M, z, U + 3);
        for (int k = 0; k < 3; k++) U[k] = sari_dot(H + 3 * k, z);
        D = sari_dot(z, U + 3);
        u = tau - sari_dot(z, I->f);
        size = M[0] + M[1] + M[2];
    }
    if (!(D > 64 * DBL_EPSILON * size)) return 0;
    const double inverse = 1 / D;
    double* K = s->K;
    for (int k = 0; k < 6; k++) K[k] = U[k] * inverse;
    s->e[0] = u * inverse;
    for (int k = 0; k < 3; k++) I->n[k] += K[k] * u, I->f[k] += K[3 + k] * u;
    J[0] -= K[0] * U[0], J[1] -= K[1] * U[1], J[2] -= K[2] * U[2];
    J[3] -= K[0] * U[1], J[4] -= K[0] * U[2], J[5] -= K[1] * U[2];
    M[0] -= K[3] * U[3], M[1] -= K[4] * U[4], M[2] -= K[5] * U[5];
    M[3] -= K[3] * U[4], M[4] -= K[3] * U[5], M[5] -= K[4] * U[5];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) H[3 * r + c] -= K[r] * U[3 + c];
    shift(I, s->r);
    return 1;
}

SARI_INLINE int eliminate_ball(state* s, const double tau[3], sari_articulated_inertia* I)
{
    double *J = I->J, *H = I->H, *M = I->M, *b = s->bias + 3, *K = s->K, *e = s->e;
    double x[3];
    const double tiny = 64 * DBL_EPSILON * (J[0] + J[1] + J[2]);
    sari_rotate(s->R, tau, x);
    double u[3];
    for (int k = 0; k < 3; k++) u[k] = x[k] - I->n[k] - sari_dot(H + 3 * k, b);
    const double d0 = J[0], i0 = 1 / d0, l1 = J[3] * i0, l2 = J[4] * i0;
    const double d1 = J[1] - l1 * J[3], i1 = 1 / d1, m = J[5] - l1 * J[4], l3 = m * i1;
    const double d2 = J[2] - l2 * J[4] - l3 * m, i2 = 1 / d2;
    if (!(d0 > tiny && d1 > tiny && d2 > tiny)) return 0;
    for (int c = 0; c < 4; c++) {
        double y0 = c < 3 ? H[c] : u[0], y1 = c < 3 ? H[3 + c] : u[1], y2 = c < 3 ? H[6 + c] : u[2];
        y1 -= l1 * y0;
        y2 -= l2 * y0 + l3 * y1;
        y2 *= i2;
        y1 = y1 * i1 - l3 * y2;
        y0 = y0 * i0 - l1 * y1 - l2 * y2;
        if (c < 3)
            K[c] = y0, K[3 + c] = y1, K[6 + c] = y2;
        else
            e[0] = y0, e[1] = y1, e[2] = y2;
    }
    double y[3];
    times_sym(M, b, y);
    for (int k = 0; k < 3; k++) {
        I->f[k] += y[k] + (H[k] * e[0] + H[3 + k] * e[1] + H[6 + k] * e[2]);
        I->n[k] = x[k];
    }
    M[0] -= H[0] * K[0] + H[3] * K[3] + H[6] * K[6];
    M[1] -= H[1] * K[1] + H[4] * K[4] + H[7] * K[7];
    M[2] -= H[2] * K[2] + H[5] * K[5] + H[8] * K[8];
    M[3] -= H[0] * K[1] + H[3] * K[4] + H[6] * K[7];
    M[4] -= H[0] * K[2] + H[3] * K[5] + H[6] * K[8];
    M[5] -= H[1] * K[2] + H[4] * K[5] + H[7] * K[8];
    for (int k = 0; k < 6; k++) J[k] = 0;
    for (int k = 0; k < 9; k++) H[k] = 0;
    shift(I, s->r);
    return 1;
}

static void accelerate(const link* l, const state* from, state* s, double* a)
{
    double t[6];
    for (int k = 0; k < 6; k++) t[k] = from->A[k];
    add_cross(t, s->r, t + 3);
    if (l->motion == SARI_BALL) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            s->A[k] = s->e[k] - sari_dot(s->K + 3 * k, t + 3);
            s->A[3 + k] = t[3 + k] + s->bias[3 + k];
            x[k] = s->A[k] - t[k] - s->bias[k];
        }
        sari_rotate_back(s->R, x, a);
        return;
    }
    const double acc = s->e[0] - sari_dot6(s->K, t);
    *a = acc;
    for (int k = 0; k < 6; k++) s->A[k] = t[k] + s->bias[k];
    double* add = s->A + (l->motion == SARI_TURN ? 0 : 3);
    for (int k = 0; k < 3; k++) add[k] += s->R[3 * k + 2] * acc;
}

static void accumulate(sari_articulated_inertia* to, const sari_articulated_inertia* from)
{
    double* a = to->J;
    const double* b = from->J;
    for (int k = 0; k < 27; k++) a[k] += b[k];
}

sar_status sari_articulated_accelerations(sari_articulated* self, const double* q, const double* v,
                                          const double* tau, double* a, int* node)
{
    const link* l = self->link;
    state* s = self->state;
    sari_articulated_inertia I;
    static const double none[3];
    for (int i = 1; i <= self->nodes; i++) place(&l[i], &s[l[i].parent], q, v, &s[i]);
    memset(self->branch, 0, sizeof *self->branch * (size_t)self->slots);
    memset(&I, 0, sizeof I);
    for (int i = self->nodes; i > 0; i--) {
        if (self->slot[i]) accumulate(&I, &self->branch[self->slot[i]]);
        add_own(&l[i], &s[i], &I);
        const double* t = tau ? tau + l[i].q : none;
        int ok = l[i].motion == SARI_BALL ? eliminate_ball(&s[i], t, &I)
                                          : eliminate_line(&l[i], &s[i], *t, &I);
        if (!ok) {
            if (node) *node = i - 1;
            return sari_dot(s[i].R, s[i].R) < 2 ? SAR_R_SINGULAR : SAR_R_NOT_FINITE;
        }
        const int p = l[i].parent;
        if (p != i - 1) {
            if (p) accumulate(&self->branch[self->slot[p]], &I);
            memset(&I, 0, sizeof I);
        }
    }
    for (int i = 1; i <= self->nodes; i++) accelerate(&l[i], &s[l[i].parent], &s[i], a + l[i].q);
    return SAR_OK;
}

void sari_articulated_inverse(sari_articulated* self, const double* q, const double* v,
                              const double* a, double* tau)
{
    const link* l = self->link;
    state* s = self->state;
    for (int i = 1; i <= self->nodes; i++) {
        const state* from = &s[l[i].parent];
        place(&l[i], from, q, v, &s[i]);
        double* A = s[i].A;
        for (int k = 0; k < 6; k++) A[k] = from->A[k];
        add_cross(from->A, s[i].r, A + 3);
        for (int k = 0; k < 6; k++) A[k] += s[i].bias[k];
        double x[3] = {0};
        if (l[i].motion == SARI_BALL)
            sari_rotate(s[i].R, a + l[i].q, x);
        else
            for (int k = 0; k < 3; k++) x[k] = s[i].R[3 * k + 2] * a[l[i].q];
        for (int k = 0; k < 3; k++) A[(l[i].motion == SARI_SLIDE ? 3 : 0) + k] += x[k];
        sari_articulated_inertia I = {{0}};
        add_own(&l[i], &s[i], &I);
        double y[3];
        times_sym(I.J, A, x);
        times_sym(I.M, A + 3, y);
        for (int k = 0; k < 3; k++) {
            s[i].K[k] = I.n[k] + x[k] + sari_dot(I.H + 3 * k, A + 3);
            s[i].K[3 + k] = I.f[k] + y[k] + (I.H[k] * A[0] + I.H[3 + k] * A[1] + I.H[6 + k] * A[2]);
        }
    }
    for (int i = self->nodes; i > 0; i--) {
        double *W = s[i].K, *to = s[l[i].parent].K, *out = tau + l[i].q;
        const double z[3] = {s[i].R[2], s[i].R[5], s[i].R[8]};
        if (l[i].motion == SARI_BALL)
            sari_rotate_back(s[i].R, W, out);
        else
            *out = sari_dot(z, l[i].motion == SARI_TURN ? W : W + 3);
        add_cross(s[i].r, W + 3, W);
        for (int k = 0; k < 6; k++) to[k] += W[k];
    }
}
