/* Files that a robot file names: meshes, included files, packages.
 *
 * Nothing outside of these folders is read: that of the robot file; the package around it, the nearest folder above with a
 * package.xml, manifest.xml or model.config; the folders of the search path; a package of that name beside a folder above. */
#include "base/memory.h"
#include "import/importer.h"
#include "input/files.h"
#include "input/mesh_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LEVELS = 6 }; ///< folders above the file that are searched

static const char OUTSIDE[] =
    "it lies outside of the robot's folder and package; the search path of "
    "packages (--packages) may allow it";

/* ---- folders -------------------------------------------------------------------------------- */

const char* sari_import_folder_of(sari_importer* im, const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? sari_import_print(im, "%.*s", (int)(slash - path) + 1, path) : "";
}

/* The real path of what is there, or NULL. */
static const char* real(sari_importer* im, const char* path)
{
    char* found = realpath(path, NULL);
    const char* mine = found ? sari_import_print(im, "%s", found) : NULL;
    free(found);
    return mine;
}

static bool is_file(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool is_within(const char* path, const char* folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || path[length] == 0 || (length && folder[length - 1] == '/'));
}

/* The folder above, or NULL above the root. */
static const char* above(sari_importer* im, const char* folder)
{
    const char* slash = strrchr(folder, '/');
    if (!slash || slash == folder) return NULL;
    return sari_import_print(im, "%.*s", (int)(slash - folder), folder);
}

static const char* last_part(const char* folder)
{
    const char* slash = strrchr(folder, '/');
    return slash ? slash + 1 : folder;
}

/* ---- what is allowed ------------------------------------------------------------------------ */

/* Call for every folder of the search path until one says yes. */
typedef bool (*visit)(sari_importer* im, const char* folder, void* context);

static bool each_listed(sari_importer* im, const char* list, visit see, void* context)
{
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        const char* folder =
            length ? real(im, sari_import_print(im, "%.*s", (int)length, list)) : NULL;
        if (folder && see(im, folder, context)) return true;
        list += length;
        if (*list == ':') list++;
    }
    return false;
}

static bool each_search_folder(sari_importer* im, visit see, void* context)
{
    static const char* const variables[] = {"SARRUS_PACKAGE_PATH", "ROS_PACKAGE_PATH",
                                            "GZ_SIM_RESOURCE_PATH"};
    if (im->options && im->options->packages)
        return each_listed(im, im->options->packages, see, context);
    for (size_t k = 0; k < sizeof variables / sizeof variables[0]; k++)
        if (each_listed(im, getenv(variables[k]), see, context)) return true;
    return false;
}

static bool holds(sari_importer* im, const char* folder, void* context)
{
    (void)im;
    return is_within(context, folder);
}

static bool is_package(sari_importer* im, const char* folder)
{
    static const char* const marks[] = {"package.xml", "manifest.xml", "model.config"};
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
        if (is_file(sari_import_print(im, "%s/%s", folder, marks[k]))) return true;
    return false;
}

/* `path` is a real one. */
static bool is_allowed(sari_importer* im, const char* path)
{
    const char* folder = real(im, im->folder[0] ? im->folder : ".");
    if (!folder) return false;
    if (is_within(path, folder)) return true;
    int level = 0;
    for (const char* up = folder; up && level < LEVELS; up = above(im, up), level++)
        if (is_package(im, up)) {
            if (is_within(path, up)) return true;
            break;
        }
    return each_search_folder(im, holds, (void*)path);
}

/* ---- packages ------------------------------------------------------------------------------- */

typedef struct package_search {
    const char *name, *rest;
    const char* found;
} package_search;

/* Is the file in the package `folder`, and does it stay there? */
static bool try_package(sari_importer* im, const char* folder, package_search* s)
{
    const char* root = real(im, folder);
    const char* path = root ? real(im, sari_import_print(im, "%s/%s", root, s->rest)) : NULL;
    if (!path || !is_within(path, root) || !is_file(path)) return false;
    s->found = path;
    return true;
}

static bool search_folder(sari_importer* im, const char* folder, void* context)
{
    package_search* s = context;
    if (strcmp(last_part(folder), s->name) == 0 && try_package(im, folder, s)) return true;
    return try_package(im, sari_import_print(im, "%s/%s", folder, s->name), s);
}

static const char* find_in_packages(sari_importer* im, const char* text, const char** why)
{
    const size_t length = strcspn(text, "/");
    package_search s = {sari_import_print(im, "%.*s", (int)length, text),
                        text[length] ? text + length + 1 : "", NULL};
    if (length == 0 || strcmp(s.name, "..") == 0 || strcmp(s.name, ".") == 0) {
        *why = "it names no package";
        return NULL;
    }
    if (!s.rest[0]) s.rest = "model.sdf"; // model://NAME
    if (each_search_folder(im, search_folder, &s)) return s.found;
    int level = 0;
    for (const char* up = real(im, im->folder[0] ? im->folder : "."); up && level < LEVELS;
         up = above(im, up), level++)
        if (search_folder(im, up, &s)) return s.found;
    *why = "no package of that name with such a file was found in the search path (import "
           "--packages, or "
           "SARRUS_PACKAGE_PATH) or above the robot file";
    return NULL;
}

const char* sari_import_find_file(sari_importer* im, const char* name, const char* from,
                                  const char** why)
{
    *why = NULL;
    if (strncmp(name, "package://", 10) == 0) return find_in_packages(im, name + 10, why);
    if (strncmp(name, "model://", 8) == 0) return find_in_packages(im, name + 8, why);
    if (strncmp(name, "file://", 7) == 0) name += 7;
    if (strstr(name, "://")) {
        *why = "files are not fetched from elsewhere";
        return NULL;
    }
    const char* folder = sari_import_folder_of(im, from);
    const char* path =
        real(im, name[0] == '/' ? name : sari_import_print(im, "%s%s", folder, name));
    if (!path)
        *why = "there is no such file";
    else if (!is_allowed(im, path))
        *why = OUTSIDE;
    else if (is_file(sari_import_print(im, "%s/model.sdf", path)))
        return sari_import_print(im, "%s/model.sdf", path); // a folder that is a model
    else if (!is_file(path))
        *why = "it is not a regular file";
    else
        return path;
    return NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

const sari_source* sari_import_read(sari_importer* im, const char* path, sari_place place)
{
    size_t length;
    const char* why;
    if (++im->files > SARI_IMPORT_FILES) {
        sari_import_error(im, place, "the robot is made of more than %d files", SARI_IMPORT_FILES);
        return NULL;
    }
    char* text = sari_read_file(path, &length, &why);
    if (!text) {
        if (strcmp(why, sar_status_text(SAR_E_NOMEM)) == 0)
            im->no_memory = true;
        else
            sari_import_error(im, place, "cannot read %s: %s", path, why);
        return NULL;
    }
    sari_source* source = sari_import_take(im, sizeof *source);
    char* mine = source ? sari_import_take(im, length + 1) : NULL;
    if (mine) {
        memcpy(mine, text, length);
        *source = (sari_source){path, mine, length, im->files};
    }
    sari_release(text);
    return mine ? source : NULL;
}

sari_xml* sari_import_read_xml(sari_importer* im, const char* path, sari_place place)
{
    sari_xml* root = NULL;
    const sari_source* source = sari_import_read(im, path, place);
    if (!source) return NULL;
    const sar_status status = sari_xml_parse(source, &im->memory, im->errors, &root);
    if (status == SAR_E_NOMEM) im->no_memory = true;
    if (status == SAR_E_MODEL) im->failures++;
    return root;
}

/* ---- meshes --------------------------------------------------------------------------------- */

static bool ends_with(const char* path, const char* ending)
{
    const char* dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

/* As the model file names it: beside it, or by its whole path. */
static const char* name_in_model(sari_importer* im, const char* path)
{
    const char* folder = real(im, im->folder[0] ? im->folder : ".");
    const char* output = im->options ? im->options->output : NULL;
    if (output) {
        const char* of_output = sari_import_folder_of(im, output);
        const char* there = real(im, of_output[0] ? of_output : ".");
        if (!there || !folder || strcmp(there, folder) != 0) return path;
    }
    if (!folder || !is_within(path, folder)) return path;
    return path + strlen(folder) + 1;
}

/* Can pictures have it? */
static bool is_readable(const char* path)
{
    size_t length;
    const char* why;
    sari_mesh mesh = {0};
    char* text = sari_read_file(path, &length, &why);
    const bool good = text && sari_mesh_read(&mesh, text, length, ends_with(path, ".obj"));
    sari_mesh_clear(&mesh);
    sari_release(text);
    return good;
}

void sari_import_add_mesh(sari_importer* im, sari_robot_link* link, const char* name,
                          const char* from, sari_place place, const double scale[3],
                          const sari_pose* at, const double colour[4])
{
    const char* why;
    const char* path = sari_import_find_file(im, name, from, &why);
    if (!path) {
        sari_import_note_at(im, place, "meshes that are left out, as their files are not there",
                            "'%.100s': %s", name, why);
        return;
    }
    const bool known = ends_with(path, ".stl") || ends_with(path, ".obj");
    const bool even = scale[0] > 0 && scale[0] == scale[1] && scale[0] == scale[2];
    sari_robot_shape* shape = sari_import_add_shape(im, link, SARI_ROBOT_MESH);
    shape->file = name_in_model(im, path);
    shape->at = *at;
    memcpy(shape->colour, colour, sizeof shape->colour);
    if (known && even && is_readable(path))
        shape->size[0] = scale[0];
    else if (!known)
        sari_import_note_at(im, place,
                            "meshes that are neither STL nor OBJ: named in the model, not drawn",
                            "'%.100s'", name);
    else
        sari_import_note_at(im, place,
                            "meshes that are broken, too large, or not scaled by one positive "
                            "number: named in the model, not drawn",
                            "'%.100s'", name);
}
