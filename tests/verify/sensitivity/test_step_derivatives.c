/* The derivative of one step of al3 with the trapezoidal rule against differences of steps, in all coordinates; and its
 * transpose against itself. */
#include "problem_run.h"

#include "formulations/al3/al3.h"
#include "sensitivity/al3/al3_step.h"
#include "simulation/simulation.h"

#include <string.h>

enum { WARM = 7 }; ///< steps before the one that is looked at

/* What a step was before its projections. */
typedef struct stars {
    sari_projection_watch watch;
    double *v, *a, *lambda;
} stars;

static void keep_stars(void* self, const sari_state* s)
{
    stars* x = self;
    memcpy(x->v, s->v, (size_t)s->n * sizeof(double));
    memcpy(x->a, s->a, (size_t)s->n * sizeof(double));
    memcpy(x->lambda, s->lambda, (size_t)s->m * sizeof(double));
}

static double nothing(void* self, const sari_state* s)
{
    (void)self, (void)s;
    return 0.0;
}

typedef struct single_step {
    sar_model* model;
    sar_simulation* sim;
    stars stars;
    sari_state begin, end;
    sari_arena memory;
    double h;
} single_step;

/* From (q0 moved by e dx, v0 + e dx, a0 + e dx) one step */
static void step_from(single_step* s, double e, const double* dx)
{
    sar_simulation* sim = s->sim;
    const int n = sim->system->nq;
    double* d = calloc((size_t)n + 1, sizeof(double));
    sari_state_copy(&sim->state, &s->begin);
    for (int i = 0; i < n; i++) {
        d[i] = e * dx[i];
        sim->state.v[i] += e * dx[n + i];
        sim->state.a[i] += e * dx[2 * n + i];
    }
    sari_coordinates_move(&sim->system->coordinates, s->begin.q, d, sim->state.q);
    sari_step_report report = {0};
    sim->form.ops->begin(sim->form.self, NULL);
    sim->integrator->start(sim->integrator_self, &sim->state);
    CHECK_STATUS(sim->integrator->step(sim->integrator_self, &sim->state, s->h, &report), SAR_OK);
    free(d);
}

static sari_step_record record_of(const single_step* s)
{
    const double *nu, *kappa;
    sari_al3_impulses(s->sim->form.self, &nu, &kappa);
    return (sari_step_record){.t = s->end.t,
                              .h = s->h,
                              .q0 = s->begin.q,
                              .v0 = s->begin.v,
                              .a0 = s->begin.a,
                              .q = s->end.q,
                              .v = s->end.v,
                              .a = s->end.a,
                              .v_star = s->stars.v,
                              .a_star = s->stars.a,
                              .lambda = s->stars.lambda,
                              .nu = nu,
                              .kappa = kappa};
}

static single_step take_step(const char* path, const char* coordinates, const char* step)
{
    single_step s = {0};
    sar_error error = {0};
    sar_options o = sar_options_default();
    if (sar_model_load(path, NULL, 0, &s.model, &o, NULL) != SAR_OK) fail_msg("%s", path);
    o = sar_options_default();
    use_option(&o, "coordinates", coordinates);
    use_option(&o, "formulation", "al3");
    use_option(&o, "integrator", "trapezoidal");
    use_option(&o, "step", step);
    use_option(&o, "differentiable", "1");
    if (sar_simulation_create(s.model, &o, &s.sim, &error) != SAR_OK) fail_msg("%s", error.message);
    CHECK_STATUS(sar_simulation_assemble(s.sim, NULL), SAR_OK);
    for (int k = 0; k < WARM; k++) CHECK_STATUS(sar_simulation_advance(s.sim), SAR_OK);
    const sari_system* sys = s.sim->system;
    sari_state_take(&s.begin, &s.memory, &sys->equations, 0);
    sari_state_take(&s.end, &s.memory, &sys->equations, 0);
    s.stars = (stars){{keep_stars, nothing, NULL, 0, 0.0},
                      SARI_TAKE(&s.memory, double, sys->nq),
                      SARI_TAKE(&s.memory, double, sys->nq),
                      SARI_TAKE(&s.memory, double, sys->nc)};
    sari_state_copy(&s.begin, &s.sim->state);
    s.h = s.sim->options.step;
    return s;
}

static void step_clear(single_step* s)
{
    s->sim->system->watch = NULL;
    sar_simulation_destroy(s->sim);
    sar_model_destroy(s->model);
    sari_arena_clear(&s->memory);
}

/* dx1 by four points; the stars of the nominal step are not touched */
static void difference(single_step* s, const double* dx, double* out)
{
    static const double weight[] = {2.0 / 3.0, -1.0 / 12.0};
    const int n = s->sim->system->nq;
    const double e = 1e-3;
    double* d = calloc((size_t)n + 1, sizeof(double));
    memset(out, 0, 3 * (size_t)n * sizeof(double));
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double f = sign * weight[k - 1] / e;
            step_from(s, sign * k * e, dx);
            sari_coordinates_difference(&s->sim->system->coordinates, s->end.q, s->sim->state.q, d);
            for (int i = 0; i < n; i++) {
                out[i] += f * d[i];
                out[n + i] += f * s->sim->state.v[i];
                out[2 * n + i] += f * s->sim->state.a[i];
            }
        }
    free(d);
}

static double uniform(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(int64_t)state / 9223372036854775808.0;
}

/* Changes of the size of a small motion: of a by the pace squared, of v by the pace */
static void random_change(const single_step* s, double* dx)
{
    const int n = s->sim->system->nq;
    for (int i = 0; i < n; i++) {
        dx[i] = 0.1 * uniform();
        dx[n + i] = 0.1 * uniform();
        dx[2 * n + i] = 0.1 * uniform();
    }
}

static double apart(int n, const double* a, const double* b)
{
    double most = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

/* One step further, with what it was before projections. */
static void step_on(single_step* s)
{
    sari_system* sys = s->sim->system;
    double* none = calloc(3 * (size_t)sys->nq + 1, sizeof(double));
    sys->watch = &s->stars.watch, s->stars.watch.self = &s->stars;
    step_from(s, 0.0, none);
    sys->watch = NULL;
    sari_state_copy(&s->end, &s->sim->state);
    free(none);
}

static void find_map(single_step* s, sari_step_map* map, const char* path, const char* coordinates)
{
    sari_step_record record = record_of(s);
    const sar_status st = sari_step_map_find(map, &record);
    if (st != SAR_OK) fail_msg("%s, %s: no map: %s", path, coordinates, sar_status_text(st));
}

static void check_model(const char* path, const char* coordinates, const char* step)
{
    single_step s = take_step(path, coordinates, step);
    sari_system* sys = s.sim->system;
    sari_step_map map;
    const int n = sys->nq;
    double* x = calloc(12 * (size_t)n + 1, sizeof(double));
    double *along = x + 3 * n, *expected = x + 6 * n, *back = x + 9 * n;
    CHECK_STATUS(sari_step_map_create(&map, sys, s.sim->units.size), SAR_OK);
    random_change(&s, x);
    step_on(&s);
    find_map(&s, &map, path, coordinates);
    CHECK_STATUS(sari_step_map_along(&map, NULL, x), SAR_OK); // a change that constraints admit
    sari_state_copy(&s.begin, &s.end);
    step_on(&s);
    find_map(&s, &map, path,
             coordinates); // before other steps: projections of the last one are asked
    difference(&s, x, expected);
    memcpy(along, x, 3 * (size_t)n * sizeof(double));
    CHECK_STATUS(sari_step_map_along(&map, NULL, along), SAR_OK);
    for (int level = 0; level < 3; level++) {
        const double error = apart(n, along + level * n, expected + level * n);
        if (!(error < 1e-7)) // what Newton's method leaves, over the difference
            fail_msg("%s, %s, level %d: %g from differences of steps", path, coordinates, level,
                     error);
    }
    // l'(A x) = (A'l)'x
    double forward = 0.0, backward = 0.0, size = 0.0;
    for (int i = 0; i < 3 * n; i++) {
        back[i] = uniform();
        forward += back[i] * along[i];
        size += fabs(back[i] * along[i]);
    }
    CHECK_STATUS(sari_step_map_back(&map, back), SAR_OK);
    for (int i = 0; i < 3 * n; i++) backward += back[i] * x[i];
    CHECK(fabs(forward - backward) <= 1e-11 * size);
    sari_step_map_clear(&map);
    free(x);
    step_clear(&s);
}

TEST(agrees_with_differences_of_steps)
{
    static const struct {
        const char *path, *step;
    } models[] = {
        {PROBLEM("four-bar"), "0.01"},
        {PROBLEM("bricard"), "0.01"},
        {PROBLEM("flyball-governor"), "0.002"},
        {PROBLEM("rolling-disc"), "0.005"},
        {PROBLEM("slider-crank-1"), "0.01"},
        {SARRUS_ROOT "/examples/models/suspension.yaml", "0.002"},
        {PROBLEM("rolling-ball"), "0.01"},
        {SARRUS_ROOT "/examples/models/ball-joint.yaml", "0.005"},
    };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)
            check_model(models[k].path, axis_member(SAR_AXIS_COORDINATES, c), models[k].step);
}

/* What redundant rows leave open of the multipliers: u with J'u = 0, of size 50. */
static void add_self_stress(sari_step_map* map, double* lambda)
{
    const sari_slopes* p = &map->slopes;
    const int n = p->S.n, m = p->J.rows;
    double *r = calloc((size_t)m + 1, sizeof(double)), *mu = calloc((size_t)m + 1, sizeof(double));
    double *f = calloc((size_t)n + 1, sizeof(double)), *x = calloc((size_t)n + 1, sizeof(double));
    double most = 0.0;
    for (int i = 0; i < m; i++) r[i] = uniform();
    sari_slopes_add_rows_transposed(p, p->J.x, 1.0, r, f);
    CHECK_STATUS(sari_saddle_solve(&map->mass, 0, f, NULL, x, mu), SAR_OK);
    for (int i = 0; i < m; i++) most = fmax(most, fabs(r[i] - mu[i]));
    CHECK(most > 1e-3);
    for (int i = 0; i < m; i++) lambda[i] += 50.0 / most * (r[i] - mu[i]);
    free(r), free(mu), free(f), free(x);
}

TEST(self_stress_does_not_matter)
{
    single_step s = take_step(PROBLEM("bricard"), "natural", "0.01");
    sari_step_map map;
    const int n = s.sim->system->nq;
    double* x = calloc(9 * (size_t)n + 1, sizeof(double));
    double *along = x + 3 * n, *again = x + 6 * n;
    CHECK_STATUS(sari_step_map_create(&map, s.sim->system, s.sim->units.size), SAR_OK);
    random_change(&s, x);
    step_on(&s);
    find_map(&s, &map, "bricard", "natural");
    CHECK_STATUS(sari_step_map_along(&map, NULL, x), SAR_OK);
    sari_state_copy(&s.begin, &s.end);
    step_on(&s);
    find_map(&s, &map, "bricard", "natural");
    memcpy(along, x, 3 * (size_t)n * sizeof(double));
    memcpy(again, x, 3 * (size_t)n * sizeof(double));
    CHECK_STATUS(sari_step_map_along(&map, NULL, along), SAR_OK);
    add_self_stress(&map, s.stars.lambda);
    find_map(&s, &map, "bricard with self-stress", "natural");
    CHECK_STATUS(sari_step_map_along(&map, NULL, again), SAR_OK);
    for (int level = 0; level < 3; level++)
        CHECK(apart(n, again + level * n, along + level * n) < 1e-11);
    sari_step_map_clear(&map);
    free(x);
    step_clear(&s);
}

/* Slopes without differences along every coordinate are those of such differences. */
static void check_closed(const char* path, const char* coordinates)
{
    single_step s = take_step(path, coordinates, "0.002");
    sari_slopes p;
    step_on(&s);
    const sari_step_record record = record_of(&s);
    CHECK_STATUS(sari_slopes_create(&p, s.sim->system, s.sim->units.size), SAR_OK);
    const int square = 2 * p.entries, rows = p.J.p[p.J.rows];
    const double* const of[] = {p.F_q, p.F_v, p.N_q, p.A_q, p.rate_q, p.second_q, p.second_v};
    const int size[] = {square, square, square, square, rows, rows, rows};
    double* kept = calloc(4 * (size_t)square + 3 * (size_t)rows + 1, sizeof(double));
    CHECK_STATUS(sari_slopes_place(&p, s.sim->system, record.t, record.q), SAR_OK);
    CHECK_STATUS(sari_slopes_find(&p, &record), SAR_OK);
    size_t at = 0;
    for (int k = 0; k < 7; at += (size_t)size[k], k++)
        memcpy(kept + at, of[k], (size_t)size[k] * sizeof(double));
    const int closed = p.closed;
    p.closed = 0;
    CHECK_STATUS(sari_slopes_find(&p, &record), SAR_OK);
    at = 0;
    for (int k = 0; closed && k < 7; at += (size_t)size[k], k++) {
        double most = 0.0, largest = 0.0;
        for (int i = 0; i < size[k]; i++) {
            most = fmax(most, fabs(kept[at + (size_t)i] - of[k][i]));
            largest = fmax(largest, fabs(of[k][i]));
        }
        if (!(most <= 1e-10 * largest + 1e-10)) // rounding of differences
            fail_msg("%s, %s, slopes %d: off by %g of %g", path, coordinates, k, most, largest);
    }
    free(kept);
    sari_slopes_clear(&p);
    step_clear(&s);
}

TEST(closed_forms_are_those_of_differences)
{
    static const char* const models[] = {PROBLEM("bricard"),
                                         PROBLEM("flyball-governor"),
                                         PROBLEM("puma"),
                                         SARRUS_ROOT "/examples/models/suspension.yaml",
                                         SARRUS_ROOT "/examples/models/gripper.yaml",
                                         SARRUS_ROOT "/examples/models/cam-follower.yaml",
                                         SARRUS_ROOT "/examples/models/stewart-platform.yaml",
                                         SARRUS_ROOT "/examples/models/hills.yaml",
                                         SARRUS_ROOT "/examples/models/robot.yaml"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        for (int c = 0; axis_member(SAR_AXIS_COORDINATES, c); c++)
            check_closed(models[k], axis_member(SAR_AXIS_COORDINATES, c));
}
