/* The points of a sweep as a table: CSV and JSON. */
#include "sweep/sweep.h"

#include "common/command.h"
#include "common/files/output_file.h"
#include "common/measures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_sweep_valid(const cli_sweep* s, long point)
{
    return s->known[point] && cli_conditions_hold(s->conditions, &s->outcomes[point]);
}

/// Is it a column? Times are apart: they are not the same every time.
static int has_measure(const cli_sweep* s, int measure, int times)
{
    const sar_measure_kind kind = sar_measure_at(measure).kind;
    if (kind == SAR_KIND_ESTIMATE && !(s->setup->certify > 0.0)) return 0;
    return (kind == SAR_KIND_TIME) == times && (kind != SAR_KIND_ERROR || s->setup->reference);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/// Quoted only where it has to be.
static void put_text(FILE* out, const char* text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char* c = text; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

/// The shortest text that gives the same number again; nothing for what is unknown.
static void put_number(FILE* out, double value)
{
    const double WHOLE = 1e15; // numbers below have at most 15 digits
    char text[32];
    if (isnan(value)) return;
    if (fabs(value) < WHOLE && value == (double)(long)value && (value != 0.0 || !signbit(value))) {
        fprintf(out, "%ld", (long)value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
}

static void put_names(FILE* out, const cli_sweep* s, int times)
{
    for (int m = 0; m < SAR_MEASURES; m++)
        if (has_measure(s, m, times)) fprintf(out, ",%s", sar_measure_at(m).name);
}

static void put_measures(FILE* out, const cli_sweep* s, const cli_outcome* o, int times)
{
    for (int m = 0; m < SAR_MEASURES; m++) {
        if (!has_measure(s, m, times)) continue;
        fputc(',', out);
        put_number(out, o->measure[m]);
    }
}

static void put_head(FILE* out, const cli_sweep* s, int times)
{
    for (int axis = 0; axis < sar_grid_axes(s->grid); axis++) {
        put_text(out, sar_grid_name(s->grid, axis));
        fputc(',', out);
    }
    fputs("status,valid", out);
    put_names(out, s, 0);
    fputs(",verdict", out);
    if (times) put_names(out, s, 1);
    fputc('\n', out);
}

static void put_row(FILE* out, const cli_sweep* s, long point, int* index, int times)
{
    const cli_outcome* o = &s->outcomes[point];
    sar_grid_point(s->grid, point, index);
    for (int axis = 0; axis < sar_grid_axes(s->grid); axis++) {
        put_text(out, sar_grid_text(s->grid, axis, index[axis]));
        fputc(',', out);
    }
    fprintf(out, "%s,%d", cli_end_word(o->end), cli_sweep_valid(s, point));
    put_measures(out, s, o, 0);
    fputc(',', out);
    put_text(out, o->verdict);
    if (times) put_measures(out, s, o, 1);
    fputc('\n', out);
}

static void put_table(FILE* out, const cli_sweep* s, int times)
{
    int* index = cli_allocate((size_t)sar_grid_axes(s->grid), sizeof *index);
    put_head(out, s, times);
    for (long k = 0; k < s->points; k++) put_row(out, s, k, index, times);
    free(index);
}

/// Written to a temporary file and renamed: a reader sees the old table or the new one, never half.
int cli_sweep_write(const cli_sweep* s, const char* command, const char* path, int times)
{
    if (strcmp(path, "-") == 0) {
        put_table(stdout, s, times);
        if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
        cli_error(command, "cannot write the table to standard output: %s", strerror(errno));
        return CLI_FAILED;
    }
    cli_output_file out;
    if (cli_output_begin(&out, command, path)) return CLI_FAILED;
    put_table(out.to, s, times);
    return cli_output_end(&out, command, path);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_point(const cli_sweep* s, cli_json* j, long point, int* index)
{
    const cli_outcome* o = &s->outcomes[point];
    sar_grid_point(s->grid, point, index);
    cli_json_open(j, NULL, '{');
    for (int axis = 0; axis < sar_grid_axes(s->grid); axis++) {
        const char* name = sar_grid_name(s->grid, axis);
        if (sar_grid_scale(s->grid, axis) == SAR_SCALE_WORDS)
            cli_json_text(j, name, sar_grid_text(s->grid, axis, index[axis]));
        else
            cli_json_number(j, name, sar_grid_value(s->grid, axis, index[axis]));
    }
    cli_json_text(j, "status", cli_end_word(o->end));
    cli_json_boolean(j, "valid", cli_sweep_valid(s, point));
    cli_json_measures(j, o->measure, s->setup->reference != NULL, 0);
    cli_json_text(j, "verdict", o->verdict);
    cli_json_close(j);
}

void cli_sweep_json(const cli_sweep* s, cli_json* j, const char* key)
{
    int* index = cli_allocate((size_t)sar_grid_axes(s->grid), sizeof *index);
    cli_json_open(j, key, '[');
    for (long k = 0; k < s->points; k++)
        if (s->known[k]) json_point(s, j, k, index);
    cli_json_close(j);
    free(index);
}
