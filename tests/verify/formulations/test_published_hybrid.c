/* The hybrid formulation programmed once more, for a plane four-bar with a spring, cut at its last hinge, beside the
 * library: [cuadradodopico, (1)-(29)]. M and Q come by (3)-(19), with the accelerations of the points that
 * coincide with the origin, for which (5) holds. K has the spring and the weight. (2) takes Phi + Phi_z dz, what a correction leaves to
 * first order. */
#include "problem_run.h"

enum { N = 3, M = 2, STEPS = 40 };

static const double H = 0.01, G = 9.81, ALPHA = 1e7, STIFFNESS = 6.0, DAMPING = 0.4;
static const double LENGTH[N] = {0.5, 1.0, 0.8}, WEIGHT[N] = {1.0, 2.0, 1.5}, END[2] = {1.1, 0.0};

static const char MODEL[] =
    "sarrus: 1\n"
    "name: four-bar\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "ground: {points: {G: [1.1, 0]}}\n"
    "bodies:\n"
    "  crank: {mass: 1, center: [0.25, 0], inertia: 1*0.5^2/12, points: {a: [0, 0], b: [0.5, 0]},\n"
    "          position: [0, 0], angle: 1}\n"
    "  coupler: {mass: 2, center: [0.5, 0], inertia: 2*1^2/12, points: {a: [0, 0], b: [1, 0]},\n"
    "            position: [0.27, 0.42], angle: 0.2}\n"
    "  rocker: {mass: 1.5, center: [0.4, 0], inertia: 1.5*0.8^2/12, points: {a: [0, 0], b: [0.8, "
    "0]},\n"
    "           position: [1.2, 0.7], angle: -1.7}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground.origin, crank.a]}\n"
    "  B: {type: revolute, between: [crank.b, coupler.a]}\n"
    "  C: {type: revolute, between: [coupler.b, rocker.a]}\n"
    "  D: {type: revolute, between: [ground.G, rocker.b], cut: yes}\n"
    "forces:\n"
    "  spring: {type: rotational-spring, joint: A, stiffness: 6, damping: 0.4}\n"
    "outputs: {z1: A.angle, z2: B.angle, z3: C.angle, v1: A.rate, v2: B.rate, v3: C.rate}\n"
    "start: {A.angle: 1, A.rate: 2}\n"
    "method: {end: 0.4, step: 0.01, drawing: 0}\n";

typedef struct chain {
    double z[N], v[N], a[N], lambda[M];
    double mass[N][N], K[N][N], Q[N], phi[M], J[M][N], bias[M];
} chain;

/* A x = b by elimination; used up */
static void solve(int n, double A[5][6], double* x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
        for (int j = 0; j <= n; j++) {
            const double s = A[k][j];
            A[k][j] = A[p][j], A[p][j] = s;
        }
        for (int i = 0; i < n; i++) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; i != k && j <= n; j++) A[i][j] -= f * A[k][j];
        }
    }
    for (int i = 0; i < n; i++) x[i] = A[i][n] / A[i][i];
}

/* (4), (5) of a body: at g, with its angular velocity */
static void body(int k, const double g[2], double omega, double mass[3][3], double Q[3])
{
    const double m = WEIGHT[k], J = m * LENGTH[k] * LENGTH[k] / 12.0;
    const double f[2] = {m * omega * omega * g[0], -m * G + m * omega * omega * g[1]};
    const double all[3][3] = {{m, 0, -m * g[1]},
                              {0, m, m * g[0]},
                              {-m * g[1], m * g[0], J + m * (g[0] * g[0] + g[1] * g[1])}};
    memcpy(mass, all, sizeof all);
    Q[0] = f[0], Q[1] = f[1], Q[2] = g[0] * f[1] - g[1] * f[0];
}

/* M and Q by (6)-(19), Phi, Phi_z and dPhi_z/dt v */
static void evaluate(chain* c)
{
    double p[2] = {0, 0}, angle = 0.0, omega = 0.0, R[N][3], Rdot[N][3], at[N][2];
    double masses[N][3][3], forces[N][3], sum[3] = {0}, lift[N][N];
    for (int k = 0; k < N; k++) { // from the root: Z = sum of R_i dz_i/dt over the bodies before
        const double before = omega;
        angle += c->z[k], omega += c->v[k];
        const double e[2] = {cos(angle), sin(angle)}, half = 0.5 * LENGTH[k];
        const double g[2] = {p[0] + half * e[0], p[1] + half * e[1]};
        R[k][0] = p[1], R[k][1] = -p[0], R[k][2] = 1.0;
        const double squares = omega * omega - before * before;
        Rdot[k][0] = squares * p[0], Rdot[k][1] = squares * p[1], Rdot[k][2] = 0.0;
        body(k, g, omega, masses[k], forces[k]);
        for (int i = 0; i < k; i++) lift[i][k] = WEIGHT[k] * G * (g[1] - at[i][1]);
        lift[k][k] = WEIGHT[k] * G * (g[1] - p[1]);
        for (int i = 0; i < 3; i++) sum[i] += Rdot[k][i];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) forces[k][i] -= masses[k][i][j] * sum[j];
        for (int i = 0; i < 2; i++) at[k][i] = p[i], p[i] += LENGTH[k] * e[i];
    }
    for (int k = N - 1; k > 0; k--) // (17), (19): a chain
        for (int i = 0; i < 3; i++) {
            forces[k - 1][i] += forces[k][i];
            for (int j = 0; j < 3; j++) masses[k - 1][i][j] += masses[k][i][j];
        }
    for (int r = 0; r < N; r++) {
        c->Q[r] = r ? 0.0 : -STIFFNESS * c->z[0] - DAMPING * c->v[0];
        for (int i = 0; i < 3; i++) c->Q[r] += R[r][i] * forces[r][i]; // (15)
        for (int s = 0; s < N; s++) {
            const int last = r > s ? r : s;
            c->mass[r][s] = 0.0;
            c->K[r][s] = r + s ? 0.0 : STIFFNESS;
            for (int k = last; k < N; k++) c->K[r][s] -= lift[last][k];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    c->mass[r][s] += R[r][i] * masses[last][i][j] * R[s][j]; // (14)
        }
    }
    for (int i = 0; i < M; i++) c->phi[i] = p[i] - END[i], c->bias[i] = 0.0;
    omega = angle = 0.0;
    for (int k = 0; k < N; k++) { // (20)
        angle += c->z[k], omega += c->v[k];
        c->J[0][k] = -(p[1] - at[k][1]);
        c->J[1][k] = p[0] - at[k][0];
        c->bias[0] -= omega * omega * LENGTH[k] * cos(angle);
        c->bias[1] -= omega * omega * LENGTH[k] * sin(angle);
    }
}

/* Accelerations and multipliers of the start: (1) without a penalty, and Phi'' = 0 */
static void start(chain* c)
{
    double A[5][6] = {{0}}, x[5];
    evaluate(c);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) A[i][j] = c->mass[i][j];
        for (int r = 0; r < M; r++) A[i][N + r] = A[N + r][i] = c->J[r][i];
        A[i][5] = c->Q[i];
    }
    for (int r = 0; r < M; r++) A[N + r][5] = -c->bias[r];
    solve(5, A, x);
    memcpy(c->a, x, sizeof c->a);
    memcpy(c->lambda, x + N, sizeof c->lambda);
}

/* x of f_z x = right, (26); P is f_z without the penalty */
static void divide(const double P[N][N], const double J[M][N], const double* right, double* x)
{
    double A[5][6] = {{0}};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            A[i][j] = P[i][j] + 0.25 * H * H * ALPHA * (J[0][i] * J[0][j] + J[1][i] * J[1][j]);
        A[i][N] = right[i];
    }
    solve(N, A, x);
}

/* (28), (29): x less what violates J x = e */
static void project(const double P[N][N], const double J[M][N], const double e[M], double* x)
{
    double right[N] = {0};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) right[i] += P[i][j] * x[j];
        for (int r = 0; r < M; r++) right[i] += 0.25 * H * H * ALPHA * J[r][i] * e[r];
    }
    divide(P, J, right, x);
}

static void step(chain* c)
{
    const chain from = *c;
    double P[N][N], J[M][N], none[M] = {0};
    for (int i = 0; i < N; i++) {
        c->z[i] += H * c->v[i] + 0.5 * H * H * c->a[i];
        c->v[i] += H * c->a[i];
    }
    for (int k = 0; k < 3; k++) {
        double f[N], dz[N];
        evaluate(c);
        memcpy(P, c->mass, sizeof P);
        memcpy(J, c->J, sizeof J);
        P[0][0] += 0.5 * H * DAMPING;
        for (int i = 0; i < N * N; i++) P[i / N][i % N] += 0.25 * H * H * c->K[i / N][i % N];
        for (int i = 0; i < N; i++) { // (27)
            f[i] = c->Q[i];
            for (int j = 0; j < N; j++) f[i] -= c->mass[i][j] * c->a[j];
            for (int r = 0; r < M; r++) f[i] -= J[r][i] * (ALPHA * c->phi[r] + c->lambda[r]);
            f[i] *= 0.25 * H * H;
        }
        divide((const double(*)[N])P, (const double(*)[N])J, f, dz); // (25)
        for (int r = 0; r < M; r++)
            for (int i = 0; i <= N; i++)
                c->lambda[r] += ALPHA * (i < N ? J[r][i] * dz[i] : c->phi[r]);
        for (int i = 0; i < N; i++) { // (21)-(24)
            const double d = (c->z[i] += dz[i]) - from.z[i];
            c->v[i] = 2.0 / H * d - from.v[i];
            c->a[i] = 4.0 / (H * H) * (d - H * from.v[i]) - from.a[i];
        }
    }
    project((const double(*)[N])P, (const double(*)[N])J, none, c->v);
    evaluate(c);
    for (int r = 0; r < M; r++) none[r] = -c->bias[r];
    project((const double(*)[N])P, (const double(*)[N])J, none, c->a);
}

TEST(a_loop_in_relative_coordinates_moves_as_published)
{
    problem_run run;
    const char* const names[2 * N] = {"z1", "z2", "z3", "v1", "v2", "v3"};
    const double* columns[2 * N];
    chain c = {0};
    problem_parse(&run, MODEL);
    problem_create(&run, "preset=hybrid alpha=1e7 rescue=0 tangent_life=1 geometric=0 "
                         "iterations=fixed:3");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    problem_steps(&run, 1);
    if (run.status != SAR_OK) fail_msg("%s", sar_simulation_failure(run.simulation));
    for (int k = 0; k < 2 * N; k++) columns[k] = problem_column(&run, names[k]);
    for (int k = 0; k < N; k++) c.z[k] = columns[k][0], c.v[k] = columns[N + k][0];
    start(&c);
    for (int row = 1; row <= STEPS; row++) {
        step(&c);
        for (int k = 0; k < 2 * N; k++) {
            const double wanted = k < N ? c.z[k] : c.v[k - N];
            if (!(fabs(columns[k][row] - wanted) <= 1e-10))
                fail_msg("%s after %d steps is %.15g, not %.15g", names[k], row, columns[k][row],
                         wanted);
        }
    }
    CHECK(fabs(columns[0][STEPS] - columns[0][0]) > 0.3); // it moved
    problem_free(&run);
}
