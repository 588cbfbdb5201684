/* The HDF5 file of derivatives: a row for each time at which an objective has a value.
 *
 *     /time                N          an objective `time: ...` is its own
 *     /outputs/OF          N          values, NaN where it has none at that time
 *     /derivatives/OF      N x P      by all parameters in the order of the attribute `parameters`; NaN: refused
 *     /errors/OF           N x P
 *     /whole_runs/OF       N x P      with --check-differences
 *     /bands/OF            N          of numbers with tolerances */
#include "sensitivity/sensitivity.h"

#include "common/files/inputs.h"
#include "common/files/output_file.h"

#include "sarrus/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What the columns of a row are taken from.
typedef enum part { VALUES, DERIVATIVES, ERRORS, WHOLE_RUNS, BANDS, PARTS } part;

static const char* const folder[PARTS] = {"outputs", "derivatives", "errors", "whole_runs",
                                          "bands"};

int cli_derivatives_check_output(const cli_derivatives* d)
{
    const char* ending = strrchr(d->output, '.');
    if (!ending || (strcmp(ending, ".h5") != 0 && strcmp(ending, ".hdf5") != 0)) {
        cli_error("sensitivity",
                  "-o '%s': derivatives are written as .h5 (HDF5); --json prints them as text",
                  d->output);
        return CLI_USAGE;
    }
    const int refused = cli_inputs_refuse("sensitivity", d->output, cli_endings_of_result);
    if (refused || cli_output_check(d->output) == 0) return refused;
    cli_error("sensitivity", "cannot write %s: %s", d->output, strerror(errno));
    return CLI_FAILED;
}

static int has(const cli_derivatives* d, part p)
{
    return (p != WHOLE_RUNS || d->check) && (p != BANDS || d->tolerances);
}

static int width_of(const cli_derivatives* d, part p)
{
    return p == VALUES || p == BANDS ? 1 : d->parameters;
}

/* When the row has its value. */
static double time_of(const cli_derivatives* d, int row)
{
    sar_sensitivity_row of;
    sar_sensitivity_get_row(d->found, row, &of);
    return isnan(of.t) ? of.value : of.t;
}

/* A slash would begin another folder. */
static void add_path(cli_words* paths, part p, const char* of)
{
    cli_words_add(paths, "%s/%s", folder[p], of);
    for (char* c = paths->items[paths->count - 1] + strlen(folder[p]) + 1; *c; c++)
        if (*c == '/') *c = ':';
}

static sar_status open_writer(const cli_derivatives* d, sar_writer** out, int* width,
                              sar_error* error)
{
    cli_words paths = {0};
    sar_dataset* set = cli_allocate((size_t)(1 + PARTS * d->of.count), sizeof *set);
    int sets = 1;
    for (int p = 0; p < PARTS; p++)
        for (int k = 0; has(d, p) && k < d->of.count; k++) add_path(&paths, p, d->of.items[k]);
    set[0] = (sar_dataset){"time", 1, "s", "time"};
    *width = 1;
    for (int p = 0; p < PARTS; p++)
        for (int k = 0; has(d, p) && k < d->of.count; k++, sets++) {
            set[sets] = (sar_dataset){paths.items[sets - 1], width_of(d, p), "", d->of.items[k]};
            *width += width_of(d, p);
        }
    const sar_status st = sar_writer_open(d->output, set, sets, out, error);
    free(set);
    cli_words_clear(&paths);
    return st;
}

static void fill_part(const cli_derivatives* d, int row, part p, double* to)
{
    sar_sensitivity_row of;
    const cli_derivative* entry = &d->J[(size_t)row * (size_t)d->parameters];
    sar_sensitivity_get_row(d->found, row, &of);
    if (p == VALUES) *to = of.value;
    if (p == BANDS) *to = cli_derivatives_band(d, row);
    for (int k = 0; p != VALUES && p != BANDS && k < d->parameters; k++)
        to[k] = p == DERIVATIVES ? entry[k].value : p == ERRORS ? entry[k].error : entry[k].check;
}

/* All that there is at time t. */
static void fill(const cli_derivatives* d, double t, int width, double* to)
{
    for (int i = 0; i < width; i++) to[i] = NAN;
    *to++ = t;
    for (int p = 0; p < PARTS; p++)
        for (int k = 0; has(d, p) && k < d->of.count; k++, to += width_of(d, p))
            for (int row = 0; row < d->rows; row++) {
                sar_sensitivity_row of;
                sar_sensitivity_get_row(d->found, row, &of);
                if (of.objective == k && time_of(d, row) == t) fill_part(d, row, p, to);
            }
}

/* The first time after t. */
static double next_time(const cli_derivatives* d, double t)
{
    double next = INFINITY;
    for (int row = 0; row < d->rows; row++)
        if (time_of(d, row) > t) next = fmin(next, time_of(d, row));
    return next;
}

static void put_attributes(const cli_derivatives* d, sar_writer* w)
{
    char *names = cli_format("%s", ""), *json = NULL;
    size_t length;
    for (int k = 0; k < d->parameters; k++) {
        sar_sensitivity_parameter p;
        sar_sensitivity_get_parameter(d->found, k, &p);
        cli_append(&names, "%s%s", k ? "\n" : "", p.name);
    }
    FILE* text = open_memstream(&json, &length);
    if (text) {
        cli_derivatives_put_json(d, text);
        fclose(text);
    }
    sar_writer_attribute(w, "parameters", names);
    if (json) sar_writer_attribute(w, "json", json);
    sar_writer_attribute(w, "model", d->base.name);
    sar_writer_attribute(w, "model_text", d->base.file.text);
    sar_writer_attribute(w, "model_file", d->base.file.path);
    sar_writer_attribute(w, "version", SAR_VERSION);
    sar_writer_attribute(w, "verdict", "completed");
    free(names);
    free(json);
}

int cli_derivatives_write(const cli_derivatives* d)
{
    sar_writer* w = NULL;
    sar_error error = {0};
    int width;
    sar_status st = open_writer(d, &w, &width, &error);
    double *row = cli_allocate((size_t)width, sizeof *row), t = -INFINITY;
    while (st == SAR_OK && (t = next_time(d, t)) < INFINITY) {
        fill(d, t, width, row);
        st = sar_writer_append(w, row);
    }
    if (st == SAR_OK) put_attributes(d, w);
    if (w) {
        const sar_status closed = sar_writer_close(w, &error);
        st = st == SAR_OK ? closed : st;
    }
    free(row);
    if (st == SAR_OK) return 0;
    cli_error("sensitivity", "cannot write %s: %s", d->output, error.message);
    return CLI_FAILED;
}
