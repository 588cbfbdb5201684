/* One physical state, every coordinate type: the same poses, velocities, energies, power, outputs
 * and reactions; and in each type the energy changes by the power that is fed in. States are taken
 * from short runs of every model in the tree, drawn anew at the poses and velocities reached, and
 * given to each type. */
#include "neck_fixture.h"
#include "simulation/simulation.h"

/* ---- states --------------------------------------------------------------------------------- */

static sar_simulation* start_simulation(const sar_model* model, const sar_options* options)
{
    sar_simulation* s = NULL;
    sar_error error = {0};
    if (sar_simulation_create(model, options, &s, &error) != SAR_OK)
        fail_msg("%s, %s: %s", sar_model_name(model), options->coordinates, error.message);
    sar_assembly report;
    sar_status st = sar_simulation_assemble(s, &report);
    if (st != SAR_OK)
        fail_msg("%s, %s: assembly gave status %d, verdict %d, residual %g", sar_model_name(model),
                 options->coordinates, (int)st, (int)report.verdict, report.residual);
    return s;
}

/* A view of the model, drawn at the present state of `s`. Its bodies are to be freed. */
static sar_model draw_again(const sar_model* model, const sar_simulation* s)
{
    sar_model again = *model;
    again.starts_count = 0; // the drawing is the start
    again.bodies = calloc((size_t)model->bodies_count, sizeof *again.bodies);
    memcpy(again.bodies, model->bodies, (size_t)model->bodies_count * sizeof *again.bodies);
    for (int b = 1; b < model->bodies_count; b++) {
        sar_body_def* def = &again.bodies[b].def;
        double p[4];
        sar_simulation_pose(s, (sar_body_id){b}, def->position, p);
        sar_simulation_velocity(s, (sar_body_id){b}, def->velocity, def->angular_velocity);
        double w = p[0], x = p[1], y = p[2], z = p[3];
        double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
        memcpy(def->rotation, R, sizeof R);
        def->has_position = def->has_rotation = 1;
    }
    return again;
}

/* ---- what is compared ----------------------------------------------------------------------- */

typedef struct record {
    int count;
    double* value;
    char (*name)[80];
    double* tolerance;
} record;

static void put(record* r, double value, double tolerance, const char* format, const char* name,
                int k)
{
    r->value = realloc(r->value, (size_t)(r->count + 1) * sizeof *r->value);
    r->tolerance = realloc(r->tolerance, (size_t)(r->count + 1) * sizeof *r->tolerance);
    r->name = realloc(r->name, (size_t)(r->count + 1) * sizeof *r->name);
    r->value[r->count] = value;
    r->tolerance[r->count] = tolerance;
    snprintf(r->name[r->count++], sizeof *r->name, format, name, k);
}

static void clear_record(record* r)
{
    free(r->value), free(r->tolerance), free(r->name);
}

static double largest_reaction(sar_simulation* s)
{
    double most = 0.0;
    for (int j = 0; j < sar_model_joints(s->model); j++) {
        double force[3], torque[3];
        CHECK_STATUS(sar_simulation_reaction(s, (sar_joint_id){j}, force, torque), SAR_OK);
        most = fmax(most, fmax(largest_of(force, 3), largest_of(torque, 3)));
    }
    return most;
}

static record observe(sar_simulation* s)
{
    record r = {0};
    const sar_model* model = s->model;
    for (int b = 1; b < model->bodies_count; b++) {
        double x[3], p[4], v[3], w[3];
        const char* name = sar_model_body_name(model, b);
        sar_simulation_pose(s, (sar_body_id){b}, x, p);
        sar_simulation_velocity(s, (sar_body_id){b}, v, w);
        for (int k = 0; k < 3; k++) {
            put(&r, x[k], 1e-9, "position of %s, %d", name, k);
            put(&r, v[k], 1e-8, "velocity of %s, %d", name, k);
            put(&r, w[k], 1e-8, "angular velocity of %s, %d", name, k);
        }
        for (int k = 0; k < 16; k++) // p and -p are the same rotation
            put(&r, p[k / 4] * p[k % 4], 1e-9, "quaternion of %s, product %d", name, k);
    }
    sar_energy e = sar_simulation_energy(s);
    put(&r, e.kinetic, 1e-8, "kinetic energy%s", "", 0);
    put(&r, e.potential, 1e-8, "potential energy%s", "", 0);
    put(&r, sari_system_power(s->system, s->state.t, s->state.q, s->state.v, s->state.lambda, NULL),
        1e-6, "power%s", "", 0);
    double* outputs = vector(sar_model_outputs(model));
    CHECK_STATUS(sar_simulation_outputs(s, outputs), SAR_OK);
    for (int k = 0; k < sar_model_outputs(model); k++)
        put(&r, outputs[k], 1e-6, "output %s", sar_model_output_name(model, k), 0);
    free(outputs);
    double reaction =
        sar_simulation_rank(s).redundant ? 1e-3 : 1e-6;    // redundant: the least of many
    reaction = fmax(reaction, 1e-8 * largest_reaction(s)); // all come from one set of equations
    for (int j = 0; j < sar_model_joints(model); j++) {
        double force[3], torque[3];
        CHECK_STATUS(sar_simulation_reaction(s, (sar_joint_id){j}, force, torque), SAR_OK);
        for (int k = 0; k < 3; k++) {
            put(&r, force[k], reaction, "force of %s, %d", sar_model_joint_name(model, j), k);
            put(&r, torque[k], reaction, "torque of %s, %d", sar_model_joint_name(model, j), k);
        }
    }
    return r;
}

static void check_records(const char* model, const char* a, const char* b, const record* got,
                          const record* wanted)
{
    CHECK(got->count == wanted->count);
    for (int i = 0; i < got->count; i++)
        if (!(fabs(got->value[i] - wanted->value[i]) <=
              got->tolerance[i] * (1.0 + fabs(wanted->value[i]))))
            fail_msg("%s: %s: %s has %.15g, %s has %.15g", model, got->name[i], a, got->value[i], b,
                     wanted->value[i]);
}

/* ---- balance -------------------------------------------------------------------------------- */

/* M a + Phi_q' lambda = Q, the constraints at three levels, and d(T + V)/dt = power along q + v h +
 * a h^2/2. */
static void check_balance(const sar_simulation* s)
{
    sari_system* sys = s->system;
    const sari_state* x = &s->state;
    int n = sys->nq;
    const char* label = s->options.coordinates;
    double *f = vector(n), *q = vector(sys->np), *move = vector(n), *v = vector(n);
    double slope = 0.0, size = 0.0;
    sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v);
    sari_sym_multiply(&sys->M, sys->M.x, x->a, f);
    double scale = 1.0 + largest_of(f, n) + largest_of(sys->Q, n);
    for (int i = 0; i < n; i++) f[i] -= sys->Q[i];
    double fed = dot(x->v, f, n);
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, x->lambda, f);
    if (!(largest_of(f, n) < 1e-6 * scale))
        fail_msg("%s, %s: M a + Phi_q' lambda - Q = %g (of %g)", s->model->name, label,
                 largest_of(f, n), scale);
    double* reaction = vector(n);
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, x->lambda, reaction);
    fed += dot(x->v, reaction, n);
    if (!(fabs(fed) < 1e-6 * scale * (1.0 + largest_of(x->v, n))))
        fail_msg("%s, %s: v'(M a - Q + Phi_q' lambda) = %g", s->model->name, label, fed);
    free(reaction);

    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    double power = sari_system_power(sys, x->t, x->q, x->v, x->lambda, NULL);
    double h = 1e-4 / (1.0 + largest_of(x->v, n));
    for (int k = 0; k < 4; k++) {
        double d = at[k] * h;
        for (int i = 0; i < n; i++) {
            move[i] = d * (x->v[i] + 0.5 * d * x->a[i]);
            v[i] = x->v[i] + d * x->a[i];
        }
        sari_coordinates_move(&sys->coordinates, x->q, move, q);
        sari_equations_eval(&sys->equations, SARI_EVAL_MASS, x->t + d, q, v);
        double energy =
            sari_system_kinetic_energy(sys, v) + sari_system_potential_energy(sys, x->t + d, q, v);
        slope += weight[k] * energy / (12.0 * h);
        size = fmax(size, fabs(energy));
    }
    double tolerance = 1e-6 * (1.0 + fabs(power)) + 1e-15 * size / h;
    if (!(fabs(slope - power) < tolerance + 1e-6 * scale * largest_of(x->v, n)))
        fail_msg("%s, %s at t = %g: energy changes by %.12g, power is %.12g", s->model->name, label,
                 x->t, slope, power);
    free(f), free(q), free(move), free(v);
}

/* ---- over all models ------------------------------------------------------------------------ */

static void compare_types(const sar_model* again, const sar_options* options)
{
    record first = {0};
    for (int c = 0; sari_coordinates_types[c]; c++) {
        sar_options o = *options;
        CHECK_STATUS(sar_options_set(&o, "coordinates", sari_coordinates_types[c]->name, NULL),
                     SAR_OK);
        sar_simulation* s = start_simulation(again, &o);
        check_balance(s);
        record r = observe(s);
        if (c == 0)
            first = r;
        else {
            check_records(again->name, o.coordinates, sari_coordinates_types[0]->name, &r, &first);
            clear_record(&r);
        }
        sar_simulation_destroy(s);
    }
    clear_record(&first);
}

TEST(every_type_sees_the_same_state)
{
    char(*path)[MODEL_PATH];
    int n = list_models(&path);
    for (int i = 0; i < n; i++) {
        sar_options options = sar_options_default();
        sar_model* model = load_model(path[i], &options);
        options.projections = 3; // what is drawn shall not violate the joints
        sar_simulation* s = start_simulation(model, &options);
        for (int k = 0; k <= 14; k++) {
            if (k % 7 == 0) {
                sar_model again = draw_again(model, s);
                sar_options here = options;
                here.start = sar_simulation_time(s);
                here.equilibrium = 0; // it is where it is drawn
                here.end = here.start + 1.0;
                compare_types(&again, &here);
                free(again.bodies);
            }
            CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
        }
        sar_simulation_destroy(s);
        sar_model_destroy(model);
    }
    free(path);
}

/* The kinetic energy of what is seen: m v_c^2/2 + w'I w/2 from poses and velocities, by the
 * textbook. */
TEST(kinetic_energy_is_that_of_rigid_bodies)
{
    char(*path)[MODEL_PATH];
    int n = list_models(&path);
    for (int i = 0; i < n; i++) {
        sar_options options = sar_options_default();
        sar_model* model = load_model(path[i], &options);
        options.equilibrium = 0; // any state will do
        for (int c = 0; sari_coordinates_types[c]; c++) {
            CHECK_STATUS(
                sar_options_set(&options, "coordinates", sari_coordinates_types[c]->name, NULL),
                SAR_OK);
            sar_simulation* s = start_simulation(model, &options);
            for (int k = 0; k < 5; k++) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
            double energy = 0.0;
            for (int b = 1; b < model->bodies_count; b++) {
                const sar_body_def* def = &model->bodies[b].def;
                const double *I = def->inertia, *l = def->center;
                double x[3], p[4], v[3], w[3];
                sar_simulation_pose(s, (sar_body_id){b}, x, p);
                sar_simulation_velocity(s, (sar_body_id){b}, v, w);
                double a = p[0],
                       e[3] = {
                           p[1], p[2],
                           p[3]}; // w in body axes and the centre in world axes: q^-1 w q, q l q^-1
                double ew[3] = {e[1] * w[2] - e[2] * w[1], e[2] * w[0] - e[0] * w[2],
                                e[0] * w[1] - e[1] * w[0]};
                double el[3] = {e[1] * l[2] - e[2] * l[1], e[2] * l[0] - e[0] * l[2],
                                e[0] * l[1] - e[1] * l[0]};
                double u[3], arm[3];
                for (int j = 0; j < 3; j++) {
                    int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                    u[j] = w[j] - 2 * a * ew[j] + 2 * (e[j1] * ew[j2] - e[j2] * ew[j1]);
                    arm[j] = l[j] + 2 * a * el[j] + 2 * (e[j1] * el[j2] - e[j2] * el[j1]);
                }
                for (int j = 0; j < 3; j++) {
                    int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                    double vc = v[j] + w[j1] * arm[j2] - w[j2] * arm[j1];
                    energy += 0.5 * def->mass * vc * vc + 0.5 * I[j] * u[j] * u[j];
                }
                energy += I[3] * u[0] * u[1] + I[4] * u[0] * u[2] + I[5] * u[1] * u[2];
            }
            double got = sar_simulation_energy(s).kinetic;
            if (!(fabs(got - energy) <= 1e-9 * (1.0 + energy)))
                fail_msg("%s, %s: kinetic energy %.15g, wanted %.15g", model->name,
                         options.coordinates, got, energy);
            sar_simulation_destroy(s);
        }
        sar_model_destroy(model);
    }
    free(path);
}
