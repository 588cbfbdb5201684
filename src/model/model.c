/* The model itself: creation, getters, gravity, parameters, and turning it in space. */
#include "base/memory.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <math.h>

/* ---- creation and destruction --------------------------------------------------------------- */

static bool create_ground(sar_model* model)
{
    sar_body_def ground = sar_body_def_default();
    ground.name = "ground";
    ground.has_position = ground.has_rotation = 1;
    void* bodies = NULL;
    if (!sari_grow(&bodies, 0, &model->bodies_capacity, sizeof(sari_body))) return false;
    model->bodies = bodies;
    if (sari_body_create(&model->bodies[0], &ground, NULL) != SAR_OK) return false;
    model->bodies_count = 1;
    const char* name = model->bodies[0].name;
    return sari_model_enter_part(model, SARI_PART_BODY, name, SAR_GROUND.i, NULL) == SAR_OK;
}

sar_model* sar_model_create(const char* name, int dimension)
{
    if (dimension != 2 && dimension != 3) return NULL;
    sar_model* model = SARI_NEW(sar_model);
    if (!model) return NULL;
    model->dimension = dimension;
    model->name = sari_copy_string(name ? name : "");
    if (model->name && create_ground(model)) return model;
    sar_model_destroy(model);
    return NULL;
}

static void release_outputs(sar_model* model)
{
    for (int k = 0; k < model->outputs_count; k++) {
        sari_release(model->outputs[k].name);
        sari_release(model->outputs[k].text);
        sari_expression_destroy(model->outputs[k].value);
        sari_expression_destroy(model->outputs[k].over);
    }
    for (int k = 0; k < model->starts_count; k++) sari_release(model->starts[k].name);
    sari_release(model->outputs);
    sari_release(model->starts);
    sari_release(model->signals);
    sari_release(model->trial);
}

static void release_names(sar_model* model)
{
    sari_hash_release(&model->parameters_by_name);
    sari_hash_release(&model->parts_by_name);
    sari_hash_release(&model->tables_by_name);
    sari_hash_release(&model->signals_by_meaning);
    sari_hash_release(&model->outputs_by_name);
    sari_release(model->parts);
}

void sar_model_destroy(sar_model* model)
{
    if (!model) return;
    for (int k = 0; k < model->parameters_count; k++) sari_release(model->parameters[k].name);
    for (int k = 0; k < model->files_count; k++) sari_release(model->files[k]);
    for (int k = 0; k < model->assemblies_count; k++) sari_release(model->assemblies[k]);
    for (int k = 0; k < model->bodies_count; k++) sari_body_release(&model->bodies[k]);
    for (int k = 0; k < model->frames_count; k++) sari_release(model->frames[k].name);
    for (int k = 0; k < model->joints_count; k++) sari_joint_release(&model->joints[k]);
    for (int k = 0; k < model->phases_count; k++) sari_phase_release(&model->phases[k]);
    for (int type = 0; type < SARI_FORCE_TYPES; type++) {
        const sari_force_list* list = &model->forces[type];
        for (int k = 0; k < list->count; k++)
            sari_force_release(sari_force_types[type], &list->at[k]);
        sari_release(list->at);
    }
    for (int k = 0; k < model->tables_count; k++) sari_table_destroy(model->tables[k]);
    release_outputs(model);
    sari_release((void*)model->files);
    sari_release((void*)model->assemblies);
    release_names(model);
    sari_release(model->phases);
    sari_release(model->parameters);
    sari_inputs_release(model);
    sari_release((void*)model->tables);
    sari_release(model->breakpoints);
    sari_release(model->bodies);
    sari_release(model->frames);
    sari_release(model->joints);
    sari_release(model->name);
    sari_release(model);
}

/* ---- getters -------------------------------------------------------------------------------- */

const char* sar_model_name(const sar_model* model)
{
    return model->name;
}

int sar_model_dimension(const sar_model* model)
{
    return model->dimension;
}

int sar_model_bodies(const sar_model* model)
{
    return model->bodies_count;
}

int sar_model_joints(const sar_model* model)
{
    return model->joints_count;
}

int sar_model_phases(const sar_model* model)
{
    return model->phases_count;
}

int sar_model_outputs(const sar_model* model)
{
    return model->outputs_count;
}

const char* sar_model_body_name(const sar_model* model, int body)
{
    return body >= 0 && body < model->bodies_count ? model->bodies[body].name : NULL;
}

const char* sar_model_joint_name(const sar_model* model, int joint)
{
    return joint >= 0 && joint < model->joints_count ? model->joints[joint].name : NULL;
}

double sar_model_body_mass(const sar_model* model, int body)
{
    return body > 0 && body < model->bodies_count ? model->bodies[body].def.mass : 0.0;
}

void sar_model_gravity(const sar_model* model, double g[3])
{
    for (int k = 0; k < 3; k++) g[k] = model->gravity[k];
}

int sar_model_joint_ends(const sar_model* model, int joint, sar_end* a, sar_end* b)
{
    if (joint < 0 || joint >= model->joints_count) return 0;
    const sari_joint* j = &model->joints[joint];
    if (j->relation) return 0;
    *a = j->pair.a;
    *b = j->pair.b;
    return 1;
}

const char* sar_model_output_name(const sar_model* model, int output)
{
    return output >= 0 && output < model->outputs_count ? model->outputs[output].name : NULL;
}

int sar_model_parameters(const sar_model* model)
{
    return model->parameters_count;
}

const char* sar_model_parameter_name(const sar_model* model, int parameter)
{
    return parameter >= 0 && parameter < model->parameters_count ? model->parameters[parameter].name
                                                                 : NULL;
}

double sar_model_parameter_value(const sar_model* model, int parameter)
{
    return parameter >= 0 && parameter < model->parameters_count
               ? model->parameters[parameter].value
               : NAN;
}

/* ---- gravity and parameters ----------------------------------------------------------------- */

void sar_model_set_gravity(sar_model* model, const double g[3])
{
    memcpy(model->gravity, g, sizeof model->gravity);
    if (model->dimension == 2) model->gravity[2] = 0;
}

/// Every name is a constant.
static int find_any(void* context, const char* name, size_t length, double* constant, char* why,
                    size_t size)
{
    (void)context, (void)name, (void)length, (void)why, (void)size;
    *constant = 0;
    return SARI_NAME_CONSTANT;
}

/// A word that expressions can use for something new; `what` is "parameter" or "table".
static sar_status check_word(const sar_model* model, const char* name, const char* what,
                             sar_error* error)
{
    SARI_TRY(sari_check_spelling(model, name, error));
    static const char* const reserved[] = {"ground", "energy", "t", "x", "v", "pi", "e", "inf"};
    SARI_TRY(sari_check_reserved(name, what, reserved, 8, error));
    // Functions and words such as `and` cannot be used as a value, which the compiler knows best.
    sari_expression* probe = NULL;
    sar_status status =
        sari_expression_compile(sari_last_piece(name), find_any, NULL, &probe, NULL);
    sari_expression_destroy(probe);
    if (status == SAR_OK) return SAR_OK;
    if (status == SAR_E_NOMEM) return sari_out_of_memory(error);
    return sari_fail(error, SAR_E_MODEL, "name",
                     "a %s cannot be called \"%s\": that is a word of expressions; choose another",
                     what, name);
}

sar_status sar_model_set_parameter(sar_model* model, const char* name, double value,
                                   sar_error* error)
{
    SARI_TRY(check_word(model, name, "parameter", error));
    SARI_TRY(sari_check_numbers(&value, 1, "value", error));
    if (sari_model_find_kind(model, SARI_PART_TABLE, name, strlen(name)) >= 0)
        return sari_fail(error, SAR_E_MODEL, "name", "there is a table \"%s\" already", name);
    int known = sari_model_find_parameter(model, name, strlen(name));
    if (known >= 0) {
        model->parameters[known].value = value;
        return SAR_OK;
    }
    void* parameters = model->parameters;
    bool grown = sari_grow(&parameters, model->parameters_count, &model->parameters_capacity,
                           sizeof(struct sari_parameter));
    model->parameters = parameters;
    char* copy = grown ? sari_copy_string(name) : NULL;
    if (!copy || !sari_hash_add(&model->parameters_by_name, sari_name_code(name, strlen(name)))) {
        sari_release(copy);
        return sari_out_of_memory(error);
    }
    model->parameters[model->parameters_count++] =
        (struct sari_parameter){.name = copy, .value = value};
    return SAR_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

sar_status sari_model_add_file(sar_model* model, const char* path)
{
    char* copy = sari_copy_string(path);
    void* files = (void*)model->files;
    int room = copy && sari_grow(&files, model->files_count, &model->files_capacity, sizeof(char*));
    model->files = files;
    if (room)
        model->files[model->files_count++] = copy;
    else
        sari_release(copy);
    return room ? SAR_OK : SAR_E_NOMEM;
}

int sar_model_files(const sar_model* model)
{
    return model->files_count;
}

const char* sar_model_file(const sar_model* model, int k)
{
    return k >= 0 && k < model->files_count ? model->files[k] : NULL;
}

/* ---- tables --------------------------------------------------------------------------------- */

sar_table_def sar_table_def_default(void)
{
    return (sar_table_def){0};
}

sari_table_list sari_model_tables(const sar_model* model)
{
    return (sari_table_list){model->tables, model->tables_count, &model->tables_by_name};
}

static sar_status enter_table(sar_model* model, const sari_table* table, sar_error* error)
{
    const int number = model->tables_count;
    if (!sari_hash_add(&model->tables_by_name, sari_name_code(table->name, strlen(table->name))))
        return sari_out_of_memory(error);
    sar_status status = sari_model_enter_part(model, SARI_PART_TABLE, table->name, number, error);
    if (status != SAR_OK) sari_hash_cut(&model->tables_by_name, number);
    return status;
}

sar_status sar_model_add_table(sar_model* model, const sar_table_def* def, sar_error* error)
{
    SARI_TRY(check_word(model, def->name, "table", error));
    SARI_TRY(sari_model_check_name(model, def->name, error));
    if (sari_model_find_parameter(model, def->name, strlen(def->name)) >= 0)
        return sari_fail(error, SAR_E_MODEL, "name", "there is a parameter \"%s\" already",
                         def->name);
    if (def->interpolation < 0 || def->interpolation > SAR_INTERPOLATION_CONSTANT)
        return sari_fail(error, SAR_E_MODEL, "interpolation", "%d is no interpolation",
                         (int)def->interpolation);
    void* tables = (void*)model->tables;
    bool grown =
        sari_grow(&tables, model->tables_count, &model->tables_capacity, sizeof(sari_table*));
    model->tables = tables;
    if (!grown) return sari_out_of_memory(error);
    sari_table* table;
    SARI_TRY(sari_table_create(def, &table, error));
    sar_status status = enter_table(model, table, error);
    if (status != SAR_OK) {
        sari_table_destroy(table);
        return status;
    }
    model->tables[model->tables_count++] = table;
    return SAR_OK;
}

/* ---- times that steps land on --------------------------------------------------------------- */

sar_status sar_model_add_breakpoint(sar_model* model, double t, sar_error* error)
{
    SARI_TRY(sari_check_numbers(&t, 1, "breakpoint", error));
    const int count = model->breakpoints_count;
    int at = 0;
    for (int above = count; at < above;) {
        int middle = at + (above - at) / 2;
        if (model->breakpoints[middle] < t)
            at = middle + 1;
        else
            above = middle;
    }
    if (at < count && model->breakpoints[at] == t) return SAR_OK;
    void* times = model->breakpoints;
    bool grown = sari_grow(&times, count, &model->breakpoints_capacity, sizeof(double));
    model->breakpoints = times;
    if (!grown) return sari_out_of_memory(error);
    memmove(model->breakpoints + at + 1, model->breakpoints + at,
            (size_t)(count - at) * sizeof(double));
    model->breakpoints[at] = t;
    model->breakpoints_count++;
    return SAR_OK;
}

/* ---- the same mechanism elsewhere ----------------------------------------------------------- */

typedef struct motion {
    const double* R;
    const double* d;
} motion;

static void move_point(const motion* m, double p[3])
{
    sari_rotate(m->R, p, p);
    for (int k = 0; k < 3; k++) p[k] += m->d[k];
}

/// What is fixed in a body moves with it; only ends on the ground change.
static void move_end(const motion* m, sar_end* end)
{
    if (end->body.i != SAR_GROUND.i) return;
    move_point(m, end->point);
    sari_rotate(m->R, end->axis, end->axis);
    sari_rotate(m->R, end->normal, end->normal);
}

static void move_body(const motion* m, sar_body_def* def)
{
    move_point(m, def->position);
    sari_multiply3(m->R, def->rotation, def->rotation);
    sari_rotate(m->R, def->winding, def->winding);
    sari_rotate(m->R, def->velocity, def->velocity);
    sari_rotate(m->R, def->angular_velocity, def->angular_velocity);
}

/// The ground's own origin, centre and axes stay those of the world; what was drawn on it moves.
static void move_ground(const motion* m, sari_body* ground)
{
    for (int k = 2; k < ground->points_count; k++) move_point(m, ground->points[k].v);
    for (int k = 3; k < ground->axes_count; k++)
        sari_rotate(m->R, ground->axes[k].v, ground->axes[k].v);
    for (int k = 0; k < ground->shapes_count; k++) {
        double(*points)[3] = (double(*)[3])(size_t)ground->shapes[k].point; // owned by the ground
        for (int i = 0; i < ground->shapes[k].points; i++) move_point(m, points[i]);
    }
}

static void move_force(const motion* m, const sari_force_type* type, void* def)
{
    sar_end* ends = sari_force_ends(type, def);
    for (int k = 0; k < sari_force_ends_count(type, def); k++) move_end(m, &ends[k]);
    if (type->is.point && sari_force_body(type, def) == SAR_GROUND.i)
        move_point(m, sari_force_point(type, def));
}

void sar_model_transform(sar_model* model, const double R[9], const double d[3])
{
    const motion m = {R, d};
    sari_rotate(R, model->gravity, model->gravity);
    move_ground(&m, &model->bodies[0]);
    for (int k = 1; k < model->bodies_count; k++) move_body(&m, &model->bodies[k].def);
    for (int k = 0; k < model->frames_count; k++)
        if (model->frames[k].body == SAR_GROUND.i) {
            move_point(&m, model->frames[k].point);
            sari_multiply3(R, model->frames[k].R, model->frames[k].R);
        }
    for (int k = 0; k < model->joints_count; k++) {
        sari_joint* joint = &model->joints[k];
        sar_end* ends = (sar_end*)sari_joint_ends(joint);
        for (int i = 0; ends && i < 2; i++) move_end(&m, &ends[i]);
        for (int i = 0; i < joint->over_count; i++) move_end(&m, &joint->over[i]);
    }
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        for (int k = 0; k < model->forces[type].count; k++)
            move_force(&m, sari_force_types[type], model->forces[type].at[k].def);
    for (int k = 0; k < model->signals_count; k++)
        if (model->signals[k].kind == SARI_SIGNAL_POINT && model->signals[k].body == SAR_GROUND.i)
            move_point(&m, model->signals[k].point);
}
