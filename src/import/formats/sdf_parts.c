/* Links and joints of SDFormat, when all frames are known. */
#include "import/formats/sdf_frames.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- links ---------------------------------------------------------------------------------- */

/* The form of a <geometry>, or NULL: one that has no extent, or that is not known. */
static sari_robot_shape* read_form(sari_importer* im, const sari_xml* geometry,
                                   sari_robot_shape* shape)
{
    const sari_xml* form = sari_xml_child(geometry, NULL);
    while (form && (sari_xml_is(form, "empty") || sari_xml_is(form, "plane"))) form = form->next;
    if (!form) return NULL;
    shape->at = SARI_POSE_IDENTITY;
    if (sari_xml_is(form, "box")) {
        shape->kind = SARI_ROBOT_BOX;
        (void)sari_import_child_numbers(im, form, "size", 3, 3, shape->size);
    } else if (sari_xml_is(form, "sphere")) {
        shape->kind = SARI_ROBOT_SPHERE;
        shape->size[0] = sari_import_child_number(im, form, "radius", 1.0);
    } else if (sari_xml_is(form, "ellipsoid")) {
        shape->kind = SARI_ROBOT_ELLIPSOID;
        (void)sari_import_child_numbers(im, form, "radii", 3, 3, shape->size);
    } else if (sari_xml_is(form, "cylinder") || sari_xml_is(form, "capsule") ||
               sari_xml_is(form, "drake:capsule")) {
        shape->kind = sari_xml_is(form, "cylinder") ? SARI_ROBOT_CYLINDER : SARI_ROBOT_CAPSULE;
        shape->size[0] = sari_import_child_number(im, form, "radius", 1.0);
        shape->size[1] = sari_import_child_number(im, form, "length", 1.0);
    } else {
        sari_import_note_at(im, form->place, "shapes that cannot be drawn: left out", "<%.40s>",
                            form->name);
        return NULL;
    }
    return shape;
}

static void read_shape(sari_importer* im, const sari_sdf_scope* scope, const sari_xml* visual,
                       sari_robot_link* link)
{
    const sari_xml *geometry = sari_xml_child(visual, "geometry"),
                   *mesh = sari_xml_child(geometry, "mesh"),
                   *diffuse = sari_xml_child(sari_xml_child(visual, "material"), "diffuse");
    sari_pose at;
    sari_robot_shape form = {0};
    double colour[4] = {0, 0, 0, -1}, scale[3] = {1, 1, 1};
    (void)sari_sdf_pose(im, sari_xml_child(visual, "pose"), &at);
    if (diffuse &&
        sari_import_numbers(im, diffuse->text, diffuse->place, "diffuse", 3, 4, colour) == 3)
        colour[3] = 1.0;
    if (mesh) {
        const sari_xml* uri = sari_xml_child(mesh, "uri");
        (void)sari_import_child_numbers(im, mesh, "scale", 3, 3, scale);
        if (uri)
            sari_import_add_mesh(im, link, uri->text, scope->path, uri->place, scale, &at, colour);
        return;
    }
    if (!read_form(im, geometry, &form)) return;
    sari_robot_shape* shape = sari_import_add_shape(im, link, form.kind);
    memcpy(shape->size, form.size, sizeof shape->size);
    memcpy(shape->colour, colour, sizeof colour);
    shape->at = at;
}

/* <inertial auto="true">: from the collision shapes and their density. */
static void read_automatic(sari_importer* im, const sari_sdf_scope* scope, const sari_xml* node,
                           double density, sari_robot_link* link)
{
    SARI_XML_EACH(collision, node, "collision")
    {
        const sari_xml *geometry = sari_xml_child(collision, "geometry"),
                       *uri = sari_xml_child(sari_xml_child(geometry, "mesh"), "uri");
        sari_robot_shape form = {.size = {1, 1, 1}};
        sari_pose at;
        double volume, center[3], I[6];
        const char *why,
            *path = uri ? sari_import_find_file(im, uri->text, scope->path, &why) : NULL;
        (void)sari_sdf_pose(im, sari_xml_child(collision, "pose"), &at);
        if (uri) form.kind = SARI_ROBOT_MESH;
        if (!uri && !read_form(im, geometry, &form)) continue;
        const double rho = sari_import_child_number(im, collision, "density", density);
        if (sari_import_solid(im, &form, path, &volume, center, I))
            sari_import_add_solid(link, &at, rho * volume, volume, center, I);
        else
            sari_import_note_at(im, collision->place,
                                "shapes whose mass cannot be found: taken as zero", "link '%.60s'",
                                link->name);
    }
}

static void read_inertial(sari_importer* im, const sari_sdf_scope* scope, const sari_xml* node,
                          sari_robot_link* link)
{
    static const char* const words[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const sari_xml *inertial = sari_xml_child(node, "inertial"),
                   *inertia = sari_xml_child(inertial, "inertia");
    sari_pose at;
    if (inertial && sari_import_truth(sari_xml_get(inertial, "auto"), false)) {
        read_automatic(im, scope, node, sari_import_child_number(im, inertial, "density", 1000.0),
                       link);
        return;
    }
    if (!inertial && !scope->is_static)
        sari_import_note_at(im, node->place,
                            "links without <inertial>: 1 kg and 1 kg m^2, as the format says",
                            "link '%.60s'", link->name);
    (void)sari_sdf_pose(im, sari_xml_child(inertial, "pose"), &at);
    link->mass = sari_import_child_number(im, inertial, "mass", 1.0);
    memcpy(link->center, at.p, sizeof link->center);
    for (int k = 0; k < 6; k++)
        link->inertia[k] = sari_import_child_number(im, inertia, words[k], k < 3 ? 1.0 : 0.0);
    for (int k = 0; k < 6; k++)
        if (!isfinite(link->mass) || !isfinite(link->inertia[k])) {
            sari_import_error(im, node->place, "link '%.60s': mass and inertia must be finite",
                              link->name);
            return;
        }
    sari_inertia_rotate(at.R, link->inertia);
}

void sari_sdf_read_link(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node,
                        sari_robot_link* link)
{
    const sari_xml* gravity = sari_xml_child(node, "gravity");
    read_inertial(s->im, scope, node, link);
    SARI_XML_EACH(visual, node, "visual") read_shape(s->im, scope, visual, link);
    if (!sari_robot_is_drawn(link))
        SARI_XML_EACH(collision, node, "collision") read_shape(s->im, scope, collision, link);
    if (gravity && !sari_import_truth(gravity->text, true))
        sari_import_note_at(s->im, gravity->place, "links that gravity does not pull: it does",
                            "link '%.60s'", link->name);
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* A direction in the frame of the joint. */
static void read_axis(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* axis,
                      const sari_pose* joint, const char* name, double out[3])
{
    const sari_xml *xyz = sari_xml_child(axis, "xyz"),
                   *old = sari_xml_child(axis, "use_parent_model_frame");
    const char* in = xyz ? sari_xml_get(xyz, "expressed_in") : NULL;
    out[0] = out[1] = 0, out[2] = 1;
    if (xyz && sari_import_numbers(s->im, xyz->text, xyz->place, "xyz", 3, 3, out) < 0) return;
    const bool by_model = old ? sari_import_truth(old->text, false) : scope->version < 1.45;
    if ((!in || !in[0]) && by_model && scope->version < 1.65) in = "__model__";
    if (in && in[0]) {
        sari_sdf_frame* frame = sari_sdf_find(s, sari_sdf_name(s, scope, in));
        const bool world = strcmp(in, "world") == 0;
        if (!frame && !world) {
            sari_import_error(s->im, xyz ? xyz->place : axis->place, "there is no frame '%.100s'",
                              in);
            return;
        }
        if (frame && sari_sdf_resolve(s, frame)) sari_rotate(frame->world.R, out, out);
        sari_rotate_back(joint->R, out, out);
    }
    (void)sari_import_direction(s->im, axis ? axis->place : (sari_place){0}, name, out);
}

static double not_negative(sari_importer* im, const sari_xml* node, const char* word)
{
    const double value = sari_import_child_number(im, node, word, 0.0);
    return value > 0.0 && isfinite(value) ? value : 0.0;
}

static void read_travel(sari_importer* im, const sari_xml* axis, const char* name,
                        sari_robot_travel* travel)
{
    const sari_xml *limit = sari_xml_child(axis, "limit"),
                   *dynamics = sari_xml_child(axis, "dynamics");
    if (limit) {
        const double lower = sari_import_child_number(im, limit, "lower", -INFINITY),
                     upper = sari_import_child_number(im, limit, "upper", INFINITY);
        if (lower == upper)
            sari_import_note_at(im, limit->place,
                                "limits without a range (lower = upper): no stops", "joint '%.60s'",
                                name);
        else
            sari_import_limits(im, limit->place, name, lower, upper, travel);
        travel->effort = fmax(0.0, sari_import_child_number(im, limit, "effort", 0.0));
        if (!isfinite(travel->effort)) travel->effort = 0.0;
    }
    if (!dynamics) return;
    travel->damping = not_negative(im, dynamics, "damping");
    travel->friction = not_negative(im, dynamics, "friction");
    travel->stiffness = not_negative(im, dynamics, "spring_stiffness");
    travel->rest = sari_import_child_number(im, dynamics, "spring_reference", 0.0);
}

/* ---- joints --------------------------------------------------------------------------------- */

static bool find_kind(const char* word, sari_robot_joint_kind* kind)
{
    static const struct {
        const char* word;
        sari_robot_joint_kind kind;
    } words[] = {{"fixed", SARI_ROBOT_FIXED},         {"revolute", SARI_ROBOT_REVOLUTE},
                 {"continuous", SARI_ROBOT_REVOLUTE}, {"prismatic", SARI_ROBOT_PRISMATIC},
                 {"ball", SARI_ROBOT_SPHERICAL},      {"universal", SARI_ROBOT_UNIVERSAL},
                 {"revolute2", SARI_ROBOT_UNIVERSAL}, {"screw", SARI_ROBOT_SCREW}};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(word, words[k].word) == 0) {
            *kind = words[k].kind;
            return true;
        }
    return false;
}

/* Metres per revolution. The old element is in radians per metre, and left-handed. */
static double read_pitch(sari_importer* im, const sari_xml* node)
{
    const sari_xml *pitch = sari_xml_child(node, "screw_thread_pitch"),
                   *old = sari_xml_child(node, "thread_pitch");
    if (pitch) return sari_import_child_number(im, node, "screw_thread_pitch", 0.0);
    const double turns = sari_import_child_number(im, node, "thread_pitch", 1.0);
    if (old)
        sari_import_note_at(im, old->place,
                            "<thread_pitch> in rad/m, left-handed: as pitch in m, right-handed",
                            "%g rad/m", turns);
    return turns != 0.0 && isfinite(turns) ? -2 * PI / turns : 0.0;
}

/* Two axes that are not at right angles: two joints, with a body without mass between. */
static void split(sari_importer* im, sari_robot_joint* first)
{
    sari_robot_link* cross =
        sari_import_add_link(im, sari_import_print(im, "%s_cross", first->name), first->place);
    sari_robot_joint* second =
        sari_import_add_joint(im, sari_import_print(im, "%s_2", first->name), first->place);
    cross->massless_frame = true;
    const sari_robot_joint both = *first;
    first->kind = second->kind = SARI_ROBOT_REVOLUTE;
    first->b = second->a = cross;
    second->b = both.b;
    first->on_b = second->on_a = SARI_POSE_IDENTITY;
    second->on_b = both.on_b;
    cross->pose = sari_pose_times(&both.a->pose, &both.on_a);
    memcpy(second->axis, both.axis2, sizeof second->axis);
    second->travel[0] = both.travel[1];
    first->travel[1] = (sari_robot_travel){0};
}

static const char* text_of(const sari_xml* node, const char* child)
{
    const sari_xml* found = sari_xml_child(node, child);
    return found ? found->text : "";
}

static sari_robot_link* find_end(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node,
                                 const char* word, const char* name)
{
    const sari_xml* end = sari_xml_child(node, word);
    const sari_xml* inside = sari_xml_child(end, "link_name"); // of the first versions
    if (!end) {
        sari_import_error(s->im, node->place, "joint '%.60s' lacks <%s>", name, word);
        return NULL;
    }
    const char* of = inside ? inside->text : end->text;
    sari_robot_link* link = sari_sdf_link_of(s, sari_sdf_name(s, scope, of));
    if (!link)
        sari_import_error(s->im, end->place, "joint '%.60s': there is no link or frame '%.100s'",
                          name, of);
    return link;
}

static void fill_joint(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node,
                       const sari_pose* at, sari_robot_joint* joint)
{
    const sari_xml *axis = sari_xml_child(node, "axis"), *axis2 = sari_xml_child(node, "axis2");
    const int count = sari_robot_coordinates(joint->kind);
    joint->on_a = sari_pose_between(&joint->a->pose, at);
    joint->on_b = sari_pose_between(&joint->b->pose, at);
    if (count > 0) read_axis(s, scope, axis, at, joint->name, joint->axis);
    if (count > 0) read_travel(s->im, axis, joint->name, &joint->travel[0]);
    if (joint->kind == SARI_ROBOT_SCREW) joint->pitch = read_pitch(s->im, node);
    if (joint->kind != SARI_ROBOT_UNIVERSAL) return;
    read_axis(s, scope, axis2, at, joint->name, joint->axis2);
    read_travel(s->im, axis2, joint->name, &joint->travel[1]);
    double across[3];
    sari_cross(joint->axis, joint->axis2, across);
    if (sari_norm3(across) < 1e-6)
        sari_import_error(s->im, node->place, "joint '%.60s': its two axes are parallel",
                          joint->name);
    else if (fabs(sari_dot(joint->axis, joint->axis2)) > 1e-12)
        split(s->im, joint);
}

void sari_sdf_read_joint(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node)
{
    const char *own = sari_xml_get(node, "name"), *type = sari_import_name(s->im, node, "type");
    const char* name = sari_import_print(s->im, "%s%s", scope->shown, own ? own : "joint");
    sari_robot_joint_kind kind = SARI_ROBOT_FIXED;
    if (strcmp(type, "gearbox") == 0) return; // a coupling of other joints
    if (type[0] && !find_kind(type, &kind)) {
        sari_import_error(s->im, node->place, "joint '%.60s': no type '%.40s'", name, type);
        sari_import_hint(s->im, "fixed, revolute, continuous, prismatic, ball, universal, "
                                "revolute2, screw, gearbox");
        return;
    }
    sari_robot_link *a = find_end(s, scope, node, "parent", name),
                    *b = find_end(s, scope, node, "child", name);
    if (a && a == b) {
        sari_import_note_at(s->im, node->place, "joints between parts of one body: left out",
                            "joint '%.60s'", name);
        return;
    }
    sari_sdf_frame* frame = own ? sari_sdf_find(s, sari_sdf_name(s, scope, own)) : NULL;
    if (!a || !b || !frame || !sari_sdf_resolve(s, frame)) return;
    sari_robot_joint* joint = sari_import_add_joint(s->im, name, node->place);
    joint->kind = kind;
    joint->a = a, joint->b = b;
    fill_joint(s, scope, node, &frame->world, joint);
}

/* ---- gearboxes and mimics ------------------------------------------------------------------- */

/* The joint between two links, and its sense as a rotation of `moves` about `axis` (world axes); 0: none. */
static double find_between(sari_importer* im, const sari_robot_link* base,
                           const sari_robot_link* moves, const double axis[3],
                           sari_robot_joint** found)
{
    for (sari_robot_joint* j = im->robot.joints; j; j = j->next) {
        const bool along = j->a == base && j->b == moves, against = j->b == base && j->a == moves;
        if (j->kind != SARI_ROBOT_REVOLUTE || (!along && !against)) continue;
        double u[3];
        const sari_pose x = sari_pose_times(&j->a->pose, &j->on_a);
        sari_rotate(x.R, j->axis, u);
        *found = j;
        return (along ? 1.0 : -1.0) * (sari_dot(u, axis) < 0 ? -1.0 : 1.0);
    }
    return 0.0;
}

static void read_gearbox(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node,
                         const char* name)
{
    const sari_xml *axis = sari_xml_child(node, "axis"), *axis2 = sari_xml_child(node, "axis2");
    const char* reference = text_of(node, "gearbox_reference_body");
    const double ratio = sari_import_child_number(s->im, node, "gearbox_ratio", 1.0);
    sari_robot_link *a = find_end(s, scope, node, "parent", name),
                    *b = find_end(s, scope, node, "child", name),
                    *base = reference[0] ? sari_sdf_link_of(s, sari_sdf_name(s, scope, reference))
                                         : NULL;
    const char* own = sari_xml_get(node, "name");
    sari_sdf_frame* frame = own ? sari_sdf_find(s, sari_sdf_name(s, scope, own)) : NULL;
    sari_robot_joint *first = NULL, *second = NULL;
    double u[3], w[3];
    if (!a || !b || !frame || !sari_sdf_resolve(s, frame)) return;
    read_axis(s, scope, axis, &frame->world, name, u);
    read_axis(s, scope, axis2 ? axis2 : axis, &frame->world, name, w);
    sari_rotate(frame->world.R, u, u);
    sari_rotate(frame->world.R, w, w);
    const double of_a = base ? find_between(s->im, base, a, u, &first) : 0.0,
                 of_b = base ? find_between(s->im, base, b, w, &second) : 0.0;
    if (of_a == 0.0 || of_b == 0.0) {
        sari_import_error(s->im, node->place,
                          "gearbox '%.60s': <gearbox_reference_body> must be a link that revolute "
                          "joints connect with parent and child",
                          name);
        return;
    }
    sari_robot_coupling* c = sari_import_add_coupling(s->im, name, node->place);
    (void)sari_import_add_term(s->im, &c->terms, second, of_b);
    (void)sari_import_add_term(s->im, &c->terms, first, ratio * of_a);
}

static void read_mimic(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* axis,
                       sari_robot_joint* follower)
{
    const sari_xml* mimic = sari_xml_child(axis, "mimic");
    if (!mimic) return;
    const char* of = sari_import_name(s->im, mimic, "joint");
    sari_robot_joint* leader = sari_import_need_joint(
        s->im, sari_import_print(s->im, "%s%s", scope->shown, of), mimic->place, "mimic");
    const double multiplier = sari_import_child_number(s->im, mimic, "multiplier", 1.0),
                 offset = sari_import_child_number(s->im, mimic, "offset", 0.0),
                 reference = sari_import_child_number(s->im, mimic, "reference", 0.0);
    if (leader)
        sari_import_mimic(s->im, follower, leader, multiplier, offset - multiplier * reference,
                          mimic->place);
}

void sari_sdf_read_couplings(sari_sdf* s, const sari_sdf_scope* scope, const sari_xml* node)
{
    const char *own = sari_xml_get(node, "name"), *type = sari_xml_get(node, "type");
    const char* name = sari_import_print(s->im, "%s%s", scope->shown, own ? own : "joint");
    if (type && strcmp(type, "gearbox") == 0) {
        read_gearbox(s, scope, node, name);
        return;
    }
    sari_robot_joint* joint = sari_import_find_joint(s->im, name);
    if (joint) read_mimic(s, scope, sari_xml_child(node, "axis"), joint);
}

/* ---- in URDF -------------------------------------------------------------------------------- */

void sari_import_gazebo_joint(sari_importer* im, const sari_xml* node)
{
    const char *name = sari_import_name(im, node, "name"),
               *type = sari_import_name(im, node, "type"), *parent = text_of(node, "parent"),
               *child = text_of(node, "child");
    sari_sdf* s = sari_import_take(im, sizeof *s);
    const sari_sdf_scope scope = {"", "", im->path, 1.7, false};
    sari_robot_joint_kind kind = SARI_ROBOT_FIXED;
    sari_pose at;
    if (!s) return;
    s->im = im;
    if (!find_kind(type, &kind)) {
        sari_import_note_at(im, node->place, "tags that are not read", "<gazebo> joint '%.40s'",
                            name);
        return;
    }
    sari_robot_link *a = sari_import_need_link(im, parent, node->place, name),
                    *b = sari_import_need_link(im, child, node->place, name);
    if (!a || !b) return;
    (void)sari_sdf_pose(im, sari_xml_child(node, "pose"), &at);
    const sari_pose xb = sari_import_pose(im, b), world = sari_pose_times(&xb, &at);
    (void)sari_import_pose(im, a);
    sari_robot_joint* joint =
        sari_import_add_loop(im, name, node->place, kind, a, &SARI_POSE_IDENTITY, b, &at);
    fill_joint(s, &scope, node, &world, joint);
}
