/* The options of a row's run, and whether the run keeps the row's limits. */
#include "base/status.h"
#include "sarrus/methods.h"
#include "studies/studies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char* sar_verdict_text(sar_verdict verdict)
{
    static const char* const texts[] = {
#define VERDICT_TEXT(name, text) text,
        SAR_VERDICT_LIST(VERDICT_TEXT)
#undef VERDICT_TEXT
    };
    return verdict >= 0 && verdict < SAR_VERDICTS ? texts[verdict] : "";
}

/* ---- the method ----------------------------------------------------------------------------- */

static int names_a_method(const char* option)
{
    if (strcmp(option, "preset") == 0) return 1;
    for (int axis = 0; axis < SAR_AXES; axis++)
        if (strcmp(option, sar_axis_name((sar_axis)axis)) == 0) return 1;
    return 0;
}

sar_status sar_study_method(const sar_study_row* row, sar_options* options, sar_error* error)
{
    // a preset brings options of its own: the row's come after it
    for (int k = 0; k < row->option_count; k++) {
        const sar_setting* x = &row->options[k];
        if (!names_a_method(x->name) || sar_options_set(options, x->name, x->value, NULL) == SAR_OK)
            continue;
        return sari_fail(error, SAR_E_BUILD, x->name, "no %s \"%s\"", x->name, x->value);
    }
    if (sar_methods_conflict(options->coordinates, options->formulation, options->integrator,
                             options->solver))
        return sari_fail(error, SAR_E_BUILD, "integrator", "no %s with %s", options->formulation,
                         options->integrator);
    for (int k = 0; k < row->option_count; k++) {
        const sar_setting* x = &row->options[k];
        if (!names_a_method(x->name)) SARI_TRY(sar_options_set(options, x->name, x->value, error));
    }
    return SAR_OK;
}

/* ---- the judgement -------------------------------------------------------------------------- */

static int above(double value, double limit)
{
    return !isnan(limit) && !(value <= limit);
}

/* How far from the exact motion's value the row's measure still passes; NaN: no limit. */
static double measure_limit(const sar_study_row* row)
{
    return row->measure.of && *row->measure.of ? row->measure.within : NAN;
}

/* The first sentence of a failure: the remedies that follow are for users who can change the method. */
static int first_sentence(const char* text)
{
    int depth = 0, k = 0;
    for (; text[k]; k++) {
        depth += (text[k] == '(') - (text[k] == ')');
        if (depth <= 0 && (text[k] == ':' || text[k] == ';') && text[k + 1] == ' ') break;
    }
    return k;
}

/* What is wrong with a run, one after the other; "" when nothing is. A run that left its branch is
 * no better for keeping its energy. */
static void explain(const sar_study_row* row, const sar_trial* trial, char* reason, size_t size)
{
    const sar_study_measure* measure = &row->measure;
    double drift = trial->statistics.energy_max_drift, off = fabs(trial->value - measure->right);
    char branch[64] = "", limit[96] = "";
    if (trial->status != SAR_OK) {
        snprintf(reason, size, "%.*s", first_sentence(trial->failure), trial->failure);
        return;
    }
    if (trial->branch_changes > 0)
        snprintf(branch, sizeof branch, "branch change at t = %.4g s", trial->branch_changed);
    if (above(drift, row->energy_limit))
        snprintf(limit, sizeof limit, "energy drift %.3g J above %g J", drift, row->energy_limit);
    else if (isnan(trial->error) && !isnan(row->error_limit))
        snprintf(limit, sizeof limit, "no finite error");
    else if (above(trial->error, row->error_limit))
        snprintf(limit, sizeof limit, "eps_T %.3g above %g", trial->error, row->error_limit);
    else if (above(off, measure_limit(row)))
        snprintf(limit, sizeof limit, "%.40s %.4g: off by %.3g, above %g", measure->title,
                 trial->value, off, measure->within);
    snprintf(reason, size, "%s%s%s", branch, *branch && *limit ? "; " : "", limit);
}

static int was_published(const sar_study_row* row)
{
    return row->published.failed || !isnan(row->published.error) ||
           !isnan(row->published.energy_drift) || !isnan(row->published.seconds) ||
           !isnan(row->published.step_us) || !isnan(row->published.value);
}

/* Is a figure farther from the published one than figures of the source are from each other? */
static int differs(const sar_study_row* row, double ours, double published)
{
    const double relative = row->published.relative * fabs(published);
    const double allowed =
        fmax(relative, row->published.absolute); // of NaN and a number: the number
    return !isnan(published) && allowed > 0.0 && !(fabs(ours - published) <= allowed);
}

static int unlike_published(const sar_study_row* row, const sar_trial* trial, char* reason,
                            size_t size)
{
    const double drift = trial->statistics.energy_worst_drift;
    if (differs(row, trial->error, row->published.error))
        snprintf(reason, size, "eps_T %.3g, published %.3g", trial->error, row->published.error);
    else if (differs(row, drift, row->published.energy_drift))
        snprintf(reason, size, "energy drift %.3g J, published %.3g J", drift,
                 row->published.energy_drift);
    else if (differs(row, trial->value, row->published.value))
        snprintf(reason, size, "%.40s %.4g, published %.4g", row->measure.title, trial->value,
                 row->published.value);
    return reason[0] != 0;
}

sar_verdict sar_study_judge(const sar_study_row* row, const sar_trial* trial, char* reason,
                            size_t size)
{
    int limited =
        !isnan(row->energy_limit) || !isnan(row->error_limit) || !isnan(measure_limit(row));
    explain(row, trial, reason, size);
    int fails = trial->status != SAR_OK || reason[0];
    if (trial->stopped) return SAR_VERDICT_NOT_RUN;
    if (!fails && !row->published.failed && unlike_published(row, trial, reason, size))
        return SAR_VERDICT_DIFFERS;
    if (!limited && !fails && !row->published.failed) return SAR_VERDICT_COMPLETED;
    if (fails && !was_published(row)) return SAR_VERDICT_NOT_COMPLETED;
    if (fails) return row->published.failed ? SAR_VERDICT_FAILS_AS_PUBLISHED : SAR_VERDICT_FAILS;
    return row->published.failed ? SAR_VERDICT_PASSES_UNLIKE : SAR_VERDICT_PASSES;
}
