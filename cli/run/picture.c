#include "run/picture.h"

#include "common/command.h"
#include "pictures/plot.h"
#include "pictures/projection.h"
#include "run/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 6, XY_PANELS = 4, PICTURE_WIDTH = 900, PICTURE_HEIGHT = 320 };

/* ---- panels --------------------------------------------------------------------------------- */

/// Shares `curves` among at most PANELS panels: `per_panel` neighbours in each.
typedef struct layout {
    cli_panel panels[PANELS + 2 + CLI_LEDGER_PANELS + XY_PANELS]; ///< room for more at the bottom
    int count, per_panel;
} layout;

static layout layout_of(int curves, const char* const* names, const cli_series* series, int each)
{
    layout l = {.per_panel = (curves + PANELS - 1) / PANELS};
    for (int k = 0; k < curves; k += l.per_panel) {
        int here = k + l.per_panel <= curves ? l.per_panel : curves - k;
        l.panels[l.count++] = (cli_panel){.ylabel = here == 1 ? names[k] : NULL,
                                          .series = series + (ptrdiff_t)each * k,
                                          .count = each * here};
    }
    return l;
}

/* ---- a run ---------------------------------------------------------------------------------- */

/// Column of the kept rows as an array of its own.
static double* kept_column(const cli_record* record, int column)
{
    double* values = cli_allocate((size_t)record->rows, sizeof(double));
    for (long k = 0; k < record->rows; k++)
        values[k] = record->kept[k * record->kept_width + column];
    return values;
}

static double* event_times(const sar_event* events, int count)
{
    double* times = cli_allocate((size_t)count, sizeof(double));
    for (int k = 0; k < count; k++) times[k] = events[k].t;
    return times;
}

/* The mechanism at the start. 0: there is nothing to draw. */
static int draw_start(const cli_record* record, cli_sheet* sheet)
{
    sar_drawing* drawing = NULL;
    cli_view view = {.alpha = 1.0, .frame = -1, .fixed = 1, .moving = 1};
    if (record->pose_rows == 0 || sar_drawing_create(record->model, record->poses,
                                                     record->pose_rows, &drawing, NULL) != SAR_OK)
        return 0;
    *sheet = (cli_sheet){.width = PICTURE_WIDTH, .height = PICTURE_HEIGHT};
    cli_eye_of(NULL, drawing, sar_model_dimension(record->model), &view.eye);
    cli_show_marks(sheet, drawing, record->poses, &view);
    sar_drawing_destroy(drawing);
    return sheet->count > 0;
}

static int output_of(const sar_model* model, const char* name, size_t length)
{
    for (int k = 0; k < sar_model_outputs(model); k++) {
        const char* output = sar_model_output_name(model, k);
        if (strlen(output) == length && strncmp(output, name, length) == 0) return k;
    }
    return -1;
}

/* "x:y", two outputs. 0: it is not that. */
static int outputs_of(const sar_model* model, const char* pair, int* x, int* y)
{
    const char* colon = strchr(pair, ':');
    if (!colon) return 0;
    *x = output_of(model, pair, (size_t)(colon - pair));
    *y = output_of(model, colon + 1, strlen(colon + 1));
    return *x >= 0 && *y >= 0;
}

int cli_picture_check(const sar_model* model, const cli_words* pairs)
{
    int x, y;
    for (int k = 0; k < pairs->count; k++) {
        if (k < XY_PANELS && outputs_of(model, pairs->items[k], &x, &y)) continue;
        if (k == XY_PANELS)
            cli_error("run", "--plot-xy: a plot has at most %d of them", (int)XY_PANELS);
        else
            cli_error("run", "--plot-xy %s: wanted X:Y, two outputs of the model", pairs->items[k]);
        return CLI_USAGE;
    }
    return 0;
}

/* One output over another. */
static void add_xy(layout* l, const cli_record* record, const char* pair, const cli_series* series,
                   const char* const* names, cli_series* room)
{
    int x, y;
    if (!outputs_of(record->model, pair, &x, &y)) return;
    *room = (cli_series){.n = (int)record->rows, .x = series[x].y, .y = series[y].y};
    const int alike = strcmp(sar_model_output_unit(record->model, x),
                             sar_model_output_unit(record->model, y)) == 0;
    l->panels[l->count++] = (cli_panel){
        .ylabel = names[y], .xlabel = names[x], .equal = alike, .series = room, .count = 1};
}

/// Estimates of an output's errors.
static double* error_band(const cli_reference_run* reference, const double* time, long rows,
                          int output)
{
    double* band = cli_allocate((size_t)rows, sizeof(double));
    for (long k = 0; k < rows; k++) band[k] = cli_reference_run_error(reference, time[k], output);
    return band;
}

/// Estimates of the errors; zero, which has no logarithm, is left out.
static double* error_parts(const cli_reference_run* reference, const double* time, long rows)
{
    double* parts = cli_allocate((size_t)rows, sizeof(double));
    for (long k = 0; k < rows; k++) {
        const double part = cli_reference_run_part(reference, time[k]);
        parts[k] = part > 0.0 ? part : NAN;
    }
    return parts;
}

int cli_picture_run(const cli_record* record, const cli_report* report, const cli_words* pairs,
                    const char* path)
{
    int outputs = record->outputs;
    double* time = kept_column(record, 0);
    cli_series* series = cli_allocate((size_t)outputs + 1, sizeof *series);
    const char** names = cli_allocate((size_t)outputs, sizeof *names);
    cli_words labels = {0};
    for (int k = 0; k <= outputs; k++)
        series[k] =
            (cli_series){.n = (int)record->rows, .x = time, .y = kept_column(record, k + 1)};
    layout l = {0};
    for (int k = 0; k < outputs; k++) {
        const char* unit = sar_model_output_unit(record->model, k);
        cli_words_add(&labels, *unit ? "%s [%s]" : "%s%s", sar_model_output_name(record->model, k),
                      unit);
    }
    for (int k = 0; k < outputs; k++) names[k] = labels.items[k];
    if (outputs > 0) l = layout_of(outputs, names, series, 1);
    for (int k = 0; k < outputs && l.per_panel > 1; k++) series[k].name = names[k];
    l.panels[l.count++] =
        (cli_panel){.ylabel = "energy drift [J]", .series = series + outputs, .count = 1};
    cli_ledger_areas areas = {0};
    if (record->accounts) cli_ledger_areas_of(record, time, &areas);
    for (int k = 0; record->accounts && k < CLI_LEDGER_PANELS; k++)
        l.panels[l.count++] = areas.panel[k];
    cli_series errors = {.n = (int)record->rows, .x = time};
    if (report->reference) {
        errors.y = error_parts(report->reference, time, record->rows);
        l.panels[l.count++] = (cli_panel){
            .ylabel = cli_reference_run_doubts(report->reference)
                          ? "error, of the range; curves are dashed where they are not trusted"
                          : "error, of the range",
            .logscale = 1,
            .series = &errors,
            .count = 1};
    }
    for (int k = 0; k < outputs && report->reference; k++) {
        const sar_certificate* c = cli_reference_run_certificate(report->reference);
        series[k].band = error_band(report->reference, time, record->rows, k);
        if (c && c->column >= 0) series[k].solid = c->trusted;
    }
    cli_series room[XY_PANELS];
    for (int k = 0; k < pairs->count && k < XY_PANELS; k++)
        add_xy(&l, record, pairs->items[k], series, names, &room[k]);
    double* marks = event_times(report->passes, report->pass_count);
    cli_plot plot = {.title = report->model,
                     .xlabel = "t [s]",
                     .panels = l.panels,
                     .count = l.count,
                     .markers = marks,
                     .marker_count = report->pass_count,
                     .marker_name = "singular configuration"};
    cli_sheet sheet = {0};
    if (draw_start(record, &sheet)) plot.picture = &sheet;
    int failed = cli_plot_lines(path, &plot);
    cli_sheet_clear(&sheet);
    for (int k = 0; k <= outputs; k++) {
        free((double*)series[k].y);
        free((double*)series[k].band);
    }
    free((double*)errors.y);
    cli_ledger_areas_clear(&areas);
    free(series);
    free(names);
    cli_words_clear(&labels);
    free(time);
    free(marks);
    return failed;
}

/* ---- two results ---------------------------------------------------------------------------- */

/// |a - b| at the times of b; NaN where a does not reach.
static double* distances(const sar_result* a, int column_a, const sar_result* b, int column_b)
{
    const double *ta = sar_result_time(a), *tb = sar_result_time(b);
    const double *ya = sar_result_column(a, column_a), *yb = sar_result_column(b, column_b);
    int rows = sar_result_rows(b), last = sar_result_rows(a) - 1;
    double* values = cli_allocate((size_t)rows, sizeof(double));
    for (int k = 0, i = 0; k < rows; k++) {
        while (i < last && ta[i + 1] < tb[k]) i++;
        values[k] = NAN;
        if (last < 0 || tb[k] < ta[0] || tb[k] > ta[last]) continue;
        int next = i < last ? i + 1 : i;
        double span = ta[next] - ta[i];
        double part = span > 0 ? (tb[k] - ta[i]) / span : 0;
        values[k] = fabs(ya[i] + part * (ya[next] - ya[i]) - yb[k]);
    }
    return values;
}

static cli_series history(const sar_result* r, const char* name)
{
    return (cli_series){.n = sar_result_rows(r),
                        .x = sar_result_time(r),
                        .y = sar_result_column(r, sar_result_find(r, name))};
}

/* The name of a file; with its folder where two of them have the same name. */
static const char* label_of(const char* const files[2], int which)
{
    const char *slash[2] = {strrchr(files[0], '/'), strrchr(files[1], '/')}, *name[2];
    for (int k = 0; k < 2; k++) name[k] = slash[k] ? slash[k] + 1 : files[k];
    return strcmp(name[0], name[1]) == 0 ? files[which] : name[which];
}

int cli_picture_compare(const sar_result* const results[2], const char* const files[2],
                        const char* const* names, int count, const char* path)
{
    const sar_result *a = results[0], *b = results[1];
    // two histories for each column, and behind them one distance for each
    cli_series* series = cli_allocate(3 * (size_t)count, sizeof *series);
    cli_words legend = {0};
    for (int k = 0; k < count; k++) {
        cli_words_add(&legend, "%s, %s", names[k], label_of(files, 0));
        cli_words_add(&legend, "%s, %s", names[k], label_of(files, 1));
        series[2 * k] = history(a, names[k]);
        series[2 * k + 1] = history(b, names[k]);
        series[2 * count + k] = (cli_series){
            .name = names[k],
            .n = sar_result_rows(b),
            .x = sar_result_time(b),
            .y = distances(a, sar_result_find(a, names[k]), b, sar_result_find(b, names[k]))};
    }
    for (int k = 0; k < 2 * count; k++) series[k].name = legend.items[k];
    layout l = layout_of(count, names, series, 2);
    l.panels[l.count++] = (cli_panel){.ylabel = "difference",
                                      .logscale = 1,
                                      .series = series + 2 * (ptrdiff_t)count,
                                      .count = count};
    cli_plot plot = {.xlabel = "t [s]", .panels = l.panels, .count = l.count};
    int failed = cli_plot_lines(path, &plot);
    for (int k = 0; k < count; k++) free((double*)series[2 * count + k].y);
    free(series);
    cli_words_clear(&legend);
    return failed;
}
