/* sar_fmu_write: reads the model as the runtime will, runs it, and packs description, runtime, model and motion. */
#include "fmu/export.h"

#include "base/archive.h"
#include "base/memory.h"
#include "base/status.h"
#include "fmu/zip.h"
#include "input/files.h"
#include "sarrus/import.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#define PLATFORM "aarch64"
#else
#define PLATFORM "x86_64"
#endif

enum { PATH = 4096 };
enum { DEEPEST = 64 }; ///< folders that files of a model may be above it

/* ---- the model ------------------------------------------------------------------------------ */

/// The text that goes into the resources: of robot files the model file that they stand for.
static sar_status take_text(sari_fmu_export* e, sar_error* error)
{
    const sar_fmu_def* def = e->def;
    char* messages = NULL;
    if (!sar_import_is_robot(def->text, def->length)) {
        e->text = sari_copy(def->text, def->length, 1);
        e->length = def->length;
        return e->text ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    }
    const sar_status st =
        sar_import_text(def->text, def->length, def->path, NULL, &e->text, &messages);
    if (st == SAR_OK) e->length = strlen(e->text);
    if (st != SAR_OK)
        (void)sari_fail(error, st, NULL, "%s", messages ? messages : "cannot be read");
    sar_text_free(messages);
    return st;
}

static sar_status read_model(sari_fmu_export* e, sar_error* error)
{
    const sar_fmu_def* def = e->def;
    char* messages = NULL;
    SARI_TRY(take_text(e, error));
    sar_status st = sar_source_open(e->text, e->length, def->path, &e->source);
    if (st == SAR_OK)
        st = sar_source_model(e->source, def->settings, def->settings_count, &e->model, NULL,
                              &messages);
    if (st != SAR_OK)
        (void)sari_fail(error, st, NULL, "%s", messages ? messages : sar_status_text(st));
    sar_text_free(messages);
    return st;
}

/// Set a parameter, and note which others change. 0: it cannot be set to that.
static int try_parameter(sari_fmu_export* e, sar_setting* set, int k, double value)
{
    const int n = e->layout.parameters, given = e->def->settings_count;
    sar_model* other = NULL;
    char text[32], *messages = NULL;
    sari_fmu_number(value, text);
    set[given] = (sar_setting){sar_model_parameter_name(e->model, k), text};
    const sar_status st = sar_source_model(e->source, set, given + 1, &other, NULL, &messages);
    const int fits = st == SAR_OK && sar_model_parameters(other) == n;
    for (int j = 0; fits && j < n; j++)
        if (j != k && sar_model_parameter_value(other, j) != sar_model_parameter_value(e->model, j))
            e->calculated[j] = 1;
    sar_model_destroy(other);
    sar_text_free(messages);
    return fits;
}

/* Which parameters follow from others: those that change when another one is moved a little. */
static sar_status find_calculated(sari_fmu_export* e, sar_error* error)
{
    const sar_fmu_def* def = e->def;
    const int n = e->layout.parameters, given = def->settings_count;
    sar_setting* set = SARI_NEW_ARRAY(sar_setting, given + 1);
    e->calculated = SARI_NEW_ARRAY(char, n + 1);
    if (!set || !e->calculated) {
        sari_release(set);
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    }
    for (int k = 0; k < given; k++) set[k] = def->settings[k];
    for (int k = 0; k < n; k++) {
        const double value = sar_model_parameter_value(e->model, k);
        if (try_parameter(e, set, k, value == 0.0 ? 1e-3 : value * (1.0 + 1e-3))) continue;
        if (!try_parameter(e, set, k, value)) e->calculated[k] = 1; // whatever it is set to
    }
    sari_release(set);
    return SAR_OK;
}

static void name_binary(sari_fmu_export* e)
{
    const char* name = sar_model_name(e->model);
    size_t used = 0;
    if (!isalpha((unsigned char)name[0]))
        used = (size_t)snprintf(e->identifier, sizeof e->identifier, "model_");
    for (; *name && used + 1 < sizeof e->identifier; name++)
        e->identifier[used++] = isalnum((unsigned char)*name) ? *name : '_';
    e->identifier[used] = 0;
}

/// From all that the FMU is made of: the same for the same.
static void make_token(sari_fmu_export* e, const char* settings)
{
    uint64_t part[2];
    for (int k = 0; k < 2; k++) {
        part[k] = sari_archive_digest((uint64_t)k, e->text, e->length);
        part[k] = sari_archive_digest(part[k], settings, strlen(settings));
        part[k] = sari_archive_digest(part[k], &e->def->version, sizeof e->def->version);
    }
    snprintf(e->token, sizeof e->token, "{%08lx-%04lx-%04lx-%04lx-%012lx}",
             (unsigned long)(part[0] >> 32), (unsigned long)(part[0] >> 16 & 0xffff),
             (unsigned long)(part[0] & 0xffff), (unsigned long)(part[1] >> 48),
             (unsigned long)(part[1] & 0xffffffffffff));
}

static sar_status prepare(sari_fmu_export* e, sar_error* error)
{
    SARI_TRY(read_model(e, error));
    SARI_TRY(sar_simulation_create(e->model, e->def->options, &e->simulation, error));
    e->layout = (sari_fmu_layout){.parameters = sar_model_parameters(e->model),
                                  .inputs = sar_model_inputs(e->model),
                                  .outputs = sar_model_outputs(e->model)};
    if (e->def->sources && e->simulation->integrator->elsewhere)
        return sari_fail(
            error, SAR_E_INCOMPAT, NULL,
            "%s is of SUNDIALS, which the sources do without: choose another integrator",
            e->def->options->integrator);
    const char* why = sari_fmu_no_exchange(e->simulation);
    sari_fmu_count_states(e->simulation, &e->layout);
    snprintf(e->report->no_exchange, sizeof e->report->no_exchange, "%s", why ? why : "");
    name_binary(e);
    e->step = sari_fmu_communication_step(e->def->options);
    SARI_TRY(find_calculated(e, error));
    return sari_fmu_run(e, error);
}

/* ---- files of the model --------------------------------------------------------------------- */

/// "a/./b//c/../d" as "a/b/d". Steps up that have nothing before them stay.
static void simplify(const char* path, char* out)
{
    char* part[3 * PATH / 2];
    int parts = 0;
    char* at = out;
    if (*path == '/') *at++ = '/';
    char* const root = at;
    while (*path) {
        const size_t length = strcspn(path, "/");
        const int up = length == 2 && path[0] == '.' && path[1] == '.';
        if (up && parts > 0 && strcmp(part[parts - 1], "../") != 0) {
            at = part[--parts];
        } else if (length > 0 && !(length == 1 && path[0] == '.')) {
            part[parts++] = at;
            memcpy(at, path, length);
            at += length;
            *at++ = '/';
            *at = 0;
        }
        path += length;
        path += *path == '/';
    }
    if (at > root) at--;
    *at = 0;
}

/// The way from the folder of the model file to one of its files, by their names. 0: it is too long.
static int relative_to_model(const sari_fmu_export* e, const char* file, char* out)
{
    char given[PATH], folder[PATH], path[PATH];
    const char* slash = strrchr(e->def->path, '/');
    const int length = slash ? (int)(slash - e->def->path) : 0;
    if (strlen(file) + 2 >= PATH || length + 2 >= PATH) return 0;
    snprintf(given, sizeof given, "%.*s", length, e->def->path);
    simplify(given, folder);
    simplify(file, path);
    size_t same = 0; // folders that both begin with
    for (size_t k = 0; folder[k] == path[k] && path[k]; k++)
        if (path[k + 1] == '/' && (folder[k + 1] == '/' || folder[k + 1] == 0)) same = k + 1;
    const char* rest = folder + same + (folder[same] == '/');
    out[0] = 0;
    for (; *rest; rest += strcspn(rest, "/"), rest += *rest == '/') strcat(out, "../");
    rest = path + same + (same > 0);
    if (strlen(out) + strlen(rest) >= PATH || (path[0] == '/' && same == 0)) return 0;
    strcat(out, rest);
    return 1;
}

static int steps_up(const char* way)
{
    int count = 0;
    for (; strncmp(way, "../", 3) == 0; way += 3) count++;
    return count;
}

/// Where the model file lies in the resources: so deep that all its files are there too.
static sar_status place_model(const sari_fmu_export* e, char* place, sar_error* error)
{
    int depth = 0;
    char way[PATH];
    for (int k = 0; k < sar_model_files(e->model); k++) {
        const char* file = sar_model_file(e->model, k);
        if (!relative_to_model(e, file, way) || steps_up(way) > DEEPEST)
            return sari_fail(
                error, SAR_E_MODEL, NULL,
                "the model uses %s, which is elsewhere: put it beside the model file, so "
                "that both can go into the FMU",
                file);
        depth = steps_up(way) > depth ? steps_up(way) : depth;
    }
    place[0] = 0;
    for (int k = 0; k < depth; k++) strcat(place, "model/");
    return SAR_OK;
}

static sar_status add_file(sari_zip* zip, const char* name, const char* path, sar_error* error)
{
    size_t length;
    const char* why = "";
    char* text = sari_read_file(path, &length, &why);
    if (!text) return sari_fail(error, SAR_E_IO, NULL, "cannot read %s: %s", path, why);
    const sar_status status = sari_zip_add(zip, name, text, length, error);
    sari_release(text);
    return status;
}

static sar_status add_model(const sari_fmu_export* e, sari_zip* zip, const char* place,
                            sar_error* error)
{
    char name[3 * PATH], way[PATH], plain[3 * PATH];
    snprintf(name, sizeof name, "resources/%smodel.yaml", place);
    SARI_TRY(sari_zip_add(zip, name, e->text, e->length, error));
    for (int k = 0; k < sar_model_files(e->model); k++) {
        (void)relative_to_model(e, sar_model_file(e->model, k), way);
        snprintf(name, sizeof name, "resources/%s%s", place, way);
        simplify(name, plain);
        SARI_TRY(add_file(zip, plain, sar_model_file(e->model, k), error));
    }
    return SAR_OK;
}

/* ---- the archive ---------------------------------------------------------------------------- */

/// A text that `write` makes, as a file of the archive.
static sar_status add_text(const sari_fmu_export* e, sari_zip* zip, const char* name,
                           void (*write)(const sari_fmu_export* e, FILE* to), sar_error* error)
{
    char* text = NULL;
    size_t length = 0;
    FILE* to = open_memstream(&text, &length);
    if (!to) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    write(e, to);
    const int failed = fclose(to);
    const sar_status status = failed ? sari_fail(error, SAR_E_NOMEM, NULL, "out of memory")
                                     : sari_zip_add(zip, name, text, length, error);
    free(text);
    return status;
}

/// The settings without the token, which is made of them. free() it.
static char* settings_text(const sari_fmu_export* e, const char* place)
{
    char* text = NULL;
    size_t length = 0;
    FILE* to = open_memstream(&text, &length);
    if (!to) return NULL;
    fprintf(to, "model %smodel.yaml\n", place);
    for (int k = 0; k < e->def->settings_count; k++)
        fprintf(to, "set %s=%s\n", e->def->settings[k].name, e->def->settings[k].value);
    for (int k = 0; k < e->layout.parameters; k++)
        if (e->calculated[k]) fprintf(to, "calculated %s\n", sar_model_parameter_name(e->model, k));
    sari_fmu_write_options(to, e->def->options);
    for (int k = 0; e->errors && k < e->layout.outputs; k++) {
        char number[32];
        sari_fmu_number(e->ranges[k], number);
        fprintf(to, "range %s\n", number);
    }
    return fclose(to) == 0 ? text : NULL;
}

static sar_status add_settings(sari_fmu_export* e, sari_zip* zip, const char* text,
                               sar_error* error)
{
    char line[80];
    const int head = snprintf(line, sizeof line, "token %s\n", e->token);
    char* all = sari_allocate((size_t)head + strlen(text) + 1, 1);
    if (!all) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    memcpy(all, line, (size_t)head);
    strcpy(all + head, text);
    const sar_status status =
        sari_zip_add(zip, "resources/" SARI_FMU_SETTINGS_FILE, all, strlen(all), error);
    sari_release(all);
    return status;
}

static sar_status add_binary(const sari_fmu_export* e, sari_zip* zip, sar_error* error)
{
    char name[256], found[PATH];
    size_t length;
    const char *why = "", *from = e->def->runtime ? e->def->runtime : found;
    if (!e->def->runtime && !sari_fmu_find_runtime(found, sizeof found))
        return sari_fail(
            error, SAR_E_BUILD, NULL,
            "sarrus-fmu.so, the runtime of FMUs, is not there: it is built where expat "
            "and SUNDIALS are static libraries too");
    snprintf(name, sizeof name, "binaries/%s/%s.so",
             e->def->version == 2 ? "linux64" : PLATFORM "-linux", e->identifier);
    char* bytes = sari_read_file(from, &length, &why);
    if (!bytes)
        return sari_fail(error, SAR_E_IO, NULL, "cannot read the runtime %s: %s", from, why);
    e->report->bytes = length;
    const sar_status status = sari_zip_add(zip, name, bytes, length, error);
    sari_release(bytes);
    return status;
}

static sar_status pack(sari_fmu_export* e, sari_zip* zip, const char* place, const char* settings,
                       sar_error* error)
{
    SARI_TRY(add_text(e, zip, "modelDescription.xml", sari_fmu_describe, error));
    SARI_TRY(add_binary(e, zip, error));
    SARI_TRY(add_settings(e, zip, settings, error));
    SARI_TRY(add_model(e, zip, place, error));
    if (e->rows)
        SARI_TRY(add_text(e, zip, "resources/reference.csv", sari_fmu_write_motion, error));
    if (e->def->sources) SARI_TRY(sari_fmu_add_sources(e, zip, error));
    if (e->def->sources && e->def->version == 3)
        SARI_TRY(add_text(e, zip, "sources/buildDescription.xml", sari_fmu_describe_build, error));
    return add_text(e, zip, "documentation/index.html", sari_fmu_document, error);
}

static sar_status write(sari_fmu_export* e, const char* path, sar_error* error)
{
    char place[PATH];
    sari_zip* zip = NULL;
    SARI_TRY(prepare(e, error));
    SARI_TRY(place_model(e, place, error));
    char* settings = settings_text(e, place);
    if (!settings) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    make_token(e, settings);
    sar_status status = sari_zip_create(path, &zip, error);
    if (status == SAR_OK) status = pack(e, zip, place, settings, error);
    const sar_status closed = sari_zip_close(zip, status == SAR_OK ? error : NULL);
    free(settings);
    if (status == SAR_OK) status = closed;
    if (status != SAR_OK && zip) (void)remove(path);
    return status;
}

static void release(sari_fmu_export* e)
{
    sar_simulation_destroy(e->simulation);
    sar_model_destroy(e->model);
    sar_source_close(e->source);
    void* owned[] = {e->text, e->calculated, e->time, e->work, e->values, e->errors, e->ranges};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sari_release(owned[k]);
}

sar_status sar_fmu_write(const sar_fmu_def* def, const char* path, sar_fmu_report* report,
                         sar_error* error)
{
    sar_fmu_report unseen;
    sari_fmu_export e = {.def = def, .report = report ? report : &unseen};
    *e.report = (sar_fmu_report){0};
    if (!def->text || !def->path || !def->options || (def->version != 2 && def->version != 3))
        return sari_fail(error, SAR_E_ARG, NULL, "a model, options and FMI 2 or 3 are wanted");
    const sar_status status = write(&e, path, error);
    e.report->parameters = e.layout.parameters;
    e.report->inputs = e.layout.inputs;
    e.report->outputs = e.layout.outputs;
    e.report->states = e.layout.states;
    e.report->indicators = e.layout.indicators;
    e.report->rows = e.rows;
    e.report->step = e.step;
    release(&e);
    return status;
}
