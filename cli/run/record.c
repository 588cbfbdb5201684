#include "run/record.h"

#include "common/machine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

sar_sampling cli_record_sampling(const sar_options* options, int all)
{
    sar_sampling sampling = sar_sampling_of(options, CLI_RECORD_ROWS);
    sampling.at_steps = all;
    return sampling;
}

/* ---- the datasets ------------------------------------------------------------------------- */

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

static void add_bodies(datasets* d, const sar_model* model)
{
    for (int k = 1; k < sar_model_bodies(model); k++) {
        const char* name = sar_model_body_name(model, k);
        add(d, 3, "m", "origin of the body frame, world axes",
            cli_format("bodies/%s/position", name));
        add(d, 4, "", "body to world (w, x, y, z)", cli_format("bodies/%s/quaternion", name));
        add(d, 3, "m/s", "of the origin, world axes", cli_format("bodies/%s/velocity", name));
        add(d, 3, "rad/s", "world axes", cli_format("bodies/%s/angular_velocity", name));
    }
}

static void add_all(datasets* d, const sar_model* model, int multipliers)
{
    add_bodies(d, model);
    for (int k = 0; k < sar_model_joints(model); k++) {
        const char* name = sar_model_joint_name(model, k);
        add(d, 3, "N", "reaction on the second side, world axes",
            cli_format("joints/%s/force", name));
        add(d, 3, "N m", "reaction on the second side at its point, world axes",
            cli_format("joints/%s/torque", name));
    }
    add(d, 1, "J", "kinetic energy", cli_format("energy/kinetic"));
    add(d, 1, "J", "potential energy of gravity and springs", cli_format("energy/potential"));
    add(d, 1, "J", "work done since the start by everything else", cli_format("energy/work"));
    add(d, 1, "J", "kinetic + potential", cli_format("energy/total"));
    add(d, 1, "", "largest violation of a constraint", cli_format("violation/position"));
    add(d, 1, "", "largest violation of a constraint's rate", cli_format("violation/velocity"));
    add(d, 1, "", "largest violation of a constraint's second rate",
        cli_format("violation/acceleration"));
    add(d, 1, "s", "the last step, or the shortest of those in its place",
        cli_format("method/step"));
    add(d, 1, "", "largest penalty in use", cli_format("method/penalty"));
    if (multipliers > 0) {
        add(d, multipliers, "", "multipliers with equations of motion of their own",
            cli_format("method/multipliers"));
        add(d, multipliers, "", "their rates", cli_format("method/multiplier_rates"));
    }
}

static datasets datasets_of(const sar_model* model, int all, int multipliers)
{
    datasets d = {0};
    add(&d, 1, "s", "time", cli_format("time"));
    for (int k = 0; k < sar_model_outputs(model); k++)
        add(&d, 1, "", "", cli_format("outputs/%s", sar_model_output_name(model, k)));
    if (all) add_all(&d, model, multipliers);
    return d;
}

/* ---- rows --------------------------------------------------------------------------------- */

static void print_header(const cli_record* record)
{
    fputs("time", record->stream);
    for (int k = 0; k < record->outputs; k++)
        fprintf(record->stream, ",%s", sar_model_output_name(record->model, k));
    fputc('\n', record->stream);
}

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
                 "in real time all rows stay in memory until the end, and %.3g rows of %d numbers "
                 "are too much for that; ask for fewer with --sample",
                 most, record->width);
        return SAR_E_ARG;
    }
    record->capacity = (long)most;
    if (writes) record->held = new_rows(record->capacity, record->width, 1);
    return SAR_OK;
}

sar_status cli_record_open(cli_record* record, const sar_model* model, const char* path, int all,
                           int multipliers, int keep, const sar_sampling* sampling, int holds,
                           sar_error* error)
{
    *record = (cli_record){.model = model, .all = all, .multipliers = multipliers, .keep = keep};
    record->outputs = sar_model_outputs(model);
    datasets d = datasets_of(model, all, multipliers);
    for (int k = 0; k < d.count; k++) record->width += d.items[k].width;
    record->row = cli_allocate((size_t)record->width, sizeof(double));
    record->kept_width = keep ? 1 + record->outputs + 1 : 0;
    record->capacity = (long)fmin(sampling->most, 1e6);
    sar_status status = holds ? hold(record, sampling->most, path != NULL, error) : SAR_OK;
    if (status == SAR_OK && keep)
        record->kept = new_rows(record->capacity, record->kept_width, holds);
    if (status != SAR_OK) {
        path = NULL;
    } else if (path && strcmp(path, "-") == 0) {
        record->stream = stdout;
        print_header(record);
    } else if (path) {
        status = sar_writer_open(path, d.items, d.count, &record->writer, error);
    }
    cli_words_clear(&d.paths);
    free(d.items);
    return status;
}

/// Everything that --all adds, in the order of add_all.
static sar_status fill_all(const cli_record* record, sar_simulation* simulation, double* at)
{
    sar_status worst = SAR_OK;
    for (int k = 1; k < sar_model_bodies(record->model); k++, at += 13) {
        sar_simulation_pose(simulation, k, at, at + 3);
        sar_simulation_velocity(simulation, k, at + 7, at + 10);
    }
    for (int k = 0; k < sar_model_joints(record->model); k++, at += 6) {
        sar_status status = sar_simulation_reaction(simulation, k, at, at + 3);
        if (status < 0) return status;
        if (status > 0) worst = status;
    }
    sar_energy energy = sar_simulation_energy(simulation);
    sar_violation violation = sar_simulation_violation(simulation);
    *at++ = energy.kinetic;
    *at++ = energy.potential;
    *at++ = energy.work;
    *at++ = energy.kinetic + energy.potential;
    *at++ = violation.position;
    *at++ = violation.velocity;
    *at++ = violation.acceleration;
    sar_statistics statistics = sar_simulation_statistics(simulation);
    const double *values, *rates;
    const int rows = sar_simulation_multipliers(simulation, &values, &rates);
    *at++ = statistics.step;
    *at++ = statistics.alpha;
    for (int r = 0; r < record->multipliers && r < rows; r++) { // phases may change their number
        at[r] = values[r];
        at[record->multipliers + r] = rates[r];
    }
    return worst;
}

static void keep_row(cli_record* record, const sar_simulation* simulation)
{
    if (record->rows == record->capacity) {
        record->capacity *= 2;
        size_t count = (size_t)(record->capacity * record->kept_width);
        record->kept = cli_resize(record->kept, count * sizeof(double));
    }
    double* to = record->kept + record->rows * record->kept_width;
    memcpy(to, record->row, (size_t)(1 + record->outputs) * sizeof(double));
    sar_energy energy = sar_simulation_energy(simulation);
    double total = energy.kinetic + energy.potential - energy.work;
    if (record->rows == 0) record->energy = total;
    to[1 + record->outputs] = total - record->energy;
}

static int print_row(const cli_record* record, const double* row)
{
    for (int k = 0; k <= record->outputs; k++)
        fprintf(record->stream, "%s%.17g", k ? "," : "", row[k]);
    return fputc('\n', record->stream) == EOF || ferror(record->stream);
}

static sar_status write_row(const cli_record* record, const double* row)
{
    if (record->stream && print_row(record, row)) return SAR_E_IO;
    return record->writer ? sar_writer_append(record->writer, row) : SAR_OK;
}

sar_status cli_record_store(cli_record* record, sar_simulation* simulation, double t)
{
    if (!record->writer && !record->stream && !record->keep) return SAR_OK;
    for (int k = 0; k < record->width; k++) record->row[k] = NAN;
    record->row[0] = t;
    sar_status status = sar_simulation_outputs_at(simulation, t, record->row + 1);
    if (status < 0) return status;
    sar_status more = SAR_OK;
    if (record->all) more = fill_all(record, simulation, record->row + 1 + record->outputs);
    if (more < 0) return more;
    if (status > 0 || more > 0) record->doubtful++;
    if (record->keep) keep_row(record, simulation);
    record->rows++;
    if (!record->held) return write_row(record, record->row);
    if (record->rows > record->capacity) return SAR_E_NOMEM; // sar_sampling.most was wrong
    size_t width = (size_t)record->width;
    memcpy(record->held + (size_t)(record->rows - 1) * width, record->row, width * sizeof(double));
    return SAR_OK;
}

sar_status cli_record_write(cli_record* record)
{
    sar_status status = SAR_OK;
    if (!record->held) return status;
    for (long k = 0; k < record->rows && k < record->capacity && status == SAR_OK; k++)
        status = write_row(record, record->held + (size_t)k * (size_t)record->width);
    free(record->held);
    record->held = NULL;
    return status;
}

void cli_record_attribute(cli_record* record, const char* name, const char* text)
{
    if (record->writer) sar_writer_attribute(record->writer, name, text);
}

sar_status cli_record_flush(cli_record* record, sar_error* error)
{
    return record->writer ? sar_writer_flush(record->writer, error) : SAR_OK;
}

static sar_status close_stream(cli_record* record, sar_error* error)
{
    if (fflush(record->stream) == 0 && !ferror(record->stream)) {
        record->filed = record->rows;
        return SAR_OK;
    }
    record->filed = -1;
    snprintf(error->message, sizeof error->message, "cannot write to standard output: %s",
             strerror(errno));
    return SAR_E_IO;
}

sar_status cli_record_close(cli_record* record, sar_error* error)
{
    if (record->stream) return close_stream(record, error);
    if (!record->writer) return SAR_OK;
    sar_status status = sar_writer_finish(record->writer, error);
    record->filed = sar_writer_kept(record->writer, &record->filed_t);
    sar_writer_close(record->writer, NULL);
    record->writer = NULL;
    return status;
}

void cli_record_clear(cli_record* record)
{
    sar_error ignored;
    if (record->writer) sar_writer_close(record->writer, &ignored);
    free(record->row);
    free(record->kept);
    free(record->held);
    *record = (cli_record){0};
}
