#include "fmu/settings.h"

#include "base/memory.h"
#include "base/status.h"
#include "input/files.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <locale.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------- */

/// How many lines there are, so many of a kind at most.
static int count_lines(const char* text)
{
    int count = 1;
    for (; *text; text++) count += *text == '\n';
    return count;
}

static char* split(char* text, char at)
{
    char* rest = strchr(text, at);
    if (!rest) return text + strlen(text);
    *rest = 0;
    return rest + 1;
}

static sar_status take_line(sari_fmu_settings* s, char* line, sar_error* error)
{
    char* value = split(line, ' ');
    if (strcmp(line, "token") == 0) s->token = value;
    if (strcmp(line, "model") == 0) s->model = value;
    if (strcmp(line, "calculated") == 0) s->calculated[s->calculated_count++] = value;
    if (strcmp(line, "set") == 0) {
        char* of = split(value, '=');
        s->set[s->sets++] = (sar_setting){value, of};
    }
    const int unused =
        strcmp(line, "unused") == 0; // of the model file, and no option of the method
    if (!unused && strcmp(line, "option") != 0) return SAR_OK;
    const uint64_t given = s->options.given;
    char* of = split(value, ' ');
    const sar_status status = sar_options_set(&s->options, value, of, error);
    if (unused) s->options.given = given;
    return status;
}

/// A copy of the file that ends as texts do; NULL with the reason.
static char* read_text(const char* path, const char** why)
{
    size_t length;
    char* file = sari_read_file(path, &length, why);
    char* text = file ? sari_allocate(length + 1, 1) : NULL;
    if (text) memcpy(text, file, length);
    if (file && !text) *why = "out of memory";
    sari_release(file);
    return text;
}

sar_status sari_fmu_settings_read(const char* folder, sari_fmu_settings* out, sar_error* error)
{
    char path[4096];
    const char* why = "";
    *out = (sari_fmu_settings){.options = sar_options_default()};
    snprintf(path, sizeof path, "%s/" SARI_FMU_SETTINGS_FILE, folder);
    out->text = read_text(path, &why);
    if (!out->text)
        return sari_fail(error, SAR_E_IO, NULL, "cannot read the resource %s: %s", path, why);
    const int lines = count_lines(out->text);
    out->set = SARI_NEW_ARRAY(sar_setting, lines);
    out->calculated = SARI_NEW_ARRAY(const char*, lines);
    if (!out->set || !out->calculated) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (char *line = out->text, *next; *line; line = next) {
        next = split(line, '\n');
        SARI_TRY(take_line(out, line, error));
    }
    if (out->token && out->model) return SAR_OK;
    return sari_fail(error, SAR_E_IO, NULL, "the resource %s names no model", path);
}

void sari_fmu_settings_release(sari_fmu_settings* s)
{
    sari_release(s->text);
    sari_release(s->set);
    sari_release((void*)s->calculated);
    *s = (sari_fmu_settings){0};
}

/* ---- writing -------------------------------------------------------------------------------- */

void sari_fmu_number(double value, char text[32])
{
    snprintf(text, 32, "%.17g", value);
    char* sign = strstr(text, localeconv()->decimal_point);
    if (sign) *sign = '.';
}

void sari_fmu_write_options(FILE* to, const sar_options* o)
{
    const sar_options usual = sar_options_default();
    char text[32];
    int k = 0;
    fprintf(
        to,
        "option coordinates %s\noption formulation %s\noption integrator %s\noption solver %s\n",
        o->coordinates, o->formulation, o->integrator, o->solver);
#define WRITE(field, type, preset, word, min, max, who, unit, about)                               \
    if ((o->given >> k & 1) || o->field != usual.field) {                                          \
        sari_fmu_number((double)o->field, text);                                                   \
        const int fixed = o->iterations_fixed && strcmp(#field, "iterations") == 0;                \
        const int by_word = *word && o->field == usual.field;                                      \
        fprintf(to, "%s %s %s%s\n", o->given >> k & 1 ? "option" : "unused", #field,               \
                fixed ? "fixed:" : "", by_word ? word : text);                                     \
    }                                                                                              \
    k++;
    SAR_OPTION_LIST(WRITE)
#undef WRITE
}

/* ---- variables ------------------------------------------------------------------------------ */

const char* sari_fmu_no_exchange(const sar_simulation* s)
{
    if (!s->form.ops->rates || sari_formulation_can(s->form.ops, SARI_FORM_MOMENTA))
        return "its formulation has no rates of velocities (al1, penalty and nullspace have)";
    for (int k = 0; k < s->configurations; k++) {
        const sari_system* now = k == s->present ? s->system : s->configuration[k].scene.system;
        if (now->np != s->system->np || now->nq != s->system->nq)
            return "phases change the number of its coordinates";
    }
    if (s->integrals.count) return "an output is an integral over time";
    if (s->ledger) return "its energy ledger adds up what steps do";
    return NULL;
}

void sari_fmu_count_states(const sar_simulation* s, sari_fmu_layout* layout)
{
    const int none = sari_fmu_no_exchange(s) != NULL;
    layout->states = none ? 0 : s->system->np + s->system->nq;
    layout->indicators = none ? 0 : sari_events_indicators(s);
}

/* In the order of the kinds: how many there are before, and of this kind. */
static int count_of(const sari_fmu_layout* l, sari_fmu_kind kind, int* before)
{
    const int counts[] = {1,         l->parameters, l->inputs,    l->outputs,
                          l->states, l->states,     l->indicators};
    *before = 0;
    for (int k = 0; k < (int)kind; k++) *before += counts[k];
    return counts[kind];
}

sari_fmu_kind sari_fmu_find(const sari_fmu_layout* layout, unsigned reference, int* index)
{
    for (int kind = 0; kind < SARI_FMU_NOTHING; kind++) {
        int before;
        const int count = count_of(layout, (sari_fmu_kind)kind, &before);
        if (reference >= (unsigned)(before + count)) continue;
        *index = (int)reference - before;
        return (sari_fmu_kind)kind;
    }
    *index = 0;
    return SARI_FMU_NOTHING;
}

unsigned sari_fmu_reference(const sari_fmu_layout* layout, sari_fmu_kind kind, int index)
{
    int before;
    (void)count_of(layout, kind, &before);
    return (unsigned)(before + index);
}
