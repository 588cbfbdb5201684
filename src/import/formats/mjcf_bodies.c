/* Bodies of MJCF, and the joints in them.
 *
 * Several joints of one body are applied in their order: between them are bodies without mass, with the same frame. A
 * joint's coordinate is `ref` where the file draws the body. */
#include "import/formats/mjcf.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = SARI_XML_DEPTH };

static void walk(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot, bool has_mass);

/* ---- joints --------------------------------------------------------------------------------- */

static void read_range(sari_mjcf* m, const sari_xml* node, const char* childclass, bool angle,
                       sari_robot_joint* joint)
{
    double range[2];
    const bool has = sari_mjcf_numbers(m, node, childclass, "range", 2, 2, range) > 0;
    if (!sari_mjcf_limited(m, node, childclass, "limited", has)) return;
    for (int k = 0; angle && k < 2; k++) range[k] = sari_mjcf_angle(m, range[k]);
    if (range[0] == range[1]) return; // the default of the format: none
    sari_import_limits(m->im, node->place, joint->name, range[0], range[1], &joint->travel[0]);
}

static double at_least_zero(sari_mjcf* m, const sari_xml* node, const char* childclass,
                            const char* word)
{
    return fmax(0.0, sari_mjcf_number(m, node, childclass, word, 0.0));
}

static void read_travel(sari_mjcf* m, const sari_xml* node, const char* childclass, bool angle,
                        sari_robot_joint* joint)
{
    sari_robot_travel* t = &joint->travel[0];
    const double ref = sari_mjcf_number(m, node, childclass, "ref", 0.0),
                 rest = sari_mjcf_number(m, node, childclass, "springref", 0.0);
    joint->start = angle ? sari_mjcf_angle(m, ref) : ref;
    t->rest = angle ? sari_mjcf_angle(m, rest) : rest;
    t->damping = at_least_zero(m, node, childclass, "damping");
    t->stiffness = at_least_zero(m, node, childclass, "stiffness");
    t->friction = at_least_zero(m, node, childclass, "frictionloss");
    t->armature = at_least_zero(m, node, childclass, "armature");
    read_range(m, node, childclass, angle, joint);
}

static void read_ball(sari_mjcf* m, const sari_xml* node, const char* childclass,
                      const sari_robot_joint* joint)
{
    static const char* const words[] = {"damping", "stiffness", "frictionloss", "armature",
                                        "range"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (sari_mjcf_number(m, node, childclass, words[k], 0.0) > 0.0)
            sari_import_note_at(m->im, node->place,
                                "limits, damping and springs of ball joints: left out",
                                "joint '%.60s'", joint->name);
}

/* From `a` to `b`, which is drawn at `on_a` in it. */
static void add_joint(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot,
                      const char* fallback, sari_robot_link* a, const sari_pose* x,
                      sari_robot_link* b)
{
    const char* type = sari_mjcf_get(m, node, spot->childclass, "type");
    const char* name = sari_mjcf_name(m, node, spot, fallback);
    const sari_robot_joint* other = sari_import_find_joint(m->im, name);
    sari_pose frame = SARI_POSE_IDENTITY;
    if (other) {
        sari_import_error(m->im, node->place, "there is a joint '%.60s' already, at line %d", name,
                          other->place.line);
        return;
    }
    sari_robot_joint* joint = sari_import_add_joint(m->im, name, node->place);
    sari_mjcf_note_soft(m, node);
    joint->a = a, joint->b = b;
    joint->axis[0] = 0, joint->axis[2] = 1;
    (void)sari_mjcf_numbers(m, node, spot->childclass, "pos", 3, 3, frame.p);
    (void)sari_mjcf_numbers(m, node, spot->childclass, "axis", 3, 3, joint->axis);
    (void)sari_import_direction(m->im, node->place, name, joint->axis);
    frame = sari_pose_times(&spot->at, &frame);
    joint->on_b = frame;
    const bool slide = type && strcmp(type, "slide") == 0, hinge = !type || !strcmp(type, "hinge"),
               ball = type && strcmp(type, "ball") == 0;
    joint->kind = slide ? SARI_ROBOT_PRISMATIC : ball ? SARI_ROBOT_SPHERICAL : SARI_ROBOT_REVOLUTE;
    if (slide || hinge)
        read_travel(m, node, spot->childclass, hinge, joint);
    else if (ball)
        read_ball(m, node, spot->childclass, joint);
    else
        sari_import_error(m->im, node->place, "joint '%.60s': no type '%.40s' here", name, type);
    const sari_pose back = sari_robot_motion(joint, -joint->start);
    joint->on_a = sari_pose_times(x, &frame);
    joint->on_a = sari_pose_times(&joint->on_a, &back);
}

static bool is_free(const sari_mjcf* m, const sari_xml* node, const char* childclass)
{
    const char* type =
        sari_xml_is(node, "joint") ? sari_mjcf_get(m, node, childclass, "type") : NULL;
    return sari_xml_is(node, "freejoint") || (type && strcmp(type, "free") == 0);
}

/* ---- one body ------------------------------------------------------------------------------- */

/// Joints of a body while they are strung together.
typedef struct chain {
    sari_robot_link *from, *to; ///< the last body so far; the body itself
    sari_pose at;               ///< where the next one is drawn in `from`
    const char* name;
    int left, done; ///< joints
    bool free;
} chain;

/* Joints of the body, also those in frames. */
static int count_joints(const sari_xml* node, int depth)
{
    int count = 0;
    SARI_XML_EACH(child, node, NULL)
    {
        if (sari_xml_is(child, "joint") || sari_xml_is(child, "freejoint")) count++;
        if (sari_xml_is(child, "frame") && depth < DEEPEST) count += count_joints(child, depth + 1);
    }
    return count;
}

static void string_joint(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot, chain* c)
{
    if (is_free(m, node, spot->childclass)) {
        c->free = true;
        c->left--;
        return;
    }
    const char* fallback = c->done ? sari_import_print(m->im, "%s_joint%d", c->name, c->done + 1)
                                   : sari_import_print(m->im, "%s_joint", c->name);
    sari_robot_link* next = c->to;
    if (--c->left > 0) {
        next = sari_import_add_link(
            m->im, sari_import_print(m->im, "%s_part%d", c->name, c->done + 1), node->place);
        next->massless_frame = true;
    }
    add_joint(m, node, spot, fallback, c->from, &c->at, next);
    c->from = next;
    c->at = SARI_POSE_IDENTITY;
    c->done++;
}

static sari_mjcf_spot in_frame(sari_mjcf* m, const sari_xml* frame, const sari_mjcf_spot* spot)
{
    sari_mjcf_spot inner = *spot;
    const char* childclass = sari_xml_get(frame, "childclass");
    const sari_pose at = sari_mjcf_pose(m, frame, NULL);
    inner.at = sari_pose_times(&spot->at, &at);
    if (childclass) inner.childclass = childclass;
    inner.depth++;
    return inner;
}

static void string_joints(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot, chain* c)
{
    SARI_XML_EACH(child, node, NULL)
    {
        if (sari_xml_is(child, "joint") || sari_xml_is(child, "freejoint")) {
            string_joint(m, child, spot, c);
        } else if (sari_xml_is(child, "frame") && spot->depth < DEEPEST) {
            const sari_mjcf_spot inner = in_frame(m, child, spot);
            string_joints(m, child, &inner, c);
        }
    }
}

static bool read_inertial(sari_mjcf* m, const sari_xml* body, sari_robot_link* link)
{
    const sari_xml* node = sari_xml_child(body, "inertial");
    double diagonal[3], full[6];
    if (!node || m->inertia_from_geom == 1) return false;
    const sari_pose at = sari_mjcf_pose(m, node, NULL);
    link->mass = sari_import_number(m->im, node, "mass", 0.0);
    memcpy(link->center, at.p, sizeof link->center);
    if (sari_import_attribute(m->im, node, "fullinertia", 6, 6, full) > 0)
        memcpy(link->inertia, full, sizeof full);
    else if (sari_import_attribute(m->im, node, "diaginertia", 3, 3, diagonal) > 0)
        memcpy(link->inertia, diagonal, sizeof diagonal);
    if (!isfinite(link->mass)) {
        sari_import_error(m->im, node->place, "the mass must be finite");
        link->mass = 0.0;
    }
    sari_inertia_rotate(at.R, link->inertia);
    return true;
}

/* How the body hangs on the one around it. */
static void connect(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* inside,
                    const sari_mjcf_spot* spot, const sari_pose* at, const char* name)
{
    chain c = {.from = spot->link,
               .to = inside->link,
               .at = *at,
               .name = name,
               .left = count_joints(node, 0)};
    string_joints(m, node, inside, &c);
    if (sari_import_number(m->im, node, "gravcomp", 0.0) != 0.0)
        sari_import_note_at(m->im, node->place, "bodies whose weight is compensated: it is not",
                            "body '%.60s'", name);
    if (c.done > 0 && !c.free) return;
    sari_robot_joint* joint = sari_import_add_joint(
        m->im, sari_import_print(m->im, "%s_%s", name, c.free ? "free" : "fixed"), node->place);
    joint->kind = c.free ? SARI_ROBOT_FREE : SARI_ROBOT_FIXED;
    joint->a = spot->link, joint->b = inside->link;
    joint->on_a = *at;
    if (c.free && (c.done > 0 || !sari_robot_is_ground(&m->im->robot, spot->link)))
        sari_import_error(m->im, node->place,
                          "body '%.60s': a free joint stands alone, in a body of the world", name);
    if (sari_import_truth(sari_xml_get(node, "mocap"), false))
        sari_import_note_at(m->im, node->place, "bodies that follow a motion capture: fixed",
                            "body '%.60s'", name);
}

static void read_body(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot)
{
    const char* childclass = sari_xml_get(node, "childclass");
    const char* name =
        sari_mjcf_name(m, node, spot, sari_import_print(m->im, "body%d", ++m->bodies));
    const sari_robot_link* other = sari_import_find_link(m->im, name);
    const sari_pose own = sari_mjcf_pose(m, node, NULL), at = sari_pose_times(&spot->at, &own);
    if (other) {
        sari_import_error(m->im, node->place, "there is a body '%.60s' already, at line %d", name,
                          other->place.line);
        return;
    }
    sari_mjcf_spot inside = {.link = sari_import_add_link(m->im, name, node->place),
                             .at = SARI_POSE_IDENTITY,
                             .childclass = childclass ? childclass : spot->childclass,
                             .ending = spot->ending,
                             .depth = spot->depth + 1};
    connect(m, node, &inside, spot, &at, name);
    walk(m, node, &inside, read_inertial(m, node, inside.link));
}

/* ---- what is in a body, a frame, or the world ----------------------------------------------- */

static void read_site(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot)
{
    sari_mjcf_site* site = sari_import_take(m->im, sizeof *site);
    const sari_pose at = sari_mjcf_pose(m, node, spot->childclass);
    if (!site) return;
    site->name = sari_mjcf_name(m, node, spot, "");
    site->place = node->place;
    site->link = spot->link;
    site->at = sari_pose_times(&spot->at, &at);
    if (m->last_site)
        m->last_site->next = site;
    else
        m->sites = site;
    m->last_site = site;
}

/* Copies, each moved from the one before. */
static void read_replicate(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot,
                           bool has_mass)
{
    enum { MOST = 10000 };
    const double wanted = sari_import_number(m->im, node, "count", 1.0);
    const char* separator = sari_xml_get(node, "sep");
    int digits = 1;
    sari_pose step = sari_mjcf_pose(m, node, NULL);
    (void)sari_import_attribute(m->im, node, "offset", 3, 3, step.p);
    if (!(wanted >= 0 && wanted <= MOST)) {
        sari_import_error(m->im, node->place, "count must be from 0 to %d", MOST);
        return;
    }
    for (int most = (int)wanted - 1; most >= 10; most /= 10) digits++;
    sari_mjcf_spot copy = *spot;
    copy.depth++;
    for (int k = 0; k < (int)wanted && !m->im->failures; k++) {
        copy.ending = sari_import_print(m->im, "%s%0*d%s", separator ? separator : "", digits, k,
                                        spot->ending);
        walk(m, node, &copy, has_mass);
        copy.at = sari_pose_times(&copy.at, &step);
    }
}

static void walk(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot, bool has_mass)
{
    if (spot->depth > DEEPEST) {
        sari_import_error(m->im, node->place, "bodies lie more than %d deep in each other",
                          DEEPEST);
        return;
    }
    SARI_XML_EACH(child, node, NULL)
    {
        if (!sari_import_count(m->im, child->place)) return;
        if (sari_xml_is(child, "body")) {
            read_body(m, child, spot);
        } else if (sari_xml_is(child, "geom")) {
            sari_mjcf_read_geom(m, child, spot, has_mass);
        } else if (sari_xml_is(child, "site")) {
            read_site(m, child, spot);
        } else if (sari_xml_is(child, "frame")) {
            const sari_mjcf_spot inner = in_frame(m, child, spot);
            walk(m, child, &inner, has_mass);
        } else if (sari_xml_is(child, "replicate")) {
            read_replicate(m, child, spot, has_mass);
        } else if (sari_xml_is(child, "composite") || sari_xml_is(child, "flexcomp") ||
                   sari_xml_is(child, "plugin") || sari_xml_is(child, "attach")) {
            sari_import_note_at(m->im, child->place, "elements that are not read", "<%.40s>",
                                child->name);
        }
    }
}

void sari_mjcf_read_bodies(sari_mjcf* m)
{
    const sari_mjcf_spot world = {
        .link = &m->im->robot.ground, .at = SARI_POSE_IDENTITY, .ending = ""};
    SARI_XML_EACH(section, m->root, "worldbody") walk(m, section, &world, true);
}
