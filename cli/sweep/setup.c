#include "sweep/setup.h"

#include "common/certify.h"
#include "common/command.h"
#include "common/files/result_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line ----------------------------------------------------------------------- */

int cli_setup_option(cli_setup* s, const char* name, const char* value)
{
    if (cli_method_knows(name)) return cli_method_set(&s->method, s->command, name, value);
    if (strcmp(name, "set") == 0) return cli_settings_add(&s->settings, s->command, value);
    if (strcmp(name, "certify") == 0) return cli_certify_read(s->command, value, &s->certify);
    if (strcmp(name, "reference") != 0) return -1;
    s->reference_path = value;
    return 0;
}

/// The name of a model's parameter behind "model.", or NULL.
static const char* after_prefix(const char* name)
{
    return strncmp(name, "model.", 6) == 0 ? name + 6 : NULL;
}

/// Of the model, rather than an option of the method?
static int means_parameter(const char* name)
{
    return after_prefix(name) || !cli_method_knows(name);
}

static const char* bare_name(const char* name)
{
    const char* after = after_prefix(name);
    return after ? after : name;
}

/// Everything that can be replaced, for the nearest word.
static void list_names(const cli_setup* s, int options_too, cli_words* names)
{
    static const char* const axes[] = {"preset", "coordinates", "formulation", "integrator",
                                       "solver"};
    for (int k = 0; k < 5 && options_too; k++) cli_words_add(names, "%s", axes[k]);
    for (int k = 0; k < cli_parameters() && options_too; k++)
        cli_words_add(names, "%s", cli_parameter_at(k).name);
    for (int k = 0; k < sar_model_parameters(s->file.model); k++)
        cli_words_add(names, "%s", sar_model_parameter_name(s->file.model, k));
}

static int refuse_unknown(const cli_setup* s, const char* option, const char* name)
{
    cli_words names = {0};
    list_names(s, !after_prefix(name), &names);
    const char* nearest =
        cli_nearest(bare_name(name), (const char* const*)names.items, names.count);
    const char* what = "is neither an option of the method nor a parameter of the model";
    if (after_prefix(name)) what = "is not a parameter of the model";
    if (nearest)
        cli_error(s->command, "--%s %s: '%s' %s; did you mean '%s'?", option, name, name, what,
                  nearest);
    else
        cli_error(s->command, "--%s %s: '%s' %s", option, name, name, what);
    cli_words_clear(&names);
    return CLI_USAGE;
}

static int given_twice(const cli_setup* s, const char* option, const char* name)
{
    const cli_words* given = means_parameter(name) ? &s->settings.names : &s->method.names;
    const char* bare = bare_name(name);
    int twice = !means_parameter(name) && strcmp(bare, "preset") == 0 && s->method.preset;
    int parameter = means_parameter(name) ? -1 : cli_parameter_find(bare);
    for (int k = 0; k < given->count; k++)
        twice |= strcmp(given->items[k], bare) == 0 ||
                 (parameter >= 0 && cli_parameter_find(given->items[k]) == parameter);
    if (twice)
        cli_error(s->command, "--%s %s: '%s' is given a fixed value too; leave one of them out",
                  option, name, bare);
    return twice;
}

int cli_setup_check_name(const cli_setup* s, const char* option, const char* name)
{
    int parameter = cli_model_has_parameter(s->file.model, bare_name(name));
    if (given_twice(s, option, name)) return CLI_USAGE;
    if (means_parameter(name)) return parameter ? 0 : refuse_unknown(s, option, name);
    if (!parameter) return 0;
    cli_error(s->command,
              "--%s %s: '%s' is an option of the method and a parameter of the model; write "
              "model.%s for the parameter, or rename it in the model",
              option, name, name, name);
    return CLI_USAGE;
}

/* ---- the reference -------------------------------------------------------------------------- */

static char* beside_model(const cli_setup* s, const char* name)
{
    const char* slash = strrchr(s->file.path, '/');
    int length = slash ? (int)(slash - s->file.path) + 1 : 0;
    return cli_format("%.*s%s", length, s->file.path, name);
}

static int changes_model(const cli_setup* s, const char* const* varied, int count)
{
    for (int k = 0; k < count; k++)
        if (means_parameter(varied[k])) return 1;
    return s->settings.names.count > 0;
}

/// A problem's own reference.csv is that of its own parameters: it says nothing about others.
static int find_reference(cli_setup* s, const char* const* varied, int count)
{
    if (s->reference_path) {
        s->reference_found = cli_format("%s", s->reference_path);
    } else {
        char* path = beside_model(s, "reference.csv");
        if (access(path, R_OK) != 0)
            s->no_reference = "the model has no reference.csv beside it";
        else if (changes_model(s, varied, count))
            s->no_reference = "the model's reference is for its own parameters; give another with "
                              "--reference";
        if (s->no_reference)
            free(path);
        else
            s->reference_found = path;
    }
    if (!s->reference_found) return 0;
    sar_error error = {0};
    if (cli_result_read(s->reference_found, &s->reference, &error) == SAR_OK) return 0;
    cli_error(s->command, "%s", error.message);
    return CLI_FAILED;
}

static int find_metric(cli_setup* s)
{
    if (!s->reference) return 0;
    char* path = beside_model(s, "published.json");
    sar_error error = {0};
    sar_status status = SAR_E_IO;
    if (access(path, R_OK) == 0) status = sar_metric_read(path, &s->metric, &error);
    free(path);
    s->has_metric = status == SAR_OK;
    if (status == SAR_OK || status == SAR_E_IO || strcmp(error.field, "metric") == 0) return 0;
    cli_error(s->command, "%s", error.message);
    return CLI_FAILED;
}

int cli_setup_open(cli_setup* s, const char* model, const char* const* varied, int count)
{
    int refused = cli_model_open(model, s->command, &s->settings, &s->file);
    if (refused == 0 &&
        sar_source_open(s->file.text, s->file.length, s->file.path, &s->source) != SAR_OK) {
        cli_error(s->command, "out of memory");
        refused = CLI_FAILED;
    }
    if (refused == 0) refused = find_reference(s, varied, count);
    return refused ? refused : find_metric(s);
}

void cli_setup_close(cli_setup* s)
{
    sar_result_destroy(s->reference);
    free(s->reference_found);
    sar_source_close(s->source);
    cli_model_close(&s->file);
    cli_method_clear(&s->method);
    cli_settings_clear(&s->settings);
}

/* ---- one point ------------------------------------------------------------------------------ */

/// The method of the command line with the choices of a point over it.
static void add_choices(const cli_setup* s, const cli_choice* choices, int count, cli_method* m)
{
    if (s->method.preset) m->preset = cli_format("%s", s->method.preset);
    for (int k = 0; k < s->method.names.count; k++) {
        cli_words_add(&m->names, "%s", s->method.names.items[k]);
        cli_words_add(&m->values, "%s", s->method.values.items[k]);
    }
    for (int k = 0; k < count; k++) {
        if (means_parameter(choices[k].name)) continue;
        if (strcmp(choices[k].name, "preset") == 0) {
            free(m->preset);
            m->preset = cli_format("%s", choices[k].value);
            continue;
        }
        cli_words_add(&m->names, "%s", choices[k].name);
        cli_words_add(&m->values, "%s", choices[k].value);
    }
}

static sar_status set_method(const cli_setup* s, const cli_choice* choices, int count,
                             sar_options* options, sar_error* error)
{
    cli_method method = {0};
    cli_words ignored = {0};
    add_choices(s, choices, count, &method);
    sar_status status = cli_method_try(&method, options, &ignored, error);
    cli_method_clear(&method);
    cli_words_clear(&ignored);
    return status;
}

sar_status cli_setup_options(const cli_setup* s, const cli_choice* choices, int count,
                             sar_options* options, sar_error* error)
{
    *options = s->file.method;
    return set_method(s, choices, count, options, error);
}

/// The model with the parameters of a point. Its file is not read again, and if none differs nothing.
static sar_model* model_at(const cli_setup* s, const cli_choice* choices, int count,
                           sar_options* options, char** messages)
{
    int fixed = s->settings.names.count, n = fixed;
    sar_model* model = NULL;
    sar_setting* list = cli_settings_list(&s->settings, count);
    for (int k = 0; k < count; k++)
        if (means_parameter(choices[k].name))
            list[n++] = (sar_setting){bare_name(choices[k].name), choices[k].value};
    *options = s->file.method;
    if (n > fixed) {
        *options = sar_options_default();
        sar_source_model(s->source, list, n, &model, options, messages);
    }
    free(list);
    return n > fixed ? model : s->file.model;
}

/// The history is sampled where the reference is known; without one only its ends are kept.
static double sample_interval(const cli_setup* s, const sar_options* options)
{
    if (!s->reference) return options->end - options->start;
    if (s->has_metric && s->metric.interval > 0.0) return s->metric.interval;
    const double* time = sar_result_time(s->reference);
    return sar_result_rows(s->reference) > 1 ? time[1] - time[0] : 0.0;
}

/// A point on its way.
typedef struct point {
    sar_model* model; ///< the setup's own, or one to be destroyed; NULL: there is none
    sar_options options;
    int runs; ///< else it has its outcome already
} point;

static void open_point(const cli_setup* s, const cli_choice* choices, int count, point* p,
                       cli_outcome* outcome)
{
    char* messages = NULL;
    sar_error error = {0};
    p->model = model_at(s, choices, count, &p->options, &messages);
    if (!p->model)
        *outcome = cli_outcome_failed(CLI_END_INVALID, messages ? messages : "out of memory");
    else if (set_method(s, choices, count, &p->options, &error) != SAR_OK)
        *outcome = cli_outcome_failed(CLI_END_REFUSED, error.message);
    else
        p->runs = 1;
    if (p->options.sample == 0.0) p->options.sample = sample_interval(s, &p->options);
    if (p->options.threads == 0) p->options.threads = 1; // runs share the cores
    sar_text_free(messages);
}

static void close_point(const cli_setup* s, point* p)
{
    if (p->model != s->file.model) sar_model_destroy(p->model);
}

static cli_outcome outcome_of(sar_status status, const sar_trial* trial, const sar_error* error)
{
    if (status == SAR_OK) return cli_outcome_of(trial);
    return cli_outcome_failed(status == SAR_E_MODEL   ? CLI_END_INVALID
                              : status == SAR_E_NOMEM ? CLI_END_FAILED
                                                      : CLI_END_REFUSED,
                              error->message);
}

static cli_outcome run_point(const cli_setup* s, const point* p)
{
    const char* names[8];
    const sar_comparison_def metric = {.names = names,
                                       .weights = s->metric.weights,
                                       .count = s->metric.count,
                                       .relative = s->metric.relative,
                                       .interval = s->metric.interval};
    for (int k = 0; k < s->metric.count; k++) names[k] = s->metric.names[k];
    const sar_trial_def def = {.model = p->model,
                               .options = p->options,
                               .reference = s->reference,
                               .certify = s->certify,
                               .metric = s->has_metric ? &metric : NULL};
    sar_trial trial;
    sar_error error = {0};
    const sar_status status = sar_trial_run(&def, &trial, NULL, &error);
    return outcome_of(status, &trial, &error);
}

cli_outcome cli_setup_try(const cli_setup* s, const cli_choice* choices, int count)
{
    point p = {0};
    cli_outcome outcome;
    open_point(s, choices, count, &p, &outcome);
    if (p.runs) outcome = run_point(s, &p);
    close_point(s, &p);
    return outcome;
}

/* ---- telling studies apart ------------------------------------------------------------------ */

/* FNV-1a: no secrets here, only mistakes to notice. */
uint64_t cli_hash(uint64_t hash, const void* bytes, size_t length)
{
    for (const unsigned char* b = bytes; length > 0; length--, b++)
        hash = (hash ^ *b) * 1099511628211u;
    return hash;
}

uint64_t cli_hash_text(uint64_t hash, const char* text)
{
    return cli_hash(hash, text ? text : "", (text ? strlen(text) : 0) + 1);
}

uint64_t cli_hash_file(uint64_t hash, const char* path)
{
    FILE* in = fopen(path, "rb");
    char block[65536];
    for (size_t got; in && (got = fread(block, 1, sizeof block, in)) > 0;)
        hash = cli_hash(hash, block, got);
    if (in) fclose(in);
    return hash;
}

uint64_t cli_hash_program(void)
{
    uint64_t hash = cli_hash_file(CLI_HASH_START, cli_program());
    for (int k = 0; k < cli_plugins.count; k++) hash = cli_hash_file(hash, cli_plugins.items[k]);
    return hash;
}

static uint64_t hash_words(uint64_t hash, const cli_words* names, const cli_words* values)
{
    for (int k = 0; k < names->count; k++)
        hash = cli_hash_text(cli_hash_text(hash, names->items[k]), values->items[k]);
    return hash;
}

uint64_t cli_setup_hash_model(const cli_setup* s)
{
    uint64_t hash = cli_hash(CLI_HASH_START, s->file.text, s->file.length);
    for (int k = 0; s->file.model && k < sar_model_files(s->file.model); k++)
        hash = cli_hash_file(hash, sar_model_file(s->file.model, k));
    return hash_words(hash, &s->settings.names, &s->settings.values);
}

uint64_t cli_setup_hash_method(const cli_setup* s)
{
    uint64_t hash = cli_hash_text(CLI_HASH_START, s->method.preset);
    if (s->certify > 0.0) hash = cli_hash(hash, &s->certify, sizeof s->certify);
    return hash_words(hash, &s->method.names, &s->method.values);
}

uint64_t cli_setup_hash_reference(const cli_setup* s)
{
    if (!s->reference) return 0;
    uint64_t hash = cli_hash_file(CLI_HASH_START, s->reference_found);
    return cli_hash(hash, &s->metric, sizeof s->metric);
}
