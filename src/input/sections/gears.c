/* Gears, belts and couplers: sums of joint coordinates that stay what they are.
 *
 *     gear           B - ratio A
 *     rack           rack - radius pinion
 *     belt           r_A A - r_B B, crossed r_A A + r_B B
 *     bevel          z_A A + z_B B, both axes away from where they meet, or both to it
 *     planetary      z_s sun + z_r ring - (z_s + z_r) carrier                        (Willis)
 *     differential   left + right - 2/ratio input                                              */
#include "input/reader.h"

#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/// A joint and a factor, in the order of the model.
static void set_term(sari_reader* r, sar_coupling_def* def, const sari_node* node, const char* what,
                     double coefficient)
{
    const int k = def->terms++;
    def->coefficient[k] = coefficient;
    if (!node || !sari_read_joint(r, node, what, &def->joint[k])) return;
    def->coordinate[k] = sari_usual_coordinate(r, def->joint[k]);
    def->coefficient[k] *= sari_sense(r, def->joint[k], def->coordinate[k]);
}

static void set_terms_of_list(sari_reader* r, const sari_element* e, sar_coupling_def* def,
                              const char* key, const double factor[2])
{
    const sari_node* list = sari_node_get(e->map, key);
    if (!list || !sari_expect_list(r, list, key, 2)) return;
    for (int k = 0; k < 2; k++)
        set_term(r, def, list->values[k], sari_print(r, "%s[%d]", key, k), factor[k]);
}

/// Two positive numbers; false: they are not.
static bool read_pair(sari_reader* r, const sari_element* e, const char* key, double out[2])
{
    const sari_node* list = sari_node_get(e->map, key);
    if (!list || !sari_expect_list(r, list, key, 2)) return false;
    for (int k = 0; k < 2; k++) {
        out[k] = sari_read_number(r, list->values[k], key);
        if (out[k] > 0.0) continue;
        sari_report(r, list->values[k], "%s have to be positive, here is %g", key, out[k]);
        return false;
    }
    return true;
}

static bool read_size(sari_reader* r, const sari_element* e, const char* key, double* out)
{
    const sari_node* node = sari_node_get(e->map, key);
    *out = sari_number(r, e, key, 1.0);
    if (!node || *out > 0.0) return true;
    sari_report(r, node, "%s has to be positive, here is %g", key, *out);
    return false;
}

/// All joints of a gear turn, but the rack.
static void check_turns(sari_reader* r, const sari_element* e, const sar_coupling_def* def,
                        int first)
{
    for (int k = first; k < def->terms; k++) {
        if (def->coordinate[k] == SAR_COORD_ANGLE) continue;
        sari_report(r, e->key, "a %s turns: its joint '%s' has no angle", e->kind,
                    sar_model_joint_name(r->model, def->joint[k].i));
        sari_hint(r, "name revolute or cylindrical joints");
    }
}

static void read_gear(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    const double factor[2] = {-sari_number(r, e, "ratio", 1.0), 1.0};
    set_terms_of_list(r, e, def, "joints", factor);
}

static void read_rack(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    double radius;
    if (!read_size(r, e, "radius", &radius)) return;
    const int before = r->failures;
    set_term(r, def, sari_node_get(e->map, "rack"), "rack", 1.0);
    set_term(r, def, sari_node_get(e->map, "pinion"), "pinion", -radius);
    if (r->failures != before) return;
    check_turns(r, e, def, 1);
    if (def->coordinate[0] == SAR_COORD_DISPLACEMENT) return;
    sari_report(r, e->key, "a rack slides: its joint '%s' has no displacement",
                sar_model_joint_name(r->model, def->joint[0].i));
    sari_hint(r, "name a prismatic joint");
}

static void read_belt(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    static const char* const words[] = {"no", "yes", "false", "true"};
    double radius[2];
    const int before = r->failures, crossed = sari_word(r, e, "crossed", words, 4, 0);
    if (!read_pair(r, e, "radii", radius)) return;
    if (!(crossed == 1 || crossed == 3)) radius[1] = -radius[1];
    def->belt = 1;
    set_terms_of_list(r, e, def, "joints", radius);
    if (r->failures == before) check_turns(r, e, def, 0);
}

/// On which side of the place where the axes meet a wheel is: along its axis or against it, 0: there.
static int side_of(const double apex[3], const sar_end* a)
{
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = a->point[k] - apex[k];
    const double along = sari_dot(arm, a->axis);
    return fabs(along) <= 1e-9 * (sari_norm3(a->point) + sari_norm3(apex)) ? 0 : along > 0 ? 1 : -1;
}

/// Where the axes of two joints of one body meet. False, and a report: they do not.
static bool meet(sari_reader* r, const sari_element* e, const sar_end* a, const sar_end* b,
                 double apex[3])
{
    double across[3], between[3], turned[3];
    sari_cross(a->axis, b->axis, across);
    for (int k = 0; k < 3; k++) between[k] = b->point[k] - a->point[k];
    const double square = sari_dot(across, across), size = sari_norm3(between);
    if (square < 1e-12) {
        sari_report(r, e->key, "the axes of the bevel gear '%s' are parallel", e->name);
        sari_hint(r, "use type: gear");
        return false;
    }
    sari_cross(between, b->axis, turned);
    const double along = sari_dot(turned, across) / square;
    for (int k = 0; k < 3; k++) apex[k] = a->point[k] + along * a->axis[k];
    if (fabs(sari_dot(between, across)) <= 1e-6 * size * sqrt(square)) return true;
    sari_report(r, e->key, "the axes of the bevel gear '%s' do not meet", e->name);
    sari_hint(r, "use type: gear or type: coupler, which look at angles alone");
    return false;
}

static void read_bevel(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    double teeth[2], apex[3];
    const int before = r->failures;
    if (!read_pair(r, e, "teeth", teeth)) return;
    set_terms_of_list(r, e, def, "joints", teeth);
    if (r->failures == before) check_turns(r, e, def, 0);
    if (r->failures != before) return;
    for (int k = 0; k < 2; k++) def->coefficient[k] = teeth[k]; // about the axes as they are
    const sar_end *a = &r->model->joints[def->joint[0].i].pair.a,
                  *b = &r->model->joints[def->joint[1].i].pair.a;
    if (a->body.i != b->body.i) {
        sari_report(r, e->key, "the wheels of the bevel gear '%s' turn in two different bodies",
                    e->name);
        sari_hint(r,
                  "both joints begin with the body that carries them, as in between: [CARRIER.P, "
                  "WHEEL.P]");
        return;
    }
    if (!meet(r, e, a, b, apex)) return;
    if (side_of(apex, a) * side_of(apex, b) < 0) def->coefficient[1] = -def->coefficient[1];
}

static void read_planetary(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    double teeth[2];
    const int before = r->failures;
    if (!read_pair(r, e, "teeth", teeth)) return;
    if (teeth[0] >= teeth[1]) {
        sari_report(r, sari_node_get(e->map, "teeth"),
                    "the sun has %g teeth and the ring %g: a ring has more", teeth[0], teeth[1]);
        sari_hint(r, "write teeth: [SUN, RING]");
        return;
    }
    set_term(r, def, sari_node_get(e->map, "sun"), "sun", teeth[0]);
    set_term(r, def, sari_node_get(e->map, "ring"), "ring", teeth[1]);
    set_term(r, def, sari_node_get(e->map, "carrier"), "carrier", -(teeth[0] + teeth[1]));
    if (r->failures == before) check_turns(r, e, def, 0);
}

static void read_differential(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    static const double one[2] = {1.0, 1.0};
    const int before = r->failures;
    const double ratio = sari_number(r, e, "ratio", 1.0);
    if (ratio == 0.0) {
        sari_report(r, sari_node_get(e->map, "ratio"), "ratio must not be 0");
        return;
    }
    set_terms_of_list(r, e, def, "outputs", one);
    set_term(r, def, sari_node_get(e->map, "input"), "input", -2.0 / ratio);
    if (r->failures == before) check_turns(r, e, def, 0);
}

static void read_coupler(sari_reader* r, const sari_element* e, sar_coupling_def* def)
{
    enum { LEAST = 2, MOST = sizeof def->joint / sizeof def->joint[0] };
    def->has_offset = sari_node_get(e->map, "offset") != NULL;
    def->offset = sari_number(r, e, "offset", 0.0);
    const sari_node* sum = sari_node_get(e->map, "sum");
    if (!sum || !sari_expect_map(r, sum, "sum")) return;
    if (sum->count < LEAST || sum->count > MOST) {
        sari_report(r, sum, "sum has %d terms; a coupler has %d to %d", sum->count, (int)LEAST,
                    (int)MOST);
        return;
    }
    def->terms = sum->count;
    for (int k = 0; k < sum->count; k++) {
        const bool known =
            sari_read_joint_coordinate(r, sum->keys[k], &def->joint[k], &def->coordinate[k]);
        def->coefficient[k] = sari_read_number(r, sum->values[k], "the coefficient");
        if (known) def->coefficient[k] *= sari_sense(r, def->joint[k], def->coordinate[k]);
    }
}

enum { KEYS = 4 };

static const struct gear {
    const char* word;
    sari_key key[KEYS]; ///< of its own
    void (*read)(sari_reader* r, const sari_element* e, sar_coupling_def* def);
} gears[] = {
    {"gear", {{"joints", SARI_KEY_REQUIRED}, {"ratio", SARI_KEY_REQUIRED}}, read_gear},
    {"coupler", {{"sum", SARI_KEY_REQUIRED}, {"offset", 0}}, read_coupler},
    {"rack",
     {{"rack", SARI_KEY_REQUIRED}, {"pinion", SARI_KEY_REQUIRED}, {"radius", SARI_KEY_REQUIRED}},
     read_rack},
    {"belt",
     {{"joints", SARI_KEY_REQUIRED}, {"radii", SARI_KEY_REQUIRED}, {"crossed", 0}},
     read_belt},
    {"bevel", {{"joints", SARI_KEY_REQUIRED}, {"teeth", SARI_KEY_REQUIRED}}, read_bevel},
    {"planetary",
     {{"sun", SARI_KEY_REQUIRED},
      {"ring", SARI_KEY_REQUIRED},
      {"carrier", SARI_KEY_REQUIRED},
      {"teeth", SARI_KEY_REQUIRED}},
     read_planetary},
    {"differential",
     {{"input", SARI_KEY_REQUIRED}, {"outputs", SARI_KEY_REQUIRED}, {"ratio", 0}},
     read_differential},
};

const char* sari_gear_word(int k)
{
    return k < SARI_GEARS ? gears[k].word : NULL;
}

int sari_gear_of(const char* word)
{
    for (int k = 0; k < SARI_GEARS; k++)
        if (strcmp(word, gears[k].word) == 0) return k;
    return -1;
}

void sari_read_gear(sari_reader* r, const sari_element* e, int gear, sar_coupling_def* def)
{
    _Static_assert(sizeof gears / sizeof *gears == SARI_GEARS, "all gears are counted");
    sari_key keys[KEYS + 3] = {{"type", SARI_KEY_REQUIRED}, {"when", 0}, {"active", 0}};
    int count = 3;
    for (int k = 0; k < KEYS && gears[gear].key[k].word; k++) keys[count++] = gears[gear].key[k];
    sari_check_keys(r, e, keys, count);
    gears[gear].read(r, e, def);
}
