#include "import/formats/sdf_frames.h"

#include "base/hash.h"
#include "math/rotation.h"

#include <string.h>

static unsigned code_of(const char* name)
{
    return sari_hash_code(name, strlen(name)) % SARI_SDF_CODES;
}

sari_sdf_frame* sari_sdf_find(sari_sdf* s, const char* name)
{
    for (sari_sdf_frame* k = s->by_code[code_of(name)]; k; k = k->same_code)
        if (strcmp(k->name, name) == 0) return k;
    return NULL;
}

sari_sdf_frame* sari_sdf_add(sari_sdf* s, const char* name, sari_place place)
{
    const sari_sdf_frame* other = sari_sdf_find(s, name);
    if (other)
        sari_import_error(s->im, place, "there is a '%.100s' already, at line %d", name,
                          other->place.line);
    sari_sdf_frame* frame =
        sari_import_count(s->im, place) ? sari_import_take(s->im, sizeof *frame) : NULL;
    if (!frame) return &s->spare;
    *frame = (sari_sdf_frame){.name = name,
                              .place = place,
                              .relative_to = "",
                              .attached_to = "",
                              .placement = "",
                              .pose = SARI_POSE_IDENTITY,
                              .world = SARI_POSE_IDENTITY};
    const unsigned code = code_of(name);
    frame->same_code = s->by_code[code];
    s->by_code[code] = frame;
    return frame;
}

const char* sari_sdf_name(sari_sdf* s, const sari_sdf_scope* scope, const char* name)
{
    if (strcmp(name, "world") == 0 || strcmp(name, "__root__") == 0) return "";
    return scope->prefix[0] ? sari_import_print(s->im, "%s%s", scope->prefix, name) : name;
}

/* A model that is placed by one of its frames: X_model = X_pose (frame in the model)^-1 */
static bool shift_to_placement(sari_sdf* s, sari_sdf_frame* frame)
{
    sari_sdf_frame* by = sari_sdf_find(s, frame->placement);
    if (!by) {
        sari_import_error(s->im, frame->place, "there is no frame '%.100s'", frame->placement);
        return false;
    }
    const sari_pose placed = frame->world;
    frame->world = SARI_POSE_IDENTITY; // for a moment: the frame as the model sees it
    frame->state = SARI_SDF_DONE;
    const bool known = sari_sdf_resolve(s, by);
    const sari_pose inside = by->world, back = sari_pose_inverse(&inside);
    frame->world = sari_pose_times(&placed, &back);
    by->world = placed;
    return known;
}

bool sari_sdf_resolve(sari_sdf* s, sari_sdf_frame* frame)
{
    if (frame->state == SARI_SDF_DONE) return true;
    if (frame->state == SARI_SDF_GOES_ON || s->depth > SARI_SDF_DEPTH) {
        sari_import_error(s->im, frame->place,
                          "the pose of '%.100s' depends on itself, or on too many others",
                          frame->name);
        return false;
    }
    frame->state = SARI_SDF_GOES_ON;
    sari_pose in = SARI_POSE_IDENTITY;
    bool known = true;
    if (frame->relative_to[0]) {
        sari_sdf_frame* other = sari_sdf_find(s, frame->relative_to);
        if (!other)
            sari_import_error(s->im, frame->place, "'%.100s': there is no frame '%.100s'",
                              frame->name, frame->relative_to);
        s->depth++;
        known = other && sari_sdf_resolve(s, other);
        s->depth--;
        if (known) in = other->world;
    }
    frame->world = sari_pose_times(&in, &frame->pose);
    if (known && frame->placement[0]) known = shift_to_placement(s, frame);
    frame->state = SARI_SDF_DONE;
    return known;
}

sari_robot_link* sari_sdf_link_of(sari_sdf* s, const char* name)
{
    for (int k = 0; k < SARI_SDF_DEPTH; k++) {
        if (!name[0]) return &s->im->robot.ground;
        const sari_sdf_frame* frame = sari_sdf_find(s, name);
        if (!frame) return NULL;
        if (frame->link) return frame->link;
        name = frame->attached_to;
    }
    return NULL;
}

/* ---- <pose> --------------------------------------------------------------------------------- */

static const double PI = 3.14159265358979323846;

const char* sari_sdf_pose(sari_importer* im, const sari_xml* node, sari_pose* pose)
{
    double v[7] = {0};
    *pose = SARI_POSE_IDENTITY;
    if (!node) return NULL;
    const char *format = sari_xml_get(node, "rotation_format"),
               *relative = sari_xml_get(node, "relative_to");
    const bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
    const int wanted = quaternion ? 7 : 6;
    if (!relative) relative = sari_xml_get(node, "frame"); // before 1.7
    if (relative && !relative[0]) relative = NULL;
    if (!node->text[0] ||
        sari_import_numbers(im, node->text, node->place, "pose", wanted, wanted, v) < 0)
        return relative;
    memcpy(pose->p, v, sizeof pose->p);
    if (quaternion) {
        const double q[4] = {v[6], v[3], v[4], v[5]};
        if (!sari_pose_quaternion(q, pose->R))
            sari_import_error(im, node->place, "the quaternion is zero");
        return relative;
    }
    if (sari_import_truth(sari_xml_get(node, "degrees"), false))
        for (int k = 3; k < 6; k++) v[k] *= PI / 180;
    sari_rotation_rpy(v + 3, pose->R);
    return relative;
}
