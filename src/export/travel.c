/* What acts along the motions of a robot file: limits, springs, dampers, friction, motors, joints that follow others. */
#include "export/robot_file.h"

#include "base/status.h"
#include "model/parts.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PER_FORCE = 2 }; ///< sites

/* ---- where coordinates are ------------------------------------------------------------------ */

/* Of a coordinate that some force or bound uses. */
static double value_now(const sari_robot_file* f, int joint, sar_coordinate coordinate)
{
    const double ROUNDING = 1e-14; // of a radian, or of the size of the bodies
    const sari_units* u = &f->simulation->units;
    const sari_system* now = f->simulation->system;
    const sari_mechanism* m = now->mechanism;
    double value = 0.0;
    for (int k = 0; k < m->scalars_count; k++)
        if (m->scalars[k].joint == joint && m->scalars[k].coordinate == coordinate)
            value = sari_scalar_value_of(now->kinematics, k);
    return fabs(value) > ROUNDING ? value * sari_unit_of_coordinate(u, coordinate) : 0.0;
}

static void limit(sari_export_travel* t, double lower, double upper)
{
    t->lower = fmax(t->lower, lower);
    t->upper = fmin(t->upper, upper);
}

/* ---- forces --------------------------------------------------------------------------------- */

static void leave(sari_robot_file* f, const char* what, const char* name)
{
    sari_text_put(&f->left_out, "%s %s\n", what, name);
}

/* On a coordinate: springs of joints are MJCF's alone. */
static void add_to_travel(sari_robot_file* f, const char* name, const sari_force_summary* s,
                          int link, double zero)
{
    sari_export_travel* t = &f->link[link].travel;
    const bool springs = f->format == SAR_ROBOT_MJCF;
    limit(t, s->lower - zero, s->upper - zero);
    t->damping += s->damping;
    t->friction += s->friction;
    if (s->stiffness != 0.0 && !springs) leave(f, "stiffness of", name);
    if (s->stiffness == 0.0 || !springs) return;
    const double sum = t->stiffness + s->stiffness;
    t->rest = (t->stiffness * t->rest + s->stiffness * (s->rest - zero)) / sum;
    t->stiffness = sum;
}

static int add_site(sari_robot_file* f, const char* name, const char* mark, int body,
                    const sari_pose* in)
{
    sari_export_site* site = &f->site[f->sites];
    snprintf(site->name, sizeof site->name, "%s%s", name, mark);
    site->link = f->link_of_body[body];
    site->at = sari_export_place(f, body, in);
    return f->sites++;
}

/* Between two points, of which MJCF makes sites. */
static void add_line(sari_robot_file* f, const char* name, const sar_end* ends, bool rod,
                     double length, double stiffness, double damping)
{
    static const char* const marks[] = {"_a", "_b"};
    sari_export_line* line = &f->line[f->lines++];
    *line = (sari_export_line){name, .length = length, .stiffness = stiffness, .damping = damping,
                               .rod = rod};
    for (int k = 0; k < 2; k++) {
        const sari_pose in = sari_pose_shift(ends[k].point);
        sari_pose at = sari_export_place(f, ends[k].body.i, &in);
        line->link[k] = f->link_of_body[ends[k].body.i];
        memcpy(line->point[k], at.p, sizeof at.p);
        if (f->format == SAR_ROBOT_MJCF) (void)add_site(f, name, marks[k], ends[k].body.i, &in);
    }
}

/* True: the format says what it pushes with. URDF knows an input that is the force itself. */
static bool add_motor(sari_robot_file* f, const sari_force* force, int link, double zero)
{
    sari_export_motor* motor = &f->motor[f->motors];
    if (!sari_export_motor_law(f->model, force->expression[0], zero, motor)) return false;
    motor->name = force->name;
    motor->link = link;
    const bool plain = motor->bias[0] == 0.0 && motor->bias[1] == 0.0 && motor->bias[2] == 0.0;
    if (f->format == SAR_ROBOT_URDF && (!plain || !link)) return false;
    const double most =
        fmin(fmax(fabs(motor->force[0]), fabs(motor->force[1])),
             fabs(motor->gain) * fmax(fabs(motor->control[0]), fabs(motor->control[1])));
    if (isfinite(most)) f->link[link].travel.effort += most;
    f->motors++;
    return true;
}

/* True: the format can say it. */
static bool add_force(sari_robot_file* f, const sari_force_type* type, const sari_force* force)
{
    sari_force_summary s = {.lower = -INFINITY, .upper = INFINITY};
    const int joint = sari_force_joint(type, force->def);
    const sar_end* ends = sari_force_ends(type, force->def);
    if (force->absent || !type->summarise || !type->summarise(force->def, &s)) return false;
    if (sari_force_along(type, force->def)) return false;
    if (joint >= 0) {
        const sar_coordinate c =
            *(const sar_coordinate*)((const char*)force->def + type->is.coordinate);
        const int link = sari_export_find_motion(f, joint, c);
        const double zero = value_now(f, joint, c);
        if (!link || (s.pushes && !add_motor(f, force, link, zero))) return false;
        add_to_travel(f, force->name, &s, link, zero);
    } else if (ends && s.pushes) {
        if (f->format != SAR_ROBOT_MJCF || !add_motor(f, force, 0, 0.0)) return false;
        add_line(f, force->name, ends, false, 0.0, 0.0, 0.0);
    } else if (ends) {
        add_line(f, force->name, ends, false, s.rest, s.stiffness, s.damping);
    } else {
        return false;
    }
    if (s.beyond) sari_text_put(&f->left_out, "%s of %s\n", s.beyond, force->name);
    return true;
}

static void add_forces(sari_robot_file* f)
{
    for (int k = 0; k < sar_model_forces(f->model); k++) {
        int type;
        const sari_force* force = sari_model_force(f->model, k, &type);
        if (!add_force(f, sari_force_types[type], force)) leave(f, "force", force->name);
    }
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* A bound of a coordinate itself is a limit. */
static bool add_bound(sari_robot_file* f, const sari_joint* bound)
{
    const int* used;
    if (!bound->bounded || bound->absent || !sari_expression_is_variable(bound->value))
        return false;
    (void)sari_expression_variables(bound->value, &used);
    const sari_signal* s = &f->model->signals[used[0] - SARI_VARIABLE_SIGNAL];
    const int c = sari_signal_types[s->kind].coordinate;
    if (used[0] < SARI_VARIABLE_SIGNAL || c == SARI_NO_COORDINATE || s->level) return false;
    const int link = sari_export_find_motion(f, s->joint, (sar_coordinate)c);
    if (!link) return false;
    const double zero = value_now(f, s->joint, (sar_coordinate)c);
    limit(&f->link[link].travel, bound->lower - zero, bound->upper - zero);
    leave(f, "restitution of", bound->name);
    return true;
}

/* ---- sums of coordinates -------------------------------------------------------------------- */

/* Sites, lines, shapes and loops of the body of a link. */
static int used_at(const sari_robot_file* f, int link)
{
    const int body = f->link[link].body;
    int uses = f->model->bodies[body].shapes_count;
    for (int k = 0; k < f->sites; k++) uses += f->site[k].link == link;
    for (int k = 0; k < f->lines; k++)
        uses += f->line[k].link[0] == link || f->line[k].link[1] == link;
    for (int j = 0; j < f->model->joints_count; j++) {
        const sari_joint* joint = &f->model->joints[j];
        uses += f->in_tree[j] != 1 && !joint->relation &&
                (joint->pair.a.body.i == body || joint->pair.b.body.i == body);
    }
    return uses;
}

/* A body without mass that turns on the ground, moves nothing else, and is geared to one coordinate: armature. */
static bool fold(sari_robot_file* f, const sari_export_sum* sum, int rotor)
{
    sari_export_link* r = &f->link[sum->link[rotor]];
    sari_export_link* moved = &f->link[sum->link[1 - rotor]];
    const sar_body_def* body = r->body >= 0 ? &f->model->bodies[r->body].def : NULL;
    if (f->format != SAR_ROBOT_MJCF || !body || body->mass != 0.0 || r->above || r == moved ||
        r->kind != SARI_EXPORT_HINGE || r->travel.damping != 0.0 || r->travel.stiffness != 0.0 ||
        r->travel.friction != 0.0 || isfinite(r->travel.lower) || isfinite(r->travel.upper))
        return false;
    int uses = used_at(f, sum->link[rotor]);
    for (int k = 1; k < f->links; k++) uses += f->link[k].above == sum->link[rotor];
    for (int k = 0; k < f->sums; k++)
        for (int i = 0; i < f->sum[k].terms; i++) uses += f->sum[k].link[i] == sum->link[rotor];
    for (int k = 0; k < f->motors; k++) uses += f->motor[k].link == sum->link[rotor];
    if (uses > 0) return false;
    const double ratio = sum->coefficient[1 - rotor] / sum->coefficient[rotor], *I = body->inertia,
                 *u = r->axis;
    moved->travel.armature +=
        ratio * ratio *
        (I[0] * u[0] * u[0] + I[1] * u[1] * u[1] + I[2] * u[2] * u[2] +
         2.0 * (I[3] * u[0] * u[1] + I[4] * u[0] * u[2] + I[5] * u[1] * u[2]));
    r->folded = true;
    return true;
}

/* The second coordinate follows the first, or the first the second; not one that follows already. */
static bool follow(sari_robot_file* f, const sari_export_sum* sum)
{
    for (int k = 1; k >= 0; k--) {
        sari_export_travel* t = &f->link[sum->link[k]].travel;
        int leader = sum->link[1 - k];
        for (int steps = 0; leader && leader != sum->link[k] && steps < f->links; steps++)
            leader = f->link[leader].travel.leader;
        if (t->leader || leader == sum->link[k]) continue;
        t->leader = sum->link[1 - k];
        t->ratio = -sum->coefficient[1 - k] / sum->coefficient[k];
        return true;
    }
    return false;
}

static bool add_sum(sari_robot_file* f, const sari_export_sum* sum)
{
    if (sum->terms == 2 && (fold(f, sum, 0) || fold(f, sum, 1) || follow(f, sum))) return true;
    if (f->format == SAR_ROBOT_URDF) return false;
    f->sum[f->sums++] = *sum;
    return true;
}

static bool add_coupling(sari_robot_file* f, int joint)
{
    const sari_joint* j = &f->model->joints[joint];
    sari_export_sum sum = {.joint = joint, .terms = j->coupling.terms};
    if (j->absent || j->coupling.terms < 2) return false;
    for (int k = 0; k < sum.terms; k++) {
        sum.link[k] = sari_export_find_motion(f, j->coupling.joint[k].i, j->coupling.coordinate[k]);
        sum.coefficient[k] = j->coupling.coefficient[k];
        if (!sum.link[k] || sum.coefficient[k] == 0.0) return false;
    }
    return add_sum(f, &sum);
}

/* A screw slides as it turns. */
static void add_pitch(sari_robot_file* f, int joint)
{
    const double per_radian = f->model->joints[joint].pair.pitch / (2.0 * 3.14159265358979323846);
    const sari_export_sum sum = {
        .joint = joint,
        .terms = 2,
        .link = {sari_export_find_motion(f, joint, SAR_COORD_ANGLE),
                 sari_export_find_motion(f, joint, SAR_COORD_DISPLACEMENT)},
        .coefficient = {-per_radian, 1.0}};
    (void)add_sum(f, &sum);
}

/* ---- joints that are no part of the tree ---------------------------------------------------- */

/* Two points at a distance. */
static bool add_rod(sari_robot_file* f, const sari_joint* j)
{
    const sari_joint_form* form = sari_form_of(&j->pair, f->model->dimension);
    if (j->absent || form->rows || form->conditions[0] != SARI_DISTANCE || form->conditions[1])
        return false;
    add_line(f, j->name, &j->pair.a, true, j->pair.distance, 0.0, 0.0);
    return true;
}

static bool closes(const sari_robot_file* f, int joint)
{
    sari_pose at;
    double axis[3];
    const sari_export_kind kind = sari_export_loop(f, joint, &at, axis);
    return kind != SARI_EXPORT_FREE && (kind != SARI_EXPORT_SLIDE || f->format == SAR_ROBOT_URDF);
}

static const char* reason(const sari_joint* j)
{
    return j->bounded ? ", with bounds" : j->absent ? ", which a phase adds" : "";
}

static void add_joint(sari_robot_file* f, int joint)
{
    const sari_joint* j = &f->model->joints[joint];
    if (j->relation) {
        if (add_coupling(f, joint) || add_bound(f, j)) return;
        sari_text_put(&f->left_out, "%s %s%s\n", j->relation->word, j->name, reason(j));
    } else if (f->in_tree[joint]) {
        if (j->pair.pitch != 0.0) add_pitch(f, joint);
    } else if (!closes(f, joint) && !add_rod(f, j)) {
        f->in_tree[joint] = 2;
        sari_text_put(&f->left_out, "joint %s: %s%s\n", j->name, sari_joint_type_of(j)->word,
                      j->absent ? reason(j) : ", which closes a loop");
    }
}

/* A body without mass that carries one motion and nothing else stands between two motions of one joint, as in robots that
 * were imported. */
static void join_motions(sari_robot_file* f)
{
    for (int link = 1; link < f->links; link++) {
        const int b = f->link[link].body;
        const double* I = b > 0 ? f->model->bodies[b].def.inertia : NULL;
        int below = 0;
        if (!I || f->model->bodies[b].def.mass != 0.0 || !sari_is_zero(I) || !sari_is_zero(I + 3))
            continue;
        for (int k = 1; k < f->links; k++)
            if (f->link[k].above == link)
                below +=
                    f->link[k].kind == SARI_EXPORT_HINGE || f->link[k].kind == SARI_EXPORT_SLIDE
                        ? 1
                        : 2;
        if (below == 1 && f->link[link].kind != SARI_EXPORT_WELD && !used_at(f, link))
            f->link[link].body = -1;
    }
}

sar_status sari_export_travels(sari_robot_file* f)
{
    const int forces = sar_model_forces(f->model), joints = f->model->joints_count;
    const int lines = forces + joints;
    f->site =
        SARI_TAKE(&f->memory, sari_export_site, PER_FORCE * lines + f->model->frames_count + 1);
    f->sum = SARI_TAKE(&f->memory, sari_export_sum, joints + 1);
    f->line = SARI_TAKE(&f->memory, sari_export_line, lines + 1);
    f->motor = SARI_TAKE(&f->memory, sari_export_motor, forces + 1);
    if (f->memory.failed) return SAR_E_NOMEM;
    for (int k = 0; k < f->model->frames_count; k++) {
        const sari_frame* frame = &f->model->frames[k];
        sari_pose in = sari_pose_shift(frame->point);
        memcpy(in.R, frame->R, sizeof in.R);
        (void)add_site(f, frame->name, "", frame->body, &in);
    }
    add_forces(f);
    for (int j = 0; j < joints; j++) add_joint(f, j);
    join_motions(f);
    return SAR_OK;
}
