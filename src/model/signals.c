/* The signals of bodies, joints, forces and energies: from their names to what they are. */
#include "base/memory.h"
#include "elements/element.h"
#include "model/parts.h"
#include "model/signal_names.h"

#include <stdio.h>

/// Levels above the rates, reactions and energies exist for outputs only, spins for these and for
/// constraints.
static bool check_use(const sari_query* q, sari_word w, const sari_signal* s, const char* what)
{
    const unsigned needed = s->level == 2 ? SARI_USE_ALL : sari_signal_types[s->kind].use;
    if (q->use & (SARI_USE_ALL | needed)) return true;
    if ((q->use & SARI_USE_REACTIONS) && sari_signal_is_reaction(s)) return true;
    if ((q->use & SARI_USE_ALONG) && needed == SARI_USE_RATES) {
        if (s->level == 0) return true;
        what = "a rate";
    }
    return sari_refuse_name(q, "\"%.*s\" is %s: %s", SARI_SHOW(w), what, q->limit);
}

static bool allow(const sari_query* q, sari_word w, const sari_signal* s)
{
    return check_use(q, w, s, sari_signal_types[s->kind].what);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static bool refuse_point(const sari_query* q, const sari_body* body, sari_word point)
{
    char hint[96];
    const char** words = SARI_NEW_ARRAY(const char*, body->points_count);
    for (int k = 0; words && k < body->points_count; k++) words[k] = body->points[k].name;
    sari_suggest_name(point, words, body->points_count, hint);
    sari_release((void*)words);
    return sari_refuse_name(q, "%s has no point \"%.*s\"%s", body->name, SARI_SHOW(point), hint);
}

static bool resolve_point(const sari_query* q, int body, sari_word point, sari_word component,
                          sari_signal* out)
{
    const sari_body* b = &q->model->bodies[body];
    char hint[96];
    *out = (sari_signal){.body = body, .joint = -1};
    const sar_body_id id = {body};
    const bool axis =
        sar_model_find_point(q->model, id, point.text, point.length, out->point) != SAR_OK;
    if (axis && sar_model_find_axis(q->model, id, point.text, point.length, out->point) != SAR_OK)
        return refuse_point(q, b, point);
    if (axis && !sari_find_word(SARI_OF_AXIS, component, 0, out))
        return sari_refuse_name(
            q, "the axis %s.%.*s has no \"%.*s\"%s; axes have x, y, z, vx, vy and vz", b->name,
            SARI_SHOW(point), SARI_SHOW(component),
            sari_suggest_word(q, SARI_OF_AXIS, component, hint));
    if (!axis && !sari_find_word(SARI_OF_POINT, component, 0, out))
        return sari_refuse_name(q,
                                "%s.%.*s has no \"%.*s\"%s; points have x, y, z, vx ... and ax ...",
                                b->name, SARI_SHOW(point), SARI_SHOW(component),
                                sari_suggest_word(q, SARI_OF_POINT, component, hint));
    if (q->model->dimension == 2 && out->component == 2)
        return sari_refuse_name(q, "this model is planar: there is no z");
    return allow(q, component, out);
}

/// No such word in a model of this dimension, or in none.
static bool refuse_body(const sari_query* q, const char* name, sari_word last, bool known)
{
    const bool planar = q->model->dimension == 2;
    char hint[96];
    if (known && planar)
        return sari_refuse_name(q, "this model is planar: use %s.rate for the angular velocity",
                                name);
    if (known)
        return sari_refuse_name(
            q, "a body has no %.*s in a spatial model; use that of a joint, or %s.wx ...",
            SARI_SHOW(last), name);
    if (last.length <= 2 && strchr("xyz", last.text[last.length - 1]))
        return sari_refuse_name(q, "name a point: %s.origin.%.*s", name, SARI_SHOW(last));
    return sari_refuse_name(q, "%s has no \"%.*s\"%s; bodies have %s, and their points x, y, ...",
                            name, SARI_SHOW(last), sari_suggest_word(q, SARI_OF_BODY, last, hint),
                            planar ? "angle and rate" : "wx, wy and wz, yaw, pitch and roll");
}

static bool resolve_body(const sari_query* q, int body, sari_word last, sari_signal* out)
{
    *out = (sari_signal){.body = body, .joint = -1};
    if (sari_find_rotation(q, last, out)) return allow(q, last, out);
    const bool known = sari_find_word(SARI_OF_BODY, last, 0, out);
    const int dimension = sari_signal_types[out->kind].dimension;
    if (!known || (dimension && dimension != q->model->dimension))
        return refuse_body(q, q->model->bodies[body].name, last, known);
    return allow(q, last, out);
}

/* ---- frames --------------------------------------------------------------------------------- */

/// FRAME.origin.x, FRAME.x.vy, FRAME.yaw: as of a body, with its own origin and axes.
static bool resolve_frame(const sari_query* q, int number, sari_word of, sari_word last,
                          sari_signal* out)
{
    const sari_frame* f = &q->model->frames[number];
    char hint[96];
    if (of.length == 0 && last.length > 0) {
        if (!resolve_body(q, f->body, last, out)) return false;
        out->own = number + 1;
        return true;
    }
    *out = (sari_signal){.body = f->body, .joint = -1};
    const bool axis = of.length == 1 && strchr("xyz", of.text[0]);
    if (!axis && !sari_word_is(of, "origin"))
        return sari_refuse_name(q, "the frame %s has no \"%.*s\": it has origin, x, y and z",
                                f->name, SARI_SHOW(of));
    if (!sari_find_word(axis ? SARI_OF_AXIS : SARI_OF_POINT, last, 0, out))
        return sari_refuse_name(
            q, "%s.%.*s has no \"%.*s\"%s", f->name, SARI_SHOW(of), SARI_SHOW(last),
            sari_suggest_word(q, axis ? SARI_OF_AXIS : SARI_OF_POINT, last, hint));
    if (axis)
        sari_frame_axis(f, of.text[0] - 'x', out->point);
    else
        memcpy(out->point, f->point, sizeof out->point);
    if (q->model->dimension == 2 && out->component == 2)
        return sari_refuse_name(q, "this model is planar: there is no z");
    return allow(q, last, out);
}

/* ---- joints --------------------------------------------------------------------------------- */

/// Coordinates that can be observed: those of sari_joint_has, and distances that are prescribed.
static bool shows(const sari_joint* joint, sar_coordinate coordinate)
{
    const sari_joint_type* type = sari_joint_type_of(joint);
    if (type) return sari_type_shows(type, coordinate);
    return coordinate == SAR_COORD_DISTANCE && sari_joint_ends(joint);
}

static bool resolve_reaction(const sari_query* q, const sari_joint* j, sari_word last,
                             sari_signal* out)
{
    const bool planar = q->model->dimension == 2, force = out->kind == SARI_SIGNAL_FORCE;
    if (j->relation && j->relation->nowhere)
        return sari_refuse_name(q, "\"%s\" is a %s, which acts at no one point: use %s.force",
                                j->name, j->relation->word, j->name);
    if (planar && force && out->component == 2)
        return sari_refuse_name(q, "this model is planar: there is no z");
    if (planar && !force && out->component != 2)
        return sari_refuse_name(q, "this model is planar: torques act about z; use \"tz\"");
    return allow(q, last, out);
}

/// What a drive exerts along the coordinate that it prescribes, or a constraint along what it
/// holds: one signal with two words.
static bool resolve_drive(const sari_query* q, const sari_joint* j, sari_word last,
                          sari_signal* out)
{
    const bool torque = out->component == 1;
    out->component = 0;
    if (!j->relation || !j->relation->force)
        return sari_refuse_name(
            q, "\"%s\" is a %s%s: only drives have a %.*s; reactions are fx, fy, ... tz", j->name,
            sari_joint_word(j), j->relation ? "" : " joint", SARI_SHOW(last));
    if (torque && (j->relation->nowhere || j->relation->is_length(q->model, j)))
        return sari_refuse_name(q, "\"%s\" %s: use %s.force", j->name, j->relation->no_torque,
                                j->name);
    return check_use(q, last, out, j->relation->force);
}

/// A coordinate or its rate. "speed" is a word of two: the joint has one of them.
static bool resolve_coordinate(const sari_query* q, const sari_joint* j, sari_word last,
                               sari_signal* out)
{
    char list[64];
    for (int kind = out->kind; sari_find_word(SARI_OF_JOINT, last, kind, out);
         kind = (int)out->kind + 1)
        if (shows(j, (sar_coordinate)sari_signal_types[out->kind].coordinate))
            return allow(q, last, out);
    return sari_refuse_name(q, "\"%s\" is a %s%s: it has no %.*s; it has %s", j->name,
                            sari_joint_word(j), j->relation ? "" : " joint", SARI_SHOW(last),
                            sari_list_coordinates(j, shows, list));
}

static bool resolve_joint(const sari_query* q, int joint, sari_word last, sari_signal* out)
{
    const sari_joint* j = &q->model->joints[joint];
    char hint[96];
    *out = (sari_signal){.body = -1, .joint = joint};
    if (!j->relation && sari_find_rotation(q, last, out)) {
        out->body = j->pair.b.body.i, out->frame = j->pair.a.body.i;
        return allow(q, last, out);
    }
    if (!sari_find_word(SARI_OF_JOINT, last, 0, out))
        return sari_refuse_name(q, "%s has no \"%.*s\"%s", j->name, SARI_SHOW(last),
                                sari_suggest_word(q, SARI_OF_JOINT, last, hint));
    if (out->kind == SARI_SIGNAL_DRIVE_WORK && !j->relation)
        return sari_refuse_name(
            q, "\"%s\" is a %s joint, which does no work; drives and forces have one", j->name,
            sari_joint_word(j));
    if (out->kind == SARI_SIGNAL_DRIVE) return resolve_drive(q, j, last, out);
    if (out->kind == SARI_SIGNAL_FORCE || out->kind == SARI_SIGNAL_TORQUE)
        return resolve_reaction(q, j, last, out);
    if (sari_signal_types[out->kind].coordinate != SARI_NO_COORDINATE)
        return resolve_coordinate(q, j, last, out);
    return allow(q, last, out);
}

/* ---- forces --------------------------------------------------------------------------------- */

static bool resolve_length(const sari_query* q, const sari_force_type* type,
                           const sari_force* force)
{
    const int joint = sari_force_joint(type, force->def);
    if (joint >= 0)
        return sari_refuse_name(q, "\"%s\" acts on a joint: use the signals of \"%s\"", force->name,
                                q->model->joints[joint].name);
    if (sari_force_along(type, force->def))
        return sari_refuse_name(q, "\"%s\" acts along %.60s: use that", force->name,
                                sari_force_along(type, force->def));
    return type->shows_length || sari_refuse_name(q, "\"%s\" has no length", force->name);
}

/// Along its line or its coordinate: in N, or in N m about an angle.
static bool resolve_along(const sari_query* q, const sari_force_type* type, const sari_force* force,
                          bool torque)
{
    if (sari_force_scalars(type, q->model->dimension) != 1)
        return sari_refuse_name(q, "\"%s\" acts along no line alone: use %s.fx ...", force->name,
                                force->name);
    if (torque == sari_force_turns(type, force->def)) return true;
    return sari_refuse_name(q, "\"%s\" acts %s: use %s.%s", force->name,
                            torque ? "along a length" : "about an angle", force->name,
                            torque ? "force" : "torque");
}

static bool resolve_component(const sari_query* q, const sari_signal* s)
{
    const bool torque = s->kind == SARI_SIGNAL_APPLIED_TORQUE;
    if (q->model->dimension == 3 || (s->component == 2) == torque) return true;
    return sari_refuse_name(q, torque ? "this model is planar: torques act about z; use \"tz\""
                                      : "this model is planar: there is no z");
}

/// What all forces have.
static bool resolve_force(const sari_query* q, int number, int force, sari_word last,
                          sari_signal* out)
{
    const sari_force_type* type = sari_force_types[number];
    const sari_force* f = &q->model->forces[number].at[force];
    char hint[96];
    *out = (sari_signal){.body = -1, .joint = -1, .type = number, .force = force};
    if (!sari_find_word(SARI_OF_FORCE, last, 0, out))
        return sari_refuse_name(
            q,
            "%s has no \"%.*s\"%s; forces have fx ... tz, power and work, springs also length "
            "and speed, force or torque",
            f->name, SARI_SHOW(last), sari_suggest_word(q, SARI_OF_FORCE, last, hint));
    if (out->kind == SARI_SIGNAL_LENGTH && !resolve_length(q, type, f)) return false;
    const bool torque = out->kind == SARI_SIGNAL_TORQUE_ALONG;
    if ((torque || out->kind == SARI_SIGNAL_FORCE_ALONG) && !resolve_along(q, type, f, torque))
        return false;
    if (sari_signal_types[out->kind].vector != SARI_VECTOR_NO && !resolve_component(q, out))
        return false;
    return allow(q, last, out);
}

/// Which of the numbers that the type of a force shows; -1: none.
static int find_shown(const sari_force_type* t, sari_word last)
{
    for (int k = 0; t->show && t->shown[k].word; k++)
        if (sari_word_is(last, t->shown[k].word)) return k;
    return -1;
}

/// What the type of a force says that it shows.
static bool resolve_shown(const sari_query* q, int type, int force, int k, sari_word last,
                          sari_signal* out)
{
    *out = (sari_signal){.kind = SARI_SIGNAL_SHOWN,
                         .level = 1,
                         .body = -1,
                         .joint = -1,
                         .component = k,
                         .type = type,
                         .force = force};
    return allow(q, last, out);
}

/* ---- states --------------------------------------------------------------------------------- */

/// The state itself, or its rate; it is a rate too, that of its integral.
static bool resolve_state(const sari_query* q, int type, int state, sari_word rest,
                          sari_signal* out)
{
    *out = (sari_signal){.body = -1, .joint = -1, .type = type, .force = state};
    const sari_word all = {q->model->forces[type].at[state].name,
                           strlen(q->model->forces[type].at[state].name)};
    char hint[96];
    if (rest.length > 0 && !sari_find_word(SARI_OF_STATE, rest, 0, out))
        return sari_refuse_name(q, "%s has no \"%.*s\"%s; a state has a rate", all.text,
                                SARI_SHOW(rest), sari_suggest_word(q, SARI_OF_STATE, rest, hint));
    if (rest.length == 0) out->kind = SARI_SIGNAL_STATE, out->level = 1;
    if (q->use & (SARI_USE_SPINS | SARI_USE_ALONG))
        return sari_refuse_name(q, "\"%s\" is a state: %s", all.text, q->limit);
    return allow(q, rest.length ? rest : all, out);
}

static bool is_state(const sari_part* part)
{
    return part && part->kind >= SARI_PART_FORCE &&
           sari_force_is_state(sari_force_types[part->kind - SARI_PART_FORCE]);
}

bool sari_model_is_state(const sar_model* model, const char* name, size_t length)
{
    return is_state(sari_model_find_part(model, name, length));
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool resolve_energy(const sari_query* q, sari_word last, sari_signal* out)
{
    char hint[96];
    *out = (sari_signal){.body = -1, .joint = -1};
    if (!sari_find_word(SARI_OF_ENERGY, last, 0, out))
        return sari_refuse_name(
            q,
            "there is no energy.%.*s%s; energies are kinetic, potential and total, and "
            "in runs integrator, projections, impacts, phases, jumps and corrections",
            SARI_SHOW(last), sari_suggest_word(q, SARI_OF_ENERGY, last, hint));
    return allow(q, last, out);
}

/// Neither a body nor a joint.
static bool refuse_head(const sari_query* q, sari_word head)
{
    const sar_model* m = q->model;
    char hint[96];
    const char* kind = sari_model_kind_of(m, head.text, head.length);
    if (kind)
        return sari_refuse_name(q, "\"%.*s\" is a %s: only bodies, joints and springs have signals",
                                SARI_SHOW(head), kind);
    int count = m->bodies_count + m->joints_count;
    const char** words = SARI_NEW_ARRAY(const char*, count + 1);
    for (int k = 0; words && k < m->bodies_count; k++) words[k] = m->bodies[k].name;
    for (int k = 0; words && k < m->joints_count; k++)
        words[m->bodies_count + k] = m->joints[k].name;
    if (words) words[count] = "energy";
    sari_suggest_name(head, words, count + 1, hint);
    sari_release((void*)words);
    return sari_refuse_name(q, "no body or joint is called \"%.*s\"%s", SARI_SHOW(head), hint);
}

static bool has_gap(sari_word name)
{
    for (size_t k = 0; k <= name.length; k++)
        if ((k == name.length || name.text[k] == '.') && (k == 0 || name.text[k - 1] == '.'))
            return true;
    return false;
}

/// What is before the first dot after the assemblies: "crank", "rear.left.arm".
static sari_word head_of(const sari_query* q, sari_word name)
{
    for (size_t k = 0; k < name.length; k++)
        if (name.text[k] == '.' &&
            sari_model_find_kind(q->model, SARI_PART_ASSEMBLY, name.text, k) < 0)
            return (sari_word){name.text, k};
    return name;
}

/// Where the last piece of `rest` begins, which is what comes after the dot of a head.
static size_t last_of(sari_word rest)
{
    size_t k = rest.length;
    while (k > 0 && rest.text[k - 1] != '.') k--;
    return k;
}

/// Points have no dots, but for those that assemblies add.
static bool is_point(const sari_query* q, sar_body_id body, sari_word point)
{
    double p[3];
    return !memchr(point.text, '.', point.length) ||
           sar_model_find_point(q->model, body, point.text, point.length, p) == SAR_OK;
}

static bool resolve(const sari_query* q, sari_word name, sari_signal* out)
{
    sar_body_id body;
    sar_joint_id joint;
    if (has_gap(name))
        return sari_refuse_name(q, "\"%.*s\" is not a signal: a name is missing at a dot",
                                SARI_SHOW(name));
    const sari_word head = head_of(q, name);
    const size_t after = head.length < name.length ? head.length + 1 : name.length;
    const sari_word rest = {name.text + after, name.length - after};
    const size_t last = last_of(rest);
    const sari_word component = {rest.text + last, rest.length - last};
    bool is_body = sar_model_find_body(q->model, head.text, head.length, &body) == SAR_OK;
    bool is_joint = sar_model_find_joint(q->model, head.text, head.length, &joint) == SAR_OK;
    bool is_energy = sari_word_is(head, "energy");
    const bool one = rest.length > 0 && last == 0;
    const sari_part* part = sari_model_find_part(q->model, head.text, head.length);
    const int force = part ? part->kind - SARI_PART_FORCE : -1;
    const sari_force_type* type = force >= 0 ? sari_force_types[force] : NULL;
    if (is_state(part)) return resolve_state(q, force, part->index, rest, out);
    if (part && part->kind == SARI_PART_FRAME) {
        const sari_word of = {rest.text, last ? last - 1 : 0};
        return resolve_frame(q, part->index, of, component, out);
    }
    if (type && one) {
        const int shown = find_shown(type, component);
        return shown >= 0 ? resolve_shown(q, force, part->index, shown, component, out)
                          : resolve_force(q, force, part->index, component, out);
    }
    if (!is_body && !is_joint && !is_energy) return refuse_head(q, head);
    if (is_body && last > 0 && is_point(q, body, (sari_word){rest.text, last - 1}))
        return resolve_point(q, body.i, (sari_word){rest.text, last - 1}, component, out);
    if (is_body && one) return resolve_body(q, body.i, component, out);
    if (is_joint && one) return resolve_joint(q, joint.i, component, out);
    if (is_energy && one) return resolve_energy(q, component, out);
    return sari_refuse_name(q, "\"%.*s\" is not a signal: write %s", SARI_SHOW(name),
                            is_body    ? "BODY.POINT.x, BODY.angle and the like"
                            : is_joint ? "JOINT.angle, JOINT.fx and the like"
                                       : "energy.kinetic, energy.potential or energy.total");
}

/// Whose numbers tell how a body is turned: @NAME means seen from there.
static bool is_orientation(sari_signal_kind kind)
{
    return kind == SARI_SIGNAL_TURN || kind == SARI_SIGNAL_ROTATION_VECTOR ||
           kind == SARI_SIGNAL_QUATERNION || kind == SARI_SIGNAL_BODY_ANGLE;
}

/// The body or the frame after @.
static bool find_axes(const sari_query* q, sari_word name, sari_signal* out)
{
    sar_body_id body;
    const int frame = sari_model_find_kind(q->model, SARI_PART_FRAME, name.text, name.length);
    out->axes = frame + 1;
    if (frame >= 0) out->frame = q->model->frames[frame].body;
    if (frame >= 0) return true;
    if (sar_model_find_body(q->model, name.text, name.length, &body) != SAR_OK)
        return sari_refuse_name(q, "\"%.*s\" after @ is no body and no frame", SARI_SHOW(name));
    out->frame = body.i;
    return true;
}

/// A.clearance@B: both have shapes.
static bool check_clearance(const sari_query* q, const sari_signal* s)
{
    const sari_body* bodies = q->model->bodies;
    if (s->axes || s->frame == s->body)
        return sari_refuse_name(q, "a clearance is between two bodies, as in %s.clearance@%s",
                                bodies[s->body].name, bodies[0].name);
    const int bare = bodies[s->body].shapes_count == 0 ? s->body : s->frame;
    if (bodies[bare].shapes_count > 0) return true;
    return sari_refuse_name(q, "%s has no shape: give it one for its distance from others",
                            bodies[bare].name);
}

bool sari_resolve_signal(const sari_query* q, sari_word name, sari_signal* out)
{
    const char* at = memchr(name.text, '@', name.length);
    const sari_word base = {name.text, at ? (size_t)(at - name.text) : name.length};
    if (!resolve(q, base, out)) return false;
    const bool gap = out->kind == SARI_SIGNAL_CLEARANCE;
    if (!at && gap)
        return sari_refuse_name(q, "\"%.*s\" from what? Write %.*s@BODY", SARI_SHOW(base),
                                SARI_SHOW(base));
    if (!at) return true;
    if (gap)
        return find_axes(q, (sari_word){at + 1, name.length - base.length - 1}, out) &&
               check_clearance(q, out);
    const bool turned = is_orientation(out->kind);
    if (turned && out->joint >= 0)
        return sari_refuse_name(q, "\"%.*s\" is seen from the joint's first body: it has no @",
                                SARI_SHOW(base));
    if (!turned && (sari_signal_types[out->kind].vector == SARI_VECTOR_NO ||
                    out->kind == SARI_SIGNAL_DIRECTION))
        return sari_refuse_name(q, "\"%.*s\" is no component of a vector: it has no @BODY",
                                SARI_SHOW(base));
    if (!find_axes(q, (sari_word){at + 1, name.length - base.length - 1}, out)) return false;
    if (turned) return true;
    const bool world = !out->frame && !out->axes;
    if ((q->use & SARI_USE_SPINS) && out->level > 0 && !world)
        return sari_refuse_name(q, "conditions can use positions @BODY only, rates in world axes");
    if (out->kind == SARI_SIGNAL_BODY_SPIN && !world && out->frame != out->body &&
        !(q->use & SARI_USE_ALL))
        return sari_refuse_name(
            q, "forces can use angular velocities in world axes, or in the body's own");
    return true;
}

static bool same_signal(const sari_signal* a, const sari_signal* b)
{
    return a->kind == b->kind && a->level == b->level && a->body == b->body &&
           a->joint == b->joint && a->component == b->component && a->type == b->type &&
           a->force == b->force && a->frame == b->frame && a->axes == b->axes && a->own == b->own &&
           a->point[0] == b->point[0] && a->point[1] == b->point[1] && a->point[2] == b->point[2];
}

/// The same for signals that same_signal cannot tell apart: adding zero makes one of the two zeros.
static unsigned signal_code(const sari_signal* s)
{
    const int whole[10] = {(int)s->kind, s->level, s->body,  s->joint, s->component,
                           s->force,     s->type,  s->frame, s->axes,  s->own};
    const double point[3] = {s->point[0] + 0.0, s->point[1] + 0.0, s->point[2] + 0.0};
    unsigned char bytes[sizeof whole + sizeof point];
    memcpy(bytes, whole, sizeof whole);
    memcpy(bytes + sizeof whole, point, sizeof point);
    return sari_hash_code(bytes, sizeof bytes);
}

int sari_add_signal(sar_model* model, const sari_signal* signal)
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

int sari_model_signal(sar_model* model, const char* name, unsigned use, const char* limit,
                      sar_error* error)
{
    char why[320] = "";
    const sari_query q = {model, use, limit, why, sizeof why};
    sari_signal signal;
    if (!sari_resolve_signal(&q, (sari_word){name, strlen(name)}, &signal)) {
        sari_fail(error, SAR_E_MODEL, NULL, "%s", why);
        return -1;
    }
    int index = sari_add_signal(model, &signal);
    if (index < 0) sari_out_of_memory(error);
    return index;
}
