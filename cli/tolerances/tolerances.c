/* sarrus tolerances: what tolerances of dimensions do to redundant joints, all along a motion. */
#include "common/inspection.h"
#include "common/options.h"
#include "common/start.h"
#include "common/summary.h"

#include "sarrus/analysis.h"
#include "sarrus/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 14, MOST = 12 };

typedef struct task {
    cli_inspection base;
    int samples; ///< of the motion; 0: the start alone
    sar_source* source;
    sar_tolerances* found;
    sar_dimension_twins* twins;
    cli_words names;
    int count, samples_taken;
} task;

static int take_option(void* self, const char* name, const char* value)
{
    task* t = self;
    if (strcmp(name, "samples") != 0) return 0;
    return cli_read_count("tolerances", name, value, 0, 100000, &t->samples);
}

/* ---- finding -------------------------------------------------------------------------------- */

static sar_status make_model(task* t, int which, double change, sar_model** out)
{
    const cli_settings* s = &t->base.settings;
    sar_setting* settings = cli_settings_list(s, 0);
    sar_source_change(t->source, which, change);
    const sar_status st = sar_source_model(t->source, settings, s->names.count, out, NULL, NULL);
    free(settings);
    return st;
}

/* Two models for each dimension. */
static int make_twins(task* t)
{
    const sar_dimension* list;
    sar_model* nominal = NULL;
    const cli_model_file* file = &t->base.file;
    if (sar_source_open(file->text, strlen(file->text), file->path, &t->source) != SAR_OK ||
        make_model(t, -1, 0.0, &nominal) != SAR_OK)
        return CLI_FAILED;
    sar_model_destroy(nominal);
    t->count = sar_source_dimensions(t->source, &list);
    t->twins = cli_allocate((size_t)t->count, sizeof *t->twins);
    for (int k = 0; k < t->count; k++) cli_words_add(&t->names, "%s", list[k].name);
    for (int k = 0; k < t->count; k++) {
        sar_source_dimensions(t->source, &list);
        const double tolerance = list[k].tolerance, value = list[k].value;
        sar_model *more = NULL, *less = NULL;
        // small beside the number, or beside its tolerance where that is zero
        const double change =
            1e-5 * (fabs(value) > 1e3 * tolerance ? fabs(value) : 1e3 * tolerance);
        t->twins[k] = (sar_dimension_twins){t->names.items[k], tolerance,
                                            change > 0 ? change : 1e-6, NULL, NULL};
        if (make_model(t, k, t->twins[k].change, &more) != SAR_OK ||
            make_model(t, k, -t->twins[k].change, &less) != SAR_OK) {
            sar_model_destroy(more);
            t->base.failure = cli_format("the model is not valid with %s changed by %.2g",
                                         t->twins[k].name, t->twins[k].change);
            return CLI_FAILED;
        }
        t->twins[k].more = more;
        t->twins[k].less = less;
    }
    return 0;
}

static int follow(task* t)
{
    sar_simulation* s = t->base.simulation;
    const double start = sar_simulation_time(s),
                 part = t->samples ? (t->base.options.end - start) / t->samples : 0.0;
    double next = start;
    for (;;) {
        if (sar_simulation_time(s) >= next) {
            if (sar_tolerances_look(t->found) != SAR_OK) break;
            t->samples_taken++;
            next = sar_simulation_time(s) + part * (1.0 - 1e-9);
        }
        if (!t->samples || sar_simulation_done(s)) break;
        const sar_status status = sar_simulation_advance(s);
        if (status != SAR_OK) return cli_start_failure(s, status, &t->base.failure);
    }
    return 0;
}

static int examine(void* self)
{
    task* t = self;
    cli_inspection* x = &t->base;
    sar_error error = {0};
    int refused = cli_inspection_prefer_relative(x);
    if (!refused) refused = cli_inspection_open(x);
    if (!refused) refused = cli_inspection_choose(x);
    sar_options options = x->options;
    if (!t->samples)
        options.best_effort = 1; // a start that no motion follows has tolerances all the same
    if (!refused) refused = cli_inspection_create(x, &options);
    if (!refused) refused = make_twins(t);
    if (!refused) refused = cli_start_assemble(x->simulation, &x->assembly, &x->failure);
    if (refused) return refused;
    if (sar_tolerances_create(x->simulation, t->twins, t->count, &t->found, &error) != SAR_OK) {
        x->failure = cli_format("%s", error.message);
        return CLI_FAILED;
    }
    if (t->count == 0)
        cli_words_add(
            &x->warnings,
            "no number of the model has a tolerance: write {value: 0.3, tolerance: 1e-4}");
    refused = follow(t);
    if (!refused) x->known = 1;
    return refused;
}

/* ---- telling -------------------------------------------------------------------------------- */

/* Numbers of dimensions, those that matter most first. */
static int* sorted(const task* t)
{
    int* order = cli_allocate((size_t)t->count, sizeof *order);
    for (int k = 0; k < t->count; k++) {
        sar_dimension_effect own, other;
        int i = k;
        sar_tolerances_dimension(t->found, k, &own);
        for (; i > 0; i--) {
            sar_tolerances_dimension(t->found, order[i - 1], &other);
            if (other.share >= own.share) break;
            order[i] = order[i - 1];
        }
        order[i] = k;
    }
    return order;
}

static void print_dimensions(const task* t)
{
    int* order = sorted(t);
    for (int k = 0; k < t->count && k < MOST; k++) {
        sar_dimension_effect e;
        sar_tolerances_dimension(t->found, order[k], &e);
        cli_print_label(stdout, k ? "" : "dimensions");
        printf("%-28s +-%-9.3g opens by %10.4g times that, %5.1f %%%s\n", e.name, e.tolerance,
               e.opening, 100.0 * e.share, e.keeps ? "; loops close with any value" : "");
    }
    if (t->count > MOST)
        printf("%*sand %d more; --json lists all of them\n", LABEL, "", t->count - MOST);
    free(order);
}

static void print_forces(const task* t)
{
    const sar_model* model = t->base.file.model;
    int said = 0;
    for (int j = 0; j < sar_model_joints(model); j++) {
        sar_assembly_force f;
        sar_tolerances_joint(t->found, (sar_joint_id){j}, &f);
        if (!(f.worst > 0.0) && !(f.torque_worst > 0.0)) continue;
        if (said == MOST) break;
        cli_print_label(stdout, said++ ? "" : "assembly");
        printf("%-16s %10.4g N, %10.4g N m at worst; %10.4g N, %10.4g N m statistically\n",
               sar_model_joint_name(model, j), f.worst, f.torque_worst, f.statistical,
               f.torque_statistical);
    }
}

static void print_report(const void* self)
{
    const task* t = self;
    const cli_inspection* x = &t->base;
    if (!x->known) return;
    const sar_opening o = sar_tolerances_opening(t->found);
    const char* verdict = o.states == 0   ? "nothing is redundant"
                          : t->count == 0 ? "no tolerances"
                          : o.worst > 0.0 ? "tolerances open loops"
                                          : "loops close";
    cli_inspection_print_verdict(x, verdict, o.worst == 0.0);
    cli_print_label(stdout, "opening");
    if (o.states == 0)
        puts("none: no joint is redundant, so that other dimensions make another mechanism, which "
             "moves");
    else
        printf("%.6g m at worst, %.6g m statistically, at t = %.6g s; %d state%s of self-stress\n",
               o.worst, o.statistical, o.t, o.states, cli_plural(o.states));
    if (o.extra > 0) {
        cli_print_label(stdout, "singular");
        printf(
            "%d of them in this configuration alone: dimensions that open it separate the motions "
            "that meet there\n",
            o.extra);
        if (!isnan(o.miss))
            printf("%*sthey miss each other by %.4g m at worst\n", LABEL, "", o.miss);
    }
    if (o.states) print_dimensions(t);
    if (o.forces) print_forces(t);
    cli_print_label(stdout, "positions");
    printf("%d\n", t->samples_taken);
    cli_inspection_print_warnings(x);
}

static void json_forces(const task* t, cli_json* j)
{
    const sar_model* model = t->base.file.model;
    cli_json_open(j, "assembly_forces", '{');
    for (int k = 0; k < sar_model_joints(model); k++) {
        sar_assembly_force f;
        sar_tolerances_joint(t->found, (sar_joint_id){k}, &f);
        cli_json_open(j, sar_model_joint_name(model, k), '{');
        cli_json_number(j, "worst", f.worst);
        cli_json_number(j, "statistical", f.statistical);
        cli_json_number(j, "torque_worst", f.torque_worst);
        cli_json_number(j, "torque_statistical", f.torque_statistical);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void print_json(const void* self, cli_json* j)
{
    const task* t = self;
    if (t->base.known) {
        const sar_opening o = sar_tolerances_opening(t->found);
        cli_json_integer(j, "self_stresses", o.states);
        cli_json_integer(j, "singular", o.extra);
        cli_json_number(j, "worst", o.worst);
        cli_json_number(j, "statistical", o.statistical);
        cli_json_number(j, "t", o.t);
        if (o.extra > 0) cli_json_number(j, "miss", o.miss);
        cli_json_integer(j, "positions", t->samples_taken);
        cli_json_open(j, "dimensions", '[');
        for (int k = 0; k < t->count; k++) {
            sar_dimension_effect e;
            sar_tolerances_dimension(t->found, k, &e);
            cli_json_open(j, NULL, '{');
            cli_json_text(j, "name", e.name);
            cli_json_number(j, "tolerance", e.tolerance);
            cli_json_number(j, "opening", e.opening);
            cli_json_number(j, "share", e.share);
            cli_json_boolean(j, "keeps", e.keeps);
            cli_json_close(j);
        }
        cli_json_close(j);
        if (o.forces) json_forces(t, j);
    }
}

/* ---- the command ---------------------------------------------------------------------------- */

static int tolerances_main(int argc, char** argv)
{
    static const cli_inspector how = {.take = take_option,
                                      .examine = examine,
                                      .print_report = print_report,
                                      .print_json = print_json};
    task t = {.base.command = &cli_command_tolerances, .samples = 50};
    const int outcome = cli_inspect(&how, &t.base, argc, argv);
    sar_tolerances_destroy(t.found);
    for (int k = 0; t.twins && k < t.count; k++) {
        sar_model_destroy((sar_model*)t.twins[k].more);
        sar_model_destroy((sar_model*)t.twins[k].less);
    }
    free(t.twins);
    cli_words_clear(&t.names);
    sar_source_close(t.source);
    return outcome;
}

static const cli_option tolerances_options[] = {
    {"samples", 0, "N",
     "positions of the motion that are looked at (default 50); 0: the start alone"},
    {0}};

static const cli_brief tolerances_brief[] = {
    {"samples", "positions of the motion (default 50); 0: the start alone"},
    {"end", "time at the end of the motion"},
    {0}};

const cli_command cli_command_tolerances = {
    .name = "tolerances",
    .summary = "what tolerances of dimensions do to redundant joints",
    .operands = "MODEL [options]",
    .examples = "# by how much do loops open, and which dimension matters most?\n"
                "sarrus tolerances door.yaml\n"
                "# over a longer part of the motion\n"
                "sarrus tolerances linkage.yaml --end 4 --samples 200",
    .gist = "Numbers of the model file with a tolerance, {value: 0.3, tolerance: 1e-4}, are "
            "dimensions. Where joints are redundant, other dimensions open the loops.",
    .brief = tolerances_brief,
    .text = "A number of the model file that is written {value: 0.3, tolerance: 1e-4} is a "
            "dimension. Where joints are redundant, loops close for some dimensions only: this "
            "command reports by how much tolerances open them, at worst and statistically "
            "(dimensions that are spread evenly within their limits: the standard deviation), "
            "which dimension matters most, and which ones matter nowhere. With compliances of "
            "joints it reports the forces of assembly, the largest along the motion. All of it is "
            "linear in the dimensions.\n"
            "\n"
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 invalid model, 4 cannot be assembled.",
    .options = tolerances_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = tolerances_main};
