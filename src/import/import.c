/* From the text of a robot file to that of a model file. */
#include "import/import.h"

#include "base/memory.h"
#include "import/importer.h"

#include <stdio.h>
#include <string.h>

int sari_import_begins(const char* text, size_t length)
{
    size_t k = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (length >= 4 && (memcmp(text, "\xff\xfe<\0", 4) == 0 || memcmp(text, "\xfe\xff\0<", 4) == 0))
        return 1; // UTF-16
    while (k < length && (text[k] == ' ' || text[k] == '\t' || text[k] == '\n' || text[k] == '\r'))
        k++;
    return k < length && text[k] == '<';
}

int sar_import_is_robot(const char* text, size_t length)
{
    return text ? sari_import_begins(text, length) : 0;
}

/* ---- formats -------------------------------------------------------------------------------- */

typedef struct robot_format {
    const char* root;
    void (*read)(sari_importer* im, const sari_xml* root);
} robot_format;

static const robot_format FORMATS[] = {
    {"robot", sari_import_urdf}, {"sdf", sari_import_sdf}, {"mujoco", sari_import_mjcf}};

static void read_robot(sari_importer* im, const sari_xml* root)
{
    for (size_t k = 0; k < sizeof FORMATS / sizeof FORMATS[0]; k++)
        if (sari_xml_is(root, FORMATS[k].root)) {
            FORMATS[k].read(im, root);
            return;
        }
    sari_import_error(im, root->place, "<%.60s> is not a robot that can be read", root->name);
    sari_import_hint(im, "the file must begin with <robot> (URDF), <sdf> (SDFormat) or <mujoco> "
                         "(MJCF)");
}

/* ---- messages ------------------------------------------------------------------------------- */

static const char* source_name(const sari_importer* im, sari_place place)
{
    return place.source ? place.source->name : im->path;
}

/* A line for each kind of what was decided. */
static char* note_text(const sari_importer* im)
{
    size_t size = 1, used = 0;
    for (const sari_import_note* n = im->notes; n; n = n->next)
        size += strlen(source_name(im, n->place)) + strlen(n->kind) + strlen(n->first) + 100;
    char* text = im->notes ? sari_allocate(size, 1) : NULL;
    for (const sari_import_note* n = im->notes; text && n; n = n->next)
        used += (size_t)snprintf(text + used, size - used, "%s:%d:%d: note: %d x %s (%s%s)\n",
                                 source_name(im, n->place), n->place.line, n->place.column,
                                 n->count, n->kind, n->count > 1 ? "first: " : "", n->first);
    for (char* c = text; c && *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f) *c = '?';
    return text;
}

static sar_status finish(sari_importer* im, sar_status status, char** model, char** messages)
{
    if (status == SAR_OK && !im->failures) {
        sari_import_tree(im);
        sari_import_repair(im);
    }
    if (status == SAR_OK && !im->failures && !im->no_memory) {
        sari_import_words(im);
        *model = sari_import_write(im);
        if (!*model) im->no_memory = true;
    }
    if (im->no_memory || status == SAR_E_NOMEM) return SAR_E_NOMEM;
    if (im->failures || status != SAR_OK) {
        if (messages) *messages = sari_diagnostics_format(im->errors);
        return messages && !*messages ? SAR_E_NOMEM : SAR_E_MODEL;
    }
    if (messages) *messages = note_text(im);
    return messages && im->notes && !*messages ? SAR_E_NOMEM : SAR_OK;
}

/* ---- the import ----------------------------------------------------------------------------- */

static sar_status import(sari_importer* im, const char* text, size_t length, char** model,
                         char** messages)
{
    sari_xml* root = NULL;
    const sari_source source = {im->path, text, length, 0};
    im->robot.ground = (sari_robot_link){.name = "ground",
                                         .word = "ground",
                                         .pose = SARI_POSE_IDENTITY,
                                         .at = SARI_POSE_IDENTITY,
                                         .placed = true};
    im->spare_link = im->robot.ground;
    im->folder = sari_import_folder_of(im, im->path);
    const sar_status status = sari_xml_parse(&source, &im->memory, im->errors, &root);
    if (root) read_robot(im, root);
    return finish(im, status, model, messages);
}

sar_status sar_import_text(const char* text, size_t length, const char* path,
                           const sar_import_options* options, char** model, char** messages)
{
    if (model) *model = NULL;
    if (messages) *messages = NULL;
    if (!text || !model) return SAR_E_ARG;
    sari_importer* im = SARI_NEW(sari_importer);
    if (!im) return SAR_E_NOMEM;
    sar_status status = SAR_E_NOMEM;
    im->options = options;
    im->path = path ? path : "robot";
    im->errors = SARI_NEW(sari_diagnostics);
    if (im->errors) {
        sari_diagnostics_init(im->errors, "error", im->path, text, length);
        status = import(im, text, length, model, messages);
        sari_diagnostics_clear(im->errors);
    }
    if (status != SAR_OK) {
        sari_release(*model);
        *model = NULL;
    }
    sari_release(im->errors);
    sari_scratch_clear(&im->memory);
    sari_release(im);
    return status;
}
