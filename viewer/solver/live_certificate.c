/* How far a live run can be trusted: beside a reference run of the whole of live_self. */
#include "live.h"

#include "live_self.h"

#include "common/files/json.h"

#include <stdlib.h>

typedef struct samples {
    int rows, columns;
    double *time, *values, *work, *reference, *second, *noise, *errors;
} samples;

static void samples_free(samples* s)
{
    double* all[] = {s->time, s->values, s->work, s->reference, s->second, s->noise, s->errors};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
}

static int samples_make(samples* s, int rows, int columns)
{
    const size_t n = (size_t)(rows + 2), all = n * (size_t)(columns + 1);
    *s = (samples){.columns = columns,
                   .time = malloc(n * 8),
                   .values = malloc(all * 8),
                   .work = malloc(n * 8),
                   .reference = malloc(all * 8),
                   .second = malloc(all * 8),
                   .noise = malloc(2 * 8 * (size_t)(columns + 1)),
                   .errors = malloc(all * 8)};
    return s->time && s->values && s->work && s->reference && s->second && s->noise && s->errors;
}

/* The run itself, undisturbed, at about `rows` times. */
static int sample_run(const sar_options* options, int rows, samples* s, sar_reference_run_def* def)
{
    sar_simulation* run = NULL;
    sar_assembly report;
    if (live_create(live_self.model, options, &run, &report)) {
        sar_simulation_destroy(run);
        return 1;
    }
    def->coordinates = sar_simulation_rank(run).coordinates;
    def->size = report.size;
    sar_sampling plan = sar_sampling_of(options, rows);
    sar_run go = sar_run_begin(run, &plan);
    double t;
    do {
        while (sar_run_sample(&go, &t)) {
            if (s->rows > rows + 1) continue;
            s->time[s->rows] = t;
            s->work[s->rows] = sar_simulation_work(run);
            sar_simulation_outputs_at(run, t, s->values + s->rows++ * s->columns);
        }
    } while (sar_run_step(&go));
    const int failed = go.status != SAR_OK && s->rows < 2;
    if (failed) live_fail(sar_simulation_failure(run));
    sar_simulation_destroy(run);
    return failed;
}

static void put_certificate(cli_json* j, const samples* s, const sar_certificate* c,
                            const sar_reference_outcome* by)
{
    const char* ended = c->column >= 0 ? sar_model_output_name(live_self.model, c->column) : NULL;
    cli_json_number(j, "accuracy", c->accuracy);
    cli_json_number(j, "trusted_until", c->trusted);
    cli_json_number(j, "largest", c->largest);
    cli_json_text(j, "largest_output",
                  c->largest_column >= 0 ? sar_model_output_name(live_self.model, c->largest_column)
                                         : NULL);
    cli_json_number(j, "largest_time", c->largest_time);
    cli_json_number(j, "tenfold_s", c->tenfold);
    cli_json_text(j, "ended_by", ended);
    cli_json_text(j, "companion", by->method);
    cli_json_boolean(j, "independent",
                     by->kind == SAR_REFERENCE_INDEPENDENT || by->kind == SAR_REFERENCE_QUICK);
    cli_json_integer(j, "steps", by->steps);
    cli_json_integer(j, "samples", s->rows);
    cli_json_open(j, "time", '[');
    for (int row = 0; row < s->rows; row++) cli_json_short(j, NULL, s->time[row]);
    cli_json_close(j);
    cli_json_open(j, "errors", '[');
    for (int c0 = 0; c0 < s->columns && c0 < 40; c0++) {
        cli_json_open(j, NULL, '[');
        for (int row = 0; row < s->rows; row++)
            cli_json_short(j, NULL, s->errors[row * s->columns + c0]);
        cli_json_close(j);
    }
    cli_json_close(j);
}

/* NULL, or JSON. */
static char* certify(const sar_options* options, int rows, samples* s)
{
    sar_reference_run_def def = {.model = live_self.model, .options = options, .quick = 1};
    sar_reference_outcome by;
    sar_certificate c;
    if (sample_run(options, rows, s, &def)) return NULL;
    def.rows = s->rows, def.time = s->time, def.values = s->values, def.work = s->work;
    def.reference = s->reference, def.second = s->second, def.noise = s->noise;
    sar_reference_run(&def, &by);
    if (sar_reference_outcome_certify(&def, &by, &c, s->errors, NULL) != SAR_OK) {
        live_fail("no reference run is complete");
        return NULL;
    }
    char* text = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    if (!out) return NULL;
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    put_certificate(&j, s, &c, &by);
    cli_json_close(&j);
    fclose(out);
    return text;
}

const char* live_certify(const char* options, const double* starts, double end, int rows)
{
    samples s = {0};
    sar_options o;
    live_close_run();
    live_replace(&live_self.failure, NULL);
    free(live_self.certificate);
    live_self.certificate = NULL;
    if (!live_self.model) return "null";
    live_set_starts(live_self.model, starts);
    if (live_apply_options(options, &o)) return "null";
    if (end > o.start) o.end = end;
    o.sample = (o.end - o.start) / rows;
    const int outputs = sar_model_outputs(live_self.model);
    if (outputs > 0 && samples_make(&s, rows, outputs))
        live_self.certificate = certify(&o, rows, &s);
    samples_free(&s);
    return live_self.certificate ? live_self.certificate : "null";
}
