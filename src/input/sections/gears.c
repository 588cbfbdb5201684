/* Gears, belts, couplers and rotors, by the tables of their types (elements/gear.h). */
#include "elements/gear.h"

#include "input/keys.h"
#include "model/model.h"
#include "sarrus/compliant.h"

#include <string.h>

static bool has_type(const sari_node* map, const char* word)
{
    const sari_node* type = map->kind == SARI_NODE_MAP ? sari_node_get(map, "type") : NULL;
    return type && type->kind == SARI_NODE_SCALAR && strcmp(type->text, word) == 0;
}

static void add_gear(sari_key_reader* f, const sari_gear_type* type)
{
    static const char* const more[] = {"type", "when", "active", NULL};
    const int before = f->r->failures;
    sar_error error;
    sari_check_words(f, more);
    if (!sari_read_keys(f)) return;
    sari_gear* gear = f->def;
    gear->sum.absent = sari_read_absent(f->r, &f->e);
    if (f->r->failures != before) return;
    if (type->complete(f->r->model, gear, &error) != SAR_OK ||
        sar_model_add_coupling(f->r->model, &gear->sum, NULL, &error) != SAR_OK)
        sari_reject(f->r, &f->e, &error);
}

void sari_read_coupling_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    for (int k = 0; k < SARI_GEARS; k++) {
        sari_key_reader f = {.r = r, .is = &sari_gear_types[k]->is};
        f.word = f.is->word;
        if (!has_type(value, f.word->word)) continue;
        if (!sari_element_open(r, f.word->word, key, value, &f.e)) return;
        const int before = r->failures;
        add_gear(&f, sari_gear_types[k]);
        if (r->failures != before) sari_remember(r, &r->failed, f.e.name);
    }
}

/* ---- rotors --------------------------------------------------------------------------------- */

/* On a body: `carrier: BODY.POINT` and, in space, `axis`. */
static void read_carrier(sari_reader* r, const sari_element* e, sar_rotor_def* def)
{
    const sari_node *carrier = sari_node_get(e->map, "carrier"),
                    *axis = sari_node_key(e->map, "axis");
    sar_end a = {0}, b = {0};
    double other[3];
    if (axis && (!carrier || r->dimension == 2)) {
        sari_report(r, axis,
                    r->dimension == 2
                        ? "in the plane all rotors turn about z"
                        : "a rotor without a carrier has no axis: it turns, and that is all");
        sari_hint(r, r->dimension == 2 ? "remove the key"
                                       : "remove the key, or say on which body it turns: carrier: "
                                         "BODY.POINT");
    }
    if (!carrier || !sari_read_point(r, carrier, "carrier", &a)) return;
    if (a.body.i == 0) {
        sari_report(r, carrier, "the ground carries all rotors that have no carrier");
        sari_hint(r, "remove the key");
        return;
    }
    def->carrier = a.body;
    memcpy(def->point, a.point, sizeof def->point);
    if (r->dimension == 2) return;
    if (!axis) {
        sari_report(r, e->key, "the rotor '%s' on a carrier lacks the key 'axis'", e->name);
        sari_hint(r, "axis: BODY.AXIS of the carrier, or a direction in world axes as drawn");
        return;
    }
    if (!sari_read_direction(r, e, "axis", SARI_FIRST, &a, &b, def->axis, other)) return;
    if (r->scope->placement.mirrored) // it turns the other way round its mirrored axis
        for (int k = 0; k < 3; k++) def->axis[k] = -def->axis[k];
}

static void read_driven(sari_reader* r, const sari_element* e, sar_rotor_def* def)
{
    const sari_node *joint = sari_node_get(e->map, "drives"),
                    *ratio = sari_node_key(e->map, "ratio"),
                    *coordinate = sari_node_key(e->map, "coordinate");
    if (!joint) {
        if (ratio || coordinate) {
            sari_report(r, ratio ? ratio : coordinate, "%s is for a rotor that drives a joint",
                        ratio ? "ratio" : "coordinate");
            sari_hint(r, "give drives: JOINT too, or remove the key");
        }
        return;
    }
    if (!sari_read_joint(r, joint, "drives", &def->drives)) return;
    const int usual = (int)sari_usual_coordinate(r, def->drives);
    def->coordinate = (sar_coordinate)sari_read_word(r, e, "coordinate", sari_coordinate_words,
                                                     SARI_COORDINATES, usual);
    def->ratio *= sari_sense(r, def->drives, def->coordinate);
}

void sari_read_rotor_element(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const char* const more[] = {"type", "when", NULL};
    sari_key_reader f = {.r = r, .is = &sari_rotor_definition, .word = sari_rotor_definition.word};
    const int before = r->failures;
    if (!has_type(value, f.word->word)) return;
    if (!sari_element_open(r, f.word->word, key, value, &f.e)) return;
    sari_check_words(&f, more);
    if (!sari_read_keys(&f)) return;
    sar_rotor_def* def = f.def;
    read_carrier(r, &f.e, def);
    read_driven(r, &f.e, def);
    // in the plane a mirrored carrier turns the other way, and its rotor with it
    const bool reversed = r->dimension == 2 && def->carrier.i && r->scope->placement.mirrored;
    if (reversed) def->ratio = -def->ratio;
    sar_joint_id id;
    sar_error error;
    if (r->failures == before) {
        if (sar_model_add_rotor(r->model, def, &id, &error) == SAR_OK)
            sari_mark_reversed(r, id, reversed);
        else
            sari_reject(r, &f.e, &error);
    }
    if (r->failures != before) sari_remember(r, &r->failed, f.e.name);
}
