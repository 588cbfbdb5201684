#include "expression/words.h"

#include "base/status.h"
#include "expression/program.h"

#include <math.h>
#include <string.h>

static bool same_word(const char* name, size_t length, const char* word)
{
    return word && strlen(word) == length && memcmp(name, word, length) == 0;
}

int sari_find_function(const char* name, size_t length)
{
    for (int op = 0; op < SARI_OPS; op++)
        if (same_word(name, length, sari_op_table[op].word)) return op;
    return -1;
}

bool sari_find_known(const char* name, size_t length, double* constant)
{
    static const struct {
        const char* word;
        double value;
    } known[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}, {"inf", INFINITY}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (!same_word(name, length, known[k].word)) continue;
        *constant = known[k].value;
        return true;
    }
    return false;
}

const char* sari_suggest_function(const sari_table_list* tables, const char* word)
{
    static const char* const synonyms[][2] = {{"ln", "log"}, {"arctan2", "atan2"}, {"sgn", "sign"}};
    for (size_t k = 0; k < sizeof synonyms / sizeof synonyms[0]; k++)
        if (strcmp(word, synonyms[k][0]) == 0) return synonyms[k][1];
    const char* words[SARI_OPS];
    int count = 0;
    for (int op = 0; op < SARI_OPS; op++)
        if (sari_op_table[op].word) words[count++] = sari_op_table[op].word;
    const char* near = NULL;
    for (int k = 0; tables && k < tables->count && !near; k++) {
        const char* name = tables->at[k]->name;
        near = sari_nearest_word(word, &name, 1);
    }
    return near ? near : sari_nearest_word(word, words, count);
}
