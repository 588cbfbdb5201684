/* Loops in URDF files: the tags that tools have added to a format of trees. */
#include "import/importer.h"

#include "math/vec3.h"

#include <string.h>

sari_robot_joint* sari_import_add_loop(sari_importer* im, const char* name, sari_place place,
                                       sari_robot_joint_kind kind, sari_robot_link* a,
                                       const sari_pose* on_a, sari_robot_link* b,
                                       const sari_pose* on_b)
{
    sari_robot_joint* joint = sari_import_add_joint(im, name, place);
    joint->kind = kind;
    joint->a = a, joint->b = b;
    joint->on_a = *on_a, joint->on_b = *on_b;
    joint->closes = true;
    return joint;
}

/* ---- <loop_joint> --------------------------------------------------------------------------- */

static bool loop_kind(const char* type, sari_robot_joint_kind* kind)
{
    static const struct {
        const char* word;
        sari_robot_joint_kind kind;
    } words[] = {{"revolute", SARI_ROBOT_REVOLUTE},      {"continuous", SARI_ROBOT_REVOLUTE},
                 {"spherical", SARI_ROBOT_SPHERICAL},    {"ball", SARI_ROBOT_SPHERICAL},
                 {"prismatic", SARI_ROBOT_PRISMATIC},    {"fixed", SARI_ROBOT_FIXED},
                 {"cylindrical", SARI_ROBOT_CYLINDRICAL}};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(type, words[k].word) == 0) {
            *kind = words[k].kind;
            return true;
        }
    return false;
}

/* The two links: <link1>, <link2>, or twice <link1> as some write, or <parent> and <child>. */
static void find_ends(const sari_xml* node, const sari_xml* end[2])
{
    end[0] = sari_xml_child(node, "link1");
    end[1] = sari_xml_child(node, "link2");
    if (!end[1] && end[0]) end[1] = sari_xml_next(end[0], "link1");
    if (!end[0]) end[0] = sari_xml_child(node, "parent");
    if (!end[1]) end[1] = sari_xml_child(node, "child");
}

static void read_loop_joint(sari_importer* im, const sari_xml* node)
{
    static const char* const origins[] = {"parent_origin", "child_origin"};
    const char *name = sari_import_name(im, node, "name"),
               *type = sari_import_name(im, node, "type");
    const sari_xml *end[2], *axis = sari_xml_child(node, "axis");
    sari_robot_joint_kind kind = SARI_ROBOT_SPHERICAL;
    sari_robot_link* link[2];
    sari_pose on[2];
    bool framed = false;
    if (type[0] && !loop_kind(type, &kind)) {
        sari_import_error(im, node->place, "loop joint '%.60s': no type '%.40s'", name, type);
        sari_import_hint(im, "revolute, spherical, prismatic, cylindrical, fixed");
    }
    find_ends(node, end);
    if (!end[0] || !end[1]) {
        sari_import_error(im, node->place, "loop joint '%.60s' lacks <link1> or <link2>", name);
        return;
    }
    for (int k = 0; k < 2; k++) {
        const sari_xml* origin = sari_xml_child(node, origins[k]);
        const char* of = sari_import_name(im, end[k], "link");
        framed |= origin != NULL;
        link[k] = of[0] ? sari_import_need_link(im, of, end[k]->place, name) : NULL;
        on[k] = sari_import_origin(im, origin ? origin : end[k]);
    }
    if (!link[0] || !link[1]) return;
    if (framed) { // the axis is in the frame of the parent; the child's is turned as drawn
        const sari_pose xa = sari_import_pose(im, link[0]), xb = sari_import_pose(im, link[1]),
                        seen = sari_pose_between(&xb, &xa);
        sari_multiply3(seen.R, on[0].R, on[1].R);
    }
    sari_robot_joint* joint =
        sari_import_add_loop(im, name, node->place, kind, link[0], &on[0], link[1], &on[1]);
    if (axis) (void)sari_import_attribute(im, axis, "xyz", 3, 3, joint->axis);
    (void)sari_import_direction(im, node->place, name, joint->axis);
}

/* ---- drake: --------------------------------------------------------------------------------- */

/* The child called like its parent with an ending. */
static const sari_xml* drake_child(sari_importer* im, const sari_xml* node, const char* ending)
{
    return sari_xml_child(node, sari_import_print(im, "%s_%s", node->name, ending));
}

static sari_robot_link* drake_link(sari_importer* im, const sari_xml* node, const char* ending)
{
    const sari_xml* child = drake_child(im, node, ending);
    if (!child) {
        sari_import_error(im, node->place, "<%.60s> lacks <%.60s_%s>", node->name, node->name,
                          ending);
        return NULL;
    }
    const char* name = child->text[0] ? child->text : sari_import_name(im, child, "name");
    return name[0] ? sari_import_need_link(im, name, child->place, node->name) : NULL;
}

/* An attribute in URDF, the text in SDFormat. */
static void drake_value(sari_importer* im, const sari_xml* child, int count, double* out)
{
    if (child && child->text[0])
        (void)sari_import_numbers(im, child->text, child->place, child->name, count, count, out);
    else if (child)
        (void)sari_import_attribute(im, child, "value", count, count, out);
}

static void drake_numbers(sari_importer* im, const sari_xml* node, const char* ending, int count,
                          double* out)
{
    drake_value(im, drake_child(im, node, ending), count, out);
}

/* drake:ball_constraint, drake:weld_constraint, drake:distance_constraint, drake:linear_spring_damper */
static void read_drake_pair(sari_importer* im, const sari_xml* node)
{
    sari_robot_link *a = drake_link(im, node, "body_A"), *b = drake_link(im, node, "body_B");
    double p[3] = {0}, q[3] = {0};
    drake_numbers(im, node, "p_AP", 3, p);
    drake_numbers(im, node, "p_BQ", 3, q);
    if (!a || !b) return;
    const sari_pose on_a = sari_pose_shift(p), on_b = sari_pose_shift(q);
    const char* name = sari_import_print(im, "%s_%s", a->name, b->name);
    if (sari_xml_is(node, "drake:ball_constraint")) {
        (void)sari_import_add_loop(im, name, node->place, SARI_ROBOT_SPHERICAL, a, &on_a, b, &on_b);
    } else if (sari_xml_is(node, "drake:weld_constraint")) {
        (void)sari_import_add_loop(im, name, node->place, SARI_ROBOT_FIXED, a, &on_a, b, &on_b);
    } else if (sari_xml_is(node, "drake:distance_constraint")) {
        sari_robot_joint* joint =
            sari_import_add_loop(im, name, node->place, SARI_ROBOT_DISTANCE, a, &on_a, b, &on_b);
        drake_numbers(im, node, "distance", 1, &joint->distance);
        if (!(joint->distance > 0.0))
            sari_import_error(im, node->place, "<%.60s>: the distance must be positive",
                              node->name);
    } else {
        sari_robot_spring* spring = sari_import_add_spring(im, name, node->place);
        spring->link[0] = a, spring->link[1] = b;
        spring->at[0] = on_a, spring->at[1] = on_b;
        drake_numbers(im, node, "free_length", 1, &spring->length);
        drake_numbers(im, node, "stiffness", 1, &spring->stiffness);
        drake_numbers(im, node, "damping", 1, &spring->damping);
    }
}

/* Stiffness against the angles roll, pitch and yaw: those of the rotation vector take their place, the same to first order. */
static void read_drake_bushing(sari_importer* im, const sari_xml* node)
{
    static const struct {
        const char* word;
        int at;
        bool damping;
    } keys[] = {{"drake:bushing_force_stiffness", 0, false},
                {"drake:bushing_torque_stiffness", 3, false},
                {"drake:bushing_force_damping", 0, true},
                {"drake:bushing_torque_damping", 3, true}};
    sari_robot_link* link[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        const sari_xml* frame =
            sari_xml_child(node, k ? "drake:bushing_frameC" : "drake:bushing_frameA");
        const char* name = !frame           ? ""
                           : frame->text[0] ? frame->text
                                            : sari_import_name(im, frame, "name");
        if (name[0]) link[k] = sari_import_need_link(im, name, frame->place, node->name);
    }
    if (!link[0] || !link[1]) {
        sari_import_error(im, node->place, "<%.60s> lacks one of its frames", node->name);
        return;
    }
    sari_robot_spring* s = sari_import_add_spring(
        im, sari_import_print(im, "%s_%s", link[0]->name, link[1]->name), node->place);
    s->is_bushing = true;
    s->link[0] = link[0], s->link[1] = link[1];
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const sari_xml* child = sari_xml_child(node, keys[k].word);
        double* out = (keys[k].damping ? s->C : s->K) + keys[k].at;
        drake_value(im, child, 3, out);
    }
    sari_import_note_at(im, node->place,
                        "bushings by roll, pitch and yaw: by the rotation vector, the same for "
                        "small angles",
                        "between '%.60s' and '%.60s'", link[0]->name, link[1]->name);
}

static bool is_drake_pair(const sari_xml* node)
{
    static const char* const words[] = {"drake:ball_constraint", "drake:weld_constraint",
                                        "drake:distance_constraint", "drake:linear_spring_damper"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (sari_xml_is(node, words[k])) return true;
    return false;
}

void sari_import_drake(sari_importer* im, const sari_xml* node)
{
    if (is_drake_pair(node))
        read_drake_pair(im, node);
    else if (sari_xml_is(node, "drake:linear_bushing_rpy"))
        read_drake_bushing(im, node);
    else if (!sari_xml_is(node, "drake:joint"))
        sari_import_note_at(im, node->place, "tags that are not read", "<%.40s>", node->name);
}

void sari_import_urdf_loops(sari_importer* im, const sari_xml* robot)
{
    SARI_XML_EACH(node, robot, NULL)
    {
        if (sari_xml_is(node, "loop_joint"))
            read_loop_joint(im, node);
        else if (sari_xml_is(node, "gazebo"))
            SARI_XML_EACH(joint, node, "joint") sari_import_gazebo_joint(im, joint);
        else if (strncmp(node->name, "drake:", 6) == 0)
            sari_import_drake(im, node);
    }
}
