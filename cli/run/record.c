#include "run/record.h"
#include "run/ledger.h"

#include "common/machine.h"

#include "sarrus/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Are states within its steps to be had?
static int interpolates(const sar_options* options)
{
    for (int k = 0; k < sar_axis_members(SAR_AXIS_INTEGRATOR); k++) {
        sar_member member = sar_axis_member(SAR_AXIS_INTEGRATOR, k);
        if (strcmp(member.name, options->integrator) == 0) return member.interpolates;
    }
    return 0;
}

sar_sampling cli_record_sampling(const sar_options* options, int all)
{
    sar_sampling sampling = sar_sampling_of(options, CLI_RECORD_ROWS);
    sampling.at_steps = all && !interpolates(options);
    return sampling;
}

/* ---- the datasets --------------------------------------------------------------------------- */

typedef struct datasets {
    sar_dataset* items;
    cli_words paths; ///< owns the names
    int count;
} datasets;

/// Adding a path may move the list of paths, but never the texts themselves.
static void add(datasets* d, int width, const char* unit, const char* description, char* path)
{
    cli_words_add(&d->paths, "%s", path);
    free(path);
    d->items = cli_resize(d->items, (size_t)(d->count + 1) * sizeof *d->items);
    d->items[d->count] = (sar_dataset){d->paths.items[d->count], width, unit, description};
    d->count++;
}

/// The path of a quantity of a body, a joint, a force, or of the run: energy/kinetic.
static char* path_of(const sar_model* model, const sar_quantity* q, int k)
{
    if (q->of == SAR_OF_BODY)
        return cli_format("bodies/%s/%s", sar_model_body_name(model, k), q->name);
    if (q->of == SAR_OF_JOINT)
        return cli_format("joints/%s/%s", sar_model_joint_name(model, k), q->name);
    if (q->of == SAR_OF_FORCE)
        return cli_format("forces/%s/%s", sar_model_force_name(model, k), q->name);
    char* path = cli_format("%s", q->name);
    for (char* dot = path; (dot = strchr(dot, '.'));) *dot = '/';
    return path;
}

/// All quantities of one body, of one joint, or of the run.
static void add_quantities(datasets* d, cli_record* r, sar_quantity_of of, int k, int multipliers)
{
    for (int i = 0; i < sar_quantities(); i++) {
        const sar_quantity* q = sar_quantity_at(i);
        const int width = q->width ? q->width : multipliers;
        if (q->of != of || width == 0) continue;
        r->more = cli_resize(r->more, (size_t)(r->more_count + 1) * sizeof *r->more);
        r->more[r->more_count++] = (cli_record_part){q, k, width};
        add(d, width, q->unit, q->text, path_of(r->model, q, k));
    }
}

static int ends_in_csv(const char* path)
{
    const size_t length = strlen(path);
    return strcmp(path, "-") == 0 || (length > 4 && strcmp(path + length - 4, ".csv") == 0);
}

/// Which outputs have rates, and where these go: beside the outputs of a CSV, if asked for.
static void add_rates(datasets* d, cli_record* r, const cli_record_def* def)
{
    r->rate = cli_allocate((size_t)r->outputs, sizeof *r->rate);
    r->rate_values = cli_allocate((size_t)r->outputs, sizeof *r->rate_values);
    if (!def->path || (ends_in_csv(def->path) && !def->rates)) return;
    sar_simulation_rates_at(def->simulation, sar_simulation_time(def->simulation), r->rate_values);
    for (int k = 0; k < r->outputs; k++) {
        if (isnan(r->rate_values[k])) continue;
        const char* name = sar_model_output_name(r->model, k);
        r->rate[r->rates++] = k;
        add(d, 1, "", "rate of the output",
            ends_in_csv(def->path) ? cli_format("outputs/%s.rate", name)
                                   : cli_format("rates/%s", name));
    }
}

static datasets datasets_of(cli_record* r, const cli_record_def* def)
{
    const sar_simulation* simulation = def->simulation;
    datasets d = {0};
    const sar_model* model = r->model;
    const double *values, *rates;
    const int multipliers = sar_simulation_multipliers(simulation, &values, &rates);
    add(&d, 1, "s", "time", cli_format("time"));
    for (int k = 0; k < r->outputs; k++)
        add(&d, 1, sar_model_output_unit(model, k), "",
            cli_format("outputs/%s", sar_model_output_name(model, k)));
    for (int k = 0; k < r->errors; k++)
        add(&d, 1, sar_model_output_unit(model, k), "estimate of the error",
            cli_format("outputs/%s.error", sar_model_output_name(model, k)));
    add_rates(&d, r, def);
    for (int k = 1; r->all && k < sar_model_bodies(model); k++)
        add_quantities(&d, r, SAR_OF_BODY, k, multipliers);
    for (int k = 0; r->all && k < sar_model_joints(model); k++)
        add_quantities(&d, r, SAR_OF_JOINT, k, multipliers);
    for (int k = 0; r->all && k < sar_model_forces(model); k++)
        add_quantities(&d, r, SAR_OF_FORCE, k, multipliers);
    if (r->all) add_quantities(&d, r, SAR_OF_RUN, 0, multipliers);
    for (int k = 0; k < r->accounts; k++)
        add(&d, 1, "J",
            sar_account_is_stored(r->account[k].kind) ? "stored since the start" : "came in",
            cli_ledger_path(&r->account[k]));
    return d;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static double* new_rows(long rows, int width, int touched)
{
    size_t bytes = (size_t)width * sizeof(double);
    double* memory = cli_allocate((size_t)rows, bytes);
    if (touched) cli_machine_touch(memory, (size_t)rows * bytes);
    return memory;
}

/// Room for all rows there can be. SAR_E_ARG if that is too much.
static sar_status hold(cli_record* record, double most, int writes, sar_error* error)
{
    double numbers = most * ((writes ? record->width : 0) + record->kept_width);
    if (numbers * sizeof(double) > CLI_RECORD_HOLD) {
        snprintf(error->message, sizeof error->message,
                 "in real time and with --errors all rows stay in memory until the end, and %.3g "
                 "rows of %d numbers are too much for that; ask for fewer with --sample",
                 most, record->width);
        return SAR_E_ARG;
    }
    record->capacity = (long)most;
    if (writes) record->held = new_rows(record->capacity, record->width, 1);
    return SAR_OK;
}

sar_status cli_record_open(cli_record* record, const cli_record_def* def,
                           const sar_sampling* sampling, sar_error* error)
{
    const sar_model* model = def->model;
    const char* path = def->path;
    const int keep = def->keep, holds = def->holds;
    *record = (cli_record){.model = model, .all = def->all, .keep = keep};
    record->outputs = sar_model_outputs(model);
    record->errors = def->errors ? record->outputs : 0;
    sar_signal_find(model, "energy.drift", &record->drift, NULL);
    record->accounts = def->ledger ? sar_simulation_accounts(def->simulation, NULL, 0) : 0;
    record->account = cli_allocate((size_t)record->accounts, sizeof *record->account);
    sar_simulation_accounts(def->simulation, record->account, record->accounts);
    datasets d = datasets_of(record, def);
    for (int k = 0; k < d.count; k++) record->width += d.items[k].width;
    record->row = cli_allocate((size_t)record->width, sizeof(double));
    record->kept_width = keep ? 1 + record->outputs + 1 + record->accounts : 0;
    record->capacity = (long)fmin(sampling->max_samples, 1e6);
    sar_status status = holds ? hold(record, sampling->max_samples, path != NULL, error) : SAR_OK;
    if (status == SAR_OK && keep)
        record->kept = new_rows(record->capacity, record->kept_width, holds);
    const int bodies = sar_model_bodies(model);
    record->pose_stride = 1;
    if (status == SAR_OK && keep && bodies <= CLI_RECORD_BODIES)
        record->poses = new_rows(CLI_RECORD_POSES, bodies * SAR_POSE, holds);
    if (status == SAR_OK) status = cli_rows_open(&record->to, path, d.items, d.count, error);
    cli_words_clear(&d.paths);
    free(d.items);
    return status;
}

/// Everything that --all adds, at a time within the last step or at its end.
static sar_status fill_all(const cli_record* record, sar_simulation* simulation, double t,
                           double* at)
{
    sar_status worst = sar_simulation_look(simulation, t);
    if (worst < 0) return worst;
    for (int k = 0; k < record->more_count; at += record->more[k++].width) {
        const cli_record_part* part = &record->more[k];
        sar_status status = part->quantity->get(simulation, part->k, part->width, at);
        if (status < 0) return status;
        if (status > 0) worst = status;
    }
    const sar_status back = sar_simulation_look(simulation, INFINITY);
    return back < 0 ? back : worst;
}

/// The accounts of energy, likewise.
static sar_status fill_accounts(cli_record* record, sar_simulation* simulation, double t)
{
    sar_status st = record->accounts ? sar_simulation_look(simulation, t) : SAR_OK;
    if (record->accounts == 0 || st < 0) return st;
    sar_simulation_accounts(simulation, record->account, record->accounts);
    st = sar_simulation_look(simulation, INFINITY);
    double* at = record->row + record->width - record->accounts;
    for (int k = 0; k < record->accounts; k++) at[k] = record->account[k].value;
    return st < 0 ? st : SAR_OK;
}

/* Every n-th row; when there are too many, every other one stays. */
static void keep_poses(cli_record* record, const sar_simulation* simulation)
{
    const size_t width = (size_t)sar_model_bodies(record->model) * SAR_POSE;
    if (!record->poses || record->rows % record->pose_stride != 0) return;
    if (record->pose_rows == CLI_RECORD_POSES) {
        record->pose_rows = CLI_RECORD_POSES / 2;
        record->pose_stride *= 2;
        for (size_t k = 1; k < CLI_RECORD_POSES / 2; k++)
            memcpy(record->poses + k * width, record->poses + 2 * k * width,
                   width * sizeof(double));
        if (record->rows % record->pose_stride != 0) return;
    }
    double* to = record->poses + (size_t)record->pose_rows * width;
    int finite = 1;
    for (int b = 0; b < sar_model_bodies(record->model); b++)
        sar_simulation_pose(simulation, (sar_body_id){b}, to + (ptrdiff_t)b * SAR_POSE,
                            to + (ptrdiff_t)b * SAR_POSE + 3);
    for (size_t k = 0; k < width; k++) finite = finite && isfinite(to[k]);
    record->pose_rows += finite;
}

static void keep_row(cli_record* record, sar_simulation* simulation)
{
    if (record->rows == record->capacity) {
        record->capacity *= 2;
        size_t count = (size_t)(record->capacity * record->kept_width);
        record->kept = cli_resize(record->kept, count * sizeof(double));
    }
    double* to = record->kept + record->rows * record->kept_width;
    memcpy(to, record->row, (size_t)(1 + record->outputs) * sizeof(double));
    sar_signal_get(&record->drift, simulation, &to[1 + record->outputs]);
    memcpy(to + 2 + record->outputs, record->row + record->width - record->accounts,
           (size_t)record->accounts * sizeof(double));
    keep_poses(record, simulation);
}

int cli_record_stores(const cli_record* record)
{
    return record->to.writer || record->to.stream || record->keep;
}

static void note_undefined(cli_record* record, double t)
{
    int k = 0;
    while (k < record->outputs && isfinite(record->row[1 + k])) k++;
    if (k == record->outputs) return;
    if (record->undefined++ > 0) return;
    record->undefined_output = k;
    record->undefined_at = t;
}

sar_status cli_record_store(cli_record* record, sar_simulation* simulation, double t)
{
    if (!cli_record_stores(record)) return SAR_OK;
    for (int k = 0; k < record->width; k++) record->row[k] = NAN;
    record->row[0] = t;
    sar_status status = sar_simulation_outputs_at(simulation, t, record->row + 1);
    if (status < 0) return status;
    note_undefined(record, t);
    sar_status more = SAR_OK;
    double* rest = record->row + 1 + record->outputs + record->errors + record->rates;
    if (record->rates > 0) sar_simulation_rates_at(simulation, t, record->rate_values);
    for (int k = 0; k < record->rates; k++)
        rest[k - record->rates] = record->rate_values[record->rate[k]];
    if (record->all) more = fill_all(record, simulation, t, rest);
    if (more < 0) return more;
    const sar_status accounted = fill_accounts(record, simulation, t);
    if (accounted < 0) return accounted;
    if (status > 0 || more > 0) record->doubtful++;
    if (record->keep) keep_row(record, simulation);
    record->rows++;
    if (!record->held) return cli_rows_add(&record->to, record->row);
    if (record->rows > record->capacity) return SAR_E_NOMEM; // sar_sampling.max_samples was wrong
    size_t width = (size_t)record->width;
    memcpy(record->held + (size_t)(record->rows - 1) * width, record->row, width * sizeof(double));
    return SAR_OK;
}

void cli_record_fill(cli_record* record, const cli_reference_run* reference)
{
    for (long i = 0; record->held && i < record->rows && i < record->capacity; i++) {
        double* row = record->held + (size_t)i * (size_t)record->width;
        for (int k = 0; k < record->errors; k++)
            row[1 + record->outputs + k] = cli_reference_run_error(reference, row[0], k);
    }
}

sar_status cli_record_write(cli_record* record)
{
    sar_status status = SAR_OK;
    if (!record->held) return status;
    for (long k = 0; k < record->rows && k < record->capacity && status == SAR_OK; k++)
        status = cli_rows_add(&record->to, record->held + (size_t)k * (size_t)record->width);
    free(record->held);
    record->held = NULL;
    return status;
}

void cli_record_clear(cli_record* record)
{
    sar_error ignored;
    if (record->to.writer) sar_writer_close(record->to.writer, &ignored);
    free(record->row);
    free(record->account);
    free(record->more);
    free(record->rate);
    free(record->rate_values);
    free(record->kept);
    free(record->poses);
    free(record->held);
    *record = (cli_record){0};
}
