/* Model files that are read once, for many models with other parameters. */
#include "base/memory.h"
#include "base/status.h"
#include "import/import.h"
#include "input/reader.h"
#include "input/robots.h"

#include <string.h>

struct sar_source {
    char* text;
    sari_files files;
    char* notes;       ///< of the import of a robot file, which every reading tells
    sar_status status; ///< of that import
};

static sar_status fill(sar_source* s, const char* text, size_t length, const char* name)
{
    s->text = sari_allocate(length + 1, 1);
    if (!s->text) return SAR_E_NOMEM;
    if (length) memcpy(s->text, text, length);
    s->files.keeps = true;
    return sari_files_add_first(&s->files, s->text, length, name);
}

/* A robot file: the model that it stands for. What is wrong with it is reported when a model is asked for. */
static sar_status fill_from_robot(sar_source* s, const char* text, size_t length, const char* name)
{
    char *model = NULL, *as = sari_robot_model_name(name);
    sar_status status =
        as ? sar_import_text(text, length, name, NULL, &model, &s->notes) : SAR_E_NOMEM;
    s->status = status;
    if (status == SAR_E_MODEL)
        status = SAR_OK;
    else if (status == SAR_OK)
        status = fill(s, model, strlen(model), as);
    sari_release(as);
    sari_release(model);
    return status;
}

sar_status sar_source_open(const char* text, size_t length, const char* name, sar_source** out)
{
    if (out) *out = NULL;
    if (!text || !out) return SAR_E_ARG;
    sar_source* source = SARI_NEW(sar_source);
    if (!source) return SAR_E_NOMEM;
    const sar_status status = sari_import_begins(text, length)
                                  ? fill_from_robot(source, text, length, name)
                                  : fill(source, text, length, name);
    if (status == SAR_OK)
        *out = source;
    else
        sar_source_close(source);
    return status;
}

sar_status sar_source_model(sar_source* source, const sar_setting* settings, int count,
                            sar_model** out, sar_options* options, char** messages)
{
    if (out) *out = NULL;
    if (messages) *messages = NULL;
    if (!source || !out || count < 0 || (count > 0 && !settings)) return SAR_E_ARG;
    char *notes = source->notes ? sari_copy_string(source->notes) : NULL, *more = NULL;
    sar_status status = source->status;
    if (status == SAR_OK)
        status = sari_reader_read(&source->files, settings, count, sari_usual_limits, out, options,
                                  &more);
    notes = sari_join_texts(notes, more);
    if (messages)
        *messages = notes;
    else
        sari_release(notes);
    return status;
}

void sar_source_close(sar_source* source)
{
    if (!source) return;
    sari_files_clear(&source->files);
    sari_release(source->text);
    sari_release(source->notes);
    sari_release(source);
}

int sar_source_dimensions(const sar_source* source, const sar_dimension** list)
{
    *list = source->files.dimensions.at;
    return source->files.dimensions.count;
}

void sar_source_change(sar_source* source, int which, double change)
{
    sari_dimensions* d = &source->files.dimensions;
    d->changed = which >= 0 && which < d->count ? d->node[which] : NULL;
    d->change = change;
}

/* ---- all numbers ---------------------------------------------------------------------------- */

sar_status sar_source_numbers(sar_source* source, const sar_setting* settings, int count,
                              const sar_number** list, int* numbers)
{
    sari_numbers* n = &source->files.numbers;
    sar_model* model = NULL;
    *list = NULL, *numbers = 0;
    sari_numbers_clear(n);
    n->noted = n->used = true;
    sar_status status = sar_source_model(source, settings, count, &model, NULL, NULL);
    sar_model_destroy(model);
    n->noted = n->used = false;
    if (status != SAR_OK) return status;
    if (!sari_numbers_name(&source->files)) return SAR_E_NOMEM;
    *list = n->at;
    *numbers = n->count;
    return SAR_OK;
}

sar_status sar_source_change_number(sar_source* source, int k, double change)
{
    sari_numbers* n = &source->files.numbers;
    if (k < 0 || k >= n->count) return SAR_E_ARG;
    n->change[k] = change;
    n->used = false;
    for (int i = 0; i < n->count; i++) n->used = n->used || n->change[i] != 0.0;
    return SAR_OK;
}

int sar_source_find_number(const sar_source* source, const char* name)
{
    static const char PARAMETERS[] = "parameters.";
    const sari_numbers* n = &source->files.numbers;
    for (int k = 0; k < n->count; k++)
        if (n->at[k].name && strcmp(n->at[k].name, name) == 0) return k;
    for (int k = 0; k < n->count; k++)
        if (n->at[k].name && strncmp(n->at[k].name, PARAMETERS, sizeof PARAMETERS - 1) == 0 &&
            strcmp(n->at[k].name + sizeof PARAMETERS - 1, name) == 0)
            return k;
    return -1;
}
