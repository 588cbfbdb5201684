/* The spanning tree: the first joint that has a link as its child draws it, all others close loops. Then the poses of
 * all links, by (1) of robot.h. */
#include "import/importer.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

int sari_robot_coordinates(sari_robot_joint_kind kind)
{
    switch (kind) {
    case SARI_ROBOT_REVOLUTE:
    case SARI_ROBOT_PRISMATIC:
        return 1;
    case SARI_ROBOT_SCREW:
    case SARI_ROBOT_CYLINDRICAL:
    case SARI_ROBOT_UNIVERSAL:
        return 2;
    default:
        return 0;
    }
}

bool sari_robot_is_angle(const sari_robot_joint* joint, int coordinate)
{
    if (joint->kind == SARI_ROBOT_PRISMATIC) return false;
    return coordinate == 0 || joint->kind == SARI_ROBOT_UNIVERSAL;
}

sari_pose sari_robot_motion(const sari_robot_joint* joint, double q)
{
    sari_pose T = SARI_POSE_IDENTITY;
    const bool slides = joint->kind == SARI_ROBOT_PRISMATIC;
    double along = slides ? q : 0.0;
    if (q == 0.0 || sari_robot_coordinates(joint->kind) == 0) return T;
    if (!slides) sari_pose_about(joint->axis, q, T.R);
    if (joint->kind == SARI_ROBOT_SCREW) along = joint->pitch * q / (2 * PI);
    for (int k = 0; k < 3; k++) T.p[k] = along * joint->axis[k];
    return T;
}

/* ---- who hangs on whom ---------------------------------------------------------------------- */

/* The root of the tree so far: a link without a joint above it. Paths are halved on the way. */
static sari_robot_link* root_of(sari_robot_link* link)
{
    while (link->group) {
        if (link->group->group) link->group = link->group->group;
        link = link->group;
    }
    return link;
}

static void choose_tree(sari_importer* im)
{
    sari_robot* robot = &im->robot;
    for (sari_robot_joint* j = robot->joints; j; j = j->next) {
        if (j->closes || j->b->up == j) continue;
        if (sari_robot_is_ground(robot, j->b) || j->b->up || root_of(j->a) == j->b) {
            j->closes = true;
        } else {
            j->b->up = j;
            j->b->group = j->a;
        }
    }
}

/* ---- where joints begin --------------------------------------------------------------------- */

static void start_within_limits(sari_importer* im, sari_robot_joint* j)
{
    const sari_robot_travel* t = &j->travel[0];
    if (!t->limited || j->closes) return;
    const double start = fmin(fmax(j->start, t->lower), t->upper);
    if (start == j->start) return;
    j->start = start;
    sari_import_note_at(im, j->place,
                        "joints that are not within their limits as drawn: they begin at the "
                        "nearer limit",
                        "joint '%.60s'", j->name);
}

static void start_coupled(sari_robot_coupling* c)
{
    sari_robot_term *first = c->terms, *second = first ? first->next : NULL;
    if (!second || second->next || first->coordinate || second->coordinate) return;
    const double x = second->joint->start;
    if (c->is_polynomial) {
        double sum = 0.0;
        for (int k = 4; k >= 0; k--) sum = sum * x + c->poly[k];
        first->joint->start = sum;
    } else if (first->factor != 0.0) {
        first->joint->start = (c->offset - second->factor * x) / first->factor;
    }
}

static void choose_starts(sari_importer* im)
{
    enum { CHAINS = 3 }; // followers of followers
    for (sari_robot_joint* j = im->robot.joints; j; j = j->next) start_within_limits(im, j);
    for (int pass = 0; pass < CHAINS; pass++)
        for (sari_robot_coupling* c = im->robot.couplings; c; c = c->next) start_coupled(c);
}

/* ---- poses ---------------------------------------------------------------------------------- */

static void place(sari_robot_link* link)
{
    const sari_robot_joint* j = link->up;
    if (!j || link->placed) return;
    const sari_pose T = sari_robot_motion(j, j->start);
    sari_pose x = sari_pose_times(&j->a->pose, &j->on_a);
    const sari_pose back = sari_pose_inverse(&j->on_b);
    x = sari_pose_times(&x, &T);
    link->pose = sari_pose_times(&x, &back);
    link->depth = j->a->depth + 1;
    link->placed = true;
}

/* Up to one that is placed, and down again: chains may be longer than a stack is deep. */
sari_pose sari_import_pose(sari_importer* im, sari_robot_link* link)
{
    sari_robot_link* k = link;
    (void)im;
    link->below = NULL;
    while (!k->placed && k->up && !k->up->a->placed && k->up->a->up) {
        k->up->a->below = k;
        k = k->up->a;
    }
    for (; k; k = k->below) place(k);
    return link->pose;
}

void sari_import_rest(sari_importer* im)
{
    choose_tree(im);
    for (sari_robot_link* k = im->robot.links; k; k = k->next) (void)sari_import_pose(im, k);
}

void sari_import_tree(sari_importer* im)
{
    choose_tree(im);
    choose_starts(im);
    for (sari_robot_link* k = im->robot.links; k; k = k->next) k->placed = false;
    for (sari_robot_link* k = im->robot.links; k; k = k->next) (void)sari_import_pose(im, k);
}
