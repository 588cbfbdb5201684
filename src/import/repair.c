/* What is the same for robots of all formats: masses that no body has, joints that move nothing, links that are one body.
 *
 *   - Moments of inertia: products with the wrong sign are mended where that makes a body of it, moments that violate the
 *     triangle inequality are kept as measured, negative ones are refused.
 *   - A joint whose links beyond it have no inertia along its motion would have infinite accelerations: it is locked,
 *     unless a loop or a coupling says how it moves.
 *   - Links that are fixed to each other are one body. The others become frames in it. */
#include "import/importer.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-9; ///< of the largest moment: so much printed digits may be off
static const double NOTHING = 1e-13; ///< of the second moments of the tree

/* ---- masses --------------------------------------------------------------------------------- */

static bool is_positive(const double I[6], bool* triangle)
{
    double m[3];
    sari_inertia_moments(I, m);
    const double sum = m[0] + m[1] + m[2], most = fmax(m[0], fmax(m[1], m[2])),
                 least = fmin(m[0], fmin(m[1], m[2])),
                 slack = ROUNDING * fmax(fabs(most), fabs(least));
    *triangle = sum - 2 * most >= -slack;
    return least >= -slack;
}

static void check_inertia(sari_importer* im, sari_robot_link* link)
{
    bool triangle, other;
    double mended[6];
    if (link->mass < 0.0) {
        sari_import_error(im, link->place, "link '%.60s': the mass is negative: %g", link->name,
                          link->mass);
        return;
    }
    for (int k = 0; k < 6; k++) mended[k] = k < 3 ? link->inertia[k] : -link->inertia[k];
    const bool good = is_positive(link->inertia, &triangle);
    if (good && triangle) return;
    if (is_positive(mended, &other) && other) {
        memcpy(link->inertia, mended, sizeof mended);
        sari_import_note_at(im, link->place,
                            "inertia with products of the wrong sign (left-handed axes): changed",
                            "link '%.60s'", link->name);
    } else if (good) {
        link->as_measured = true;
        sari_import_note_at(im, link->place,
                            "moments of inertia that no rigid body has (one is more than the sum "
                            "of the others): kept as measured",
                            "link '%.60s'", link->name);
    } else {
        sari_import_error(im, link->place,
                          "link '%.60s': the inertia has a negative principal moment; no body has "
                          "that",
                          link->name);
        sari_import_hint(im,
                         "ixy, ixz and iyz are the entries of the tensor: ixy = -(integral of x "
                         "y dm), about the centre of mass");
    }
}

/* ---- what moves ----------------------------------------------------------------------------- */

static void hold(sari_robot_link* link)
{
    while (link && !link->held) {
        link->held = true;
        link = link->up ? link->up->a : NULL;
    }
}

/* Loops and couplings need the motion of all joints between them and the ground. */
static void mark_held(sari_importer* im)
{
    for (sari_robot_joint* j = im->robot.joints; j; j = j->next)
        if (j->closes && j->kind != SARI_ROBOT_FREE) hold(j->a), hold(j->b);
    for (sari_robot_coupling* c = im->robot.couplings; c; c = c->next)
        for (sari_robot_term* t = c->terms; t; t = t->next) hold(t->joint->b);
}

/* Second moment about the world's origin: J = tr(I)/2 1 - I + m c c' */
static void own_moments(sari_robot_link* link)
{
    double c[3], I[6];
    memcpy(I, link->inertia, sizeof I);
    sari_pose_point(&link->pose, link->center, c);
    sari_inertia_rotate(link->pose.R, I);
    const double half = 0.5 * (I[0] + I[1] + I[2]), m = link->mass;
    const double full[9] = {half - I[0], -I[3], -I[4], -I[3],      half - I[1],
                            -I[5],       -I[4], -I[5], half - I[2]};
    link->tree_mass = m;
    for (int i = 0; i < 3; i++) {
        link->tree_first[i] = m * c[i];
        for (int j = 0; j < 3; j++)
            link->tree_second[3 * i + j] = full[3 * i + j] + m * c[i] * c[j];
    }
}

/* integral of |u x (x - P)|^2 dm, and how large its parts are */
static double about_axis(const sari_robot_link* link, const double u[3], const double P[3],
                         double* size)
{
    const double m = link->tree_mass;
    double J[9], Ju[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] = link->tree_second[3 * i + j] - P[i] * link->tree_first[j] -
                           link->tree_first[i] * P[j] + m * P[i] * P[j];
    sari_rotate(J, u, Ju);
    *size = fabs(link->tree_second[0]) + fabs(link->tree_second[4]) + fabs(link->tree_second[8]) +
            m * sari_dot(P, P);
    return J[0] + J[4] + J[8] - sari_dot(u, Ju);
}

/* What a coordinate moves, as drawn, with all that hangs on it. */
static double moved_by(const sari_robot_joint* j, double* size)
{
    double u[3];
    const sari_pose x = sari_pose_times(&j->a->pose, &j->on_a);
    *size = j->b->tree_mass;
    if (j->kind != SARI_ROBOT_REVOLUTE) return j->b->tree_mass;
    sari_rotate(x.R, j->axis, u);
    return about_axis(j->b, u, x.p, size);
}

static bool moves_nothing(const sari_robot_joint* j)
{
    const sari_robot_link* b = j->b;
    if (b->held || j->travel[0].armature > 0.0) return false;
    if (b->tree_mass == 0.0)
        return b->tree_second[0] + b->tree_second[4] + b->tree_second[8] == 0.0;
    if (j->kind != SARI_ROBOT_REVOLUTE) return false;
    double size;
    const double moment = moved_by(j, &size);
    return moment <= NOTHING * size;
}

/* Children before parents. */
static void lock_joints(sari_importer* im, sari_robot_link** list, int count)
{
    for (int k = 0; k < count; k++) own_moments(list[k]);
    for (int k = count - 1; k >= 0; k--) {
        sari_robot_link* link = list[k];
        sari_robot_joint* j = link->up;
        if (!j || j->kind == SARI_ROBOT_FREE) continue;
        if (j->kind != SARI_ROBOT_FIXED && moves_nothing(j)) {
            j->locked = true;
            sari_import_note_at(im, j->place,
                                "joints beyond which there is no inertia: locked, as nothing "
                                "determines their acceleration",
                                "joint '%.60s'", j->name);
        }
        if (sari_robot_is_ground(&im->robot, j->a)) continue;
        j->a->tree_mass += link->tree_mass;
        for (int i = 0; i < 3; i++) j->a->tree_first[i] += link->tree_first[i];
        for (int i = 0; i < 9; i++) j->a->tree_second[i] += link->tree_second[i];
    }
}

/* Damping ratios of followers are those of a mass on a spring, by what each coordinate moves alone. */
static void find_damping(sari_importer* im)
{
    for (sari_robot_actuator* a = im->robot.actuators; a; a = a->next) {
        double inertia = 0.0, size;
        if (!(a->damping_ratio > 0.0)) continue;
        for (const sari_robot_term* t = a->terms; t; t = t->next)
            inertia += (moved_by(t->joint, &size) + t->joint->travel[t->coordinate].armature) /
                       (t->factor * t->factor);
        a->bias[2] = -2.0 * a->damping_ratio * sqrt(a->gain * inertia);
        if (!a->terms)
            sari_import_note_at(im, a->place,
                                "damping ratios of actuators between points: left out", "'%.60s'",
                                a->name);
    }
}

/* ---- one body ------------------------------------------------------------------------------- */

static void move_shapes(sari_robot_link* from, sari_robot_link* to)
{
    for (sari_robot_shape* s = from->shapes; s; s = s->next)
        s->at = sari_pose_times(&from->at, &s->at);
    if (!from->shapes) return;
    if (to->last_shape)
        to->last_shape->next = from->shapes;
    else
        to->shapes = from->shapes;
    to->last_shape = from->last_shape;
    from->shapes = from->last_shape = NULL;
}

static void merge(sari_importer* im, sari_robot_link* link, sari_robot_link* into,
                  const sari_pose* at)
{
    link->into = into;
    link->at = *at;
    move_shapes(link, into);
    if (sari_robot_is_ground(&im->robot, into)) return;
    double c[3], I[6];
    memcpy(I, link->inertia, sizeof I);
    sari_pose_point(at, link->center, c);
    sari_inertia_rotate(at->R, I);
    sari_inertia_add(&into->mass, into->center, into->inertia, link->mass, c, I);
    into->as_measured |= link->as_measured;
}

static void merge_link(sari_importer* im, sari_robot_link* link)
{
    const sari_robot_joint* j = link->up;
    if (!j || (j->kind != SARI_ROBOT_FIXED && !j->locked)) return;
    const sari_pose T = sari_robot_motion(j, j->start), back = sari_pose_inverse(&j->on_b);
    sari_pose at = sari_pose_times(&j->a->at, &j->on_a);
    at = sari_pose_times(&at, &T);
    at = sari_pose_times(&at, &back);
    merge(im, link, j->a->into ? j->a->into : j->a, &at);
}

static bool is_heavy(const sari_robot_link* link)
{
    return link->mass > 0.0 || link->inertia[0] + link->inertia[1] + link->inertia[2] > 0.0;
}

/* A root of which nothing says whether it is fastened: without mass it is a frame of the ground. */
static void place_root(sari_importer* im, sari_robot_link* root)
{
    if (is_heavy(root)) {
        root->root_may_be_free = true;
        sari_import_note_at(im, root->place,
                            "roots with a mass: fastened to the ground, unless --set base_free=1",
                            "link '%.60s'", root->name);
        return;
    }
    const sari_pose pose = root->pose;
    for (sari_robot_link* k = im->robot.links; k; k = k->next)
        if (k->into == root) {
            k->into = &im->robot.ground;
            k->at = sari_pose_times(&pose, &k->at);
        }
    merge(im, root, &im->robot.ground, &pose);
}

/* Links, parents first. */
static sari_robot_link** by_depth(sari_importer* im, int* count)
{
    int most = 0, n = 0;
    for (const sari_robot_link* k = im->robot.links; k; k = k->next) {
        n++;
        if (k->depth > most) most = k->depth;
    }
    int* first = sari_import_take(im, ((size_t)most + 2) * sizeof *first);
    sari_robot_link** list = sari_import_take(im, ((size_t)n + 1) * sizeof *list);
    *count = 0;
    if (!first || !list) return NULL;
    for (const sari_robot_link* k = im->robot.links; k; k = k->next) first[k->depth + 1]++;
    for (int d = 0; d < most; d++) first[d + 1] += first[d];
    for (sari_robot_link* k = im->robot.links; k; k = k->next) list[first[k->depth]++] = k;
    *count = n;
    return list;
}

static void note_masses(sari_importer* im)
{
    for (const sari_robot_link* k = im->robot.links; k; k = k->next)
        if (!k->into && !k->massless_frame && k->mass == 0.0 && k->inertia[0] == 0.0 &&
            k->inertia[1] == 0.0)
            sari_import_note_at(im, k->place,
                                "bodies without mass between joints: kept, they follow the others",
                                "link '%.60s'", k->name);
}

void sari_import_repair(sari_importer* im)
{
    int count;
    for (sari_robot_link* k = im->robot.links; k; k = k->next) check_inertia(im, k);
    mark_held(im);
    sari_robot_link** list = by_depth(im, &count);
    if (!list || im->failures) return;
    lock_joints(im, list, count);
    find_damping(im);
    for (int k = 0; k < count; k++) {
        if (!list[k]->up && strcmp(list[k]->name, "world") == 0 && !is_heavy(list[k]))
            merge(im, list[k], &im->robot.ground, &list[k]->pose); // before others make it heavy
        merge_link(im, list[k]);
    }
    for (int k = 0; k < count && im->robot.roots_are_fastened; k++)
        if (!list[k]->up && !list[k]->into) place_root(im, list[k]);
    note_masses(im);
}
