/* alpha, omega and xi as diagonal matrices, a number per constraint [gonzalez2016, section 2.1]: equations (5), (6),
 * (8)-(10) and (18)-(20) programmed once more for the slider-crank of (37), beside the library. */
#include "problem_run.h"

enum { N = 3, STEPS = 60 };

static const double H = 1e-3;
static const double ALPHA[2] = {1e5, 3e4}, OMEGA[2] = {10.0, 25.0}, XI[2] = {1.0, 0.7};
static const double MASS[N][N] = {{2.0 / 3, 0, 1.0 / 6}, {0, 2.0 / 3, 0}, {1.0 / 6, 0, 1.0 / 3}};
static const double FORCE[N] = {0, -9.81, 0}; // half the weight of both rods, at P2

typedef struct crank {
    double q[N], v[N], a[N], lambda[2]; ///< x2, y2, x3
    double p[N], pdot[N], sigma[2], integral[2];
    double J[2][N], rate[2][N], phi[2], psi[2],
        bias[2]; ///< Phi_q, its rate, Phi, dPhi/dt, dPhi_q/dt v
    int steps;
} crank;

static void evaluate(crank* c)
{
    const double *q = c->q, *v = c->v;
    const double J[2][N] = {{2 * q[0], 2 * q[1], 0},
                            {2 * (q[0] - q[2]), 2 * q[1], 2 * (q[2] - q[0])}};
    const double rate[2][N] = {{2 * v[0], 2 * v[1], 0},
                               {2 * (v[0] - v[2]), 2 * v[1], 2 * (v[2] - v[0])}};
    memcpy(c->J, J, sizeof J);
    memcpy(c->rate, rate, sizeof rate);
    c->phi[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    c->phi[1] = (q[0] - q[2]) * (q[0] - q[2]) + q[1] * q[1] - 1.0;
    for (int r = 0; r < 2; r++) {
        c->psi[r] = c->bias[r] = 0.0;
        for (int i = 0; i < N; i++) c->psi[r] += J[r][i] * v[i], c->bias[r] += rate[r][i] * v[i];
    }
}

/* x = (M + J' W J)^-1 b */
static void solve(const double J[2][N], const double W[2], const double b[N], double x[N])
{
    double A[N][N + 1];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            A[i][j] = MASS[i][j] + J[0][i] * W[0] * J[0][j] + J[1][i] * W[1] * J[1][j];
        A[i][N] = b[i];
    }
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; i != k && j <= N; j++) A[i][j] -= f * A[k][j];
        }
    for (int i = 0; i < N; i++) x[i] = A[i][N] / A[i][i];
}

static void go_on(crank* c)
{
    for (int i = 0; i < N; i++) c->q[i] += H * c->v[i], c->v[i] += H * c->a[i];
}

/* (6) so many times; (5) is the first of them without multipliers */
static void accelerations(crank* c, int updates)
{
    evaluate(c);
    for (int k = 0; k < updates; k++) {
        double b[N], s[2];
        for (int r = 0; r < 2; r++)
            s[r] = c->bias[r] + 2 * XI[r] * OMEGA[r] * c->psi[r] + OMEGA[r] * OMEGA[r] * c->phi[r];
        for (int i = 0; i < N; i++) {
            b[i] = FORCE[i];
            for (int r = 0; r < 2; r++) b[i] -= c->J[r][i] * (c->lambda[r] + ALPHA[r] * s[r]);
        }
        solve((const double(*)[N])c->J, ALPHA, b, c->a);
        for (int r = 0; r < 2; r++)
            for (int i = 0; i <= N; i++)
                c->lambda[r] += ALPHA[r] * (i < N ? c->J[r][i] * c->a[i] : s[r]);
    }
}

static void penalty_step(crank* c)
{
    c->lambda[0] = c->lambda[1] = 0.0;
    accelerations(c, 1);
    go_on(c);
}

static void augmented_step(crank* c)
{
    accelerations(c, c->steps++ ? 2 : 20);
    go_on(c);
}

static void times_mass(const double x[N], double y[N])
{
    for (int i = 0; i < N; i++) y[i] = MASS[i][0] * x[0] + MASS[i][1] * x[1] + MASS[i][2] * x[2];
}

/* (8)-(10), two updates, with (11) */
static void hamilton_step(crank* c)
{
    if (!c->steps++) {
        times_mass(c->v, c->p);
        memcpy(c->pdot, FORCE, sizeof FORCE);
    }
    for (int i = 0; i < N; i++) c->q[i] += H * c->v[i], c->p[i] += H * c->pdot[i];
    evaluate(c);
    for (int r = 0; r < 2; r++) c->integral[r] += H * c->phi[r];
    for (int k = 0; k < 2; k++) {
        double b[N], s[2];
        memcpy(b, c->p, sizeof b);
        for (int r = 0; r < 2; r++) {
            s[r] = 2 * XI[r] * OMEGA[r] * c->phi[r] + OMEGA[r] * OMEGA[r] * c->integral[r];
            for (int i = 0; i < N; i++) b[i] -= c->J[r][i] * (ALPHA[r] * s[r] + c->sigma[r]);
        }
        solve((const double(*)[N])c->J, ALPHA, b, c->v);
        for (int r = 0; r < 2; r++)
            for (int i = 0; i <= N; i++)
                c->sigma[r] += ALPHA[r] * (i < N ? c->J[r][i] * c->v[i] : s[r]);
    }
    evaluate(c);
    for (int i = 0; i < N; i++)
        c->pdot[i] = FORCE[i] + c->rate[0][i] * c->sigma[0] + c->rate[1][i] * c->sigma[1];
}

static const double ALPHA_3[2] = {1e9, 2e8};

/* Accelerations and multipliers at the start, without a penalty: (35), by its limit */
static void consistent(crank* c)
{
    const double large[2] = {1e6, 1e6};
    evaluate(c);
    for (int k = 0; k < 30; k++) {
        double b[N];
        for (int i = 0; i < N; i++)
            b[i] = FORCE[i] - c->J[0][i] * (c->lambda[0] + 1e6 * c->bias[0]) -
                   c->J[1][i] * (c->lambda[1] + 1e6 * c->bias[1]);
        solve((const double(*)[N])c->J, large, b, c->a);
        for (int r = 0; r < 2; r++)
            for (int i = 0; i <= N; i++)
                c->lambda[r] += 1e6 * (i < N ? c->J[r][i] * c->a[i] : c->bias[r]);
    }
}

/* x, less what violates J x = e: the projections */
static void project(const double J[2][N], const double W[2], const double e[2], double x[N])
{
    double b[N];
    times_mass(x, b);
    for (int i = 0; i < N; i++) b[i] += J[0][i] * W[0] * e[0] + J[1][i] * W[1] * e[1];
    solve(J, W, b, x);
}

/* (18)-(20), two iterations, and both projections with the last matrices; (20) takes Phi + Phi_q dq */
static void index3_step(crank* c)
{
    const double b = 0.25 * H * H, W[2] = {b * ALPHA_3[0], b * ALPHA_3[1]}, none[2] = {0, 0};
    double r[N], x[N], e[2];
    if (!c->steps++) consistent(c);
    const crank from = *c;
    for (int i = 0; i < N; i++) c->q[i] += H * c->v[i] + 0.5 * H * H * c->a[i];
    for (int i = 0; i < N; i++) c->v[i] += H * c->a[i];
    for (int k = 0; k < 2; k++) {
        evaluate(c);
        times_mass(c->a, r);
        for (int i = 0; i < N; i++) {
            r[i] = -b * (r[i] - FORCE[i]);
            for (int n = 0; n < 2; n++)
                r[i] -= b * c->J[n][i] * (c->lambda[n] + ALPHA_3[n] * c->phi[n]);
        }
        solve((const double(*)[N])c->J, W, r, x);
        for (int n = 0; n < 2; n++)
            for (int i = 0; i <= N; i++)
                c->lambda[n] += ALPHA_3[n] * (i < N ? c->J[n][i] * x[i] : c->phi[n]);
        for (int i = 0; i < N; i++) {
            const double d = (c->q[i] += x[i]) - from.q[i];
            c->v[i] = 2.0 / H * d - from.v[i];
            c->a[i] = 4.0 / (H * H) * (d - H * from.v[i]) - from.a[i];
        }
    }
    double J[2][N];
    memcpy(J, c->J, sizeof J);
    project((const double(*)[N])J, W, none, c->v);
    evaluate(c);
    for (int n = 0; n < 2; n++) e[n] = -c->bias[n];
    project((const double(*)[N])J, W, e, c->a);
}

static void check_beside(const char* options, void (*step)(crank*))
{
    problem_run run;
    const double w = sqrt(0.5);
    crank c = {.q = {w, w, 2 * w}, .v = {-2.0, 2.0, -4.0}};
    const char* const names[N] = {"xP", "yP", "xQ"};
    const double* columns[N];
    char all[400];
    problem_load(&run, PROBLEM("slider-crank-1"), NULL);
    snprintf(all, sizeof all, "coordinates=natural step=1e-3 end=0.06 drawing=0 %s", options);
    problem_create(&run, all);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    problem_steps(&run, 1);
    for (int k = 0; k < N; k++) columns[k] = problem_column(&run, names[k]);
    for (int row = 1; row <= STEPS; row++) {
        step(&c);
        for (int k = 0; k < N; k++)
            if (!(fabs(columns[k][row] - c.q[k]) <= 1e-10))
                fail_msg("%s: %s after %d steps is %.15g, not %.15g", options, names[k], row,
                         columns[k][row], c.q[k]);
    }
    problem_free(&run);
}

#define ROWS "alpha=1e5,rod=3e4 omega=10,rod=25 xi=1,rod=0.7 "

TEST(every_constraint_may_have_its_own_parameters)
{
    check_beside(ROWS "formulation=penalty integrator=euler", penalty_step);
    check_beside(ROWS "formulation=al1 integrator=euler updates=2", augmented_step);
    check_beside("alpha=crank=1e5,rod=3e4 omega=crank=10,rod=25 xi=crank=1,rod=0.7 "
                 "formulation=al1 integrator=euler updates=2",
                 augmented_step);
    check_beside(ROWS "formulation=hamiltonian integrator=euler updates=2 reset=0", hamilton_step);
    check_beside("alpha=1e9,rod=2e8 formulation=al3 integrator=trapezoidal rescue=0 tangent_life=1 "
                 "geometric=0 iterations=fixed:2",
                 index3_step);
}

/* In Newton form the converged step is the same for every tangent: with one parameter for all, given in
 * both ways, it has the same bits but for rounding. */
TEST(newton_forms_take_them_too)
{
    const char* const forms[] = {"al1", "penalty", "hamiltonian"};
    for (int k = 0; k < 3; k++) {
        problem_run run[2];
        const double* x[2];
        for (int own = 0; own < 2; own++) {
            char options[300];
            snprintf(
                options, sizeof options,
                "coordinates=natural end=0.2 formulation=%s integrator=trapezoidal %s", forms[k],
                own ? "alpha=1e5,rod=1e7,crank=1e7 omega=3,rod=100,crank=100 xi=9,rod=1,crank=1"
                    : "alpha=1e7 omega=100 xi=1");
            problem_load(&run[own], PROBLEM("slider-crank-1"), NULL);
            problem_create(&run[own], options);
            CHECK_STATUS(sar_simulation_assemble(run[own].simulation, &run[own].assembly), SAR_OK);
            problem_steps(&run[own], 1);
            CHECK_STATUS(run[own].status, SAR_OK);
            x[own] = problem_column(&run[own], "xQ");
        }
        for (int row = 0; row < 200; row++) CHECK_NEAR(x[1][row], x[0][row], 1e-9);
        for (int own = 0; own < 2; own++) problem_free(&run[own]);
    }
}

TEST(names_without_constraints_are_refused)
{
    struct {
        const char *option, *text, *says;
    } wrong[] = {
        {"alpha", "1e7,O=1e8",
         "\"O\" has no constraints in natural coordinates; these have: crank, rod"},
        {"omega", "10,Rod=1", "\"Rod\" has no constraints"},
    };
    for (int k = 0; k < 2; k++) {
        problem_run run;
        sar_error error = {0};
        problem_load(&run, PROBLEM("slider-crank-1"), NULL);
        use_option(&run.options, "formulation", "al1");
        use_option(&run.options, wrong[k].option, wrong[k].text);
        CHECK_STATUS(sar_simulation_create(run.model, &run.options, &run.simulation, &error),
                     SAR_E_ARG);
        if (!strstr(error.message, wrong[k].says)) fail_msg("%s", error.message);
        problem_free(&run);
    }
    sar_options o = sar_options_default();
    sar_error error = {0};
    const char* const texts[] = {"rod=0",       "rod=-1",     "rod=x",  "=3",
                                 "1e7,rod=inf", "1e7,,rod=1", "1e7,rod"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (sar_options_set(&o, "alpha", texts[k], &error) != SAR_E_ARG) fail_msg("%s", texts[k]);
    CHECK_STATUS(sar_options_set(&o, "step", "rod=1", &error), SAR_E_ARG);
}
