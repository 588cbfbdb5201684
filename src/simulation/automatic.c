/* The automatic method: coordinates and formulation that suit a model.
 *
 * Joint coordinates have the fewest numbers and constraints, and the cost of a chart grows with the
 * cube of them, so relative coordinates come first. Exceptions:
 *
 * - where natural coordinates are hardly more, as in plane loops, an evaluation in them costs less,
 *   because their mass is constant and their constraints are quadratic (microseconds at 1e-8, natural
 *   against joint coordinates: slider-crank 1.2, 2.8; n-four-bar 2.8, 5.0; andrews 6.2, 7.4);
 *
 * - an open tree has no constraints at all: its accelerations come body by body, in a time that is
 *   linear in their number (index 1 without constraints), so that no chart is needed;
 *
 * - in large mechanisms natural coordinates have sparse equations, in which a chart may cost less,
 *   (1) and (2);
 *
 * - where even that takes too long, index 1 with projections goes on with sparse factors, whatever d
 *   is. It passes singular configurations too, though not to rounding.
 *
 * Whether forces are stiff shows during the run: the integrator dop853-radau finds out. Its implicit
 * steps take the Jacobian of the rates, which costs too much in index 1 of large mechanisms. There
 * dop853-ida does the same with formulas of variable order for the differential-algebraic equations,
 * whose matrices are those of the mechanism. Where forces are stiff from the start on, those matrices
 * are better in joint coordinates, as long as these are not too many and loops are few. (The car of problems/vehicle,
 * 0.1 s at 1e-6: explicit steps in joint coordinates take 0.9 s for errors of 1e-10, in natural ones
 * 13 s; ida at 1e-8 0.25 s, errors of 1e-8.)
 *
 * Microseconds of an evaluation with n coordinates and d degrees of freedom, singular passages
 * included (natural coordinates, tolerance 1e-6; gcc 12, -O3 -march=native, Zen 3, one core):
 *
 *                        n      d    sparse  per n   dense
 *     n-four-bar  10     22     1        33    1.5      46
 *     n-four-bar  40     82     1        46    0.6     520
 *     n-four-bar 100    202     1       141    0.7    4900
 *     n-four-bar 200    402     1       298    0.7   46000
 *     ladder      10    156    11       370    2.4    2900
 *     ladder      40    606    41      4500    7.5  270000
 *     ladder     100   1506   101     33000     22
 *     ladder     200   3006   201    178000     59
 *
 *     dense:    n + n^3/2000                                                                 (1)
 *     sparse:   n (0.6 + 0.12 d + 0.001 d^2): tangents take n d, products of them n d^2      (2)
 *     index 1:  0.23 n, whatever d is                                                        (3)
 *               n^3/12000 in joint coordinates, whose M is full along a chain                (4) */
#include "simulation/simulation.h"

#include "base/arena.h"
#include "base/status.h"
#include "simulation/start/stiff_start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char AUTO[] = "auto";
enum { DENSE = 40 }; ///< coordinates below which nothing else is examined
enum {
    ONE = 1
}; ///< degree of freedom: where two loops are singular at once, joint coordinates are safer
enum { MORE = 1 };          ///< natural coordinates than joint coordinates, at most, that cost less
enum { TREE_IN_CHART = 8 }; ///< coordinates of an open tree up to which a chart is as fast
enum { JACOBIAN = 100 };    ///< coordinates up to which index 1 has one
enum { MASS = 1000 }; ///< coordinates of an open tree up to which there is room for entries of M

/// Equations of a model in some coordinates; with phases the largest of each number.
typedef struct size {
    int coordinates, constraints, on_velocities;
    int open;          ///< no constraints, in all phases
    int constant_mass; ///< likewise
    int unforced;      ///< likewise
} size;

/* All contacts closed, and of phases that repeat what they add. */
static void add_what_may_come(const sar_model* model, int phase, char* active)
{
    for (int j = 0; j < model->joints_count; j++) active[j] |= model->joints[j].bounded;
    const sar_phase_def* def = phase > 0 ? &model->phases[phase - 1].def : NULL;
    if (def && def->repeats && sari_phase_applies(model, def, active))
        sari_phase_apply(model, def, active);
}

static sar_status measure(const sar_model* model, const char* coordinates, size* out,
                          sar_error* error)
{
    sari_arena memory = {0};
    sar_status st = SAR_OK;
    char* active = SARI_TAKE(&memory, char, sari_model_set_size(model));
    *out = (size){.open = 1, .constant_mass = 1, .unforced = 1};
    if (memory.failed)
        st = sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the choice of a method");
    for (int phases = 0; st == SAR_OK && phases <= model->phases_count; phases++) {
        sari_system* sys = NULL;
        sari_model_set_after(model, phases, active);
        add_what_may_come(model, phases, active);
        st = sari_system_create_with(model, active, sari_coordinates_find(coordinates),
                                     SARI_MASS_CHEAPER, &sys, error);
        if (st != SAR_OK) break;
        const int n = sys->nq - sys->states;
        out->coordinates = n > out->coordinates ? n : out->coordinates;
        out->constraints = sys->nc > out->constraints ? sys->nc : out->constraints;
        out->on_velocities =
            sys->velocity_rows > out->on_velocities ? sys->velocity_rows : out->on_velocities;
        out->open &= sari_equations_open(&sys->equations);
        out->constant_mass &= sys->constant_mass;
        out->unforced &= sys->unforced;
        sari_system_destroy(sys);
    }
    sari_arena_clear(&memory);
    return st;
}

/* Degrees of freedom of the assembled mechanism; -1: it cannot be assembled. */
static int freedom(const sar_model* model, const sar_options* options)
{
    sar_options trial = *options;
    sar_simulation* s = NULL;
    int dof = -1;
    snprintf(trial.coordinates, sizeof trial.coordinates, "natural");
    snprintf(trial.formulation, sizeof trial.formulation, "al1"); // its start costs n, not n d^2
    trial.monitor = 0;
    if (sar_simulation_create(model, &trial, &s, NULL) == SAR_OK &&
        sar_simulation_assemble(s, NULL) == SAR_OK)
        dof = sar_simulation_rank(s).dof;
    sar_simulation_destroy(s);
    return dof;
}

static double cost_dense(double n) // (1)
{
    return n + n * n * n / 2000.0;
}

static double cost_sparse(double n, double d) // (2)
{
    return n * (0.6 + 0.12 * d + 0.001 * d * d);
}

/* Is it worth waiting for? A run takes thousands of evaluations. */
static int affordable(double cost, double n)
{
    const double MOST = 1000.0, index1 = 0.23 * n; // (3)
    return cost < MOST || cost < 10.0 * index1;
}

static void use_coordinates(sar_options* o, const char* name)
{
    if (strcmp(o->coordinates, AUTO) == 0)
        snprintf(o->coordinates, sizeof o->coordinates, "%s", name);
}

static void use_formulation(sar_options* o, const char* name)
{
    snprintf(o->formulation, sizeof o->formulation, "%s", name);
    if (strcmp(name, "al1") != 0) return;
    o->omega = 0.0; // constraints are met after every step
    o->project = 1;
}

static void use(sar_options* o, const char* coordinates, const char* formulation)
{
    use_coordinates(o, coordinates);
    use_formulation(o, formulation);
}

/* Index 1 of n coordinates. */
static void use_index1(sar_options* o, const char* coordinates, int n, int forced)
{
    use(o, coordinates, "al1");
    if (n <= JACOBIAN || strcmp(o->integrator, "dop853-radau") != 0) return;
    const int implicit = forced && sari_integrator_named("dop853-ida");
    snprintf(o->integrator, sizeof o->integrator, implicit ? "dop853-ida" : "dop853");
}

/* Are forces stiff from the start on, and are joint coordinates such that implicit steps can do with
 * them? */
static int is_stiff(const sar_model* model, const sar_options* o, const size* joints,
                    const size* natural, double* product)
{
    sar_options trial = *o;
    const double n = joints->coordinates, cost = n * n * n / 12000.0; // (4)
    if (!affordable(cost, natural->coordinates) || joints->constraints > joints->coordinates)
        return 0;
    if (!sari_integrator_named("dop853-ida")) return 0;
    use(&trial, "natural", "al1");
    return sari_stiff_start(model, &trial, product);
}

/* Many freedoms in many loops. Says why. */
static void choose_index1(const sar_model* model, sar_options* o, const size* joints,
                          const size* natural, int d, char* why, size_t length)
{
    double product = 0.0;
    const int forced = !natural->unforced;
    const int stiff = forced && is_stiff(model, o, joints, natural, &product);
    const int n = stiff ? joints->coordinates : natural->coordinates;
    snprintf(why, length,
             "coordinates: %d, degrees of freedom: %d; a chart would take long, index 1 with "
             "projections does not",
             n, d);
    const size_t at = strlen(why);
    if (stiff) snprintf(why + at, length - at, "; stiff at the start (h rho = %.1f)", product);
    use_index1(o, stiff ? "relative" : "natural", n, forced);
}

/* Loops: charts of joint coordinates, or what costs less. Says why. */
static void choose_for_loops(const sar_model* model, sar_options* o, const size* joints, char* why,
                             size_t length)
{
    const int n = joints->coordinates, m = joints->constraints;
    size natural = {0};
    int d = -1;
    const int known = !joints->on_velocities && measure(model, "natural", &natural, NULL) == SAR_OK;
    const int as_few = known && natural.constant_mass && natural.coordinates <= n + MORE &&
                       natural.coordinates - natural.constraints <= ONE;
    if (n < DENSE && as_few && !joints->open) {
        snprintf(why, length,
                 "natural coordinates: %d, with constant mass; they cost less than %d joint "
                 "coordinates",
                 natural.coordinates, n);
        use(o, "natural", "chart");
        return;
    }
    if (n >= DENSE && known) d = freedom(model, o);
    const double sparse = cost_sparse(natural.coordinates, d), dense = cost_dense(n);
    // forces may become stiff, and the Jacobian of implicit steps is had column by column
    const double columns = natural.unforced ? 1.0 : 1.0 + 0.1 * d;
    if (d < 0) {
        snprintf(why, length, "joint coordinates: %d, constraints: %d", n, m);
        use(o, "relative", "chart");
    } else if (!affordable(columns * fmin(sparse, dense), natural.coordinates)) {
        choose_index1(model, o, joints, &natural, d, why, length);
    } else if (sparse < dense) {
        snprintf(why, length,
                 "natural coordinates: %d, degrees of freedom: %d; with sparse matrices they cost "
                 "less than %d joint coordinates",
                 natural.coordinates, d, n);
        use(o, "natural", "chart");
    } else {
        snprintf(why, length, "joint coordinates: %d; they cost less than %d natural ones", n,
                 natural.coordinates);
        use(o, "relative", "chart");
    }
}

/* Coordinates that were asked for, other than those of the joints: a chart, unless it takes too long. Says
 * why. */
static sar_status choose_in_given(const sar_model* model, sar_options* o, char* why, size_t length,
                                  sar_error* error)
{
    size own = {0};
    SARI_TRY(measure(model, o->coordinates, &own, error));
    const int n = own.coordinates, large = n >= DENSE && !own.on_velocities;
    const int d = large ? freedom(model, o) : -1;
    const int vectors = strcmp(o->coordinates, "increments") != 0; // others have no sparse chart
    const double cost = vectors ? fmin(cost_sparse(n, d), cost_dense(n)) : cost_dense(n);
    if (d < 0 || affordable(cost, n)) {
        use_formulation(o, "chart");
        return SAR_OK;
    }
    snprintf(why, length,
             "coordinates: %d, degrees of freedom: %d; a chart would take long, index 1 with "
             "projections does not",
             n, d);
    use_index1(o, o->coordinates, n, !own.unforced);
    return SAR_OK;
}

int sari_options_open(const sar_options* o)
{
    return strcmp(o->coordinates, AUTO) == 0 || strcmp(o->formulation, AUTO) == 0;
}

static sar_status choose(const sar_model* model, sar_options* o, char* why, size_t length,
                         sar_error* error)
{
    const int any_coordinates = strcmp(o->coordinates, AUTO) == 0;
    size joints = {0};
    snprintf(why, length, "joint coordinates are the fewest");
    if (strcmp(o->formulation, AUTO) != 0) {
        use_coordinates(o, "relative");
        return SAR_OK;
    }
    snprintf(why, length, "coordinates as asked for; the chart works in all of them");
    if (any_coordinates || strcmp(o->coordinates, "relative") == 0)
        SARI_TRY(measure(model, "relative", &joints, error));
    if (joints.open && joints.coordinates > TREE_IN_CHART) {
        const int forced = !joints.unforced && joints.coordinates <= MASS;
        use_index1(o, "relative", joints.coordinates, forced);
        snprintf(why, length,
                 "open tree, joint coordinates: %d; no constraints, articulated bodies",
                 joints.coordinates);
    } else if (any_coordinates) {
        choose_for_loops(model, o, &joints, why, length);
    } else if (strcmp(o->coordinates, "relative") != 0) {
        return choose_in_given(model, o, why, length, error);
    } else {
        use_formulation(o, "chart");
    }
    return SAR_OK;
}

sar_status sar_options_choose(sar_options* o, const sar_model* model, char* reason, size_t length,
                              sar_error* error)
{
    char why[200] = "";
    SARI_TRY(sar_options_check(o, error));
    if (sari_options_open(o)) SARI_TRY(choose(model, o, why, sizeof why, error));
    if (length) snprintf(reason, length, "%s", why);
    return sar_options_check(o, error);
}
