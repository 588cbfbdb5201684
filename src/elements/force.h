/* What a kind of force is: one constant that says all about it, in a file of its own.
 *
 * A force acts through scalars s_k of the configuration, lengths, angles or components of points,
 * whose values and rates it is given and along which it pulls back; the neck knows how these depend
 * on coordinates. Or it is a load, forces and torques by expressions on a body.
 *
 * A force may have states x of its own, dx/dt = g(t, x, s, ds/dt): the force in a damper in series
 * with a spring, the slip that builds up in a tyre. It is given them and says g; the neck integrates
 * them with whatever integrates the motion (equations.h).
 *
 * Checks, texts, arrays and places of a definition are read, copied, moved and converted by what
 * the constant says of them. So a new kind is a file here, and in sarrus/model.h its
 * definition and a line of SAR_FORCE_LIST. */
#ifndef SARI_FORCE_H
#define SARI_FORCE_H

#include "elements/definition.h"
#include "expression/expression.h"

#include <stdbool.h>
#include <stddef.h>

struct sari_mechanism;
struct sari_model_conversion;
struct sari_time_series;

enum {
#define SARI_FORCE_ENUM(name, constant) SARI_FORCE_##name,
    SAR_FORCE_LIST(SARI_FORCE_ENUM)
#undef SARI_FORCE_ENUM
        SARI_FORCE_TYPES
};

enum {
    SARI_FORCE_SCALARS = 12,   ///< through which a force acts, at most
    SARI_FORCE_STATES = 2,     ///< of its own, at most
    SARI_FORCE_SEEN = 21,      ///< numbers that `measure` hands to `pull`, at most
    SARI_FORCE_KINKS = 3,      ///< numbers whose zeros are kinks, all that have some
    SARI_FORCE_VARIABLES = 64, ///< of an expression: their derivatives are kept on the stack
};

/// A force as stored.
typedef struct sari_force {
    char* name;
    void* def;                                     ///< texts and arrays in it are copies
    sari_expression* expression[SARI_FORCE_TEXTS]; ///< of its texts; NULL: none
    bool absent;                                   ///< at first
    bool smooth;                                   ///< no events at its jumps and kinks
} sari_force;

typedef struct sari_force_list {
    sari_force* at;
    int count, capacity;
} sari_force_list;

/// Where a force is evaluated.
typedef struct sari_force_state {
    int n;                                                      ///< scalars
    double value[SARI_FORCE_SCALARS], rate[SARI_FORCE_SCALARS]; ///< theirs
    double* variables;               ///< of expressions; x and v are the force's to set
    double reaction;                 ///< size of its joint's force, to those who ask
    double state[SARI_FORCE_STATES]; ///< of its own
    int at_rest; ///< statics: nothing moves, nothing slips; forces that live on slip are not there
} sari_force_state;

enum { SARI_ACT_FORCE = 1, SARI_ACT_SLOPES = 2, SARI_ACT_POTENTIAL = 4, SARI_ACT_POWER = 8 };

/// What it does there, as far as it is asked.
typedef struct sari_force_action {
    double force[SARI_FORCE_SCALARS]; ///< along every scalar; positive: back
    double by_value[SARI_FORCE_SCALARS][SARI_FORCE_SCALARS];
    double by_rate[SARI_FORCE_SCALARS][SARI_FORCE_SCALARS];
    double by_signal[SARI_FORCE_VARIABLES]; ///< of force[0], by the signals of the first text
    double by_state[SARI_FORCE_SCALARS][SARI_FORCE_STATES];
    double state_rate[SARI_FORCE_STATES]; ///< g, with the force; its slopes with those of the force
    double g_by_value[SARI_FORCE_STATES][SARI_FORCE_SCALARS];
    double g_by_rate[SARI_FORCE_STATES][SARI_FORCE_SCALARS];
    double g_by_state[SARI_FORCE_STATES][SARI_FORCE_STATES];
    double potential; ///< added to
    double power;     ///< added to: what changes the energy
} sari_force_action;

/// Parts of the picture of a force: between its ends or those of its joint, or at its place.
typedef enum sari_force_part {
    SARI_SHOWS_COIL = 1,
    SARI_SHOWS_POT = 2,    ///< a damper
    SARI_SHOWS_SPIRAL = 4, ///< about the axis of its joint
    SARI_SHOWS_RUBBER = 8, ///< around end b
    SARI_SHOWS_TYRE = 16,  ///< of its radius, around its place
    SARI_SHOWS_LINE = 32,  ///< from end to end
    SARI_SHOWS_BELT = 64,  ///< around the pulleys of its two joints
} sari_force_part;

typedef struct sari_force_picture {
    unsigned shows;
    double axis[3]; ///< of a tyre, world axes as drawn
    int in_body;    ///< no: the body's axes
} sari_force_picture;

/// What a force stands on: a plane or a height field of a body, across `normal`, under a point of
/// another body. Directions are those of the body.
typedef struct sari_force_ground {
    int body, other;
    double point[3], normal[3];
    double x[3]; ///< of a height field; zero: any
    double other_point[3];
    double radius; ///< how far the other body reaches around its point
    bool uneven;   ///< heights are those of `height`
} sari_force_ground;

/// A number of a force that outputs can show, NAME.word, in units of mass^m length^l.
typedef struct sari_force_shown {
    const char* word; ///< NULL: the list ends
    int length, mass;
    const char *unit, *text; ///< for people
} sari_force_shown;

enum { SARI_FORCE_SHOWN = 11, SARI_FORCE_RANGE = 3 };

/// What robot formats have a word for, along one coordinate or line.
typedef struct sari_force_summary {
    double lower, upper; ///< limits; -INFINITY, INFINITY: none
    double stiffness, rest, damping;
    double friction;    ///< level of Coulomb's friction
    bool pushes;        ///< its first text is what it pushes with
    const char* beyond; ///< what it says besides; NULL: nothing
} sari_force_summary;

typedef struct sari_force_type {
    sari_definition is;   ///< how it is written
    size_t radius;        ///< it is as large as that; 0: as its place says
    const char* grounded; ///< what is wrong with a place on the ground; NULL: nothing
    size_t exponent;      ///< double, in units such as N/m^exponent; 0: none
    size_t other_joint;   ///< likewise; 0: there is only one
    bool pushes;          ///< NAME.force is positive where it pushes; otherwise where it pulls back
    bool shows_length;    ///< NAME.length and .speed of its ends can be observed
    size_t
        scale; ///< double: it is a state of the model of this size, and acts on no body; 0: a force

    /// Check what the keys and places do not say, and complete it. NULL: there is nothing.
    sar_status (*check)(const sar_model* model, void* def, sar_error* error);
    /// What adding one does besides sari_model_store_force, which it calls; NULL: that is all.
    sar_status (*add)(sar_model* model, const void* def, sar_error* error);
    /// The same force on a coordinate that counts the other way: numbers alone. NULL: none of them
    /// has a sense.
    void (*reverse)(void* def);
    /// To the units of a model, what the units of the keys do not say; the rest is done. NULL: nothing.
    void (*convert)(struct sari_model_conversion* c, sari_force* force);
    bool own_units; ///< all of it by `convert`

    /* NULL and 0 for loads, whose definition is a sar_load_def */

    int in_plane, in_space; ///< scalars
    /// Make them. 0: out of memory. NULL: one, the coordinate of its joint or the distance of its ends.
    int (*compile)(struct sari_mechanism* m, const void* def, int* scalar);
    void (*act)(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out);
    /// All scalars of a force in space at once, from the placements X of the bodies and their rates
    /// (NULL: values alone), where polynomials one by one would find the same arms and directions
    /// again and again; and G -= sum_k f_k ds_k/dX. NULL: one by one.
    void (*measure)(const struct sari_mechanism* m, const sari_force* force, const double* X,
                    const double* Xd, double* value, double* rate, double* seen);
    void (*pull)(const struct sari_mechanism* m, const sari_force* force, const double* seen,
                 const double* f, double* G);
    bool conservative;                      ///< has always a potential
    bool (*loses)(const sari_force* force); ///< does it have none? NULL: never has one, or always
    /// But for its texts and arrays: a linear law of its scalars, or one of their rates alone. A long step
    /// sees all of it (system/step_limits.c).
    bool linear, by_rates;
    bool
        by_distance; ///< a power of the distance of its ends: it changes within that, not within a size
    /// Numbers g, SARI_FORCE_KINKS of them, where one of which is zero the force has a kink; NaN: it has
    /// none there. NULL: it is smooth, or its kinks do not matter.
    void (*kinks)(const sari_force* force, const sari_force_state* at, double* g);
    /// Variables x and y of a text over an interval of time, into moving[SARI_VARIABLE_X] and the one
    /// after it, from its scalars; moving[0] is time. NULL: they are the first scalar and its rate.
    void (*place)(const sari_force* force, int dimension, int text, struct sari_time_series* moving,
                  const struct sari_time_series* scalar);
    /// Is it outside of the range in which it is a model of what it is called? 0: no; k: yes, and range[k -
    /// 1] is a sentence about it, in which *number takes the place of %.3g. `at` has values, no rates, and not even these in space where the type
    /// has a `measure`; X are the
    /// placements of the bodies. NULL: it holds everywhere.
    int (*outside)(const struct sari_mechanism* m, const sari_force* force,
                   const sari_force_state* at, const double* X, double* number);
    const char* range[SARI_FORCE_RANGE];
    /// All that it does, but for what is `beyond`; `out` has no limits, and zeros. False: it does more. NULL: always.
    bool (*summarise)(const void* def, sari_force_summary* out);
    /// Where its coordinate is meant to be, as of a stop between its ends: it says in which revolution an angle
    /// begins that is drawn elsewhere (system/turns.h). NULL: anywhere.
    void (*interval)(const void* def, double* lower, double* upper);
    int (*states)(const void* def); ///< how many; they begin at zero. NULL: none
    int state_length;               ///< power of the length in their unit
    sari_force_shown shown[SARI_FORCE_SHOWN + 1];
    void (*show)(const sari_force* force, const sari_force_state* at, double* out); ///< all of them
    unsigned shows; ///< in pictures, some sari_force_part, ...
    /// ... where that depends on the definition. NULL: it does not.
    sari_force_picture (*picture)(const void* def);
    /// What pictures show under it; false: nothing. NULL: never.
    bool (*ground)(const void* def, sari_force_ground* out);
    /// Height of that over its plane at x and y = normal x x, as it is at the start. NULL: 0.
    double (*height)(const sari_force* force, double x, double y);
} sari_force_type;

extern const sari_force_type* const sari_force_types[SARI_FORCE_TYPES];

static inline int sari_force_scalars(const sari_force_type* type, int dimension)
{
    return dimension == 2 ? type->in_plane : type->in_space;
}

static inline const char* sari_force_text_of(const sari_force_type* type, const void* def, int k)
{
    return type->is.text[k].field
               ? *(const char* const*)((const char*)def + type->is.text[k].member)
               : NULL;
}

/// The expression of positions along which it acts; NULL: it acts along something else.
static inline const char* sari_force_along(const sari_force_type* type, const void* def)
{
    return type->is.along ? *(const char* const*)((const char*)def + type->is.along) : NULL;
}

/// Which of its texts that is.
static inline int sari_force_along_text(const sari_force_type* type)
{
    int k = 0;
    while (type->is.text[k].member != type->is.along) k++;
    return k;
}

/// Ends a and b, or NULL.
static inline sar_end* sari_force_ends(const sari_force_type* type, void* def)
{
    return type->is.ends && !sari_force_along(type, def) ? (sar_end*)((char*)def + type->is.ends)
                                                         : NULL;
}

static inline int sari_force_ends_count(const sari_force_type* type, const void* def)
{
    if (!type->is.ends || sari_force_along(type, def)) return 0;
    return type->is.ends_count ? *(const int*)((const char*)def + type->is.ends_count) : 2;
}

static inline int sari_force_states(const sari_force_type* type, const void* def)
{
    return type->states ? type->states(def) : 0;
}

/// Its place, where the type has one.
static inline int sari_force_body(const sari_force_type* type, const void* def)
{
    return ((const sar_body_id*)((const char*)def + type->is.body))->i;
}

static inline double* sari_force_point(const sari_force_type* type, void* def)
{
    return (double*)((char*)def + type->is.point);
}

/// A state of the model, and no force.
static inline bool sari_force_is_state(const sari_force_type* type)
{
    return type->scale != 0;
}

/// The joint on whose coordinate it acts, or -1.
static inline int sari_force_joint(const sari_force_type* type, const void* def)
{
    return type->is.joint ? ((const sar_joint_id*)((const char*)def + type->is.joint))->i : -1;
}

/// And the other one of two, or -1.
static inline int sari_force_other_joint(const sari_force_type* type, const void* def)
{
    return type->other_joint ? ((const sar_joint_id*)((const char*)def + type->other_joint))->i
                             : -1;
}

/// About an angle: what it does is a torque.
static inline bool sari_force_turns(const sari_force_type* type, const void* def)
{
    if (!type->is.coordinate || (sari_force_joint(type, def) < 0 && !sari_force_along(type, def)))
        return false;
    const sar_coordinate c = *(const sar_coordinate*)((const char*)def + type->is.coordinate);
    return c == SAR_COORD_ANGLE || c == SAR_COORD_ANGLE_2;
}

static inline bool sari_force_asks(const sari_force_type* type, const void* def)
{
    return type->is.by_reaction && *(const int*)((const char*)def + type->is.by_reaction);
}

static inline bool sari_force_loses(const sari_force_type* type, const sari_force* force)
{
    return type->loses ? type->loses(force) : !type->conservative;
}

static inline sari_force_picture sari_force_shows(const sari_force_type* type, const void* def)
{
    return type->picture ? type->picture(def) : (sari_force_picture){.shows = type->shows};
}

/// The word of the file for a force on a length, or on an angle, where there are two.
static inline const sari_file_word* sari_force_word_of(const sari_force_type* type, const void* def)
{
    return &type->is.word[type->is.word[1].word && sari_force_turns(type, def)];
}

/// Check, copy and store.
sar_status sari_model_store_force(sar_model* model, int type, const void* def, sar_error* error);
/// What a sar_model_add function does: that, or what the type says.
sar_status sari_model_add_force(sar_model* model, int type, const void* def, sar_error* error);
/// Another expression in place of text k of a force.
sar_status sari_model_set_text(sar_model* model, int type, int force, int k, const char* text,
                               sar_error* error);
void sari_force_release(const sari_force_type* type, sari_force* force);

#endif
