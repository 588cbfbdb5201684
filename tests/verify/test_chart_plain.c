/* Kernels of small mechanisms against the general ones, at places all over a chart: rates, states and
 * distances from singular positions. */
#include "problem_run.h"

#include "formulations/chart_sized.h"
#include "math/random.h"
#include "simulation/simulation.h"

enum { PLACES = 40 };

/// What there is at a place.
typedef struct place {
    sar_status st;
    int bridged;
    double ydot[2], q[8], v[8], a[8], lambda[8], sigma, delta;
} place;

static place look(sari_chart* c, const sari_first_order_ops* ops, double t, const double* y)
{
    place at = {0};
    sari_state s = {.q = at.q, .v = at.v, .a = at.a, .lambda = at.lambda};
    at.st = ops->store(c, t, y, at.ydot, &s);
    at.sigma = c->sigma;
    at.bridged = c->bridged;
    at.delta = c->delta;
    return at;
}

static double apart(int n, const double* a, const double* b)
{
    double off = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return size > 0.0 ? off / size : off;
}

static void same(const char* path, int k, const sari_chart* c, const place* a, const place* b)
{
    const double of_accelerations = 1e-12 / b->sigma / b->sigma,
                 most = b->bridged ? c->tolerance : of_accelerations;
    const double off[] = {
        apart(1, a->ydot, b->ydot), apart(1, a->ydot + 1, b->ydot + 1),
        apart(c->n, a->q, b->q),    apart(c->n, a->v, b->v),
        apart(c->n, a->a, b->a),    apart(c->nh, a->lambda, b->lambda) * b->sigma};
    if (a->st != b->st) fail_msg("%s, place %d: status %d, %d", path, k, a->st, b->st);
    for (size_t i = 0; a->st == SAR_OK && i < sizeof off / sizeof *off; i++)
        if (!(off[i] < most))
            fail_msg("%s, place %d, bridged %d, sigma %.2e: %zu is off by %.2e", path, k,
                     a->bridged, b->sigma, i, off[i]);
    if (isfinite(a->delta) && isfinite(b->delta) && !(fabs(a->delta - b->delta) < 0.1 * b->delta))
        fail_msg("%s, place %d: distance %.4e, %.4e", path, k, a->delta, b->delta);
}

/* So many steps into a motion; returns how many places were near singular positions. */
static int check(const char* path, int steps, int rows)
{
    int near = 0;
    problem_run run;
    problem_start(&run, path, NULL,
                  "coordinates=natural formulation=chart integrator=dop853 tolerance=1e-8");
    sar_simulation* s = run.simulation;
    for (int k = 0; k < steps; k++) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    const sari_first_order_ops* ops = s->form.ops->first_order;
    sari_chart* c = s->form.self;
    uint64_t random = 5;
    for (int k = 0; k < PLACES; k++) {
        double y[2], f[2];
        int size;
        CHECK_STATUS(ops->base(c, &s->state, y, f, &size), SAR_OK);
        CHECK(size == 2 && c->r == rows && sari_chart_is_plain(c->kernel));
        y[0] = 0.15 * c->ell * sari_random(&random);
        y[1] *= 1.0 + 0.5 * sari_random(&random);
        const place plain = look(c, ops, s->state.t, y);
        CHECK_STATUS(ops->base(c, &s->state, f, f, &size), SAR_OK);
        c->kernel = 0;
        const place general = look(c, ops, s->state.t, y);
        same(path, k, c, &plain, &general);
        near += isfinite(plain.delta);
    }
    problem_free(&run);
    return near;
}

static void all_kernels_tell_the_same(void** state)
{
    (void)state;
    int near = 0;
    for (int steps = 0; steps < 40; steps++) {
        near += check(PROBLEM("slider-crank-1"), steps, 2);
        near += check(PROBLEM("slider-crank-3"), steps, 2);
        near += check(PROBLEM("n-four-bar"), steps, 5);
        check(PROBLEM("pendulum"), steps, 1);
    }
    CHECK(near > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kernels_tell_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
