#include "import/model/words.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = 44,
    CODES = 4096
}; // models have names of 63 characters at most, and endings need room

typedef struct taken_word {
    const char* word;
    struct taken_word* next;
} taken_word;

/// By code. It lives as long as the import, in its memory.
static taken_word** table_of(sari_importer* im)
{
    if (!im->words) im->words = sari_import_take(im, CODES * sizeof(taken_word*));
    return im->words;
}

static bool is_one_of(const char* word, const char* const* words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(word, words[k]) == 0) return true;
    return false;
}

static bool is_reserved(const char* word)
{
    static const char* const words[] = {"ground", "energy", "t", "base_free"};
    return is_one_of(word, words, sizeof words / sizeof words[0]);
}

/* What has a meaning of its own in expressions, which inputs cannot have. */
static bool is_of_expressions(const char* word)
{
    static const char* const words[] = {
        "x",   "v",     "pi",   "e",    "inf",   "and",   "or",   "not",  "sin",
        "cos", "tan",   "asin", "acos", "atan",  "atan2", "sinh", "cosh", "tanh",
        "exp", "log",   "sqrt", "abs",  "sign",  "min",   "max",  "pow",  "floor",
        "mod", "hypot", "step", "ramp", "pulse", "y",     "z",    "s",    "time"};
    return is_one_of(word, words, sizeof words / sizeof words[0]);
}

const char* sari_import_point_word(sari_importer* im, const char* word)
{
    static const char* const words[] = {"origin", "center", "x", "y", "z"};
    return is_one_of(word, words, 5) ? sari_import_print(im, "%s_point", word) : word;
}

const char* sari_import_output_word(sari_importer* im, const char* word)
{
    static const char* const words[] = {"time", "pi", "e", "inf", "x", "v"};
    return is_one_of(word, words, 6) ? sari_import_print(im, "%s_joint", word) : word;
}

static bool take(sari_importer* im, const char* word)
{
    taken_word** table = table_of(im);
    if (!table) return true; // there is no memory: whatever it is
    taken_word** chain = &table[sari_hash_code(word, strlen(word)) % CODES];
    if (is_reserved(word)) return false;
    for (const taken_word* k = *chain; k; k = k->next)
        if (strcmp(k->word, word) == 0) return false;
    taken_word* mine = sari_import_take(im, sizeof *mine);
    if (!mine) return true;
    *mine = (taken_word){sari_import_print(im, "%s", word), *chain};
    *chain = mine;
    return true;
}

static void clean(const char* name, char out[LONGEST + 2])
{
    size_t used = 0;
    if (!name[0] || isdigit((unsigned char)name[0])) out[used++] = '_';
    for (; *name && used < LONGEST; name++)
        out[used++] = isalnum((unsigned char)*name) && (unsigned char)*name < 128 ? *name : '_';
    out[used] = 0;
}

const char* sari_import_word(sari_importer* im, const char* name, const char* ending)
{
    char base[LONGEST + 2], word[LONGEST + 64];
    clean(name, base);
    snprintf(word, sizeof word, "%s", base);
    for (int k = 1; !take(im, word); k++) {
        if (k == 1)
            snprintf(word, sizeof word, "%s%.30s", base, ending);
        else
            snprintf(word, sizeof word, "%s%.30s_%d", base, ending, k);
    }
    return sari_import_print(im, "%s", word);
}

static const char* named(sari_importer* im, const char* name, const char* ending, sari_place place)
{
    const char* word = sari_import_word(im, name, ending);
    if (strcmp(word, name) != 0)
        sari_import_note_at(im, place, "names that a model cannot have, or that are taken: changed",
                            "'%.60s' is '%s'", name, word);
    return word;
}

void sari_import_words(sari_importer* im)
{
    sari_robot* robot = &im->robot;
    robot->ground.word = "ground";
    for (sari_robot_link* k = robot->links; k; k = k->next)
        k->word = named(im, k->name, "_link", k->place);
    for (sari_robot_joint* k = robot->joints; k; k = k->next)
        k->word =
            k->kind == SARI_ROBOT_FREE || k->locked || (k->kind == SARI_ROBOT_FIXED && !k->closes)
                ? "" // it is not in the model
                : named(im, k->name, "_joint", k->place);
    for (sari_robot_coupling* k = robot->couplings; k; k = k->next)
        k->word = sari_import_word(im, k->name, "_coupling");
    for (sari_robot_spring* k = robot->springs; k; k = k->next)
        k->word = sari_import_word(im, k->name, "_spring");
    for (sari_robot_actuator* k = robot->actuators; k; k = k->next) {
        const char* name =
            is_of_expressions(k->name) ? sari_import_print(im, "%s_input", k->name) : k->name;
        k->input = sari_import_word(im, name, "_input");
        k->word = sari_import_word(im, k->input, "_motor");
    }
}
