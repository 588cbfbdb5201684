/* sarrus modes --vary: the eigenvalues over a parameter, as a table, CSV, JSON and a picture. */
#include "modes/modes.h"

#include "common/summary.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int modes_read_vary(modes_task* task, const char* value)
{
    const char* equals = strchr(value, '=');
    char rest = 0;
    if (equals && equals > value && equals[1] &&
        sscanf(equals + 1, "%lf:%lf:%d%c", &task->from, &task->to, &task->points, &rest) == 3 &&
        task->points >= 2 && isfinite(task->from) && isfinite(task->to) && task->from != task->to) {
        task->vary = cli_format("%.*s", (int)(equals - value), value);
        return 0;
    }
    cli_error("modes", "--vary wants NAME=FROM:TO:POINTS, as in --vary speed=0:10:101, not '%s'",
              value);
    return CLI_USAGE;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int open_file(const char* path, FILE** out)
{
    *out = fopen(path, "w");
    if (*out) return 0;
    cli_error("modes", "cannot write '%s': %s", path, strerror(errno));
    return CLI_FAILED;
}

static void write_csv(const modes_task* task, FILE* out)
{
    const sar_modes_point* p;
    const int points = sar_modes_scan_points(task->scan, &p);
    fprintf(out, "%s,re,im,frequency,damping,stability\n", task->vary);
    for (int k = 0; k < points; k++)
        for (int i = 0; i < p[k].summary.modes; i++) {
            const sar_mode* m = &p[k].mode[i];
            fprintf(out, "%.17g,%.17g,%.17g,%.17g,%.17g,%d\n", p[k].value, m->re, m->im,
                    m->frequency, m->damping, m->stability);
        }
}

/* All eigenvalues as dots: x and y by number, 0 the value, 1 re, 2 im, 3 Hz. */
static int gather(const modes_task* task, int which, double* out)
{
    const sar_modes_point* p;
    const int points = sar_modes_scan_points(task->scan, &p);
    int n = 0;
    for (int k = 0; k < points; k++)
        for (int i = 0; i < p[k].summary.modes; i++) {
            const sar_mode* m = &p[k].mode[i];
            const double numbers[] = {p[k].value, m->re, m->im, m->frequency};
            if (out) out[n] = numbers[which];
            n++;
        }
    return n;
}

static void extend(const double* a, int n, double range[2])
{
    range[0] = INFINITY, range[1] = -INFINITY;
    for (int i = 0; i < n; i++) range[0] = fmin(range[0], a[i]), range[1] = fmax(range[1], a[i]);
}

/* `limit`: a line where the real part is zero, on one side of which motions grow; 'x', 'y' or none. */
static void draw(const modes_task* task, const char* title, int x, int y, char limit,
                 const char* xlabel, const char* ylabel, FILE* out)
{
    const int n = gather(task, 0, NULL);
    double *a = cli_allocate((size_t)n + 1, sizeof *a), *b = cli_allocate((size_t)n + 1, sizeof *b);
    gather(task, x, a);
    gather(task, y, b);
    // one series for each dot would be many: breaks between them make dots without lines
    double *u = cli_allocate(2 * (size_t)n + 2, sizeof *u),
           *w = cli_allocate(2 * (size_t)n + 2, sizeof *w);
    for (int i = 0; i < n; i++) u[2 * i] = a[i], w[2 * i] = b[i], u[2 * i + 1] = w[2 * i + 1] = NAN;
    double zero[2] = {0.0, 0.0}, range[2];
    extend(limit == 'x' ? b : a, n, range);
    const cli_svg_series series[] = {
        {.name = "the limit of stability",
         .n = limit ? 2 : 0,
         .x = limit == 'x' ? zero : range,
         .y = limit == 'x' ? range : zero,
         .style = -1},
        {.name = "eigenvalues", .n = 2 * n, .x = u, .y = w, .points = 1}};
    const cli_svg_plot plot = {.title = title,
                               .xlabel = xlabel,
                               .ylabel = ylabel,
                               .width = 640,
                               .height = 400,
                               .series = series,
                               .count = 2};
    cli_svg_write(out, &plot);
    free(a), free(b), free(u), free(w);
}

/* Root locus, real parts and frequencies, one above the other in one file. */
static void write_svg(const modes_task* task, FILE* out)
{
    cli_svg_begin(out, 660, 1260);
    fputs("<g transform=\"translate(10, 10)\">", out);
    draw(task, "Root locus:", 1, 2, 'x', "real part [1/s]", "imaginary part [rad/s]", out);
    fputs("</g>\n<g transform=\"translate(10, 430)\">", out);
    draw(task, "Growth:", 0, 1, 'y', task->vary, "real part [1/s]", out);
    fputs("</g>\n<g transform=\"translate(10, 850)\">", out);
    draw(task, "Frequencies:", 0, 3, '\0', task->vary, "frequency [Hz]", out);
    fputs("</g>\n</svg>\n", out);
}

static int write_file(const modes_task* task, const char* path)
{
    FILE* out;
    const int refused = open_file(path, &out);
    if (refused) return refused;
    if (cli_ends_with(path, ".svg"))
        write_svg(task, out);
    else
        write_csv(task, out);
    if (fclose(out) == 0) return 0;
    cli_error("modes", "cannot write '%s': %s", path, strerror(errno));
    return CLI_FAILED;
}

/* ---- finding -------------------------------------------------------------------------------- */

int modes_scan(modes_task* task)
{
    cli_inspection* x = &task->base;
    const cli_settings* given = &x->settings;
    sar_setting* settings = cli_settings_list(given, 0);
    const sar_modes_scan_task asked = {.parameter = task->vary,
                                       .from = task->from,
                                       .to = task->to,
                                       .points = task->points,
                                       .settings = settings,
                                       .settings_count = given->names.count,
                                       .equilibrium =
                                           task->at && strcmp(task->at, "equilibrium") == 0,
                                       .steady = task->at && strcmp(task->at, "steady") == 0,
                                       .coordinates = x->options.coordinates};
    sar_source* source = NULL;
    sar_error error = {0};
    sar_status st = sar_source_open(x->file.text, x->file.length, x->file.path, &source);
    if (st == SAR_OK) st = sar_modes_scan_create(source, &asked, &task->scan, &error);
    sar_source_close(source);
    free(settings);
    if (st != SAR_OK) {
        cli_error("modes", "%s", error.message[0] ? error.message : sar_status_text(st));
        return st == SAR_E_ARG ? CLI_USAGE : CLI_FAILED;
    }
    x->known = 1;
    for (int k = 0; k < task->outputs.count; k++) {
        const int refused = write_file(task, task->outputs.items[k]);
        if (refused) return refused;
    }
    return CLI_DONE;
}

/* ---- telling -------------------------------------------------------------------------------- */

static void print_changes(const modes_task* task)
{
    const sar_modes_change* c;
    const int changes = sar_modes_scan_changes(task->scan, &c);
    for (int k = 0; k < changes; k++) {
        cli_print_label(stdout, k ? "" : "changes");
        printf("%s = %.10g: %d -> %d modes grow", task->vary, c[k].value, c[k].before, c[k].after);
        if (c[k].im > 0.0)
            printf(", a vibration of %.5g Hz\n", c[k].im / 6.283185307179586);
        else
            printf(", without a vibration\n");
    }
    if (changes) return;
    cli_print_label(stdout, "changes");
    printf("none between %g and %g\n", task->from, task->to);
}

void modes_print_scan(const modes_task* task)
{
    const sar_modes_point* p;
    const int points = sar_modes_scan_points(task->scan, &p);
    printf("%s%s%s: modes over %s\n", cli_paint(stdout, CLI_BOLD), task->base.name,
           cli_paint(stdout, CLI_PLAIN), task->vary);
    print_changes(task);
    for (int k = 0; k < points; k++) {
        char label[32];
        snprintf(label, sizeof label, "%g", p[k].value);
        cli_print_label(stdout, label);
        if (p[k].status != SAR_OK) {
            printf("%s\n", p[k].failure ? p[k].failure : sar_status_text(p[k].status));
            continue;
        }
        for (int i = 0; i < p[k].summary.modes; i++) {
            const sar_mode* m = &p[k].mode[i];
            printf("%s%.6g", i ? "   " : "", m->re);
            if (m->im > 0.0) printf(" +- %.6gi", m->im);
        }
        printf("%s\n", p[k].summary.about == SAR_MODES_FROZEN ? "   (frozen)" : "");
    }
}

static void json_point(const sar_modes_point* p, cli_json* j)
{
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "value", p->value);
    if (p->status != SAR_OK) {
        cli_json_text(j, "failure", p->failure);
        cli_json_close(j);
        return;
    }
    cli_json_integer(j, "zeros", p->summary.zeros);
    cli_json_integer(j, "unstable", p->summary.unstable);
    cli_json_boolean(j, "frozen", p->summary.about == SAR_MODES_FROZEN);
    cli_json_open(j, "modes", '[');
    for (int i = 0; i < p->summary.modes; i++) {
        cli_json_open(j, NULL, '[');
        cli_json_number(j, NULL, p->mode[i].re);
        cli_json_number(j, NULL, p->mode[i].im);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_close(j);
}

void modes_json_scan(const modes_task* task, cli_json* j)
{
    const sar_modes_change* c;
    const sar_modes_point* p;
    const int changes = sar_modes_scan_changes(task->scan, &c),
              points = sar_modes_scan_points(task->scan, &p);
    cli_json_text(j, "parameter", task->vary);
    cli_json_open(j, "changes", '[');
    for (int k = 0; k < changes; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_number(j, "value", c[k].value);
        cli_json_number(j, "error", c[k].error);
        cli_json_integer(j, "before", c[k].before);
        cli_json_integer(j, "after", c[k].after);
        cli_json_number(j, "re", c[k].re);
        cli_json_number(j, "im", c[k].im);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_open(j, "points", '[');
    for (int k = 0; k < points; k++) json_point(&p[k], j);
    cli_json_close(j);
}
