/* The map in words, and as JSON. */
#include "map/map.h"

#include "common/summary.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, ROWS = 40 };
static const double DEGREE = 0.017453292519943295;

static double shown(const cli_map* m, int k, double value)
{
    const double x = m->quantity[k].is_angle ? value / DEGREE : value;
    return fabs(x) < 1e-9 ? 0.0 : x;
}

/* Where a bar transmits nothing its least angle is found to the root of rounding. */
static double transmitted(double angle)
{
    return angle / DEGREE < 1e-5 ? 0.0 : angle / DEGREE;
}

static const char* unit(const cli_map* m, int k)
{
    return m->quantity[k].is_angle ? "deg" : "m";
}

/* ---- in words --------------------------------------------------------------------------------- */

static void print_component(const cli_map* m, int c)
{
    const sar_map_component* x = &m->component[c];
    cli_print_label(stdout, c ? "" : "components");
    if (x->dimension == 0)
        printf(m->summary.placements < m->summary.modes ? "%s: no motion, placement %d"
                                                        : "%s: no motion",
               x->name, x->placement + 1);
    else if (x->dimension > 1)
        printf("%s: dimension %d, how its parts connect is not looked at", x->name, x->dimension);
    if (x->dimension > 1 && x->arcs)
        printf(", with %d curve%s at %d singular configuration%s", x->arcs, cli_plural(x->arcs),
               x->nodes, cli_plural(x->nodes));
    if (x->dimension == 1 && x->arcs == 1 && x->nodes == 0)
        printf("%s: one curve", x->name);
    else if (x->dimension == 1)
        printf("%s ...: %d curve%s, %d singular configuration%s", x->name, x->arcs,
               cli_plural(x->arcs), x->nodes, cli_plural(x->nodes));
    if (x->beyond) printf(", beyond %s", x->beyond);
    printf("; found by %d start%s%s\n", x->seen, cli_plural(x->seen),
           x->has_start ? "; the drawn start is here" : "");
}

/* A mode whose placement was there before. */
static int repeats_placement(const cli_map* m, int c)
{
    const sar_map_component* x = &m->component[c];
    for (int i = 0; i < c; i++)
        if (!x->dimension && !m->component[i].dimension &&
            m->component[i].placement == x->placement)
            return 1;
    return 0;
}

/* It was followed for some time only. */
static int is_endless(const sar_map_arc* a)
{
    return a->end[0] == SAR_MAP_INFINITE || a->end[1] == SAR_MAP_INFINITE;
}

static void print_range(const cli_map* m, const sar_map_arc* a, int k)
{
    const sar_map_range* r = a->within ? &a->within[k] : &a->range[k];
    if (m->quantity[k].is_angle && a->closed && r->turns != 0)
        printf("%s full turn%s", m->quantity[k].name, r->turns * r->turns > 1 ? "s" : "");
    else if (fabs(shown(m, k, r->greatest - r->least)) < 1e-6)
        printf("%s %.4g %s", m->quantity[k].name, shown(m, k, r->least), unit(m, k));
    else
        printf("%s%s %.4g .. %.4g %s", m->quantity[k].name,
               !m->quantity[k].is_angle && is_endless(a) ? " at least" : "", shown(m, k, r->least),
               shown(m, k, r->greatest), unit(m, k));
}

static const char* end_of(const cli_map* m, const sar_map_arc* a, int e)
{
    switch (a->end[e]) {
    case SAR_MAP_NODE:
        return m->node[a->node[e]].name;
    case SAR_MAP_INFINITE:
        return "infinity";
    case SAR_MAP_CLOSED:
        return "closed";
    default:
        return "?";
    }
}

static void print_arc(const cli_map* m, int i)
{
    const sar_map_arc* a = &m->arc[i];
    cli_print_label(stdout, i ? "" : "curves");
    if (a->closed)
        printf("%s closed", a->name);
    else
        printf("%s %s to %s", a->name, end_of(m, a, 0), end_of(m, a, 1));
    if (a->freedoms > 1) printf(", shaky (%d freedoms of velocity)", a->freedoms);
    if (a->within) printf(", between stops");
    if (a->beyond) printf(", all of it beyond stops");
    for (int k = 0; k < m->quantities && k < COLUMNS; k++) {
        fputs(k ? ", " : ": ", stdout);
        print_range(m, a, k);
    }
    putchar('\n');
}

static void print_dead(const cli_map* m)
{
    int rows = 0;
    for (int i = 0; i < m->summary.arcs; i++)
        for (int k = 0; k < m->arc[i].dead_points && rows < ROWS; k++) {
            const sar_map_dead_point* d = &m->arc[i].dead_point[k];
            cli_print_label(stdout, rows++ ? "" : "dead points");
            printf("%s@%.4f: %s turns back at %.6g %s\n", m->arc[i].name, d->at,
                   m->quantity[d->quantity].name, shown(m, d->quantity, d->value),
                   unit(m, d->quantity));
        }
}

static void print_stops(const cli_map* m)
{
    int rows = 0;
    for (int i = 0; i < m->summary.arcs; i++)
        for (int k = 0; k < m->arc[i].stops && rows < ROWS; k++) {
            const sar_map_stop* x = &m->arc[i].stop[k];
            cli_print_label(stdout, rows++ ? "" : "stops");
            printf("%s@%.4f: %s at its %s limit, %.6g%s; forbidden %s\n", m->arc[i].name, x->at,
                   x->name, x->upper ? "upper" : "lower",
                   x->is_angle ? x->value / DEGREE : x->value, x->is_angle ? " deg" : "",
                   x->leaves ? "from here on" : "up to here");
        }
}

static void print_transmission(const cli_map* m)
{
    int rows = 0;
    for (int i = 0; i < m->summary.arcs; i++)
        for (int k = 0; k < m->arc[i].transmissions && rows < ROWS; k++) {
            const sar_map_transmission* t = &m->arc[i].transmission[k];
            if (isnan(t->least)) continue;
            cli_print_label(stdout, rows++ ? "" : "transmits");
            printf("%s: %s drives %s by at least %.4g deg, at %s@%.4f\n", m->arc[i].name,
                   sar_model_body_name(m->base.file.model, t->bar.i),
                   sar_model_joint_name(m->base.file.model, t->joint.i), transmitted(t->least),
                   m->arc[i].name, t->at);
        }
}

static void print_node(const cli_map* m, int i)
{
    const sar_map_node* n = &m->node[i];
    cli_print_label(stdout, i ? "" : "singular");
    printf("%s: %d freedom%s of velocity, ", n->name, n->freedoms, cli_plural(n->freedoms));
    if (!n->resolved)
        printf("curves not resolved (%d seen)", n->halves);
    else if (n->halves == 0 && n->dimension == 0)
        printf("isolated: no motion");
    else
        printf("%d curve%s leave it, %d smooth motion%s", n->halves, cli_plural(n->halves),
               n->motions, cli_plural(n->motions));
    if (n->dimension) printf(", in a family of dimension %d", n->dimension);
    if (n->beyond) printf(", beyond %s", n->beyond);
    for (int k = 0; k < m->quantities && k < COLUMNS; k++)
        printf("%s%s %.4g %s", k ? ", " : ": ", m->quantity[k].name, shown(m, k, n->value[k]),
               unit(m, k));
    if (n->halves) fputs("; to", stdout);
    for (int h = 0; h < n->halves && h < 12; h++)
        if (n->half[h].arc >= 0) printf(" %s", m->arc[n->half[h].arc].name);
    if (n->halves > 12) fputs(" ...", stdout);
    putchar('\n');
}

static const char* verdict_of(const sar_map_summary* s)
{
    return s->complete ? "mapped" : "mapped in part";
}

/* The two quantities over which there are regions. */
static int find_regions(const cli_map* m, const sar_map_region** region, int pair[2])
{
    cli_map plain = *m;
    plain.over = NULL;
    return (m->singular || m->boundary) && !cli_map_pair(&plain, pair)
               ? sar_map_regions(m->map, region)
               : 0;
}

static void print_regions(const cli_map* m)
{
    const sar_map_region* r;
    int pair[2];
    const int count = find_regions(m, &r, pair);
    for (int k = 0; k < count && k < ROWS; k++) {
        cli_print_label(stdout, k ? "" : "regions");
        printf("%d configuration%s around ", r[k].configurations, cli_plural(r[k].configurations));
        for (int i = 0; i < 2; i++)
            printf("%s%s %.4g %s", i ? ", " : "", m->quantity[pair[i]].name,
                   shown(m, pair[i], r[k].at[i]), unit(m, pair[i]));
        printf("; %.3g %% of the plane\n", 100.0 * r[k].share);
    }
}

/* Modes come and go in pairs. */
static void print_balance(const sar_map_summary* s)
{
    if (s->balance == SAR_MAP_NO_BALANCE) return;
    cli_print_label(stdout, "");
    if (s->balance)
        printf("the signs of det J of the %d modes do not add up to zero: at least %d missing\n",
               s->modes, abs(s->balance));
    else
        printf("the signs of det J of the %d modes add up to zero: one alone is not missing\n",
               s->modes);
}

void cli_map_print_parts(const cli_map* m)
{
    const sar_map_summary* s = &m->summary;
    cli_print_label(stdout, "freedoms");
    if (m->singular || m->boundary)
        printf("2; singular configurations with %s, in coordinates and velocities",
               m->singular ? m->singular : m->boundary);
    else if (s->dimension >= 0 && s->dimension == s->nullity)
        printf("%d at the drawn start", s->dimension);
    else
        printf("%d of velocity at the drawn start, which is a singular configuration", s->nullity);
    printf(" (%d natural coordinate%s, %d condition%s)\n", s->coordinates,
           cli_plural(s->coordinates), s->conditions, cli_plural(s->conditions));
    cli_print_label(stdout, "found");
    printf("%d component%s, %d curve%s, %d singular configuration%s; the drawn start is %s\n",
           s->components, cli_plural(s->components), s->arcs, cli_plural(s->arcs), s->nodes,
           cli_plural(s->nodes), s->start);
    cli_print_label(stdout, "missing");
    printf("%d of %d starts closed; what is not here is reached from less than %.3g %% of them\n",
           s->closed, s->starts, 100.0 * s->unseen);
    print_balance(s);
    if (s->placements < s->modes && s->placements) {
        cli_print_label(stdout, "placements");
        printf("%d of joints; modes of one placement differ in bars that are rolled about their "
               "line\n",
               s->placements);
    }
    for (int c = 0, rows = 0; c < s->components && rows < ROWS; c++)
        if (!repeats_placement(m, c)) rows++, print_component(m, c);
    for (int i = 0; i < s->nodes && i < ROWS; i++) print_node(m, i);
    for (int i = 0; i < s->arcs && i < ROWS; i++) print_arc(m, i);
    print_regions(m);
    print_stops(m);
    print_dead(m);
    print_transmission(m);
    cli_map_print_clearances(m);
}

void cli_map_print(const void* self)
{
    const cli_map* m = self;
    cli_inspection_print_verdict(&m->base, verdict_of(&m->summary), m->summary.complete);
    cli_map_print_parts(m);
    cli_inspection_print_warnings(&m->base);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void json_values(const cli_map* m, cli_json* j, const double* value)
{
    cli_json_open(j, "values", '{');
    for (int k = 0; k < m->quantities; k++) cli_json_number(j, m->quantity[k].name, value[k]);
    cli_json_close(j);
}

/* Singularity curves: the two quantities along them. */
static void json_samples(const cli_map* m, cli_json* j, const sar_map_arc* a)
{
    enum { SAMPLES = 61 };
    int pair[2];
    if (cli_map_pair(m, pair)) return;
    double* values = cli_allocate((size_t)m->quantities, sizeof *values);
    cli_json_open(j, "samples", '[');
    for (int k = 0; k < SAMPLES; k++) {
        const sar_map_place place = {-1, (int)(a - m->arc), -1, (double)k / (SAMPLES - 1), -1};
        if (sar_map_values(m->map, &place, values, NULL) != SAR_OK) continue;
        cli_json_open(j, NULL, '[');
        for (int i = 0; i < 2; i++) cli_json_number(j, NULL, values[pair[i]]);
        cli_json_close(j);
    }
    cli_json_close(j);
    free(values);
}

static void json_ranges(const cli_map* m, cli_json* j, const char* name, const sar_map_range* range)
{
    cli_json_open(j, name, '{');
    for (int k = 0; k < m->quantities; k++) {
        cli_json_open(j, m->quantity[k].name, '{');
        cli_json_number(j, "least", range[k].least);
        cli_json_number(j, "greatest", range[k].greatest);
        cli_json_integer(j, "turns", range[k].turns);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void json_arc(const cli_map* m, cli_json* j, const sar_map_arc* a)
{
    cli_json_open(j, NULL, '{');
    if (m->singular || m->boundary) json_samples(m, j, a);
    cli_json_text(j, "name", a->name);
    cli_json_integer(j, "component", a->component);
    cli_json_boolean(j, "closed", a->closed);
    cli_json_text(j, "from", end_of(m, a, 0));
    cli_json_text(j, "to", end_of(m, a, 1));
    cli_json_integer(j, "freedoms", a->freedoms);
    cli_json_number(j, "length", a->length);
    cli_json_integer(j, "points", a->points);
    json_ranges(m, j, "ranges", a->range);
    if (a->within) json_ranges(m, j, "within_stops", a->within);
    cli_json_boolean(j, "beyond_stops", a->beyond);
    cli_json_open(j, "stops", '[');
    for (int k = 0; k < a->stops; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", a->stop[k].name);
        cli_json_number(j, "at", a->stop[k].at);
        cli_json_text(j, "limit", a->stop[k].upper ? "upper" : "lower");
        cli_json_text(j, "forbidden", a->stop[k].leaves ? "after" : "before");
        cli_json_number(j, "value", a->stop[k].value);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_open(j, "dead_points", '[');
    for (int k = 0; k < a->dead_points; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "quantity", m->quantity[a->dead_point[k].quantity].name);
        cli_json_number(j, "at", a->dead_point[k].at);
        cli_json_number(j, "value", a->dead_point[k].value);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_open(j, "transmission", '[');
    for (int k = 0; k < a->transmissions; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "bar", sar_model_body_name(m->base.file.model, a->transmission[k].bar.i));
        cli_json_text(j, "joint",
                      sar_model_joint_name(m->base.file.model, a->transmission[k].joint.i));
        cli_json_number(j, "least", a->transmission[k].least);
        cli_json_number(j, "at", a->transmission[k].at);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_close(j);
}

static void json_node(const cli_map* m, cli_json* j, const sar_map_node* n)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", n->name);
    cli_json_integer(j, "component", n->component);
    cli_json_integer(j, "freedoms", n->freedoms);
    cli_json_integer(j, "halves", n->halves);
    cli_json_integer(j, "motions", n->motions);
    cli_json_integer(j, "dimension", n->dimension);
    cli_json_boolean(j, "resolved", n->resolved);
    if (n->beyond) cli_json_text(j, "beyond", n->beyond);
    json_values(m, j, n->value);
    cli_json_open(j, "curves", '[');
    for (int h = 0; h < n->halves; h++)
        cli_json_text(j, NULL, n->half[h].arc >= 0 ? m->arc[n->half[h].arc].name : NULL);
    cli_json_close(j);
    cli_json_open(j, "partners", '[');
    for (int h = 0; h < n->halves; h++) cli_json_integer(j, NULL, n->half[h].partner);
    cli_json_close(j);
    cli_json_close(j);
}

static void json_component(const cli_map* m, cli_json* j, const sar_map_component* c)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", c->name);
    cli_json_integer(j, "dimension", c->dimension);
    cli_json_integer(j, "arcs", c->arcs);
    cli_json_integer(j, "nodes", c->nodes);
    cli_json_integer(j, "seen", c->seen);
    cli_json_boolean(j, "has_start", c->has_start);
    if (c->beyond) cli_json_text(j, "beyond", c->beyond);
    if (c->dimension == 0) cli_json_integer(j, "placement", c->placement);
    json_values(m, j, c->value);
    cli_json_close(j);
}

static void json_regions(const cli_map* m, cli_json* j)
{
    const sar_map_region* r;
    int pair[2];
    const int count = find_regions(m, &r, pair);
    cli_json_open(j, "regions", '[');
    for (int k = 0; k < count; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_numbers(j, "at", r[k].at, 2);
        cli_json_number(j, "share", r[k].share);
        cli_json_integer(j, "configurations", r[k].configurations);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void json_lists(const cli_map* m, cli_json* j)
{
    const sar_map_summary* s = &m->summary;
    cli_json_open(j, "components", '[');
    for (int i = 0; i < s->components; i++) json_component(m, j, &m->component[i]);
    cli_json_close(j);
    cli_json_open(j, "nodes", '[');
    for (int i = 0; i < s->nodes; i++) json_node(m, j, &m->node[i]);
    cli_json_close(j);
    cli_json_open(j, "arcs", '[');
    for (int i = 0; i < s->arcs; i++) json_arc(m, j, &m->arc[i]);
    cli_json_close(j);
}

void cli_map_json_members(const cli_map* m, cli_json* j)
{
    const sar_map_summary* s = &m->summary;
    cli_json_text(j, "verdict", verdict_of(s));
    cli_json_integer(j, "coordinates", s->coordinates);
    cli_json_integer(j, "conditions", s->conditions);
    cli_json_integer(j, "freedoms_of_velocity", s->nullity);
    cli_json_integer(j, "freedoms", s->dimension);
    cli_json_text(j, "start", s->start);
    cli_json_integer(j, "starts", s->starts);
    cli_json_integer(j, "closed", s->closed);
    cli_json_number(j, "unseen", s->unseen);
    cli_json_integer(j, "placements", s->placements);
    if (s->balance != SAR_MAP_NO_BALANCE) cli_json_integer(j, "balance", s->balance);
    cli_json_number(j, "seconds", m->seconds);
    json_lists(m, j);
    if (m->singular || m->boundary) json_regions(m, j);
    cli_map_json_clearances(m, j);
}

void cli_map_json(const void* self, cli_json* j)
{
    const cli_map* m = self;
    if (m->map) cli_map_json_members(m, j);
}
