/* The four axes as the library offers them: every member is described and cited, every combination
 * either runs and agrees with the reference or says why not, and options belong to who has them. */
#include "base/status.h"
#include "integrators/integrator.h"
#include "problem_run.h"
#include "simulation/simulation.h"

/* ---- members and presets -------------------------------------------------------------------- */

static void check_citations(const char* who, const char* cite)
{
    char key[64];
    while (*cite) {
        size_t n = strcspn(cite, " ");
        CHECK(n > 0 && n < sizeof key);
        snprintf(key, sizeof key, "%.*s", (int)n, cite);
        const char* entry = sar_bibtex(key);
        if (!entry || !strstr(entry, key))
            fail_msg("%s cites \"%s\", which is not known", who, key);
        cite += n;
        cite += strspn(cite, " ");
    }
}

TEST(every_member_is_described_and_cited)
{
    for (int axis = 0; axis < SAR_AXES; axis++) {
        CHECK(strlen(sar_axis_name((sar_axis)axis)) > 0);
        CHECK(sar_axis_members((sar_axis)axis) >= 1);
        for (int k = 0; k < sar_axis_members((sar_axis)axis); k++) {
            sar_member m = sar_axis_member((sar_axis)axis, k);
            CHECK(m.name && strlen(m.name) > 0 && strlen(m.name) < sizeof((sar_options*)0)->solver);
            CHECK(m.text && strlen(m.text) > 10);
            CHECK(m.cite != NULL);
            if (axis != SAR_AXIS_SOLVER && !*m.cite) fail_msg("%s cites nothing", m.name);
            check_citations(m.name, m.cite);
            for (int j = 0; j < k; j++)
                CHECK(strcmp(m.name, sar_axis_member((sar_axis)axis, j).name) != 0);
        }
    }
    CHECK(sar_bibtex("nobody1900") == NULL);
}

TEST(every_preset_is_an_allowed_combination)
{
    CHECK(sar_presets() >= 1);
    for (int k = 0; k < sar_presets(); k++) {
        sar_preset p = sar_preset_at(k);
        sar_options o = sar_options_default();
        sar_error error = {0};
        if (sar_options_set(&o, "preset", p.name, &error) != SAR_OK)
            fail_msg("preset %s: %s", p.name, error.message);
        CHECK_TEXT(o.coordinates, strcmp(p.coordinates, "any") ? p.coordinates : "natural");
        CHECK_TEXT(o.formulation, p.formulation);
        CHECK_TEXT(o.integrator, p.integrator);
        CHECK_TEXT(o.solver, p.solver);
        CHECK(p.text && strlen(p.text) > 10);
        CHECK(p.cite && *p.cite);
        check_citations(p.name, p.cite);
        if (sar_options_check(&o, &error) != SAR_OK)
            fail_msg("preset %s: %s", p.name, error.message);
        for (int j = 0; j < k; j++) CHECK(strcmp(p.name, sar_preset_at(j).name) != 0);
    }
}

TEST(a_preset_sets_its_parameters)
{
    sar_options o = sar_options_default();
    CHECK_STATUS(sar_options_set(&o, "preset", "AL", NULL), SAR_OK);
    CHECK(o.omega == 0.0 && o.project == 1);
}

/* ---- combinations --------------------------------------------------------------------------- */

typedef struct combination {
    const char *coordinates, *formulation, *integrator, *solver;
    int order; ///< of the integrator
} combination;

typedef void visit(const combination* c, void* context);

static void for_each_combination(visit* f, void* context)
{
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++)
        for (int m = 0; m < sar_axis_members(SAR_AXIS_FORMULATION); m++)
            for (int i = 0; i < sar_axis_members(SAR_AXIS_INTEGRATOR); i++)
                for (int s = 0; s <= sar_axis_members(SAR_AXIS_SOLVER); s++) {
                    combination x = {
                        sar_axis_member(SAR_AXIS_COORDINATES, c).name,
                        sar_axis_member(SAR_AXIS_FORMULATION, m).name,
                        sar_axis_member(SAR_AXIS_INTEGRATOR, i).name,
                        s ? sar_axis_member(SAR_AXIS_SOLVER, s - 1).name : "auto",
                        sari_integrators[i]->order,
                    };
                    f(&x, context);
                }
}

static void choose(const combination* c, sar_options* o)
{
    CHECK_STATUS(sar_options_set(o, "coordinates", c->coordinates, NULL), SAR_OK);
    CHECK_STATUS(sar_options_set(o, "formulation", c->formulation, NULL), SAR_OK);
    CHECK_STATUS(sar_options_set(o, "integrator", c->integrator, NULL), SAR_OK);
    CHECK_STATUS(sar_options_set(o, "solver", c->solver, NULL), SAR_OK);
}

static const char* conflict_of(const combination* c)
{
    return sar_methods_conflict(c->coordinates, c->formulation, c->integrator, c->solver);
}

typedef struct trial {
    const sar_model* model;
    sar_options options;
    double time; ///< reference: here
    int columns; ///< these outputs ...
    int output[8];
    double wanted[8]; ///< ... have these values
    int ran, refused;
} trial;

static void run_combination(const combination* c, void* context)
{
    trial* t = context;
    sar_options o = t->options;
    sar_simulation* s = NULL;
    sar_error error = {0};
    double values[32];
    const char* why = conflict_of(c);
    choose(c, &o);
    o.end = t->time;
    sar_status st = sar_simulation_create(t->model, &o, &s, &error);
    if (why) {
        CHECK(strlen(why) > 10);
        CHECK_STATUS(st, SAR_E_INCOMPAT);
        CHECK_TEXT(error.message, why);
        CHECK(s == NULL);
        t->refused++;
        return;
    }
    if (st != SAR_OK || sar_simulation_assemble(s, NULL) != SAR_OK)
        fail_msg("%s %s %s %s: %s", c->coordinates, c->formulation, c->integrator, c->solver,
                 error.message);
    for (int k = 0; !sar_simulation_done(s); k++)
        if (sar_simulation_advance(s) != SAR_OK)
            fail_msg("%s %s %s %s, step %d: %s", c->coordinates, c->formulation, c->integrator,
                     c->solver, k, sar_simulation_failure(s));
    CHECK_NEAR(sar_simulation_time(s), t->time, 1e-12);
    CHECK(sar_model_outputs(t->model) <= 32);
    CHECK_STATUS(sar_simulation_outputs(s, values), SAR_OK);
    double tolerance = c->order > 1 ? 1e-5 : 2e-3;
    for (int k = 0; k < t->columns; k++)
        if (!(fabs(values[t->output[k]] - t->wanted[k]) < tolerance))
            fail_msg("%s with %s %s %s %s: %s = %.12g, wanted %.12g", sar_model_name(t->model),
                     c->coordinates, c->formulation, c->integrator, c->solver,
                     sar_model_output_name(t->model, t->output[k]), values[t->output[k]],
                     t->wanted[k]);
    sar_simulation_destroy(s);
    t->ran++;
}

static void run_al3(const combination* c, void* context)
{
    if (strcmp(c->formulation, "al3") == 0) run_combination(c, context);
}

static void run_without_choosing_solvers(const combination* c, void* context)
{
    if (strcmp(c->solver, "auto") == 0) run_combination(c, context);
}

/* The row of the reference at the end. */
static void read_reference(const char* path, int most, trial* t)
{
    sar_result* r = NULL;
    sar_error error = {0};
    if (sar_result_read(path, &r, &error) != SAR_OK) fail_msg("%s: %s", path, error.message);
    int row = 0;
    while (row < sar_result_rows(r) - 1 && sar_result_time(r)[row] < t->time - 1e-9) row++;
    CHECK_NEAR(sar_result_time(r)[row], t->time, 1e-9);
    for (int k = 0; k < sar_model_outputs(t->model) && t->columns < most; k++) {
        int column = sar_result_find(r, sar_model_output_name(t->model, k));
        if (column < 0) continue;
        t->output[t->columns] = k;
        t->wanted[t->columns++] = sar_result_column(r, column)[row];
    }
    CHECK(t->columns >= 2);
    sar_result_destroy(r);
}

typedef struct scene {
    const char *model, *reference;
    double end;       ///< [s], in steps of 1 ms
    int columns;      ///< these are compared: the first outputs, at most 8
    visit* run;       ///< which combinations
    visit* run_limit; ///< and which with an infinite penalty, which al3 solves in another way
} scene;

static void run_all(const scene* s)
{
    trial t = {.options = sar_options_default()};
    sar_model* model = NULL;
    char* messages = NULL;
    if (sar_model_load(s->model, NULL, 0, &model, &t.options, &messages) != SAR_OK)
        fail_msg("%s: %s", s->model, messages);
    sar_text_free(messages);
    t.model = model;
    t.options.step = 1e-3;
    t.options.end = t.time = s->end;
    read_reference(s->reference, s->columns, &t);
    for_each_combination(s->run, &t);
    CHECK(t.ran >= 8);
    t.options.alpha = INFINITY;
    if (s->run_limit) for_each_combination(s->run_limit, &t);
    sar_model_destroy(model);
}

/* In the plane, through joints of two kinds, and with redundant equations. */
TEST(all_combinations_run_with_all_solvers)
{
    static const scene SCENES[] = {
        {PROBLEM("pendulum"), REFERENCE("pendulum"), 0.02, 8, run_combination, run_al3},
        {PROBLEM("slider-crank-1"), REFERENCE("slider-crank-1"), 0.02, 8, run_combination, run_al3},
        {TEST_MODEL("slider-crank-spatial"), REFERENCE("slider-crank-1"), 0.02, 8, run_combination,
         run_al3},
    };
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++) run_all(&SCENES[k]);
}

#define A_WHILE IN_FULL_OR_SAMPLE(0.05, 0.01) ///< [s]

/* A tree, loops with redundant equations, and conditions on velocities. */
TEST(all_combinations_run_in_space)
{
    static const scene SCENES[] = {
        {PROBLEM("spatial-double-pendulum"), REFERENCE("spatial-double-pendulum"), A_WHILE, 6,
         run_without_choosing_solvers, NULL},
        {PROBLEM("bricard"), REFERENCE("bricard"), A_WHILE, 3, run_without_choosing_solvers, NULL},
        {PROBLEM("four-bar"), REFERENCE("four-bar"), A_WHILE, 3, run_without_choosing_solvers,
         NULL},
        {PROBLEM("rolling-disc"), REFERENCE("rolling-disc"), A_WHILE, 6,
         run_without_choosing_solvers, NULL},
    };
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++) run_all(&SCENES[k]);
}

/* The table says the same as the contracts of formulations and integrators. */
TEST(the_table_follows_from_the_contracts)
{
    for (int f = 0; sari_formulations[f]; f++)
        for (int i = 0; sari_integrators[i]; i++) {
            int missing =
                !sari_formulation_offers(sari_formulations[f], sari_integrators[i]->needs);
            const char* why =
                sar_methods_conflict(sar_axis_member(SAR_AXIS_COORDINATES, 0).name,
                                     sari_formulations[f]->name, sari_integrators[i]->name, "auto");
            if (missing && !why)
                fail_msg("%s with %s: allowed, though it lacks what is needed",
                         sari_formulations[f]->name, sari_integrators[i]->name);
        }
}

TEST(an_infinite_penalty_is_for_formulations_with_a_limit)
{
    sar_model* model = NULL;
    CHECK_STATUS(sar_model_load(PROBLEM("pendulum"), NULL, 0, &model, NULL, NULL), SAR_OK);
    for (int f = 0; sari_formulations[f]; f++) {
        sar_options o = sar_options_default();
        sar_simulation* s = NULL;
        sar_error error = {0};
        const sari_formulation_ops* form = sari_formulations[f];
        int i = 0; // the first that fits
        while (sari_integrators[i] &&
               sar_methods_conflict(o.coordinates, form->name, sari_integrators[i]->name, "auto"))
            i++;
        CHECK(sari_integrators[i]);
        sar_options_set(&o, "formulation", form->name, NULL);
        sar_options_set(&o, "integrator", sari_integrators[i]->name, NULL);
        o.alpha = INFINITY;
        int limit = sari_formulation_can(form, SARI_FORM_LIMIT);
        CHECK_STATUS(sar_simulation_create(model, &o, &s, &error), limit ? SAR_OK : SAR_E_ARG);
        CHECK(limit || strstr(error.message, form->name));
        sar_simulation_destroy(s);
    }
    sar_model_destroy(model);
}

TEST(unknown_members_are_refused_with_a_reason)
{
    CHECK(strstr(sar_methods_conflict("polar", "al3", "trapezoidal", "auto"), "coordinates"));
    CHECK(strstr(sar_methods_conflict("natural", "al9", "trapezoidal", "auto"), "formulation"));
    CHECK(strstr(sar_methods_conflict("natural", "al3", "leapfrog", "auto"), "integrator"));
    CHECK(strstr(sar_methods_conflict("natural", "al3", "trapezoidal", "magic"), "solver"));
    CHECK(sar_methods_conflict("natural", "al3", "trapezoidal", "auto") == NULL);
    sar_options o = sar_options_default();
    sar_error error = {0};
    CHECK_STATUS(sar_options_set(&o, "coordinates", "naturl", &error), SAR_E_ARG);
    CHECK(strstr(error.message, "did you mean \"natural\"") != NULL);
    CHECK_TEXT(o.coordinates, "natural");
    CHECK_STATUS(sar_options_set(&o, "preset", "ALi4p", &error), SAR_E_ARG);
    CHECK(strstr(error.message, "ALi4p") != NULL);
    CHECK_STATUS(sar_options_set(&o, "newton_tolerence", "1", &error), SAR_E_ARG);
    CHECK(strstr(error.message, "newton_tolerance") != NULL);
}

/* ---- options -------------------------------------------------------------------------------- */

typedef struct option_row {
    const char *name, *type;
    double preset, min, max;
    const char* who;
    size_t at;
} option_row;

static const option_row rows[] = {
#define ROW(field, type, preset, word, min, max, who, unit, text)                                  \
    {#field, #type, preset, min, max, who, offsetof(sar_options, field)},
    SAR_OPTION_LIST(ROW)
#undef ROW
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int is_int(const option_row* r)
{
    return strcmp(r->type, "int") == 0;
}

static double stored(const sar_options* o, const option_row* r)
{
    const char* at = (const char*)o + r->at;
    return is_int(r) ? (double)*(const int*)(const void*)at : *(const double*)(const void*)at;
}

static void write_number(double value, char text[64])
{
    if (isinf(value))
        snprintf(text, 64, "inf");
    else
        snprintf(text, 64, "%.17g", value);
}

TEST(every_option_can_be_set)
{
    CHECK(ROWS <= 64); // `given` has a bit for each
    for (int k = 0; k < ROWS; k++) {
        const option_row* r = &rows[k];
        double value[3] = {r->min, r->max, r->preset};
        sar_options o = sar_options_default();
        CHECK(stored(&o, r) == r->preset);
        CHECK(r->preset >= r->min && r->preset <= r->max);
        CHECK(o.given == 0);
        for (int i = 0; i < 3; i++) {
            char text[64];
            sar_error error = {0};
            write_number(value[i], text);
            if (sar_options_set(&o, r->name, text, &error) != SAR_OK)
                fail_msg("%s = %s: %s", r->name, text, error.message);
            if (stored(&o, r) != value[i]) fail_msg("%s = %s is not stored", r->name, text);
            CHECK(o.given == (uint64_t)1 << k);
        }
    }
}

TEST(dashes_stand_for_underscores)
{
    for (int k = 0; k < ROWS; k++) {
        char name[64], text[64];
        sar_options o = sar_options_default();
        snprintf(name, sizeof name, "%s", rows[k].name);
        for (char* c = name; *c; c++)
            if (*c == '_') *c = '-';
        write_number(rows[k].preset, text);
        CHECK_STATUS(sar_options_set(&o, name, text, NULL), SAR_OK);
        CHECK(o.given == (uint64_t)1 << k);
    }
}

TEST(a_fixed_number_of_iterations)
{
    sar_options o = sar_options_default();
    sar_error error = {0};
    CHECK_STATUS(sar_options_set(&o, "iterations", "fixed:3", NULL), SAR_OK);
    CHECK(o.iterations == 3 && o.iterations_fixed);
    CHECK_STATUS(sar_options_check(&o, NULL), SAR_OK);
    CHECK_STATUS(sar_options_set(&o, "integrator", "trapezoidal-variable", NULL), SAR_OK);
    CHECK_STATUS(sar_options_check(&o, &error), SAR_E_ARG);
    CHECK(strstr(error.message, "trapezoidal newmark"));
    CHECK_STATUS(sar_options_set(&o, "iterations", "7", NULL), SAR_OK);
    CHECK(o.iterations == 7 && !o.iterations_fixed);
    CHECK_STATUS(sar_options_set(&o, "iterations", "fixed:0", NULL), SAR_E_ARG);
    CHECK_STATUS(sar_options_set(&o, "iterations", "fixed:", NULL), SAR_E_ARG);
    CHECK_STATUS(sar_options_set(&o, "updates", "fixed:3", NULL), SAR_E_ARG);
    CHECK(o.iterations == 7 && !o.iterations_fixed);
}

static void check_option_refused(const option_row* r, const char* text)
{
    sar_options o = sar_options_default();
    sar_error error = {0};
    if (sar_options_set(&o, r->name, text, &error) != SAR_E_ARG)
        fail_msg("%s = \"%s\" was not refused", r->name, text);
    if (!strstr(error.message, r->name) || strcmp(error.field, r->name) != 0)
        fail_msg("%s = %s: the message \"%s\" (field \"%s\") does not name it", r->name, text,
                 error.message, error.field);
    CHECK(stored(&o, r) == r->preset);
    CHECK(o.given == 0);
}

TEST(values_out_of_range_are_refused_by_name)
{
    static const char* const bad[] = {"",   "abc", "nan",   "1e",   "1,5", "0x10",    " 1",
                                      "1 ", "--1", "1e999", "-inf", "1;2", "infinity"};
    for (int k = 0; k < ROWS; k++) {
        const option_row* r = &rows[k];
        double below = is_int(r)     ? r->min - 1
                       : r->min == 0 ? -1e-300
                       : r->min > 0  ? 0.5 * r->min
                                     : 2 * r->min;
        double above = is_int(r)     ? r->max + 1
                       : r->max == 0 ? 1e-300
                       : r->max > 0  ? 2 * r->max
                                     : 0.5 * r->max;
        char text[64];
        write_number(below, text);
        check_option_refused(r, text);
        if (!isinf(r->max)) {
            write_number(above, text);
            check_option_refused(r, text);
            check_option_refused(r, "inf");
        }
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) check_option_refused(r, bad[i]);
        if (is_int(r)) check_option_refused(r, "0.5");
    }
}

/* "axis:member member ..." */
static int belongs_to(const char* who, const combination* c)
{
    if (strcmp(who, "run") == 0) return 1;
    char copy[128];
    snprintf(copy, sizeof copy, "%s", who);
    char* members = strchr(copy, ':');
    CHECK(members != NULL);
    *members++ = 0;
    const char* mine = strcmp(copy, "formulation") == 0  ? c->formulation
                       : strcmp(copy, "integrator") == 0 ? c->integrator
                       : strcmp(copy, "solver") == 0     ? c->solver
                                                         : c->coordinates;
    for (char* word = strtok(members, " "); word; word = strtok(NULL, " "))
        if (strcmp(word, mine) == 0) return 1;
    return 0;
}

static void check_ownership(const combination* c, void* context)
{
    int* refused = context;
    if (conflict_of(c)) return;
    for (int k = 0; k < ROWS; k++) {
        sar_options o = sar_options_default();
        sar_error error = {0};
        char text[64];
        choose(c, &o);
        write_number(rows[k].preset, text);
        CHECK_STATUS(sar_options_set(&o, rows[k].name, text, NULL), SAR_OK);
        sar_status st = sar_options_check(&o, &error);
        if (belongs_to(rows[k].who, c)) {
            if (st != SAR_OK)
                fail_msg("%s %s refuses its own %s: %s", c->formulation, c->integrator,
                         rows[k].name, error.message);
            continue;
        }
        if (st != SAR_E_ARG || !strstr(error.message, rows[k].name))
            fail_msg("%s %s: %s is of %s: status %d, \"%s\"", c->formulation, c->integrator,
                     rows[k].name, rows[k].who, (int)st, error.message);
        (*refused)++;
    }
}

TEST(options_of_other_methods_are_refused)
{
    int refused = 0;
    for_each_combination(check_ownership, &refused);
    CHECK(refused > 0); // beta and gamma with the trapezoidal rule, at least
}

/* Words after "axis:" are members of that axis; those of SUNDIALS may not be built in. */
TEST(owners_of_options_exist)
{
    for (int k = 0; k < ROWS; k++) {
        if (strcmp(rows[k].who, "run") == 0) continue;
        int axis = 0;
        size_t prefix = strcspn(rows[k].who, ":");
        while (axis < SAR_AXES &&
               (strlen(sar_axis_name((sar_axis)axis)) != prefix ||
                strncmp(sar_axis_name((sar_axis)axis), rows[k].who, prefix) != 0))
            axis++;
        if (axis == SAR_AXES) fail_msg("%s belongs to \"%s\"", rows[k].name, rows[k].who);
        char copy[128];
        snprintf(copy, sizeof copy, "%s", rows[k].who + prefix + 1);
        for (char* word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
            int known = strcmp(word, "dopri5") == 0 || strcmp(word, "bdf") == 0 ||
                        strcmp(word, "ida") == 0 || strcmp(word, "dae") == 0;
            for (int m = 0; m < sar_axis_members((sar_axis)axis); m++)
                known |= strcmp(word, sar_axis_member((sar_axis)axis, m).name) == 0;
            if (!known) fail_msg("%s belongs to \"%s\", which does not exist", rows[k].name, word);
        }
    }
}

TEST(the_end_comes_after_the_start)
{
    sar_options o = sar_options_default();
    sar_error error = {0};
    o.start = 2, o.end = 2;
    CHECK_STATUS(sar_options_check(&o, &error), SAR_E_ARG);
    CHECK_TEXT(error.field, "end");
}
