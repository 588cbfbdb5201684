/* Forces that depend on reactions: friction in joints, and expressions of forces that name reactions.
 *
 * At a state (t, q, v) forces Q cause accelerations, these need reactions, and on these forces depend:
 *
 *     M a + Phi_q' lambda = Q(t, q, v, x),   Phi_q a = -bias,   x = g(a, Q)                    (1)
 *
 * with x the reactions that forces ask for. (1) has a solution x(t, q, v), so that Q is a function of
 * the state like any other, and all methods keep their order. It is found from x = 0, so that it does not
 * depend on what was evaluated before. With f_k = g(x_k) - x_k, by Anderson's method:
 *
 *     x_k+1 = g(x_k) - sum_j c_j (g_j+1 - g_j),   |f_k - sum_j c_j (f_j+1 - f_j)| minimal      (2)
 *
 * over the last steps: for a single reaction the secant method, for forces linear in reactions exact after
 * one step more than there are reactions. Where no x solves (1) friction holds what moves all by itself,
 * and there is no such motion. */
#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "simulation/reactions.h"
#include "system/forces/forces.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    DEPTH = 6,   ///< of (2)
    ROUNDS = 60, ///< of (2), at most
};
static const double ROUNDING = 1e-13; ///< of x: it is as good as it will be
static const double NEAR = 1e-8; ///< what rounding leaves at worst, beside singular configurations

struct sari_coupling {
    sari_arena memory;
    sari_reactions* reactions;
    sari_projector* projector; ///< NULL: accelerations come from elsewhere
    sari_state at;             ///< where (1) was solved last
    int known, busy, count;    ///< count: of x
    sar_status status;
    double *x, *g, *f; ///< of (1) and (2)
    double *g_before, *f_before, *best;
    double *dg, *df, *c;  ///< changes of g and f, column after column, and c of (2)
    sari_qr least;        ///< (2)
    unsigned char* aside; ///< the system as it was
    size_t aside_size;
};

/* ---- which ---------------------------------------------------------------------------------- */

static double size_of_force(const void* r, int joint)
{
    double force[3], torque[3];
    sari_reaction(r, joint, force, torque);
    return sari_norm3(force);
}

/* A component in world axes, or along those of a body or a frame. */
static double reaction_signal(const void* r_, const sari_signal* signal)
{
    const sari_reactions* r = r_;
    const sari_mechanism* m = r->sys->mechanism;
    double force[3], torque[3], R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, sum = 0.0;
    if (signal->kind == SARI_SIGNAL_DRIVE) return sari_reaction_along(r, signal->joint);
    sari_reaction(r, signal->joint, force, torque);
    const double* w = signal->kind == SARI_SIGNAL_FORCE ? force : torque;
    if (signal->frame) sari_rotation_of(m, r->sys->kinematics->X + m->nx * signal->frame, R);
    if (signal->axes) sari_multiply3(R, m->model->frames[signal->axes - 1].R, R);
    for (int k = 0; k < 3; k++) sum += R[3 * k + signal->component] * w[k];
    return sum;
}

static void read_reactions(const sari_reactions* r, double* out)
{
    sari_forces_read_reactions(r->sys, &(sari_reaction_source){size_of_force, reaction_signal, r},
                               out);
}

/* ---- a solution ----------------------------------------------------------------------------- */

/* x becomes that of (2), with so many changes known. */
static void improve(sari_coupling* c, int changes)
{
    const double DEPENDENT = 1e-9; // changes that say nothing new
    const int n = c->count;
    sari_qr* least = &c->least;
    for (int i = 0; i < n; i++) c->x[i] = c->g[i];
    if (changes == 0) return;
    for (int k = 0; k < least->cols * n; k++) least->A[k] = k < changes * n ? c->df[k] : 0.0;
    sari_qr_factor(least, least->cols);
    least->rank = sari_qr_rank(least, DEPENDENT);
    sari_qr_solve(least, c->f, c->c);
    for (int j = 0; j < changes; j++)
        for (int i = 0; i < n; i++) c->x[i] -= c->c[j] * c->dg[j * n + i];
}

/* What g and f changed by in a round, in the place of the oldest such. */
static void note_change(sari_coupling* c, int round)
{
    const int n = c->count, at = (round - 1) % c->least.cols * n;
    for (int i = 0; round > 0 && i < n; i++) {
        c->dg[at + i] = c->g[i] - c->g_before[i];
        c->df[at + i] = c->f[i] - c->f_before[i];
    }
    memcpy(c->g_before, c->g, (size_t)n * sizeof(double));
    memcpy(c->f_before, c->f, (size_t)n * sizeof(double));
}

/* g, and f, for x. */
static sar_status answer(sari_coupling* c, const sari_state* at, sar_status (*accelerate)(void*),
                         void* self)
{
    sari_forces_take_reactions(c->reactions->sys, c->x);
    SARI_TRY(accelerate(self));
    SARI_TRY(sari_reactions_balance(c->reactions, at));
    read_reactions(c->reactions, c->g);
    for (int i = 0; i < c->count; i++) c->f[i] = c->g[i] - c->x[i];
    return sari_vector_finite(c->count, c->g) ? SAR_OK : SAR_R_NOT_FINITE;
}

sar_status sari_coupling_solve(sari_coupling* c, const sari_state* at,
                               sar_status (*accelerate)(void* self), void* self)
{
    if (!c) return accelerate(self);
    const size_t bytes = (size_t)c->count * sizeof(double);
    double least = INFINITY, size = 0.0; // of reactions to all other forces
    memset(c->x, 0, bytes);
    for (int round = 0; round < ROUNDS; round++) {
        SARI_TRY(answer(c, at, accelerate, self));
        const double f = sari_vector_max(c->count, c->f);
        if (round == 0) size = f;
        const double rounding = DBL_EPSILON * sari_vector_max(c->count, c->x),
                     off = f > 0.0 || rounding > 0.0 ? (f + rounding) / size : 0.0;
        const int stays = off <= NEAR && !(off < 0.5 * least); // it is rounding
        if (off < least) memcpy(c->best, c->x, bytes), least = off;
        if (least <= ROUNDING || stays) break;
        note_change(c, round);
        improve(c, round < c->least.cols ? round : c->least.cols);
    }
    if (memcmp(c->best, c->x, bytes) != 0) {
        memcpy(c->x, c->best, bytes);
        SARI_TRY(answer(c, at, accelerate, self));
    }
    return least <= NEAR ? SAR_OK : SAR_R_NO_CONV;
}

/* ---- as a function of the state ------------------------------------------------------------- */

static sar_status accelerate(void* c_)
{
    sari_coupling* c = c_;
    sari_system* sys = c->reactions->sys;
    const sari_state* x = &c->at;
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_FORCE, x->t, x->q, x->v));
    sari_projector_accelerations(c->projector, x->a);
    return SAR_OK;
}

static sar_status solve_there(sari_coupling* c)
{
    SARI_TRY(sari_projector_evaluate(c->projector, &c->at));
    return sari_coupling_solve(c, &c->at, accelerate, c);
}

/* The system is left as it was: who evaluates forces has not asked for anything else. */
static sar_status find(void* c_, double t, const double* q, const double* v)
{
    sari_coupling* c = c_;
    sari_system* sys = c->reactions->sys;
    const size_t places = (size_t)sys->np * sizeof *q, rates = (size_t)sys->nq * sizeof *v;
    if (c->busy) return SAR_OK;
    if (c->known && t == c->at.t && memcmp(q, c->at.q, places) == 0 &&
        memcmp(v, c->at.v, rates) == 0)
        return c->status;
    const sari_undefined undefined = sys->undefined;
    sari_archive aside = {.use = SARI_ARCHIVE_WRITE, .at = c->aside, .room = c->aside_size};
    sari_system_archive(sys, &aside);
    c->at.t = t;
    memcpy(c->at.q, q, places);
    memcpy(c->at.v, v, rates);
    c->busy = 1;
    c->status = solve_there(c);
    c->busy = 0;
    c->known = 1;
    const sari_undefined found = sys->undefined;
    aside = (sari_archive){.use = SARI_ARCHIVE_READ, .at = c->aside, .room = c->aside_size};
    sari_system_archive(sys, &aside);
    sys->undefined = c->status == SAR_OK || undefined.what ? undefined : found;
    if (c->status == SAR_R_NO_CONV && !sys->undefined.what)
        sys->undefined = (sari_undefined){.what = "reaction", .t = t, .jams = 1};
    return c->status;
}

/* ---- construction --------------------------------------------------------------------------- */

static sar_status create(sari_coupling* c, sari_reactions* r)
{
    const int n = c->count, changes = n < DEPTH ? n : DEPTH;
    double** const each[] = {&c->x, &c->g, &c->f, &c->g_before, &c->f_before, &c->best};
    c->reactions = r;
    for (int k = 0; k < 6; k++) *each[k] = SARI_TAKE(&c->memory, double, n);
    c->dg = SARI_TAKE(&c->memory, double, changes* n);
    c->df = SARI_TAKE(&c->memory, double, changes* n);
    c->c = SARI_TAKE(&c->memory, double, changes);
    return c->memory.failed ? SAR_E_NOMEM : sari_qr_create(n, changes, &c->least);
}

sar_status sari_coupling_create(sari_reactions* r, sari_coupling** out)
{
    *out = NULL;
    const int n = sari_forces_ask(r->sys);
    if (n == 0) return SAR_OK;
    sari_coupling* c = *out = SARI_NEW(sari_coupling);
    if (!c) return SAR_E_NOMEM;
    c->count = n;
    return create(c, r);
}

sar_status sari_coupling_couple(sari_coupling* c)
{
    if (!c) return SAR_OK;
    sari_system* sys = c->reactions->sys;
    sari_archive count = {.use = SARI_ARCHIVE_COUNT};
    sari_system_archive(sys, &count);
    c->aside_size = count.used;
    c->aside = SARI_TAKE(&c->memory, unsigned char, c->aside_size);
    sari_state_take(&c->at, &c->memory, &sys->equations, 0);
    if (c->memory.failed) return SAR_E_NOMEM;
    sys->coupling = (sari_reaction_law){find, c};
    return sari_projector_create(sys, &c->projector);
}

void sari_coupling_forget(sari_coupling* c)
{
    if (c) c->known = 0;
}

void sari_coupling_destroy(sari_coupling* c)
{
    if (!c) return;
    sari_projector_destroy(c->projector);
    sari_qr_clear(&c->least);
    sari_arena_clear(&c->memory);
    sari_release(c);
}
