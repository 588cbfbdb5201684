/* Published equations programmed once more, for a pendulum of two coordinates and one constraint, beside
 * the library: [gonzalez2016, (5), (6), (11), (13)-(30)] and [potosakis, (15)-(19), (25), (26)]. Iterations
 * are counted, not converged, where the equations say how to iterate: so tangents and updates are
 * compared too. */
#include "problem_run.h"

enum { STEPS = 30 };
enum { STEPS_APART = 20 }; ///< after which rounding grows: the published tangent contracts little

static const double H = 0.01, STIFFNESS = 30.0, DAMPING = 2.0, MASS = 1.5, GRAVITY = 9.81;
static const char MODEL[] =
    "sarrus: 1\n"
    "name: pendulum\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  bob:\n"
    "    mass: 1.5\n"
    "    center: [1, 0]\n"
    "    inertia: 0\n"
    "    points: {pivot: [0, 0], tip: [1, 0]}\n"
    "    position: [0, 0]\n"
    "    angle: 0.3\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground.origin, bob.pivot]}\n"
    "forces:\n"
    "  pull: {type: force, acts_on: bob.tip,\n"
    "         force: [-30*bob.tip.x - 2*bob.tip.vx, -30*bob.tip.y - 2*bob.tip.vy]}\n"
    "outputs: {x: bob.tip.x, y: bob.tip.y, vx: bob.tip.vx, vy: bob.tip.vy}\n"
    "method: {end: 0.3, step: 0.01, drawing: 0}\n";

/* ---- the pendulum --------------------------------------------------------------------------- */

/* M = MASS, Q = weight - STIFFNESS q - DAMPING v, Phi = (q . q - 1)/2, its row q. Natural coordinates have
 * Phi = q . q - 1 [gonzalez2016, (37)]: with alpha there, it is 4 alpha here, and multipliers are twice. */
typedef struct pendulum {
    double q[2], v[2], a[2], lambda;
    double p[2], pdot[2], sigma, integral, swept[2]; ///< of the momenta
    double nu;                                       ///< of the three fields
    int steps;
} pendulum;

static double dot(const double* x, const double* y)
{
    return x[0] * y[0] + x[1] * y[1];
}

static double phi(const double* q)
{
    return 0.5 * (dot(q, q) - 1.0);
}

static void force(const double* q, const double* v, double* f)
{
    for (int i = 0; i < 2; i++)
        f[i] = -STIFFNESS * q[i] - DAMPING * v[i] - (i ? MASS * GRAVITY : 0.0);
}

/* x = A^-1 b */
static void solve2(const double A[2][2], const double* b, double* x)
{
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    x[0] = (A[1][1] * b[0] - A[0][1] * b[1]) / det;
    x[1] = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
}

static pendulum released(void)
{
    return (pendulum){.q = {cos(0.3), sin(0.3)}};
}

typedef void (*step_function)(pendulum* p);

/* Runs the library and the equations side by side. */
static void check_beside(const char* options, pendulum p, step_function step, int steps)
{
    problem_run run;
    problem_parse(&run, MODEL);
    problem_create(&run, options);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    problem_steps(&run, 1);
    if (run.status != SAR_OK) fail_msg("%s: %s", options, sar_simulation_failure(run.simulation));
    const double* columns[4];
    const char* const names[4] = {"x", "y", "vx", "vy"};
    for (int k = 0; k < 4; k++) columns[k] = problem_column(&run, names[k]);
    for (int row = 1; row <= steps; row++) {
        step(&p);
        const double wanted[4] = {p.q[0], p.q[1], p.v[0], p.v[1]};
        for (int k = 0; k < 4; k++)
            if (!(fabs(columns[k][row] - wanted[k]) <= 1e-10))
                fail_msg("%s: %s after %d steps is %.15g, not %.15g", options, names[k], row,
                         columns[k][row], wanted[k]);
    }
    problem_free(&run);
}

/* ---- [gonzalez2016, (5), (6)] with (11) ----------------------------------------------------- */

static const double ALPHA = 4e5, OMEGA = 10.0, XI = 1.0;

/* dPhi_q/dt v + 2 xi omega dPhi/dt + omega^2 Phi */
static double stabilised(const pendulum* p)
{
    return dot(p->v, p->v) + 2.0 * XI * OMEGA * dot(p->q, p->v) + OMEGA * OMEGA * phi(p->q);
}

/* (6), `updates` times; the last with the multipliers before it is (5) if they are zero */
static void accelerations(pendulum* p, int updates)
{
    double A[2][2], f[2], b[2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) A[i][j] = (i == j) * MASS + ALPHA * p->q[i] * p->q[j];
    force(p->q, p->v, f);
    for (int k = 0; k < updates; k++) {
        for (int i = 0; i < 2; i++) b[i] = f[i] - p->q[i] * (p->lambda + ALPHA * stabilised(p));
        solve2((const double(*)[2])A, b, p->a);
        p->lambda += ALPHA * (dot(p->q, p->a) + stabilised(p));
    }
}

/* (11) */
static void go_on(pendulum* p)
{
    for (int i = 0; i < 2; i++) {
        p->q[i] += H * p->v[i];
        p->v[i] += H * p->a[i];
    }
}

static void penalty_step(pendulum* p)
{
    p->lambda = 0.0;
    accelerations(p, 1);
    go_on(p);
}

static void augmented_step(pendulum* p)
{
    accelerations(p, p->steps++ ? 2 : 20);
    go_on(p);
}

TEST(the_penalty_formulation_is_the_published_one)
{
    check_beside("formulation=penalty integrator=euler alpha=1e5 omega=10 xi=1 project=0",
                 released(), penalty_step, STEPS);
    check_beside("formulation=al1 integrator=euler alpha=1e5 omega=10 xi=1 project=0 updates=1",
                 released(), penalty_step, STEPS);
}

TEST(the_augmented_lagrangian_is_the_published_one)
{
    check_beside("formulation=al1 integrator=euler alpha=1e5 omega=10 xi=1 project=0 updates=2",
                 released(), augmented_step, STEPS);
}

/* ---- [gonzalez2016, (13)-(20)] -------------------------------------------------------------- */

static void trapezoidal_rule(pendulum* p, const pendulum* from)
{
    for (int i = 0; i < 2; i++) {
        const double d = p->q[i] - from->q[i];
        p->v[i] = 2.0 / H * d - from->v[i];
        p->a[i] = 4.0 / (H * H) * (d - H * from->v[i]) - from->a[i];
    }
}

static void predict(pendulum* p)
{
    for (int i = 0; i < 2; i++) {
        p->q[i] += H * p->v[i] + 0.5 * H * H * p->a[i];
        p->v[i] += H * p->a[i];
    }
}

/* (15)-(17), two iterations, with (6b) in each */
static void newton_step(pendulum* p)
{
    if (!p->steps++) accelerations(p, 20);
    const pendulum from = *p;
    predict(p);
    for (int k = 0; k < 2; k++) {
        double S[2][2], f[2], r[2], dq[2];
        const double c = dot(p->q, p->a) + stabilised(p);
        force(p->q, p->v, f);
        for (int i = 0; i < 2; i++) {
            r[i] = -0.25 * H * H * (MASS * p->a[i] - f[i] + p->q[i] * (p->lambda + ALPHA * c));
            for (int j = 0; j < 2; j++)
                S[i][j] = (i == j) * (MASS + 0.25 * H * H * STIFFNESS + 0.5 * H * DAMPING) +
                          ALPHA * p->q[i] *
                              ((1.0 + XI * OMEGA * H + 0.25 * OMEGA * OMEGA * H * H) * p->q[j] +
                               0.5 * H * p->v[j]);
        }
        solve2((const double(*)[2])S, r, dq);
        for (int i = 0; i < 2; i++) p->q[i] += dq[i];
        trapezoidal_rule(p, &from);
        p->lambda += ALPHA * (dot(p->q, p->a) + stabilised(p));
    }
}

TEST(the_newton_form_of_index_one_is_the_published_one)
{
    check_beside("formulation=al1 integrator=trapezoidal alpha=1e5 omega=10 xi=1 project=0 "
                 "as_printed=1 iterations=fixed:2",
                 released(), newton_step, STEPS);
}

static double alpha_3 = 4e9; ///< four times the program's, whose Phi is twice that of here

/* (18)-(20), two iterations, and both projections with the last matrices; (20) takes Phi + Phi_q dq */
static void index3_step(pendulum* p)
{
    const double b = 0.25 * H * H, inertia = MASS + b * STIFFNESS + 0.5 * H * DAMPING;
    double S[2][2], row[2], r[2], x[2];
    if (!p->steps++) { // consistent
        double f[2];
        force(p->q, p->v, f);
        p->lambda = (dot(p->q, f) / MASS + dot(p->v, p->v)) / (dot(p->q, p->q) / MASS);
        for (int i = 0; i < 2; i++) p->a[i] = (f[i] - p->q[i] * p->lambda) / MASS;
    }
    const pendulum from = *p;
    predict(p);
    for (int k = 0; k < 2; k++) {
        double f[2];
        force(p->q, p->v, f);
        for (int i = 0; i < 2; i++) {
            row[i] = p->q[i];
            r[i] = -b * (MASS * p->a[i] - f[i] + p->q[i] * (p->lambda + alpha_3 * phi(p->q)));
            for (int j = 0; j < 2; j++)
                S[i][j] = (i == j) * inertia + b * alpha_3 * p->q[i] * p->q[j];
        }
        solve2((const double(*)[2])S, r, x);
        p->lambda += alpha_3 * (phi(p->q) + dot(row, x));
        for (int i = 0; i < 2; i++) p->q[i] += x[i];
        trapezoidal_rule(p, &from);
    }
    for (int i = 0; i < 2; i++) r[i] = inertia * p->v[i];
    solve2((const double(*)[2])S, r, p->v);
    for (int i = 0; i < 2; i++) r[i] = inertia * p->a[i] - b * alpha_3 * row[i] * dot(p->v, p->v);
    solve2((const double(*)[2])S, r, p->a);
}

TEST(the_index_three_form_is_the_published_one)
{
    check_beside("formulation=al3 integrator=trapezoidal alpha=1e9 rescue=0 tangent_life=1 "
                 "geometric=0 iterations=fixed:2",
                 released(), index3_step, STEPS);
}

/* Accelerations and multipliers at the start by (5) and (2), without stabilisation, with the alpha of index 3. */
static void index3_step_from_penalty(pendulum* p)
{
    double S[2][2], f[2];
    if (!p->steps) {
        force(p->q, p->v, f);
        for (int i = 0; i < 2; i++) {
            f[i] -= alpha_3 * p->q[i] * dot(p->v, p->v);
            for (int j = 0; j < 2; j++) S[i][j] = (i == j) * MASS + alpha_3 * p->q[i] * p->q[j];
        }
        solve2((const double(*)[2])S, f, p->a);
        p->lambda = alpha_3 * (dot(p->q, p->a) + dot(p->v, p->v));
        p->steps = 1;
    }
    index3_step(p);
}

TEST(the_index_three_form_starts_by_the_penalty_formulation)
{
    alpha_3 = 4e6; // with 4e9 rounding of the accelerations would be seen
    check_beside("formulation=al3 integrator=trapezoidal alpha=1e6 rescue=0 tangent_life=1 "
                 "geometric=0 iterations=fixed:2 as_printed=1",
                 released(), index3_step_from_penalty, STEPS);
    alpha_3 = 4e9;
}

/* ---- [gonzalez2016, (8)-(10), (21)-(34)] ---------------------------------------------------- */

static double violation(const pendulum* p)
{
    return dot(p->q, p->v) + 2.0 * XI * OMEGA * phi(p->q) + OMEGA * OMEGA * p->integral;
}

/* (9) with sigma + alpha c = mu: its dPhi_q/dt is v */
static void momentum_rates(pendulum* p, double mu)
{
    force(p->q, p->v, p->pdot);
    for (int i = 0; i < 2; i++) p->pdot[i] += p->v[i] * mu;
}

/* (33) six times, (10) in each; (29) is the sum over all steps, whose first term has Phi_q predicted */
static void hamilton_step(pendulum* p)
{
    if (!p->steps) { // (8) gives p for any sigma
        for (int i = 0; i < 2; i++) p->p[i] = MASS * p->v[i] + p->q[i] * p->sigma;
        momentum_rates(p, p->sigma);
        double f[2];
        force(p->q, p->v, f);
        const double lambda = (dot(p->q, f) / MASS + dot(p->v, p->v)) / (dot(p->q, p->q) / MASS);
        for (int i = 0; i < 2; i++) p->a[i] = (f[i] - p->q[i] * lambda) / MASS;
    }
    const pendulum from = *p;
    predict(p);
    if (!p->steps++)
        for (int i = 0; i < 2; i++) p->swept[i] = H * p->q[i];
    for (int k = 0; k < 6; k++) {
        double S[2][2], r[2], dq[2];
        p->integral = from.integral + H * phi(p->q);
        const double mu = p->sigma + ALPHA * violation(p);
        momentum_rates(p, mu);
        for (int i = 0; i < 2; i++) {
            r[i] =
                -0.5 * H *
                (MASS * p->v[i] + p->q[i] * mu - from.p[i] - 0.5 * H * (from.pdot[i] + p->pdot[i]));
            for (int j = 0; j < 2; j++)
                S[i][j] = (i == j) * (MASS + 0.25 * H * H * STIFFNESS + 0.5 * H * DAMPING) +
                          ALPHA * (p->q[i] - 0.5 * H * p->v[i]) *
                              ((1.0 + XI * OMEGA * H) * p->q[j] +
                               0.5 * H * OMEGA * OMEGA * (p->swept[j] + H * p->q[j]));
        }
        solve2((const double(*)[2])S, r, dq);
        for (int i = 0; i < 2; i++) p->q[i] += dq[i];
        trapezoidal_rule(p, &from);
        p->integral = from.integral + H * phi(p->q);
        p->sigma += ALPHA * violation(p);
    }
    momentum_rates(p, p->sigma);
    for (int i = 0; i < 2; i++) {
        p->p[i] = from.p[i] + 0.5 * H * (from.pdot[i] + p->pdot[i]);
        p->swept[i] += H * p->q[i];
    }
    // accelerations are for the next prediction: (6) with a penalty alone
    pendulum at = *p;
    double A[2][2], f[2], b[2];
    force(at.q, at.v, f);
    for (int i = 0; i < 2; i++) {
        b[i] = f[i] - at.q[i] * ALPHA * dot(at.v, at.v);
        for (int j = 0; j < 2; j++) A[i][j] = (i == j) * MASS + ALPHA * at.q[i] * at.q[j];
    }
    solve2((const double(*)[2])A, b, p->a);
}

TEST(the_newton_form_of_hamiltons_equations_is_the_published_one)
{
    check_beside("formulation=hamiltonian integrator=trapezoidal alpha=1e5 omega=10 xi=1 "
                 "as_printed=1 iterations=fixed:6 reset=0",
                 released(), hamilton_step, STEPS_APART);
    pendulum p = released();
    p.sigma = 14.0;
    check_beside("formulation=hamiltonian integrator=trapezoidal alpha=1e5 omega=10 xi=1 "
                 "as_printed=1 iterations=fixed:6 reset=0 sigma_start=7",
                 p, hamilton_step, STEPS_APART);
}

/* ---- [potosakis, (15)-(19), (25), (26)] ------------------------------------------------------ */

/* E = c mu + k lambda - f of (16), along c = q/(q . q) */
static double constraint_force(const double* q, const double* v, double mu, double lambda)
{
    double f[2];
    const double square = dot(q, q);
    force(q, v, f);
    return (DAMPING * mu + STIFFNESS * lambda - dot(q, f)) / square;
}

/* What is left of the equations that w at the beginning of a step and lambda ask for; expansion 1: all
 * of v, mu constant; 2: both linear, w constant. x = (v of the middle, nu of the step, or at its end). */
static void residual(const pendulum* p, int expansion, const double* x, double* left)
{
    double qm[2], q1[2], f[2];
    for (int i = 0; i < 2; i++) {
        qm[i] = p->q[i] + 0.5 * H * x[i];
        q1[i] = p->q[i] + H * x[i];
    }
    force(qm, x, f);
    const double m = MASS / dot(qm, qm), nu = expansion == 1 ? x[2] : 0.5 * (p->nu + x[2]);
    const double E = constraint_force(qm, x, nu / m, p->lambda + 0.5 * H * nu / m);
    for (int i = 0; i < 2; i++) {
        const double along =
            expansion == 1 ? p->q[i] * (x[2] - p->nu) : 0.5 * qm[i] * (x[2] - p->nu);
        left[i] = MASS * (x[i] - p->v[i]) - 0.5 * H * (f[i] + qm[i] * E) - along;
    }
    left[2] = phi(q1) / H; // (19), from zero
}

/* Gauss, with pivoting by rows */
static void solve3(double A[3][4], double* x)
{
    for (int c = 0; c < 3; c++) {
        int best = c;
        for (int r = c; r < 3; r++)
            if (fabs(A[r][c]) > fabs(A[best][c])) best = r;
        for (int k = 0; k < 4; k++) {
            const double t = A[c][k];
            A[c][k] = A[best][k];
            A[best][k] = t;
        }
        for (int r = c + 1; r < 3; r++)
            for (int k = 3; k >= c; k--) A[r][k] -= A[r][c] / A[c][c] * A[c][k];
    }
    for (int r = 2; r >= 0; r--) {
        x[r] = A[r][3];
        for (int k = r + 1; k < 3; k++) x[r] -= A[r][k] * x[k];
        x[r] /= A[r][r];
    }
}

static void solve_step(const pendulum* p, int expansion, double* x)
{
    const double d = 1e-6;
    for (int pass = 0; pass < 30; pass++) {
        double A[3][4], here[3], there[3], dx[3];
        residual(p, expansion, x, here);
        for (int c = 0; c < 3; c++) {
            x[c] += d;
            residual(p, expansion, x, there);
            x[c] -= d;
            for (int r = 0; r < 3; r++) A[r][c] = (there[r] - here[r]) / d;
        }
        for (int r = 0; r < 3; r++) A[r][3] = -here[r];
        solve3(A, dx);
        for (int c = 0; c < 3; c++) x[c] += dx[c];
    }
}

static void three_fields(pendulum* p, int expansion)
{
    double x[3] = {p->v[0], p->v[1], p->nu}, qm[2], q1[2], f[2], P[2];
    solve_step(p, expansion, x);
    for (int i = 0; i < 2; i++) {
        qm[i] = p->q[i] + 0.5 * H * x[i];
        q1[i] = p->q[i] + H * x[i];
    }
    const double m = MASS / dot(qm, qm), nu = expansion == 1 ? x[2] : 0.5 * (p->nu + x[2]);
    const double E = constraint_force(qm, x, nu / m, p->lambda + 0.5 * H * nu / m);
    force(qm, x, f);
    // P of the end, and v there from it and q . v = 0
    for (int i = 0; i < 2; i++) P[i] = MASS * x[i] + 0.5 * H * (f[i] + qm[i] * E) - q1[i] * x[2];
    const double nu_1 = -dot(q1, P) / dot(q1, q1);
    for (int i = 0; i < 2; i++)
        p->v[i] = expansion == 1 ? (P[i] + q1[i] * nu_1) / MASS : 2.0 * x[i] - p->v[i];
    p->nu = expansion == 1 ? nu_1 : x[2];
    p->lambda += H * nu / m;
    memcpy(p->q, q1, sizeof q1);
}

static void constant_fields(pendulum* p)
{
    three_fields(p, 1);
}

static void linear_fields(pendulum* p)
{
    three_fields(p, 2);
}

TEST(the_weak_form_of_three_fields_is_the_published_one)
{
    check_beside("preset=LMD newton_tolerance=4e-15 iterations=100", released(), constant_fields,
                 STEPS);
    check_beside("preset=LMD fields=2 newton_tolerance=4e-15 iterations=100", released(),
                 linear_fields, STEPS);
    // with one mass for both coordinates the two directions (17) are one
    check_beside("preset=LMD plain_direction=1 newton_tolerance=4e-15 iterations=100", released(),
                 constant_fields, STEPS);
}

/* Its multipliers and their rates, in the unit of the row. */
TEST(the_multipliers_follow_their_equations_of_motion)
{
    problem_run run;
    pendulum p = released();
    problem_parse(&run, MODEL);
    problem_create(&run, "preset=LMD newton_tolerance=4e-15 iterations=100");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    double unit = 0.0;
    for (int k = 0; k < STEPS; k++) {
        const double *lambda, *mu;
        CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        constant_fields(&p);
        CHECK(sar_simulation_multipliers(run.simulation, &lambda, &mu) == 1);
        if (k == STEPS / 2) unit = lambda[0] / p.lambda;
        if (unit != 0.0) CHECK_NEAR(lambda[0], unit * p.lambda, 1e-9 * fabs(unit * p.lambda));
    }
    problem_free(&run);
}
