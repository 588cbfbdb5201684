/* The map as users see it: names, lists, places. */
#include "atlas/values.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 24 };

sar_map_options sar_map_options_default(void)
{
    return (sar_map_options){
        .starts = 60, .most_starts = 400, .most_arcs = 2000, .most_nodes = 300};
}

/* ---- what is shown ---------------------------------------------------------------------------- */

static const char* name_of(sar_map* map, char letter, int number)
{
    char* name = SARI_TAKE(&map->memory, char, NAME);
    if (name) snprintf(name, NAME, "%c%d", letter, number);
    return name;
}

/* Arcs that were taken back go; half-branches count those that stay. */
static void compact(sar_map* map)
{
    int kept = 0;
    for (int i = 0; i < map->arcs; i++) {
        sari_arc* arc = &map->arc[i];
        if (arc->removed) {
            sari_arc_release(arc);
            continue;
        }
        for (int e = 0; e < 2; e++)
            if (arc->node[e] >= 0) {
                sari_half* half = &map->node[arc->node[e]].half[arc->half[e]];
                half->arc = kept, half->end = e;
            }
        map->arc[kept++] = *arc;
    }
    map->arcs = kept;
}

/* From the sphere of a node to the node itself: the points at R/2 and 0. */
static int reach_node(sar_map* map, sari_arc* arc, int e)
{
    if (arc->node[e] < 0) return 1;
    sari_locus* l = &map->locus;
    const int n = l->n;
    const sari_node* node = &map->node[arc->node[e]];
    const sari_half* half = &node->half[arc->half[e]];
    sari_arena scratch = {0};
    double* u = SARI_TAKE(&scratch, double, 2 * n + 1);
    double* t = u + n;
    if (!u) return 0;
    sari_half_direction(map, node, arc->half[e], u);
    for (int i = 0; i < n; i++) t[i] = u[i] = -u[i];
    if (arc->nullity == 1) {
        sari_locus_eval(l, half->mid);
        sari_locus_spectrum(l);
        sari_locus_vector(l, n - 1, t);
        const double sign = sari_vector_dot(n, t, u) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < n; i++) t[i] *= sign;
    }
    const int ok = sari_arc_append(map, arc, half->mid, t) && sari_arc_append(map, arc, node->q, u);
    sari_arena_clear(&scratch);
    return ok;
}

static int complete_arcs(sar_map* map)
{
    for (int i = 0; i < map->arcs; i++) {
        sari_arc* arc = &map->arc[i];
        if (!reach_node(map, arc, 1)) return 0;
        if (arc->node[0] >= 0) {
            sari_arc_reverse(map, arc);
            if (!reach_node(map, arc, 1)) return 0;
            sari_arc_reverse(map, arc);
        }
        arc->length = 0.0;
        for (int k = 0; k + 1 < arc->points; k++) arc->length += sari_arc_segment(map, arc, k);
    }
    return 1;
}

static sar_status show_nodes(sar_map* map)
{
    map->shown_node = SARI_TAKE(&map->memory, sar_map_node, map->nodes + 1);
    if (!map->shown_node) return SAR_E_NOMEM;
    for (int i = 0; i < map->nodes; i++) {
        const sari_node* node = &map->node[i];
        sar_map_half* half = SARI_TAKE(&map->memory, sar_map_half, node->halves + 1);
        sar_map_node* to = &map->shown_node[i];
        *to = (sar_map_node){.name = name_of(map, 'S', i + 1),
                             .component = node->component,
                             .freedoms = node->nullity,
                             .halves = node->halves,
                             .half = half,
                             .dimension = node->dimension,
                             .resolved = node->resolved,
                             .value = sari_values_at(map, node->q),
                             .beyond = sari_limits_beyond(map, node->q)};
        if (map->memory.failed || !to->value) return SAR_E_NOMEM;
        for (int k = 0; k < node->halves; k++) {
            half[k] = (sar_map_half){node->half[k].arc, node->half[k].end, node->half[k].partner};
            to->motions += half[k].partner > k;
        }
    }
    return SAR_OK;
}

static sar_status show_arcs(sar_map* map)
{
    map->shown_arc = SARI_TAKE(&map->memory, sar_map_arc, map->arcs + 1);
    if (!map->shown_arc) return SAR_E_NOMEM;
    for (int i = 0; i < map->arcs; i++) {
        const sari_arc* arc = &map->arc[i];
        sar_map_arc* to = &map->shown_arc[i];
        *to = (sar_map_arc){.name = name_of(map, 'A', i + 1),
                            .component = arc->component,
                            .freedoms = arc->nullity,
                            .closed = arc->closed,
                            .node = {arc->node[0], arc->node[1]},
                            .end = {arc->ends[0], arc->ends[1]},
                            .length = arc->length,
                            .points = arc->points};
        if (!to->name) return SAR_E_NOMEM;
        SARI_TRY(sari_values_of_arc(map, arc, to));
        SARI_TRY(sari_bars_along(map, arc, to));
        SARI_TRY(sari_limits_of_arc(map, arc, to));
    }
    return SAR_OK;
}

/* ---- components ------------------------------------------------------------------------------- */

/* What component c consists of. */
static sar_status show_component(sar_map* map, int c, int* modes, int* families)
{
    sar_map_component* to = &map->shown_component[c];
    const double* q = NULL;
    *to = (sar_map_component){.dimension = 0};
    for (int i = map->arcs - 1; i >= 0; i--) {
        if (map->arc[i].component != c) continue;
        to->arcs++, to->seen += map->arc[i].seen, to->dimension = 1;
        to->name = map->shown_arc[i].name, q = map->arc[i].q;
    }
    for (int i = map->nodes - 1; i >= 0; i--) {
        if (map->node[i].component != c) continue;
        to->nodes++, to->seen += map->node[i].seen;
        if (!to->arcs) to->name = map->shown_node[i].name, q = map->node[i].q;
    }
    for (int i = 0; i < map->sheets; i++) {
        sari_sheet* sheet = &map->sheet[i];
        if (sheet->component != c) continue;
        to->seen += sheet->seen;
        sheet->name =
            sheet->dimension ? name_of(map, 'F', ++*families) : name_of(map, 'M', ++*modes);
        if (sheet->dimension > to->dimension || !to->name)
            to->name = sheet->name, q = sheet->q, to->dimension = sheet->dimension;
    }
    to->value = q ? sari_values_at(map, q) : NULL;
    if (q && to->dimension == 0) to->beyond = sari_limits_beyond(map, q);
    for (int i = 0; i < map->sheets; i++)
        if (map->sheet[i].component == c) to->placement = map->sheet[i].placement;
    return map->memory.failed || !to->value ? SAR_E_NOMEM : SAR_OK;
}

/* What the drawn start is on. */
static void find_drawn(sar_map* map)
{
    const size_t n = (size_t)map->locus.n;
    double best = INFINITY;
    int component = -1;
    snprintf(map->text, sizeof map->text, "%s", map->twofold ? "nowhere" : "?");
    if (map->twofold) return;
    for (int i = 0; i < map->nodes; i++)
        if (sari_distance_of((int)n, map->node[i].q, map->start) < 1e-6) {
            snprintf(map->text, sizeof map->text, "%s", map->shown_node[i].name);
            map->shown_component[map->node[i].component].has_start = 1;
            return;
        }
    for (int i = 0; i < map->sheets; i++) // the start is examined first, and is their first point
        if (sari_distance_of((int)n, map->sheet[i].q, map->start) < 1e-6) {
            snprintf(map->text, sizeof map->text, "%s", map->sheet[i].name);
            map->shown_component[map->sheet[i].component].has_start = 1;
            return;
        }
    for (int i = 0; i < map->arcs; i++) {
        int nearest;
        if (!sari_arc_has(map, &map->arc[i], map->start, &nearest)) continue;
        double way = 0.0;
        const double d = sari_distance_of((int)n, map->arc[i].q + (size_t)nearest * n, map->start);
        if (d >= best) continue;
        for (int k = 0; k < nearest; k++) way += sari_arc_segment(map, &map->arc[i], k);
        double along = 0.0;
        for (size_t k = 0; k < n; k++)
            along += map->arc[i].t[(size_t)nearest * n + k] *
                     (map->start[k] - map->arc[i].q[(size_t)nearest * n + k]);
        best = d, component = map->arc[i].component;
        snprintf(map->text, sizeof map->text, "%s@%.4g", map->shown_arc[i].name,
                 fmin(1.0, fmax(0.0, (way + along) / map->arc[i].length)));
    }
    if (component >= 0) map->shown_component[component].has_start = 1;
}

static sar_status show_components(sar_map* map)
{
    int modes = 0, families = 0;
    map->shown_component = SARI_TAKE(&map->memory, sar_map_component, map->components + 1);
    if (!map->shown_component) return SAR_E_NOMEM;
    for (int c = 0; c < map->components; c++) SARI_TRY(show_component(map, c, &modes, &families));
    find_drawn(map);
    return SAR_OK;
}

static void summarise(sar_map* map)
{
    const sari_local local = sari_local_at(map, map->start, 0.02);
    sar_map_summary* s = &map->summary;
    *s = (sar_map_summary){.coordinates = map->locus.n,
                           .conditions = map->locus.m,
                           .nullity = local.nullity,
                           .dimension = local.regular ? local.dimension : -1,
                           .components = map->components,
                           .arcs = map->arcs,
                           .nodes = map->nodes,
                           .starts = (int)map->starts,
                           .closed = (int)map->closed,
                           .unseen = map->unseen,
                           .balance = map->balance,
                           .placements = map->placements,
                           .complete = !map->limited,
                           .start = map->text};
    for (int i = 0; i < map->components; i++) s->modes += map->shown_component[i].dimension == 0;
    for (int i = 0; i < map->nodes; i++) s->complete = s->complete && map->node[i].resolved;
    for (int i = 0; i < map->arcs; i++)
        for (int e = 0; e < 2; e++)
            if (map->arc[i].ends[e] == SAR_MAP_STUCK || map->arc[i].ends[e] == SAR_MAP_LIMIT)
                s->complete = 0;
}

sar_status sari_map_show(sar_map* map)
{
    compact(map);
    if (!complete_arcs(map)) return SAR_E_NOMEM;
    if (map->twofold) {
        SARI_TRY(sari_fold(map));
        compact(map);
    }
    if (!map->values) {
        SARI_TRY(sari_values_create(map));
        SARI_TRY(sari_bars_create(map));
        SARI_TRY(sari_limits_create(map));
    }
    SARI_TRY(show_nodes(map));
    SARI_TRY(show_arcs(map));
    SARI_TRY(show_components(map));
    summarise(map);
    return SAR_OK;
}

/* ---- creation --------------------------------------------------------------------------------- */

sar_status sari_map_room(sar_map* map)
{
    const int n = map->locus.n;
    map->start = SARI_TAKE(&map->memory, double, n + 1);
    map->along = SARI_TAKE(&map->memory, double, n + 1);
    map->probe = SARI_TAKE(&map->memory, double, n + 1);
    map->probe_t = SARI_TAKE(&map->memory, double, n + 1);
    return sari_deflation_take(&map->deflation, &map->memory, map->locus.n, map->locus.m)
               ? SAR_OK
               : SAR_E_NOMEM;
}

static sar_status fill(sar_map* map)
{
    SARI_TRY(sari_map_room(map));
    if (!sari_locus_drawn(&map->locus, map->start)) return SAR_E_ASSEMBLY;
    SARI_TRY(sari_explore(map));
    return sari_map_show(map);
}

sar_status sar_map_create(const sar_model* model, const sar_map_options* options, sar_map** out,
                          sar_error* error)
{
    *out = NULL;
    sar_map* map = SARI_NEW(sar_map);
    if (!map) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    map->options = options ? *options : sar_map_options_default();
    sar_status st = sari_locus_create(model, map->options.locked, &map->locus, error);
    if (st == SAR_OK) {
        st = fill(map);
        if (st != SAR_OK) sari_fail(error, st, NULL, "the map: %s", sar_status_text(st));
    }
    if (st == SAR_OK)
        *out = map;
    else
        sar_map_destroy(map);
    return st;
}

void sar_map_destroy(sar_map* map)
{
    if (!map) return;
    for (int i = 0; i < map->arcs; i++) sari_arc_release(&map->arc[i]);
    for (int i = 0; i < map->nodes; i++) sari_release(map->node[i].half);
    sari_release(map->arc);
    sari_release(map->node);
    sari_release(map->sheet);
    sari_release(map->region);
    if (map->values) sari_arena_clear(&map->values->memory);
    sari_locus_clear(&map->locus);
    sari_arena_clear(&map->memory);
    sari_release(map);
}

sar_map_summary sar_map_summarise(const sar_map* map)
{
    return map->summary;
}

int sar_map_quantities(const sar_map* map, const sar_map_quantity** list)
{
    *list = map->values->quantity;
    return map->values->count;
}

int sar_map_input(const sar_map* map)
{
    return map->values->input;
}

int sar_map_arcs(const sar_map* map, const sar_map_arc** list)
{
    *list = map->shown_arc;
    return map->arcs;
}

int sar_map_nodes(const sar_map* map, const sar_map_node** list)
{
    *list = map->shown_node;
    return map->nodes;
}

int sar_map_components(const sar_map* map, const sar_map_component** list)
{
    *list = map->shown_component;
    return map->components;
}

/* ---- places ----------------------------------------------------------------------------------- */

static sar_status no_such_place(const sar_map* map, const char* name, sar_error* error)
{
    char arcs[64] = "", nodes[64] = "";
    if (map->arcs) snprintf(arcs, sizeof arcs, "A1 to A%d (and A1@0.25), ", map->arcs);
    if (map->nodes) snprintf(nodes, sizeof nodes, "S1 to S%d (and S1/2), ", map->nodes);
    return sari_fail(error, SAR_E_ARG, NULL, "the map has no place \"%s\"; it has %s%s%d mode%s",
                     name, arcs, nodes, map->summary.modes, map->summary.modes == 1 ? "" : "s");
}

static sar_status find_named(const sar_map* map, const char* name, sar_map_place* out,
                             sar_error* error)
{
    char* end = NULL;
    const long number = name[0] ? strtol(name + 1, &end, 10) : 0;
    *out = (sar_map_place){-1, -1, -1, 0.5, -1};
    if (number < 1 || !isdigit((unsigned char)name[1])) return no_such_place(map, name, error);
    if (name[0] == 'A' && number <= map->arcs && (*end == '\0' || *end == '@')) {
        out->arc = (int)number - 1;
        if (*end == '\0') return SAR_OK;
        out->at = strtod(end + 1, &end);
        if (*end == '\0' && out->at >= 0.0 && out->at <= 1.0) return SAR_OK;
    } else if (name[0] == 'S' && number <= map->nodes && (*end == '\0' || *end == '/')) {
        out->node = (int)number - 1;
        if (*end == '\0') return SAR_OK;
        const long motion = strtol(end + 1, &end, 10);
        out->motion = (int)motion - 1;
        if (*end == '\0' && motion >= 1 && motion <= map->shown_node[number - 1].motions)
            return SAR_OK;
    } else if (name[0] == 'M' || name[0] == 'F') {
        for (int i = 0; i < map->components; i++)
            if (strcmp(map->shown_component[i].name, name) == 0) {
                out->component = i;
                return SAR_OK;
            }
    }
    return no_such_place(map, name, error);
}

sar_status sar_map_find(const sar_map* map, const char* name, sar_map_place* out, sar_error* error)
{
    return find_named(map, strcmp(name, "start") == 0 ? map->text : name, out, error);
}

/* q of a place, and the direction t of its motion; zero where it has none. */
static sar_status go_to(sar_map* map, const sar_map_place* place, double* q, double* t)
{
    const size_t size = (size_t)map->locus.n * sizeof *q;
    memset(t, 0, size);
    if (place->arc >= 0 && place->arc < map->arcs)
        return sari_arc_at(map, &map->arc[place->arc], place->at, q, t) ? SAR_OK : SAR_R_NO_CONV;
    if (place->node >= 0 && place->node < map->nodes) {
        const sari_node* node = &map->node[place->node];
        memcpy(q, node->q, size);
        int motion = 0;
        for (int h = 0; h < node->halves; h++)
            if (node->half[h].partner > h && motion++ == place->motion)
                sari_half_direction(map, node, h, t);
        return SAR_OK;
    }
    for (int i = 0; i < map->sheets; i++)
        if (map->sheet[i].component == place->component) {
            memcpy(q, map->sheet[i].q, size);
            return SAR_OK;
        }
    return SAR_E_ARG;
}

sar_status sar_map_values(sar_map* map, const sar_map_place* place, double* values, double* rates)
{
    sari_arena scratch = {0};
    double* q = SARI_TAKE(&scratch, double, 2 * map->locus.n + 1);
    sar_status st = q ? go_to(map, place, q, q + map->locus.n) : SAR_E_NOMEM;
    if (st == SAR_OK) {
        const size_t size = (size_t)map->values->count * sizeof *values;
        sari_values_eval(map, q, q + map->locus.n);
        memcpy(values, map->values->now, size);
        if (rates) memcpy(rates, map->values->rate, size);
    }
    sari_arena_clear(&scratch);
    return st;
}

sar_status sar_map_transmission_angles(sar_map* map, const sar_map_place* place, double* angles)
{
    sari_arena scratch = {0};
    double* q = SARI_TAKE(&scratch, double, 2 * map->locus.n + 1);
    sar_status st = q ? go_to(map, place, q, q + map->locus.n) : SAR_E_NOMEM;
    if (st == SAR_OK) {
        sari_values_eval(map, q, q + map->locus.n);
        for (int k = 0; k < map->values->bars; k++) angles[k] = sari_bar_angle(map, k);
    }
    sari_arena_clear(&scratch);
    return st;
}

sar_status sar_map_pose(sar_map* map, const sar_map_place* place, double speed, double* poses,
                        double* velocities)
{
    sari_locus* l = &map->locus;
    sar_simulation* s = l->start;
    sari_arena scratch = {0};
    const int n = l->n;
    double* q = SARI_TAKE(&scratch, double, 2 * n + 1);
    sar_status st = q ? go_to(map, place, q, q + n) : SAR_E_NOMEM;
    if (st == SAR_OK) {
        memcpy(s->state.q, q, (size_t)l->base * sizeof *q);
        memset(s->state.v, 0, (size_t)s->system->nq * sizeof *q);
        memcpy(s->state.v, q + n, (size_t)l->base * sizeof *q);
        const double pace = sari_equations_turn(&s->system->equations, s->state.q, s->state.v);
        for (int i = 0; i < l->base; i++) s->state.v[i] *= pace > 0.0 ? speed / pace : 0.0;
        sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
        for (int b = 1; b < s->system->mechanism->bodies; b++) {
            double* pose = poses + (ptrdiff_t)7 * (b - 1);
            double* rate = velocities + (ptrdiff_t)6 * (b - 1);
            sari_report_pose(&s->seen, (sar_body_id){b}, pose, pose + 3);
            if (velocities)
                sari_report_velocity(&s->seen, s->state.v, (sar_body_id){b}, rate, rate + 3);
        }
    }
    sari_arena_clear(&scratch);
    return st;
}
