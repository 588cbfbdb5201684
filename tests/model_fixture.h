/* Small models to add things to, and a check that a refused addition changes nothing. */
#ifndef MODEL_FIXTURE_H
#define MODEL_FIXTURE_H

#include "model/model.h"
#include "sar_test.h"
#include "stored_forces.h"

static const sar_body_id CRANK = {1}, ROD = {2};

/// Two bodies, `crank` and `rod`, unturned; the crank has a point P.
static inline sar_model* two_bodies(int dimension)
{
    sar_model* m = sar_model_create("two bodies", dimension);
    sar_body_def body = sar_body_def_default();
    body.mass = 1, body.name = "crank";
    CHECK_STATUS(sar_model_add_body(m, &body, NULL, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_point(m, CRANK, "P", (double[3]){1, 2, 0}, NULL), SAR_OK);
    body.name = "rod";
    CHECK_STATUS(sar_model_add_body(m, &body, NULL, NULL), SAR_OK);
    return m;
}

static inline void set(double v[3], double x, double y, double z)
{
    v[0] = x, v[1] = y, v[2] = z;
}

/// A joint of `type` between crank and rod with axis z (planar sliding: x) on both ends.
static inline sar_joint_def joint_between(const sar_model* m, const char* name, sar_joint_type type)
{
    sar_joint_def def = sar_joint_def_default();
    def.name = name, def.type = type;
    def.a.body = CRANK, def.b.body = ROD;
    def.pitch = 0.1, def.distance = 1, def.radius = 0.5;
    def.curve = (sar_curve){.x = "s", .y = "s^2", .from = -1, .to = 1};
    if (m->dimension == 2 && type != SAR_JOINT_REVOLUTE && type != SAR_JOINT_FIXED) {
        memcpy(def.a.axis, (double[3]){1, 0, 0}, sizeof def.a.axis);
        memcpy(def.b.axis, (double[3]){1, 0, 0}, sizeof def.b.axis);
    }
    return def;
}

static inline sar_joint_id add_joint(sar_model* m, const char* name, sar_joint_type type)
{
    sar_joint_def def = joint_between(m, name, type);
    sar_joint_id id = {-1};
    CHECK_STATUS(sar_model_add_joint(m, &def, &id, NULL), SAR_OK);
    return id;
}

static inline int parts(const sar_model* m)
{
    int count = m->parameters_count + m->bodies_count + m->joints_count + m->signals_count +
                m->outputs_count + m->starts_count + m->phases_count + m->tables_count +
                m->breakpoints_count;
    for (int type = 0; type < SARI_FORCE_TYPES; type++) count += m->forces[type].count;
    for (int k = 0; k < m->bodies_count; k++)
        count += m->bodies[k].points_count + m->bodies[k].axes_count;
    return count;
}

/// `call`, which passes `&error`, fails with this field, says `text`, and leaves the model as it
/// is.
#define CHECK_REFUSED(model, call, wanted_field, text)                                             \
    do {                                                                                           \
        sar_error error = {0};                                                                     \
        int parts_ = parts(model);                                                                 \
        CHECK((call) < 0);                                                                         \
        CHECK(error.status < 0);                                                                   \
        CHECK_TEXT(error.field, wanted_field);                                                     \
        if (!strstr(error.message, text))                                                          \
            fail_msg("%s:%d: \"%s\" does not say \"%s\"", __FILE__, __LINE__, error.message,       \
                     text);                                                                        \
        CHECK(parts(model) == parts_);                                                             \
    } while (0)

#endif
