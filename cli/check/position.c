#include "check/position.h"

#include "common/summary.h"
#include "common/text.h"
#include "math/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 6, MOST_ROWS = 8, INDENT = 14, LEFT = 10 };

static const double ROUGH =
    1e-3; ///< beside a singular configuration directions are no better than this

/* ---- finding out ---------------------------------------------------------------------------- */

/// Branches of one dimension give the rank beside a singular configuration; else the run has found it.
static int rank_elsewhere(const sar_subspaces* sub, int seen)
{
    if (!sub->singular || sub->branches < 1) return seen > sub->rank ? seen : sub->rank;
    int most = 0;
    for (int k = 0; k < sub->branches; k++)
        if (sub->branch[k].dimension > most) most = sub->branch[k].dimension;
    return sub->coordinates - most;
}

void cli_position_find(cli_position* p, const sar_model* model, sar_simulation* simulation,
                       const sar_options* options, double tolerance)
{
    *p = (cli_position){.model = model,
                        .simulation = simulation,
                        .options = options,
                        .tolerance = tolerance > 0.0 ? tolerance : 1e-6};
    p->status = sar_simulation_subspaces(simulation, tolerance, &p->sub);
    if (p->status == SAR_OK)
        p->rank_elsewhere = rank_elsewhere(&p->sub, sar_simulation_rank(simulation).rank);
}

/* ---- a velocity in words: rates of outputs, or of bodies where there are none --------------- */

typedef struct columns {
    int count, more;
    int output[MOST_COLUMNS]; ///< index of an output; -1: a body
    int body[MOST_COLUMNS];
    int turns[MOST_COLUMNS]; ///< the body turns in some direction
    char name[MOST_COLUMNS][24];
    double* rates; ///< of all outputs
} columns;

/// Of its frame, translation and rotation.
static double body_speed(const cli_position* p, const double* v, int body)
{
    double x[6], square = 0.0;
    sar_simulation_velocity_along(p->simulation, v, (sar_body_id){body}, x, x + 3);
    for (int k = 0; k < 6; k++) square += x[k] * x[k];
    return sqrt(square);
}

static double fastest(const cli_position* p, const double* v)
{
    double most = 0.0;
    for (int b = 1; b < sar_model_bodies(p->model); b++) most = fmax(most, body_speed(p, v, b));
    return most;
}

static int does_turn(const cli_position* p, const double* v, int body)
{
    double velocity[3], w[3], square = 0.0;
    sar_simulation_velocity_along(p->simulation, v, (sar_body_id){body}, velocity, w);
    for (int k = 0; k < 3; k++) square += w[k] * w[k];
    return sqrt(square) > ROUGH * fastest(p, v);
}

static columns find_columns(const cli_position* p)
{
    columns c = {0};
    int outputs = sar_model_outputs(p->model);
    c.rates = cli_allocate((size_t)outputs + 1, sizeof(double));
    sar_simulation_output_rates(p->simulation, p->sub.admissible_part, c.rates);
    for (int k = 0; k < outputs; k++) {
        if (isnan(c.rates[k])) continue;
        if (c.count == MOST_COLUMNS) {
            c.more++;
            continue;
        }
        c.output[c.count] = k;
        snprintf(c.name[c.count++], sizeof c.name[0], "%s", sar_model_output_name(p->model, k));
    }
    int bodies = c.count ? 0 : sar_model_bodies(p->model) - 1;
    for (int b = 1; b <= bodies && b <= MOST_COLUMNS; b++) {
        c.output[c.count] = -1;
        c.body[c.count] = b;
        c.turns[c.count] = does_turn(p, p->sub.admissible_part, b);
        for (int k = 0; k < p->sub.dof && !c.turns[c.count]; k++)
            c.turns[c.count] = does_turn(p, p->sub.admissible + k * p->sub.coordinates, b);
        snprintf(c.name[c.count++], sizeof c.name[0], "%s", sar_model_body_name(p->model, b));
    }
    if (bodies > MOST_COLUMNS) c.more = bodies - MOST_COLUMNS;
    return c;
}

/// Where the model has no outputs: the angular velocity of a body that turns, its frame may rest; of others the speed.
static void fill_row(const cli_position* p, columns* c, const double* v, double* row)
{
    sar_simulation_output_rates(p->simulation, v, c->rates);
    for (int k = 0; k < c->count; k++) {
        double velocity[3], angular[3];
        if (c->output[k] >= 0) {
            row[k] = c->rates[c->output[k]];
            continue;
        }
        sar_simulation_velocity_along(p->simulation, v, (sar_body_id){c->body[k]}, velocity,
                                      angular);
        const double* x = c->turns[k] ? angular : velocity;
        row[k] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        if (c->turns[k] && sar_model_dimension(p->model) == 2) row[k] = angular[2];
    }
}

/* ---- for people ----------------------------------------------------------------------------- */

static void print_head(FILE* out, const columns* c, const char* last)
{
    fprintf(out, "%*s%-*s", INDENT, "", LEFT, "");
    for (int k = 0; k < c->count; k++) fprintf(out, " %10.10s", c->name[k]);
    fprintf(out, "%s\n", last);
}

/// One velocity as a line.
static void print_row(FILE* out, const cli_position* p, columns* c, const char* label,
                      const double* v)
{
    double row[MOST_COLUMNS];
    const double rounding = 1e-13 * fastest(p, p->sub.admissible_part);
    fill_row(p, c, v, row);
    fprintf(out, "%*s%-*s", INDENT, "", LEFT, label);
    for (int k = 0; k < c->count; k++)
        fprintf(out, " %10.4g", fabs(row[k]) > rounding ? row[k] : 0.0);
}

/// One direction as a line: the largest rate is 1, the first that is not zero positive. What is
/// small beside the motion of the bodies is zero.
static void print_direction(FILE* out, const cli_position* p, columns* c, const char* label,
                            const double* v)
{
    double row[MOST_COLUMNS], most = 0.0, zero = ROUGH * fastest(p, v), first = 0.0;
    fill_row(p, c, v, row);
    for (int k = 0; k < c->count; k++) {
        if (fabs(row[k]) > most) most = fabs(row[k]);
        if (first == 0.0 && fabs(row[k]) > zero) first = row[k] > 0.0 ? 1.0 : -1.0;
    }
    fprintf(out, "%*s%-*s", INDENT, "", LEFT, label);
    for (int k = 0; k < c->count; k++)
        fprintf(out, " %10.4g", fabs(row[k]) > zero ? first * row[k] / most : 0.0);
}

/// The bodies that move along v, by name; those that rest if they are fewer.
static void print_bodies(FILE* out, const cli_position* p, const double* v)
{
    int bodies = sar_model_bodies(p->model), moving = 0, listed = 0;
    double zero = ROUGH * fastest(p, v);
    for (int b = 1; b < bodies; b++) moving += body_speed(p, v, b) > zero;
    int resting = bodies - 1 - moving, rest = resting < moving;
    if (resting == 0) return;
    fprintf(out, "   %s", rest ? "rests: " : "moves: ");
    for (int b = 1; b < bodies; b++) {
        if ((body_speed(p, v, b) > zero) == rest) continue;
        if (listed++ < 4)
            fprintf(out, "%s%s", listed > 1 ? ", " : "", sar_model_body_name(p->model, b));
    }
    if (listed > 4) fprintf(out, " and %d more", listed - 4);
}

static void print_values(FILE* out, const cli_position* p)
{
    const sar_subspaces* s = &p->sub;
    enum { MOST = 4 };
    cli_print_label(out, "values");
    int from = s->singular_values > MOST ? s->singular_values - MOST : 0;
    if (s->singular_values == 0) fputs("none: there are no constraints", out);
    if (from > 0) fprintf(out, "%.3g (largest) ... ", s->singular_value[0]);
    for (int k = from; k < s->singular_values; k++)
        fprintf(out, "%s%.3g", k > from ? ", " : "", s->singular_value[k]);
    if (s->rank > 0 && s->rank < s->singular_values)
        fprintf(out, "; those below %.0e of the largest count as zero", p->tolerance);
    fputc('\n', out);
}

static void print_rank_here(FILE* out, const cli_position* p)
{
    const sar_subspaces* s = &p->sub;
    int drop = p->rank_elsewhere - s->rank;
    cli_print_label(out, "here");
    if (drop > 0)
        fprintf(out,
                "%ssingular configuration%s: rank %d, elsewhere %d; %d degrees of freedom, %d "
                "elsewhere\n",
                cli_paint(out, CLI_YELLOW), cli_paint(out, CLI_PLAIN), s->rank, p->rank_elsewhere,
                s->dof, s->coordinates - p->rank_elsewhere);
    else if (s->singular)
        fprintf(
            out,
            "%ssingular configuration%s: rank %d, %d degrees of freedom, not all of them last\n",
            cli_paint(out, CLI_YELLOW), cli_paint(out, CLI_PLAIN), s->rank, s->dof);
    else
        fprintf(out, "regular position: rank %d, %d degree%s of freedom\n", s->rank, s->dof,
                cli_plural(s->dof));
    double least = s->rank > 0 ? s->singular_value[s->rank - 1] / s->singular_value[0] : 1.0;
    if (drop <= 0 && !s->singular && least < 1e-2)
        fprintf(out,
                "%*snear a singular one? the smallest singular value is %.1e of the largest "
                "(--rank-tolerance, --at singular)\n",
                INDENT, "", least);
}

static void print_directions(FILE* out, const cli_position* p, columns* c)
{
    const sar_subspaces* s = &p->sub;
    cli_print_label(out, "admissible");
    fprintf(out, "%d direction%s; %s along each, the largest is 1%s\n", s->dof, cli_plural(s->dof),
            c->count && c->output[0] < 0 ? "speeds of the bodies, angular of those that turn,"
                                         : "rates of the outputs",
            c->more ? " (not all are shown)" : "");
    print_head(out, c, "");
    for (int k = 0; k < s->dof && k < MOST_ROWS; k++) {
        char label[16];
        snprintf(label, sizeof label, "%d", k + 1);
        print_direction(out, p, c, label, s->admissible + k * s->coordinates);
        fputc('\n', out);
    }
    if (s->dof > MOST_ROWS) fprintf(out, "%*sand %d more\n", INDENT, "", s->dof - MOST_ROWS);
}

static void print_branches(FILE* out, const cli_position* p, columns* c)
{
    const sar_subspaces* s = &p->sub;
    cli_print_label(out, "branches");
    if (s->branches < 0) {
        fputs("several motions meet here; not resolved\n", out);
        return;
    }
    if (s->branches == 0) {
        fputs("no motion leads out of this position (to second order)\n", out);
        return;
    }
    fprintf(out, "%d motion%s here%s\n", s->branches, s->branches == 1 ? " goes on" : "s meet",
            isnan(s->branch[0].share) ? "; the mechanism is at rest" : "");
    print_head(out, c, "");
    for (int b = 0; b < s->branches; b++)
        for (int d = 0; d < s->branch[b].dimension && d < MOST_ROWS; d++) {
            char label[16] = "";
            if (d == 0) snprintf(label, sizeof label, "%d", b + 1);
            print_direction(out, p, c, label, s->branch[b].basis + d * s->coordinates);
            print_bodies(out, p, s->branch[b].basis + d * s->coordinates);
            fputc('\n', out);
        }
    if (isnan(s->branch[0].share)) return;
    fprintf(out, "%*sthe velocity ", INDENT, "");
    if (s->branch[0].share > 1.0 - 1e-6)
        fputs("follows 1\n", out);
    else
        fprintf(out, "is on none of them; nearest to 1, at an angle of %.3g degrees\n",
                sari_acos(s->branch[0].share) * 180.0 / 3.14159265358979323846);
}

/// The velocity by branches if they are a basis, else as a whole; and what violates.
static void print_velocity(FILE* out, const cli_position* p, columns* c)
{
    const sar_subspaces* s = &p->sub;
    double* part = cli_allocate((size_t)s->coordinates + 1, sizeof(double));
    cli_print_label(out, "velocity");
    fputs("is the sum of\n", out);
    print_head(out, c, "     energy");
    int split = s->singular && s->branches > 1 && !isnan(s->branch[0].eta);
    for (int b = 0; split && b < s->branches; b++) {
        char label[24];
        double eta = s->branch[b].eta;
        for (int i = 0; i < s->coordinates; i++) part[i] = eta * s->branch[b].basis[i];
        snprintf(label, sizeof label, "along %d", b + 1);
        print_row(out, p, c, label, part);
        fprintf(out, " %8.3g J\n", 0.5 * eta * eta);
    }
    if (!split) {
        print_row(out, p, c, "admissible", s->admissible_part);
        fprintf(out, " %8.3g J\n", s->admissible_energy);
    }
    print_row(out, p, c, "violation", s->constrained_part);
    fprintf(out, " %8.3g J\n", s->constrained_energy);
    free(part);
}

void cli_position_print(const cli_position* p, FILE* out)
{
    const sar_options* o = p->options;
    double t = sar_simulation_time(p->simulation);
    cli_print_label(out, "position");
    if (t == o->start)
        fprintf(out, "at t = %.10g s, the start\n", t);
    else
        fprintf(out, "at t = %.10g s, by %s, %s, %s; step %g s\n", t, o->coordinates,
                o->formulation, o->integrator, o->step);
    if (p->status != SAR_OK) {
        cli_print_label(out, "");
        fputs(p->status == SAR_E_ARG ? "too large for the analysis of velocities\n"
                                     : "some motion that the joints allow has no mass\n",
              out);
        return;
    }
    print_rank_here(out, p);
    print_values(out, p);
    columns c = find_columns(p);
    if (p->sub.singular) print_branches(out, p, &c);
    if (!p->sub.singular || p->sub.branches < 1) print_directions(out, p, &c);
    print_velocity(out, p, &c);
    free(c.rates);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/// All positional outputs; without outputs, the bodies.
static void json_velocity(cli_json* j, const cli_position* p, const char* key, const double* v)
{
    int outputs = sar_model_outputs(p->model);
    double* rates = cli_allocate((size_t)outputs + 1, sizeof(double));
    sar_simulation_output_rates(p->simulation, v, rates);
    cli_json_open(j, key, '{');
    cli_json_open(j, "outputs", '{');
    for (int k = 0; k < outputs; k++)
        if (!isnan(rates[k])) cli_json_number(j, sar_model_output_name(p->model, k), rates[k]);
    cli_json_close(j);
    cli_json_open(j, "bodies", '{');
    for (int b = 1; b < sar_model_bodies(p->model); b++) {
        double x[6];
        sar_simulation_velocity_along(p->simulation, v, (sar_body_id){b}, x, x + 3);
        cli_json_numbers(j, sar_model_body_name(p->model, b), x, 6);
    }
    cli_json_close(j);
    cli_json_close(j);
    free(rates);
}

static void json_branches(cli_json* j, const cli_position* p)
{
    const sar_subspaces* s = &p->sub;
    if (s->branches < 0) {
        cli_json_text(j, "branches", NULL);
        return;
    }
    cli_json_open(j, "branches", '[');
    for (int b = 0; b < s->branches; b++) {
        const sar_branch* branch = &s->branch[b];
        cli_json_open(j, NULL, '{');
        cli_json_integer(j, "dimension", branch->dimension);
        cli_json_number(j, "share", branch->share);
        cli_json_number(j, "eta", branch->eta);
        cli_json_open(j, "directions", '[');
        for (int d = 0; d < branch->dimension; d++)
            json_velocity(j, p, NULL, branch->basis + d * s->coordinates);
        cli_json_close(j);
        cli_json_close(j);
    }
    cli_json_close(j);
}

void cli_position_json(const cli_position* p, cli_json* j)
{
    const sar_subspaces* s = &p->sub;
    cli_json_open(j, "position", '{');
    cli_json_number(j, "t", sar_simulation_time(p->simulation));
    if (p->status == SAR_OK) {
        cli_json_integer(j, "rank", s->rank);
        cli_json_integer(j, "rank_elsewhere", p->rank_elsewhere);
        cli_json_integer(j, "dof", s->dof);
        cli_json_boolean(j, "singular", s->singular || p->rank_elsewhere > s->rank);
        cli_json_number(j, "rank_tolerance", p->tolerance);
        cli_json_numbers(j, "singular_values", s->singular_value, s->singular_values);
        cli_json_open(j, "admissible", '[');
        for (int k = 0; k < s->dof; k++)
            json_velocity(j, p, NULL, s->admissible + k * s->coordinates);
        cli_json_close(j);
        json_branches(j, p);
        cli_json_open(j, "velocity", '{');
        json_velocity(j, p, "admissible", s->admissible_part);
        json_velocity(j, p, "constrained", s->constrained_part);
        cli_json_number(j, "admissible_energy", s->admissible_energy);
        cli_json_number(j, "constrained_energy", s->constrained_energy);
        cli_json_close(j);
    }
    cli_json_close(j);
}
