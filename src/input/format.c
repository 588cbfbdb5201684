/* What model files may say of joints and forces, as a table: the schema is written from it. */
#include "elements/element.h"
#include "elements/force.h"
#include "sarrus/load.h"

/// Rows are counted down to the one that is wanted.
static int is_row(int* k, sar_format_row* out, sar_format_row row)
{
    if ((*k)-- != 0) return 0;
    *out = row;
    return 1;
}

/// Where a's alone counts, one will do.
static const char* directions(const sari_joint_form* form)
{
    const sari_directions of = form->axis;
    static const char* const words[] = {[SARI_OF_NONE] = NULL,
                                        [SARI_OF_BOTH] = "directions!",
                                        [SARI_OF_BOTH_OR_NONE] = "directions",
                                        [SARI_OF_EACH] = "two-directions!",
                                        [SARI_OF_A] = "direction!",
                                        [SARI_OF_B] = "direction!",
                                        [SARI_OF_B_OR_EACH] = "one-or-two-directions!"};
    return of == SARI_OF_BOTH && !sari_form_symmetric(form) ? words[SARI_OF_A] : words[of];
}

/// A normal may always be left out.
static const char* normal(sari_directions of)
{
    return of == SARI_OF_NONE ? NULL : of == SARI_OF_A ? "direction" : "directions";
}

static const char* where(const sari_joint_form* form, const char* word)
{
    return sari_form_exists(form) ? word : NULL;
}

static int joint_row(int* k, const sari_joint_type* t, sar_format_row* out)
{
    const sari_joint_form *p = &t->plane, *s = &t->space;
    const char *attach = t->on_velocities || t->locks ? NULL : "here",
               *curve = t->curved ? "curve!" : NULL, *locked = t->locks ? "locked!" : NULL;
    const sar_format_row rows[] = {
        {"joint", t->word, "", where(p, "type"), where(s, "type"), t->text},
        {"joint", t->word, "between", where(p, "between!"), where(s, "between!"), "the two points"},
        {"joint", t->word, "axis", directions(p), directions(s),
         "in the order of between, or in world axes as drawn"},
        {"joint", t->word, "normal", normal(p->normal), normal(s->normal),
         "a second direction, across the axis: the zero of the angle, or in a plane the first "
         "direction; default: as drawn"},
        {"joint", t->word, "attach", where(p, attach), where(s, attach),
         "with active: no, where end a is put when a phase adds the joint: where end b is"},
        {"joint", t->word, "curve", where(p, curve), where(s, curve),
         "a smooth planar curve of the first body, drawn from its point"},
        {"joint", t->word, "locked", where(p, locked), where(s, locked),
         "translations along and rotations about the axis (x), the normal (y) and across (z)"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((rows[i].planar || rows[i].spatial) && is_row(k, out, rows[i])) return 1;
    for (const sari_joint_size* size = t->size; size->word; size++)
        if (is_row(k, out,
                   (sar_format_row){"joint", t->word, size->word, where(p, "number!"),
                                    where(s, "number!"), size->hint}))
            return 1;
    return 0;
}

/// May be left out, must be given, and is one of which some must.
static const char* force_kind(const sari_force_key* key, int planar)
{
    static const char* const words[SARI_READ_KINDS][3] = {
        [SARI_READ_DIRECTIONS] = {"directions", "directions!", "directions?"},
        [SARI_READ_JOINT] = {"reference", "reference!", "reference?"},
        [SARI_READ_SLIDES] = {"slides", "slides!", "slides?"},
        [SARI_READ_TURNS] = {"turns", "turns!", "turns?"},
        [SARI_READ_MOVES] = {"moves", "moves!", "moves?"},
        [SARI_READ_ALONG] = {"along", "along!", "along?"},
        [SARI_READ_PLACE] = {"reference", "reference!", "reference?"},
        [SARI_READ_TARGET] = {"reference", "reference!", "reference?"},
        [SARI_READ_BODY] = {"reference", "reference!", "reference?"},
        [SARI_READ_FRAMES] = {"between", "between!", "between?"},
        [SARI_READ_LINE] = {"line", "line!", "line?"},
        [SARI_READ_ANGLE] = {"reference", "reference!", "reference?"},
        [SARI_READ_MOTION] = {"reference", "reference!", "reference?"},
        [SARI_READ_NUMBER] = {"number", "number!", "number?"},
        [SARI_READ_PRELOAD] = {"number", "number!", "number?"},
        [SARI_READ_FREE] = {"number", "number!", "number?"},
        [SARI_READ_TEXT] = {"number", "number!", "number?"},
        [SARI_READ_VECTOR] = {"vector", "vector!", "vector?"},
        [SARI_READ_SPIN] = {"vector", "vector!", "vector?"},
        [SARI_READ_MATRIX] = {"matrix", "matrix!", "matrix?"},
        [SARI_READ_TABLE] = {"table", "table!", "table?"},
        [SARI_READ_AXES] = {"axes", "axes!", "axes?"},
        [SARI_READ_AXIS] = {"axis", "axis!", "axis?"},
        [SARI_READ_ANSWER] = {"answer", "answer!", "answer?"},
        [SARI_READ_DIRECTION] = {"vector", "vector!", "vector?"},
        [SARI_READ_TYRE_FILE] = {"file", "file!", "file?"},
        [SARI_READ_COEFFICIENTS] = {"numbers", "numbers!", "numbers?"},
        [SARI_READ_SIDE] = {"side", "side!", "side?"},
        [SARI_READ_END] = {"end", "end!", "end?"},
        [SARI_READ_LAWS] = {"vector", "vector!", "vector?"},
        [SARI_READ_LAWS_OF_TURNS] = {"vector", "vector!", "vector?"},
        [SARI_READ_JOINTS] = {"joints", "joints!", "joints?"},
        [SARI_READ_RADII] = {"pair", "pair!", "pair?"},
        [SARI_READ_CROSSED] = {"answer", "answer!", "answer?"},
        [SARI_READ_SURFACE] = {"number", "number!", "number?"},
        [SARI_READ_POINTS] = {"points", "points!", "points?"}};
    const int must = key->flags & SARI_MUST ? 1 : key->flags & SARI_MAY_ALONE ? 2 : 0;
    if (planar && (key->kind == SARI_READ_SPIN || key->kind == SARI_READ_LAWS_OF_TURNS))
        return words[SARI_READ_NUMBER][must];
    return words[key->kind][must];
}

static int force_row(int* k, const sari_force_type* t, const sari_force_word* w,
                     sar_format_row* out)
{
    const int planar = !t->act || t->in_plane > 0;
    if (is_row(k, out,
               (sar_format_row){"force", w->word, "", planar ? "type" : NULL, "type", w->text}))
        return 1;
    for (const sari_force_key* key = w->key; key->word; key++)
        if (is_row(k, out,
                   (sar_format_row){"force", w->word, key->word, planar ? force_kind(key, 1) : NULL,
                                    force_kind(key, 0), key->text}))
            return 1;
    return 0;
}

int sar_model_format(int k, sar_format_row* out)
{
    for (int t = 0; t < SARI_JOINT_TYPES; t++)
        if (joint_row(&k, sari_joint_types[t], out)) return 1;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (const sari_force_word* w = sari_force_types[t]->word;
             !sari_force_is_state(sari_force_types[t]) && w->word; w++)
            if (force_row(&k, sari_force_types[t], w, out)) return 1;
    return 0;
}
