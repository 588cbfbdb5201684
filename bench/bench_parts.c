/* Where the time of a step goes: rows, forces, factor, solution, projections, observation, for every
 * problem in all coordinates, by al3 and the trapezoidal rule.
 *
 *     bench_parts [PROBLEM ...]          one JSON object per line, for tools/bench_page.py
 *
 * Whole steps are those of a run: CPU time of the thread, least of several blocks. Parts are timed by
 * themselves, at states of the run, with the functions that the general code calls: what a step is made
 * of then is corrections x (rows + forces + factor + solution) + projections + observation, and what is
 * not among them. */
#include "formulations/constrained.h"
#include "formulations/step_matrix.h"
#include "linalg/sym_tools.h"
#include "sarrus/sarrus.h"
#include "simulation/simulation.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_STEPS = 2000, STATES = 8, BLOCKS = 5 };
static const double RUN = 0.15,
                    PART = 4e-4; ///< [s] of CPU time for a run, and for a block of calls
static const char METHOD[] = "formulation=al3 integrator=trapezoidal";

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- whole steps ---------------------------------------------------------------------------- */

static int apply(sar_options* o, const char* text)
{
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    for (char* word; (word = strtok_r(rest, " ", &rest));) {
        char* value = strchr(word, '=');
        sar_error error;
        *value++ = 0;
        if (sar_options_set(o, word, value, &error) != SAR_OK) return 0;
    }
    return 1;
}

static sar_simulation* start(const sar_model* model, const sar_options* o)
{
    sar_simulation* s = NULL;
    sar_error error;
    if (sar_simulation_create(model, o, &s, &error) != SAR_OK) return NULL;
    if (sar_simulation_assemble(s, NULL) == SAR_OK) return s;
    sar_simulation_destroy(s);
    return NULL;
}

typedef struct whole {
    long steps;
    double advance;     ///< [s] a step with all that is observed
    double step;        ///< the integrator's alone; NaN: it does not go alone
    double corrections; ///< per step
} whole;

static int time_advance(const sar_model* model, const sar_options* o, whole* w)
{
    sar_simulation* s = start(model, o);
    if (!s) return 0;
    const double begun = seconds();
    const long most = w->steps ? w->steps : MOST_STEPS;
    long k = 0;
    while (k < most && !sar_simulation_done(s) && sar_simulation_advance(s) == SAR_OK)
        if (++k % 16 == 0 && !w->steps && seconds() - begun > RUN) break;
    const double took = (seconds() - begun) / (double)(k ? k : 1);
    w->steps = k;
    w->advance = fmin(w->advance, took);
    if (k) w->corrections = (double)s->statistics.iterations / (double)k;
    sar_simulation_destroy(s);
    return k > 0;
}

/* Forces that jump and states that events change need what an advance does between steps. */
static int time_step(const sar_model* model, const sar_options* o, whole* w)
{
    sar_simulation* s = start(model, o);
    if (!s) return 0;
    int ok = !sari_events_are_watched(s) && s->model->breakpoints_count == 0;
    const double begun = seconds();
    for (long k = 0; k < w->steps && ok; k++) {
        sari_step_report report = {0};
        ok = s->integrator->step(s->integrator_self, &s->state, o->step, &report) == SAR_OK;
    }
    if (ok) w->step = fmin(w->step, (seconds() - begun) / (double)w->steps);
    sar_simulation_destroy(s);
    return ok;
}

/* ---- parts ---------------------------------------------------------------------------------- */

typedef struct parts {
    double rows, forces, factor, solve, projections; ///< [s] each
} parts;

typedef struct scene {
    sar_simulation* s;
    sari_equations* sys;
    sari_step_matrix P;
    sari_constrained lin;
    int* block; ///< bodies of the coordinates
    unsigned turn;
    double *f, *g, *x, *mu;
} scene;

static int make_scene(scene* t, sar_simulation* s)
{
    sari_sym P = {0};
    memset(t, 0, sizeof *t);
    t->s = s;
    t->sys = &s->system->equations;
    const int n = t->sys->nq, m = t->sys->nc;
    t->block = calloc((size_t)n + 1, sizeof(int));
    if (!t->block) return 0;
    const int separate = sari_equations_blocks(t->sys, t->block);
    const sari_structure structure = {
        .primal = n, .block = separate ? t->block : NULL, .threads = 1};
    sar_status st = sari_step_matrix_create(&t->P, t->sys, 0, &P);
    if (st == SAR_OK)
        st = sari_constrained_create(&t->lin, &P, &t->sys->Phi_q, 0, s->options.solver, &structure);
    if (st == SAR_OK) sari_sym_assign(&t->lin.P, &P);
    sari_sym_clear(&P);
    t->f = calloc((size_t)n + 1, sizeof(double));
    t->x = calloc((size_t)n + 1, sizeof(double));
    t->g = calloc((size_t)m + 1, sizeof(double));
    t->mu = calloc((size_t)m + 1, sizeof(double));
    return st == SAR_OK && t->f && t->x && t->g && t->mu;
}

static void clear_scene(scene* t)
{
    sari_constrained_clear(&t->lin);
    sari_step_matrix_clear(&t->P);
    free(t->f), free(t->g), free(t->x), free(t->mu), free(t->block);
}

/* In turns at the ends of the last step: what is known of a place would not be evaluated again. */
static void eval(scene* t, unsigned what)
{
    const sari_state* x = t->turn++ % 2 ? &t->s->previous : &t->s->state;
    (void)sari_equations_eval(t->sys, what, x->t, x->q, x->v);
}

static void rows(scene* t)
{
    eval(t, SARI_EVAL_PHI | SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T);
}

/* With M, where it changes, and K and C, where there are any. */
static void forces(scene* t)
{
    if (t->sys->constant_force) return;
    eval(t, SARI_EVAL_MASS | SARI_EVAL_FORCE | (t->P.has_tangent ? SARI_EVAL_TANGENT : 0));
}

static void factor(scene* t)
{
    const double h = t->s->options.step, ca = 4.0 / (h * h);
    if (t->P.has_tangent || !t->sys->constant_mass)
        sari_step_matrix_set(&t->P, 1.0 / ca, 2.0 / h, NULL, &t->lin.P);
    (void)sari_constrained_factor(&t->lin);
    t->lin.same_P = !t->P.has_tangent && t->sys->constant_mass;
}

static void solve(scene* t)
{
    sari_equations_mass_times(t->sys, t->s->state.a, t->f);
    for (int i = 0; i < t->sys->nq; i++) t->f[i] = t->sys->Q[i] - t->f[i];
    for (int r = 0; r < t->sys->nc; r++) t->g[r] = -t->sys->Phi[r], t->mu[r] = 0.0;
    sari_constrained_solve(&t->lin, t->f, t->g, 1, t->x, t->mu);
}

static void project(scene* t)
{
    const sari_state* x = &t->s->state;
    eval(t, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS | SARI_EVAL_PHI_T);
    memcpy(t->x, x->v, (size_t)t->sys->nq * sizeof(double));
    sari_constrained_project(&t->lin, t->sys->rheonomic ? t->sys->Phi_t : NULL, 1, t->x);
    eval(t, SARI_EVAL_BIAS);
    memcpy(t->x, x->a, (size_t)t->sys->nq * sizeof(double));
    sari_constrained_project(&t->lin, t->sys->bias, 1, t->x);
}

/* [s] of a call; the least of some blocks. */
static double time_of(void (*part)(scene*), scene* t)
{
    double least = INFINITY;
    long calls = 1;
    part(t);
    for (int block = 0; block < BLOCKS;) {
        const double begun = seconds();
        for (long k = 0; k < calls; k++) part(t);
        const double took = seconds() - begun;
        if (took < PART && calls < 1 << 20) {
            calls *= 2;
            continue;
        }
        least = fmin(least, took / (double)calls);
        block++;
    }
    return least;
}

/* The mean over some states of the run. */
static int time_parts(const sar_model* model, const sar_options* o, long steps, parts* p)
{
    sar_simulation* s = start(model, o);
    scene t;
    *p = (parts){0};
    if (!s || !make_scene(&t, s)) return 0;
    t.lin.c = 1e6 / sari_constrained_unit(&t.lin);
    for (int state = 0; state < STATES; state++) {
        for (long k = 0; k < steps / STATES && !sar_simulation_done(s); k++)
            if (sar_simulation_advance(s) != SAR_OK) break;
        p->rows += time_of(rows, &t) / STATES;
        p->forces += time_of(forces, &t) / STATES;
        p->factor += time_of(factor, &t) / STATES;
        p->solve += time_of(solve, &t) / STATES;
        p->projections += time_of(project, &t) / STATES;
    }
    clear_scene(&t);
    sar_simulation_destroy(s);
    return 1;
}

/* ---- problems ------------------------------------------------------------------------------- */

static void print_number(const char* name, double seconds_)
{
    if (isfinite(seconds_))
        printf(", \"%s\": %.4f", name, 1e6 * seconds_);
    else
        printf(", \"%s\": null", name);
}

static void measure(const char* name, const sar_model* model, sar_options o, const char* type)
{
    char method[128];
    whole w = {0, INFINITY, INFINITY, 0.0};
    parts p;
    o.given = 0;
    snprintf(method, sizeof method, "%s coordinates=%s", METHOD, type);
    if (!apply(&o, method) || !time_advance(model, &o, &w)) {
        printf("{\"problem\": \"%s\", \"coordinates\": \"%s\", \"steps\": 0}\n", name, type);
        return;
    }
    for (int block = 1; block < BLOCKS; block++) {
        (void)time_advance(model, &o, &w);
        (void)time_step(model, &o, &w);
    }
    sar_simulation* s = start(model, &o);
    const int ok = time_parts(model, &o, w.steps, &p);
    printf("{\"problem\": \"%s\", \"coordinates\": \"%s\", \"steps\": %ld, \"step\": %g", name,
           type, w.steps, o.step);
    printf(", \"n\": %d, \"m\": %d, \"solver\": \"%s\"", s->system->nq, s->system->nc,
           s->form.ops->solver(s->form.self));
    printf(", \"corrections\": %.2f", w.corrections);
    print_number("advance", w.advance);
    print_number("alone", w.step);
    print_number("rows", ok ? p.rows : NAN);
    print_number("forces", ok ? p.forces : NAN);
    print_number("factor", ok ? p.factor : NAN);
    print_number("solve", ok ? p.solve : NAN);
    print_number("projections", ok ? p.projections : NAN);
    printf("}\n");
    fflush(stdout);
    sar_simulation_destroy(s);
}

static void measure_all(const char* name)
{
    char path[512], *messages = NULL;
    sar_model* model = NULL;
    sar_options o = sar_options_default();
    snprintf(path, sizeof path, "%s/problems/%s/model.yaml", SARRUS_ROOT, name);
    const sar_status st = sar_model_load(path, NULL, 0, &model, &o, &messages);
    sar_text_free(messages);
    for (int k = 0; st == SAR_OK && k < sar_axis_members(SAR_AXIS_COORDINATES); k++)
        measure(name, model, o, sar_axis_member(SAR_AXIS_COORDINATES, k).name);
    sar_model_destroy(model);
}

static int is_problem(const struct dirent* entry)
{
    return !strchr(entry->d_name, '.');
}

int main(int argc, char** argv)
{
    struct dirent** list = NULL;
    const int count = scandir(SARRUS_ROOT "/problems", &list, is_problem, alphasort);
    for (int i = 0; i < count; i++) {
        int wanted = argc < 2;
        for (int a = 1; a < argc; a++) wanted |= strcmp(argv[a], list[i]->d_name) == 0;
        if (wanted) measure_all(list[i]->d_name);
        free(list[i]);
    }
    free(list);
    return 0;
}
