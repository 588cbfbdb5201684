/* Named frames: where they are in their bodies, as the file sees these. */
#include "input/reader.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <string.h>

/* R' = S R S of a mirrored body; A R S in the ground, which is that of the world (placement.c). */
static void place_frame(sari_reader* r, bool placed, sar_frame_def* def)
{
    const sari_placement* p = &r->scope->placement;
    const double S[9] = {p->S[0], 0, 0, 0, p->S[1], 0, 0, 0, p->S[2]};
    if (!p->moved) return;
    if (!placed && def->body.i == SAR_GROUND.i)
        sari_put_point(p, def->point);
    else if (!placed)
        sari_sign_vector(p, def->point);
    sari_multiply3(def->body.i == SAR_GROUND.i ? p->A : S, def->rotation, def->rotation);
    sari_multiply3(def->rotation, S, def->rotation);
}

/* In the axes of another frame: as both are in the model. */
static void place_in_frame(const sari_reader* r, const sari_frame* other, sar_frame_def* def)
{
    const sari_placement* p = &r->scope->placement;
    const double S[9] = {p->S[0], 0, 0, 0, p->S[1], 0, 0, 0, p->S[2]};
    double at[3];
    sari_sign_vector(p, def->point);
    sari_rotate(other->R, def->point, at);
    for (int k = 0; k < 3; k++) def->point[k] = other->point[k] + at[k];
    sari_multiply3(S, def->rotation, def->rotation);
    sari_multiply3(def->rotation, S, def->rotation);
    sari_multiply3(other->R, def->rotation, def->rotation);
    def->body.i = other->body;
}

/* A vector, or the name of a point of the body, which is placed already: true. */
static bool read_origin(sari_reader* r, const sari_element* e, const sari_frame* other,
                        sar_frame_def* def)
{
    const sari_node* node = sari_node_get(e->map, "position");
    if (!node) return false;
    if (node->kind != SARI_NODE_SCALAR || other) {
        sari_read_vector_in(r, node, "position", "[m]", def->point);
        return false;
    }
    const sari_text name = sari_read_text(r, node, "position");
    const char* full = def->body.i == SAR_GROUND.i ? sari_full_name(r, name.text) : name.text;
    if (full && sar_model_find_point(r->model, def->body, full, strlen(full), def->point) == SAR_OK)
        return true;
    sari_report(r, node, "'%s' has no point '%.60s'", sar_model_body_name(r->model, def->body.i),
                name.text);
    sari_hint(r, "give the origin as a vector, or name a point of the body");
    return false;
}

static void read_frame_rotation(sari_reader* r, const sari_element* e, double R[9])
{
    const sari_node* node = sari_node_get(e->map, r->dimension == 2 ? "angle" : "rotation");
    if (!node) return;
    if (r->dimension == 2)
        sari_rotation_in_plane(sari_read_number_in(r, node, "angle", "[rad]"), R);
    else
        sari_read_rotation(r, node, R, NULL);
}

/* Its body, which may be another frame. False: reported. */
static bool read_carrier(sari_reader* r, const sari_element* e, sar_frame_def* def,
                         const sari_frame** other)
{
    const sari_node* node = sari_node_get(e->map, "body");
    *other = NULL;
    if (!node) return true;
    *other = sari_find_frame(r, node);
    if (*other) return true;
    if (!sari_read_body(r, node, "body", &def->body)) return false;
    if (sari_find_port(r->scope, node->text, strlen(node->text))) {
        sari_report(r, node,
                    "'%s' is a port: a frame belongs to a body of its own file, or to the "
                    "ground",
                    node->text);
        sari_hint(r, "give the port points and axes, or put the frame into the file of the body");
        return false;
    }
    return true;
}

void sari_read_frame_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {{"body", 0},
                                    {"position", 0},
                                    {"angle", SARI_KEY_PLANAR},
                                    {"rotation", SARI_KEY_SPATIAL},
                                    {"when", 0}};
    const int before = r->failures;
    sar_frame_def def = sar_frame_def_default();
    const sari_frame* other = NULL;
    bool placed = false;
    sari_element e;
    sar_error error;
    if (!sari_element_open(r, "frame", key, value, &e)) return;
    if (sari_model_find_kind(r->model, SARI_PART_FRAME, e.name, strlen(e.name)) >= 0 &&
        sari_remembers(&r->early, e.name, strlen(e.name)))
        return; // a body is drawn on it
    SARI_CHECK_KEYS(r, &e, keys);
    def.name = e.name;
    if (read_carrier(r, &e, &def, &other)) {
        placed = read_origin(r, &e, other, &def);
        read_frame_rotation(r, &e, def.rotation);
    }
    if (r->failures == before) {
        if (other)
            place_in_frame(r, other, &def);
        else
            place_frame(r, placed, &def);
        if (sar_model_add_frame(r->model, &def, &error) != SAR_OK) sari_reject(r, &e, &error);
    }
    if (r->failures != before) sari_remember(r, &r->failed, e.name);
}

const sari_frame* sari_find_frame(sari_reader* r, const sari_node* node)
{
    if (node->kind != SARI_NODE_SCALAR) return NULL;
    const sari_text name = sari_read_text(r, node, "a frame");
    const char* full = sari_full_path(r, name.text);
    return full ? sari_model_frame(r->model, full, strlen(full)) : NULL;
}

const sari_frame* sari_frame_drawn_on(sari_reader* r, const sari_node* node)
{
    const sari_frame* found = sari_find_frame(r, node);
    const sari_node* frames = sari_node_get(r->scope->root, "frames");
    if (found || node->kind != SARI_NODE_SCALAR || !frames || frames->kind != SARI_NODE_MAP)
        return found;
    for (int k = 0; k < frames->count; k++) {
        if (strcmp(frames->keys[k]->text, node->text) != 0) continue;
        const char* name = sari_full_name(r, node->text);
        if (!name) return NULL;
        sari_read_frame_element(r, frames->keys[k], frames->values[k]);
        sari_remember(r, &r->early, name);
        return sari_find_frame(r, node);
    }
    return NULL;
}
