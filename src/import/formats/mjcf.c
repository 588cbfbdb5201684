/* MJCF: settings, defaults, orientations and included files. Bodies are in mjcf_bodies.c, their masses in mjcf_geoms.c, what
 * connects and drives joints in mjcf_extras.c. */
#include "import/formats/mjcf.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- included files ------------------------------------------------------------------------- */

/* The children of the root of `file` take the place of an <include>. */
static void splice(sari_importer* im, sari_xml* include, sari_xml** at, sari_xml* parent)
{
    const char *file = sari_import_name(im, include, "file"), *why;
    const char* path =
        file[0] ? sari_import_find_file(im, file, include->place.source->name, &why) : NULL;
    if (!path && file[0]) path = sari_import_find_file(im, file, im->path, &why);
    *at = include->next;
    if (!path) {
        if (file[0])
            sari_import_error(im, include->place, "cannot include '%.100s': %s", file, why);
        return;
    }
    sari_xml* root = sari_import_read_xml(im, path, include->place);
    if (!root || !root->first) return;
    for (sari_xml* k = root->first; k; k = k->next) k->parent = parent;
    root->last->next = include->next;
    *at = root->first;
}

static void expand(sari_importer* im, sari_xml* node, int depth)
{
    enum { FILES_DEEP = SARI_IMPORT_FILES }; // each costs a file, of which there are only so many
    int budget = FILES_DEEP;
    sari_xml** at = &node->first;
    node->last = NULL;
    while (*at) {
        if (sari_xml_is(*at, "include")) {
            if (--budget < 0 || im->failures) {
                *at = (*at)->next;
                continue;
            }
            splice(im, *at, at, node);
            continue;
        }
        if (depth < SARI_XML_DEPTH) expand(im, *at, depth + 1);
        node->last = *at;
        at = &(*at)->next;
    }
}

/* ---- defaults ------------------------------------------------------------------------------- */

static bool is_actuator(const char* word)
{
    static const char* const words[] = {"general",     "motor",  "position", "velocity",
                                        "intvelocity", "damper", "cylinder", "muscle",
                                        "adhesion",    "plugin"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(word, words[k]) == 0) return true;
    return false;
}

/* All actuators share their defaults, and so do the two kinds of tendons. */
static bool same_kind(const char* a, const char* b)
{
    if (strcmp(a, b) == 0) return true;
    if (is_actuator(a) && is_actuator(b)) return true;
    if (strcmp(b, "tendon") == 0) return strcmp(a, "spatial") == 0 || strcmp(a, "fixed") == 0;
    if (strcmp(b, "equality") == 0)
        return strcmp(a, "connect") == 0 || strcmp(a, "weld") == 0 || strcmp(a, "joint") == 0;
    return false;
}

static const char* get_in(const sari_xml* defaults, const char* word, const char* attribute)
{
    SARI_XML_EACH(child, defaults, NULL)
    {
        const char* value = same_kind(word, child->name) ? sari_xml_get(child, attribute) : NULL;
        if (value) return value;
    }
    return NULL;
}

static const sari_xml* find_class(const sari_xml* node, const char* name, int depth)
{
    SARI_XML_EACH(child, node, "default")
    {
        const char* its = sari_xml_get(child, "class");
        if (its && strcmp(its, name) == 0) return child;
        const sari_xml* inner = depth < 64 ? find_class(child, name, depth + 1) : NULL;
        if (inner) return inner;
    }
    return NULL;
}

const char* sari_mjcf_get(const sari_mjcf* m, const sari_xml* node, const char* childclass,
                          const char* attribute)
{
    const char *value = sari_xml_get(node, attribute), *own = sari_xml_get(node, "class");
    const char *name = own ? own : childclass, *word = node->name;
    if (value) return value;
    const sari_xml* defaults = name ? find_class(m->root, name, 0) : NULL;
    for (; !value && defaults && sari_xml_is(defaults, "default"); defaults = defaults->parent)
        value = get_in(defaults, word, attribute);
    if (value) return value;
    SARI_XML_EACH(top, m->root, "default")
    {
        value = get_in(top, word, attribute);
        if (value) return value;
    }
    return NULL;
}

/* ---- values --------------------------------------------------------------------------------- */

int sari_mjcf_numbers(sari_mjcf* m, const sari_xml* node, const char* childclass,
                      const char* attribute, int least, int most, double* out)
{
    const char* text = sari_mjcf_get(m, node, childclass, attribute);
    double v[16];
    if (!text) return 0;
    const int count = sari_import_numbers(m->im, text, node->place, attribute, least, most, v);
    for (int k = 0; k < count; k++) {
        if (isfinite(v[k])) continue;
        sari_import_error(m->im, node->place, "%s must be finite", attribute);
        return -1;
    }
    if (count > 0) memcpy(out, v, (size_t)count * sizeof *out);
    return count;
}

double sari_mjcf_number(sari_mjcf* m, const sari_xml* node, const char* childclass,
                        const char* attribute, double fallback)
{
    double value[16] = {fallback};
    return sari_mjcf_numbers(m, node, childclass, attribute, 1, 16, value) > 0 ? value[0]
                                                                               : fallback;
}

bool sari_mjcf_limited(sari_mjcf* m, const sari_xml* node, const char* childclass,
                       const char* attribute, bool has_range)
{
    const char* text = sari_mjcf_get(m, node, childclass, attribute);
    if (!text || strcmp(text, "auto") == 0) return m->autolimits && has_range;
    return strcmp(text, "true") == 0 && has_range;
}

double sari_mjcf_angle(const sari_mjcf* m, double value)
{
    return m->radians ? value : value * (PI / 180);
}

/* Lower-case letters turn about axes that turn along, upper-case ones about fixed axes. */
static void read_euler(const sari_mjcf* m, const double angles[3], double R[9])
{
    memcpy(R, SARI_POSE_IDENTITY.R, sizeof SARI_POSE_IDENTITY.R);
    for (int k = 0; k < 3; k++) {
        const char letter = m->eulerseq[k];
        const bool fixed = letter >= 'X' && letter <= 'Z';
        double axis[3] = {0}, T[9];
        axis[fixed ? letter - 'X' : letter - 'x'] = 1.0;
        sari_pose_about(axis, sari_mjcf_angle(m, angles[k]), T);
        if (fixed)
            sari_multiply3(T, R, R);
        else
            sari_multiply3(R, T, R);
    }
}

static bool read_axes(const double v[6], double R[9])
{
    double x[3] = {v[0], v[1], v[2]}, y[3] = {v[3], v[4], v[5]}, z[3];
    if (!sari_pose_normalise(x)) return false;
    const double along = sari_dot(x, y);
    for (int k = 0; k < 3; k++) y[k] -= along * x[k];
    if (!sari_pose_normalise(y)) return false;
    sari_cross(x, y, z);
    for (int k = 0; k < 3; k++) R[3 * k] = x[k], R[3 * k + 1] = y[k], R[3 * k + 2] = z[k];
    return true;
}

sari_pose sari_mjcf_pose(sari_mjcf* m, const sari_xml* node, const char* childclass)
{
    static const double Z[3] = {0, 0, 1};
    sari_pose pose = SARI_POSE_IDENTITY;
    double v[6];
    bool good = true;
    (void)sari_mjcf_numbers(m, node, childclass, "pos", 3, 3, pose.p);
    if (sari_mjcf_numbers(m, node, childclass, "quat", 4, 4, v) > 0) {
        good = sari_pose_quaternion(v, pose.R);
    } else if (sari_mjcf_numbers(m, node, childclass, "axisangle", 4, 4, v) > 0) {
        sari_pose_about(v, sari_mjcf_angle(m, v[3]), pose.R);
    } else if (sari_mjcf_numbers(m, node, childclass, "euler", 3, 3, v) > 0) {
        read_euler(m, v, pose.R);
    } else if (sari_mjcf_numbers(m, node, childclass, "xyaxes", 6, 6, v) > 0) {
        good = read_axes(v, pose.R);
    } else if (sari_mjcf_numbers(m, node, childclass, "zaxis", 3, 3, v) > 0) {
        good = sari_pose_normalise(v);
        if (good) sari_turn_onto(Z, v, pose.R);
    }
    if (!good) {
        sari_import_error(m->im, node->place, "the orientation of <%.40s> is none", node->name);
        memcpy(pose.R, SARI_POSE_IDENTITY.R, sizeof pose.R);
    }
    return pose;
}

const char* sari_mjcf_name(sari_mjcf* m, const sari_xml* node, const sari_mjcf_spot* spot,
                           const char* fallback)
{
    const char* name = sari_xml_get(node, "name");
    if (!name || !name[0]) return fallback;
    return spot->ending[0] ? sari_import_print(m->im, "%s%s", name, spot->ending) : name;
}

void sari_mjcf_note_soft(sari_mjcf* m, const sari_xml* node)
{
    for (const sari_xml_attribute* a = node->attributes; a; a = a->next)
        if (strncmp(a->name, "solref", 6) == 0 || strncmp(a->name, "solimp", 6) == 0)
            sari_import_note_at(m->im, node->place,
                                "soft parameters (solref, solimp): dropped, constraints are rigid",
                                "<%.40s %.20s>", node->name, a->name);
}

/* ---- the file ------------------------------------------------------------------------------- */

static void read_compiler(sari_mjcf* m, const sari_xml* node)
{
    sari_importer* im = m->im;
    const char *angle = sari_xml_get(node, "angle"), *from = sari_xml_get(node, "inertiafromgeom"),
               *sequence = sari_xml_get(node, "eulerseq"), *folder = sari_xml_get(node, "meshdir"),
               *coordinate = sari_xml_get(node, "coordinate");
    if (!folder) folder = sari_xml_get(node, "assetdir");
    if (angle) m->radians = strcmp(angle, "radian") == 0;
    if (from) m->inertia_from_geom = strcmp(from, "auto") == 0 ? 2 : strcmp(from, "true") == 0;
    if (folder) m->meshdir = folder;
    if (sequence) {
        if (strlen(sequence) == 3 && strspn(sequence, "xyzXYZ") == 3)
            m->eulerseq = sequence;
        else
            sari_import_error(im, node->place, "eulerseq must be three of the letters x, y, z");
    }
    if (coordinate && strcmp(coordinate, "global") == 0) {
        sari_import_error(im, node->place, "global coordinates are not read");
        sari_import_hint(im, "the program that the format belongs to has given them up too: save "
                             "the file with an older one");
    }
    m->autolimits = sari_import_truth(sari_xml_get(node, "autolimits"), m->autolimits);
    m->balance = sari_import_truth(sari_xml_get(node, "balanceinertia"), m->balance);
    m->strip = sari_import_truth(sari_xml_get(node, "strippath"), m->strip);
    m->bound_mass = sari_import_number(im, node, "boundmass", m->bound_mass);
    m->bound_inertia = sari_import_number(im, node, "boundinertia", m->bound_inertia);
    m->total_mass = sari_import_number(im, node, "settotalmass", m->total_mass);
    (void)sari_import_attribute(im, node, "inertiagrouprange", 2, 2, m->groups);
}

static void read_option(sari_mjcf* m, const sari_xml* node)
{
    const sari_xml* flag = sari_xml_child(node, "flag");
    const char* gravity = flag ? sari_xml_get(flag, "gravity") : NULL;
    double* g = m->im->robot.gravity;
    (void)sari_import_attribute(m->im, node, "gravity", 3, 3, g);
    if (gravity && strcmp(gravity, "disable") == 0) g[0] = g[1] = g[2] = 0.0;
    if (sari_import_number(m->im, node, "density", 0.0) > 0.0 ||
        sari_import_number(m->im, node, "viscosity", 0.0) > 0.0)
        sari_import_note_at(m->im, node->place, "forces of the medium: left out",
                            "<option density, viscosity>");
}

static void note_sections(sari_mjcf* m)
{
    static const char* const lost[] = {"contact", "sensor", "keyframe", "deformable", "extension"};
    for (size_t k = 0; k < sizeof lost / sizeof lost[0]; k++) {
        const sari_xml* section = sari_xml_child(m->root, lost[k]);
        if (section && section->first)
            sari_import_note_at(m->im, section->place, "sections that are not read", "<%s>",
                                lost[k]);
    }
}

void sari_import_mjcf(sari_importer* im, const sari_xml* root)
{
    sari_mjcf m = {.im = im,
                   .root = root,
                   .autolimits = true,
                   .inertia_from_geom = 2,
                   .eulerseq = "xyz",
                   .meshdir = "",
                   .groups = {0, 5}};
    const char* name = sari_xml_get(root, "model");
    im->robot.format = "MJCF";
    im->robot.name = name ? name : "robot";
    im->robot.gravity[2] = -9.81;
    expand(im, (sari_xml*)root, 0);
    SARI_XML_EACH(compiler, root, "compiler") read_compiler(&m, compiler);
    SARI_XML_EACH(option, root, "option") read_option(&m, option);
    sari_mjcf_read_bodies(&m);
    if (im->failures) return;
    sari_mjcf_bound_masses(&m);
    sari_import_rest(im);
    sari_mjcf_read_equalities(&m);
    sari_mjcf_read_tendons(&m);
    sari_mjcf_read_actuators(&m);
    for (const sari_mjcf_site* k = m.sites; k; k = k->next) // after all that may name a body
        sari_import_add_frame(im, k->name, k->place, k->link, &k->at);
    note_sections(&m);
    if (!im->robot.links && !im->failures)
        sari_import_error(im, root->place, "the file has no bodies");
}
