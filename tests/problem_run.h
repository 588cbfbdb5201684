/* Run a model file as a user would, keep its outputs, and measure them against a reference table.
 */
#ifndef PROBLEM_RUN_H
#define PROBLEM_RUN_H

#include "results/table.h"
#include "sar_test.h"
#include "sarrus/sarrus.h"

// Long loops use the first number in `make soak`, the second one in `make check`.
#if defined(SARRUS_FULL_TESTS)
#define IN_FULL_OR_SAMPLE(full, sample) (full)
#else
#define IN_FULL_OR_SAMPLE(full, sample) (sample)
#endif

// In a sample the coordinate types take turns: true for one of them, a different one for each k.
#define IN_FULL_OR_TURN(c, k)                                                                      \
    (IN_FULL_OR_SAMPLE(1, 0) ||                                                                    \
     (int)(c) == (int)((size_t)(k) % (size_t)sar_axis_members(SAR_AXIS_COORDINATES)))

#define PROBLEM(name) SARRUS_ROOT "/problems/" name "/model.yaml"
#define REFERENCE(name) SARRUS_ROOT "/problems/" name "/reference.csv"
#define TEST_MODEL(name) SARRUS_ROOT "/tests/models/" name ".yaml"

static const char* const COORDINATES[] = {"natural", "cartesian"};

/// The k-th member of an axis, NULL behind the last: loops that new members join by themselves.
static inline const char* axis_member(sar_axis axis, int k)
{
    return k < sar_axis_members(axis) ? sar_axis_member(axis, k).name : NULL;
}

enum { MOST_OUTPUTS = 32 };

/// A run and its table: one row per `sample` seconds (nearest step), `time` and the model's
/// outputs.
typedef struct problem_run {
    sar_model* model;
    sar_options options;
    sar_simulation* simulation;
    sar_assembly assembly;
    sar_status status; ///< of the last call: assembly, then the steps
    sar_statistics statistics;
    sar_result table;
    int capacity;
    char* names[MOST_OUTPUTS];
} problem_run;

/// Calls `use` for each "name=value" of a text separated by spaces.
static inline void each_setting(const char* text, void (*use)(void*, const char*, const char*),
                                void* context)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char* word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char* equals = strchr(word, '=');
        if (!equals) fail_msg("\"%s\" is not name=value", word);
        *equals = 0;
        use(context, word, equals + 1);
    }
}

static inline void use_option(void* options, const char* name, const char* value)
{
    sar_error error = {0};
    if (sar_options_set(options, name, value, &error) != SAR_OK)
        fail_msg("option %s=%s: %s", name, value, error.message);
}

typedef struct setting_list {
    sar_setting at[8];
    char text[8][2][64];
    int count;
} setting_list;

static inline void use_parameter(void* list_, const char* name, const char* value)
{
    setting_list* list = list_;
    int k = list->count++;
    snprintf(list->text[k][0], sizeof list->text[k][0], "%s", name);
    snprintf(list->text[k][1], sizeof list->text[k][1], "%s", value);
    list->at[k] = (sar_setting){list->text[k][0], list->text[k][1]};
}

/// The simulation of a loaded model, not yet assembled.
static inline void problem_create(problem_run* run, const char* options)
{
    sar_error error = {0};
    each_setting(options, use_option, &run->options);
    if (sar_simulation_create(run->model, &run->options, &run->simulation, &error) != SAR_OK)
        fail_msg("%s: %s", sar_model_name(run->model), error.message);
}

static inline void problem_load(problem_run* run, const char* path, const char* parameters)
{
    setting_list list = {.count = 0};
    char* messages = NULL;
    memset(run, 0, sizeof *run);
    run->options = sar_options_default();
    each_setting(parameters, use_parameter, &list);
    if (sar_model_load(path, list.at, list.count, &run->model, &run->options, &messages) != SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
}

static inline void problem_parse(problem_run* run, const char* text)
{
    char* messages = NULL;
    memset(run, 0, sizeof *run);
    run->options = sar_options_default();
    if (sar_model_parse(text, strlen(text), "test", NULL, 0, &run->model, &run->options,
                        &messages) != SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
}

/// The text of a file, to be freed.
static inline char* problem_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    char* text = calloc(1, 1 << 16);
    if (!file || !text) fail_msg("cannot read %s", path);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    CHECK(length > 0);
    return text;
}

/// Replaces every `old` in a text from problem_text; returns how many there were.
static inline int problem_replace(char** text, const char* old, const char* new)
{
    int count = 0;
    for (const char* at = *text; (at = strstr(at, old)); at += strlen(old)) count++;
    char* result = calloc(1, strlen(*text) + (size_t)count * strlen(new) + 1);
    char* end = result;
    const char *from = *text, *at;
    CHECK(result);
    while ((at = strstr(from, old))) {
        memcpy(end, from, (size_t)(at - from));
        end += at - from;
        end += sprintf(end, "%s", new);
        from = at + strlen(old);
    }
    strcpy(end, from);
    free(*text);
    *text = result;
    return count;
}

/// Load, create and assemble; the assembly must succeed.
static inline void problem_start(problem_run* run, const char* path, const char* parameters,
                                 const char* options)
{
    problem_load(run, path, parameters);
    problem_create(run, options);
    run->status = sar_simulation_assemble(run->simulation, &run->assembly);
    if (run->status != SAR_OK)
        fail_msg("%s: assembly verdict %d, residual %g", path, run->assembly.verdict,
                 run->assembly.residual);
}

static inline void problem_record(problem_run* run, double time)
{
    sar_result* t = &run->table;
    double now[MOST_OUTPUTS];
    if (t->rows == run->capacity) fail_msg("more rows than predicted");
    CHECK_STATUS(sar_simulation_outputs_at(run->simulation, time, now), SAR_OK);
    t->time[t->rows] = time;
    for (int k = 0; k < t->columns; k++) t->values[k * run->capacity + t->rows] = now[k];
    t->rows++;
}

/// Step to the end or to a failure (see `status`), keeping the rows that are asked for, at most so
/// many.
static inline void problem_rows(problem_run* run, sar_sampling rows, int capacity)
{
    sar_result* t = &run->table;
    double time;
    run->capacity = capacity;
    t->columns = sar_model_outputs(run->model);
    CHECK(t->columns <= MOST_OUTPUTS);
    t->time = calloc((size_t)run->capacity, sizeof *t->time);
    t->values = calloc((size_t)run->capacity * (size_t)t->columns, sizeof *t->values);
    t->names = run->names;
    for (int k = 0; k < t->columns; k++)
        run->names[k] = (char*)(uintptr_t)sar_model_output_name(run->model, k);
    sar_run r = sar_run_begin(run->simulation, &rows);
    do
        while (sar_run_sample(&r, &time)) problem_record(run, time);
    while (sar_run_step(&r));
    run->status = r.status;
    run->statistics = sar_simulation_statistics(run->simulation);
    for (int k = 1; k < t->columns; k++) // close the columns up
        memmove(t->values + k * t->rows, t->values + k * run->capacity,
                (size_t)t->rows * sizeof(double));
}

/// A row at the start and every `stride` steps.
static inline void problem_steps(problem_run* run, int stride)
{
    const sar_options* o = &run->options;
    problem_rows(run, (sar_sampling){.start = o->start, .end = o->end, .stride = stride},
                 (int)((o->end - o->start) / o->step / stride) + 3);
}

/// A row at the start and every so many seconds.
static inline void problem_samples(problem_run* run, double interval)
{
    const sar_options* o = &run->options;
    problem_rows(run, (sar_sampling){.start = o->start, .end = o->end, .interval = interval},
                 (int)((o->end - o->start) / interval) + 3);
}

/// Load, assemble and run to the end; all of it must succeed.
static inline void problem_run_all(problem_run* run, const char* path, const char* parameters,
                                   const char* options, int stride)
{
    problem_start(run, path, parameters, options);
    problem_steps(run, stride);
    if (run->status != SAR_OK)
        fail_msg("%s (%s): %s", path, options, sar_simulation_failure(run->simulation));
}

static inline void problem_free(problem_run* run)
{
    free(run->table.time);
    free(run->table.values);
    sar_simulation_destroy(run->simulation);
    sar_model_destroy(run->model);
    memset(run, 0, sizeof *run);
}

/// Create, assemble and run to the end, or fail.
static inline void problem_finish(problem_run* run, const char* options)
{
    problem_create(run, options);
    run->status = sar_simulation_assemble(run->simulation, &run->assembly);
    if (run->status == SAR_OK) problem_steps(run, 1);
    if (run->status != SAR_OK) fail_msg("%s: %s", options, sar_simulation_failure(run->simulation));
}

/// Run a file with its parameters, or (path NULL) a text, in all coordinates, and check what comes.
static inline void each_coordinates(const char* path, const char* parameters, const char* text,
                                    const char* more, void (*check)(problem_run*, const void*),
                                    const void* context)
{
    const char* type;
    for (int c = 0; (type = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        problem_run run;
        char options[128];
        snprintf(options, sizeof options, "coordinates=%s %s", type, more);
        if (path)
            problem_load(&run, path, parameters);
        else
            problem_parse(&run, text);
        problem_finish(&run, options);
        check(&run, context);
        problem_free(&run);
    }
}

/// An output now.
static inline double problem_output(const problem_run* run, const char* name)
{
    double values[MOST_OUTPUTS];
    CHECK_STATUS(sar_simulation_outputs(run->simulation, values), SAR_OK);
    for (int k = 0; k < sar_model_outputs(run->model); k++)
        if (strcmp(sar_model_output_name(run->model, k), name) == 0) return values[k];
    fail_msg("no output %s", name);
    return NAN;
}

/// Column of an output, as recorded.
static inline const double* problem_column(const problem_run* run, const char* name)
{
    int column = sar_result_find(&run->table, name);
    if (column < 0) fail_msg("no output %s", name);
    return sar_result_column(&run->table, column);
}

/// The columns `names` (separated by spaces; NULL: all common ones) of a table against another.
static inline sar_comparison problem_compare_tables(const sar_result* table,
                                                    const sar_result* wanted, const char* names)
{
    char copy[128];
    const char* list[MOST_OUTPUTS];
    sar_comparison_def def = {0};
    sar_comparison got = {0};
    sar_error error = {0};
    snprintf(copy, sizeof copy, "%s", names ? names : "");
    for (char* word = strtok(copy, " "); word; word = strtok(NULL, " ")) list[def.count++] = word;
    def.names = names ? list : NULL;
    if (sar_result_compare(table, wanted, &def, &got, NULL, &error) != SAR_OK)
        fail_msg("%s: %s", names ? names : "all columns", error.message);
    return got;
}

/// A run against a file: eps_T, and the largest error and where it is.
static inline sar_comparison problem_compare(const problem_run* run, const char* reference,
                                             const char* names)
{
    sar_result* wanted = NULL;
    sar_error error = {0};
    if (sar_result_read(reference, &wanted, &error) != SAR_OK) fail_msg("%s", error.message);
    sar_comparison got = problem_compare_tables(&run->table, wanted, names);
    sar_result_destroy(wanted);
    return got;
}

/// Largest error of one column at the times of the reference.
static inline double problem_error(const problem_run* run, const char* reference, const char* name)
{
    return problem_compare(run, reference, name).max_error;
}

#endif
