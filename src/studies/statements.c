/* Statements of a source about several of its runs, from entries like
 *
 *     - {text: the cost is linear in n, take: slope, of: wall_us, over: n, from: 16, published: 1,
 * within: 0.1}
 *     - {text: lowest energy [J], take: least, of: energy_drift, label: i3DCA, published: -46.84,
 * within: 1.5}
 *
 * `against: LABEL` divides by the number of the rows with that label.
 * `within` is a distance from `published`; `at_least` and `at_most` are limits by themselves. */
#include "base/status.h"
#include "studies/study_file.h"

#include <math.h>
#include <string.h>

static const char* const statement_keys[] = {"text",   "take",     "of",      "over",
                                             "from",   "label",    "where",   "published",
                                             "within", "at_least", "at_most", "against"};
static const char* const kinds[] = {
#define STATEMENT_WORD(name, word) word,
    SAR_STATEMENT_LIST(STATEMENT_WORD)
#undef STATEMENT_WORD
};

sar_statement_kind sari_study_kind(sari_study_file* file, const sari_node* entry)
{
    const char* word = sari_study_text(file, entry, "take");
    for (int k = 0; k < SAR_STATEMENTS; k++)
        if (strcmp(word, kinds[k]) == 0) return (sar_statement_kind)k;
    sari_diagnostics_add(file->diagnostics, entry->place, "a statement cannot take '%s'", word);
    const char* near = sari_nearest_word(word, kinds, SAR_STATEMENTS);
    if (near) sari_diagnostics_hint(file->diagnostics, "did you mean '%s'?", near);
    return SAR_STATEMENT_LEAST;
}

static void read_limits(sari_study_file* file, const sari_node* entry, sar_study_statement* s)
{
    double within = sari_study_number(file, entry, "within");
    s->published = sari_study_number(file, entry, "published");
    s->at_least = sari_study_number(file, entry, "at_least");
    s->at_most = sari_study_number(file, entry, "at_most");
    if (isnan(within)) return;
    s->at_least = s->published - within;
    s->at_most = s->published + within;
    if (isnan(s->published))
        sari_diagnostics_add(file->diagnostics, entry->place, "'within' needs 'published'");
}

static sar_status read_statement(sari_study_file* file, const sari_node* entry,
                                 sar_study_statement* s)
{
    if (entry->kind != SARI_NODE_MAP) {
        sari_diagnostics_add(file->diagnostics, entry->place, "a statement is a map");
        return SAR_OK;
    }
    sari_study_check_keys(file, entry, "a statement", statement_keys,
                          (int)(sizeof statement_keys / sizeof statement_keys[0]));
    *s = (sar_study_statement){.text = sari_study_text(file, entry, "text"),
                               .take = sari_study_kind(file, entry),
                               .of = sari_study_text(file, entry, "of"),
                               .over = sari_study_text(file, entry, "over"),
                               .from = sari_study_number(file, entry, "from"),
                               .label = sari_study_text(file, entry, "label"),
                               .against = sari_study_text(file, entry, "against")};
    read_limits(file, entry, s);
    if (!*s->text || !*s->of || (s->take == SAR_STATEMENT_SLOPE && !*s->over))
        sari_diagnostics_add(file->diagnostics, entry->place,
                             "a statement needs 'text' and 'of', a slope 'over' as well");
    return sari_study_settings(file, sari_study_map(file, entry, "where"), 0, &s->where,
                               &s->where_count);
}

sar_status sari_study_statements(sari_study_file* file)
{
    sar_study_head* head = &file->study->head;
    const sari_node* list = sari_node_get(file->root, "statements");
    if (!list) return SAR_OK;
    if (list->kind != SARI_NODE_LIST) {
        sari_diagnostics_add(file->diagnostics, list->place, "'statements' must be a list");
        return SAR_OK;
    }
    sar_study_statement* statements =
        sari_scratch_allocate(&file->study->memory, ((size_t)list->count + 1) * sizeof *statements);
    if (!statements) return SAR_E_NOMEM;
    for (int k = 0; k < list->count; k++)
        SARI_TRY(read_statement(file, list->values[k], &statements[k]));
    head->statements = statements;
    head->statement_count = list->count;
    return SAR_OK;
}
