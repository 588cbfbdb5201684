/* What there is to show of a live page, as JSON: the scene and its controls, and how the run is. */
#include "live.h"

#include "live_self.h"

#include "common/files/json.h"
#include "pages/page_model.h"

#include <stdlib.h>

static void put_column(void* context, const char* name, const char* unit)
{
    cli_json* j = context;
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", name);
    cli_json_text(j, "unit", unit);
    cli_json_close(j);
}

static void put_value(cli_json* j, const char* name, const char* unit, double value)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", name);
    cli_json_text(j, "unit", unit);
    cli_json_number(j, "value", value);
    cli_json_close(j);
}

static void put_controls(cli_json* j)
{
    const sar_model* m = live_self.model;
    cli_json_open(j, "parameters", '[');
    for (int k = 0; k < sar_model_parameters(m); k++)
        put_value(j, sar_model_parameter_name(m, k), "", sar_model_parameter_value(m, k));
    cli_json_close(j);
    cli_json_open(j, "inputs", '[');
    for (int k = 0; k < live_self.inputs; k++)
        put_value(j, sar_model_input_name(m, k), sar_model_input_unit(m, k),
                  sar_model_input_start(m, k));
    cli_json_close(j);
    cli_json_open(j, "starts", '[');
    for (int k = 0; k < sar_model_starts(m); k++)
        put_value(j, sar_model_start_name(m, k), sar_model_start_unit(m, k),
                  sar_model_start_value(m, k));
    cli_json_close(j);
    cli_json_open(j, "presets", '[');
    for (int k = 0; k < sar_presets(); k++) cli_json_text(j, NULL, sar_preset_at(k).name);
    cli_json_close(j);
}

static void put_method(cli_json* j)
{
    const sar_options* o = &live_self.run_options;
    cli_json_open(j, "method", '{');
    cli_json_text(j, "coordinates", o->coordinates);
    cli_json_text(j, "formulation", o->formulation);
    cli_json_text(j, "integrator", o->integrator);
    cli_json_number(j, "start", o->start);
    cli_json_number(j, "end", o->end);
    cli_json_number(j, "step", o->step);
    cli_json_number(j, "tolerance", o->tolerance);
    cli_json_close(j);
}

const char* live_scene(void)
{
    size_t length = 0;
    free(live_self.scene);
    live_self.scene = NULL;
    FILE* out = open_memstream(&live_self.scene, &length);
    if (!out) return "null";
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "name", sar_model_name(live_self.model));
    cli_json_text(&j, "warnings", live_self.messages);
    if (live_self.drawing) {
        cli_page_put_model(&j, live_self.model, live_self.drawing);
        cli_json_open(&j, "marks", '[');
        for (int k = 0; k < sar_drawing_marks(live_self.drawing); k++)
            cli_page_put_mark(&j, sar_drawing_mark(live_self.drawing, k));
        cli_json_close(&j);
    }
    cli_json_open(&j, "columns", '[');
    live_visit_columns(put_column, &j);
    cli_json_close(&j);
    put_controls(&j);
    put_method(&j);
    cli_json_close(&j);
    fclose(out);
    return live_self.scene;
}

static void put_events(cli_json* j, const char* key,
                       int (*get)(const sar_simulation*, const sar_event**))
{
    const sar_event* events = NULL;
    const int count = get(live_self.simulation, &events);
    cli_json_open(j, key, '[');
    for (int k = 0; k < count; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_number(j, "t", events[k].t);
        cli_json_integer(j, "rank", events[k].rank);
        cli_json_text(j, "joints", events[k].joints);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void put_switches(cli_json* j)
{
    const sar_switch* list = NULL;
    const int count = sar_simulation_switches(live_self.simulation, &list);
    cli_json_open(j, "phases", '[');
    for (int k = 0; k < count && k < 4096; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_number(j, "t", list[k].t);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void put_statistics(cli_json* j)
{
    const sar_statistics s = sar_simulation_statistics(live_self.simulation);
    const sar_rank rank = sar_simulation_rank(live_self.simulation);
    cli_json_open(j, "time", '{');
    cli_json_number(j, "start", live_self.run_options.start);
    cli_json_number(j, "end", sar_simulation_time(live_self.simulation));
    cli_json_integer(j, "steps", s.steps);
    cli_json_integer(j, "iterations", s.iterations);
    cli_json_close(j);
    cli_json_open(j, "energy", '{');
    cli_json_number(j, "initial", s.energy_initial);
    cli_json_number(j, "max_drift", s.energy_max_drift);
    cli_json_number(j, "final_drift", s.energy_final_drift);
    cli_json_close(j);
    cli_json_open(j, "violation", '{');
    cli_json_number(j, "position", s.violation.position);
    cli_json_number(j, "velocity", s.violation.velocity);
    cli_json_number(j, "acceleration", s.violation.acceleration);
    cli_json_close(j);
    cli_json_open(j, "rank", '{');
    cli_json_integer(j, "coordinates", rank.coordinates);
    cli_json_integer(j, "constraints", rank.constraints);
    cli_json_integer(j, "rank", rank.rank);
    cli_json_integer(j, "dof", rank.dof);
    cli_json_integer(j, "redundant", rank.redundant);
    cli_json_close(j);
}

const char* live_status(void)
{
    size_t length = 0;
    free(live_self.status);
    live_self.status = NULL;
    FILE* out = live_self.simulation ? open_memstream(&live_self.status, &length) : NULL;
    if (!out) return "null";
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "status",
                  live_self.ended == 2   ? "failed"
                  : live_self.ended == 1 ? "completed"
                                         : "running");
    cli_json_text(&j, "failure", live_self.ended == 2 ? live_self.failure : NULL);
    put_method(&j);
    put_statistics(&j);
    put_events(&j, "singular_passes", sar_simulation_singular_passes);
    put_events(&j, "branch_changes", sar_simulation_branch_changes);
    put_switches(&j);
    cli_json_close(&j);
    fclose(out);
    return live_self.status;
}
