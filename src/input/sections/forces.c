/* Forces, by the tables of their types (elements/force.h). */
#include "elements/force.h"

#include "input/keys.h"
#include "model/model.h"

static void check_acts(sari_key_reader* f, int before)
{
    const sari_file_word* word = f->word;
    if (!word->idle || f->r->failures != before) return; // a key may be misspelt
    for (const sari_file_key* key = word->key; key->word; key++)
        if (key->flags & SARI_MAY_ALONE && sari_node_get(f->e.map, key->word)) return;
    sari_report(f->r, f->e.key, "the %s '%s' does nothing", f->e.kind, f->e.name);
    sari_hint(f->r, "%s", word->idle);
}

/* Only forces by expressions have jumps that could be events. */
static bool read_smooth(sari_key_reader* f)
{
    const sari_node* key = sari_node_key(f->e.map, "smooth");
    const bool smooth = sari_answer(f->r, &f->e, "smooth");
    if (key && !f->is->text[0].field) {
        sari_report(f->r, key, "a %s has no expression that could jump", f->e.kind);
        sari_hint(f->r, "remove 'smooth'");
    }
    return smooth;
}

/* Of two words one is for lengths, the other for angles. */
static void check_along(sari_key_reader* f, int number)
{
    const sari_force_type* type = sari_force_types[number];
    const sari_force_list* list = &f->r->model->forces[number];
    const void* def = list->at[list->count - 1].def;
    const int turns = sari_force_turns(type, def);
    if (!sari_force_along(type, def) || !type->is.word[1].word) return;
    if (f->word == &type->is.word[turns]) return;
    sari_report(f->r, sari_node_get(f->e.map, "along"), "'%.60s' is %s, no %s",
                sari_force_along(type, def), turns ? "an angle" : "a length",
                turns ? "length" : "angle");
    sari_hint(f->r, "use 'type: %s'", type->is.word[turns].word);
}

static void read_force(sari_key_reader* f, int number, int before)
{
    static const char* const more[] = {"type", "when", "active", "smooth", NULL};
    sar_error error;
    sari_check_words(f, more);
    if (!sari_read_keys(f)) return;
    check_acts(f, before);
    if (f->r->failures == before)
        sari_place_force(f->r, &f->e, sari_force_types[number], f->word, f->def);
    const bool absent = sari_read_absent(f->r, &f->e), smooth = read_smooth(f);
    if (f->r->failures != before) return;
    if (sari_model_add_force(f->r->model, number, f->def, &error) != SAR_OK) {
        sari_reject(f->r, &f->e, &error);
        return;
    }
    const sari_force_list* list = &f->r->model->forces[number];
    sari_place_laws(f->r, sari_force_types[number], f->word, &list->at[list->count - 1]);
    check_along(f, number);
    if (absent) sar_model_set_force_absent(f->r->model, f->e.name);
    if (smooth) sar_model_set_force_smooth(f->r->model, f->e.name);
}

/* By the type that its map names. */
static void read_element(sari_key_reader* f, int before)
{
    enum { MOST = SARI_FORCE_TYPES * SARI_FILE_WORDS };
    const char* words[MOST];
    const sari_file_word* list[MOST];
    int types[MOST], count = 0;
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        for (const sari_file_word* w = sari_force_types[type]->is.word;
             !sari_force_is_state(sari_force_types[type]) && w->word; w++, count++)
            words[count] = w->word, list[count] = w, types[count] = type;
    const int k = sari_read_word(f->r, &f->e, "type", words, count, count);
    if (k == count) {
        sari_report(f->r, f->e.key, "force '%s' lacks the key 'type'", f->e.name);
        sari_hint_words(f->r, words, count);
    }
    if (k < 0 || k == count) return;
    f->e.kind = words[k];
    f->is = &sari_force_types[types[k]]->is;
    f->word = list[k];
    read_force(f, types[k], before);
}

void sari_read_force_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    const int before = r->failures;
    sari_key_reader f = {.r = r};
    if (!sari_element_open(r, "force", key, value, &f.e)) return;
    read_element(&f, before);
    if (r->failures != before) sari_remember(r, &r->failed, f.e.name);
}
