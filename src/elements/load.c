/* Loads: a force at a point and a torque, by expressions, on a body, and their opposites on
 * another. */
#include "elements/force.h"

#include "base/memory.h"
#include "model/parts.h"

#include <stdio.h>

/* ---- axes of another body or of a frame -------------------------------------------------------- */

/* sum_k (NAME.k.i) (f_k): component i in world axes, from those along the axes k of NAME. */
static char* in_world(const char* name, const char* const f[3], int i)
{
    static const char axes[] = "xyz";
    size_t room = 1;
    for (int k = 0; k < 3; k++) room += f[k] ? strlen(f[k]) + strlen(name) + 16 : 0;
    char* text = sari_allocate(room, 1);
    for (int k = 0; text && k < 3; k++)
        if (f[k])
            sprintf(text + strlen(text), "%s%s.%c.%c*(%s)", text[0] ? " + " : "", name, axes[k],
                    axes[i], f[k]);
    return text;
}

static sar_status check_axes(const sar_model* model, const sar_load_def* def, sar_error* error)
{
    sar_body_id body;
    if (sari_model_frame(model, def->axes, strlen(def->axes)) ||
        sar_model_find_body(model, def->axes, strlen(def->axes), &body) == SAR_OK)
        return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "axes", "no body or frame is called \"%.60s\"", def->axes);
}

/* Their directions are signals, so that derivatives are those of any expression. Torques of the plane
 * are the same in all axes. */
static sar_status add(sar_model* model, const void* def_, sar_error* error)
{
    const sar_load_def* def = def_;
    if (!def->axes) return sari_model_store_force(model, SARI_FORCE_LOAD, def, error);
    sar_load_def world = *def;
    char* text[6] = {0};
    bool failed = false, turns = false;
    SARI_TRY(check_axes(model, def, error));
    world.axes = NULL, world.in_body_axes = 0;
    for (int k = 0; k < 3; k++) turns |= def->torque[k] != NULL;
    const bool forces = def->force[0] || def->force[1] || def->force[2];
    for (int i = 0; i < model->dimension; i++) {
        if (forces) world.force[i] = text[i] = in_world(def->axes, def->force, i);
        if (turns && model->dimension == 3)
            world.torque[i] = text[3 + i] = in_world(def->axes, def->torque, i);
        failed |= (forces && !text[i]) || (turns && model->dimension == 3 && !text[3 + i]);
    }
    sar_status status = failed ? sari_out_of_memory(error)
                               : sari_model_store_force(model, SARI_FORCE_LOAD, &world, error);
    for (int k = 0; k < 6; k++) sari_release(text[k]);
    return status;
}

/* ---- definition ------------------------------------------------------------------------------ */

static sar_status check_bodies(const sar_model* model, const sar_load_def* def, sar_error* error)
{
    SARI_TRY(sari_check_body(model, def->reaction, "reaction", error));
    if (def->body.i != def->reaction.i) return SAR_OK;
    if (def->body.i == SAR_GROUND.i)
        return sari_fail(error, SAR_E_MODEL, "body",
                         "a force on the ground moves nothing; name the body it acts on");
    return sari_fail(error, SAR_E_MODEL, "reaction",
                     "force and reaction both act on \"%s\" and cancel; name another body, or the "
                     "ground",
                     model->bodies[def->body.i].name);
}

static sar_status check_components(const sar_model* model, const sar_load_def* def,
                                   sar_error* error)
{
    bool any = false;
    for (int k = 0; k < 3; k++) any = any || def->force[k] || def->torque[k];
    if (!any)
        return sari_fail(error, SAR_E_MODEL, "force",
                         "neither a force nor a torque is given; give at least one component");
    if (model->dimension == 3) return SAR_OK;
    if (def->force[2])
        return sari_fail(error, SAR_E_MODEL, "force[2]",
                         "this model is planar: there is no z; leave this component out");
    for (int k = 0; k < 2; k++)
        if (def->torque[k])
            return sari_fail(error, SAR_E_MODEL, k ? "torque[1]" : "torque[0]",
                             "this model is planar: torques act about z; the torque is torque[2]");
    return SAR_OK;
}

/* Torques turn it, forces beside it too, and what reacts to a force away from it. */
static sar_status check_particles(const sar_model* model, const sar_load_def* def, sar_error* error)
{
    const bool turns = def->torque[0] || def->torque[1] || def->torque[2] || def->point[0] != 0 ||
                       def->point[1] != 0 || def->point[2] != 0;
    const int at = turns && model->bodies[def->body.i].def.particle ? def->body.i
                   : model->bodies[def->reaction.i].def.particle    ? def->reaction.i
                                                                    : 0;
    if (!at) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, at == def->body.i ? "body" : "reaction",
                     "\"%s\" is a particle, which does not rotate, but \"%s\" turns it; make it a "
                     "body with an inertia",
                     model->bodies[at].name, def->name);
}

static sar_status check(const sar_model* model, void* def, sar_error* error)
{
    SARI_TRY(check_bodies(model, def, error));
    SARI_TRY(check_particles(model, def, error));
    return check_components(model, def, error);
}

#define COMPONENT(k)                                                                               \
    {"force[" #k "]", offsetof(sar_load_def, force[k]), SARI_USE_RATES | SARI_USE_REACTIONS,       \
     NULL},                                                                                        \
    {                                                                                              \
        "torque[" #k "]", offsetof(sar_load_def, torque[k]), SARI_USE_RATES | SARI_USE_REACTIONS,  \
            NULL                                                                                   \
    }

#define SHARED                                                                                     \
    {"axes", SARI_READ_AXES, offsetof(sar_load_def, in_body_axes), 0,                              \
     "axes of the components: world (default), body, or those of any body or frame by its name"},  \
    {                                                                                              \
        "reaction", SARI_READ_BODY, offsetof(sar_load_def, reaction), 0,                           \
            "the body on which the opposite acts; default: none"                                   \
    }

const sari_force_type sari_load_force = {
    .is.word = {{"force",
                 "at a point",
                 {{"acts_on", SARI_READ_PLACE, 0, SARI_MUST, "where it acts"},
                  {"force", SARI_READ_VECTOR, offsetof(sar_load_def, force), SARI_MUST,
                   "components [N], expressions of t and signals"},
                  SHARED}},
                {"torque",
                 "on a body",
                 {{"acts_on", SARI_READ_TARGET, 0, SARI_MUST, "where it acts"},
                  {"torque", SARI_READ_SPIN, offsetof(sar_load_def, torque), SARI_MUST,
                   "[N m], expressions of t and signals; planar: one"},
                  SHARED}}},
    .is.size = sizeof(sar_load_def),
    .is.text = {COMPONENT(0), COMPONENT(1), COMPONENT(2)},
    .is.body = offsetof(sar_load_def, body),
    .is.point = offsetof(sar_load_def, point),
    .check = check,
    .add = add,
    .linear = true,
};
