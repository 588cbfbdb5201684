/* What model files may say of joints, gears, drives, constraints, states and forces, as a table: the schema is written from it. */
#include "elements/element.h"
#include "elements/force.h"
#include "elements/gear.h"
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
#define KIND(word)                                                                                 \
    {                                                                                              \
        word, word "!", word "?"                                                                   \
    }
static const char* kind_of(const sari_file_key* key, int planar)
{
    static const char* const words[SARI_READ_KINDS][3] = {
        [SARI_READ_DIRECTIONS] = KIND("directions"),
        [SARI_READ_JOINT] = KIND("reference"),
        [SARI_READ_SLIDES] = KIND("slides"),
        [SARI_READ_TURNS] = KIND("turns"),
        [SARI_READ_MOVES] = KIND("moves"),
        [SARI_READ_ALONG] = KIND("along"),
        [SARI_READ_PLACE] = KIND("reference"),
        [SARI_READ_TARGET] = KIND("reference"),
        [SARI_READ_BODY] = KIND("reference"),
        [SARI_READ_FRAMES] = KIND("between"),
        [SARI_READ_LINE] = KIND("line"),
        [SARI_READ_ANGLE] = KIND("reference"),
        [SARI_READ_MOTION] = KIND("reference"),
        [SARI_READ_NUMBER] = KIND("number"),
        [SARI_READ_PRELOAD] = KIND("number"),
        [SARI_READ_FREE] = KIND("number"),
        [SARI_READ_TEXT] = KIND("number"),
        [SARI_READ_VECTOR] = KIND("vector"),
        [SARI_READ_SPIN] = KIND("vector"),
        [SARI_READ_MATRIX] = KIND("matrix"),
        [SARI_READ_TABLE] = KIND("table"),
        [SARI_READ_AXES] = KIND("axes"),
        [SARI_READ_AXIS] = KIND("axis"),
        [SARI_READ_ANSWER] = KIND("answer"),
        [SARI_READ_DIRECTION] = KIND("vector"),
        [SARI_READ_TYRE_FILE] = KIND("file"),
        [SARI_READ_COEFFICIENTS] = KIND("numbers"),
        [SARI_READ_SIDE] = KIND("side"),
        [SARI_READ_END] = KIND("end"),
        [SARI_READ_LAWS] = KIND("vector"),
        [SARI_READ_LAWS_OF_TURNS] = KIND("vector"),
        [SARI_READ_JOINTS] = KIND("joints"),
        [SARI_READ_PAIR] = KIND("pair"),
        [SARI_READ_CROSSED] = KIND("answer"),
        [SARI_READ_TERM] = KIND("reference"),
        [SARI_READ_TERMS] = KIND("joints"),
        [SARI_READ_SUM] = KIND("sum"),
        [SARI_READ_DRIVEN] = KIND("line"),
        [SARI_READ_VALUE] = KIND("number"),
        [SARI_READ_AROUND] = KIND("direction"),
        [SARI_READ_CABLE] = KIND("cable"),
        [SARI_READ_SURFACE] = KIND("number"),
        [SARI_READ_POINTS] = KIND("points")};
    const int must = key->flags & SARI_MUST ? 1 : key->flags & SARI_MAY_ALONE ? 2 : 0;
    if (planar && (key->kind == SARI_READ_SPIN || key->kind == SARI_READ_LAWS_OF_TURNS))
        return words[SARI_READ_NUMBER][must];
    return words[key->kind][must];
}

/// A word of the file and its keys.
static int word_row(int* k, const char* section, const sari_file_word* w, int planar,
                    sar_format_row* out)
{
    if (is_row(k, out,
               (sar_format_row){section, w->word, "", planar ? "type" : NULL, "type", w->text}))
        return 1;
    for (const sari_file_key* key = w->key; key->word; key++)
        if (is_row(k, out,
                   (sar_format_row){section, w->word, key->word, planar ? kind_of(key, 1) : NULL,
                                    kind_of(key, 0), key->text}))
            return 1;
    return 0;
}

int sar_model_format(int k, sar_format_row* out)
{
    for (int t = 0; t < SARI_JOINT_TYPES; t++)
        if (joint_row(&k, sari_joint_types[t], out)) return 1;
    for (int t = 0; t < SARI_GEARS; t++)
        if (word_row(&k, "gear", sari_gear_types[t]->is.word, 1, out)) return 1;
    if (word_row(&k, "gear", sari_rotor_definition.word, 1, out) ||
        word_row(&k, "drive", sari_drive_definition.word, 1, out) ||
        word_row(&k, "constraint", sari_constraint_definition.word, 1, out))
        return 1;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        const char* section = sari_force_is_state(type) ? "state" : "force";
        for (const sari_file_word* w = type->is.word; w->word; w++)
            if (word_row(&k, section, w, !type->act || type->in_plane > 0, out)) return 1;
    }
    return 0;
}
