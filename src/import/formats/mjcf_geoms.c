/* Geoms of MJCF: shapes, and the masses of bodies that have no others. */
#include "import/formats/mjcf.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

/// A geom while it is read.
typedef struct geom {
    sari_robot_shape shape;
    const char* path; ///< of a mesh, NULL: not found
    const char* file; ///< of a mesh, as the file names it
    double scale[3];
} geom;

static const sari_xml* find_asset(const sari_mjcf* m, const char* kind, const char* name)
{
    SARI_XML_EACH(section, m->root, "asset")
    SARI_XML_EACH(asset, section, kind)
    {
        const char *its = sari_xml_get(asset, "name"), *file = sari_xml_get(asset, "file");
        if (its && strcmp(its, name) == 0) return asset;
        const char* slash = file ? strrchr(file, '/') : NULL; // without a name: that of its file
        const char* base = slash ? slash + 1 : file;
        const size_t length = strlen(name);
        if (!its && base && strncmp(base, name, length) == 0 && base[length] == '.') return asset;
    }
    return NULL;
}

static bool read_mesh(sari_mjcf* m, const sari_xml* node, const char* childclass, geom* g)
{
    const char* name = sari_mjcf_get(m, node, childclass, "mesh");
    const sari_xml* asset = name ? find_asset(m, "mesh", name) : NULL;
    const char* file = asset ? sari_xml_get(asset, "file") : NULL;
    const char* why;
    if (!file) return false;
    const char* slash = strrchr(file, '/');
    if (m->strip && slash) file = slash + 1;
    const size_t length = strlen(m->meshdir);
    g->file = length && file[0] != '/'
                  ? sari_import_print(m->im, "%s%s%s", m->meshdir,
                                      m->meshdir[length - 1] == '/' ? "" : "/", file)
                  : file;
    g->path = sari_import_find_file(m->im, g->file, m->im->path, &why);
    (void)sari_mjcf_numbers(m, asset, NULL, "scale", 3, 3, g->scale);
    g->shape.kind = SARI_ROBOT_MESH;
    memcpy(g->shape.size, g->scale, sizeof g->scale);
    return true;
}

/* From one end to the other: the frame in the middle, z along it. */
static bool read_ends(sari_mjcf* m, const sari_xml* node, const char* childclass, geom* g,
                      double* half)
{
    static const double Z[3] = {0, 0, 1};
    double v[6], u[3];
    if (sari_mjcf_numbers(m, node, childclass, "fromto", 6, 6, v) <= 0) return false;
    for (int k = 0; k < 3; k++) {
        u[k] = v[3 + k] - v[k];
        g->shape.at.p[k] = 0.5 * (v[k] + v[3 + k]);
    }
    *half = 0.5 * sari_norm3(u);
    if (!sari_pose_normalise(u)) {
        sari_import_error(m->im, node->place, "fromto has no length");
        return false;
    }
    sari_turn_onto(Z, u, g->shape.at.R);
    return true;
}

/* False: it has no volume. */
static bool read_form(sari_mjcf* m, const sari_xml* node, const char* childclass, geom* g)
{
    const char* type = sari_mjcf_get(m, node, childclass, "type");
    const bool has_mesh = sari_mjcf_get(m, node, childclass, "mesh") != NULL;
    double size[3] = {0}, half = 0.0, *out = g->shape.size;
    (void)sari_mjcf_numbers(m, node, childclass, "size", 1, 3, size);
    for (int k = 0; k < 3; k++)
        if (size[k] < 0.0) sari_import_error(m->im, node->place, "size is negative: %g", size[k]);
    g->shape.at = sari_mjcf_pose(m, node, childclass);
    const bool ends = read_ends(m, node, childclass, g, &half);
    if (!type) type = has_mesh ? "mesh" : "sphere";
    if (strcmp(type, "mesh") == 0) return read_mesh(m, node, childclass, g);
    if (strcmp(type, "sphere") == 0) {
        g->shape.kind = SARI_ROBOT_SPHERE;
        out[0] = size[0];
    } else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0) {
        g->shape.kind = type[1] == 'a' ? SARI_ROBOT_CAPSULE : SARI_ROBOT_CYLINDER;
        out[0] = size[0], out[1] = 2 * (ends ? half : size[1]);
    } else if (strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0) {
        const bool box = type[0] == 'b';
        if (ends) size[1] = size[0], size[2] = half;
        g->shape.kind = box ? SARI_ROBOT_BOX : SARI_ROBOT_ELLIPSOID;
        for (int k = 0; k < 3; k++) out[k] = (box ? 2 : 1) * size[k];
    } else {
        if (strcmp(type, "plane") != 0)
            sari_import_note_at(m->im, node->place, "shapes that cannot be drawn: left out",
                                "<geom type=\"%.20s\">", type);
        return false;
    }
    return true;
}

static void add_mass(sari_mjcf* m, const sari_xml* node, const char* childclass, const geom* g,
                     sari_robot_link* link)
{
    double volume, center[3], I[6];
    const double group = sari_mjcf_number(m, node, childclass, "group", 0.0),
                 given = sari_mjcf_number(m, node, childclass, "mass", -1.0),
                 density = sari_mjcf_number(m, node, childclass, "density", 1000.0);
    if (group < m->groups[0] || group > m->groups[1] || given == 0.0) return;
    if (!sari_import_solid(m->im, &g->shape, g->path, &volume, center, I) || !(volume > 0.0)) {
        if (given > 0.0 || density > 0.0)
            sari_import_note_at(m->im, node->place,
                                "shapes whose mass cannot be found: taken as zero", "body '%.60s'",
                                link->name);
        return;
    }
    if (sari_import_truth(sari_mjcf_get(m, node, childclass, "shellinertia"), false))
        sari_import_note_at(m->im, node->place, "shells: taken as solid", "body '%.60s'",
                            link->name);
    sari_import_add_solid(link, &g->shape.at, given > 0.0 ? given : density * volume, volume,
                          center, I);
}

static void read_colour(sari_mjcf* m, const sari_xml* node, const char* childclass,
                        double colour[4])
{
    const char* name = sari_mjcf_get(m, node, childclass, "material");
    const sari_xml* material = name ? find_asset(m, "material", name) : NULL;
    if (sari_mjcf_numbers(m, node, childclass, "rgba", 4, 4, colour) <= 0 && material)
        (void)sari_mjcf_numbers(m, material, NULL, "rgba", 4, 4, colour);
}

void sari_mjcf_read_geom(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot,
                         bool has_mass)
{
    geom g = {.scale = {1, 1, 1}};
    double colour[4] = {0, 0, 0, -1};
    const int before = m->im->failures;
    sari_mjcf_note_soft(m, node);
    if (!read_form(m, node, spot->childclass, &g) || m->im->failures != before) return;
    g.shape.at = sari_pose_times(&spot->at, &g.shape.at);
    read_colour(m, node, spot->childclass, colour);
    const bool ground = sari_robot_is_ground(&m->im->robot, spot->link);
    if (!ground && !has_mass) add_mass(m, node, spot->childclass, &g, spot->link);
    if (g.shape.kind == SARI_ROBOT_MESH) {
        sari_import_add_mesh(m->im, spot->link, g.file, m->im->path, node->place, g.scale,
                             &g.shape.at, colour);
        return;
    }
    sari_robot_shape* shape = sari_import_add_shape(m->im, spot->link, g.shape.kind);
    shape->at = g.shape.at;
    memcpy(shape->size, g.shape.size, sizeof shape->size);
    memcpy(shape->colour, colour, sizeof colour);
}

/* ---- what the compiler of the format does with masses --------------------------------------- */

static void balance(sari_robot_link* link)
{
    double m[3];
    sari_inertia_moments(link->inertia, m);
    const double sum = m[0] + m[1] + m[2], most = fmax(m[0], fmax(m[1], m[2]));
    if (2 * most <= sum) return;
    for (int k = 0; k < 6; k++) link->inertia[k] = k < 3 ? sum / 3 : 0.0;
}

void sari_mjcf_bound_masses(sari_mjcf* m)
{
    double total = 0.0;
    for (sari_robot_link* k = m->im->robot.links; k; k = k->next) {
        if (k->massless_frame) continue;
        if (m->bound_mass > 0.0) k->mass = fmax(k->mass, m->bound_mass);
        for (int i = 0; i < 3 && m->bound_inertia > 0.0; i++)
            k->inertia[i] = fmax(k->inertia[i], m->bound_inertia);
        if (m->balance) balance(k);
        total += k->mass;
    }
    if (!(m->total_mass > 0.0) || !(total > 0.0)) return;
    const double factor = m->total_mass / total;
    for (sari_robot_link* k = m->im->robot.links; k; k = k->next) {
        k->mass *= factor;
        for (int i = 0; i < 6; i++) k->inertia[i] *= factor;
    }
}
