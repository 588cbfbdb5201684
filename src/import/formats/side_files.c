/* Loops and couplings in YAML beside a URDF. These forms are in use:
 *
 *     closed_loop: [[frame, frame], ...]      type: ['3d', '6d', ...]      name_mot: [joint, ...] or a part of their names
 *     closures: [{link_a: .., link_b: .., point: [in the root], axis: [in the root]}]   dependent: [..]   independent: [..]
 *     pin_loops, ball_loops: [{name: .., parent: .., child: .., parent_xyz: [..], child_xyz: [..], axis: [in the parent]}]
 *     actuated_joints: [..]
 *     couplings: [{driver: joint, followers: [{joint: .., poly: [..]}]}]
 *
 * '3d' is a ball joint, '6d' a weld of frames of a body that was cut in two. */
#include "import/importer.h"

#include "input/yaml/document.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values --------------------------------------------------------------------------------- */

static const char* text_of(const sari_node* node)
{
    return node && node->kind == SARI_NODE_SCALAR ? node->text : "";
}

static const char* text_in(const sari_node* map, const char* key)
{
    return map && map->kind == SARI_NODE_MAP ? text_of(sari_node_get(map, key)) : "";
}

/* Numbers of a list: how many; 0: there is no such key. */
static int numbers_in(sari_importer* im, const sari_node* map, const char* key, int most,
                      double* out)
{
    const sari_node* list = sari_node_get(map, key);
    if (!list) return 0;
    if (list->kind != SARI_NODE_LIST || list->count > most) {
        sari_import_error(im, list->place, "%s must be a list of at most %d numbers", key, most);
        return -1;
    }
    for (int k = 0; k < list->count; k++)
        if (sari_import_numbers(im, text_of(list->values[k]), list->values[k]->place, key, 1, 1,
                                &out[k]) < 0)
            return -1;
    return list->count;
}

static bool vector_in(sari_importer* im, const sari_node* map, const char* key, double out[3])
{
    const int count = numbers_in(im, map, key, 3, out);
    if (count == 3) return true;
    if (count >= 0)
        sari_import_error(im, map->place, count ? "%s must have 3 numbers" : "there is no '%s'",
                          key);
    return false;
}

static const sari_node* list_in(const sari_node* root, const char* key)
{
    const sari_node* list = sari_node_get(root, key);
    return list && list->kind == SARI_NODE_LIST ? list : NULL;
}

/* ---- closed_loop ---------------------------------------------------------------------------- */

/* A frame by the name of a link or of a joint. */
static bool find_frame(sari_importer* im, const sari_node* node, sari_robot_link** link,
                       sari_pose* at)
{
    const char* name = text_of(node);
    *at = SARI_POSE_IDENTITY;
    *link = sari_import_find_link(im, name);
    if (*link) return true;
    const sari_robot_joint* joint = sari_import_find_joint(im, name);
    if (joint) {
        *link = joint->b, *at = joint->on_b;
        return true;
    }
    *link = sari_import_need_link(im, name, node->place, "closed_loop");
    return *link != NULL;
}

static const char* loop_type(const sari_node* types, int k)
{
    if (types && types->kind == SARI_NODE_SCALAR) return types->text;
    return types && types->kind == SARI_NODE_LIST && k < types->count ? text_of(types->values[k])
                                                                      : "6d";
}

static void read_closed_loop(sari_importer* im, const sari_node* root)
{
    const sari_node *loops = list_in(root, "closed_loop"), *types = sari_node_get(root, "type");
    for (int k = 0; loops && k < loops->count; k++) {
        const sari_node* pair = loops->values[k];
        const char* type = loop_type(types, k);
        sari_robot_link *a, *b;
        sari_pose on_a, on_b;
        if (pair->kind != SARI_NODE_LIST || pair->count != 2) {
            sari_import_error(im, pair->place, "a closed loop is a pair of frames");
            continue;
        }
        if (!find_frame(im, pair->values[0], &a, &on_a) ||
            !find_frame(im, pair->values[1], &b, &on_b))
            continue;
        const bool ball = strcmp(type, "3d") == 0 || strcmp(type, "3D") == 0;
        if (!ball && strcmp(type, "6d") != 0 && strcmp(type, "6D") != 0) {
            sari_import_error(im, types ? types->place : pair->place,
                              "a closed loop is of type '3d' or '6d', here is '%.20s'", type);
            continue;
        }
        (void)sari_import_add_loop(im, sari_import_print(im, "%s_%s", a->name, b->name),
                                   pair->place, ball ? SARI_ROBOT_SPHERICAL : SARI_ROBOT_FIXED, a,
                                   &on_a, b, &on_b);
    }
}

/* Joints of these names; a name may also be a part of those of all motors. */
static void read_motors(sari_importer* im, const sari_node* root, const char* key)
{
    const sari_node* names = sari_node_get(root, key);
    const int count = !names ? 0 : names->kind == SARI_NODE_LIST ? names->count : 1;
    for (int k = 0; k < count; k++) {
        const sari_node* node = names->kind == SARI_NODE_LIST ? names->values[k] : names;
        const char* name = text_of(node);
        sari_robot_joint* exact = sari_import_find_joint(im, name);
        bool any = exact != NULL;
        if (exact) sari_import_drive(im, exact, node->place);
        for (sari_robot_joint* j = im->robot.joints; !exact && name[0] && j; j = j->next)
            if (strstr(j->name, name)) {
                sari_import_drive(im, j, node->place);
                any = true;
            }
        if (!any)
            sari_import_note_at(im, node->place, "motors that no joint has: left out", "'%.60s'",
                                name);
    }
}

/* ---- closures, pins, balls ------------------------------------------------------------------ */

/* A joint at a point of the root's frame, as everything is drawn. */
static void read_closure(sari_importer* im, const sari_node* map)
{
    const char *name_a = text_in(map, "link_a"), *name_b = text_in(map, "link_b");
    double point[3], axis[3] = {0, 0, 1};
    sari_robot_link *a = sari_import_need_link(im, name_a, map->place, "closures"),
                    *b = sari_import_need_link(im, name_b, map->place, "closures");
    if (!a || !b || !vector_in(im, map, "point", point)) return;
    const int has_axis = numbers_in(im, map, "axis", 3, axis);
    if (has_axis < 0) return;
    const sari_pose there = sari_pose_shift(point), xa = sari_import_pose(im, a),
                    xb = sari_import_pose(im, b);
    const sari_pose on_a = sari_pose_between(&xa, &there), on_b = sari_pose_between(&xb, &there);
    sari_robot_joint* joint = sari_import_add_loop(
        im, sari_import_print(im, "%s_%s", name_a, name_b), map->place,
        has_axis ? SARI_ROBOT_REVOLUTE : SARI_ROBOT_SPHERICAL, a, &on_a, b, &on_b);
    memcpy(joint->axis, axis, sizeof axis);
    (void)sari_import_direction(im, map->place, joint->name, joint->axis);
}

static void read_pin(sari_importer* im, const sari_node* map, bool ball)
{
    const char *name = text_in(map, "name"), *parent = text_in(map, "parent"),
               *child = text_in(map, "child");
    double p[3], q[3], axis[3] = {0, 0, 1};
    sari_robot_link *a = sari_import_need_link(im, parent, map->place, "loops"),
                    *b = sari_import_need_link(im, child, map->place, "loops");
    if (!a || !b || !vector_in(im, map, "parent_xyz", p) || !vector_in(im, map, "child_xyz", q))
        return;
    if (!ball && !vector_in(im, map, "axis", axis)) return;
    const sari_pose on_a = sari_pose_shift(p), xa = sari_import_pose(im, a),
                    xb = sari_import_pose(im, b), seen = sari_pose_between(&xb, &xa);
    sari_pose on_b = sari_pose_shift(q);
    memcpy(on_b.R, seen.R, sizeof on_b.R);
    sari_robot_joint* joint = sari_import_add_loop(
        im, name[0] ? name : sari_import_print(im, "%s_%s", parent, child), map->place,
        ball ? SARI_ROBOT_SPHERICAL : SARI_ROBOT_REVOLUTE, a, &on_a, b, &on_b);
    memcpy(joint->axis, axis, sizeof axis);
    (void)sari_import_direction(im, map->place, joint->name, joint->axis);
}

/* A mimic that stands for a loop, to first order, contradicts the loop itself. */
static void drop_mimics(sari_importer* im, const sari_node* root)
{
    const sari_node* names = list_in(root, "dependent");
    for (int k = 0; names && k < names->count; k++) {
        const char* name = text_of(names->values[k]);
        sari_robot_coupling** at = &im->robot.couplings;
        im->robot.last_coupling = NULL;
        while (*at) {
            if ((*at)->terms && strcmp((*at)->terms->joint->name, name) == 0) {
                sari_import_note_at(im, (*at)->place, "mimic of joints that a loop moves: left out",
                                    "joint '%.60s'", name);
                *at = (*at)->next;
                continue;
            }
            im->robot.last_coupling = *at;
            at = &(*at)->next;
        }
    }
}

/* ---- couplings ------------------------------------------------------------------------------ */

/* Coefficients begin with the constant, unless that would move the robot as it is drawn and the other order would not. */
static void read_follower(sari_importer* im, const sari_node* map, sari_robot_joint* driver)
{
    const char* name = text_in(map, "joint");
    sari_robot_joint* joint = sari_import_need_joint(im, name, map->place, "couplings");
    double poly[6] = {0};
    const int count = numbers_in(im, map, "poly", 6, poly);
    if (!joint || count <= 0) {
        if (joint && count == 0)
            sari_import_error(im, map->place, "a follower lacks 'poly', its coefficients");
        return;
    }
    const bool backwards = fabs(poly[0]) > 1e-12 && fabs(poly[count - 1]) <= 1e-12;
    sari_robot_coupling* c =
        sari_import_add_coupling(im, sari_import_print(im, "%s_coupling", name), map->place);
    if (sari_robot_coordinates(joint->kind) != 1 || sari_robot_coordinates(driver->kind) != 1 ||
        count > 5) {
        sari_import_error(im, map->place,
                          "couplings are polynomials of degree 4 or less between joints with one "
                          "coordinate");
        return;
    }
    (void)sari_import_add_term(im, &c->terms, joint, 1.0);
    (void)sari_import_add_term(im, &c->terms, driver, 1.0);
    c->is_polynomial = true;
    for (int k = 0; k < count; k++) c->poly[k] = poly[backwards ? count - 1 - k : k];
    sari_import_note_at(im, map->place,
                        backwards ? "couplings whose coefficients end with the constant"
                                  : "couplings whose coefficients begin with the constant",
                        "joint '%.60s'", name);
}

static void read_couplings(sari_importer* im, const sari_node* root)
{
    const sari_node* list = root->kind == SARI_NODE_LIST ? root : list_in(root, "couplings");
    if (!list && root->kind == SARI_NODE_MAP) list = list_in(root, "loop_couplings");
    for (int k = 0; list && k < list->count; k++) {
        const sari_node* group = list->values[k];
        const char* name = text_in(group, "driver");
        const sari_node* followers =
            group->kind == SARI_NODE_MAP ? list_in(group, "followers") : NULL;
        if (!name[0] || !followers) continue;
        bool loops = false;
        for (const sari_robot_joint* j = im->robot.joints; j; j = j->next) loops |= j->closes;
        if (loops) {
            sari_import_note_at(im, group->place,
                                "couplings beside loops, which they approximate: left out",
                                "driver '%.60s'", name);
            continue;
        }
        sari_robot_joint* driver = sari_import_need_joint(im, name, group->place, "couplings");
        for (int i = 0; driver && i < followers->count; i++)
            if (followers->values[i]->kind == SARI_NODE_MAP)
                read_follower(im, followers->values[i], driver);
    }
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool has_loops(const sari_node* root)
{
    static const char* const keys[] = {"closed_loop", "closures",  "pin_loops",
                                       "ball_loops",  "couplings", "loop_couplings"};
    if (root->kind != SARI_NODE_MAP) return false;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (sari_node_get(root, keys[k])) return true;
    return false;
}

static void read_root(sari_importer* im, const sari_node* root)
{
    if (root->kind == SARI_NODE_MAP) {
        const sari_node *closures = list_in(root, "closures"), *pins = list_in(root, "pin_loops"),
                        *balls = list_in(root, "ball_loops");
        read_closed_loop(im, root);
        for (int k = 0; closures && k < closures->count; k++) read_closure(im, closures->values[k]);
        for (int k = 0; pins && k < pins->count; k++) read_pin(im, pins->values[k], false);
        for (int k = 0; balls && k < balls->count; k++) read_pin(im, balls->values[k], true);
        if (closures) drop_mimics(im, root);
        read_motors(im, root, "name_mot");
        read_motors(im, root, "actuated_joints");
        read_motors(im, root, "independent");
    }
    read_couplings(im, root);
}

/* `demanded`: the user named it. Others may have the same name and be about something else. */
static void read_file(sari_importer* im, const char* path, bool demanded)
{
    sari_node* root = NULL;
    const sari_source* source = sari_import_read(im, path, (sari_place){0});
    if (!source) return;
    const int before = im->errors->count;
    const sar_status status = sari_document_parse(source, &im->memory, im->errors, &root);
    if (status == SAR_E_NOMEM) im->no_memory = true;
    if (status != SAR_OK && !demanded) {
        im->errors->count = before;
        sari_import_note_at(im, (sari_place){.line = 1, .column = 1, .source = source},
                            "files beside the robot that are no plain YAML: not read", "%.100s",
                            path);
        return;
    }
    if (status != SAR_OK) {
        im->failures++;
        return;
    }
    if (!root) return;
    if (demanded || has_loops(root) || root->kind == SARI_NODE_LIST) read_root(im, root);
    if (demanded && !has_loops(root) && root->kind != SARI_NODE_LIST) {
        sari_import_error(im, root->place, "the file says nothing about loops");
        sari_import_hint(im, "closed_loop, closures, pin_loops, ball_loops or couplings");
    }
}

static const char* stem(sari_importer* im)
{
    const char* slash = strrchr(im->path, '/');
    const char* name = slash ? slash + 1 : im->path;
    const char* dot = strrchr(name, '.');
    return sari_import_print(im, "%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

void sari_import_side_files(sari_importer* im)
{
    static const char* const usual[] = {"robot.yaml", "loop_closures.yaml", "loop_couplings.yaml"};
    const char* why;
    if (im->options && im->options->loops) {
        const char* path = im->options->loops;
        read_file(im, path, true);
        return;
    }
    const char* own = sari_import_print(im, "%s.yaml", stem(im));
    for (int k = -1; k < 3; k++) {
        const char* name = k < 0 ? own : usual[k];
        if (k >= 0 && strcmp(name, own) == 0) continue;
        const char* path = sari_import_find_file(im, name, im->path, &why);
        if (!path) // of a package: urdf/robot.urdf, loop_closures.yaml or config/loop_closures.yaml
            path = sari_import_find_file(im, sari_import_print(im, "../%s", name), im->path, &why);
        if (!path)
            path = sari_import_find_file(im, sari_import_print(im, "../config/%s", name), im->path,
                                         &why);
        if (path) read_file(im, path, false);
    }
}
