/* The contract of the neck for every coordinate type: constraints and inertia against differences,
 * at random configurations of every model in the tree and of joints between bodies drawn at random.
 * Positions need not satisfy the constraints: the formulas hold everywhere. */
#include "coordinates/tree.h"
#include "neck_fixture.h"

enum { PLACES = 3 };
static const double TOLERANCE = 2e-8;

/* ---- constraints ---------------------------------------------------------------------------- */

static void phi(place* p, double t, const double* q, const double* v, double* out)
{
    (void)v;
    sari_equations_eval(&p->sys->equations, SARI_EVAL_PHI, t, q, NULL);
    memcpy(out, p->sys->Phi, (size_t)p->m * sizeof *out);
}

static void phi_dot(place* p, double t, const double* q, const double* v, double* out)
{
    sari_equations_eval(&p->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, t, q, v);
    sari_equations_phi_dot(&p->sys->equations, v, out);
}

/* Phi_q' lambda */
static void reaction(place* p, double t, const double* q, const double* v, double* out)
{
    (void)v;
    sari_equations_eval(&p->sys->equations, SARI_EVAL_JACOBIAN, t, q, NULL);
    memset(out, 0, (size_t)p->n * sizeof *out);
    sari_csr_multiply_add_transposed(&p->sys->Phi_q, 1.0, p->lambda, out);
}

/* Rows on velocities: A v + b by v, by q, and at rest. */
static void check_velocity_rows(place* p)
{
    int n = p->n, m = p->m, first = m - p->sys->velocity_rows;
    if (first == m) return;
    double *by_v = vector(m * n), *by_q = vector(m * n), *rest = vector(m), *zero = vector(n);
    jacobian_of(phi_dot, p, 1, m, by_v);
    jacobian_of(phi_dot, p, 0, m, by_q);
    phi_dot(p, p->t, p->q, zero, rest);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_DYNAMICS | SARI_EVAL_VELOCITY_SLOPE, p->t,
                        p->q, p->v);
    double *A = dense_csr(&p->sys->Phi_q), *slope = dense_csr(&p->sys->velocity_slope);
    int rows = m - first, at = n * first;
    check_same(p, "A", rows, n, A + at, by_v + at, TOLERANCE, 1.0);
    check_same(p, "b", rows, 1, p->sys->Phi_t + first, rest + first, TOLERANCE, 1.0);
    check_same(p, "d(A v + b)/dq", rows, n, slope + at, by_q + at, TOLERANCE, 1.0);
    for (int r = first; r < m; r++) CHECK(p->sys->Phi[r] == 0.0);
    free(A), free(slope), free(by_v), free(by_q), free(rest), free(zero);
}

static void check_constraints(place* p)
{
    int n = p->n, m = p->m - p->sys->velocity_rows;
    double *by_q = vector(p->m * n), *by_t = vector(p->m), *rate = vector(p->m);
    double *bias = vector(p->m), *alone = vector(p->m), *rate_slope = vector(p->m);
    phi(p, p->t, p->q, p->v, alone);
    jacobian_of(phi, p, 0, p->m, by_q);
    slope_of(phi, p, 1.0, NULL, NULL, p->m, by_t);
    slope_of(phi, p, 1.0, p->v, NULL, p->m, rate);
    slope_of(phi_dot, p, 1.0, p->v, NULL, p->m, rate_slope); // d/dt with a = 0
    sari_equations_eval(&p->sys->equations, SARI_EVAL_DYNAMICS, p->t, p->q, p->v);
    check_same(p, "Phi with and without its Jacobian", m, 1, p->sys->Phi, alone, 1e-14, 1.0);
    double* J = dense_csr(&p->sys->Phi_q);
    check_same(p, "Phi_q", m, n, J, by_q, TOLERANCE, 1.0);
    check_same(p, "Phi_t", m, 1, p->sys->Phi_t, by_t, TOLERANCE, 1.0);
    check_same(p, "bias", p->m, 1, p->sys->bias, rate_slope, TOLERANCE, 1.0);
    sari_equations_phi_dot(&p->sys->equations, p->v, bias);
    check_same(p, "phi_dot", m, 1, bias, rate, TOLERANCE, 1.0);
    free(J), free(by_q), free(by_t), free(rate), free(bias), free(alone), free(rate_slope);
}

/* Phi_q, dense */
static void jacobian(place* p, double t, const double* q, const double* v, double* out)
{
    (void)v;
    sari_equations_eval(&p->sys->equations, SARI_EVAL_JACOBIAN, t, q, NULL);
    double* J = dense_csr(&p->sys->Phi_q);
    memcpy(out, J, (size_t)(p->m * p->n) * sizeof *out);
    free(J);
}

static void check_jacobian_rate(place* p)
{
    int n = p->n, m = p->m;
    double* wanted = vector(m * n);
    slope_of(jacobian, p, 1.0, p->v, NULL, m * n, wanted);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_JACOBIAN_RATE, p->t, p->q, p->v);
    double* got = dense_csr(&p->sys->Phi_q_rate);
    check_same(p, "dPhi_q/dt", m, n, got, wanted, TOLERANCE, 1.0);
    free(wanted), free(got);
}

static void check_geometric_stiffness(place* p)
{
    int n = p->n;
    for (int r = p->m - p->sys->velocity_rows; r < p->m; r++) p->lambda[r] = 0.0;
    double *wanted = vector(n * n), *got = vector(n * n), *added = vector(n * n);
    jacobian_of(reaction, p, 0, n, wanted);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_JACOBIAN, p->t, p->q, p->v);
    sari_system_geometric_stiffness(p->sys, p->lambda, got);
    check_same(p, "geometric stiffness", n, n, got, wanted, TOLERANCE, 1.0);
    for (int i = 0; i < n * n; i++) added[i] = 7.0;
    sari_system_geometric_stiffness(p->sys, p->lambda, added); // it adds
    for (int i = 0; i < n * n; i++) added[i] -= 7.0;
    check_same(p, "geometric stiffness, added", n, n, added, got, 1e-12, 7.0);
    free(wanted), free(got), free(added);
}

/* ---- inertia -------------------------------------------------------------------------------- */

static void placement(place* p, double t, const double* q, const double* v, double* out)
{
    (void)t, (void)v;
    sari_kinematics_update(p->sys->kinematics, q, NULL, 1);
    memcpy(out, p->sys->kinematics->X,
           (size_t)(p->sys->mechanism->nx * p->sys->mechanism->bodies) * sizeof *out);
}

/* Kinetic energy of bodies whose placement changes at the rates Xd, from masses and inertias alone.
 * With the second moments P = tr(I)/2 - I about the centre: 1/2 m |r'|^2 + 1/2 sum_cd P_cd a'_c .
 * a'_d. */
static double energy_of_rates(const sar_model* model, const double* Xd)
{
    double twice = 0.0;
    for (int b = 1; b < model->bodies_count; b++) {
        const sar_body_def* def = &model->bodies[b].def;
        const double* I = def->inertia;
        if (model->dimension == 2) {
            const double* x = Xd + 4 * b;
            twice += def->mass * dot(x, x, 2) + I[2] * dot(x + 2, x + 2, 2);
            continue;
        }
        const double* x = Xd + 12 * b;
        double half = 0.5 * (I[0] + I[1] + I[2]);
        double P[3][3] = {
            {half - I[0], -I[3], -I[4]}, {-I[3], half - I[1], -I[5]}, {-I[4], -I[5], half - I[2]}};
        twice += def->mass * dot(x, x, 3);
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++) twice += P[c][d] * dot(x + 3 + 3 * c, x + 3 + 3 * d, 3);
    }
    return 0.5 * twice;
}

static void kinetic_energy(place* p, double t, const double* q, const double* v, double* out)
{
    sari_equations_eval(&p->sys->equations, SARI_EVAL_MASS, t, q, v);
    *out = sari_system_kinetic_energy(p->sys, v);
}

/* M v */
static void momentum(place* p, double t, const double* q, const double* v, double* out)
{
    sari_equations_eval(&p->sys->equations, SARI_EVAL_MASS, t, q, NULL);
    sari_sym_multiply(&p->sys->M, p->sys->M.x, v, out);
}

/* M + tiny has a Cholesky factor */
static int is_semidefinite(const double* M, int n)
{
    double *L = vector(n * n), shift = 0.0;
    int ok = 1;
    for (int i = 0; i < n; i++) shift = fmax(shift, 1e-11 * M[n * i + i]);
    for (int j = 0; j < n && ok; j++)
        for (int i = j; i < n && ok; i++) {
            double sum = M[n * i + j] + (i == j ? shift : 0.0) - dot(L + n * i, L + n * j, j);
            if (i == j) ok = sum >= 0.0;
            double root = i == j ? sqrt(sum) : L[n * j + j];
            L[n * i + j] = i == j ? root : root > 0.0 ? sum / root : 0.0;
        }
    free(L);
    return ok;
}

static void check_mass(place* p)
{
    const sari_mechanism* m = p->sys->mechanism;
    int x = m->nx * m->bodies;
    double *Xd = vector(x), got, from_rates;
    slope_of(placement, p, 0.0, p->v, NULL, x, Xd);
    from_rates = energy_of_rates(p->sys->model, Xd);
    kinetic_energy(p, p->t, p->q, p->v, &got);
    check_same(p, "kinetic energy", 1, 1, &got, &from_rates, 1e-9, 1e-3);
    sari_kinematics_update(p->sys->kinematics, p->q, p->v, 1);
    check_same(p, "rates of the placement", m->bodies - 1, m->nx, p->sys->kinematics->Xd + m->nx,
               Xd + m->nx, TOLERANCE, 1.0);

    double *M = dense_sym(&p->sys->M), *product = vector(p->n), half;
    sari_sym_multiply(&p->sys->M, p->sys->M.x, p->v, product);
    half = 0.5 * dot(p->v, product, p->n - p->sys->states); // states of forces have no energy
    check_same(p, "1/2 v'Mv", 1, 1, &half, &got, 1e-12, 1e-3);
    if (!is_semidefinite(M, p->n)) fail_msg("%s: M is not positive semidefinite", p->label);
    free(Xd), free(M), free(product);
}

static void check_mass_rate(place* p)
{
    double *wanted = vector(p->n), *got = vector(p->n);
    slope_of(momentum, p, 0.0, p->v, NULL, p->n, wanted);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_DYNAMICS, p->t, p->q, p->v);
    sari_equations_mass_rate(&p->sys->equations, got);
    check_same(p, "dM/dt v", p->n, 1, got, wanted, TOLERANCE, 1.0);
    free(wanted), free(got);
}

/* Where v holds angular velocities w in body axes, turning these adds -w x dT/dw (Euler). */
static void turn_axes(const place* p, const double* product, int at, double* wanted)
{
    const double *w = p->v + at, *spin = product + at;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        wanted[at + k] -= w[next] * spin[last] - w[last] * spin[next];
    }
}

static void add_turning_axes(const place* p, double* wanted)
{
    const sari_tree* tree = p->sys->coordinates.tree;
    double* product = vector(p->n);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_MASS, p->t, p->q, NULL);
    sari_sym_multiply(&p->sys->M, p->sys->M.x, p->v, product);
    for (int i = 0; tree && i < tree->nodes; i++)
        if (tree->node[i].motion == SARI_BALL) turn_axes(p, product, tree->node[i].q, wanted);
    for (int i = 3; !tree && i < p->n; i += 6) turn_axes(p, product, i, wanted);
    free(product);
}

/* Lagrange: without applied forces Q = dT/dq - dM/dt v. */
static void check_inertial_forces(const sar_model* model, const sari_coordinates_ops* ops)
{
    sar_model bare = without_forces(model);
    place p = place_create(&bare, ops);
    double *by_q = vector(p.n), *rate = vector(p.n), *wanted = vector(p.n);
    for (int k = 0; k < places_of(model, PLACES); k++) {
        place_anywhere(&p);
        jacobian_of(kinetic_energy, &p, 0, 1, by_q);
        slope_of(momentum, &p, 0.0, p.v, NULL, p.n, rate);
        for (int i = 0; i < p.n; i++) wanted[i] = by_q[i] - rate[i];
        if (p.sys->np > p.n) add_turning_axes(&p, wanted);
        sari_equations_eval(&p.sys->equations, SARI_EVAL_FORCE, p.t, p.q, p.v);
        check_same(&p, "inertial forces", p.n, 1, p.sys->Q, wanted, TOLERANCE, 1.0);
    }
    free(by_q), free(rate), free(wanted);
    place_clear(&p);
}

/* ---- over all types ------------------------------------------------------------------------- */

static void check_model(const sar_model* model)
{
    for (int k = 0; sari_coordinates_types[k]; k++) {
        place p = place_create(model, sari_coordinates_types[k]);
        for (int i = 0; i < places_of(model, PLACES); i++) {
            place_anywhere(&p);
            check_constraints(&p);
            check_velocity_rows(&p);
            check_jacobian_rate(&p);
            check_geometric_stiffness(&p);
            check_mass(&p);
            check_mass_rate(&p);
        }
        place_clear(&p);
        check_inertial_forces(model, sari_coordinates_types[k]);
    }
}

TEST(every_model_of_the_tree)
{
    char(*path)[MODEL_PATH];
    int n = list_models(&path);
    CHECK(n >= 40);
    for (int i = 0; i < n; i++) {
        sar_model* model = load_model(path[i], NULL);
        check_model(model);
        sar_model_destroy(model);
    }
    free(path);
}

/* ---- joints between bodies drawn at random -------------------------------------------------- */

/* Two bodies, joined to each other and one of them to the ground (first or second), every joint of
 * one type. */
TEST(joints_of_every_type)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int type = 0; type < SAR_JOINT_TYPES; type++)
            for (int order = 0; order < 2 && joint_exists(type, dimension); order++) {
                char name[80];
                snprintf(name, sizeof name, "joint type %d, dimension %d, order %d", type,
                         dimension, order);
                sar_model* model = sar_model_create(name, dimension);
                sar_body_id b1 = add_any_body(model, "one"), b2 = add_any_body(model, "two");
                sar_joint_def def = sar_joint_def_default();
                sar_error error = {0};
                def.type = (sar_joint_type)type, def.pitch = 0.7, def.distance = 1.1;
                def.radius = 0.6, def.curve = any_curve();
                def.name = "between";
                ends_of(model, &def, b1, b2);
                if (sar_model_add_joint(model, &def, NULL, &error) != SAR_OK)
                    fail_msg("%s: %s", name, error.message);
                def.name = "fixed_side";
                ends_of(model, &def, order ? SAR_GROUND : b2, order ? b2 : SAR_GROUND);
                CHECK_STATUS(sar_model_add_joint(model, &def, NULL, &error), SAR_OK);
                check_model(model);
                sar_model_destroy(model);
            }
}

/* Drives and couplings of every coordinate, on joints between moving bodies. */
TEST(relations_of_every_kind)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        sar_model* model =
            sar_model_create(dimension == 2 ? "relations, planar" : "relations", dimension);
        sar_body_id b1 = add_any_body(model, "one"), b2 = add_any_body(model, "two");
        sar_body_id b3 = add_any_body(model, "three");
        sar_joint_def def = sar_joint_def_default();
        sar_joint_id turn, slide;
        def.name = "turn", def.type = SAR_JOINT_REVOLUTE;
        ends_of(model, &def, b1, b2);
        CHECK_STATUS(sar_model_add_joint(model, &def, &turn, NULL), SAR_OK);
        def = sar_joint_def_default();
        def.name = "slide", def.type = SAR_JOINT_PRISMATIC;
        ends_of(model, &def, b2, b3);
        CHECK_STATUS(sar_model_add_joint(model, &def, &slide, NULL), SAR_OK);
        sar_drive_def drive = sar_drive_def_default();
        drive.name = "cylinder", drive.joint.i = -1, drive.value = "1.5 + 0.2*sin(3*t)";
        any_end(model, b1, &drive.a), any_end(model, b3, &drive.b);
        CHECK_STATUS(sar_model_add_drive(model, &drive, NULL, NULL), SAR_OK);
        drive = sar_drive_def_default();
        drive.name = "motor", drive.joint = turn, drive.coordinate = SAR_COORD_ANGLE;
        drive.value = "0.3*t^3 + exp(-t)";
        CHECK_STATUS(sar_model_add_drive(model, &drive, NULL, NULL), SAR_OK);
        drive.name = "piston", drive.joint = slide, drive.coordinate = SAR_COORD_DISPLACEMENT;
        drive.value = "cos(2*t)";
        CHECK_STATUS(sar_model_add_drive(model, &drive, NULL, NULL), SAR_OK);
        sar_coupling_def gear = sar_coupling_def_default();
        gear.name = "gear", gear.terms = 2;
        gear.joint[0] = turn, gear.coordinate[0] = SAR_COORD_ANGLE, gear.coefficient[0] = 1.7;
        gear.joint[1] = slide, gear.coordinate[1] = SAR_COORD_DISPLACEMENT,
        gear.coefficient[1] = -0.6;
        CHECK_STATUS(sar_model_add_coupling(model, &gear, NULL, NULL), SAR_OK);
        check_model(model);
        sar_model_destroy(model);
    }
}
