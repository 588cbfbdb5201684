/* Parameters, the settings that replace them, and the `method` section. */
#include "base/memory.h"
#include "base/status.h"
#include "expression/expression.h"
#include "input/parameter_order.h"
#include "input/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- parameters ----------------------------------------------------------------------------- */

/* The setting for a parameter; the last one counts. */
static const sar_setting* setting_for(sari_reader* r, const char* name)
{
    const sar_setting* found = NULL;
    name = r->settings_count ? sari_full_name(r, name) : NULL;
    if (!name) return NULL;
    for (int k = r->settings_count - 1; k >= 0; k--)
        if (strcmp(r->settings[k].name, name) == 0) {
            r->setting_used[k] = true;
            found = found ? found : &r->settings[k];
        }
    return found;
}

static double read_setting(sari_reader* r, const sar_setting* setting)
{
    double value = 0.0;
    sar_error error;
    int before = r->failures;
    if (sari_evaluate_outside(r, setting->value, &value, &error)) return value;
    if (r->failures == before) {
        r->failures++;
        sari_diagnostics_add_outside(r->diagnostics, setting->value, error.offset,
                                     "the setting of '%s' from outside: %s", setting->name,
                                     error.message);
    }
    return 0.0;
}

/* The value that who uses the file gives to its parameter. */
static const sari_override* override_for(const sari_scope* s, const char* name)
{
    for (int k = 0; k < s->overrides_count; k++)
        if (strcmp(s->overrides[k].key->text, name) == 0) return &s->overrides[k];
    return NULL;
}

/* Of the same kind as the value that it replaces? `key` is NULL for a setting. */
static void check_kind(sari_reader* r, const char* name, const sari_node* value,
                       sari_dimension given, const sari_node* key)
{
    char own[96], other[96];
    const sari_dimension dimension = sari_dimension_of(r, value);
    if (!sari_dimension_differs(dimension, given)) return;
    sari_dimension_describe(dimension, own, sizeof own);
    sari_dimension_describe(given, other, sizeof other);
    if (key) {
        sari_report(r, key, "the parameter '%s' is %s, this value is %s", name, own, other);
        return;
    }
    r->failures++;
    sari_diagnostics_add_outside(r->diagnostics, name, 0,
                                 "the parameter '%s' is %s, its setting from outside is %s", name,
                                 own, other);
}

static void take_value(sari_reader* r, const char* name, const sari_node* value, sari_constant* out)
{
    const sar_setting* setting = setting_for(r, name);
    const sari_override* override = override_for(r->scope, name);
    if (setting) {
        const double given = sari_number_read(r, value, read_setting(r, setting));
        out->value = sari_keep_tolerance(r, value, name, given);
    } else if (override) {
        out->value = override->value;
        r->measured = override->dimension;
        if (override->failed) sari_fail_silently(r);
    } else {
        out->value = sari_read_number(r, value, name);
    }
    out->dimension = r->measured;
    if (setting || override)
        check_kind(r, name, value, out->dimension, setting ? NULL : override->key);
}

/* `cyclic`: it depends on itself, which was reported. */
static void read_constant(sari_reader* r, const sari_node* key, const sari_node* value, bool cyclic)
{
    sari_scope* s = r->scope;
    int before = r->failures;
    const char* name = sari_read_name(r, key, "parameter");
    sari_constant constant = {.key = key};
    if (cyclic)
        sari_fail_silently(r);
    else if (name)
        take_value(r, name, value, &constant);
    else
        sari_read_number(r, value, key->text);
    constant.failed = r->failures != before;
    if (!name) return;

    void* constants = s->constants;
    bool grown = sari_grow(&constants, s->constants_count, &s->constants_capacity, sizeof constant);
    s->constants = constants;
    constant.name = grown ? sari_copy_string(name) : NULL;
    if (constant.name && sari_hash_add(&s->constants_by_name, sari_hash_code(name, strlen(name)))) {
        s->constants[s->constants_count++] = constant;
    } else {
        sari_release(constant.name);
        sari_fail_memory(r);
    }
}

/* Names of all parameters as settings write them; returns how many there are. */
static int list_constants(sari_reader* r, sari_scope* s, const char** words, int most)
{
    int count = 0;
    sari_enter(r, s);
    for (int k = 0; k < s->constants_count && count < most; k++)
        if ((words[count] = sari_full_name(r, s->constants[k].name))) count++;
    for (sari_scope* k = s->first; k; k = k->next)
        count += list_constants(r, k, words + count, most - count);
    return count;
}

void sari_check_settings(sari_reader* r)
{
    enum { WORDS = 1000 };
    const char** words = NULL;
    int count = 0;
    for (int k = 0; k < r->settings_count && !r->out_of_memory; k++) {
        const char* name = r->settings[k].name;
        if (r->setting_used[k]) continue;
        if (!words) {
            words = sari_scratch_allocate(&r->texts, WORDS * sizeof *words);
            if (words) count = list_constants(r, r->world, words, WORDS);
            sari_enter(r, r->world);
        }
        r->failures++;
        char source[128];
        snprintf(source, sizeof source, "%.40s=%.80s", name, r->settings[k].value);
        sari_diagnostics_add_outside(r->diagnostics, source, 0,
                                     "the model has no parameter '%.60s'%s", name,
                                     count ? "" : "; it has none at all");
        const char* near = words ? sari_nearest_word(name, words, count) : NULL;
        if (near && strchr(near, '.'))
            sari_hint(r, "did you mean '%s'?", near);
        else if (count)
            sari_hint_words(r, words, count);
    }
}

/* The expression that gives an entry of `parameters` its value; NULL: none that uses parameters. */
static const char* text_of_entry(sari_reader* r, const sari_node* map, int entry)
{
    const char* name = map->keys[entry]->text;
    const sar_setting* setting = setting_for(r, name);
    if (setting) return setting->value;
    return override_for(r->scope, name) ? NULL : map->values[entry]->text;
}

void sari_read_constants(sari_reader* r)
{
    const sari_node* map = sari_node_get(r->scope->root, "parameters");
    if (!map || !sari_expect_map(r, map, "parameters") || map->count == 0) return;
    int* order = SARI_NEW_ARRAY(int, map->count);
    bool* cyclic = SARI_NEW_ARRAY(bool, map->count);
    if (!order || !cyclic || !sari_parameter_order(r, map, text_of_entry, order, cyclic))
        sari_fail_memory(r);
    for (int k = 0; k < map->count && !r->out_of_memory; k++) {
        sari_scratch_reset(&r->texts);
        read_constant(r, map->keys[order[k]], map->values[order[k]], cyclic[order[k]]);
    }
    sari_release(order);
    sari_release(cyclic);
}

/* ---- method --------------------------------------------------------------------------------- */

enum { OPTION_NAME = 32 };

/* Choices are words; everything else is a number. */
static const char* const choices[] = {"preset", "coordinates", "formulation", "integrator",
                                      "solver"};
static const char* const option_units[] = {
#define OPTION_UNIT_OF(field, type, preset, word, min, max, who, unit, text) "[" unit "]",
    SAR_OPTION_LIST(OPTION_UNIT_OF)
#undef OPTION_UNIT_OF
};
static const char* const option_fields[] = {
#define OPTION_NAME_OF(field, type, preset, word, min, max, who, unit, text) #field,
    SAR_OPTION_LIST(OPTION_NAME_OF)
#undef OPTION_NAME_OF
};
enum {
    CHOICES = sizeof choices / sizeof choices[0],
    OPTIONS = sizeof option_fields / sizeof option_fields[0],
};

static bool is_choice(const char* name)
{
    for (int k = 0; k < CHOICES; k++)
        if (strcmp(choices[k], name) == 0) return true;
    return false;
}

/* "auto", "none", "fixed:N" and "A,NAME=B" take the place of numbers; sar_options_set knows where. */
static bool is_word(const sari_node* value)
{
    return value->text && (strcmp(value->text, "auto") == 0 || strcmp(value->text, "none") == 0 ||
                           strncmp(value->text, "fixed:", 6) == 0 || strchr(value->text, '='));
}

/* In the file, as on the command line, '-' stands for the '_' of the field. */
static bool names_field(const char* word, const char* field)
{
    while (*word && *word == (*field == '_' ? '-' : *field)) word++, field++;
    return !*word && !*field;
}

static bool is_option(const char* word)
{
    for (int k = 0; k < OPTIONS; k++)
        if (names_field(word, option_fields[k])) return true;
    return is_choice(word);
}

static bool check_option(sari_reader* r, const sari_node* key)
{
    char names[OPTIONS][OPTION_NAME];
    if (is_option(key->text)) return true;
    const char* words[CHOICES + OPTIONS];
    for (int k = 0; k < CHOICES; k++) words[k] = choices[k];
    for (int k = 0; k < OPTIONS; k++) {
        snprintf(names[k], OPTION_NAME, "%s", option_fields[k]);
        for (char* c = names[k]; *c; c++)
            if (*c == '_') *c = '-';
        words[CHOICES + k] = names[k];
    }
    sari_report(r, key, "method has no option '%.60s'", key->text);
    sari_suggest(r, key->text, words, CHOICES + OPTIONS);
    return false;
}

static const char* unit_of(const char* option)
{
    for (int k = 0; k < OPTIONS; k++)
        if (strcmp(option_fields[k], option) == 0) return option_units[k];
    return NULL;
}

static void set_option(sari_reader* r, const sari_node* key, const sari_node* value,
                       sar_options* options)
{
    char number[40];
    const char* text = number;
    int before = r->failures;
    if (is_choice(key->text) || is_word(value)) {
        text = sari_read_text(r, value, key->text).text;
    } else {
        r->unit = unit_of(key->text);
        double x = sari_read_extended_number(r, value, key->text);
        r->unit = NULL;
        snprintf(number, sizeof number, "%.17g", x);
    }
    sar_error error;
    if (r->failures != before) return;
    if (sar_options_set(options, key->text, text, &error) == SAR_OK) return;
    if (error.status == SAR_E_NOMEM)
        sari_fail_memory(r);
    else
        sari_report(r, value, "%s", error.message);
}

void sari_read_method(sari_reader* r, sar_options* options)
{
    const sari_node* map = sari_node_get(r->world->root, "method");
    if (!map || !sari_expect_map(r, map, "method")) return;
    // A preset sets several options: it comes first, so that the others can refine it.
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < map->count; k++) {
            bool preset = strcmp(map->keys[k]->text, "preset") == 0;
            if (preset != (pass == 0)) continue;
            sari_scratch_reset(&r->texts);
            if (check_option(r, map->keys[k])) set_option(r, map->keys[k], map->values[k], options);
        }
    }
}
