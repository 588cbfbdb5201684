/* sarrus kinematics --along: a curve of the map instead of a motion by drives. A row for each of 201 equal parts of the curve:
 * which part (in the place of time), coordinates of joints [rad] or [m], the mechanical advantage of each (its force by that
 * at the input), transmission angles [rad], and the outputs of a model without drives. */
#include "motion/motion.h"

#include "common/start.h"
#include "common/summary.h"

#include "sarrus/atlas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 200 };

typedef struct along {
    cli_motion* j;
    sar_map* map;
    sar_simulation* simulation; ///< shows the outputs; NULL: there are drives
    sar_map_place place;
    const sar_map_quantity* quantity;
    const sar_map_transmission* bar;
    int quantities, outputs, input, bars;
    double* rates;
    double *poses, *row;
} along;

static int fail(along* a, const char* why, int outcome)
{
    cli_error("kinematics", "%s: %s", a->j->file.path, why);
    return outcome;
}

static int open_map(along* a)
{
    sar_error error = {0};
    sar_status status = sar_map_create(a->j->file.model, NULL, &a->map, &error);
    if (status != SAR_OK)
        return fail(a, error.message, status == SAR_E_ASSEMBLY ? CLI_ASSEMBLY : CLI_FAILED);
    if (sar_map_find(a->map, a->j->want.along, &a->place, &error) != SAR_OK)
        return fail(a, error.message, CLI_USAGE);
    if (a->place.arc < 0) return fail(a, "--along takes a curve of the map: A1, A2, ...", CLI_USAGE);
    const sar_map_arc* arc;
    sar_map_arcs(a->map, &arc);
    a->quantities = sar_map_quantities(a->map, &a->quantity);
    a->bars = arc[a->place.arc].transmissions, a->bar = arc[a->place.arc].transmission;
    a->input = sar_map_input(a->map);
    return 0;
}

static int open_simulation(along* a)
{
    const sar_model* model = a->j->file.model;
    sar_assembly assembly;
    char* why = NULL;
    for (int k = 0; k < sar_model_joints(model); k++)
        if (sar_model_joint_is_drive(model, k, NULL)) return 0;
    sar_options options = sar_options_default();
    int refused = cli_start_create(model, &options, &a->simulation, &why);
    if (!refused) refused = cli_start_assemble(a->simulation, &assembly, &why);
    if (refused) fail(a, why, refused);
    free(why);
    a->outputs = refused ? 0 : sar_model_outputs(model);
    return refused;
}

static int columns_of(const along* a)
{
    return 1 + 2 * a->quantities + a->bars + a->outputs;
}

static int open_rows(along* a)
{
    const int columns = columns_of(a);
    sar_dataset* sets = cli_allocate((size_t)columns, sizeof *sets);
    cli_words paths = {0};
    sar_error error = {0};
    for (int k = 0; k < a->quantities; k++)
        cli_words_add(&paths, "outputs/%s", a->quantity[k].name);
    for (int k = 0; k < a->quantities; k++)
        cli_words_add(&paths, "outputs/%s.advantage", a->quantity[k].name);
    for (int k = 0; k < a->bars; k++)
        cli_words_add(&paths, "outputs/%s.transmission",
                      sar_model_body_name(a->j->file.model, a->bar[k].bar.i));
    for (int k = 0; k < a->outputs; k++)
        cli_words_add(&paths, "outputs/%s", sar_model_output_name(a->j->file.model, k));
    sets[0] = (sar_dataset){"time", 1, "", "part of the curve"};
    for (int k = 0; k + 1 < columns; k++)
        sets[1 + k] = (sar_dataset){paths.items[k], 1,
                                    k >= a->quantities           ? ""
                                    : a->quantity[k].is_angle ? "rad"
                                                              : "m",
                                    ""};
    const sar_status status = cli_rows_open(
        &a->j->to, a->j->want.output ? a->j->want.output : "-", sets, columns, &error);
    free(sets);
    cli_words_clear(&paths);
    return status == SAR_OK ? 0 : fail(a, error.message, status == SAR_E_ARG ? CLI_USAGE : CLI_FAILED);
}

/* The row at the present place. */
static sar_status fill_row(along* a)
{
    a->row[0] = a->place.at;
    sar_status status = sar_map_values(a->map, &a->place, a->row + 1, a->rates);
    double* advantage = a->row + 1 + a->quantities; // force at the coordinate by that at the input
    for (int k = 0; k < a->quantities; k++)
        advantage[k] = a->input >= 0 ? a->rates[a->input] / a->rates[k] : NAN;
    if (status == SAR_OK)
        status = sar_map_transmission_angles(a->map, &a->place, advantage + a->quantities);
    if (status != SAR_OK || !a->simulation) return status;
    status = sar_map_pose(a->map, &a->place, 0.0, a->poses, NULL);
    if (status == SAR_OK)
        status = sar_simulation_set_state(a->simulation, a->poses, NULL, NULL);
    if (status == SAR_OK)
        status = sar_simulation_outputs(a->simulation,
                                        a->row + 1 + 2 * a->quantities + a->bars);
    return status;
}

static int sample(along* a)
{
    sar_error error = {0};
    int outcome = open_rows(a);
    if (outcome) return outcome;
    for (int k = 0; k <= PARTS && outcome == 0; k++) {
        a->place.at = (double)k / PARTS;
        if (fill_row(a) != SAR_OK || cli_rows_add(&a->j->to, a->row) != SAR_OK)
            outcome = fail(a, "a point of the curve has no values, or cannot be written", CLI_FAILED);
    }
    if (cli_rows_close(&a->j->to, &error) != SAR_OK && !outcome)
        outcome = fail(a, error.message, CLI_FAILED);
    return outcome;
}

int cli_motion_along(cli_motion* j, const char* name)
{
    along a = {.j = j};
    int outcome = cli_model_open(name, "kinematics", &j->want.settings, &j->file);
    if (outcome) return outcome;
    outcome = open_map(&a);
    if (!outcome) outcome = open_simulation(&a);
    if (!outcome) {
        a.poses = cli_allocate((size_t)(7 * sar_model_bodies(j->file.model)), sizeof(double));
        a.row = cli_allocate((size_t)columns_of(&a), sizeof(double));
        a.rates = cli_allocate((size_t)a.quantities, sizeof(double));
        outcome = sample(&a);
    }
    free(a.poses);
    free(a.row);
    free(a.rates);
    sar_simulation_destroy(a.simulation);
    sar_map_destroy(a.map);
    return outcome;
}
