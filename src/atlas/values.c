/* Coordinates of joints along curves.
 *
 * Angle: atan2(y, x) of a direction of b, seen from a; its rate is (x dy - y dx)/(x^2 + y^2). A dead point of a coordinate is
 * where its rate along the curve changes sign, found by the method of false position (Illinois) on the curve itself. */
#include "atlas/values.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double AT_REST = 1e-9; ///< rate per length of the curve
static const double CHANGE =
    1e-7; ///< of a quantity, in radians or units of length: below it is constant
enum { NAME = 128, SECTIONS = 60 };

/* ---- one joint -------------------------------------------------------------------------------- */

/// A point or direction in world axes, and its rate.
typedef struct moving {
    double at[3], rate[3];
} moving;

static moving place(const sari_kinematics* k, const sar_end* end, const double local[3],
                    int direction, const double* Xd)
{
    const sari_mechanism* m = k->coordinates->mechanism;
    const int b = end->body.i;
    moving out = {{local[0], local[1], local[2]}, {0}};
    if (b == 0) return out;
    const double* X = k->X + m->nx * b;
    const double* center = m->model->bodies[b].def.center;
    double R[9], w[3], arm[3];
    sari_rotation_of(m, X, R);
    sari_spin_of(m, X, Xd + m->nx * b, w);
    for (int i = 0; i < 3; i++) arm[i] = local[i] - (direction ? 0.0 : center[i]);
    sari_rotate(R, arm, out.at);
    sari_cross(w, out.at, out.rate);
    for (int i = 0; i < m->dimension && !direction; i++)
        out.at[i] += X[i], out.rate[i] += Xd[m->nx * b + i];
    return out;
}

static double dot_rate(const moving* a, const moving* b)
{
    return sari_dot(a->rate, b->at) + sari_dot(a->at, b->rate);
}

/* The turn of w, fixed in `to`, from the normal of `from` about its axis. */
static void turn_of(const sari_kinematics* k, const sar_end* from, const sar_end* to,
                    const double w[3], double sense, const double* Xd, double* value, double* rate)
{
    static const double UP[3] = {0, 0, 1};
    double third[3];
    sari_cross(k->coordinates->mechanism->dimension == 3 ? from->axis : UP, from->normal, third);
    const moving n = place(k, from, from->normal, 1, Xd), o = place(k, from, third, 1, Xd),
                 d = place(k, to, w, 1, Xd);
    const double x = sari_dot(n.at, d.at), y = sense * sari_dot(o.at, d.at);
    *value = sari_atan2(y, x);
    *rate = (x * sense * dot_rate(&o, &d) - y * dot_rate(&n, &d)) / (x * x + y * y);
}

static void offset_of(const sari_kinematics* k, const sar_end* a, const sar_end* b,
                      const double along[3], const double* Xd, double* value, double* rate)
{
    const moving p = place(k, a, a->point, 0, Xd), r = place(k, b, b->point, 0, Xd);
    moving d, u = {{0}, {0}};
    for (int i = 0; i < 3; i++) d.at[i] = r.at[i] - p.at[i], d.rate[i] = r.rate[i] - p.rate[i];
    if (along)
        u = place(k, a, along, 1, Xd);
    else {
        const double length = sari_norm3(d.at);
        for (int i = 0; i < 3 && length > 0.0; i++) u.at[i] = d.at[i] / length;
    }
    *value = sari_dot(d.at, u.at);
    *rate = sari_dot(d.rate, u.at) + sari_dot(d.at, u.rate);
}

static void evaluate(const sari_kinematics* k, const sar_map_quantity* what, const sar_end* point,
                     const double* Xd, double* value, double* rate)
{
    const sari_mechanism* m = k->coordinates->mechanism;
    if (what->joint.i < 0) { // a coordinate of a point
        const moving p = place(k, point, point->point, 0, Xd);
        *value = p.at[what->axis], *rate = p.rate[what->axis];
        return;
    }
    const sar_joint_def* pair = &m->pair[what->joint.i];
    const sari_joint_form* form = sari_form_of(pair, m->dimension);
    const sar_end *a = &pair->a, *b = &pair->b;
    double third[3];
    switch (what->coordinate) {
    case SAR_COORD_ANGLE:
        turn_of(k, a, b, sari_form_has(form, SARI_PERPENDICULAR) ? b->axis : b->normal, 1.0, Xd,
                value, rate);
        return;
    case SAR_COORD_ANGLE_2:
        turn_of(k, b, a, a->axis, -1.0, Xd, value, rate);
        return;
    case SAR_COORD_DISPLACEMENT:
        offset_of(k, a, b, sari_form_has(form, SARI_ON_PLANE) ? a->normal : a->axis, Xd, value,
                  rate);
        return;
    case SAR_COORD_DISPLACEMENT_2:
        sari_cross(a->axis, a->normal, third);
        offset_of(k, a, b, third, Xd, value, rate);
        return;
    case SAR_COORD_DISTANCE:
        offset_of(k, a, b, NULL, Xd, value, rate);
    }
}

void sari_values_eval(sar_map* map, const double* q, const double* v)
{
    sari_locus* l = &map->locus;
    sari_values* values = map->values;
    sari_kinematics* k = l->sys->kinematics;
    memcpy(l->q, q, (size_t)l->base * sizeof *q);
    memset(l->v, 0, (size_t)l->sys->nq * sizeof *l->v);
    if (v) memcpy(l->v, v, (size_t)l->base * sizeof *v);
    sari_kinematics_update(k, l->q, l->v, 1);
    const double unit = l->start->units.length;
    for (int i = 0; i < values->count; i++) {
        evaluate(k, &values->quantity[i], &values->point[i], k->Xd, &values->now[i],
                 &values->rate[i]);
        if (!values->quantity[i].is_angle) values->now[i] *= unit, values->rate[i] *= unit;
        if (values->quantity[i].joint.i < 0)
            values->now[i] += l->start->units.origin[values->quantity[i].axis];
    }
}

double* sari_joint_points(sar_map* map, const double* q)
{
    sari_locus* l = &map->locus;
    sari_kinematics* k = l->sys->kinematics;
    const sari_mechanism* m = l->sys->mechanism;
    double* out = SARI_TAKE(&map->memory, double, 6 * m->model->joints_count + 1);
    memcpy(l->q, q, (size_t)l->base * sizeof *q);
    memset(l->v, 0, (size_t)l->sys->nq * sizeof *l->v);
    sari_kinematics_update(k, l->q, l->v, 1);
    for (int j = 0; out && j < m->model->joints_count; j++) {
        if (!m->active[j] || m->model->joints[j].relation) continue;
        const moving a = place(k, &m->pair[j].a, m->pair[j].a.point, 0, k->Xd),
                     b = place(k, &m->pair[j].b, m->pair[j].b.point, 0, k->Xd);
        memcpy(out + (ptrdiff_t)6 * j, a.at, sizeof a.at);
        memcpy(out + (ptrdiff_t)6 * j + 3, b.at, sizeof b.at);
    }
    return out;
}

const double* sari_values_at(sar_map* map, const double* q)
{
    sari_values_eval(map, q, NULL);
    return sari_arena_copy(&map->values->memory, map->values->now, (size_t)map->values->count + 1,
                           sizeof(double));
}

/* ---- quantities ------------------------------------------------------------------------------- */

static int is_driven(const sar_model* model, int joint, sar_coordinate coordinate)
{
    for (int j = 0; j < model->joints_count; j++) {
        const sari_joint* drive = &model->joints[j];
        if (drive->relation && drive->relation->prescribes && drive->drive.joint.i == joint &&
            drive->drive.coordinate == coordinate)
            return 1;
    }
    return 0;
}

static const char* word_of(sar_coordinate coordinate)
{
    static const char* const WORDS[] = {[SAR_COORD_ANGLE] = "angle",
                                        [SAR_COORD_DISPLACEMENT] = "displacement",
                                        [SAR_COORD_DISTANCE] = "distance",
                                        [SAR_COORD_ANGLE_2] = "angle2",
                                        [SAR_COORD_DISPLACEMENT_2] = "displacement2"};
    return WORDS[coordinate];
}

static int add_joint(sari_values* values, const sar_model* model, int j, int store)
{
    const sari_joint_type* type = sari_joint_type_of(&model->joints[j]);
    int count = 0;
    for (int c = 0; type && c < type->coordinates; c++) {
        const sar_coordinate coordinate = type->coordinate[c];
        if (coordinate == SAR_COORD_DISTANCE) continue; // it never changes
        if (store) {
            char* name = SARI_TAKE(&values->memory, char, NAME);
            if (!name) return -1;
            snprintf(name, NAME, "%s.%s", model->joints[j].name, word_of(coordinate));
            values->quantity[values->count++] =
                (sar_map_quantity){.name = name,
                                   .joint = {j},
                                   .coordinate = coordinate,
                                   .is_angle = sari_is_angle(coordinate),
                                   .is_input = is_driven(model, j, coordinate)};
        }
        count++;
    }
    return count;
}

int sari_values_add_point(sari_values* values, const sar_end* point, int axis, const char* name)
{
    char* kept = SARI_TAKE(&values->memory, char, NAME);
    if (!kept) return 0;
    snprintf(kept, NAME, "%.120s.%c", name, "xyz"[axis]);
    values->point[values->count] = *point;
    values->quantity[values->count++] =
        (sar_map_quantity){.name = kept, .joint = {-1}, .axis = axis};
    return 1;
}

/* Does a coordinate of a joint describe the body? */
static int is_described(const sari_mechanism* m, int body)
{
    for (int j = 0; j < m->model->joints_count; j++)
        if (m->active[j] && !m->model->joints[j].relation &&
            (m->pair[j].a.body.i == body || m->pair[j].b.body.i == body) &&
            add_joint(NULL, m->model, j, 0) > 0)
            return 1;
    return 0;
}

/* Bodies that no coordinate of a joint describes: where their origins are. */
static int add_bodies(sari_values* values, const sari_mechanism* m, int store)
{
    int count = 0;
    for (int b = 1; b < m->bodies; b++) {
        if (is_described(m, b)) continue;
        count += m->dimension;
        char name[NAME];
        snprintf(name, sizeof name, "%s.origin", m->model->bodies[b].name);
        const sar_end origin = {.body = {b}};
        for (int i = 0; store && i < m->dimension; i++)
            if (!sari_values_add_point(values, &origin, i, name)) return -1;
    }
    return count;
}

sar_status sari_values_create(sar_map* map)
{
    sari_values* values = map->values = SARI_TAKE(&map->memory, sari_values, 1);
    if (!values) return SAR_E_NOMEM;
    const sari_mechanism* m = map->locus.sys->mechanism;
    int count = add_bodies(values, m, 0);
    for (int j = 0; j < m->model->joints_count; j++)
        if (m->active[j]) count += add_joint(values, m->model, j, 0);
    values->quantity = SARI_TAKE(&values->memory, sar_map_quantity, count + 3);
    values->point = SARI_TAKE(&values->memory, sar_end, count + 3);
    values->now = SARI_TAKE(&values->memory, double, count + 3);
    values->rate = SARI_TAKE(&values->memory, double, count + 3);
    if (values->memory.failed) return SAR_E_NOMEM;
    for (int j = 0; j < m->model->joints_count; j++)
        if (m->active[j] && add_joint(values, m->model, j, 1) < 0) return SAR_E_NOMEM;
    return add_bodies(values, m, 1) < 0 ? SAR_E_NOMEM : SAR_OK;
}

/* ---- points of a curve ------------------------------------------------------------------------ */

/* t: the tangent at q nearest to t as given, for which J is there. */
static void find_tangent(sari_locus* l, double* t)
{
    const int n = l->n;
    memcpy(l->A, l->J, (size_t)l->m * (size_t)n * sizeof(double));
    memset(l->b, 0, (size_t)(l->m + 1) * sizeof(double));
    memcpy(l->A + (size_t)l->m * (size_t)n, t, (size_t)n * sizeof(double));
    l->b[l->m] = 1.0;
    sari_locus_solve(l, l->m + 1, n, t);
    sari_vector_normalise(n, t);
}

int sari_arc_between(sar_map* map, const sari_arc* arc, int i, double f, double* q, double* t)
{
    sari_locus* l = &map->locus;
    const size_t n = (size_t)l->n;
    const double *a = arc->q + (size_t)i * n, *b = a + n;
    const double *s = arc->t + (size_t)i * n, *u = s + n;
    double* chord = map->probe;
    for (size_t k = 0; k < n; k++) {
        q[k] = a[k] + f * (b[k] - a[k]);
        chord[k] = b[k] - a[k];
        t[k] = (1.0 - f) * s[k] + f * u[k];
    }
    const double step = sari_vector_normalise((int)n, chord);
    sari_vector_normalise((int)n, t);
    if (f <= 0.0 || f >= 1.0) return 1;
    memcpy(map->probe_t, q, n * sizeof *q);
    const sari_guide plane = {SARI_PLANE, chord, map->probe_t, 0.0};
    int ok;
    if (arc->nullity > 1)
        ok = sari_fat_correct(map, arc->nullity, &plane, step, q, t, 1);
    else if ((ok = sari_locus_correct(l, &plane, step, q)))
        find_tangent(l, t);
    if (!ok) memcpy(q, map->probe_t, n * sizeof *q);
    return ok;
}

int sari_arc_at(sar_map* map, const sari_arc* arc, double at, double* q, double* t)
{
    double way = fmin(1.0, fmax(0.0, at)) * arc->length;
    int i = 0;
    for (; i + 2 < arc->points && way > sari_arc_segment(map, arc, i); i++)
        way -= sari_arc_segment(map, arc, i);
    const double step = sari_arc_segment(map, arc, i);
    return sari_arc_between(map, arc, i, step > 0.0 ? fmin(1.0, way / step) : 0.0, q, t);
}

/* By points at two radii r and r/2, inwards from R/2 as far as rounding allows: u = 4 b - a. */
void sari_half_direction(sar_map* map, const sari_node* node, int half, double* u)
{
    enum { INNERMOST = 10000 };
    sari_locus* l = &map->locus;
    const int n = l->n;
    const sari_half* h = &node->half[half];
    double *a = map->probe, *b = map->probe_t, *t = map->along, r = 0.5 * node->radius;
    memcpy(a, h->q, (size_t)n * sizeof *a);
    memcpy(b, h->mid, (size_t)n * sizeof *b);
    for (; r * INNERMOST > 1.0 && !node->degenerate; r *= 0.5) {
        double* c = u; // room until the end
        const sari_guide sphere = {SARI_SPHERE, NULL, node->q, 0.5 * r};
        for (int i = 0; i < n; i++) c[i] = node->q[i] + 0.5 * (b[i] - node->q[i]);
        memcpy(t, h->t, (size_t)n * sizeof *t);
        const int ok = h->nullity == 1
                           ? sari_locus_correct(l, &sphere, 0.3 * r, c)
                           : sari_fat_correct(map, h->nullity, &sphere, 0.3 * r, c, t, 1);
        if (!ok) break;
        memcpy(a, b, (size_t)n * sizeof *a);
        memcpy(b, c, (size_t)n * sizeof *b);
    }
    for (int i = 0; i < n; i++) u[i] = 4.0 * (b[i] - node->q[i]) - (a[i] - node->q[i]);
    sari_vector_normalise(n, u);
}

/* ---- ranges and dead points ------------------------------------------------------------------- */

/// A quantity along an arc.
typedef struct profile {
    sar_map* map;
    const sari_arc* arc;
    double *value, *rate; ///< per point and quantity
    double *q, *t;
    sar_map_dead_point* dead;
    int count, capacity;
    double* way; ///< along the arc, per point
} profile;

static double nearest_turn(double value, double to)
{
    return value + 2.0 * PI * floor((to - value) / (2.0 * PI) + 0.5);
}

/* Where the rate of quantity k changes its sign between points i and j: the value, and where it is. */
static double find_dead(profile* p, int k, int i, int j, double* at)
{
    sari_values* values = p->map->values;
    const int count = values->count;
    while (j - i > 1) { // rates between are zero
        i++;
        if (fabs(p->rate[i * count + k]) > AT_REST) break;
        *at = p->way[i] / p->arc->length;
        return p->value[i * count + k];
    }
    double a = 0.0, b = 1.0, fa = p->rate[i * count + k], fb = p->rate[(i + 1) * count + k],
           x = 0.5;
    double value = p->value[i * count + k];
    int side = 0;
    for (int s = 0; s < SECTIONS && b - a > 1e-15; s++) {
        x = (a * fb - b * fa) / (fb - fa);
        if (!(x > a && x < b)) x = 0.5 * (a + b);
        sari_arc_between(p->map, p->arc, i, x, p->q, p->t);
        sari_values_eval(p->map, p->q, p->t);
        const double f = values->rate[k];
        value = values->now[k];
        if (fabs(f) < 1e-15) break;
        if ((f > 0.0) == (fa > 0.0)) {
            a = x, fa = f;
            if (side == -1) fb *= 0.5;
            side = -1;
        } else {
            b = x, fb = f;
            if (side == 1) fa *= 0.5;
            side = 1;
        }
    }
    *at = (p->way[i] + x * (p->way[i + 1] - p->way[i])) / p->arc->length;
    return values->quantity[k].is_angle ? nearest_turn(value, p->value[i * count + k]) : value;
}

static int add_dead(profile* p, int k, double at, double value, sar_map_range* range)
{
    if (!sari_grow((void**)&p->dead, p->count, &p->capacity, sizeof *p->dead)) return 0;
    p->dead[p->count++] = (sar_map_dead_point){at, k, value};
    range->least = fmin(range->least, value);
    range->greatest = fmax(range->greatest, value);
    return 1;
}

static int sign_of(double rate)
{
    return rate > AT_REST ? 1 : rate < -AT_REST ? -1 : 0;
}

/* What does not change does not turn back: near nodes tangents, and so rates, are less accurate than AT_REST. Angles are in
 * the revolution in which the middle of the range is nearest to zero. */
static void finish_range(profile* p, int k, int first_dead, sar_map_range* range)
{
    const int is_angle = p->map->values->quantity[k].is_angle;
    const double unit = is_angle ? 1.0 : p->map->locus.start->units.length;
    if (range->greatest - range->least < CHANGE * unit) p->count = first_dead;
    if (!is_angle) return;
    const double middle = 0.5 * (range->least + range->greatest);
    const double turn = 2.0 * PI * floor(0.5 - middle / (2.0 * PI) + CHANGE);
    range->least += turn, range->greatest += turn;
    for (int i = first_dead; i < p->count; i++) p->dead[i].value += turn;
}

static int scan(profile* p, int k, sar_map_range* range)
{
    const int first_dead = p->count;
    const sari_values* values = p->map->values;
    const int count = values->count, points = p->arc->points;
    int last = -1, first = -1;
    *range = (sar_map_range){INFINITY, -INFINITY, 0};
    for (int i = 0; i < points; i++) {
        range->least = fmin(range->least, p->value[i * count + k]);
        range->greatest = fmax(range->greatest, p->value[i * count + k]);
        const int sign = sign_of(p->rate[i * count + k]);
        if (!sign) continue;
        if (last >= 0 && sign != sign_of(p->rate[last * count + k])) {
            double at;
            const double value = find_dead(p, k, last, i, &at);
            if (!add_dead(p, k, at, value, range)) return 0;
        }
        if (first < 0) first = i;
        last = i;
    }
    if (p->arc->closed && first > 0 &&
        sign_of(p->rate[first * count + k]) != sign_of(p->rate[last * count + k]))
        if (!add_dead(p, k, 0.0, p->value[k], range)) return 0;
    if (p->arc->closed && values->quantity[k].is_angle)
        range->turns =
            (int)floor((p->value[(points - 1) * count + k] - p->value[k]) / (2.0 * PI) + 0.5);
    finish_range(p, k, first_dead, range);
    return 1;
}

static void sample(profile* p)
{
    const sari_values* values = p->map->values;
    const size_t n = (size_t)p->map->locus.n;
    const int count = values->count;
    for (int i = 0; i < p->arc->points; i++) {
        p->way[i] = i ? p->way[i - 1] + sari_arc_segment(p->map, p->arc, i - 1) : 0.0;
        sari_values_eval(p->map, p->arc->q + (size_t)i * n, p->arc->t + (size_t)i * n);
        for (int k = 0; k < count; k++) {
            double value = values->now[k];
            if (values->quantity[k].is_angle && i)
                value = nearest_turn(value, p->value[(i - 1) * count + k]);
            p->value[i * count + k] = value, p->rate[i * count + k] = values->rate[k];
        }
    }
}

sar_status sari_values_of_arc(sar_map* map, const sari_arc* arc, sar_map_arc* out)
{
    sari_values* values = map->values;
    const size_t all = (size_t)values->count * (size_t)arc->points + 1;
    sari_arena scratch = {0};
    profile p = {.map = map, .arc = arc};
    p.value = SARI_TAKE(&scratch, double, all);
    p.rate = SARI_TAKE(&scratch, double, all);
    p.way = SARI_TAKE(&scratch, double, arc->points + 1);
    p.q = SARI_TAKE(&scratch, double, map->locus.n + 1);
    p.t = SARI_TAKE(&scratch, double, map->locus.n + 1);
    sar_map_range* range = SARI_TAKE(&values->memory, sar_map_range, values->count + 1);
    int ok = !scratch.failed && range;
    if (ok) sample(&p);
    for (int k = 0; k < values->count && ok; k++) ok = scan(&p, k, &range[k]);
    if (ok) {
        out->range = range, out->dead_points = p.count;
        out->dead_point = sari_arena_copy(&values->memory, p.dead, (size_t)p.count, sizeof *p.dead);
        ok = p.count == 0 || out->dead_point;
    }
    sari_release(p.dead);
    sari_arena_clear(&scratch);
    return ok ? SAR_OK : SAR_E_NOMEM;
}
