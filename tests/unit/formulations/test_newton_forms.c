/* The residual contract of the index-1 and Hamiltonian formulations: tangents, what a step leaves
 * behind, and the reset of the momenta's multipliers. Tangents are tested through the contract
 * alone: from the solution of a step, displaced by eps u, an exact tangent leads back by -eps u, up
 * to terms of order eps^2. */
#include "neck_fixture.h"
#include "simulation/simulation.h"

#define PROBLEM(name) SARRUS_ROOT "/problems/" name "/model.yaml"
#define TEST_MODEL(name) SARRUS_ROOT "/tests/models/" name ".yaml"

static sar_simulation* start(const sar_model* model, const char* settings)
{
    char copy[256];
    sar_options o = sar_options_default();
    sar_simulation* s = NULL;
    sar_error error = {0};
    snprintf(copy, sizeof copy, "%s", settings);
    for (char* word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char* value = strchr(word, '=');
        *value++ = 0;
        if (sar_options_set(&o, word, value, &error) != SAR_OK) fail_msg("%s", error.message);
    }
    if (sar_simulation_create(model, &o, &s, &error) != SAR_OK)
        fail_msg("%s: %s", settings, error.message);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    return s;
}

static void steps(sar_simulation* s, int count)
{
    for (int k = 0; k < count; k++)
        if (sar_simulation_advance(s) != SAR_OK) fail_msg("%s", sar_simulation_failure(s));
}

/* ---- tangents ------------------------------------------------------------------------------- */

/// A step of the trapezoidal rule from the simulation's state, by hand.
typedef struct hand {
    sar_simulation* s;
    int n;
    double h, cv, ca;
    double *q0, *v0, *a0, *d, *dq;
    sari_arena memory;
    sari_state at;
} hand;

static void hand_go(hand* x, const double* d)
{
    sari_coordinates_move(&x->s->system->coordinates, x->q0, d, x->at.q);
    for (int i = 0; i < x->n; i++) {
        x->at.v[i] = x->cv * d[i] - x->v0[i];
        x->at.a[i] = x->ca * (d[i] - x->h * x->v0[i]) - x->a0[i];
    }
}

static void hand_correct(hand* x, const double* d, double* dq)
{
    hand_go(x, d);
    CHECK_STATUS(x->s->form.ops->corrections->correct(x->s->form.self, &x->at, x->cv, x->ca, dq),
                 SAR_OK);
}

/* Newton's iteration until rounding stops it. */
static hand hand_create(sar_simulation* s, double h)
{
    int n = s->system->nq;
    hand x = {.s = s, .n = n, .h = h, .cv = 2 / h, .ca = 4 / (h * h)};
    int momenta = sari_formulation_can(s->form.ops, SARI_FORM_MOMENTA);
    size_t bytes = (size_t)n * sizeof(double);
    sari_state_take(&x.at, &x.memory, &s->system->equations, momenta);
    CHECK(!x.memory.failed);
    sari_state_copy(&x.at, &s->state);
    x.q0 = vector(s->system->np), x.v0 = vector(n), x.a0 = vector(n), x.d = vector(n);
    x.dq = vector(n);
    memcpy(x.q0, s->state.q, (size_t)s->system->np * sizeof(double));
    memcpy(x.v0, s->state.v, bytes);
    memcpy(x.a0, s->state.a, bytes);
    for (int i = 0; i < n; i++) x.d[i] = h * x.v0[i] + 0.5 * h * h * x.a0[i];
    s->form.ops->begin(s->form.self, &x.at);
    x.at.t += h;
    double size = 1.0;
    for (int k = 0; k < 30; k++) {
        hand_correct(&x, x.d, x.dq);
        for (int i = 0; i < n; i++) x.d[i] += x.dq[i];
        size = largest_of(x.dq, n);
    }
    CHECK_AT_MOST(size, 1e-10);
    return x;
}

static void hand_clear(hand* x)
{
    free(x->q0), free(x->v0), free(x->a0), free(x->d), free(x->dq);
    sari_arena_clear(&x->memory);
}

/* The largest |dq + eps u| / eps over some directions u. */
static double tangent_error(const char* path, const char* settings, double h)
{
    enum { DIRECTIONS = 5 };
    const double eps = 1e-6;
    sar_model* model = load_model(path, NULL);
    sar_simulation* s = start(model, settings);
    steps(s, 20);
    hand x = hand_create(s, h);
    double *u = vector(x.n), *moved = vector(x.n), worst = 0.0;
    for (int k = 0; k < DIRECTIONS; k++) {
        for (int i = 0; i < x.n; i++) u[i] = any(), moved[i] = x.d[i] + eps * u[i];
        hand_correct(&x, moved, x.dq);
        for (int i = 0; i < x.n; i++) worst = fmax(worst, fabs(x.dq[i] + eps * u[i]) / eps);
    }
    free(u), free(moved);
    hand_clear(&x);
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    return worst;
}

static const char* const MODELS[] = {
    PROBLEM("slider-crank-1"), PROBLEM("n-four-bar"),         PROBLEM("bricard"),
    TEST_MODEL("bushing"),     TEST_MODEL("rotational-drag"), TEST_MODEL("driven-crank")};
enum { MODEL_COUNT = sizeof MODELS / sizeof *MODELS };

/* Nothing is left out where the constraints are of second degree in q. (A drive is not.) */
TEST(the_hamiltonian_tangent_is_exact_in_natural_coordinates)
{
    for (int k = 0; k < MODEL_COUNT - 1; k++) {
        double error = tangent_error(
            MODELS[k], "formulation=hamiltonian step=1e-3 alpha=1e5 omega=3 xi=20", 0.02);
        if (!(error < 1e-4)) fail_msg("%s: tangent wrong by %g", MODELS[k], error);
    }
}

/* What is left out is of order h^2 (the change of Phi_q), or of order h where the mass matrix
 * changes or rotations do not commute. 2e-4 is less than any term of order h that could be
 * forgotten. */
TEST(what_tangents_leave_out_vanishes_with_the_step)
{
    static const char* const FORMS[] = {"formulation=al1 omega=30 xi=1",
                                        "formulation=penalty omega=30 xi=1",
                                        "formulation=hamiltonian omega=3 xi=20"};
    static const char* const COORDINATES[] = {"natural", "cartesian", "increments"};
    for (int k = 0; k < MODEL_COUNT; k++)
        for (int f = 0; f < 3; f++)
            for (int c = 0; c < 3; c++) {
                char settings[128];
                snprintf(settings, sizeof settings, "%s coordinates=%s step=1e-3 alpha=1e5",
                         FORMS[f], COORDINATES[c]);
                double coarse = tangent_error(MODELS[k], settings, 0.004);
                double fine = tangent_error(MODELS[k], settings, 0.001);
                if (!(coarse < (c ? 0.02 : 2e-4) && fine < fmax(0.4 * coarse, 1e-4)))
                    fail_msg("%s, %s: tangent wrong by %g with h = 4 ms, %g with 1 ms", MODELS[k],
                             settings, coarse, fine);
            }
}

/* ---- momenta -------------------------------------------------------------------------------- */

static const char* const INTEGRATORS[] = {"euler", "rk4", "trapezoidal-fixed-point", "trapezoidal"};

/* Also where M changes, and with drives. */
TEST(momenta_are_those_of_the_velocities_and_multipliers)
{
    static const char* const COORDINATES[] = {"natural", "cartesian", "increments"};
    for (int k = 0; k < MODEL_COUNT; k++)
        for (int i = 0; i < 4; i++)
            for (int c = 0; c < 3; c++) {
                char settings[128];
                snprintf(settings, sizeof settings,
                         "formulation=hamiltonian integrator=%s coordinates=%s step=1e-3",
                         INTEGRATORS[i], COORDINATES[c]);
                sar_model* model = load_model(MODELS[k], NULL);
                sar_simulation* s = start(model, settings);
                const sari_state* x = &s->state;
                int n = s->system->nq;
                double* p = vector(n);
                steps(s, 50);
                sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v);
                sari_sym_multiply(&s->system->M, s->system->M.x, x->v, p);
                sari_csr_multiply_add_transposed(&s->system->Phi_q, 1.0, x->sigma, p);
                double size = largest_of(x->p, n);
                for (int r = 0; r < n; r++)
                    if (!(fabs(p[r] - x->p[r]) < 2e-5 * fmax(1.0, size)))
                        fail_msg("%s, %s: p[%d] = %.9g, M v + Phi_q' sigma = %.9g", MODELS[k],
                                 settings, r, x->p[r], p[r]);
                free(p);
                sar_simulation_destroy(s);
                sar_model_destroy(model);
            }
}

/* Bodies that tumble, where dM/dt v matters, move as they do without momenta. */
TEST(momenta_move_where_the_mass_matrix_changes)
{
    static const char* const TUMBLING[] = {TEST_MODEL("free-top"), TEST_MODEL("bushing"),
                                           PROBLEM("spatial-double-pendulum")};
    static const char* const FORMS[] = {"formulation=al1 integrator=rk4",
                                        "formulation=hamiltonian integrator=rk4",
                                        "formulation=hamiltonian integrator=trapezoidal"};
    for (int k = 0; k < 3; k++) {
        sar_model* model = load_model(TUMBLING[k], NULL);
        double* wanted = NULL;
        for (int f = 0; f < 3; f++) {
            char settings[128];
            snprintf(settings, sizeof settings, "%s coordinates=cartesian step=1e-3", FORMS[f]);
            sar_simulation* s = start(model, settings);
            CHECK(!s->system->constant_mass);
            int n = s->system->nq;
            steps(s, 100);
            if (f == 0) {
                wanted = vector(n);
                memcpy(wanted, s->state.q, (size_t)n * sizeof *wanted);
            }
            for (int i = 0; i < n; i++)
                if (!(fabs(s->state.q[i] - wanted[i]) < 2e-5))
                    fail_msg("%s, %s: q[%d] = %.9g, wanted %.9g", TUMBLING[k], FORMS[f], i,
                             s->state.q[i], wanted[i]);
            sar_simulation_destroy(s);
        }
        free(wanted);
        sar_model_destroy(model);
    }
}

/* A step that fails leaves momenta and integrals as they were: trying again gives the same. */
TEST(a_failed_step_restores_momenta)
{
    for (int i = 2; i < 4; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "formulation=hamiltonian integrator=%s step=1e-3",
                 INTEGRATORS[i]);
        sar_model* model = load_model(PROBLEM("slider-crank-1"), NULL);
        sar_simulation* s = start(model, settings);
        int n = s->system->nq, m = s->system->nc;
        sari_state before;
        sari_arena memory = {0};
        sari_state_take(&before, &memory, &s->system->equations, 1);
        CHECK(!memory.failed);
        steps(s, 10);
        sari_state_copy(&before, &s->state);
        CHECK(largest_of(before.sigma, m) > 1e-3 && largest_of(before.integral, m) > 0.0);
        CHECK_NEAR(sar_simulation_time(s), 0.01, 1e-12);
        s->options.step = 1.0; // hopeless
        CHECK(sar_simulation_advance(s) > 0);
        CHECK(memcmp(before.p, s->state.p, (size_t)n * sizeof(double)) == 0);
        CHECK(memcmp(before.pdot, s->state.pdot, (size_t)n * sizeof(double)) == 0);
        CHECK(memcmp(before.sigma, s->state.sigma, (size_t)m * sizeof(double)) == 0);
        CHECK(memcmp(before.integral, s->state.integral, (size_t)m * sizeof(double)) == 0);
        s->options.step = 1e-3;
        steps(s, 1);
        sari_arena_clear(&memory);
        sar_simulation_destroy(s);
        sar_model_destroy(model);
    }
}

/* lambda is for reactions and power: the same as by rates, not sigma. */
TEST(multipliers_are_physical)
{
    static const char* const FORMS[] = {"formulation=al1", "formulation=penalty",
                                        "formulation=hamiltonian"};
    sar_model* model = load_model(TEST_MODEL("driven-crank"), NULL);
    sar_simulation* wanted = start(model, "formulation=al1 integrator=rk4 step=1e-3");
    steps(wanted, 50);
    for (int f = 0; f < 3; f++) {
        char settings[64];
        snprintf(settings, sizeof settings, "%s step=1e-3", FORMS[f]);
        sar_simulation* s = start(model, settings);
        steps(s, 50);
        double size = largest_of(wanted->state.lambda, s->system->nc);
        for (int r = 0; r < s->system->nc; r++)
            if (!(fabs(s->state.lambda[r] - wanted->state.lambda[r]) < 1e-3 * size))
                fail_msg("%s: lambda[%d] = %g, wanted %g", FORMS[f], r, s->state.lambda[r],
                         wanted->state.lambda[r]);
        sar_simulation_destroy(s);
    }
    sar_simulation_destroy(wanted);
    sar_model_destroy(model);
}

/* Natural coordinates, where Phi_q is linear in q: a reset in (nearly) every step changes nothing
 * but rounding, and the tolerance of an iteration. */
TEST(a_reset_is_the_same_motion)
{
    for (int k = 0; k < MODEL_COUNT - 1; k++)
        for (int i = 0; i < 4; i++) {
            double *q[2], most[2];
            int n = 0;
            sar_model* model = load_model(MODELS[k], NULL);
            for (int often = 0; often < 2; often++) {
                char settings[160];
                snprintf(settings, sizeof settings,
                         "formulation=hamiltonian integrator=%s step=1e-3 reset=%s", INTEGRATORS[i],
                         often ? "1e-4" : "0");
                sar_simulation* s = start(model, settings);
                steps(s, 200);
                n = s->system->nq;
                q[often] = vector(n);
                memcpy(q[often], s->state.q, (size_t)n * sizeof(double));
                most[often] = largest_of(s->state.sigma, s->system->nc);
                sar_simulation_destroy(s);
            }
            CHECK(most[1] < 0.5 * most[0]); // it was reset
            for (int j = 0; j < n; j++)
                if (!(fabs(q[1][j] - q[0][j]) < 2e-8))
                    fail_msg("%s, %s: q[%d] = %.12g with resets, %.12g without", MODELS[k],
                             INTEGRATORS[i], j, q[1][j], q[0][j]);
            free(q[0]), free(q[1]);
            sar_model_destroy(model);
        }
}
