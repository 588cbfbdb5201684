/* How near the shapes of bodies come to each other along the curves of a map. */
#include "map/map.h"

#include "common/summary.h"

#include "sarrus/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 181, SECTIONS = 40 };

typedef struct search {
    const cli_map* m;
    double* poses; ///< of all bodies, the ground first
    int arc;
} search;

/* Do stops forbid the curve at `at`? */
static int is_forbidden(const sar_map_arc* a, double at)
{
    for (int i = 0; i < a->stops; i++) {
        const sar_map_stop *x = &a->stop[i], *last = NULL;
        for (int k = 0; k < a->stops; k++)
            if (strcmp(a->stop[k].name, x->name) == 0 && a->stop[k].at <= at) last = &a->stop[k];
        if (last ? last->leaves : !x->leaves) return 1;
    }
    return a->beyond;
}

static double distance_at(search* s, const cli_map_clearance* c, double at)
{
    const sar_map_place place = {-1, s->arc, -1, at, -1};
    sar_clearance found;
    if (is_forbidden(&s->m->arc[s->arc], at)) return INFINITY;
    if (sar_map_pose(s->m->map, &place, 0.0, s->poses + 7, NULL) != SAR_OK) return INFINITY;
    if (sar_model_clearance(s->m->base.file.model, c->body[0], s->poses + 7 * c->body[0].i,
                            c->body[1], s->poses + 7 * c->body[1].i, &found) != SAR_OK)
        return INFINITY;
    return found.distance;
}

/* The least along the curve, by samples and golden sections around the best. */
static void find_least(search* s, cli_map_clearance* c)
{
    static const double golden = 0.6180339887498949;
    for (int k = 0; k < SAMPLES; k++) {
        const double at = (double)k / (SAMPLES - 1), d = distance_at(s, c, at);
        if (d < c->distance) c->distance = d, c->at = at;
    }
    double a = fmax(0.0, c->at - 1.0 / (SAMPLES - 1)), b = fmin(1.0, c->at + 1.0 / (SAMPLES - 1));
    for (int k = 0; k < SECTIONS && c->distance < INFINITY; k++) {
        const double x = b - golden * (b - a), y = a + golden * (b - a);
        const double fx = distance_at(s, c, x), fy = distance_at(s, c, y);
        if (fx < c->distance) c->distance = fx, c->at = x;
        if (fy < c->distance) c->distance = fy, c->at = y;
        if (fx < fy)
            b = y;
        else
            a = x;
    }
}

static int is_couple(const sar_model* model, int a, int b)
{
    return sar_model_shapes(model, (sar_body_id){a}) && sar_model_shapes(model, (sar_body_id){b}) &&
           !cli_are_joined(model, a, b);
}

void cli_map_find_clearances(cli_map* m)
{
    const sar_model* model = m->base.file.model;
    const int bodies = sar_model_bodies(model);
    search s = {.m = m, .poses = cli_allocate((size_t)(7 * bodies), sizeof *s.poses)};
    s.poses[3] = 1.0;
    for (int a = 0; a < bodies; a++)
        for (int b = a + 1; b < bodies; b++)
            for (s.arc = 0; s.arc < m->summary.arcs && is_couple(model, a, b); s.arc++) {
                cli_map_clearance c = {.body = {{a}, {b}}, .arc = s.arc, .distance = INFINITY};
                find_least(&s, &c);
                if (c.distance == INFINITY) continue;
                m->clearance = cli_resize(m->clearance, (size_t)(m->clearances + 1) * sizeof c);
                m->clearance[m->clearances++] = c;
            }
    free(s.poses);
}

int cli_map_overlaps(const cli_map* m)
{
    for (int k = 0; k < m->clearances; k++)
        if (m->clearance[k].distance < 0.0 &&
            m->component[m->arc[m->clearance[k].arc].component].has_start)
            return 1;
    return 0;
}

void cli_map_print_clearances(const cli_map* m)
{
    const sar_model* model = m->base.file.model;
    for (int k = 0; k < m->clearances; k++) {
        const cli_map_clearance* c = &m->clearance[k];
        cli_print_label(stdout, k ? "" : "clearance");
        printf("%s: %s and %s %s %.6g m, at %s@%.4f\n", m->arc[c->arc].name,
               sar_model_body_name(model, c->body[0].i), sar_model_body_name(model, c->body[1].i),
               c->distance < 0.0 ? "overlap by" : "at least", fabs(c->distance),
               m->arc[c->arc].name, c->at);
    }
}

void cli_map_json_clearances(const cli_map* m, cli_json* j)
{
    const sar_model* model = m->base.file.model;
    cli_json_open(j, "clearance", '[');
    for (int k = 0; k < m->clearances; k++) {
        const cli_map_clearance* c = &m->clearance[k];
        cli_json_open(j, NULL, '{');
        cli_json_open(j, "bodies", '[');
        for (int i = 0; i < 2; i++)
            cli_json_text(j, NULL, sar_model_body_name(model, c->body[i].i));
        cli_json_close(j);
        cli_json_text(j, "arc", m->arc[c->arc].name);
        cli_json_number(j, "at", c->at);
        cli_json_number(j, "distance", c->distance);
        cli_json_close(j);
    }
    cli_json_close(j);
}
