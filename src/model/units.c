/* The size of a model: which units make its numbers about one. */
#include "model/units.h"

#include "math/vec3.h"

#include <math.h>

static const double FAR = 16.0; ///< sizes from the origin of the world: from there on the model has
                                ///< an origin of its own

/* ---- size --------------------------------------------------------------------------------- */

/* How long a body is that has this point: twice as far as that is from the centre of mass. The
 * ground has no size. */
static double reach(const sar_model* model, int body, const double point[3])
{
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = point[k] - model->bodies[body].def.center[k];
    return body ? 2.0 * sari_norm3(arm) : 0.0;
}

static double reach_of_ends(const sar_model* model, const sar_end* a, const sar_end* b)
{
    return fmax(reach(model, a->body.i, a->point), reach(model, b->body.i, b->point));
}

/* What joints and forces take hold of: points that are only looked at do not count. */
static double largest_reach(const sar_model* model)
{
    double most = 0.0;
    for (int j = 0; j < model->joints_count; j++) {
        const sari_joint* joint = &model->joints[j];
        const sar_joint_def* pair = &joint->pair;
        if (joint->kind == SARI_JOINT_PAIR) {
            most = fmax(most, reach_of_ends(model, &pair->a, &pair->b));
            most = fmax(most, fmax(pair->distance, 2.0 * pair->radius));
        } else if (joint->kind == SARI_JOINT_DRIVE && joint->drive.joint.i < 0) {
            most = fmax(most, reach_of_ends(model, &joint->drive.a, &joint->drive.b));
        }
    }
    for (int k = 0; k < model->springs_count; k++)
        if (model->springs[k].def.joint.i < 0)
            most = fmax(most,
                        reach_of_ends(model, &model->springs[k].def.a, &model->springs[k].def.b));
    for (int k = 0; k < model->bushings_count; k++)
        most =
            fmax(most, reach_of_ends(model, &model->bushings[k].def.a, &model->bushings[k].def.b));
    for (int k = 0; k < model->loads_count; k++)
        most = fmax(most, reach(model, model->loads[k].def.body.i, model->loads[k].def.point));
    for (int k = 0; k < model->tyres_count; k++)
        most = fmax(most, 2.0 * model->tyres[k].def.radius);
    return most;
}

/* Where nothing is held at a distance: the bodies' radii of gyration, twice. */
static double largest_gyration(const sar_model* model)
{
    double most = 0.0;
    for (int b = 1; b < model->bodies_count; b++) {
        const sar_body_def* def = &model->bodies[b].def;
        const double inertia = fmax(def->inertia[0], fmax(def->inertia[1], def->inertia[2]));
        if (def->mass > 0.0) most = fmax(most, 2.0 * sqrt(inertia / def->mass));
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

static double size_of(const sar_model* model)
{
    double size = largest_reach(model);
    if (!(size > 0.0)) size = largest_gyration(model);
    if (!(size > 0.0)) size = largest_distance(model);
    return size;
}

/* The power of two nearest to x. */
static double round_to_power(double x)
{
    if (!(x > 0.0) || !isfinite(x)) return 1.0;
    return ldexp(1.0, (int)lround(fmax(-500.0, fmin(500.0, log2(x)))));
}

static double heaviest(const sar_model* model)
{
    double most = 0.0;
    for (int b = 1; b < model->bodies_count; b++) most = fmax(most, model->bodies[b].def.mass);
    return most;
}

/* ---- place -------------------------------------------------------------------------------- */

/* The first place on the ground that something is held at, or where the first body is drawn. */
static void find_place(const sar_model* model, double p[3])
{
    p[0] = p[1] = p[2] = 0.0;
    for (int j = 0; j < model->joints_count; j++) {
        const sari_joint* joint = &model->joints[j];
        if (joint->kind != SARI_JOINT_PAIR) continue;
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

sari_units sari_units_of(const sar_model* model)
{
    sari_units u = {.length = round_to_power(size_of(model)),
                    .mass = round_to_power(heaviest(model))};
    double place[3];
    find_place(model, place);
    if (sari_norm3(place) < FAR * u.length) return u;
    for (int k = 0; k < 3; k++) u.origin[k] = place[k];
    for (int b = 1; b < model->bodies_count; b++)
        u.level -= model->bodies[b].def.mass * sari_dot(model->gravity, place);
    return u;
}
