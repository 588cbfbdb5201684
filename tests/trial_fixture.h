/* Trials of a model file against a reference, with options as text. */
#ifndef TRIAL_FIXTURE_H
#define TRIAL_FIXTURE_H

#include "problem_run.h"
#include "sarrus/trial.h"

/// eps_T of the outputs `names` (NULL: all common ones) at the rows of the reference, or NaN: see
/// the status. `history` may be NULL.
static inline sar_trial try_options(const char* path, const char* reference,
                                    const char* const* names, int count, const char* options,
                                    sar_result** history)
{
    problem_run run;
    problem_load(&run, path, NULL);
    each_setting(options, use_option, &run.options);
    sar_comparison_def metric = {.names = names, .count = count};
    sar_trial_def def = {.model = run.model,
                         .options = run.options,
                         .metric = names ? &metric : NULL,
                         .max_seconds = 60};
    sar_result* wanted = NULL;
    sar_trial got;
    sar_error error = {0};
    if (reference && sar_result_read(reference, &wanted, &error) != SAR_OK)
        fail_msg("%s", error.message);
    def.reference = wanted;
    if (sar_trial_run(&def, &got, history, &error) != SAR_OK)
        fail_msg("%s (%s): %s", path, options, error.message);
    sar_result_destroy(wanted);
    problem_free(&run);
    return got;
}

/// The samples of a run of a model text, to be destroyed.
static inline sar_result* history_of(const char* text, const char* options)
{
    problem_run run;
    sar_trial got;
    sar_result* table = NULL;
    sar_error error = {0};
    problem_parse(&run, text);
    each_setting(options, use_option, &run.options);
    sar_trial_def def = {.model = run.model, .options = run.options};
    CHECK_STATUS(sar_trial_run(&def, &got, &table, &error), SAR_OK);
    if (got.status != SAR_OK) fail_msg("%s: %s", options, got.failure);
    problem_free(&run);
    return table;
}

/// Is the integrator built in?
static inline int has_integrator(const char* name)
{
    for (int k = 0; k < sar_axis_members(SAR_AXIS_INTEGRATOR); k++)
        if (strcmp(sar_axis_member(SAR_AXIS_INTEGRATOR, k).name, name) == 0) return 1;
    return 0;
}

#endif
