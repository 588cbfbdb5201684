/* What is told of derivatives: the table on a terminal, and the object of --json. */
#include "sensitivity/sensitivity.h"

#include "common/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 14, SHOWN = 30 };

double cli_derivatives_band(const cli_derivatives* d, int row)
{
    double square = 0.0;
    for (int k = 0; k < d->parameters; k++) {
        const double part = d->tolerance[k] * d->J[row * d->parameters + k].value;
        if (d->tolerance[k] > 0.0 && !isnan(part)) square += part * part;
    }
    return sqrt(square);
}

double cli_derivatives_effect(const cli_derivatives* d, int objective, int parameter, int* row)
{
    sar_sensitivity_parameter p;
    double most = NAN;
    sar_sensitivity_get_parameter(d->found, parameter, &p);
    const double percent = 0.01 * (p.value != 0.0 ? fabs(p.value) : 1.0);
    for (int r = 0; r < d->rows; r++) {
        sar_sensitivity_row of;
        sar_sensitivity_get_row(d->found, r, &of);
        const double effect = percent * d->J[r * d->parameters + parameter].value;
        if (of.objective != objective || isnan(effect) || fabs(effect) <= fabs(most)) continue;
        most = effect;
        if (row) *row = r;
    }
    return most;
}

int cli_derivatives_sorted(const cli_derivatives* d, int objective, int** order)
{
    int count = 0;
    *order = cli_allocate((size_t)d->parameters + 1, sizeof **order);
    for (int k = 0; k < d->parameters; k++) {
        const double own = fabs(cli_derivatives_effect(d, objective, k, NULL));
        int i = count;
        if (isnan(own)) continue;
        for (; i > 0 && fabs(cli_derivatives_effect(d, objective, (*order)[i - 1], NULL)) < own;
             i--)
            (*order)[i] = (*order)[i - 1];
        (*order)[i] = k;
        count++;
    }
    return count;
}

/* 1: the parameter is 0, and has no percent. */
static int print_entry(const cli_derivatives* d, int objective, int parameter)
{
    sar_sensitivity_parameter p;
    sar_sensitivity_row of;
    int row = 0;
    const double effect = cli_derivatives_effect(d, objective, parameter, &row);
    const cli_derivative* e = &d->J[row * d->parameters + parameter];
    sar_sensitivity_get_parameter(d->found, parameter, &p);
    sar_sensitivity_get_row(d->found, row, &of);
    printf("%*s%-32s %12.6g %18.10g %12.3g%c", LABEL, "", p.name, p.value, e->value, effect,
           p.value == 0.0 ? '*' : ' ');
    if (of.value != 0.0)
        printf(" %8.3g %%", 100.0 * effect / fabs(of.value));
    else
        printf("%11s", "");
    if (isnan(e->error))
        printf(" %9s", "-");
    else
        printf(" %9.1g", e->error);
    if (d->check) printf(" %18.10g", e->check);
    if (d->objective[objective].kind == SAR_OBJECTIVE_SAMPLES) printf("  at t = %.4g", of.t);
    putchar('\n');
    return p.value == 0.0;
}

static void print_objective(const cli_derivatives* d, int objective)
{
    int* order;
    const int count = cli_derivatives_sorted(d, objective, &order);
    cli_print_label(stdout, "of");
    printf("%s", d->of.items[objective]);
    for (int r = 0, said = 0; r < d->rows && !said; r++) {
        sar_sensitivity_row of;
        sar_sensitivity_get_row(d->found, r, &of);
        if (of.objective != objective) continue;
        said = 1;
        if (d->objective[objective].kind == SAR_OBJECTIVE_SAMPLES)
            printf(" at %d times", d->samples);
        else if (isnan(of.t))
            printf(": %.10g s", of.value);
        else
            printf(" = %.10g at t = %.6g s", of.value, of.t);
    }
    printf("\n%*s%-32s %12s %18s %12s %11s %9s%s\n", LABEL, "", "by", "value", "derivative",
           "1 % does", "of it", "error", d->check ? "  whole runs" : "");
    int zeros = 0;
    for (int k = 0; k < count && k < SHOWN; k++) zeros += print_entry(d, objective, order[k]);
    if (count > SHOWN)
        printf("%*sand %d more; --json lists all of them\n", LABEL, "", count - SHOWN);
    if (zeros) printf("%*s* it is 0: what 0.01 does, in its SI unit\n", LABEL, "");
    free(order);
}

/* The widest band of an objective, and which tolerances are not in it. */
static void print_band(const cli_derivatives* d, int objective)
{
    sar_sensitivity_row of, widest = {0};
    double most = -1.0;
    for (int r = 0; r < d->rows; r++) {
        sar_sensitivity_get_row(d->found, r, &of);
        if (of.objective != objective || !(cli_derivatives_band(d, r) > most)) continue;
        most = cli_derivatives_band(d, r);
        widest = of;
    }
    if (d->tolerances == 0 || most < 0.0) return;
    printf("%*s+- %.3g by tolerances of %d number%s", LABEL, "", most, d->tolerances,
           cli_plural(d->tolerances));
    if (d->objective[objective].kind == SAR_OBJECTIVE_SAMPLES)
        printf(", most at t = %.4g s", widest.t);
    for (int k = 0, said = 0; k < d->parameters; k++) {
        sar_sensitivity_parameter p;
        sar_sensitivity_get_parameter(d->found, k, &p);
        if (p.refused && d->tolerance[k] > 0.0)
            printf("%s%s", said++ ? ", " : "; it leaves out, as they are refused: ", p.name);
    }
    putchar('\n');
}

/* What was changed by how much is no other reason. */
static int same_reason(const char* a, const char* b)
{
    static const char changed[] = "changed by ";
    const char *past_a = strstr(a, changed), *past_b = strstr(b, changed);
    if (past_a == a && past_b == b) {
        past_a += sizeof changed - 1, past_b += sizeof changed - 1;
        return strcmp(past_a + strcspn(past_a, " :"), past_b + strcspn(past_b, " :")) == 0;
    }
    return strcmp(a, b) == 0;
}

/* Parameters with the same reason in one line. */
static void print_refused(const cli_derivatives* d)
{
    char* told = cli_allocate((size_t)d->parameters + 1, 1);
    for (int k = 0, said = 0; k < d->parameters; k++) {
        sar_sensitivity_parameter p, other;
        sar_sensitivity_get_parameter(d->found, k, &p);
        if (!p.refused || told[k]) continue;
        cli_print_label(stdout, said++ ? "" : "refused");
        printf("%s", p.name);
        for (int i = k + 1; i < d->parameters; i++) {
            sar_sensitivity_get_parameter(d->found, i, &other);
            if (!other.refused || !same_reason(p.refused, other.refused)) continue;
            printf(", %s", other.name);
            told[i] = 1;
        }
        printf(": %s\n", p.refused);
    }
    free(told);
}

/* Directions of parameters that keep a singular configuration. */
static void print_allowed(const cli_derivatives* d)
{
    const double NONE = 1e-6; // of the largest: it separates them by its square
    double most = 0.0, time = NAN;
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < d->parameters; k++) {
            sar_sensitivity_parameter p;
            sar_sensitivity_get_parameter(d->found, k, &p);
            if (p.gap == 0.0) continue;
            if (pass == 0) most = fmax(most, fabs(p.gap)), time = isnan(time) ? p.gap_time : time;
            if (pass == 0 || fabs(p.gap) <= NONE * most || p.gap_time != time) continue;
            if (count == 0) {
                cli_print_label(stdout, "allowed");
                printf("at t = %.6g s, to first order, changes with ", time);
            }
            printf("%s%.4g d(%s)", count == 0 ? "" : " + ", p.gap, p.name);
            count++;
        }
    if (count) puts(" = 0; later singular configurations may ask for more");
}

void cli_derivatives_print(const void* self)
{
    const cli_derivatives* d = self;
    int refused = 0;
    char* verdict;
    for (int k = 0; k < d->parameters; k++) {
        sar_sensitivity_parameter p;
        sar_sensitivity_get_parameter(d->found, k, &p);
        refused += p.refused != NULL;
    }
    verdict = refused ? cli_format("%d of %d parameters have a derivative", d->parameters - refused,
                                   d->parameters)
                      : cli_format("%d derivative%s", d->rows * d->parameters,
                                   cli_plural(d->rows * d->parameters));
    cli_inspection_print_verdict(&d->base, verdict, !refused);
    free(verdict);
    for (int k = 0; k < d->of.count; k++) {
        print_objective(d, k);
        print_band(d, k);
    }
    print_refused(d);
    if (d->uncertain) {
        cli_print_label(stdout, "error");
        printf("%s\n", d->uncertain);
    }
    print_allowed(d);
    cli_inspection_print_warnings(&d->base);
}

static void json_parameter(const cli_derivatives* d, cli_json* j, int k)
{
    sar_sensitivity_parameter p;
    sar_sensitivity_get_parameter(d->found, k, &p);
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", p.name);
    cli_json_number(j, "value", p.value);
    if (p.refused) cli_json_text(j, "refused", p.refused);
    if (p.gap != 0.0) {
        cli_json_number(j, "gap", p.gap);
        cli_json_number(j, "gap_time", p.gap_time);
    }
    cli_json_open(j, "derivatives", '[');
    for (int r = 0; r < d->rows; r++) cli_json_number(j, NULL, d->J[r * d->parameters + k].value);
    cli_json_close(j);
    cli_json_open(j, "errors", '[');
    for (int r = 0; r < d->rows; r++) cli_json_number(j, NULL, d->J[r * d->parameters + k].error);
    cli_json_close(j);
    if (d->check) {
        cli_json_open(j, "whole_runs", '[');
        for (int r = 0; r < d->rows; r++)
            cli_json_number(j, NULL, d->J[r * d->parameters + k].check);
        cli_json_close(j);
    }
    cli_json_close(j);
}

void cli_derivatives_json(const void* self, cli_json* j)
{
    const cli_derivatives* d = self;
    if (!d->base.known) return;
    cli_json_open(j, "rows", '[');
    for (int r = 0; r < d->rows; r++) {
        sar_sensitivity_row of;
        sar_sensitivity_get_row(d->found, r, &of);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "of", d->of.items[of.objective]);
        cli_json_number(j, "t", of.t);
        cli_json_number(j, "value", of.value);
        if (d->tolerances) cli_json_number(j, "band", cli_derivatives_band(d, r));
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_open(j, "parameters", '[');
    for (int k = 0; k < d->parameters; k++) json_parameter(d, j, k);
    cli_json_close(j);
}

void cli_derivatives_put_json(const cli_derivatives* d, FILE* out)
{
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.sensitivity/1");
    cli_json_text(&j, "model", d->base.name);
    cli_derivatives_json(d, &j);
    cli_json_words(&j, "warnings", &d->base.warnings);
    cli_json_close(&j);
}
