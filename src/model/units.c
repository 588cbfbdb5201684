/* The size of a model: which units make its numbers about one. */
#include "model/units.h"

#include "base/memory.h"
#include "elements/element.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double FAR = 16.0; ///< sizes from the origin of the world: from there on the model has
                                ///< an origin of its own

/* ---- size ----------------------------------------------------------------------------------- */

/// Extents of the bodies, as far as joints and forces take hold of them: points that are only
/// examined do not count.
typedef struct extents {
    const sar_model* model;
    double (*first)[3]; ///< per body: the first point that is held
    char* held;
    double most;
} extents;

static double distance(const double p[3], const double q[3])
{
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    return sari_norm3(d);
}

/* From the centre of mass, and from the first point: the ground has no size. */
static void hold(extents* e, int body, const double point[3])
{
    if (body == 0) return;
    if (!e->held[body]) memcpy(e->first[body], point, sizeof e->first[body]);
    e->held[body] = 1;
    e->most = fmax(e->most, distance(point, e->model->bodies[body].def.center));
    e->most = fmax(e->most, distance(point, e->first[body]));
}

static void hold_ends(extents* e, const sar_end* a, const sar_end* b)
{
    hold(e, a->body.i, a->point);
    hold(e, b->body.i, b->point);
}

static void hold_joint(extents* e, const sari_joint* joint)
{
    const sar_end* ends = sari_joint_ends(joint);
    if (ends) hold_ends(e, &ends[0], &ends[1]);
    if (joint->relation) return;
    e->most = fmax(e->most, fmax(joint->pair.distance, joint->pair.radius));
    if (sari_type_of(&joint->pair)->curved) e->most = fmax(e->most, sari_curve_size(&joint->curve));
}

static void hold_forces(extents* e)
{
    for (int places = 0; places < 2; places++) // ends first
        for (int t = 0; t < SARI_FORCE_TYPES; t++) {
            const sari_force_type* type = sari_force_types[t];
            for (int k = 0; k < e->model->forces[t].count; k++) {
                void* def = e->model->forces[t].at[k].def;
                const sar_end* ends = sari_force_ends(type, def);
                const int count = sari_force_ends_count(type, def);
                for (int i = 1; !places && i < count; i++) hold_ends(e, &ends[i - 1], &ends[i]);
                if (places && type->radius)
                    e->most = fmax(e->most, *(double*)((char*)def + type->radius));
                else if (places && type->is.point)
                    hold(e, sari_force_body(type, def), sari_force_point(type, def));
            }
        }
}

/* The longest body. 0: out of memory. */
static int largest_extent(const sar_model* model, double* size)
{
    extents e = {.model = model};
    e.first = sari_allocate((size_t)model->bodies_count, sizeof *e.first);
    e.held = SARI_NEW_ARRAY(char, model->bodies_count);
    const int ok = e.first && e.held;
    for (int j = 0; ok && j < model->joints_count; j++) hold_joint(&e, &model->joints[j]);
    if (ok) hold_forces(&e);
    sari_release(e.first);
    sari_release(e.held);
    *size = e.most;
    return ok;
}

/* Where nothing is held at a distance: the bodies' radii of gyration. */
static double largest_gyration(const sar_model* model)
{
    double most = 0.0;
    for (int b = 1; b < model->bodies_count; b++) {
        const sar_body_def* def = &model->bodies[b].def;
        const double inertia = fmax(def->inertia[0], fmax(def->inertia[1], def->inertia[2]));
        if (def->mass > 0.0) most = fmax(most, sqrt(inertia / def->mass));
    }
    return most;
}

/* Or how far the bodies are drawn apart, or along which way something is free to move. */
static double largest_distance(const sar_model* model)
{
    double most = 0.0;
    int first = 0;
    for (int b = 1; b < model->bodies_count; b++) {
        const sar_body_def* def = &model->bodies[b].def;
        double apart[3];
        if (!def->has_position) continue;
        if (!first) first = b;
        for (int k = 0; k < 3; k++)
            apart[k] = def->position[k] - model->bodies[first].def.position[k];
        most = fmax(most, sari_norm3(apart));
    }
    return most;
}

static void drawn_point(const sar_model* model, const sar_end* end, double out[3])
{
    const sar_body_def* def = &model->bodies[end->body.i].def;
    sari_rotate(def->rotation, end->point, out);
    for (int k = 0; k < 3; k++) out[k] += def->position[k];
}

/* Or how far forces reach from one body to another, as drawn: an orbit is larger than its
 * satellite. */
static double largest_reach(const sar_model* model)
{
    double most = 0.0, p[3], q[3];
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int k = 0; k < model->forces[t].count; k++) {
            void* def = model->forces[t].at[k].def;
            const sar_end* ends = sari_force_ends(sari_force_types[t], def);
            for (int i = 1; i < sari_force_ends_count(sari_force_types[t], def); i++) {
                if (ends[i - 1].body.i == ends[i].body.i) continue; // on a joint, or a fixed way
                drawn_point(model, &ends[i - 1], p), drawn_point(model, &ends[i], q);
                most = fmax(most, distance(p, q));
            }
        }
    return most;
}

/* How far from its centre a body holds another one on its line or plane, as drawn: where the body turns
 * a little, the other one is moved across by that lever. */
static double longest_lever(const sar_model* model)
{
    double most = 0.0, p[3], center[3];
    for (int j = 0; j < model->joints_count; j++) {
        const sari_joint* joint = &model->joints[j];
        const sar_end* ends = sari_joint_ends(joint);
        if (joint->relation || !ends || ends[0].body.i == 0) continue;
        const sari_joint_form* form = sari_form_of(&joint->pair, model->dimension);
        if (!sari_form_has(form, SARI_ON_LINE) && !sari_form_has(form, SARI_ON_PLANE)) continue;
        const sar_body_def *a = &model->bodies[ends[0].body.i].def,
                           *b = &model->bodies[ends[1].body.i].def;
        if (!a->has_position || (ends[1].body.i > 0 && !b->has_position)) continue;
        sar_end middle = ends[0];
        memcpy(middle.point, a->center, sizeof middle.point);
        drawn_point(model, &middle, center), drawn_point(model, &ends[1], p);
        most = fmax(most, distance(p, center));
    }
    return most;
}

static int size_of(const sar_model* model, double* size)
{
    if (!largest_extent(model, size)) return 0;
    if (!(*size > 0.0)) *size = fmax(largest_gyration(model), largest_reach(model));
    if (!(*size > 0.0)) *size = largest_distance(model);
    *size = fmax(*size, longest_lever(model) / FAR);
    return 1;
}

/* The power of two in x: numbers become 1 to 2 of it. Decimal fractions that are a power of two but
 * for rounding count as one. */
double sari_power_of_two(double x)
{
    int exponent;
    if (!(x > 0.0) || !isfinite(x)) return 1.0;
    frexp(x * (1.0 + 1e-9), &exponent);
    return ldexp(1.0, exponent < -500 ? -500 : exponent > 500 ? 500 : exponent - 1);
}

static double heaviest(const sar_model* model)
{
    double most = 0.0;
    for (int b = 1; b < model->bodies_count; b++) most = fmax(most, model->bodies[b].def.mass);
    return most;
}

/* ---- place ---------------------------------------------------------------------------------- */

/* The first place on the ground that something is held at, or where the first body is drawn. */
static void find_place(const sar_model* model, double p[3])
{
    p[0] = p[1] = p[2] = 0.0;
    for (int j = 0; j < model->joints_count; j++) {
        const sari_joint* joint = &model->joints[j];
        if (joint->relation) continue;
        const sar_end* end = joint->pair.a.body.i == 0   ? &joint->pair.a
                             : joint->pair.b.body.i == 0 ? &joint->pair.b
                                                         : NULL;
        for (int k = 0; end && k < 3; k++) p[k] = end->point[k];
        if (end) return;
    }
    for (int b = 1; b < model->bodies_count; b++)
        if (model->bodies[b].def.has_position) {
            for (int k = 0; k < 3; k++) p[k] = model->bodies[b].def.position[k];
            return;
        }
}

int sari_units_of(const sar_model* model, sari_units* u)
{
    double size, place[3];
    if (!size_of(model, &size)) return 0;
    *u = (sari_units){.length = sari_power_of_two(size),
                      .mass = sari_power_of_two(heaviest(model)),
                      .of_states = 1};
    u->size = size > 0.0 ? size / u->length : 1.0;
    find_place(model, place);
    if (sari_norm3(place) < FAR * u->length) return 1;
    for (int k = 0; k < 3; k++) u->origin[k] = place[k];
    for (int b = 1; b < model->bodies_count; b++)
        u->level -= model->bodies[b].def.mass * sari_dot(model->gravity, place);
    return 1;
}

double sari_unit_of_state(const sari_units* u, double scale)
{
    return u->of_states ? sari_power_of_two(scale) : 1.0;
}
