/* URDF: links and joints of a tree. A joint's frame is the frame of its child. What closes loops is in urdf_loops.c. */
#include "import/importer.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

/* ---- small things --------------------------------------------------------------------------- */

sari_pose sari_import_origin(sari_importer* im, const sari_xml* origin)
{
    sari_pose pose = SARI_POSE_IDENTITY;
    double rpy[3] = {0}, q[4];
    if (!origin) return pose;
    (void)sari_import_attribute(im, origin, "xyz", 3, 3, pose.p);
    if (sari_import_attribute(im, origin, "rpy", 3, 3, rpy) > 0) sari_rotation_rpy(rpy, pose.R);
    if (sari_import_attribute(im, origin, "quat_xyzw", 4, 4, q) > 0) {
        const double wxyz[4] = {q[3], q[0], q[1], q[2]};
        if (!sari_pose_quaternion(wxyz, pose.R))
            sari_import_error(im, origin->place, "the quaternion is zero");
    }
    return pose;
}

void sari_import_drive(sari_importer* im, sari_robot_joint* joint, sari_place place)
{
    if (joint->kind != SARI_ROBOT_REVOLUTE && joint->kind != SARI_ROBOT_PRISMATIC) return;
    for (const sari_robot_actuator* a = im->robot.actuators; a; a = a->next)
        if (a->terms && a->terms->joint == joint) return;
    sari_robot_actuator* a = sari_import_add_actuator(
        im,
        sari_import_print(im, "%s_%s", joint->name,
                          joint->kind == SARI_ROBOT_REVOLUTE ? "torque" : "force"),
        place);
    (void)sari_import_add_term(im, &a->terms, joint, 1.0);
}

void sari_import_mimic(sari_importer* im, sari_robot_joint* follower, sari_robot_joint* leader,
                       double multiplier, double offset, sari_place place)
{
    if (follower == leader) {
        sari_import_error(im, place, "joint '%.60s' mimics itself", follower->name);
        return;
    }
    if (sari_robot_coordinates(follower->kind) != 1 || sari_robot_coordinates(leader->kind) != 1) {
        sari_import_note_at(im, place,
                            "mimic between joints that do not both have one coordinate: "
                            "left out",
                            "joint '%.60s'", follower->name);
        return;
    }
    sari_robot_coupling* c =
        sari_import_add_coupling(im, sari_import_print(im, "%s_mimic", follower->name), place);
    (void)sari_import_add_term(im, &c->terms, follower, 1.0);
    (void)sari_import_add_term(im, &c->terms, leader, -multiplier);
    c->offset = offset;
}

/* ---- links ---------------------------------------------------------------------------------- */

static void read_inertial(sari_importer* im, const sari_xml* inertial, sari_robot_link* link)
{
    static const char* const words[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const sari_xml *mass = sari_xml_child(inertial, "mass"),
                   *inertia = sari_xml_child(inertial, "inertia");
    const sari_pose at = sari_import_origin(im, sari_xml_child(inertial, "origin"));
    link->mass = mass ? sari_import_number(im, mass, "value", 0.0) : 0.0;
    if (!mass)
        sari_import_note_at(im, inertial->place, "<inertial> without <mass>: taken as zero",
                            "link '%.60s'", link->name);
    memcpy(link->center, at.p, sizeof link->center);
    for (int k = 0; inertia && k < 6; k++)
        link->inertia[k] = sari_import_number(im, inertia, words[k], 0.0);
    for (int k = 0; k < 6; k++)
        if (!isfinite(link->inertia[k]) || !isfinite(link->mass)) {
            sari_import_error(im, inertial->place, "link '%.60s': mass and inertia must be finite",
                              link->name);
            link->mass = 0.0;
            memset(link->inertia, 0, sizeof link->inertia);
            return;
        }
    sari_inertia_rotate(at.R, link->inertia);
}

static void read_colour(sari_importer* im, const sari_xml* robot, const sari_xml* visual,
                        double colour[4])
{
    const sari_xml* material = sari_xml_child(visual, "material");
    const sari_xml* colours = sari_xml_child(material, "color");
    const char* name = material ? sari_xml_get(material, "name") : NULL;
    if (!colours && name) SARI_XML_EACH(other, robot, "material")
        {
            const char* its = sari_xml_get(other, "name");
            if (its && strcmp(its, name) == 0) colours = sari_xml_child(other, "color");
        }
    if (colours && sari_import_attribute(im, colours, "rgba", 3, 4, colour) == 3) colour[3] = 1.0;
}

static void read_geometry(sari_importer* im, const sari_xml* robot, const sari_xml* visual,
                          sari_robot_link* link)
{
    const sari_xml* geometry = sari_xml_child(visual, "geometry");
    const sari_xml* form = sari_xml_child(geometry, NULL);
    const sari_pose at = sari_import_origin(im, sari_xml_child(visual, "origin"));
    double colour[4] = {0, 0, 0, -1}, scale[3] = {1, 1, 1};
    sari_robot_shape* shape = NULL;
    if (!form) return;
    read_colour(im, robot, visual, colour);
    if (sari_xml_is(form, "mesh")) {
        const char* file = sari_xml_get(form, "filename");
        if (sari_import_attribute(im, form, "scale", 1, 3, scale) == 1)
            scale[1] = scale[2] = scale[0];
        if (file) sari_import_add_mesh(im, link, file, im->path, form->place, scale, &at, colour);
        return;
    }
    if (sari_xml_is(form, "box")) {
        shape = sari_import_add_shape(im, link, SARI_ROBOT_BOX);
        (void)sari_import_attribute(im, form, "size", 3, 3, shape->size);
    } else if (sari_xml_is(form, "sphere")) {
        shape = sari_import_add_shape(im, link, SARI_ROBOT_SPHERE);
        shape->size[0] = sari_import_number(im, form, "radius", 0.0);
    } else if (sari_xml_is(form, "cylinder") || sari_xml_is(form, "capsule") ||
               sari_xml_is(form, "drake:capsule")) {
        shape = sari_import_add_shape(
            im, link, sari_xml_is(form, "cylinder") ? SARI_ROBOT_CYLINDER : SARI_ROBOT_CAPSULE);
        shape->size[0] = sari_import_number(im, form, "radius", 0.0);
        shape->size[1] = sari_import_number(im, form, "length", 0.0);
    } else {
        sari_import_note_at(im, form->place, "shapes that cannot be drawn: left out", "<%.40s>",
                            form->name);
        return;
    }
    shape->at = at;
    memcpy(shape->colour, colour, sizeof colour);
}

/* Tags that are not in a list, which ends with NULL. */
static void note_others(sari_importer* im, const sari_xml* node, const char* const* known)
{
    SARI_XML_EACH(child, node, NULL)
    {
        const char* const* word = known;
        while (*word && !sari_xml_is(child, *word)) word++;
        if (!*word)
            sari_import_note_at(im, child->place, "tags that are not read", "<%.40s>", child->name);
    }
}

static void read_link(sari_importer* im, const sari_xml* robot, const sari_xml* node)
{
    const char* name = sari_import_name(im, node, "name");
    const sari_robot_link* other = sari_import_find_link(im, name);
    if (other) {
        sari_import_error(im, node->place, "there is a link '%.60s' already, at line %d", name,
                          other->place.line);
        sari_import_hint(im, "joints name links, so that two of one name cannot be told apart");
        return;
    }
    sari_robot_link* link = sari_import_add_link(im, name, node->place);
    static const char* const known[] = {"inertial", "visual", "collision", NULL};
    const sari_xml* inertial = sari_xml_child(node, "inertial");
    note_others(im, node, known);
    if (inertial) read_inertial(im, inertial, link);
    SARI_XML_EACH(visual, node, "visual") read_geometry(im, robot, visual, link);
    if (sari_robot_is_drawn(link)) return;
    SARI_XML_EACH(collision, node, "collision") read_geometry(im, robot, collision, link);
}

/* ---- joints --------------------------------------------------------------------------------- */

typedef struct joint_word {
    const char* word;
    sari_robot_joint_kind kind;
} joint_word;

static bool find_kind(const char* word, sari_robot_joint_kind* kind)
{
    static const joint_word words[] = {
        {"revolute", SARI_ROBOT_REVOLUTE},   {"continuous", SARI_ROBOT_REVOLUTE},
        {"prismatic", SARI_ROBOT_PRISMATIC}, {"fixed", SARI_ROBOT_FIXED},
        {"floating", SARI_ROBOT_FREE},       {"planar", SARI_ROBOT_PLANAR},
        {"spherical", SARI_ROBOT_SPHERICAL}, {"ball", SARI_ROBOT_SPHERICAL},
        {"universal", SARI_ROBOT_UNIVERSAL}, {"cylindrical", SARI_ROBOT_CYLINDRICAL},
        {"screw", SARI_ROBOT_SCREW}};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(word, words[k].word) == 0) {
            *kind = words[k].kind;
            return true;
        }
    return false;
}

static void read_limits(sari_importer* im, const sari_xml* node, const char* type,
                        sari_robot_joint* joint)
{
    const sari_xml* limit = sari_xml_child(node, "limit");
    const bool one = joint->kind == SARI_ROBOT_REVOLUTE || joint->kind == SARI_ROBOT_PRISMATIC;
    if (!one) return;
    if (!limit) {
        if (strcmp(type, "continuous") != 0)
            sari_import_note_at(im, node->place,
                                "revolute and prismatic joints without <limit>: no stops",
                                "joint '%.60s'", joint->name);
        return;
    }
    if (!sari_xml_get(limit, "effort") || !sari_xml_get(limit, "velocity"))
        sari_import_note_at(im, limit->place,
                            "limits without effort or velocity: not needed for the motion",
                            "joint '%.60s'", joint->name);
    const double effort = sari_import_number(im, limit, "effort", 0.0),
                 velocity = sari_import_number(im, limit, "velocity", 0.0);
    joint->travel[0].effort = effort < SARI_NO_LIMIT ? effort : 0.0;
    if (velocity > 0.0 && velocity < SARI_NO_LIMIT)
        sari_import_note_at(im, limit->place, "limits of velocity: not part of the model",
                            "joint '%.60s'", joint->name);
    if (strcmp(type, "continuous") == 0) return;
    const double lower = sari_import_number(im, limit, "lower", 0.0),
                 upper = sari_import_number(im, limit, "upper", 0.0);
    if (lower == upper)
        sari_import_note_at(im, limit->place, "limits without a range (lower = upper): no stops",
                            "joint '%.60s'", joint->name);
    else
        sari_import_limits(im, limit->place, joint->name, lower, upper, &joint->travel[0]);
}

static double not_negative(sari_importer* im, const sari_xml* node, const char* word)
{
    const double value = sari_import_number(im, node, word, 0.0);
    if (value >= 0.0 && isfinite(value)) return value;
    sari_import_note_at(im, node->place, "damping or friction below zero: taken as zero", "%s = %g",
                        word, value);
    return 0.0;
}

static void read_dynamics(sari_importer* im, const sari_xml* node, sari_robot_joint* joint)
{
    const sari_xml* dynamics = sari_xml_child(node, "dynamics");
    if (!dynamics) return;
    if (joint->kind == SARI_ROBOT_REVOLUTE || joint->kind == SARI_ROBOT_PRISMATIC) {
        joint->travel[0].damping = not_negative(im, dynamics, "damping");
        joint->travel[0].friction = not_negative(im, dynamics, "friction");
    } else if (joint->kind != SARI_ROBOT_FIXED) {
        sari_import_note_at(im, dynamics->place,
                            "damping of joints with several coordinates: left out", "joint '%.60s'",
                            joint->name);
    }
}

static sari_robot_link* read_end(sari_importer* im, const sari_xml* node, const char* word,
                                 const char* joint)
{
    const sari_xml* end = sari_xml_child(node, word);
    if (!end) {
        sari_import_error(im, node->place, "joint '%.60s' lacks <%s link=\"...\"/>", joint, word);
        return NULL;
    }
    const char* name = sari_import_name(im, end, "link");
    return name[0] ? sari_import_need_link(im, name, end->place, joint) : NULL;
}

/* The joints of a name that is there get another one: only mimic refers to joints. */
static const char* joint_name(sari_importer* im, const sari_xml* node)
{
    const char* name = sari_import_name(im, node, "name");
    if (!sari_import_find_joint(im, name)) return name;
    sari_import_note_at(im, node->place, "joints whose name occurs twice: the second has another",
                        "joint '%.60s'", name);
    for (int k = 2;; k++) {
        const char* other = sari_import_print(im, "%s_%d", name, k);
        if (!sari_import_find_joint(im, other)) return other;
    }
}

static void read_joint(sari_importer* im, const sari_xml* node)
{
    static const char* const known[] = {
        "origin",      "parent",   "child", "axis",
        "limit",       "dynamics", "mimic", "drake:screw_thread_pitch",
        "drake:mimic", NULL};
    note_others(im, node, known);
    const char *name = joint_name(im, node), *type = sari_import_name(im, node, "type");
    const int before = im->failures;
    sari_robot_joint_kind kind = SARI_ROBOT_FIXED;
    if (type[0] && !find_kind(type, &kind)) {
        sari_import_error(im, sari_xml_place_of(node, "type"), "joint '%.60s': no type '%.40s'",
                          name, type);
        sari_import_hint(im, "revolute, continuous, prismatic, fixed, floating, planar");
    }
    sari_robot_link *a = read_end(im, node, "parent", name), *b = read_end(im, node, "child", name);
    const sari_pose origin = sari_import_origin(im, sari_xml_child(node, "origin"));
    const sari_xml* axis = sari_xml_child(node, "axis");
    if (a && a == b)
        sari_import_error(im, node->place, "joint '%.60s' connects '%.60s' with itself", name,
                          a->name);
    if (im->failures != before || !a || !b) return;
    sari_robot_joint* joint = sari_import_add_joint(im, name, node->place);
    joint->kind = kind;
    joint->a = a, joint->b = b, joint->on_a = origin;
    if (axis) (void)sari_import_attribute(im, axis, "xyz", 3, 3, joint->axis);
    if (kind == SARI_ROBOT_FIXED || kind == SARI_ROBOT_SPHERICAL || kind == SARI_ROBOT_FREE)
        joint->axis[0] = 1, joint->axis[1] = joint->axis[2] = 0; // they need none
    (void)sari_import_direction(im, axis ? axis->place : node->place, name, joint->axis);
    if (kind == SARI_ROBOT_UNIVERSAL) { // Drake's: about x, then about y of the frame
        joint->axis[0] = 1, joint->axis[1] = joint->axis[2] = 0;
    }
    const sari_xml* pitch = sari_xml_child(node, "drake:screw_thread_pitch");
    if (kind == SARI_ROBOT_SCREW)
        joint->pitch = pitch ? sari_import_number(im, pitch, "value", 0.0) : 0.0;
    read_limits(im, node, type, joint);
    read_dynamics(im, node, joint);
}

static void read_mimic(sari_importer* im, const sari_xml* node)
{
    const sari_xml* mimic = sari_xml_child(node, "mimic");
    if (!mimic) mimic = sari_xml_child(node, "drake:mimic");
    if (!mimic) return;
    const char* name = sari_xml_get(node, "name");
    sari_robot_joint* follower = name ? sari_import_find_joint(im, name) : NULL;
    const char* of = sari_import_name(im, mimic, "joint");
    sari_robot_joint* leader = of[0] ? sari_import_need_joint(im, of, mimic->place, "mimic") : NULL;
    const double multiplier = sari_import_number(im, mimic, "multiplier", 1.0),
                 offset = sari_import_number(im, mimic, "offset", 0.0);
    if (follower && leader)
        sari_import_mimic(im, follower, leader, multiplier, offset, mimic->place);
}

/* ---- what else there is --------------------------------------------------------------------- */

/* Frames that some tools add: links without mass. */
static void read_frame(sari_importer* im, const sari_xml* node)
{
    const sari_xml *parent = sari_xml_child(node, "parent"),
                   *origin = sari_xml_child(node, "origin");
    const char* name = sari_import_name(im, node, "name");
    const char* of = sari_import_name(im, parent ? parent : node, "link");
    sari_robot_link* a = of[0] ? sari_import_need_link(im, of, node->place, name) : NULL;
    const sari_pose at = sari_import_origin(im, origin ? origin : node);
    if (a) sari_import_add_frame(im, name, node->place, a, &at);
}

/* <transmission> and <ros2_control> say which joints have motors. */
static void read_motors(sari_importer* im, const sari_xml* node)
{
    SARI_XML_EACH(child, node, "joint")
    {
        const char* name = sari_xml_get(child, "name");
        sari_robot_joint* joint = name ? sari_import_find_joint(im, name) : NULL;
        const bool commanded =
            sari_xml_is(node, "transmission") || sari_xml_child(child, "command_interface");
        if (joint && commanded) sari_import_drive(im, joint, child->place);
    }
}

static bool is_read_elsewhere(const sari_xml* node)
{
    static const char* const words[] = {"link",       "joint",       "drake:joint", "material",
                                        "loop_joint", "frame",       "fixed_frame", "transmission",
                                        "gazebo",     "ros2_control"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (sari_xml_is(node, words[k])) return true;
    return strncmp(node->name, "drake:", 6) == 0;
}

static void check_rest(sari_importer* im, const sari_xml* robot)
{
    const char* version = sari_xml_get(robot, "version");
    if (version && strncmp(version, "1.", 2) != 0)
        sari_import_note_at(im, robot->place, "a version other than 1: read as version 1",
                            "'%.20s'", version);
    SARI_XML_EACH(child, robot, NULL)
    {
        if (strncmp(child->name, "xacro:", 6) == 0) {
            sari_import_error(im, child->place, "<%.60s>: the file is one for xacro", child->name);
            sari_import_hint(im, "run 'xacro FILE > robot.urdf' first, and import what it writes");
            return;
        }
        if (!is_read_elsewhere(child))
            sari_import_note_at(im, child->place, "tags that are not read", "<%.40s>", child->name);
    }
}

static void note_roots(sari_importer* im)
{
    int roots = 0;
    for (const sari_robot_link* k = im->robot.links; k; k = k->next)
        if (!k->up && ++roots > 1)
            sari_import_note_at(im, k->place,
                                "further roots: each stands at the origin of the ground",
                                "link '%.60s'", k->name);
    if (!im->robot.links) {
        sari_import_error(im, (sari_place){0}, "the robot has no links");
        sari_import_hint(im, "a URDF is <robot name=\"...\"> with <link> and <joint> in it");
    }
}

void sari_import_urdf(sari_importer* im, const sari_xml* root)
{
    sari_robot* robot = &im->robot;
    const char* name = sari_xml_get(root, "name");
    robot->format = "URDF";
    robot->name = name ? name : "robot";
    robot->roots_are_fastened = true;
    robot->gravity[2] = -9.81;
    check_rest(im, root);
    SARI_XML_EACH(link, root, "link") read_link(im, root, link);
    SARI_XML_EACH(joint, root, NULL)
    if (sari_xml_is(joint, "joint") || sari_xml_is(joint, "drake:joint")) read_joint(im, joint);
    SARI_XML_EACH(frame, root, NULL)
    if (sari_xml_is(frame, "frame") || sari_xml_is(frame, "fixed_frame")) read_frame(im, frame);
    SARI_XML_EACH(mimic, root, "joint") read_mimic(im, mimic);
    SARI_XML_EACH(part, root, NULL)
    if (sari_xml_is(part, "transmission") || sari_xml_is(part, "ros2_control"))
        read_motors(im, part);
    if (im->failures) return;
    sari_import_rest(im);
    sari_import_urdf_loops(im, root);
    sari_import_side_files(im);
    note_roots(im);
}
