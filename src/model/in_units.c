/* A model in units of its own: every number divided by the unit of what it is. Names, texts and
 * tables stay those of the model. */
#include "base/memory.h"
#include "elements/element.h"
#include "math/functions.h"
#include "model/parts.h"
#include "model/units.h"

#include <math.h>
#include <string.h>

static const sari_conversion AS_IT_IS = {1.0, 0.0};

/* ---- what signals and coordinates are ------------------------------------------------------- */

double sari_unit_of_coordinate(const sari_units* u, sar_coordinate coordinate)
{
    return sari_is_angle(coordinate) ? 1.0 : u->length;
}

static bool is_length(const sari_signal* s)
{
    const sari_signal_unit unit = sari_unit_of_signal(s);
    return unit.length == 1 && unit.mass == 0;
}

bool sari_uses_lengths(const sar_model* model, const sari_expression* e)
{
    const int* used;
    const int count = sari_expression_variables(e, &used);
    for (int k = 0; k < count; k++) {
        const int signal = used[k] - SARI_VARIABLE_SIGNAL;
        if (signal >= 0 && is_length(&model->signals[signal])) return true;
    }
    return false;
}

double sari_unit_of_condition(const sar_model* model, const sari_units* u, int joint)
{
    const sari_joint* j = &model->joints[joint];
    return j->relation && j->relation->is_length(model, j) ? u->length : 1.0;
}

/* Zero of a signal: places count from the origin, potential energies from the weights there. */
static double zero_of(const sari_units* u, const sari_signal* s)
{
    if (s->kind == SARI_SIGNAL_POINT && s->level == 0 && !s->frame && !s->axes)
        return u->origin[s->component];
    return s->kind == SARI_SIGNAL_ENERGY && s->component > 0 ? u->level : 0.0;
}

/* A state of the model is counted in a power of two near its size. */
static double scale_of(const sar_model* model, const sari_units* u, const sari_signal* s)
{
    void* def = model->forces[s->type].at[s->force].def;
    return sari_unit_of_state(u, *(double*)sari_member(def, sari_force_types[s->type]->scale));
}

/* From a signal in the model's units to one in the user's. */
static sari_conversion conversion_of(const sar_model* model, const sari_units* u,
                                     const sari_signal* s)
{
    if (s->kind == SARI_SIGNAL_DRIVE) // along what it holds
        return (sari_conversion){
            sari_unit_of_energy(u) / sari_unit_of_condition(model, u, s->joint), 0.0};
    if (s->kind == SARI_SIGNAL_STATE) return (sari_conversion){scale_of(model, u, s), 0.0};
    const sari_signal_unit unit = sari_unit_of_signal(s);
    return (sari_conversion){sari_pow(u->length, unit.length) * sari_pow(u->mass, unit.mass),
                             zero_of(u, s)};
}

/* ---- parts ---------------------------------------------------------------------------------- */

typedef sari_model_conversion conversion;

static void divide(double* x, int count, double unit)
{
    for (int k = 0; k < count; k++) x[k] /= unit;
}

static void place(const sari_units* u, double p[3])
{
    for (int k = 0; k < 3; k++) p[k] = (p[k] - u->origin[k]) / u->length;
}

/* A point of a body; those of the ground are places. */
static void convert_point(const sari_units* u, int body, double p[3])
{
    if (body == 0)
        place(u, p);
    else
        divide(p, 3, u->length);
}

static void convert_end(const sari_units* u, sar_end* end)
{
    convert_point(u, end->body.i, end->point);
}

static void* copy_array(conversion* c, const void* array, int count, size_t size)
{
    void* copy = sari_copy(array, (size_t)count, size);
    if (count > 0 && !copy) c->failed = true;
    return copy;
}

/* The expression with its result in units of `unit`, counted from `from`. */
static sari_expression* convert(conversion* c, const sari_expression* e, double unit, double from)
{
    if (!e) return NULL;
    sari_expression* out =
        sari_expression_in_units(e, c->variable, (sari_conversion){1.0 / unit, -from / unit});
    if (!out) c->failed = true;
    for (int k = 0; out && k < c->model->inputs_count; k++)
        sari_expression_use_table(out, c->model->tables[c->model->inputs[k].table],
                                  &c->copy->held[k].table);
    return out;
}

static void convert_body(const sari_units* u, sari_body* body)
{
    sar_body_def* def = &body->def;
    def->mass /= u->mass;
    divide(def->center, 3, u->length);
    divide(def->inertia, 6, sari_unit_of_energy(u));
    divide(def->velocity, 3, u->length);
    place(u, def->position);
}

static void convert_joint(conversion* c, int j)
{
    sari_joint* joint = &c->copy->joints[j];
    const double unit = sari_unit_of_condition(c->model, c->u, j);
    joint->value = convert(c, joint->value, unit, 0.0);
    joint->lower /= unit;
    joint->upper /= unit;
    if (joint->relation && joint->relation->convert) joint->relation->convert(c->u, joint, unit);
    convert_end(c->u, &joint->pair.a);
    convert_end(c->u, &joint->pair.b);
    for (const sari_joint_size* size = sari_type_of(&joint->pair)->size; size->word; size++)
        *sari_size_in(&joint->pair, size) /= c->u->length;
    divide(joint->pair.compliance, 3, c->u->length / sari_unit_of_force(c->u));
    divide(joint->pair.compliance + 3, 3, 1.0 / sari_unit_of_energy(c->u));
    joint->curve.unit *= c->u->length; // its functions stay the model's
    convert_end(c->u, &joint->drive.a);
    convert_end(c->u, &joint->drive.b);
}

void sari_convert_text(conversion* c, sari_force* force, int k, sari_conversion x,
                       sari_conversion v, double unit, double from)
{
    c->variable[SARI_VARIABLE_X] = x;
    c->variable[SARI_VARIABLE_V] = v;
    force->expression[k] = convert(c, force->expression[k], unit, from);
    c->variable[SARI_VARIABLE_X] = c->variable[SARI_VARIABLE_V] = AS_IT_IS;
}

/* ---- forces, by the units of their keys ----------------------------------------------------- */

/// A force and what its units depend on.
typedef struct force_units {
    const sari_force_type* type;
    sari_force* force;
    const sari_units* u;
    bool turns;
    double length; ///< unit of the coordinate along which it acts
} force_units;

/* The unit that the text of a key lists: that of an angle where it acts about one. */
static double unit_of_key(const force_units* f, const sari_file_key* key)
{
    sari_dimension d;
    if (sari_unit_listed(key->text, f->turns, &d))
        return sari_pow(f->u->length, d.length) * sari_pow(f->u->mass, d.mass);
    if (!f->type->exponent || !strstr(key->text, "^exponent")) return 1.0;
    const double exponent = *(double*)sari_member(f->force->def, f->type->exponent);
    return sari_unit_of_energy(f->u) / f->length / sari_pow(f->length, exponent);
}

/* Stiffness or damping of displacements and rotations. */
static void convert_matrix(const sari_units* u, double A[36])
{
    for (int k = 0; k < 36; k++)
        A[k] /=
            sari_unit_of_energy(u) / (k / 6 < 3 ? u->length : 1.0) / (k % 6 < 3 ? u->length : 1.0);
}

static void convert_numbers(const force_units* f, const sari_file_word* word)
{
    for (const sari_file_key* key = word->key; key->word; key++) {
        double* number = sari_member(f->force->def, key->member);
        if (key->kind == SARI_READ_NUMBER || key->kind == SARI_READ_FREE)
            *number /= unit_of_key(f, key);
        if (key->kind == SARI_READ_MATRIX) convert_matrix(f->u, number);
    }
}

/* The key with which a text was given, by itself or as a component; NULL: there is none. */
static const sari_file_key* key_of(const sari_file_word* word, const sari_definition_text* text)
{
    for (const sari_file_key* key = word->key; key->word; key++) {
        const bool list = key->kind == SARI_READ_VECTOR || key->kind == SARI_READ_SPIN ||
                          key->kind == SARI_READ_LAWS || key->kind == SARI_READ_LAWS_OF_TURNS;
        const size_t room = (list ? 3 : 1) * sizeof(char*);
        if (text->use & SARI_USE_FREE
                ? key->kind == SARI_READ_FREE
                : text->member >= key->member && text->member < key->member + room)
            return key;
    }
    return NULL;
}

/* x and v of it are those of the coordinate, of a displacement or rotation, or of a place. */
static void convert_text(conversion* c, const force_units* f, int k)
{
    const sari_definition_text* text = &f->type->is.text[k];
    const sari_file_key* key = NULL;
    for (const sari_file_word* w = f->type->is.word; w->word && !key; w++) key = key_of(w, text);
    if (f->type->is.word[1].word && f->type->is.coordinate)
        key = key_of(&f->type->is.word[f->turns], text);
    const double length = f->type->is.coordinate                        ? f->length
                          : key && key->kind == SARI_READ_LAWS_OF_TURNS ? 1.0
                                                                        : f->u->length;
    const sari_conversion own = {length, 0.0};
    double unit = key ? unit_of_key(f, key) : 1.0;
    if (sari_force_is_state(f->type))
        unit = sari_unit_of_state(f->u, *(double*)sari_member(f->force->def, f->type->scale));
    sari_convert_text(c, f->force, k, own, own, unit, 0.0);
}

/* Pairs of the coordinate and the force along it. */
static void convert_pairs(const force_units* f)
{
    if (!f->type->is.length) return;
    const int count = *(int*)sari_member(f->force->def, f->type->is.length);
    for (int i = 0; i < 2; i++)
        divide(*(double**)sari_member(f->force->def, f->type->is.array[i]), count,
               i ? sari_unit_of_energy(f->u) / f->length : f->length);
}

static void convert_by_keys(conversion* c, const sari_force_type* type, sari_force* force)
{
    const bool turns = sari_force_turns(type, force->def);
    const force_units f = {type, force, c->u, turns, turns ? 1.0 : c->u->length};
    convert_numbers(&f, sari_force_word_of(type, force->def));
    convert_pairs(&f);
    for (int k = 0; type->is.text[k].field; k++)
        if (!(type->is.text[k].use & (SARI_USE_PLACE | SARI_USE_GROUND | SARI_USE_ALONG)))
            convert_text(c, &f, k);
}

static void convert_force(conversion* c, const sari_force_type* type, sari_force* force)
{
    sar_end* ends = sari_force_ends(type, force->def);
    for (int k = 0; k < sari_force_ends_count(type, force->def); k++) convert_end(c->u, &ends[k]);
    if (type->is.point)
        convert_point(c->u, sari_force_body(type, force->def), sari_force_point(type, force->def));
    if (!type->own_units) convert_by_keys(c, type, force);
    if (type->convert) type->convert(c, force);
    if (!sari_force_along(type, force->def)) return;
    const int k = sari_force_along_text(type);
    const sar_coordinate* coordinate = sari_member(force->def, type->is.coordinate);
    force->expression[k] =
        convert(c, force->expression[k], sari_unit_of_coordinate(c->u, *coordinate), 0.0);
}

static void convert_start(conversion* c, sari_start* start)
{
    const sari_conversion to_user = c->variable[SARI_VARIABLE_SIGNAL + start->signal];
    start->value = (start->value - to_user.shift) / to_user.scale;
}

/* ---- the model ------------------------------------------------------------------------------ */

/* Names and texts stay the model's; expressions too, until they are converted. */
static void copy_forces(conversion* c, int number)
{
    const sari_force_type* type = sari_force_types[number];
    const sari_force_list* from = &c->model->forces[number];
    sari_force_list* to = &c->copy->forces[number];
    to->at = copy_array(c, from->at, from->count, sizeof *from->at);
    for (int k = 0; to->at && k < from->count; k++) {
        to->at[k].def = copy_array(c, from->at[k].def, 1, type->is.size);
        for (int i = 0; to->at[k].def && type->is.length && i < 2; i++)
            *(double**)((char*)to->at[k].def + type->is.array[i]) = NULL;
        if (to->at[k].def && sari_force_copy_arrays(type, from->at[k].def, to->at[k].def) != SAR_OK)
            c->failed = true;
    }
}

static void copy_arrays(conversion* c)
{
    const sar_model* m = c->model;
    sar_model* copy = c->copy;
    copy->bodies = copy_array(c, m->bodies, m->bodies_count, sizeof *m->bodies);
    copy->frames = copy_array(c, m->frames, m->frames_count, sizeof *m->frames);
    copy->joints = copy_array(c, m->joints, m->joints_count, sizeof *m->joints);
    for (int type = 0; type < SARI_FORCE_TYPES; type++) copy_forces(c, type);
    copy->signals = copy_array(c, m->signals, m->signals_count, sizeof *m->signals);
    copy->phases = copy_array(c, m->phases, m->phases_count, sizeof *m->phases);
    copy->outputs = copy_array(c, m->outputs, m->outputs_count, sizeof *m->outputs);
    copy->held = m->inputs_count ? SARI_NEW_ARRAY(sari_held_input, m->inputs_count) : NULL;
    if (m->inputs_count && !copy->held) c->failed = true;
    for (int k = 0; copy->held && k < m->inputs_count; k++)
        copy->held[k].table = *m->tables[m->inputs[k].table];
    copy->starts = copy_array(c, m->starts, m->starts_count, sizeof *m->starts);
    c->variable = SARI_NEW_ARRAY(sari_conversion, SARI_VARIABLE_SIGNAL + m->signals_count);
    if (!c->variable) c->failed = true;
}

/* Before anything fails: what the copies still share with the model is not theirs to release. */
static void disown_expressions(sar_model* copy)
{
    for (int k = 0; copy->joints && k < copy->joints_count; k++) copy->joints[k].value = NULL;
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        for (int k = 0; copy->forces[type].at && k < copy->forces[type].count; k++)
            memset(copy->forces[type].at[k].expression, 0,
                   sizeof copy->forces[type].at[k].expression);
    for (int k = 0; copy->phases && k < copy->phases_count; k++)
        copy->phases[k].when = copy->phases[k].provided = NULL;
    for (int k = 0; copy->outputs && k < copy->outputs_count; k++)
        copy->outputs[k].value = copy->outputs[k].over = NULL;
}

static void find_conversions(conversion* c)
{
    for (int k = 0; k < SARI_VARIABLE_SIGNAL; k++) c->variable[k] = AS_IT_IS;
    for (int k = 0; k < c->model->signals_count; k++)
        c->variable[SARI_VARIABLE_SIGNAL + k] =
            conversion_of(c->model, c->u, &c->model->signals[k]);
}

sari_expression* sari_expression_for_copy(const sar_model* model, const sari_units* u,
                                          sar_model* copy, const sari_expression* e, double unit)
{
    conversion c = {.model = model, .u = u, .copy = copy};
    c.variable = SARI_NEW_ARRAY(sari_conversion, SARI_VARIABLE_SIGNAL + model->signals_count);
    if (!c.variable) return NULL;
    find_conversions(&c);
    sari_expression* out = convert(&c, e, unit, 0.0);
    sari_release(c.variable);
    return out;
}

static void convert_all(conversion* c)
{
    const sar_model* m = c->model;
    sar_model* copy = c->copy;
    const sari_units* u = c->u;
    find_conversions(c);
    for (int k = 0; k < m->signals_count; k++)
        if (m->signals[k].kind == SARI_SIGNAL_POINT)
            convert_point(u, m->signals[k].body, copy->signals[k].point);
    divide(copy->gravity, 3, u->length);
    for (int k = 1; k < m->bodies_count; k++) convert_body(u, &copy->bodies[k]);
    for (int k = 0; k < m->frames_count; k++)
        convert_point(u, m->frames[k].body, copy->frames[k].point);
    for (int k = 0; k < m->joints_count; k++) convert_joint(c, k);
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        for (int k = 0; k < copy->forces[type].count; k++)
            convert_force(c, sari_force_types[type], &copy->forces[type].at[k]);
    for (int k = 0; k < m->starts_count; k++) convert_start(c, &copy->starts[k]);
    for (int k = 0; k < m->phases_count; k++) {
        copy->phases[k].when = convert(c, m->phases[k].when, 1.0, 0.0);
        copy->phases[k].provided = convert(c, m->phases[k].provided, 1.0, 0.0);
    }
    for (int k = 0; k < m->outputs_count; k++) { // in the user's units
        copy->outputs[k].value = convert(c, m->outputs[k].value, 1.0, 0.0);
        copy->outputs[k].over = convert(c, m->outputs[k].over, 1.0, 0.0);
    }
}

sar_model* sari_model_in_units(const sar_model* model, const sari_units* u)
{
    conversion c = {.model = model, .u = u, .copy = SARI_NEW(sar_model)};
    if (!c.copy) return NULL;
    *c.copy = *model;
    copy_arrays(&c);
    if (c.failed)
        disown_expressions(c.copy);
    else
        convert_all(&c);
    sari_release(c.variable);
    if (!c.failed) return c.copy;
    sari_model_in_units_destroy(c.copy);
    return NULL;
}

static void destroy_forces(sar_model* copy, int number)
{
    const sari_force_type* type = sari_force_types[number];
    sari_force_list* list = &copy->forces[number];
    for (int k = 0; list->at && k < list->count; k++) {
        sari_force* force = &list->at[k];
        for (int i = 0; i < SARI_FORCE_TEXTS; i++) sari_expression_destroy(force->expression[i]);
        for (int i = 0; force->def && type->is.length && i < 2; i++)
            sari_release(*(double**)((char*)force->def + type->is.array[i]));
        sari_release(force->def);
    }
    sari_release(list->at);
}

void sari_model_in_units_destroy(sar_model* copy)
{
    if (!copy) return;
    for (int k = 0; copy->joints && k < copy->joints_count; k++)
        sari_expression_destroy(copy->joints[k].value);
    for (int type = 0; type < SARI_FORCE_TYPES; type++) destroy_forces(copy, type);
    for (int k = 0; copy->phases && k < copy->phases_count; k++) {
        sari_expression_destroy(copy->phases[k].when);
        sari_expression_destroy(copy->phases[k].provided);
    }
    for (int k = 0; copy->outputs && k < copy->outputs_count; k++) {
        sari_expression_destroy(copy->outputs[k].value);
        sari_expression_destroy(copy->outputs[k].over);
    }
    sari_release(copy->bodies);
    sari_release(copy->frames);
    sari_release(copy->joints);
    sari_release(copy->signals);
    sari_release(copy->phases);
    sari_release(copy->outputs);
    sari_release(copy->starts);
    sari_release(copy->held);
    sari_release(copy);
}
