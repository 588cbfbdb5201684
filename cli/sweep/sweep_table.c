/* The points of a sweep as a table: CSV and JSON. */
#include "sweep/sweep.h"

#include "common/command.h"
#include "common/output_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_sweep_valid(const cli_sweep* s, long point)
{
    return s->known[point] && cli_conditions_hold(s->conditions, &s->outcomes[point]);
}

static int needs_reference(int measure)
{
    return measure == CLI_MEASURE_eps_T || measure == CLI_MEASURE_max_error;
}

static int has_measure(const cli_sweep* s, int measure)
{
    return s->study->reference || !needs_reference(measure);
}

static double step_us(const cli_outcome* o)
{
    double steps = o->measure[CLI_MEASURE_steps];
    return steps > 0 ? 1e6 * o->seconds / steps : NAN;
}

/* ---- CSV ---------------------------------------------------------------------------------- */

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
    char text[32];
    if (isnan(value)) return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
}

static void put_head(FILE* out, const cli_sweep* s, int times)
{
    for (int axis = 0; axis < sar_grid_axes(s->grid); axis++) {
        put_text(out, sar_grid_name(s->grid, axis));
        fputc(',', out);
    }
    fputs("status,valid", out);
    for (int m = 0; m < CLI_MEASURES; m++)
        if (has_measure(s, m)) fprintf(out, ",%s", cli_measure_name(m));
    fputs(times ? ",verdict,cpu_s,step_us\n" : ",verdict\n", out);
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
    for (int m = 0; m < CLI_MEASURES; m++) {
        if (!has_measure(s, m)) continue;
        fputc(',', out);
        put_number(out, o->measure[m]);
    }
    fputc(',', out);
    put_text(out, o->verdict);
    if (times) {
        fputc(',', out);
        put_number(out, o->seconds);
        fputc(',', out);
        put_number(out, step_us(o));
    }
    fputc('\n', out);
}

static void put_table(FILE* out, const cli_sweep* s, int times)
{
    int* index = cli_allocate((size_t)sar_grid_axes(s->grid), sizeof *index);
    put_head(out, s, times);
    for (long k = 0; k < s->points; k++) put_row(out, s, k, index, times);
    free(index);
}

/// Written beside and renamed: whoever looks sees the old table or the new one, never half of one.
int cli_sweep_write(const cli_sweep* s, const char* command, const char* path, int times)
{
    if (strcmp(path, "-") == 0) {
        put_table(stdout, s, times);
        if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
        cli_error(command, "cannot write the table to standard output: %s", strerror(errno));
        return CLI_FAILED;
    }
    cli_output_file out;
    if (cli_output_open(&out, path) == 0) {
        put_table(out.to, s, times);
        if (cli_output_close(&out) == 0) return 0;
    }
    cli_error(command, "cannot write %s: %s", path, strerror(errno));
    return CLI_FAILED;
}

/* ---- JSON --------------------------------------------------------------------------------- */

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
    for (int m = 0; m < CLI_MEASURES; m++)
        if (has_measure(s, m)) cli_json_number(j, cli_measure_name(m), o->measure[m]);
    cli_json_text(j, "verdict", o->verdict);
    cli_json_number(j, "cpu_s", o->seconds);
    cli_json_number(j, "step_us", step_us(o));
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
