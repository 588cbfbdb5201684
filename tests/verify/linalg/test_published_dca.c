/* The index-3 divide and conquer of [malczyk2018, (22)-(39), (40)-(60)] for two bodies, programmed once more
 * with its blocks of 7 x 7, beside preset i3DCA. Repairs of misprints are those of docs/theory.md; the mass
 * matrix of a body has inertia against stretching besides that of (7), as coordinates `cartesian` do: the sum
 * over k of s_k B_k' B_k, with s_k its second moments and B_k the derivative of column k of A(e). */
#include "problem_run.h"

enum { BODIES = 2, N = 7, ITERATIONS = 3, LIFE = 2, STEPS = 25 };

static const double H = 0.01, ALPHA = 1e6, MASS = 1.0, G = 9.81;
static const double INERTIA[3] = {0.3, 0.5, 0.4};
static const double LEFT[3] = {-0.5, 0.1, 0.0}, RIGHT[3] = {0.5, 0.0, -0.1}; ///< joints, body axes

static const char MODEL[] = "sarrus: 1\n"
                            "name: two-bodies\n"
                            "dimension: 3\n"
                            "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  a:\n"
                            "    {mass: 1, inertia: [0.3, 0.5, 0.4], position: [0.5, -0.1, 0], "
                            "rotation: {quaternion: [1, 0, 0, 0]},\n"
                            "     points: {left: [-0.5, 0.1, 0], right: [0.5, 0, -0.1]}}\n"
                            "  b:\n"
                            "    {mass: 1, inertia: [0.3, 0.5, 0.4], position: [1.5, -0.2, -0.1], "
                            "rotation: {quaternion: [1, 0, 0, 0]},\n"
                            "     points: {left: [-0.5, 0.1, 0], right: [0.5, 0, -0.1]}}\n"
                            "joints:\n"
                            "  base: {type: spherical, between: [ground.origin, a.left]}\n"
                            "  link: {type: spherical, between: [a.right, b.left]}\n"
                            "outputs: {ax: a.right.x, ay: a.right.y, az: a.right.z, bx: b.right.x, "
                            "by: b.right.y, bz: b.right.z,\n"
                            "          vx: b.right.vx, vy: b.right.vy, vz: b.right.vz}\n"
                            "method: {end: 0.25, step: 0.01, drawing: 0}\n";

/* ---- dense algebra -------------------------------------------------------------------------- */

/* X = A^-1 B, Gauss with pivoting; B has m columns */
static void divide(int n, int m, const double* A0, const double* B, double* X)
{
    double A[24 * 24];
    memcpy(A, A0, sizeof(double) * (size_t)(n * n));
    memmove(X, B, sizeof(double) * (size_t)(n * m));
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c; r < n; r++)
            if (fabs(A[r * n + c]) > fabs(A[best * n + c])) best = r;
        for (int k = 0; k < n; k++) {
            double t = A[c * n + k];
            A[c * n + k] = A[best * n + k], A[best * n + k] = t;
        }
        for (int k = 0; k < m; k++) {
            double t = X[c * m + k];
            X[c * m + k] = X[best * m + k], X[best * m + k] = t;
        }
        for (int r = 0; r < n; r++) {
            const double part = r == c ? 0.0 : A[r * n + c] / A[c * n + c];
            for (int k = c; k < n && r != c; k++) A[r * n + k] -= part * A[c * n + k];
            for (int k = 0; k < m && r != c; k++) X[r * m + k] -= part * X[c * m + k];
        }
    }
    for (int r = 0; r < n; r++)
        for (int k = 0; k < m; k++) X[r * m + k] /= A[r * n + r];
}

/* C += f A B, sizes n x k and k x m; ta, tb: transposed */
static void product(int n, int k, int m, double f, const double* A, int ta, const double* B, int tb,
                    double* C)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int l = 0; l < k; l++)
                C[i * m + j] +=
                    f * (ta ? A[l * n + i] : A[i * k + l]) * (tb ? B[j * k + l] : B[l * m + j]);
}

/* ---- a body --------------------------------------------------------------------------------- */

/* Columns of A(e), a_k = 1/2 B_k(e) e: B_k. */
static void column_slopes(const double* e, double B[3][3][4])
{
    const double w = 2 * e[0], x = 2 * e[1], y = 2 * e[2], z = 2 * e[3];
    const double rows[3][3][4] = {{{w, x, -y, -z}, {z, y, x, w}, {-y, z, -w, x}},
                                  {{-z, y, x, -w}, {w, -x, y, -z}, {x, w, z, y}},
                                  {{y, z, w, x}, {-x, -w, z, y}, {w, -x, -y, z}}};
    memcpy(B, rows, sizeof rows);
}

/* d(r + A s)/dq, 3 x 7; with the rates of e it is its own rate */
static void point_slope(const double* e, const double* s, int rate, double* J)
{
    double B[3][3][4];
    column_slopes(e, B);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) J[7 * i + j] = !rate && i == j;
        for (int j = 0; j < 4; j++)
            J[7 * i + 3 + j] = s[0] * B[0][i][j] + s[1] * B[1][i][j] + s[2] * B[2][i][j];
    }
}

static void place_point(const double* q, const double* s, double* x)
{
    double J[21];
    point_slope(q + 3, s, 0, J);
    for (int i = 0; i < 3; i++) {
        x[i] = q[i];
        for (int j = 0; j < 4; j++) x[i] += 0.5 * J[7 * i + 3 + j] * q[3 + j];
    }
}

static void body(const double* q, const double* v, double* M, double* Q)
{
    const double half = 0.5 * (INERTIA[0] + INERTIA[1] + INERTIA[2]);
    double B[3][3][4], dB[3][3][4];
    column_slopes(q + 3, B);
    column_slopes(v + 3, dB);
    memset(M, 0, 49 * sizeof *M);
    memset(Q, 0, 7 * sizeof *Q);
    for (int i = 0; i < 3; i++) M[8 * i] = MASS;
    Q[2] = -MASS * G;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            const double s = half - INERTIA[k];
            double turn = 0.0;
            for (int b = 0; b < 4; b++) turn += dB[k][i][b] * v[3 + b];
            for (int a = 0; a < 4; a++) {
                Q[3 + a] -= s * B[k][i][a] * turn;
                for (int b = 0; b < 4; b++) M[7 * (3 + a) + 3 + b] += s * B[k][i][a] * B[k][i][b];
            }
        }
}

/* ---- the system ----------------------------------------------------------------------------- */

typedef struct two {
    double q[BODIES][N], v[BODIES][N], a[BODIES][N];
    double lambda[2][3], mu[BODIES];
} two;

/// Everything at a state; joint 1 holds A, joint 2 A and B.
typedef struct equations {
    double M[BODIES][49], Q[BODIES][N];
    double Psi[BODIES], Psi_q[BODIES][N];
    double Phi[2][3], Phi_1[21], Phi_A[21], Phi_B[21];
    double gamma[2][3], nu[BODIES];
} equations;

static void evaluate(const two* s, equations* e)
{
    double x[3], y[3], J[21];
    memset(e, 0, sizeof *e);
    for (int b = 0; b < BODIES; b++) {
        body(s->q[b], s->v[b], e->M[b], e->Q[b]);
        e->Psi[b] = -1.0;
        for (int i = 3; i < 7; i++) {
            e->Psi[b] += s->q[b][i] * s->q[b][i];
            e->Psi_q[b][i] = 2.0 * s->q[b][i];
            e->nu[b] -= 2.0 * s->v[b][i] * s->v[b][i];
        }
    }
    place_point(s->q[0], LEFT, e->Phi[0]);
    place_point(s->q[0], RIGHT, x);
    place_point(s->q[1], LEFT, y);
    for (int i = 0; i < 3; i++) e->Phi[1][i] = x[i] - y[i];
    point_slope(s->q[0] + 3, LEFT, 0, e->Phi_1);
    point_slope(s->q[0] + 3, RIGHT, 0, e->Phi_A);
    point_slope(s->q[1] + 3, LEFT, 0, e->Phi_B);
    for (int k = 0; k < 21; k++) e->Phi_B[k] = -e->Phi_B[k];
    point_slope(s->v[0] + 3, LEFT, 1, J);
    product(3, 7, 1, -1.0, J, 0, s->v[0], 0, e->gamma[0]);
    point_slope(s->v[0] + 3, RIGHT, 1, J);
    product(3, 7, 1, -1.0, J, 0, s->v[0], 0, e->gamma[1]);
    point_slope(s->v[1] + 3, LEFT, 1, J);
    product(3, 7, 1, 1.0, J, 0, s->v[1], 0, e->gamma[1]);
}

/* (26): M with the penalty of (21), by which delta = -h^2/4 M^-1 */
static void compliance(const equations* e, int b, double* inverse)
{
    double M[49], one[49] = {0};
    memcpy(M, e->M[b], sizeof M);
    for (int i = 0; i < 7; i++) one[8 * i] = 1.0;
    product(7, 1, 7, 0.25 * H * H * ALPHA, e->Psi_q[b], 1, e->Psi_q[b], 0, M);
    divide(7, 7, M, one, inverse);
}

/* Assembly (35)-(39) and disassembly, for bodies that would change by third[b] if they were free, and joints
 * that lack gap[j]: x and the multipliers of joints. */
static void conquer(const equations* e, double third[BODIES][N], double gap[2][3],
                    double x[BODIES][N], double multiplier[2][3])
{
    double A[49], B[49], dA[49] = {0}, d11[49] = {0}, C[9] = {0}, one[9] = {0}, CA[21] = {0};
    double beta[3], base[9] = {0}, right[3], lambda[3], d13[7], load[7] = {0}, other[7] = {0};
    compliance(e, 0, A);
    compliance(e, 1, B);
    for (int k = 0; k < 49; k++) dA[k] = -0.25 * H * H * A[k], B[k] *= -0.25 * H * H;
    for (int i = 0; i < 3; i++) C[4 * i] = 1.0 / ALPHA, base[4 * i] = 1.0 / ALPHA, one[4 * i] = 1.0;
    double t[21] = {0}, u[21] = {0};
    product(3, 7, 7, 1.0, e->Phi_A, 0, dA, 0, t);
    product(3, 7, 7, 1.0, e->Phi_B, 0, B, 0, u);
    product(3, 7, 3, -1.0, t, 0, e->Phi_A, 1, C);
    product(3, 7, 3, -1.0, u, 0, e->Phi_B, 1, C);
    divide(3, 3, C, one, C);
    memcpy(beta, gap[1], sizeof beta);
    product(3, 7, 1, 1.0, e->Phi_A, 0, third[0], 0, beta);
    product(3, 7, 1, 1.0, e->Phi_B, 0, third[1], 0, beta);
    product(3, 3, 7, 1.0, C, 0, t, 0, CA); // C Phi_A delta_21
    memcpy(d11, dA, sizeof d11);
    product(7, 3, 7, 1.0, t, 1, CA, 0, d11); // (36)
    double Cb[3] = {0};
    product(3, 3, 1, 1.0, C, 0, beta, 0, Cb);
    memcpy(d13, third[0], sizeof d13);
    product(7, 3, 1, 1.0, t, 1, Cb, 0, d13); // (39)
    double w[21] = {0};
    product(3, 7, 7, 1.0, e->Phi_1, 0, d11, 0, w);
    product(3, 7, 3, -1.0, w, 0, e->Phi_1, 1, base);
    memcpy(right, gap[0], sizeof right);
    product(3, 7, 1, 1.0, e->Phi_1, 0, d13, 0, right);
    divide(3, 1, base, right, lambda);
    memcpy(multiplier[0], lambda, sizeof lambda);
    product(7, 3, 1, 1.0, e->Phi_1, 1, lambda, 0, load);
    memcpy(multiplier[1], Cb, sizeof Cb);
    product(3, 7, 1, 1.0, CA, 0, load, 0, multiplier[1]); // (35)
    product(7, 3, 1, 1.0, e->Phi_A, 1, multiplier[1], 0, load);
    product(7, 3, 1, 1.0, e->Phi_B, 1, multiplier[1], 0, other);
    for (int b = 0; b < BODIES; b++) memcpy(x[b], third[b], sizeof x[b]);
    product(7, 7, 1, 1.0, dA, 0, load, 0, x[0]);
    product(7, 7, 1, 1.0, B, 0, other, 0, x[1]);
}

/* (22)-(27): a correction with the matrices of `kept`, for the residual of `now` */
static void correct(two* s, const equations* kept, const equations* now)
{
    double third[BODIES][N], x[BODIES][N], change[2][3], gap[2][3];
    for (int b = 0; b < BODIES; b++) {
        double g[7] = {0}, inverse[49];
        for (int i = 0; i < 7; i++)
            g[i] = -now->Q[b][i] + now->Psi_q[b][i] * s->mu[b] +
                   kept->Psi_q[b][i] * ALPHA * now->Psi[b];
        product(7, 7, 1, 1.0, now->M[b], 0, s->a[b], 0, g);
        if (b == 0) product(7, 3, 1, 1.0, now->Phi_1, 1, s->lambda[0], 0, g);
        product(7, 3, 1, 1.0, b ? now->Phi_B : now->Phi_A, 1, s->lambda[1], 0, g);
        compliance(kept, b, inverse);
        memset(third[b], 0, sizeof third[b]);
        product(7, 7, 1, -0.25 * H * H, inverse, 0, g, 0, third[b]);
    }
    memcpy(gap, now->Phi, sizeof gap);
    conquer(kept, third, gap, x, change);
    for (int b = 0; b < BODIES; b++) {
        s->mu[b] += ALPHA * now->Psi[b]; // (21)
        for (int i = 0; i < 7; i++) {
            s->mu[b] += ALPHA * kept->Psi_q[b][i] * x[b][i];
            s->q[b][i] += x[b][i];
        }
    }
    for (int k = 0; k < 6; k++) s->lambda[k / 3][k % 3] += change[k / 3][k % 3];
}

/* (40)-(45), and with the terms of accelerations (55)-(60) */
static void project(double x[BODIES][N], const equations* kept, const equations* terms)
{
    double third[BODIES][N], result[BODIES][N], gap[2][3] = {{0}}, multiplier[2][3];
    for (int b = 0; b < BODIES; b++) {
        double f[7] = {0}, inverse[49];
        product(7, 7, 1, 1.0, kept->M[b], 0, x[b], 0, f);
        for (int i = 0; i < 7 && terms; i++)
            f[i] += 0.25 * H * H * kept->Psi_q[b][i] * ALPHA * terms->nu[b];
        compliance(kept, b, inverse);
        memset(third[b], 0, sizeof third[b]);
        product(7, 7, 1, 1.0, inverse, 0, f, 0, third[b]);
    }
    for (int k = 0; k < 6 && terms; k++) gap[k / 3][k % 3] = -terms->gamma[k / 3][k % 3];
    conquer(kept, third, gap, result, multiplier);
    memcpy(x, result, sizeof result);
}

/* (9) at the start */
static void start(two* s)
{
    enum { ALL = 22 };
    double A[ALL * ALL] = {0}, b[ALL] = {0};
    equations e;
    evaluate(s, &e);
    for (int k = 0; k < BODIES; k++)
        for (int i = 0; i < 7; i++) {
            b[7 * k + i] = e.Q[k][i];
            for (int j = 0; j < 7; j++) A[(7 * k + i) * ALL + 7 * k + j] = e.M[k][7 * i + j];
            A[(7 * k + i) * ALL + 20 + k] = A[(20 + k) * ALL + 7 * k + i] = e.Psi_q[k][i];
            for (int r = 0; r < 3; r++) {
                const double base = k ? 0.0 : e.Phi_1[7 * r + i];
                const double link = k ? e.Phi_B[7 * r + i] : e.Phi_A[7 * r + i];
                A[(7 * k + i) * ALL + 14 + r] = A[(14 + r) * ALL + 7 * k + i] = base;
                A[(7 * k + i) * ALL + 17 + r] = A[(17 + r) * ALL + 7 * k + i] = link;
            }
        }
    for (int r = 0; r < 6; r++) b[14 + r] = e.gamma[r / 3][r % 3];
    for (int k = 0; k < BODIES; k++) b[20 + k] = e.nu[k];
    divide(ALL, 1, A, b, b);
    for (int k = 0; k < BODIES; k++) {
        memcpy(s->a[k], b + 7 * k, sizeof s->a[k]);
        s->mu[k] = b[20 + k];
    }
    memcpy(s->lambda, b + 14, sizeof s->lambda);
}

static void step(two* s)
{
    const two from = *s;
    equations kept, now;
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < 7; i++) {
            s->q[b][i] += H * s->v[b][i] + 0.5 * H * H * s->a[b][i];
            s->v[b][i] += H * s->a[b][i];
        }
    for (int k = 0; k < ITERATIONS; k++) {
        evaluate(s, &now);
        if (k % LIFE == 0) kept = now;
        correct(s, &kept, &now);
        for (int b = 0; b < BODIES; b++)
            for (int i = 0; i < 7; i++) { // (15), (16)
                const double d = s->q[b][i] - from.q[b][i];
                s->v[b][i] = 2.0 / H * d - from.v[b][i];
                s->a[b][i] = 4.0 / (H * H) * (d - H * from.v[b][i]) - from.a[b][i];
            }
    }
    evaluate(s, &now);
    project(s->v, &kept, NULL);
    project(s->a, &kept, &now); // with the velocities from before
}

TEST(two_bodies_move_as_published)
{
    problem_run run;
    two s = {.q = {{0.5, -0.1, 0, 1, 0, 0, 0}, {1.5, -0.2, -0.1, 1, 0, 0, 0}}};
    problem_parse(&run, MODEL);
    problem_create(&run, "preset=i3DCA alpha=1e6");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    problem_steps(&run, 1);
    if (run.status != SAR_OK) fail_msg("%s", sar_simulation_failure(run.simulation));
    const char* const names[9] = {"ax", "ay", "az", "bx", "by", "bz", "vx", "vy", "vz"};
    start(&s);
    for (int row = 1; row <= STEPS; row++) {
        double wanted[9], J[21];
        step(&s);
        place_point(s.q[0], RIGHT, wanted);
        place_point(s.q[1], RIGHT, wanted + 3);
        point_slope(s.q[1] + 3, RIGHT, 0, J);
        memset(wanted + 6, 0, 3 * sizeof *wanted);
        product(3, 7, 1, 1.0, J, 0, s.v[1], 0, wanted + 6);
        for (int k = 0; k < 9; k++) {
            const double got = problem_column(&run, names[k])[row];
            if (!(fabs(got - wanted[k]) <= 1e-10))
                fail_msg("%s after %d steps is %.15g, not %.15g", names[k], row, got, wanted[k]);
        }
    }
    problem_free(&run);
}
