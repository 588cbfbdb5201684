/* Shapes of bodies: {type: box, size: [...]} and the like, one or a list of them. */
#include "base/memory.h"
#include "base/status.h"
#include "input/mesh_file.h"
#include "input/reader.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/// A shape while it is read: where its own frame is in that of the body.
typedef struct shape_source {
    sari_reader* r;
    sari_element e;
    sar_body_id body;
    double R[9], center[3];
    sar_shape_def def;
} shape_source;

/* ---- places --------------------------------------------------------------------------------- */

/* From what the file says to the frame of the body, and back: that of a mirrored body is its own
 * (placement.c), and the ground's is the world. */
static void place(const shape_source* s, double x[3])
{
    const sari_placement* p = &s->r->scope->placement;
    if (s->body.i == SAR_GROUND.i)
        sari_put_point(p, x);
    else
        sari_sign_vector(p, x);
}

static void place_back(const shape_source* s, double x[3])
{
    const sari_placement* p = &s->r->scope->placement;
    if (s->body.i != SAR_GROUND.i) {
        sari_sign_vector(p, x);
    } else if (p->moved) {
        for (int k = 0; k < 3; k++) x[k] -= p->d[k];
        sari_rotate_back(p->A, x, x);
    }
}

static bool is_mirrored(const shape_source* s)
{
    return s->r->scope->placement.mirrored;
}

/* The name of a point of the body, or a vector. */
static void read_place(shape_source* s, const char* key, double out[3])
{
    sari_reader* r = s->r;
    const sari_node* node = sari_node_get(s->e.map, key);
    if (!node) return;
    if (node->kind != SARI_NODE_SCALAR) {
        sari_read_vector_in(r, node, key, "[m]", out);
        return;
    }
    const int before = r->failures;
    const char* name = sari_read_text(r, node, key).text;
    if (r->failures != before) return;
    if (sar_model_find_point(r->model, s->body, name, strlen(name), out) == SAR_OK) {
        place_back(s, out);
        return;
    }
    const sari_body* b = &r->model->bodies[s->body.i];
    sari_report(r, node, "'%s' has no point '%.60s'", b->name, name);
    sari_hint(r, "%s is a point of the body or %s", key,
              r->dimension == 2 ? "a vector [x, y]" : "a vector [x, y, z]");
}

static void read_frame(shape_source* s)
{
    const char* word = s->r->dimension == 2 ? "angle" : "rotation";
    const sari_node* turn = sari_node_get(s->e.map, word);
    read_place(s, "center", s->center);
    if (turn && s->r->dimension == 2) {
        const double angle = sari_read_number_in(s->r, turn, word, "[rad]");
        s->R[0] = s->R[4] = sari_cos(angle), s->R[3] = sari_sin(angle), s->R[1] = -sari_sin(angle);
    } else if (turn) {
        sari_read_rotation(s->r, turn, s->R, NULL);
    }
}

/* p in the shape's frame is out in the body's, as the file has it. */
static void to_body(const shape_source* s, const double p[3], double out[3])
{
    double turned[3];
    sari_rotate(s->R, p, turned);
    for (int k = 0; k < 3; k++) out[k] = s->center[k] + turned[k];
}

/* ---- kinds ---------------------------------------------------------------------------------- */

/* Points as the file has them. */
static void add(shape_source* s, double (*points)[3], int count)
{
    sar_error error;
    for (int k = 0; k < count; k++) place(s, points[k]);
    s->def.point = (const double(*)[3])points;
    s->def.points = count;
    if (sar_model_add_shape(s->r->model, s->body, &s->def, &error) != SAR_OK)
        sari_reject(s->r, &s->e, &error);
}

/* A planar box is as thick as its shorter edge. */
static void read_box(shape_source* s)
{
    const sari_node* node = sari_node_get(s->e.map, "size");
    const int before = s->r->failures;
    double size[3] = {0}, points[4][3];
    if (!node) return;
    sari_read_vector_in(s->r, node, "size", "[m]", size);
    if (s->r->dimension == 2) size[2] = fmin(size[0], size[1]);
    for (int k = 0; k < 3 && s->r->failures == before; k++)
        if (!(size[k] > 0)) sari_report(s->r, node, "the edges of a box must be positive");
    for (int k = 0; k < 4; k++) {
        double p[3] = {0};
        if (k) p[k - 1] = 0.5 * size[k - 1];
        if (k == 3 && is_mirrored(s)) p[2] = -p[2]; // its edges stay right-handed
        to_body(s, p, points[k]);
    }
    if (s->r->failures == before) add(s, points, 4);
}

static void read_sphere(shape_source* s)
{
    double at[1][3] = {{s->center[0], s->center[1], s->center[2]}};
    add(s, at, 1);
}

/* From one place to another; in the plane a cylinder may be a disc around its centre. */
static void read_round(shape_source* s)
{
    double points[2][3] = {{0}};
    const int before = s->r->failures;
    const bool from = sari_node_get(s->e.map, "from"), to = sari_node_get(s->e.map, "to");
    if (!from && !to && s->r->dimension == 2 && s->def.kind == SAR_SHAPE_CYLINDER) {
        for (int k = 0; k < 2; k++) {
            memcpy(points[k], s->center, sizeof points[k]);
            points[k][2] = (k ? 0.1 : -0.1) * s->def.radius;
        }
    } else if (!from || !to) {
        sari_report(s->r, s->e.key, "a %s lacks the key '%s'",
                    s->def.kind == SAR_SHAPE_CAPSULE ? "capsule" : "cylinder",
                    from ? "to" : "from");
        return;
    } else {
        read_place(s, "from", points[0]);
        read_place(s, "to", points[1]);
    }
    if (s->r->failures == before) add(s, points, 2);
}

static void read_polygon(shape_source* s)
{
    const sari_node* node = sari_node_get(s->e.map, "points");
    const int before = s->r->failures;
    if (!node) return;
    if (node->kind != SARI_NODE_LIST || node->count < 3) {
        sari_report(s->r, node, "points must be a list of three corners or more");
        return;
    }
    double(*points)[3] = sari_allocate((size_t)node->count, sizeof *points);
    if (!points) {
        sari_fail_memory(s->r);
        return;
    }
    for (int k = 0; k < node->count; k++) {
        double p[3] = {0};
        sari_read_vector_in(s->r, node->values[k], "a corner", "[m]", p);
        to_body(s, p, points[k]);
    }
    s->def.radius = 0.5 * sari_number_in(s->r, &s->e, "thickness", 0.0, "[m]");
    if (s->r->failures == before) add(s, points, node->count);
    sari_release(points);
}

/* ---- meshes --------------------------------------------------------------------------------- */

static bool is_obj(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".obj") == 0;
}

static bool is_known(const char* path)
{
    const char* dot = strrchr(path, '.');
    return is_obj(path) || (dot && strcasecmp(dot, ".stl") == 0);
}

static void add_mesh(shape_source* s, sari_mesh* mesh)
{
    const double scale = sari_number(s->r, &s->e, "scale", 1.0);
    if (!(scale > 0)) {
        sari_report(s->r, sari_node_get(s->e.map, "scale"), "scale must be positive");
        return;
    }
    for (int k = 0; k < mesh->points; k++) {
        for (int i = 0; i < 3; i++) mesh->point[k][i] *= scale;
        to_body(s, mesh->point[k], mesh->point[k]);
    }
    for (int k = 0; k < mesh->triangles && is_mirrored(s); k++) { // the same side stays outside
        const int corner = mesh->triangle[k][1];
        mesh->triangle[k][1] = mesh->triangle[k][2];
        mesh->triangle[k][2] = corner;
    }
    s->def.triangles = mesh->triangles;
    s->def.triangle = (const int(*)[3])mesh->triangle;
    add(s, mesh->point, mesh->points);
}

static void read_mesh(shape_source* s)
{
    sari_reader* r = s->r;
    const sari_node* node = sari_node_get(s->e.map, "file");
    const int before = r->failures;
    if (!node) return;
    const char* file = sari_read_text(r, node, "file").text;
    const char* path = r->failures == before ? sari_path_beside(r, file) : NULL;
    if (!path) return;
    if (!is_known(path)) {
        sari_report(r, node, "a mesh is an .stl or .obj file, here is '%.60s'", file);
        return;
    }
    const char* why;
    sari_mesh mesh = {0};
    sari_file* data = sari_open_data(r, path, &why);
    if (!data)
        sari_report(r, node, "cannot read the mesh %s: %s", path, why);
    else if (sari_model_add_file(r->model, path) != SAR_OK)
        sari_fail_memory(r);
    else if (sari_mesh_read(&mesh, data->source.text, data->source.length, is_obj(path)))
        add_mesh(s, &mesh);
    else if (mesh.why[0])
        sari_report(r, node, "the mesh %s is broken: %s", path, mesh.why);
    else
        sari_fail_memory(r);
    sari_mesh_clear(&mesh);
    if (data) sari_file_drop(r->files, data);
}

/* ---- colours -------------------------------------------------------------------------------- */

typedef struct named_colour {
    const char* name;
    long value;
} named_colour;

// Okabe and Ito's, and greys.
static const named_colour colours[] = {
    {"blue", 0x0072b2},   {"orange", 0xd55e00}, {"green", 0x009e73},  {"pink", 0xcc79a7},
    {"yellow", 0xe69f00}, {"sky", 0x56b4e9},    {"red", 0xc1272d},    {"black", 0x222222},
    {"white", 0xf5f5f5},  {"grey", 0x8a8f98},   {"silver", 0xc3c9d1}, {"brown", 0x8b5a2b},
};
enum { COLOURS = sizeof colours / sizeof *colours };

static long hexadecimal(const char* text)
{
    long value = 0;
    for (int k = 0; k < 6; k++) {
        const char *digits = "0123456789abcdefABCDEF",
                   *at = text[k] ? strchr(digits, text[k]) : NULL;
        if (!at) return -1;
        value = 16 * value + (at - digits < 16 ? at - digits : at - digits - 6);
    }
    return text[6] ? -1 : value;
}

static void read_colour(shape_source* s)
{
    const sari_node* node = sari_node_get(s->e.map, "colour");
    if (!node) return;
    const int before = s->r->failures;
    const char* text = sari_read_text(s->r, node, "colour").text;
    if (s->r->failures != before) return;
    if (text[0] == '#') s->def.colour = hexadecimal(text + 1);
    for (int k = 0; k < COLOURS; k++)
        if (strcmp(text, colours[k].name) == 0) s->def.colour = colours[k].value;
    if (s->def.colour >= 0) return;
    const char* names[COLOURS];
    for (int k = 0; k < COLOURS; k++) names[k] = colours[k].name;
    sari_report(s->r, node, "colour must be '#rrggbb' or a name, here is '%.40s'", text);
    sari_hint_words(s->r, names, COLOURS);
}

/* ---- one, or a list ------------------------------------------------------------------------- */

typedef struct kind {
    const char* article; ///< for messages
    const sari_key* keys;
    int count;
    void (*read)(shape_source* s);
} kind;

#define COMMON                                                                                     \
    {"type", SARI_KEY_REQUIRED}, {"colour", 0}, {"style", 0},                                      \
    {                                                                                              \
        "center", 0                                                                                \
    }
#define TURNS                                                                                      \
    {"angle", SARI_KEY_PLANAR},                                                                    \
    {                                                                                              \
        "rotation", SARI_KEY_SPATIAL                                                               \
    }

static const sari_key box_keys[] = {COMMON, TURNS, {"size", SARI_KEY_REQUIRED}};
static const sari_key sphere_keys[] = {COMMON, {"radius", SARI_KEY_REQUIRED}};
static const sari_key round_keys[] = {
    COMMON, {"radius", SARI_KEY_REQUIRED}, {"from", 0}, {"to", 0}};
static const sari_key polygon_keys[] = {
    COMMON, TURNS, {"points", SARI_KEY_REQUIRED}, {"thickness", 0}};
static const sari_key mesh_keys[] = {COMMON, TURNS, {"file", SARI_KEY_REQUIRED}, {"scale", 0}};

#define KEYS(of) of, sizeof(of) / sizeof *(of)
static const kind kinds[SAR_SHAPE_KINDS] = {
    [SAR_SHAPE_BOX] = {"a box", KEYS(box_keys), read_box},
    [SAR_SHAPE_CYLINDER] = {"a cylinder", KEYS(round_keys), read_round},
    [SAR_SHAPE_SPHERE] = {"a sphere", KEYS(sphere_keys), read_sphere},
    [SAR_SHAPE_CAPSULE] = {"a capsule", KEYS(round_keys), read_round},
    [SAR_SHAPE_POLYGON] = {"a polygon", KEYS(polygon_keys), read_polygon},
    [SAR_SHAPE_MESH] = {"a mesh", KEYS(mesh_keys), read_mesh},
};

static const char* const kind_words[] = {
#define WORD(name, word) word,
    SAR_SHAPE_LIST(WORD)
#undef WORD
};
static const char* const style_words[] = {
#define WORD(name, word) word,
    SAR_STYLE_LIST(WORD)
#undef WORD
};

static void read_shape(sari_reader* r, const sari_node* node, sar_body_id body)
{
    shape_source s = {.r = r, .body = body, .e = {"a shape", NULL, node, node}};
    s.R[0] = s.R[4] = s.R[8] = 1.0;
    s.def = sar_shape_def_default();
    if (!sari_expect_map(r, node, "shape")) {
        sari_hint(r, "write {type: box, size: [...]} or the like, or a list of them");
        return;
    }
    const int before = r->failures;
    if (!sari_node_get(node, "type")) {
        sari_report(r, node, "a shape lacks the key 'type'");
        sari_hint_words(r, kind_words, SAR_SHAPE_KINDS);
        return;
    }
    const int type = sari_read_word(r, &s.e, "type", kind_words, SAR_SHAPE_KINDS, 0);
    if (type < 0) return;
    s.def.kind = (sar_shape_kind)type;
    s.e.kind = kinds[type].article;
    sari_check_keys(r, &s.e, kinds[type].keys, kinds[type].count);
    const int style = sari_read_word(r, &s.e, "style", style_words, SAR_STYLES, 0);
    s.def.style = (sar_style)(style < 0 ? 0 : style);
    read_colour(&s);
    read_frame(&s);
    s.def.radius = sari_number_in(r, &s.e, "radius", 0.0, "[m]");
    if (r->failures == before) kinds[type].read(&s);
}

void sari_read_shapes(sari_reader* r, const sari_element* e, sar_body_id body)
{
    const sari_node* node = sari_node_get(e->map, "shape");
    if (!node) return;
    const int count = node->kind == SARI_NODE_LIST ? node->count : 1;
    for (int k = 0; k < count; k++)
        read_shape(r, node->kind == SARI_NODE_LIST ? node->values[k] : node, body);
}
