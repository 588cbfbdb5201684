/* Rotors: inertias that turn about one axis, and what forces between such say of their joints. */
#include "input/reader.h"

#include "model/model.h"
#include "sarrus/compliant.h"

#include <string.h>

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
    def->coordinate = (sar_coordinate)sari_word(r, e, "coordinate", sari_coordinate_words,
                                                SARI_COORDINATES, usual);
    def->ratio = sari_number(r, e, "ratio", 1.0) * sari_sense(r, def->drives, def->coordinate);
}

void sari_read_rotor(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {{"type", SARI_KEY_REQUIRED},
                                    {"inertia", SARI_KEY_REQUIRED},
                                    {"carrier", 0},
                                    {"axis", 0},
                                    {"drives", 0},
                                    {"coordinate", 0},
                                    {"ratio", 0},
                                    {"when", 0}};
    sari_element e;
    const int before = r->failures;
    if (!sari_element_open(r, SARI_ROTOR_WORD, key, value, &e)) return;
    SARI_CHECK_KEYS(r, &e, keys);
    sar_rotor_def def = sar_rotor_def_default();
    def.name = e.name;
    def.inertia = sari_number_in(r, &e, "inertia", 0.0, "[kg m^2]");
    read_carrier(r, &e, &def);
    read_driven(r, &e, &def);
    // in the plane a mirrored carrier turns the other way, and its rotor with it
    const bool reversed = r->dimension == 2 && def.carrier.i && r->scope->placement.mirrored;
    if (reversed) def.ratio = -def.ratio;
    if (r->failures == before) {
        sar_joint_id id;
        sar_error error;
        if (sar_model_add_rotor(r->model, &def, &id, &error) == SAR_OK)
            sari_mark_reversed(r, id, reversed);
        else
            sari_reject(r, &e, &error);
    }
    if (r->failures != before) sari_remember(r, &r->failed, e.name);
}

/* ---- shafts, clutches and belts ------------------------------------------------------------- */

void sari_read_shaft_joints(sari_reader* r, const sari_element* e, const sari_node* list,
                            sar_shaft_def* def)
{
    if (!sari_expect_list(r, list, "joints", 2)) return;
    for (int k = 0; k < 2; k++) {
        const char* what = sari_print(r, "joints[%d]", k);
        if (!sari_read_joint(r, list->values[k], what, &def->joint[k])) continue;
        def->coordinate[k] = sari_usual_coordinate(r, def->joint[k]);
        def->factor[k] *= sari_sense(r, def->joint[k], def->coordinate[k]);
        if (def->coordinate[k] == SAR_COORD_ANGLE) continue;
        sari_report(r, list->values[k], "a %s turns: its joint '%s' has no angle", e->kind,
                    sar_model_joint_name(r->model, def->joint[k].i));
        sari_hint(r, "name revolute or cylindrical joints, or rotors");
    }
}

void sari_read_radii(sari_reader* r, const sari_element* e, const sari_node* list, double out[2])
{
    static const char* const words[] = {"no", "yes", "false", "true"};
    const int crossed = sari_word(r, e, "crossed", words, 4, 0);
    if (!sari_expect_list(r, list, "radii", 2)) return;
    for (int k = 0; k < 2; k++) {
        out[k] = sari_read_number_in(r, list->values[k], "radii", "[m]");
        if (!(out[k] > 0.0))
            sari_report(r, list->values[k], "radii have to be positive, here is %g", out[k]);
    }
    if (crossed == 1 || crossed == 3) out[1] = -out[1];
}
