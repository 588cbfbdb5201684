/* Rows: values of objectives, at the end, at samples, at an extreme, at a zero. */
#include "sensitivity/sensitivity.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WITHIN = 8,
    SECTIONS = 60
}; ///< places of a step at which extremes are looked for; of their search

/* ---- outputs -------------------------------------------------------------------------------- */

static int find_output(const sar_model* model, const char* name)
{
    for (int k = 0; k < sar_model_outputs(model); k++)
        if (strcmp(sar_model_output_name(model, k), name) == 0) return k;
    return -1;
}

sar_status sari_rows_add_outputs(sar_sensitivity* s, sar_model* model, sar_error* error)
{
    for (int k = 0; k < s->def.objectives; k++) {
        const sar_objective* o = &s->objective[k];
        const int plain = o->kind != SAR_OBJECTIVE_INTEGRAL && o->kind != SAR_OBJECTIVE_MEAN;
        char name[48];
        s->output[k] = plain ? find_output(model, o->expression) : -1;
        if (s->output[k] >= 0) continue;
        if (!plain) { // what it is an integral of, for methods that know the rule
            snprintf(name, sizeof name, "integrand_%d", k + 1);
            SARI_TRY(sari_model_ask(model, SARI_ASKED_VALUE, name, o->expression, error));
        }
        snprintf(name, sizeof name, "objective_%d", k + 1);
        const sari_asked kind = plain                               ? SARI_ASKED_VALUE
                                : o->kind == SAR_OBJECTIVE_INTEGRAL ? SARI_ASKED_INTEGRAL
                                                                    : SARI_ASKED_MEAN;
        SARI_TRY(sari_model_ask(model, kind, name, o->expression, error));
        s->output[k] = sar_model_outputs(model) - 1;
    }
    return SAR_OK;
}

sar_status sari_rows_make(sar_sensitivity* s, sar_error* error)
{
    s->rows = 0;
    for (int k = 0; k < s->def.objectives; k++)
        s->rows += s->objective[k].kind == SAR_OBJECTIVE_SAMPLES ? s->def.samples : 1;
    s->row = SARI_TAKE(&s->memory, sari_row, s->rows + 1);
    s->outputs = SARI_TAKE(&s->memory, double, sar_model_outputs(s->nominal.model) + 1);
    if (s->memory.failed) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    const sar_options* o = &s->nominal.simulation->options;
    int row = 0;
    for (int k = 0; k < s->def.objectives; k++) {
        const int samples = s->objective[k].kind == SAR_OBJECTIVE_SAMPLES ? s->def.samples : 1;
        for (int i = 0; i < samples; i++, row++) {
            const double t = samples > 1 || s->objective[k].kind == SAR_OBJECTIVE_SAMPLES
                                 ? s->sample[i]
                                 : o->end;
            s->row[row] = (sari_row){.objective = k, .output = s->output[k], .t = t};
            if (!(t >= o->start && t <= o->end + 1e-12 * fabs(o->end)))
                return sari_fail(error, SAR_E_ARG, "sample",
                                 "the sample at %g s is not within the run, %g to %g s", t,
                                 o->start, o->end);
        }
    }
    return SAR_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static sar_objective_kind kind_of(const sar_sensitivity* s, int row)
{
    return s->objective[s->row[row].objective].kind;
}

static int is_extreme(sar_objective_kind kind)
{
    return kind == SAR_OBJECTIVE_MAX || kind == SAR_OBJECTIVE_MIN;
}

static sar_status output_at(sar_sensitivity* s, sar_simulation* x, int output, double t,
                            double* value)
{
    const sar_status st = t >= x->state.t ? sar_simulation_outputs(x, s->outputs)
                                          : sar_simulation_outputs_at(x, t, s->outputs);
    *value = s->outputs[output];
    return st;
}

/* The largest value of sign times the output about t, between a and b, by golden sections. */
static sar_status refine(sar_sensitivity* s, sar_simulation* x, sari_row* row, double sign,
                         double a, double b)
{
    const double golden = 0.61803398874989485;
    double at[2] = {b - golden * (b - a), a + golden * (b - a)}, f[2], value;
    for (int k = 0; k < 2; k++) SARI_TRY(output_at(s, x, row->output, at[k], &f[k]));
    for (int k = 0; k < SECTIONS; k++) {
        const int left = sign * f[0] > sign * f[1];
        if (left)
            b = at[1], at[1] = at[0], f[1] = f[0], at[0] = b - golden * (b - a);
        else
            a = at[0], at[0] = at[1], f[0] = f[1], at[1] = a + golden * (b - a);
        SARI_TRY(output_at(s, x, row->output, at[!left], &f[!left]));
    }
    SARI_TRY(output_at(s, x, row->output, 0.5 * (a + b), &value));
    if (!(sign * value > sign * row->value)) return SAR_OK;
    row->value = value;
    row->t = 0.5 * (a + b);
    return SAR_OK;
}

/* Extremes of the step that was just done: between places they are larger by less than second differences. */
static sar_status look_for_extreme(sar_sensitivity* s, sar_simulation* x, sari_row* row,
                                   double sign)
{
    const double from = x->previous.t, to = x->state.t, h = (to - from) / WITHIN;
    double f[WITHIN + 1];
    int best = 0;
    for (int k = 0; k <= WITHIN; k++) {
        SARI_TRY(output_at(s, x, row->output, from + k * h, &f[k]));
        if (sign * f[k] > sign * f[best]) best = k;
    }
    const int middle = best == 0 ? 1 : best == WITHIN ? WITHIN - 1 : best;
    const double more = fabs(f[middle - 1] - 2.0 * f[middle] + f[middle + 1]);
    if (isnan(row->value) || sign * f[best] > sign * row->value)
        row->value = f[best], row->t = from + best * h;
    else if (!(sign * f[best] + more > sign * row->value))
        return SAR_OK;
    return refine(s, x, row, sign, fmax(from, from + (best - 1) * h),
                  fmin(to, from + (best + 1) * h));
}

/* The first change of sign. */
static sar_status look_for_zero(sar_sensitivity* s, sar_simulation* x, const sari_row* row,
                                double* value)
{
    const double from = x->previous.t, to = x->state.t;
    double before, now, a = from, b;
    SARI_TRY(output_at(s, x, row->output, from, &before));
    for (int k = 1; k <= WITHIN; k++, before = now, a = b) {
        b = from + (to - from) * k / WITHIN;
        SARI_TRY(output_at(s, x, row->output, b, &now));
        if (!(before * now < 0.0) && !(now == 0.0 && before != 0.0)) continue;
        for (int i = 0; i < SECTIONS && b - a > 4e-16 * fabs(b); i++) {
            double t = 0.5 * (a + b), there;
            if (i < SECTIONS / 2 && now != before) t = a - before * (b - a) / (now - before);
            if (!(t > a && t < b) || i % 3 == 2) t = 0.5 * (a + b);
            SARI_TRY(output_at(s, x, row->output, t, &there));
            if (there * before > 0.0)
                a = t, before = there;
            else
                b = t, now = there;
        }
        *value = now != before ? a - before * (b - a) / (now - before) : b;
        return SAR_OK;
    }
    return SAR_OK;
}

void sari_rows_begin(sar_sensitivity* s, int nominal, double* value)
{
    for (int r = 0; r < s->rows; r++) {
        value[r] = NAN;
        if (nominal && is_extreme(kind_of(s, r))) s->row[r].value = NAN;
    }
}

sar_status sari_rows_look(sar_sensitivity* s, sar_simulation* x, int nominal, double* value)
{
    const double rounding = 1e-13 * fmax(fabs(x->state.t), x->options.end - x->options.start);
    const int begun = x->statistics.steps > 0;
    if (nominal) SARI_TRY(sar_simulation_outputs(x, s->outputs));
    for (int k = 0; nominal && k < s->def.objectives; k++)
        s->largest[k] = fmax(s->largest[k], fabs(s->outputs[s->output[k]]));
    for (int r = 0; r < s->rows; r++) {
        sari_row* row = &s->row[r];
        const sar_objective_kind kind = kind_of(s, r);
        if (kind == SAR_OBJECTIVE_TIME) {
            if (begun && isnan(value[r])) SARI_TRY(look_for_zero(s, x, row, &value[r]));
        } else if (nominal && is_extreme(kind)) {
            if (begun)
                SARI_TRY(look_for_extreme(s, x, row, kind == SAR_OBJECTIVE_MAX ? 1.0 : -1.0));
            value[r] = row->value;
        } else if (isnan(value[r]) && row->t <= x->state.t + rounding) {
            SARI_TRY(output_at(s, x, row->output, row->t, &value[r]));
        }
    }
    return SAR_OK;
}

int sari_rows_missing(const sar_sensitivity* s, const double* value)
{
    for (int r = 0; r < s->rows; r++)
        if (isnan(value[r])) return r;
    return -1;
}
