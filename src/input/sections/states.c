/* States of the model, in two passes: their names first, then their rates, which may use other states
 * and springs. */
#include "input/reader.h"
#include "model/parts.h"

static const sari_key KEYS[] = {
    {"rate", SARI_KEY_REQUIRED}, {"start", 0}, {"scale", 0}, {"when", 0}};

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
    const int before = r->failures;
    sar_state_def def = sar_state_def_default();
    sari_element e;
    sar_error error;
    if (!open_state(r, key, value, &e)) return;
    def.name = e.name;
    if (value->kind == SARI_NODE_MAP) {
        SARI_CHECK_KEYS(r, &e, KEYS);
        const sari_node *start = sari_node_get(value, "start"),
                        *scale = sari_node_get(value, "scale");
        if (start) def.start = sari_read_number(r, start, "start");
        if (scale) def.scale = sari_read_number(r, scale, "scale");
    }
    if (r->failures == before && sar_model_add_state(r->model, &def, &error) != SAR_OK)
        sari_reject(r, &e, &error);
    if (r->failures != before) sari_remember(r, &r->failed, e.name);
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
