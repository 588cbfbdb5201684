/* States of the model, in two passes: their names first, then their rates, which may use other states
 * and springs. */
#include "elements/force.h"

#include "input/keys.h"
#include "model/parts.h"

static int state_type(void)
{
    int type = 0;
    while (!sari_force_is_state(sari_force_types[type])) type++;
    return type;
}

/* `NAME: EXPRESSION` is short for `NAME: {rate: EXPRESSION}`. */
static bool open_state(sari_reader* r, const sari_node* key, const sari_node* value,
                       sari_element* out)
{
    if (value->kind == SARI_NODE_MAP) return sari_element_open(r, "state", key, value, out);
    *out = (sari_element){"state", sari_read_name(r, key, "state"), key, value};
    out->name = out->name ? sari_full_name(r, out->name) : NULL;
    return out->name != NULL;
}

void sari_read_state_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const char* const more[] = {"when", NULL};
    const int before = r->failures, type = state_type();
    sari_key_reader f = {.r = r, .is = &sari_force_types[type]->is};
    sar_error error;
    f.word = f.is->word;
    if (!open_state(r, key, value, &f.e)) return;
    if (value->kind == SARI_NODE_MAP) sari_check_words(&f, more);
    if (!sari_read_keys(&f)) return;
    if (r->failures == before && sari_model_add_force(r->model, type, f.def, &error) != SAR_OK)
        sari_reject(r, &f.e, &error);
    if (r->failures != before) sari_remember(r, &r->failed, f.e.name);
}

void sari_read_state_rate(sari_reader* r, const sari_node* key, const sari_node* value)
{
    const int before = r->failures;
    const sari_node* rate = value->kind == SARI_NODE_MAP ? sari_node_get(value, "rate") : value;
    sari_element e;
    sar_error error;
    if (!rate || !open_state(r, key, value, &e)) return; // what is missing was reported
    if (sari_remembers(&r->failed, e.name, strlen(e.name))) return;
    const char* text = sari_read_expression(r, rate, "rate", SARI_WITH_TIME | SARI_WITH_SIGNALS);
    if (r->failures == before && sar_model_set_state_rate(r->model, e.name, text, &error) != SAR_OK)
        sari_report_at(r, rate, error.offset, "%s", error.message);
}
