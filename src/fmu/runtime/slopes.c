/* How rates follow a change (dq, dp) of the states of Model Exchange, at a state with accelerations a and multipliers
 * lambda: with E(q) v = dq/dt and the slopes of F = M a + Phi_q' lambda - Q (system/linear/residual.h),
 *
 *     d = E^-1 dq,   M da + Phi_q' dlambda = -(F_q d + F_v dv)                                 (1)
 *     d(dq/dt) = E dv + E_q (E d) v                                                           (2)
 *
 * The formulation solves (1), with what it adds to the constraints, as it does for accelerations. The slopes of forces
 * are exact however stiff these are: nothing is moved into a stop to see what it does. Outputs are functions of
 * (q, v, a, lambda): central differences along these changes, without solving anything. */
#include "base/memory.h"
#include "base/status.h"
#include "fmu/runtime/instance.h"
#include "math/vector.h"
#include "system/linear/residual.h"
#include "system/linear/row_space.h"

#include <math.h>
#include <string.h>

struct sari_fmu_slopes {
    sari_arena memory;
    sari_residual residual;
    sari_row_space open; ///< of a tree without constraints: M^-1 = T T'
    sari_state at, beside;
    double *d, *F, *Phi, *da, *dlambda; ///< F, rate and second in one
    double *moved, *here, *there, *y;
};

static void forget_slopes(sari_fmu* f)
{
    if (!f->slopes) return;
    sari_row_space_clear(&f->slopes->open);
    sari_arena_clear(&f->slopes->memory);
    sari_release(f->slopes);
    f->slopes = NULL;
}

void sari_fmu_forget_twin(sari_fmu* f)
{
    forget_slopes(f);
    sar_simulation_destroy(f->twin);
    f->twin = NULL;
}

/* ---- memory --------------------------------------------------------------------------------- */

static sar_status take_memory(sari_fmu_slopes* x, sari_system* sys)
{
    sari_arena* m = &x->memory;
    const int np = sys->np, n = sys->nq, nc = sys->nc;
    sari_residual_take(&x->residual, m, sys);
    sari_state_take(&x->at, m, &sys->equations, 0);
    sari_state_take(&x->beside, m, &sys->equations, 0);
    x->d = SARI_TAKE(m, double, n);
    x->F = SARI_TAKE(m, double, n + 2 * nc);
    x->Phi = SARI_TAKE(m, double, nc);
    x->da = SARI_TAKE(m, double, n);
    x->dlambda = SARI_TAKE(m, double, nc);
    x->moved = SARI_TAKE(m, double, np + n);
    x->here = SARI_TAKE(m, double, np);
    x->there = SARI_TAKE(m, double, np);
    x->y = SARI_TAKE(m, double, sys->model->outputs_count + 1);
    if (sari_equations_open(&sys->equations))
        SARI_TRY(sari_row_space_create(&x->open, m, sys, 0, n));
    return m->failed ? SAR_E_NOMEM : SAR_OK;
}

/// Those of the twin's present joints: phases may have changed them.
static sar_status prepare(sari_fmu* f)
{
    sari_system* sys = f->twin->system;
    if (f->slopes && f->slopes->residual.sys == sys) return SAR_OK;
    forget_slopes(f);
    f->slopes = SARI_NEW(sari_fmu_slopes);
    return f->slopes ? take_memory(f->slopes, sys) : SAR_E_NOMEM;
}

/* ---- (1) ------------------------------------------------------------------------------------ */

static void add(int n, const double* from, double* to)
{
    for (int i = 0; i < n; i++) to[i] += from[i];
}

/// Slopes of F, rate and second along (d, dv), and of Phi.
static sar_status find_residual(sari_fmu_slopes* x, const double* dv)
{
    sari_residual* r = &x->residual;
    sari_system* sys = r->sys;
    const int n = sys->nq, nc = sys->nc;
    const double pace = fmax(sari_vector_max(n, x->at.v), 1.0);
    r->t = x->at.t;
    r->q = x->at.q, r->v = x->at.v, r->a = x->at.a, r->lambda = x->at.lambda;
    SARI_TRY(sari_residual_tangent(r));
    sari_csr_multiply(&sys->Phi_q, x->d, x->Phi);
    for (int k = nc - sys->velocity_rows; k < nc; k++) x->Phi[k] = 0.0;
    SARI_TRY(sari_residual_along_position(r, x->d, sys->size));
    memcpy(x->F, r->F, (size_t)(n + 2 * nc) * sizeof(double));
    SARI_TRY(sari_residual_along_velocity(r, dv, pace));
    add(n + 2 * nc, r->F, x->F);
    return SAR_OK;
}

static sar_status accelerate(sari_fmu* f)
{
    sari_fmu_slopes* x = f->slopes;
    sari_system* sys = x->residual.sys;
    const sari_formulation* form = &f->twin->form;
    const int n = sys->nq;
    SARI_TRY(sari_fmu_evaluate(f->twin, f->t, f->q, f->p, f->lambda, NULL, NULL));
    if (!sari_equations_open(&sys->equations)) {
        form->ops->rates->change(form->self, x->F, x->Phi, x->F + n, x->F + n + sys->nc, x->da,
                                 x->dlambda);
        return SAR_OK;
    }
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_MASS, x->at.t, x->at.q, x->at.v));
    SARI_TRY(sari_row_space_find(&x->open));
    memset(x->da, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < x->open.d; j++) {
        const double* T = x->open.T + (size_t)j * (size_t)n;
        const double part = sari_vector_dot(n, T, x->F);
        for (int i = 0; i < n; i++) x->da[i] -= part * T[i];
    }
    return SAR_OK;
}

/* ---- (2), and outputs ----------------------------------------------------------------------- */

static void change_positions(sari_fmu_slopes* x, const double* dv, double* rates)
{
    const sari_coordinates* c = x->residual.sys->equations.space;
    const int np = x->residual.sys->np;
    const double* v = x->at.v;
    sari_coordinates_position_rates(c, x->at.q, x->d, x->moved); // E d
    add(np, x->at.q, x->moved);
    sari_coordinates_position_rates(c, x->moved, v, x->there); // E is of first degree in q
    sari_coordinates_position_rates(c, x->at.q, v, x->here);
    sari_coordinates_position_rates(c, x->at.q, dv, rates);
    for (int i = 0; i < np; i++) rates[i] += x->there[i] - x->here[i];
}

static sar_status change_outputs(sari_fmu* f, const double* dv, double* outputs)
{
    static const double weight[] = {2.0 / 3.0, -1.0 / 12.0};
    sari_fmu_slopes* x = f->slopes;
    const sari_system* sys = x->residual.sys;
    const int n = sys->nq, count = f->layout.outputs;
    const double most = fmax(sari_vector_max(n, x->d), sari_vector_max(n, dv));
    const double h = most > 0.0 ? 1e-4 / most : 1.0;
    memset(outputs, 0, (size_t)count * sizeof(double));
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double e = sign * k * h;
            sari_state_copy(&x->beside, &x->at);
            for (int i = 0; i < n; i++) {
                x->moved[i] = e * x->d[i];
                x->beside.v[i] += e * dv[i];
                x->beside.a[i] += e * x->da[i];
            }
            sari_coordinates_move(sys->equations.space, x->at.q, x->moved, x->beside.q);
            for (int r = 0; r < sys->nc; r++) x->beside.lambda[r] += e * x->dlambda[r];
            SARI_TRY(sari_outputs_of(f->twin, &x->beside, x->y));
            for (int o = 0; o < count; o++) outputs[o] += sign * weight[k - 1] / h * x->y[o];
        }
    return SAR_OK;
}

int sari_fmu_has_slopes(const sari_fmu* f)
{
    return f->exchange && f->twin->form.ops->rates->change;
}

sar_status sari_fmu_change(sari_fmu* f, const double* states, double* rates, double* outputs)
{
    SARI_TRY(prepare(f));
    sari_fmu_slopes* x = f->slopes;
    const sari_system* sys = x->residual.sys;
    const double* dv = states + sys->np;
    SARI_TRY(sari_fmu_evaluate(f->twin, f->t, f->q, f->p, f->lambda, NULL, NULL));
    sari_state_copy(&x->at, &f->twin->state);
    sari_coordinates_velocities(sys->equations.space, x->at.q, states, x->d);
    SARI_TRY(find_residual(x, dv));
    SARI_TRY(accelerate(f));
    change_positions(x, dv, rates);
    memcpy(rates + sys->np, x->da, (size_t)sys->nq * sizeof(double));
    return change_outputs(f, dv, outputs);
}
