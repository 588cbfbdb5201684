/* The rows of a study, from entries like
 *
 *     {"label": "ALi3p", "source": "ruggiu2023", "table": "4", "precision": "low",
 *      "method": {"preset": "ALi3p", "step": 0.0035, "alpha": 1e12},
 *      "wall_s": 3.13, "total_error": 0.00167}
 *
 * `method` holds options by their names, `parameters` those of the model. Lists in them make
 * several rows: the k-th takes the k-th value of each list. Many rows may share a method that has
 * no preset: the file names it once in `methods`, and rows begin with it, as in
 * {"use": "mAL-ode4", "step": 1e-3}.
 *
 * In the place of `method` a row may have `results` of another code, which are judged alike:
 *
 *     {"label": "X, 1e-6", "results": {"file": "x.csv", "code": "X", "version": "9.0",
 *                                      "machine": "...", "author": "...", "seconds": [1.2, 1.3]}} */
#include "base/memory.h"
#include "base/status.h"
#include "studies/study_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const row_keys[] = {
    "label",       "problem",     "source",           "table",        "figure",
    "section",     "text",        "method",           "results",      "precision",
    "status",      "equations",   "parameters",       "choice",       "failure",
    "remark",      "reference",   "max_energy_drift", "energy_drift", "wall_s",
    "total_error", "per_step_us", "max_total_error",  "value",        "ranges"};

/* A value of a map as text: a list gives its k-th. */
static const char* value_text(sari_study_file* file, const sari_node* value, int k)
{
    if (value->kind == SARI_NODE_LIST && k < value->count) value = value->values[k];
    if (value->kind == SARI_NODE_SCALAR) return value->text;
    sari_diagnostics_add(file->diagnostics, value->place, "expected a word or a number");
    return "";
}

sar_status sari_study_settings(sari_study_file* file, const sari_node* map, int k,
                               const sar_setting** out, int* count)
{
    if (!map) return SAR_OK;
    sar_setting* settings =
        sari_scratch_allocate(&file->study->memory, ((size_t)map->count + 1) * sizeof *settings);
    if (!settings) return SAR_E_NOMEM;
    for (int j = 0; j < map->count; j++)
        settings[j] = (sar_setting){map->keys[j]->text, value_text(file, map->values[j], k)};
    *out = settings;
    *count = map->count;
    return SAR_OK;
}

/* The options of the method that the row begins with; NULL: it names none. */
static const sari_node* find_named_method(sari_study_file* file, const sari_node* method)
{
    const sari_node* use = sari_node_get(method, "use");
    if (!use) return NULL;
    const char* name = sari_study_text(file, method, "use");
    const sari_node* methods = sari_study_map(file, file->root, "methods");
    const sari_node* found = methods ? sari_study_map(file, methods, name) : NULL;
    if (!found)
        sari_diagnostics_add(file->diagnostics, use->place,
                             "'methods' of this file has no method '%s'", name);
    return found;
}

/* The row's options: those of the named method that the row does not set itself, then its own. */
static sar_status read_method(sari_study_file* file, const sari_node* method, int k,
                              sar_study_row* row)
{
    const sari_node* named = find_named_method(file, method);
    const int most = method->count + (named ? named->count : 0);
    sar_setting* settings =
        sari_scratch_allocate(&file->study->memory, ((size_t)most + 1) * sizeof *settings);
    if (!settings) return SAR_E_NOMEM;
    int n = 0;
    for (int j = 0; named && j < named->count; j++) {
        const char* name = named->keys[j]->text;
        if (sari_node_get(method, name)) continue;
        settings[n++] = (sar_setting){name, sari_study_text(file, named, name)};
    }
    row->inherited = n;
    for (int j = 0; j < method->count; j++)
        if (strcmp(method->keys[j]->text, "use") != 0)
            settings[n++] =
                (sar_setting){method->keys[j]->text, value_text(file, method->values[j], k)};
    row->options = settings;
    row->option_count = n;
    return SAR_OK;
}

/* How many rows the lists of a map make if others make `rows` already (0: none do); -1 after a
 * mistake. */
static int count_rows(sari_study_file* file, const sari_node* map, int rows)
{
    for (int k = 0; map && rows >= 0 && k < map->count; k++) {
        const sari_node* value = map->values[k];
        if (value->kind != SARI_NODE_LIST) continue;
        if (value->count == 0 || (rows > 0 && value->count != rows)) {
            sari_diagnostics_add(file->diagnostics, value->place,
                                 "the lists of a row must be of one length");
            return -1;
        }
        rows = value->count;
    }
    return rows;
}

const sari_node* sari_study_map(sari_study_file* file, const sari_node* map, const char* key)
{
    const sari_node* node = sari_node_get(map, key);
    if (!node || node->kind == SARI_NODE_MAP) return node;
    sari_diagnostics_add(file->diagnostics, node->place, "'%s' must be a map", key);
    return NULL;
}

/* What eps_T is made of. Study files may have a metric of their own. */
static sar_status read_metric(sari_study_file* file, const sari_node* entry, sar_study_row* row)
{
    row->sample = row->time_limit = NAN;
    row->linear = file->study->head.linear;
    row->error_limit = sari_study_number(file, entry, "max_total_error");
    const sari_node* metric = sari_study_map(file, file->root, "metric");
    const char* precision = sari_study_text(file, entry, "precision");
    if (!metric && *precision)
        sari_diagnostics_add(file->diagnostics, sari_node_get(entry, "precision")->place,
                             "'precision' needs the file's 'metric', which says what it means");
    if (!metric) return SAR_OK;
    row->sample = sari_study_number(file, metric, "sample");
    const double relative = sari_study_number(file, metric, "relative");
    row->relative = isnan(relative) ? 0.0 : relative;
    if (*precision) {
        char key[64];
        snprintf(key, sizeof key, "%s_precision", precision);
        row->error_limit = sari_study_number(file, metric, key);
        row->time_limit = sari_study_number(file, metric, "time_limit_s");
        if (isnan(row->error_limit))
            sari_diagnostics_add(file->diagnostics, entry->place, "the metric has no '%s'", key);
    }
    const sari_node* names = sari_node_get(metric, "variables");
    const sari_node* weights = sari_node_get(metric, "weights");
    if (!names || names->kind != SARI_NODE_LIST) return SAR_OK;
    const char** columns =
        sari_scratch_allocate(&file->study->memory, ((size_t)names->count + 1) * sizeof *columns);
    double* numbers =
        sari_scratch_allocate(&file->study->memory, ((size_t)names->count + 1) * sizeof *numbers);
    if (!columns || !numbers) return SAR_E_NOMEM;
    for (int k = 0; k < names->count; k++) {
        columns[k] = value_text(file, names, k);
        numbers[k] = 1.0;
        if (weights && weights->kind == SARI_NODE_LIST && k < weights->count)
            sscanf(value_text(file, weights, k), "%lf", &numbers[k]);
    }
    row->columns = columns;
    row->weights = numbers;
    row->column_count = names->count;
    return SAR_OK;
}

/* What the source measures by, if it is a number of the history. */
static void read_measure(sari_study_file* file, sar_study_row* row)
{
    static const char* const keys[] = {"title", "take", "of", "minus", "right", "within"};
    const sari_node* measure = sari_study_map(file, file->root, "measure");
    row->measure = (sar_study_measure){.title = "", .of = "", .minus = "", .right = NAN};
    row->measure.within = NAN;
    if (!measure) return;
    sari_study_check_keys(file, measure, "a measure", keys, (int)(sizeof keys / sizeof *keys));
    row->measure = (sar_study_measure){.title = sari_study_text(file, measure, "title"),
                                       .take = sari_study_kind(file, measure),
                                       .of = sari_study_text(file, measure, "of"),
                                       .minus = sari_study_text(file, measure, "minus"),
                                       .right = sari_study_number(file, measure, "right"),
                                       .within = sari_study_number(file, measure, "within")};
    if (!*row->measure.of || row->measure.take == SAR_STATEMENT_SLOPE)
        sari_diagnostics_add(file->diagnostics, measure->place,
                             "a measure needs 'of', a column, and takes no slope");
    if (!isnan(row->measure.within) && isnan(row->measure.right))
        sari_diagnostics_add(file->diagnostics, measure->place, "'within' needs 'right'");
}

static void read_published_figures(sari_study_file* file, const sari_node* entry,
                                   sar_study_row* row)
{
    const char* status = sari_study_text(file, entry, "status");
    const char* failure = sari_study_text(file, entry, "failure");
    row->published.failed = *status && strcmp(status, "completed") != 0;
    row->published.failure = *failure ? failure : row->published.failed ? status : "";
    row->published.error = sari_study_number(file, entry, "total_error");
    row->published.energy_drift = sari_study_number(file, entry, "energy_drift");
    row->published.value = sari_study_number(file, entry, "value");
    row->published.seconds = sari_study_number(file, entry, "wall_s");
    row->published.step_us = sari_study_number(file, entry, "per_step_us");
    const sari_node* sources = sari_study_map(file, file->root, "sources");
    const sari_node* source = sources ? sari_study_map(file, sources, row->source) : NULL;
    row->published.relative = file->study->head.relative;
    row->published.absolute = file->study->head.absolute;
    row->published.machine = source ? sari_study_text(file, source, "machine") : "";
}

/* `remark` and `choice` are keys of the file's `remarks`: many rows share one. */
static const char* find_remark(sari_study_file* file, const sari_node* entry, const char* what)
{
    const char* key = sari_study_text(file, entry, what);
    if (!*key) return "";
    const sari_node* remarks = sari_study_map(file, file->root, "remarks");
    const sari_node* node = remarks ? sari_node_get(remarks, key) : NULL;
    if (node && node->kind == SARI_NODE_SCALAR) return node->text;
    sari_diagnostics_add(file->diagnostics, sari_node_get(entry, what)->place,
                         "there is no remark '%s' in 'remarks'", key);
    return "";
}

/* ---- rows of other codes --------------------------------------------------------------------- */

/* The path of a file that lies beside the study. */
static const char* beside(sari_study_file* file, const char* name)
{
    const char* end = file->path ? strrchr(file->path, '/') : NULL;
    const size_t folder = end && name[0] != '/' ? (size_t)(end - file->path) + 1 : 0;
    const size_t size = folder + strlen(name) + 1;
    char* path = sari_scratch_allocate(&file->study->memory, size);
    if (path) snprintf(path, size, "%.*s%s", (int)folder, file->path ? file->path : "", name);
    return path;
}

/* A number or a list of them. */
static void read_times(sari_study_file* file, const sari_node* results, sar_study_row* row)
{
    const sari_node* node = sari_node_get(results, "seconds");
    const int count = !node ? 0 : node->kind == SARI_NODE_LIST ? node->count : 1;
    double sum = 0.0, least = INFINITY, most = -INFINITY;
    for (int k = 0; k < count; k++) {
        double x = NAN;
        if (!sar_number_read(value_text(file, node, k), &x) || x <= 0.0)
            sari_diagnostics_add(file->diagnostics, node->place,
                                 "'seconds' is a positive number, or a list of them");
        sum += x, least = fmin(least, x), most = fmax(most, x);
    }
    row->outside.times = count;
    row->outside.mean = count ? sum / count : NAN;
    row->outside.spread = count ? most - least : NAN;
}

static sar_status read_outside(sari_study_file* file, const sari_node* results, sar_study_row* row)
{
    static const char* const keys[] = {"file",   "code",    "version", "machine",
                                       "author", "seconds", "failure"};
    row->outside.file = row->outside.code = row->outside.version = row->outside.machine = "";
    row->outside.author = row->outside.failure = "";
    row->outside.mean = row->outside.spread = NAN;
    if (!results) return SAR_OK;
    sari_study_check_keys(file, results, "results", keys, (int)(sizeof keys / sizeof *keys));
    row->outside.code = sari_study_text(file, results, "code");
    row->outside.version = sari_study_text(file, results, "version");
    row->outside.machine = sari_study_text(file, results, "machine");
    row->outside.author = sari_study_text(file, results, "author");
    row->outside.failure = sari_study_text(file, results, "failure");
    row->outside.file = beside(file, sari_study_text(file, results, "file"));
    if (!row->outside.file) return SAR_E_NOMEM;
    read_times(file, results, row);
    if (!*sari_study_text(file, results, "file") || !*row->outside.code)
        sari_diagnostics_add(file->diagnostics, results->place,
                             "results of another code need 'file' and 'code'");
    return SAR_OK;
}

static const char* or_else(const char* text, const char* otherwise)
{
    return *text ? text : otherwise;
}

static sar_status read_row(sari_study_file* file, const sari_node* entry, const sari_node* method,
                           int k, sar_study_row* row)
{
    const sari_node *root = file->root, *parameters = sari_study_map(file, entry, "parameters");
    const char* problem = sari_study_text(file, root, "problem");
    const sar_study_head* head = &file->study->head;
    if (!*problem && head->problem_count == 1) problem = head->problems[0];
    *row = (sar_study_row){.problem = or_else(sari_study_text(file, entry, "problem"), problem),
                           .label = sari_study_text(file, entry, "label"),
                           .source = or_else(sari_study_text(file, entry, "source"), head->source),
                           .table = sari_study_text(file, entry, "table"),
                           .equations = sari_study_text(file, entry, "equations"),
                           .reference = or_else(sari_study_text(file, entry, "reference"),
                                                parameters ? "" : "reference.csv"),
                           .energy_limit = sari_study_number(file, entry, "max_energy_drift"),
                           .choice = find_remark(file, entry, "choice"),
                           .remark = find_remark(file, entry, "remark")};
    read_published_figures(file, entry, row);
    SARI_TRY(read_metric(file, entry, row));
    read_measure(file, row);
    SARI_TRY(sari_study_settings(file, parameters, k, &row->parameters, &row->parameter_count));
    SARI_TRY(read_outside(file, sari_study_map(file, entry, "results"), row));
    if (method) SARI_TRY(read_method(file, method, k, row));
    SARI_TRY(sari_study_ranges(file, entry, row));
    if (!*row->label || !*row->problem)
        sari_diagnostics_add(file->diagnostics, entry->place, "a row needs a label and a problem");
    return SAR_OK;
}

static int wanted(sari_study_file* file, const sari_node* entry)
{
    return (!file->source || strcmp(file->source, sari_study_text(file, entry, "source")) == 0) &&
           (!file->table || strcmp(file->table, sari_study_text(file, entry, "table")) == 0);
}

sar_status sari_study_add_row(sari_study_file* file, const sari_node* entry)
{
    if (entry->kind != SARI_NODE_MAP) {
        sari_diagnostics_add(file->diagnostics, entry->place, "a row is a map");
        return SAR_OK;
    }
    if (!wanted(file, entry)) return SAR_OK;
    if (file->strict)
        sari_study_check_keys(file, entry, "a row", row_keys,
                              (int)(sizeof row_keys / sizeof row_keys[0]));
    const sari_node* method = sari_study_map(file, entry, "method");
    const sari_node* results = sari_study_map(file, entry, "results");
    if (!method && !results) {
        file->others++;
        return SAR_OK;
    }
    if (method && results)
        sari_diagnostics_add(file->diagnostics, entry->place,
                             "a row has a 'method' to run or 'results' of another code, not both");
    sar_study* study = file->study;
    int rows = count_rows(file, method, 0);
    rows = count_rows(file, sari_study_map(file, entry, "parameters"), rows);
    for (int k = 0; k < (rows ? rows : 1); k++) {
        if (!sari_grow((void**)&study->rows, study->count, &study->capacity, sizeof *study->rows))
            return SAR_E_NOMEM;
        SARI_TRY(read_row(file, entry, method, k, &study->rows[study->count]));
        study->count++;
    }
    return SAR_OK;
}
