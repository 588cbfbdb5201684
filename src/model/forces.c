/* Loads, springs, bushings and tyres. */
#include "base/memory.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <stdio.h>

static const double SYMMETRY_TOLERANCE = 1e-9; ///< relative to the largest entry

sar_load_def sar_load_def_default(void)
{
    return (sar_load_def){0};
}

sar_spring_def sar_spring_def_default(void)
{
    return (sar_spring_def){.joint = {-1}};
}

sar_bushing_def sar_bushing_def_default(void)
{
    return (sar_bushing_def){0};
}

sar_tyre_def sar_tyre_def_default(void)
{
    return (sar_tyre_def){.up = -1, .forward = -1};
}

/* ---- loads -------------------------------------------------------------------------------- */

void sari_load_release(sari_load* load)
{
    for (int k = 0; k < 3; k++) {
        sari_release((void*)load->def.force[k]);
        sari_release((void*)load->def.torque[k]);
        sari_expression_destroy(load->force[k]);
        sari_expression_destroy(load->torque[k]);
    }
    sari_release(load->name);
    *load = (sari_load){0};
}

static sar_status check_load_bodies(const sar_model* model, const sar_load_def* def,
                                    sar_error* error)
{
    SARI_TRY(sari_check_body(model, def->body, "body", error));
    SARI_TRY(sari_check_body(model, def->reaction, "reaction", error));
    SARI_TRY(sari_check_vector(model, def->point, "point", error));
    if (def->body.i != def->reaction.i) return SAR_OK;
    if (def->body.i == SAR_GROUND.i)
        return sari_fail(error, SAR_E_MODEL, "body",
                         "a force on the ground moves nothing; name the body it acts on");
    return sari_fail(error, SAR_E_MODEL, "reaction",
                     "force and reaction both act on \"%s\" and cancel; name another body, or the "
                     "ground",
                     model->bodies[def->body.i].name);
}

static sar_status check_load_components(const sar_model* model, const sar_load_def* def,
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

/// Compile a component and keep its text; NULL stays NULL.
static sar_status compile_component(sar_model* model, const char* text, const char* name, int k,
                                    const char** copy, sari_expression** out, sar_error* error)
{
    char field[32];
    if (!text) return SAR_OK;
    snprintf(field, sizeof field, "%s[%d]", name, k);
    SARI_TRY(sari_model_compile(model, text, SARI_USE_RATES, field, out, error));
    *copy = sari_copy_string(text);
    return *copy ? SAR_OK : sari_out_of_memory(error);
}

static sar_status fill_load(sar_model* model, const sar_load_def* def, sari_load* load,
                            sar_error* error)
{
    for (int k = 0; k < 3; k++) {
        SARI_TRY(compile_component(model, def->force[k], "force", k, &load->def.force[k],
                                   &load->force[k], error));
        SARI_TRY(compile_component(model, def->torque[k], "torque", k, &load->def.torque[k],
                                   &load->torque[k], error));
    }
    void* loads = model->loads;
    bool grown = sari_grow(&loads, model->loads_count, &model->loads_capacity, sizeof(sari_load));
    model->loads = loads;
    load->def.name = load->name = grown ? sari_copy_string(def->name) : NULL;
    if (!load->name) return sari_out_of_memory(error);
    return sari_model_enter_part(model, SARI_PART_LOAD, load->name, model->loads_count, error);
}

sar_status sar_model_add_load(sar_model* model, const sar_load_def* def, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(check_load_bodies(model, def, error));
    SARI_TRY(check_load_components(model, def, error));
    sari_load load = {.def = *def};
    memset(load.def.force, 0, sizeof load.def.force);
    memset(load.def.torque, 0, sizeof load.def.torque);
    int signals = model->signals_count;
    sar_status status = fill_load(model, def, &load, error);
    if (status != SAR_OK) {
        sari_load_release(&load);
        sari_model_forget_signals(model, signals);
        return status;
    }
    model->loads[model->loads_count++] = load;
    return SAR_OK;
}

/* ---- springs ------------------------------------------------------------------------------ */

void sari_spring_release(sari_spring* spring)
{
    sari_release((void*)spring->def.table_x);
    sari_release((void*)spring->def.table_f);
    sari_release((void*)spring->def.force);
    sari_expression_destroy(spring->force);
    sari_release(spring->name);
    *spring = (sari_spring){0};
}

static sar_status check_table(const sar_spring_def* def, sar_error* error)
{
    if (def->table_length == 0) return SAR_OK;
    if (def->table_length < 2 || !def->table_x || !def->table_f)
        return sari_fail(error, SAR_E_MODEL, "table", "a table has at least 2 pairs, not %d",
                         def->table_length);
    for (int k = 0; k < def->table_length; k++) {
        if (!isfinite(def->table_x[k]) || !isfinite(def->table_f[k]))
            return sari_fail(error, SAR_E_MODEL, "table",
                             "pair %d of the table, (%g, %g), is not finite", k, def->table_x[k],
                             def->table_f[k]);
        if (k > 0 && !(def->table_x[k] > def->table_x[k - 1]))
            return sari_fail(error, SAR_E_MODEL, "table",
                             "the table must increase: x is %g in pair %d, after %g",
                             def->table_x[k], k, def->table_x[k - 1]);
    }
    return SAR_OK;
}

/// Where the spring acts: along the line of two points, or on a joint's coordinate.
static sar_status complete_spring(const sar_model* model, sar_spring_def* def, sar_error* error)
{
    if (def->joint.i >= 0) {
        def->a = def->b = (sar_end){0};
        return sari_check_coordinate(model, def->joint, def->coordinate, -1, error);
    }
    const double zero[3] = {0, 0, 0};
    memcpy(def->a.axis, zero, sizeof zero), memcpy(def->b.axis, zero, sizeof zero);
    memcpy(def->a.normal, zero, sizeof zero), memcpy(def->b.normal, zero, sizeof zero);
    def->coordinate = SAR_COORD_DISTANCE;
    return sari_check_ends(model, &def->a, &def->b, error);
}

static sar_status check_spring(const sar_model* model, sar_spring_def* def, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(complete_spring(model, def, error));
    SARI_TRY(sari_check_numbers(&def->stiffness, 1, "stiffness", error));
    SARI_TRY(sari_check_numbers(&def->damping, 1, "damping", error));
    SARI_TRY(sari_check_numbers(&def->free, 1, "free", error));
    return check_table(def, error);
}

static sar_status fill_spring(sar_model* model, const sar_spring_def* def, sari_spring* spring,
                              sar_error* error)
{
    if (def->force) {
        SARI_TRY(sari_model_compile(model, def->force, SARI_USE_RATES | SARI_USE_SPRING, "force",
                                    &spring->force, error));
        spring->def.force = sari_copy_string(def->force);
        if (!spring->def.force) return sari_out_of_memory(error);
    }
    if (def->table_length > 0) {
        spring->def.table_x = sari_copy(def->table_x, (size_t)def->table_length, sizeof(double));
        spring->def.table_f = sari_copy(def->table_f, (size_t)def->table_length, sizeof(double));
        if (!spring->def.table_x || !spring->def.table_f) return sari_out_of_memory(error);
    }
    void* springs = model->springs;
    bool grown =
        sari_grow(&springs, model->springs_count, &model->springs_capacity, sizeof(sari_spring));
    model->springs = springs;
    spring->def.name = spring->name = grown ? sari_copy_string(def->name) : NULL;
    if (!spring->name) return sari_out_of_memory(error);
    return sari_model_enter_part(model, SARI_PART_SPRING, spring->name, model->springs_count,
                                 error);
}

sar_status sar_model_add_spring(sar_model* model, const sar_spring_def* def, sar_error* error)
{
    sari_spring spring = {.def = *def};
    SARI_TRY(check_spring(model, &spring.def, error));
    spring.def.force = NULL;
    spring.def.table_x = spring.def.table_f = NULL;
    int signals = model->signals_count;
    sar_status status = fill_spring(model, def, &spring, error);
    if (status != SAR_OK) {
        sari_spring_release(&spring);
        sari_model_forget_signals(model, signals);
        return status;
    }
    model->springs[model->springs_count++] = spring;
    return SAR_OK;
}

/* ---- bushings ----------------------------------------------------------------------------- */

void sari_bushing_release(sari_bushing* bushing)
{
    sari_release(bushing->name);
    *bushing = (sari_bushing){0};
}

static sar_status check_matrix(const sar_model* model, const double A[36], const char* field,
                               sar_error* error)
{
    SARI_TRY(sari_check_numbers(A, 36, field, error));
    static const bool in_plane[6] = {true, true, false, false, false, true};
    for (int k = 0; k < 36 && model->dimension == 2; k++)
        if (A[k] != 0 && !(in_plane[k / 6] && in_plane[k % 6]))
            return sari_fail(error, SAR_E_MODEL, field,
                             "this model is planar: row %d, column %d of %s must be zero; rows and "
                             "columns 0, 1 and 5 count",
                             k / 6, k % 6, field);
    return SAR_OK;
}

static sar_status check_symmetry(const double K[36], sar_error* error)
{
    double most = 0;
    for (int k = 0; k < 36; k++) most = fmax(most, fabs(K[k]));
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < r; c++)
            if (fabs(K[6 * r + c] - K[6 * c + r]) > SYMMETRY_TOLERANCE * most)
                return sari_fail(error, SAR_E_MODEL, "K",
                                 "the stiffness is not symmetric: row %d, column %d is %g, but row "
                                 "%d, column %d is %g",
                                 r, c, K[6 * r + c], c, r, K[6 * c + r]);
    return SAR_OK;
}

/// Without axes the frame is the world's, as drawn.
static sar_status complete_bushing_frames(const sar_model* model, sar_end* a, sar_end* b,
                                          sar_error* error)
{
    SARI_TRY(sari_check_both(a->axis, b->axis, "axis", error));
    if (sari_is_zero(a->axis)) {
        if (!sari_is_zero(a->normal) || !sari_is_zero(b->normal))
            return sari_fail(error, SAR_E_MODEL, "normal",
                             "a normal needs an axis; give the axis too, or neither");
        const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
        sar_end* ends[2] = {a, b};
        for (int k = 0; k < 2; k++) {
            sari_as_drawn(model, SAR_GROUND, ends[k]->body, x, ends[k]->axis);
            sari_as_drawn(model, SAR_GROUND, ends[k]->body, y, ends[k]->normal);
        }
    }
    return model->dimension == 2 ? sari_frames_planar(a, b, error)
                                 : sari_frames_spatial(model, a, b, error);
}

sar_status sar_model_add_bushing(sar_model* model, const sar_bushing_def* def, sar_error* error)
{
    sari_bushing bushing = {.def = *def};
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(sari_check_ends(model, &def->a, &def->b, error));
    SARI_TRY(check_matrix(model, def->K, "K", error));
    SARI_TRY(check_symmetry(def->K, error));
    SARI_TRY(check_matrix(model, def->C, "C", error));
    SARI_TRY(complete_bushing_frames(model, &bushing.def.a, &bushing.def.b, error));
    void* bushings = model->bushings;
    bool grown = sari_grow(&bushings, model->bushings_count, &model->bushings_capacity,
                           sizeof(sari_bushing));
    model->bushings = bushings;
    bushing.def.name = bushing.name = grown ? sari_copy_string(def->name) : NULL;
    if (!bushing.name) return sari_out_of_memory(error);
    sar_status status =
        sari_model_enter_part(model, SARI_PART_BUSHING, bushing.name, model->bushings_count, error);
    if (status != SAR_OK) {
        sari_bushing_release(&bushing);
        return status;
    }
    model->bushings[model->bushings_count++] = bushing;
    return SAR_OK;
}

/* ---- tyres -------------------------------------------------------------------------------- */

void sari_tyre_release(sari_tyre* tyre)
{
    sari_release((void*)tyre->def.road);
    sari_release((void*)tyre->def.along);
    sari_expression_destroy(tyre->road);
    sari_expression_destroy(tyre->along);
    sari_release(tyre->name);
    *tyre = (sari_tyre){0};
}

/// Upwards the last axis, forward the first one that is left.
static sar_status complete_axes(const sar_model* model, sar_tyre_def* def, sar_error* error)
{
    if (def->up < 0) def->up = model->dimension - 1;
    if (def->forward < 0) def->forward = def->up == 0 ? 1 : 0;
    if (def->up >= model->dimension)
        return sari_fail(error, SAR_E_MODEL, "up", "a %s model has no such axis",
                         model->dimension == 2 ? "planar" : "spatial");
    if (def->forward >= model->dimension)
        return sari_fail(error, SAR_E_MODEL, "forward", "a %s model has no such axis",
                         model->dimension == 2 ? "planar" : "spatial");
    if (def->up == def->forward)
        return sari_fail(error, SAR_E_MODEL, "forward", "upwards and forward are the same axis");
    return SAR_OK;
}

static sar_status check_tyre(const sar_model* model, sar_tyre_def* def, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(sari_check_body(model, def->body, "body", error));
    SARI_TRY(sari_check_vector(model, def->point, "point", error));
    if (def->body.i == SAR_GROUND.i)
        return sari_fail(error, SAR_E_MODEL, "body",
                         "a tyre on the ground moves nothing; name a point of a body");
    SARI_TRY(sari_check_numbers(&def->radius, 1, "radius", error));
    SARI_TRY(sari_check_numbers(&def->stiffness, 1, "stiffness", error));
    SARI_TRY(sari_check_numbers(&def->damping, 1, "damping", error));
    if (!(def->radius > 0))
        return sari_fail(error, SAR_E_MODEL, "radius", "radius is %g; it must be positive",
                         def->radius);
    if (!(def->stiffness > 0))
        return sari_fail(error, SAR_E_MODEL, "stiffness", "stiffness is %g; it must be positive",
                         def->stiffness);
    if (def->damping < 0)
        return sari_fail(error, SAR_E_MODEL, "damping", "damping is %g; it must not be negative",
                         def->damping);
    return complete_axes(model, def, error);
}

static sar_status fill_tyre(sar_model* model, const sar_tyre_def* def, sari_tyre* tyre,
                            sar_error* error)
{
    const char* road = def->road ? def->road : "0";
    SARI_TRY(sari_model_compile(model, road, SARI_USE_PLACE, "road", &tyre->road, error));
    tyre->def.road = sari_copy_string(road);
    if (!tyre->def.road) return sari_out_of_memory(error);
    if (def->along) {
        SARI_TRY(
            sari_model_compile(model, def->along, SARI_USE_PLACE, "along", &tyre->along, error));
        tyre->def.along = sari_copy_string(def->along);
        if (!tyre->def.along) return sari_out_of_memory(error);
    }
    void* tyres = model->tyres;
    bool grown = sari_grow(&tyres, model->tyres_count, &model->tyres_capacity, sizeof(sari_tyre));
    model->tyres = tyres;
    tyre->def.name = tyre->name = grown ? sari_copy_string(def->name) : NULL;
    if (!tyre->name) return sari_out_of_memory(error);
    return sari_model_enter_part(model, SARI_PART_TYRE, tyre->name, model->tyres_count, error);
}

sar_status sar_model_add_tyre(sar_model* model, const sar_tyre_def* def, sar_error* error)
{
    sari_tyre tyre = {.def = *def};
    SARI_TRY(check_tyre(model, &tyre.def, error));
    tyre.def.road = tyre.def.along = NULL;
    sar_status status = fill_tyre(model, def, &tyre, error);
    if (status != SAR_OK) {
        sari_tyre_release(&tyre);
        return status;
    }
    model->tyres[model->tyres_count++] = tyre;
    return SAR_OK;
}
