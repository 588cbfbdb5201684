/* Studies: their heads, and reading the two kinds of files that hold rows. A study file describes
 * a study and may have rows of its own; a problem's published.json has rows by source and table. */
#include "studies/study_file.h"

#include "base/memory.h"
#include "base/status.h"
#include "results/text_file.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* ---- values --------------------------------------------------------------------------------- */

const char* sari_study_text(sari_study_file* file, const sari_node* map, const char* key)
{
    const sari_node* node = sari_node_get(map, key);
    if (!node) return "";
    if (node->kind == SARI_NODE_SCALAR) return node->text;
    sari_diagnostics_add(file->diagnostics, node->place, "'%s' must be one text", key);
    return "";
}

double sari_study_number(sari_study_file* file, const sari_node* map, const char* key)
{
    const sari_node* node = sari_node_get(map, key);
    if (!node) return NAN;
    char* end = NULL;
    double value = node->kind == SARI_NODE_SCALAR ? strtod(node->text, &end) : NAN;
    if (end && end != node->text && *end == 0 && isfinite(value)) return value;
    sari_diagnostics_add(file->diagnostics, node->place, "'%s' must be a number", key);
    return NAN;
}

void sari_study_check_keys(sari_study_file* file, const sari_node* map, const char* what,
                           const char* const* known, int count)
{
    for (int k = 0; k < map->count; k++) {
        int found = 0;
        for (int j = 0; j < count && !found; j++) found = strcmp(map->keys[k]->text, known[j]) == 0;
        if (found) continue;
        const char* near = sari_nearest_word(map->keys[k]->text, known, count);
        sari_diagnostics_add(file->diagnostics, map->keys[k]->place, "%s has no key '%s'", what,
                             map->keys[k]->text);
        if (near) sari_diagnostics_hint(file->diagnostics, "did you mean '%s'?", near);
    }
}

/* ---- the head of a study -------------------------------------------------------------------- */

static sar_status read_words(sari_study_file* file, const char* key, const char* const** out,
                             int* out_count)
{
    const sari_node* list = sari_node_get(file->root, key);
    if (!list) return SAR_OK;
    int count = list->kind == SARI_NODE_LIST ? list->count : 0;
    const char** names =
        sari_scratch_allocate(&file->study->memory, ((size_t)count + 1) * sizeof *names);
    if (!names) return SAR_E_NOMEM;
    for (int k = 0; k < count; k++) {
        if (list->values[k]->kind == SARI_NODE_SCALAR)
            names[(*out_count)++] = list->values[k]->text;
    }
    if (*out_count == 0)
        sari_diagnostics_add(file->diagnostics, list->place, "'%s' must be a list of names", key);
    *out = names;
    return SAR_OK;
}

static void read_plot(sari_study_file* file, const sari_node* node, sar_study_plot* plot)
{
    static const char* const keys[] = {"title", "x",    "y",     "by",   "scale",
                                       "orbit", "from", "until", "most", "snapshots"};
    if (node->kind != SARI_NODE_MAP) {
        sari_diagnostics_add(file->diagnostics, node->place, "a plot is a map, as in {y: xQ}");
        return;
    }
    sari_study_check_keys(file, node, "a plot", keys, COUNT(keys));
    const char *x = sari_study_text(file, node, "x"), *y = sari_study_text(file, node, "y");
    const char* scale = sari_study_text(file, node, "scale");
    const char* by = sari_study_text(file, node, "by");
    *plot = (sar_study_plot){.title = sari_study_text(file, node, "title"),
                             .x = *x ? x : "t",
                             .y = y,
                             .by = *by ? by : "label",
                             .orbit = sari_study_text(file, node, "orbit"),
                             .from = sari_study_number(file, node, "from"),
                             .until = sari_study_number(file, node, "until"),
                             .most = sari_study_number(file, node, "most"),
                             .snapshots = sari_study_number(file, node, "snapshots"),
                             .logarithmic = strcmp(scale, "log") == 0};
    if (plot->snapshots <= 0.0)
        sari_diagnostics_add(file->diagnostics, node->place, "'snapshots' must be an interval > 0");
    if (!*y && isnan(plot->snapshots))
        sari_diagnostics_add(file->diagnostics, node->place, "a plot needs a 'y'");
    if (*scale && !plot->logarithmic && strcmp(scale, "linear") != 0)
        sari_diagnostics_add(file->diagnostics, node->place, "'scale' is linear or log");
}

static sar_status read_plots(sari_study_file* file)
{
    sar_study_head* head = &file->study->head;
    const sari_node* list = sari_node_get(file->root, "plots");
    if (!list) return SAR_OK;
    if (list->kind != SARI_NODE_LIST) {
        sari_diagnostics_add(file->diagnostics, list->place, "'plots' must be a list");
        return SAR_OK;
    }
    sar_study_plot* plots =
        sari_scratch_allocate(&file->study->memory, ((size_t)list->count + 1) * sizeof *plots);
    if (!plots) return SAR_E_NOMEM;
    for (int k = 0; k < list->count; k++) read_plot(file, list->values[k], &plots[k]);
    head->plots = plots;
    head->plot_count = list->count;
    return SAR_OK;
}

static sar_status read_rows(sari_study_file* file, const char* key)
{
    const sari_node* list = sari_node_get(file->root, key);
    if (!list) return SAR_OK;
    if (list->kind != SARI_NODE_LIST) {
        sari_diagnostics_add(file->diagnostics, list->place, "'%s' must be a list", key);
        return SAR_OK;
    }
    for (int k = 0; k < list->count; k++) SARI_TRY(sari_study_add_row(file, list->values[k]));
    return SAR_OK;
}

/* How times are taken and values between steps, if not as usual. */
static void read_ways(sari_study_file* file, sar_study_head* head)
{
    const char* timing = sari_study_text(file, file->root, "timing");
    const char* between = sari_study_text(file, file->root, "interpolation");
    char end = 0;
    if (*timing && (sscanf(timing, "mean of %d wal%c", &head->mean_of, &end) != 2 || end != 'l' ||
                    head->mean_of < 1))
        sari_diagnostics_add(file->diagnostics, sari_node_get(file->root, "timing")->place,
                             "'timing' is 'mean of N wall'");
    head->linear = strcmp(between, "linear") == 0;
    if (*between && !head->linear)
        sari_diagnostics_add(file->diagnostics, sari_node_get(file->root, "interpolation")->place,
                             "'interpolation' is 'linear'");
}

/* How far figures of the source are from each other where they should be the same: by its digits, or by
 * its own methods. */
static void read_spread(sari_study_file* file, sar_study_head* head)
{
    static const char* const keys[] = {"relative", "absolute"};
    const sari_node* spread = sari_study_map(file, file->root, "spread");
    head->relative = head->absolute = NAN;
    if (!spread) return;
    sari_study_check_keys(file, spread, "a spread", keys, COUNT(keys));
    head->relative = sari_study_number(file, spread, "relative");
    head->absolute = sari_study_number(file, spread, "absolute");
    if (!(head->relative > 0.0 || head->absolute > 0.0))
        sari_diagnostics_add(file->diagnostics, spread->place,
                             "'spread' needs 'relative' or 'absolute', a number > 0");
}

static sar_status read_study(sari_study_file* file)
{
    static const char* const keys[] = {
        "study",      "name",     "group",   "title",  "source",  "table",         "metric",
        "measure",    "problems", "plots",   "rows",   "remarks", "columns",       "rounds",
        "statements", "fit",      "methods", "spread", "timing",  "interpolation", "ranges"};
    sar_study_head* head = &file->study->head;
    sari_study_check_keys(file, file->root, "a study", keys, COUNT(keys));
    if (strcmp(sari_study_text(file, file->root, "study"), "1") != 0)
        sari_diagnostics_add(file->diagnostics, file->root->place,
                             "a study begins with 'study: 1', the version of the format");
    head->name = sari_study_text(file, file->root, "name");
    head->group = sari_study_text(file, file->root, "group");
    head->title = sari_study_text(file, file->root, "title");
    head->source = sari_study_text(file, file->root, "source");
    head->table = sari_study_text(file, file->root, "table");
    if (!*head->name)
        sari_diagnostics_add(file->diagnostics, file->root->place, "the study has no name");
    head->fit = sari_study_text(file, file->root, "fit");
    read_spread(file, head);
    read_ways(file, head);
    double rounds = sari_study_number(file, file->root, "rounds");
    head->rounds = rounds >= 1.0 && rounds <= 1000.0 ? (int)rounds : 0;
    SARI_TRY(read_words(file, "problems", &head->problems, &head->problem_count));
    SARI_TRY(read_words(file, "columns", &head->columns, &head->column_count));
    SARI_TRY(read_plots(file));
    SARI_TRY(sari_study_statements(file));
    return read_rows(file, "rows");
}

static sar_status read_published(sari_study_file* file)
{
    return read_rows(file, "results");
}

/* ---- files ---------------------------------------------------------------------------------- */

static char* unreadable(const sar_error* error)
{
    size_t size = strlen(error->message) + 32;
    char* text = sari_allocate(size, 1);
    if (text) snprintf(text, size, "error: %s\n", error->message);
    return text;
}

/* Parse `path` into nodes that live as long as the study, and hand them to `read`. */
static sar_status read_file(sari_study_file* file, const char* path,
                            sar_status (*read)(sari_study_file*), char** messages)
{
    char* text = NULL;
    size_t length = 0;
    sar_error error = {0};
    sari_diagnostics diagnostics;
    sari_node* root = NULL;
    if (messages) *messages = NULL;
    sar_status st = sari_text_file_read(path, &text, &length, &error);
    if (st != SAR_OK) {
        if (messages) *messages = unreadable(&error);
        return st;
    }
    sari_diagnostics_init(&diagnostics, "error", path, text, length);
    file->diagnostics = &diagnostics;
    st = sari_document_parse(&diagnostics.source, &file->study->memory, &diagnostics, &root);
    file->root = root;
    if (st == SAR_OK && (!root || root->kind != SARI_NODE_MAP)) {
        sari_diagnostics_add(&diagnostics, (sari_place){.line = 1, .column = 1},
                             "the file is not a map");
        st = SAR_E_MODEL;
    }
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t host = uselocale(c_locale); // strtod would want the host's decimal comma
    if (st == SAR_OK) st = read(file);
    uselocale(host);
    if (c_locale) freelocale(c_locale);
    if (st == SAR_OK && diagnostics.count > 0) st = SAR_E_MODEL;
    if (messages && st == SAR_E_MODEL) *messages = sari_diagnostics_format(&diagnostics);
    sari_diagnostics_clear(&diagnostics);
    file->diagnostics = NULL;
    sari_release(text);
    return st;
}

sar_status sar_study_read(const char* path, sar_study** out, char** messages)
{
    *out = NULL;
    sar_study* study = SARI_NEW(sar_study);
    if (!study) return SAR_E_NOMEM;
    sari_study_file file = {.study = study, .strict = 1, .path = path};
    sar_status st = read_file(&file, path, read_study, messages);
    if (st == SAR_OK)
        *out = study;
    else
        sar_study_destroy(study);
    return st;
}

sar_status sar_study_add_published(sar_study* study, const char* path, const char* source,
                                   const char* table, int* others, char** messages)
{
    sari_study_file file = {.study = study, .source = source, .table = table, .path = path};
    sar_status st = read_file(&file, path, read_published, messages);
    if (others) *others += file.others;
    return st;
}

sar_status sar_study_create(const char* name, const char* title, sar_study** out)
{
    sar_study* study = *out = SARI_NEW(sar_study);
    if (!study) return SAR_E_NOMEM;
    study->head = (sar_study_head){
        .group = "", .source = "", .table = "", .fit = "", .relative = NAN, .absolute = NAN};
    study->head.name = sari_scratch_text(&study->memory, name, strlen(name));
    study->head.title = sari_scratch_text(&study->memory, title, strlen(title));
    if (study->head.name && study->head.title) return SAR_OK;
    sar_study_destroy(study);
    *out = NULL;
    return SAR_E_NOMEM;
}

void sar_study_destroy(sar_study* study)
{
    if (!study) return;
    sari_scratch_clear(&study->memory);
    sari_release(study->rows);
    sari_release(study);
}

const sar_study_head* sar_study_about(const sar_study* study)
{
    return &study->head;
}

int sar_study_rows(const sar_study* study)
{
    return study->count;
}

const sar_study_row* sar_study_row_at(const sar_study* study, int k)
{
    return k >= 0 && k < study->count ? &study->rows[k] : NULL;
}
