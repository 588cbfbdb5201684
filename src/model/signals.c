/* Names in expressions: parameters, t, and the signals of bodies and joints. Outputs and starts. */
#include "base/memory.h"
#include "elements/element.h"
#include "model/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/// A piece of a dotted name; not zero-terminated.
typedef struct word {
    const char* text;
    size_t length;
} word;

#define SHOW(w) (int)((w).length < 63 ? (w).length : 63), (w).text // for "%.*s"

/// What a caller of the resolver gets back: a signal, or the reason why there is none such.
typedef struct query {
    const sar_model* model;
    unsigned use;
    const char* limit; ///< what this kind of expression can use, for messages
    char* why;
    size_t size;
} query;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(const query* q, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(q->why, q->size, format, args);
    va_end(args);
    return false;
}

static bool is(word w, const char* text)
{
    return sari_same_name(text, w.text, w.length);
}

/// ` (did you mean "..."?)`, or nothing.
static const char* suggest(word w, const char* const* words, int count, char hint[96])
{
    char text[SARI_NAME_LENGTH + 1];
    snprintf(text, sizeof text, "%.*s", SHOW(w));
    const char* near = words ? sari_nearest_word(text, words, count) : NULL;
    hint[0] = '\0';
    if (near) snprintf(hint, 96, " (did you mean \"%s\"?)", near);
    return hint;
}

/// Levels above the rates, reactions and energies exist for outputs only, spins for these and for
/// constraints.
static bool check_use(const query* q, word w, unsigned needed, const char* what)
{
    if ((q->use & SARI_USE_ALL) || needed == SARI_USE_RATES) return true;
    if (needed == SARI_USE_SPINS && (q->use & SARI_USE_SPINS)) return true;
    return refuse(q, "\"%.*s\" is %s: %s", SHOW(w), what, q->limit);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static bool refuse_point(const query* q, const sari_body* body, word point)
{
    char hint[96];
    const char** words = SARI_NEW_ARRAY(const char*, body->points_count);
    for (int k = 0; words && k < body->points_count; k++) words[k] = body->points[k].name;
    suggest(point, words, body->points_count, hint);
    sari_release((void*)words);
    return refuse(q, "%s has no point \"%.*s\"%s", body->name, SHOW(point), hint);
}

static bool resolve_point(const query* q, int body, word point, word component, sari_signal* out)
{
    static const char* const words[9] = {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"};
    const sari_body* b = &q->model->bodies[body];
    *out = (sari_signal){.kind = SARI_SIGNAL_POINT, .body = body, .joint = -1};
    if (sar_model_find_point(q->model, (sar_body_id){body}, point.text, point.length, out->point) !=
        SAR_OK)
        return refuse_point(q, b, point);
    int k = 0;
    while (k < 9 && !is(component, words[k])) k++;
    if (k == 9) {
        char hint[96];
        return refuse(q, "%s.%.*s has no \"%.*s\"%s; points have x, y, z, vx ... and ax ...",
                      b->name, SHOW(point), SHOW(component), suggest(component, words, 9, hint));
    }
    out->level = k / 3, out->component = k % 3;
    if (q->model->dimension == 2 && out->component == 2)
        return refuse(q, "this model is planar: there is no z");
    return check_use(q, component, k < 6 ? SARI_USE_RATES : SARI_USE_ALL, "an acceleration");
}

static bool resolve_body(const query* q, int body, word last, sari_signal* out)
{
    static const char* const words[] = {"angle", "rate", "wx", "wy", "wz"};
    const char* name = q->model->bodies[body].name;
    bool planar = q->model->dimension == 2;
    int k = 0;
    while (k < 5 && !is(last, words[k])) k++;
    if (k == 5 && last.length <= 2 && strchr("xyz", last.text[last.length - 1]))
        return refuse(q, "name a point: %s.origin.%.*s", name, SHOW(last));
    if (k == 5) {
        char hint[96];
        suggest(last, planar ? words : words + 2, planar ? 2 : 3, hint);
        return refuse(q, "%s has no \"%.*s\"%s; bodies have %s, and their points x, y, ...", name,
                      SHOW(last), hint, planar ? "angle and rate" : "wx, wy and wz");
    }
    if (k < 2 && !planar)
        return refuse(q, "a body has no %s in a spatial model; use that of a joint, or %s.wx ...",
                      words[k], name);
    if (k >= 2 && planar)
        return refuse(q, "this model is planar: use %s.rate for the angular velocity", name);
    *out = (sari_signal){.body = body, .joint = -1};
    out->kind = k < 2 ? SARI_SIGNAL_BODY_ANGLE : SARI_SIGNAL_BODY_SPIN;
    out->level = k < 2 ? k : 1;
    out->component = k < 2 ? 0 : k - 2;
    return check_use(q, last, k < 2 ? SARI_USE_RATES : SARI_USE_SPINS,
                     "a component of the angular velocity");
}

/* ---- joints --------------------------------------------------------------------------------- */

/// Coordinates that can be observed: those of sari_joint_has, and distances that are prescribed.
static bool shows(const sari_joint* joint, sar_coordinate coordinate)
{
    if (joint->kind == SARI_JOINT_DRIVE)
        return coordinate == SAR_COORD_DISTANCE && joint->drive.joint.i < 0;
    return joint->kind == SARI_JOINT_PAIR &&
           sari_type_shows(sari_type_of(&joint->pair), coordinate);
}

static bool resolve_reaction(const query* q, int joint, word last, int k, sari_signal* out)
{
    const sari_joint* j = &q->model->joints[joint];
    bool force = k < 3;
    if (j->kind == SARI_JOINT_CONSTRAINT)
        return refuse(q, "\"%s\" is a constraint, which acts at no one point: use %s.force",
                      j->name, j->name);
    *out = (sari_signal){.body = -1, .joint = joint, .component = k % 3};
    out->kind = force ? SARI_SIGNAL_FORCE : SARI_SIGNAL_TORQUE;
    if (q->model->dimension == 2 && k == 2) return refuse(q, "this model is planar: there is no z");
    if (q->model->dimension == 2 && !force && out->component != 2)
        return refuse(q, "this model is planar: torques act about z; use \"tz\"");
    return check_use(q, last, SARI_USE_ALL, "a reaction");
}

/// What a drive exerts along the coordinate that it prescribes, or a constraint along what it
/// holds.
static bool resolve_drive(const query* q, int joint, word last, sari_signal* out)
{
    const sari_joint* j = &q->model->joints[joint];
    *out = (sari_signal){.kind = SARI_SIGNAL_DRIVE, .body = -1, .joint = joint};
    if (j->kind == SARI_JOINT_CONSTRAINT && is(last, "torque"))
        return refuse(q, "\"%s\" is a constraint: use %s.force", j->name, j->name);
    if (j->kind == SARI_JOINT_CONSTRAINT)
        return check_use(q, last, SARI_USE_ALL, "the force of a constraint");
    if (j->kind != SARI_JOINT_DRIVE)
        return refuse(q, "\"%s\" is a %s%s: only drives have a %.*s; reactions are fx, fy, ... tz",
                      j->name, sari_joint_word(j), j->kind == SARI_JOINT_PAIR ? " joint" : "",
                      SHOW(last));
    const bool turns =
        j->drive.coordinate == SAR_COORD_ANGLE || j->drive.coordinate == SAR_COORD_ANGLE_2;
    if (is(last, "torque") && !turns)
        return refuse(q, "\"%s\" drives a length: use %s.force", j->name, j->name);
    return check_use(q, last, SARI_USE_ALL, "the force of a drive");
}

static bool resolve_joint(const query* q, int joint, word last, sari_signal* out)
{
    static const char* const words[] = {
        "angle",  "rate", "displacement", "speed", "distance", "angle2", "rate2", "displacement2",
        "speed2", "fx",   "fy",           "fz",    "tx",       "ty",     "tz",    "force",
        "torque"};
    enum { COORDINATES = 9, DRIVE = 15, WORDS = 17 };
    static const struct {
        sar_coordinate coordinate;
        sari_signal_kind kind;
        int level;
    } means[COORDINATES] = {{SAR_COORD_ANGLE, SARI_SIGNAL_ANGLE, 0},
                            {SAR_COORD_ANGLE, SARI_SIGNAL_ANGLE, 1},
                            {SAR_COORD_DISPLACEMENT, SARI_SIGNAL_DISPLACEMENT, 0},
                            {SAR_COORD_DISPLACEMENT, SARI_SIGNAL_DISPLACEMENT, 1},
                            {SAR_COORD_DISTANCE, SARI_SIGNAL_DISTANCE, 0},
                            {SAR_COORD_ANGLE_2, SARI_SIGNAL_ANGLE_2, 0},
                            {SAR_COORD_ANGLE_2, SARI_SIGNAL_ANGLE_2, 1},
                            {SAR_COORD_DISPLACEMENT_2, SARI_SIGNAL_DISPLACEMENT_2, 0},
                            {SAR_COORD_DISPLACEMENT_2, SARI_SIGNAL_DISPLACEMENT_2, 1}};
    const sari_joint* j = &q->model->joints[joint];
    char hint[96], list[64];
    int k = 0;
    while (k < WORDS && !is(last, words[k])) k++;
    if (k == WORDS)
        return refuse(q, "%s has no \"%.*s\"%s", j->name, SHOW(last),
                      suggest(last, words, WORDS, hint));
    if (k >= DRIVE) return resolve_drive(q, joint, last, out);
    if (k >= COORDINATES) return resolve_reaction(q, joint, last, k - COORDINATES, out);
    *out =
        (sari_signal){.kind = means[k].kind, .level = means[k].level, .body = -1, .joint = joint};
    if (shows(j, means[k].coordinate)) return true;
    if (is(last, "speed") && shows(j, SAR_COORD_DISTANCE)) {
        out->kind = SARI_SIGNAL_DISTANCE;
        return true;
    }
    return refuse(q, "\"%s\" is a %s%s: it has no %s; it has %s", j->name, sari_joint_word(j),
                  j->kind == SARI_JOINT_PAIR ? " joint" : "", words[k],
                  sari_list_coordinates(j, shows, list));
}

/* ---- springs -------------------------------------------------------------------------------- */

static bool resolve_length(const query* q, int type, int force, word last, sari_signal* out)
{
    static const char* const words[] = {"length", "speed"};
    const sari_force* s = &q->model->forces[type].at[force];
    const int joint = sari_force_joint(sari_force_types[type], s->def);
    char hint[96];
    if (joint >= 0)
        return refuse(q, "\"%s\" acts on a joint: use the signals of \"%s\"", s->name,
                      q->model->joints[joint].name);
    int k = is(last, words[0]) ? 0 : is(last, words[1]) ? 1 : 2;
    if (k == 2)
        return refuse(q, "%s has no \"%.*s\"%s; springs have length and speed", s->name, SHOW(last),
                      suggest(last, words, 2, hint));
    *out = (sari_signal){.kind = SARI_SIGNAL_LENGTH,
                         .level = k,
                         .body = -1,
                         .joint = -1,
                         .type = type,
                         .force = force};
    return true;
}

/// What the type of a force says that it shows.
static bool resolve_shown(const query* q, int type, int force, word last, sari_signal* out)
{
    const sari_force_type* t = sari_force_types[type];
    const char* words[SARI_FORCE_SHOWN];
    int count = 0, k = 0;
    char hint[96];
    for (; t->shown[count].word; count++) words[count] = t->shown[count].word;
    while (k < count && !is(last, words[k])) k++;
    if (k == count)
        return refuse(q, "%s has no \"%.*s\"%s; a %s shows %s, %s ...",
                      q->model->forces[type].at[force].name, SHOW(last),
                      suggest(last, words, count, hint), t->word[0].word, words[0], words[1]);
    *out = (sari_signal){.kind = SARI_SIGNAL_SHOWN,
                         .level = 1,
                         .body = -1,
                         .joint = -1,
                         .component = k,
                         .type = type,
                         .force = force};
    return check_use(q, last, SARI_USE_ALL, "what a force does");
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool resolve_energy(const query* q, word last, sari_signal* out)
{
    static const char* const words[] = {"kinetic", "potential", "total"};
    char hint[96];
    *out = (sari_signal){.kind = SARI_SIGNAL_ENERGY, .body = -1, .joint = -1};
    while (out->component < 3 && !is(last, words[out->component])) out->component++;
    if (out->component == 3)
        return refuse(q, "there is no energy.%.*s%s; energies are kinetic, potential and total",
                      SHOW(last), suggest(last, words, 3, hint));
    return check_use(q, last, SARI_USE_ALL, "an energy");
}

/// Neither a body nor a joint.
static bool refuse_head(const query* q, word head)
{
    const sar_model* m = q->model;
    char hint[96];
    const char* kind = sari_model_kind_of(m, head.text, head.length);
    if (kind)
        return refuse(q, "\"%.*s\" is a %s: only bodies, joints and springs have signals",
                      SHOW(head), kind);
    int count = m->bodies_count + m->joints_count;
    const char** words = SARI_NEW_ARRAY(const char*, count + 1);
    for (int k = 0; words && k < m->bodies_count; k++) words[k] = m->bodies[k].name;
    for (int k = 0; words && k < m->joints_count; k++)
        words[m->bodies_count + k] = m->joints[k].name;
    if (words) words[count] = "energy";
    suggest(head, words, count + 1, hint);
    sari_release((void*)words);
    return refuse(q, "no body or joint is called \"%.*s\"%s", SHOW(head), hint);
}

static bool has_gap(word name)
{
    for (size_t k = 0; k <= name.length; k++)
        if ((k == name.length || name.text[k] == '.') && (k == 0 || name.text[k - 1] == '.'))
            return true;
    return false;
}

/// What is before the first dot after the assemblies: "crank", "rear.left.arm".
static word head_of(const query* q, word name)
{
    for (size_t k = 0; k < name.length; k++)
        if (name.text[k] == '.' &&
            sari_model_find_kind(q->model, SARI_PART_ASSEMBLY, name.text, k) < 0)
            return (word){name.text, k};
    return name;
}

/// Where the last piece of `rest` begins, which is what comes after the dot of a head.
static size_t last_of(word rest)
{
    size_t k = rest.length;
    while (k > 0 && rest.text[k - 1] != '.') k--;
    return k;
}

/// Points have no dots, but for those that assemblies add.
static bool is_point(const query* q, sar_body_id body, word point)
{
    double p[3];
    return !memchr(point.text, '.', point.length) ||
           sar_model_find_point(q->model, body, point.text, point.length, p) == SAR_OK;
}

static bool resolve(const query* q, word name, sari_signal* out)
{
    sar_body_id body;
    sar_joint_id joint;
    if (has_gap(name))
        return refuse(q, "\"%.*s\" is not a signal: a name is missing at a dot", SHOW(name));
    const word head = head_of(q, name);
    const size_t after = head.length < name.length ? head.length + 1 : name.length;
    const word rest = {name.text + after, name.length - after};
    const size_t last = last_of(rest);
    const word component = {rest.text + last, rest.length - last};
    bool is_body = sar_model_find_body(q->model, head.text, head.length, &body) == SAR_OK;
    bool is_joint = sar_model_find_joint(q->model, head.text, head.length, &joint) == SAR_OK;
    bool is_energy = is(head, "energy");
    const bool one = rest.length > 0 && last == 0;
    const sari_part* part = sari_model_find_part(q->model, head.text, head.length);
    const int force = part ? part->kind - SARI_PART_FORCE : -1;
    if (force >= 0 && sari_force_types[force]->shows_length && one)
        return resolve_length(q, force, part->index, component, out);
    if (force >= 0 && sari_force_types[force]->show && one)
        return resolve_shown(q, force, part->index, component, out);
    if (!is_body && !is_joint && !is_energy) return refuse_head(q, head);
    if (is_body && last > 0 && is_point(q, body, (word){rest.text, last - 1}))
        return resolve_point(q, body.i, (word){rest.text, last - 1}, component, out);
    if (is_body && one) return resolve_body(q, body.i, component, out);
    if (is_joint && one) return resolve_joint(q, joint.i, component, out);
    if (is_energy && one) return resolve_energy(q, component, out);
    return refuse(q, "\"%.*s\" is not a signal: write %s", SHOW(name),
                  is_body    ? "BODY.POINT.x, BODY.angle and the like"
                  : is_joint ? "JOINT.angle, JOINT.fx and the like"
                             : "energy.kinetic, energy.potential or energy.total");
}

static bool same_signal(const sari_signal* a, const sari_signal* b)
{
    return a->kind == b->kind && a->level == b->level && a->body == b->body &&
           a->joint == b->joint && a->component == b->component && a->type == b->type &&
           a->force == b->force && a->point[0] == b->point[0] && a->point[1] == b->point[1] &&
           a->point[2] == b->point[2];
}

/// The same for signals that same_signal cannot tell apart: adding zero makes one of the two zeros.
static unsigned signal_code(const sari_signal* s)
{
    const int whole[7] = {(int)s->kind, s->level, s->body, s->joint,
                          s->component, s->force, s->type};
    const double point[3] = {s->point[0] + 0.0, s->point[1] + 0.0, s->point[2] + 0.0};
    unsigned char bytes[sizeof whole + sizeof point];
    memcpy(bytes, whole, sizeof whole);
    memcpy(bytes + sizeof whole, point, sizeof point);
    return sari_hash_code(bytes, sizeof bytes);
}

/// Index of the signal in the model; negative when out of memory.
static int add_signal(sar_model* model, const sari_signal* signal)
{
    sari_hash* hash = &model->signals_by_meaning;
    const unsigned code = signal_code(signal);
    for (int k = sari_hash_first(hash, code); k >= 0; k = sari_hash_next(hash, k))
        if (same_signal(&model->signals[k], signal)) return k;
    void* signals = model->signals;
    bool grown =
        sari_grow(&signals, model->signals_count, &model->signals_capacity, sizeof(sari_signal));
    model->signals = signals;
    if (!grown || !sari_hash_add(hash, code)) return -1;
    model->signals[model->signals_count] = *signal;
    return model->signals_count++;
}

void sari_model_forget_signals(sar_model* model, int count)
{
    sari_hash_cut(&model->signals_by_meaning, count);
    model->signals_count = count;
}

static const char* limit_of(unsigned use)
{
    if (use & SARI_USE_CURVE) return "curves can use s and parameters only";
    if (use & SARI_USE_PLACE) return "roads can use x, t and parameters only";
    if (use & SARI_USE_GROUND) return "roads can use x, y, t and parameters only";
    if (use & SARI_USE_SPINS) return "constraints can use positions and rates only";
    return use ? "forces and phases can use positions and rates only"
               : "drives can use t and parameters only";
}

static int find_signal(sar_model* model, word name, unsigned use, const char* limit,
                       sar_error* error)
{
    char why[320] = "";
    const query q = {model, use, limit, why, sizeof why};
    sari_signal signal;
    if (!resolve(&q, name, &signal)) {
        sari_fail(error, SAR_E_MODEL, NULL, "%s", why);
        return -1;
    }
    int index = add_signal(model, &signal);
    if (index < 0) sari_out_of_memory(error);
    return index;
}

int sari_model_signal(sar_model* model, const char* name, size_t length, unsigned use,
                      sar_error* error)
{
    return find_signal(model, (word){name, length}, use, limit_of(use), error);
}

/* ---- expressions ---------------------------------------------------------------------------- */

typedef struct lookup {
    sar_model* model;
    unsigned use;
    bool out_of_memory;
} lookup;

static int refuse_plain(const query* q, word name)
{
    const sar_model* m = q->model;
    const char* kind = sari_model_kind_of(m, name.text, name.length);
    char hint[96];
    if (is(name, "x") || is(name, "v"))
        refuse(q, "x and v, the length and its rate, exist in the expressions of springs only");
    else if (kind || is(name, "energy"))
        refuse(q, "\"%.*s\" is %s%s, not a number: name one of its signals, such as %.*s.%s",
               SHOW(name), kind ? "a " : "", kind ? kind : "all energies", SHOW(name),
               !kind                       ? "total"
               : strcmp(kind, "body") == 0 ? "origin.x"
                                           : "angle");
    else {
        const char** words = SARI_NEW_ARRAY(const char*, m->parameters_count + 1);
        for (int k = 0; words && k < m->parameters_count; k++) words[k] = m->parameters[k].name;
        suggest(name, words, m->parameters_count, hint);
        sari_release((void*)words);
        refuse(q, "no parameter is called \"%.*s\"%s", SHOW(name), hint);
    }
    return SARI_NAME_UNKNOWN;
}

/// A name without a dot.
static int look_up_plain(const query* q, word name, double* constant)
{
    if ((q->use & SARI_USE_CURVE) && is(name, "s")) return SARI_VARIABLE_X;
    if ((q->use & SARI_USE_CURVE) && is(name, "t")) {
        refuse(q, "a curve does not depend on t: %s", q->limit);
        return SARI_NAME_UNKNOWN;
    }
    if (is(name, "t")) return SARI_VARIABLE_T;
    if ((q->use & (SARI_USE_SPRING | SARI_USE_PLACE | SARI_USE_GROUND)) && is(name, "x"))
        return SARI_VARIABLE_X;
    if ((q->use & SARI_USE_GROUND) && is(name, "y")) return SARI_VARIABLE_V;
    if ((q->use & SARI_USE_SPRING) && is(name, "v")) return SARI_VARIABLE_V;
    int parameter = sari_model_find_parameter(q->model, name.text, name.length);
    if (parameter < 0) return refuse_plain(q, name);
    *constant = q->model->parameters[parameter].value;
    return SARI_NAME_CONSTANT;
}

static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    lookup* l = context;
    const word w = {name, length};
    const query q = {l->model, l->use, limit_of(l->use), why, size};
    sari_signal signal;
    const int parameter = sari_model_find_parameter(l->model, name, length); // of an assembly
    if (!memchr(name, '.', length)) return look_up_plain(&q, w, constant);
    if (parameter >= 0) {
        *constant = l->model->parameters[parameter].value;
        return SARI_NAME_CONSTANT;
    }
    if (!(l->use & (SARI_USE_RATES | SARI_USE_ALL))) {
        refuse(&q, "\"%.*s\" is a signal: %s", SHOW(w), q.limit);
        return SARI_NAME_UNKNOWN;
    }
    if (!resolve(&q, w, &signal)) return SARI_NAME_UNKNOWN;
    int index = add_signal(l->model, &signal);
    if (index < 0) l->out_of_memory = true;
    return index < 0 ? SARI_NAME_UNKNOWN : SARI_VARIABLE_SIGNAL + index;
}

sar_status sari_model_compile(sar_model* model, const char* text, unsigned use, const char* field,
                              sari_expression** out, sar_error* error)
{
    lookup context = {.model = model, .use = use};
    int signals = model->signals_count;
    *out = NULL;
    if (!text || !text[0]) return sari_fail(error, SAR_E_MODEL, field, "the expression is missing");
    const sari_table_list tables = sari_model_tables(model);
    sar_status status = sari_expression_compile_with(text, look_up, &context, &tables, out, error);
    const int* used;
    if (status == SAR_OK && !(use & SARI_USE_ALL) &&
        sari_expression_variables(*out, &used) > SARI_FORCE_VARIABLES) {
        sari_expression_destroy(*out);
        *out = NULL;
        status = sari_fail(
            error, SAR_E_MODEL, field, "the expression uses more than %d positions and rates%s",
            SARI_FORCE_VARIABLES, use & SARI_USE_SPINS ? "" : "; split the force into several");
    }
    if (status == SAR_OK) return SAR_OK;
    sari_model_forget_signals(model, signals);
    if (context.out_of_memory) return sari_out_of_memory(error);
    if (error && status != SAR_E_NOMEM) snprintf(error->field, sizeof error->field, "%s", field);
    return status;
}

/* ---- outputs and starts --------------------------------------------------------------------- */

static sar_status check_output_name(const sar_model* model, const char* name, sar_error* error)
{
    SARI_TRY(sari_check_spelling(model, name, error));
    if (strcmp(name, "time") == 0)
        return sari_fail(error, SAR_E_MODEL, "name",
                         "results have a column \"time\" already; choose another name");
    // Forces cannot use outputs: one that means another number there would be used in silence.
    static const char* const reserved[] = {"t", "pi", "e", "inf"};
    SARI_TRY(sari_check_reserved(name, "output", reserved, 4, error));
    const sari_hash* hash = &model->outputs_by_name;
    for (int k = sari_hash_first(hash, sari_name_code(name, strlen(name))); k >= 0;
         k = sari_hash_next(hash, k))
        if (strcmp(model->outputs[k].name, name) == 0)
            return sari_fail(error, SAR_E_MODEL, "name", "there is an output \"%s\" already", name);
    return SAR_OK;
}

static sar_status add_output(sar_model* model, const char* name, const char* expression,
                             unsigned use, sari_output output, sar_error* error)
{
    int signals = model->signals_count;
    sar_status st = check_output_name(model, name, error);
    if (st == SAR_OK)
        st = sari_model_compile(model, expression, use, "expression", &output.value, error);
    if (st != SAR_OK) {
        sari_expression_destroy(output.over);
        return st;
    }
    void* outputs = model->outputs;
    bool grown =
        sari_grow(&outputs, model->outputs_count, &model->outputs_capacity, sizeof(sari_output));
    model->outputs = outputs;
    output.name = grown ? sari_copy_string(name) : NULL;
    output.text = output.name ? sari_copy_string(expression) : NULL;
    const unsigned code = sari_name_code(name, strlen(name));
    if (!output.text || !sari_hash_add(&model->outputs_by_name, code)) {
        sari_release(output.name);
        sari_release(output.text);
        sari_expression_destroy(output.value);
        sari_expression_destroy(output.over);
        sari_model_forget_signals(model, signals);
        return sari_out_of_memory(error);
    }
    model->outputs[model->outputs_count++] = output;
    return SAR_OK;
}

sar_status sar_model_add_output(sar_model* model, const char* name, const char* expression,
                                sar_error* error)
{
    return add_output(model, name, expression, SARI_USE_RATES | SARI_USE_ALL, (sari_output){0},
                      error);
}

sar_status sar_model_add_integral(sar_model* model, const char* name, const char* expression,
                                  const char* over, sar_error* error)
{
    sari_output output = {.integral = 1};
    int signals = model->signals_count;
    if (over)
        SARI_TRY(sari_model_compile(model, over, SARI_USE_RATES, "over", &output.over, error));
    sar_status st = add_output(model, name, expression, SARI_USE_RATES, output, error);
    if (st != SAR_OK) sari_model_forget_signals(model, signals);
    return st;
}

static sar_status check_start(const sar_model* model, int signal, const char* name,
                              sar_error* error)
{
    if (model->signals[signal].body == SAR_GROUND.i)
        return sari_fail(error, SAR_E_MODEL, "signal",
                         "\"%s\" is on the ground, which does not move", name);
    for (int k = 0; model->signals[signal].starts && k < model->starts_count; k++)
        if (model->starts[k].signal == signal)
            return sari_fail(error, SAR_E_MODEL, "signal",
                             "\"%s\" has a start value already, given for \"%s\"", name,
                             model->starts[k].name);
    return SAR_OK;
}

static sar_status store_start(sar_model* model, int signal, const char* name, double value,
                              sar_error* error)
{
    SARI_TRY(check_start(model, signal, name, error));
    void* starts = model->starts;
    bool grown =
        sari_grow(&starts, model->starts_count, &model->starts_capacity, sizeof(sari_start));
    model->starts = starts;
    char* copy = grown ? sari_copy_string(name) : NULL;
    if (!copy) return sari_out_of_memory(error);
    model->starts[model->starts_count++] =
        (sari_start){.name = copy, .signal = signal, .value = value};
    model->signals[signal].starts = 1;
    return SAR_OK;
}

sar_status sar_model_add_start(sar_model* model, const char* signal, double value, sar_error* error)
{
    sar_error local = {0};
    int signals = model->signals_count;
    if (!signal || !signal[0])
        return sari_fail(error, SAR_E_MODEL, "signal", "the name of the signal is missing");
    SARI_TRY(sari_check_numbers(&value, 1, "value", error));
    int index = find_signal(model, (word){signal, strlen(signal)}, SARI_USE_RATES,
                            "a start can demand positions and rates only", &local);
    if (index < 0)
        return sari_fail(error, local.status, local.status == SAR_E_NOMEM ? NULL : "signal", "%s",
                         local.message);
    sar_status status = store_start(model, index, signal, value, error);
    if (status != SAR_OK) sari_model_forget_signals(model, signals);
    return status;
}

/* ---- units ---------------------------------------------------------------------------------- */

static const char* signal_unit(const sari_signal* signal)
{
    static const char* const lengths[] = {"m", "m/s", "m/s^2"};
    static const char* const angles[] = {"rad", "rad/s", "rad/s^2"};
    switch (signal->kind) {
    case SARI_SIGNAL_POINT:
    case SARI_SIGNAL_DISPLACEMENT:
    case SARI_SIGNAL_DISPLACEMENT_2:
    case SARI_SIGNAL_DISTANCE:
    case SARI_SIGNAL_LENGTH:
        return lengths[signal->level];
    case SARI_SIGNAL_BODY_ANGLE:
    case SARI_SIGNAL_BODY_SPIN:
    case SARI_SIGNAL_ANGLE:
    case SARI_SIGNAL_ANGLE_2:
        return angles[signal->level];
    case SARI_SIGNAL_FORCE:
        return "N";
    case SARI_SIGNAL_TORQUE:
        return "N m";
    case SARI_SIGNAL_ENERGY:
        return "J";
    case SARI_SIGNAL_SHOWN:
        return sari_force_types[signal->type]->shown[signal->component].unit;
    case SARI_SIGNAL_DRIVE: // along a length or an angle
        break;
    }
    return "";
}

const char* sar_model_output_unit(const sar_model* model, int output)
{
    const int* used;
    const sari_output* o = &model->outputs[output];
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    if (output < 0 || output >= model->outputs_count || o->integral) return "";
    if (sari_expression_variables(o->value, &used) != 1 || used[0] < SARI_VARIABLE_SIGNAL ||
        o->text[strspn(o->text, name)])
        return "";
    return signal_unit(&model->signals[used[0] - SARI_VARIABLE_SIGNAL]);
}

int sar_model_starts(const sar_model* model)
{
    return model->starts_count;
}

const char* sar_model_start_name(const sar_model* model, int start)
{
    return model->starts[start].name;
}

const char* sar_model_start_unit(const sar_model* model, int start)
{
    return signal_unit(&model->signals[model->starts[start].signal]);
}

double sar_model_start_value(const sar_model* model, int start)
{
    return model->starts[start].value;
}

void sar_model_set_start(sar_model* model, int start, double value)
{
    model->starts[start].value = value;
}
