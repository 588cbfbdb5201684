/* Statements of a source about several runs or a whole history, as numbers of ours, and the cost
 * model. */
#include "bench/bench.h"
#include "math/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rows that a statement is about ----------------------------------------------------- */

static int concerns(const sar_study_statement* x, const cli_bench_row* r, const char* label)
{
    if (!r->wanted || strcmp(r->row->label, label) != 0) return 0;
    for (int k = 0; k < x->where_count; k++)
        if (cli_bench_setting(r, x->where[k].name) != strtod(x->where[k].value, NULL)) return 0;
    return x->take != SAR_STATEMENT_SLOPE || isnan(x->from) ||
           cli_bench_setting(r, x->over) >= x->from;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/// One after the other, for least, most, mean and slope.
typedef struct series {
    int n;
    double least, most, last, sum, at_least, at_most; ///< `at`: the x of the least, of the most
    double lx, ly, lxx, lxy;                          ///< sums of logarithms of magnitudes
} series;

static void add(series* s, double x, double y)
{
    if (!isfinite(y)) return;
    if (s->n == 0 || y < s->least) s->least = y, s->at_least = x;
    if (s->n == 0 || y > s->most) s->most = y, s->at_most = x;
    double a = sari_log(x), b = sari_log(fabs(y));
    s->last = y;
    s->sum += y;
    s->lx += a, s->ly += b, s->lxx += a * a, s->lxy += a * b;
    s->n++;
}

static double slope(const series* s)
{
    double spread = s->n * s->lxx - s->lx * s->lx;
    return spread > 1e-12 ? (s->n * s->lxy - s->lx * s->ly) / spread : NAN;
}

static double taken(const series* s, sar_statement_kind kind)
{
    if (s->n == 0) return NAN;
    switch (kind) {
    case SAR_STATEMENT_LEAST:
        return s->least;
    case SAR_STATEMENT_MOST:
        return s->most;
    case SAR_STATEMENT_MEAN:
        return s->sum / s->n;
    case SAR_STATEMENT_LAST:
        return s->last;
    case SAR_STATEMENT_TIME_OF_LEAST:
        return s->at_least;
    case SAR_STATEMENT_TIME_OF_MOST:
        return s->at_most;
    default:
        return slope(s);
    }
}

static void add_column(series* s, const sar_result* history, const char* name)
{
    int column = history ? sar_result_find(history, name) : -1;
    for (int i = 0; column >= 0 && i < sar_result_rows(history); i++)
        add(s, sar_result_time(history)[i], sar_result_column(history, column)[i]);
}

double cli_bench_measured(const sar_study_measure* measure, const sar_result* history)
{
    series of = {0}, minus = {0};
    if (!*measure->of) return NAN;
    add_column(&of, history, measure->of);
    if (!*measure->minus) return taken(&of, measure->take);
    add_column(&minus, history, measure->minus);
    return taken(&of, measure->take) - taken(&minus, measure->take);
}

/// A quantity of the run, or all of a column of its history.
static void add_row(series* s, const cli_bench_study* study, const sar_study_statement* x,
                    const cli_bench_row* r)
{
    if (cli_bench_is_quantity(x->of))
        add(s, cli_bench_setting(r, x->over), cli_bench_quantity(study, r, x->of));
    else
        add_column(s, r->history, x->of);
}

/* ---- findings ------------------------------------------------------------------------------- */

static cli_bench_holds judge(const sar_study_statement* x, double value)
{
    if (isnan(x->at_least) && isnan(x->at_most))
        return isnan(value) ? CLI_BENCH_NO_RUN : CLI_BENCH_JUST_MEASURED;
    int low = !isnan(x->at_least) && !(value >= x->at_least);
    int high = !isnan(x->at_most) && !(value <= x->at_most);
    if (!isnan(x->published)) return low || high ? CLI_BENCH_DIFFERS : CLI_BENCH_AS_PUBLISHED;
    return low || high ? CLI_BENCH_HOLDS_NOT : CLI_BENCH_HOLDS;
}

/// The rows of one label that a statement is about.
typedef struct crowd {
    series s;
    int concerned, missing, failed, runs;
} crowd;

static crowd gather(const cli_bench_study* study, const sar_study_statement* x, const char* label)
{
    crowd c = {0};
    for (int k = 0; k < study->count; k++) {
        const cli_bench_row* r = &study->rows[k];
        if (!concerns(x, r, label)) continue;
        c.concerned++;
        c.missing += r->verdict == SAR_VERDICT_NOT_AVAILABLE;
        c.failed += r->measured && r->trial.status != SAR_OK;
        c.runs += r->measured && r->trial.status == SAR_OK;
        if (r->measured && r->trial.status == SAR_OK) add_row(&c.s, study, x, r);
    }
    return c;
}

/// 1, or 0 when no wanted row is concerned.
static int evaluate_statement(const cli_bench_study* study, const sar_study_statement* x,
                              const char* label, cli_bench_finding* out)
{
    crowd c = gather(study, x, label);
    double value = taken(&c.s, x->take);
    if (*x->against) {
        crowd other = gather(study, x, x->against);
        value /= taken(&other.s, x->take);
    }
    *out = (cli_bench_finding){x, label, value, judge(x, value)};
    if (c.runs == 0) {
        const int limited = !isnan(x->at_least) || !isnan(x->at_most);
        out->verdict = c.failed && limited ? CLI_BENCH_HOLDS_NOT
                       : c.missing         ? CLI_BENCH_NO_METHOD
                                           : CLI_BENCH_NO_RUN;
    } else if (isnan(value))
        out->verdict = CLI_BENCH_NO_RUN;
    return c.concerned > 0;
}

/// Is row k the first with its label?
static int begins_label(const cli_bench_study* study, int k)
{
    for (int i = 0; i < k; i++)
        if (strcmp(study->rows[i].row->label, study->rows[k].row->label) == 0) return 0;
    return 1;
}

cli_bench_finding* cli_bench_findings(const cli_bench_study* study, int* count)
{
    size_t most = (size_t)study->head->statement_count * (size_t)study->count;
    cli_bench_finding* out = cli_allocate(most + 1, sizeof *out);
    *count = 0;
    for (int j = 0; j < study->head->statement_count; j++) {
        const sar_study_statement* x = &study->head->statements[j];
        for (int k = 0; k < study->count; k++) {
            const char* label = study->rows[k].row->label;
            if (!begins_label(study, k) || (*x->label && strcmp(x->label, label) != 0)) continue;
            *count += evaluate_statement(study, x, label, &out[*count]);
        }
    }
    return out;
}

const char* cli_bench_holds_text(cli_bench_holds verdict)
{
    static const char* const texts[] = {"as published", "differs",       "holds",  "does not hold",
                                        "measured",     "not available", "not run"};
    return texts[verdict];
}

/* ---- the cost model ------------------------------------------------------------------------- */

static const double SCATTER =
    0.2; ///< of the times about the model: more is no ground for predictions
const int cli_bench_cores[CLI_BENCH_CORES] = {2, 8, 64, 512};
const int cli_bench_sizes[CLI_BENCH_SIZES] = {64, 1024, 16384, 262144};

int cli_bench_cost(const cli_bench_study* study, cli_cost* cost)
{
    if (!study->head->fit || !*study->head->fit) return 0;
    cli_cost_point* points = cli_allocate((size_t)study->count + 1, sizeof *points);
    int count = 0;
    for (int k = 0; k < study->count; k++) {
        const cli_bench_row* r = &study->rows[k];
        double threads = cli_bench_setting(r, "threads"),
               us = cli_bench_quantity(study, r, "wall_us");
        if (strcmp(r->row->label, study->head->fit) != 0 || !(us > 0.0)) continue;
        points[count++] = (cli_cost_point){r->bodies, threads >= 1.0 ? threads : 1.0, us};
    }
    int fitted = cli_cost_fit(points, count, cost);
    free(points);
    return fitted;
}

int cli_bench_cost_predicts(const cli_cost* c)
{
    return c->threaded && c->worst < SCATTER;
}

char* cli_bench_cost_text(const cli_bench_study* study, const cli_cost* c)
{
    char fixed[32], alone[32], shared[32], meet[32];
    const char* f = cli_bench_number(c->fixed, 3, fixed, sizeof fixed);
    const char* s = cli_bench_number(c->shared, 3, shared, sizeof shared);
    if (!c->threaded)
        return cli_format("a step of %s on one thread: T(n) = (%s + %s n) us, fitted to %d runs "
                          "within %.0f %%",
                          study->head->fit, f, s, c->points, 100.0 * c->worst);
    return cli_format("a step of %s: T(n, p) = (%s + %s n + %s n/p + %s log2 p) us, fitted to %d "
                      "runs within %.0f %%%s",
                      study->head->fit, f, cli_bench_number(c->alone, 3, alone, sizeof alone), s,
                      cli_bench_number(c->meet, 3, meet, sizeof meet), c->points, 100.0 * c->worst,
                      cli_bench_cost_predicts(c) ? "" : ": too much scatter to predict from");
}
