/* What a joint type is: one constant that says all about it, in a file of its own.
 *
 * Everybody else asks: the reader which directions and sizes it takes, the model how its frames are
 * completed, the mechanism which conditions it sets, the spanning tree which motions it leaves, the
 * phases what attaches. So a new type is a file here and a line of SAR_JOINT_LIST.
 *
 * This header is known from the model upwards. The files beside it know the model and the system,
 * whose functions they call. */
#ifndef SARI_ELEMENT_H
#define SARI_ELEMENT_H

#include "sarrus/model.h"

#include <stdbool.h>
#include <stddef.h>

struct sari_mechanism;

/// Conditions on the ends a and b, with points p and axes u, that are polynomials of placements.
typedef enum sari_condition_kind {
    SARI_NO_CONDITION,     ///< the list ends
    SARI_COINCIDE,         ///< p_a = p_b
    SARI_PARALLEL,         ///< u_a = +-u_b
    SARI_SAME_ORIENTATION, ///< the frames (axis, normal, axis x normal) of a and b are aligned
    SARI_ON_LINE,          ///< p_b on the line through p_a along u_a
    SARI_ON_PLANE,         ///< p_b in the plane through p_a with normal u_a
    SARI_PERPENDICULAR,    ///< u_a . u_b = 0
    SARI_DISTANCE,         ///< |p_b - p_a| = distance
    SARI_AT_HEIGHT,        ///< p_b at the height `radius` over the plane through p_a, normal u_a
} sari_condition_kind;

/// A motion about or along the z axis of its frame, or any rotation.
typedef enum sari_joint_motion { SARI_TURN, SARI_SLIDE, SARI_BALL } sari_joint_motion;

/// From the frame of a motion to that of the next.
typedef enum sari_frame_step {
    SARI_NO_MOTION, ///< the list ends
    SARI_STRAIGHT,  ///< the same frame
    SARI_ROUND,     ///< x, y, z to y, z, x, so that z is where x was
    SARI_ROUND_TWICE,
    SARI_ACROSS, ///< z to where x was, and x to where z was
    SARI_STEPS
} sari_frame_step;

enum { SARI_MOTIONS = 4 }; ///< of a joint, at most

/// Motions one after the other, each in a frame that the one before carries.
typedef struct sari_motions {
    struct {
        sari_frame_step step; ///< before it
        sari_joint_motion motion;
    } part[SARI_MOTIONS];
    sari_frame_step tail; ///< from the last frame to the joint's; SARI_NO_MOTION: the same
} sari_motions;

/// Which ends take a direction, `axis` or `normal`.
typedef enum sari_directions {
    SARI_OF_NONE,
    SARI_OF_BOTH,         ///< one direction, seen in both bodies
    SARI_OF_BOTH_OR_NONE, ///< the same; may be left out
    SARI_OF_EACH,         ///< a direction of its own each
    SARI_OF_A,            ///< a's alone counts
    SARI_OF_B,            ///< b's alone counts
    SARI_OF_B_OR_EACH,    ///< b's, and before it one of a that has a usual value
} sari_directions;

/// A joint type in the plane or in space.
typedef struct sari_joint_form {
    sari_directions axis, normal;
    const char* axis_hint; ///< to who leaves out the axis; NULL: the usual one
    /// Where an end's normal follows from the other end by a rule of the joint's own: with that
    /// end's axis u and normal n, both seen in this end's body. False: there is none, as `one_axis`
    /// says. NULL: the two are one direction, or as `axis` says.
    bool (*follow)(const double u[3], const double n[3], sar_end* end);
    sari_condition_kind conditions[3]; ///< none, and no rows: no such joint in this dimension
    /// Add what is no condition of the list: relations of scalars, rows on velocities. NULL: none.
    /// 0: out of memory.
    int (*rows)(struct sari_mechanism* m, int joint);
    sari_motions motions; ///< from a to b, as many as the conditions leave; none: always cut
    sari_motions back;    ///< from b to a, where that is not the same with ends exchanged
} sari_joint_form;

typedef enum sari_size_rule { SARI_POSITIVE, SARI_NONZERO } sari_size_rule;

/// A length that belongs to a type: a member of sar_joint_def and a key of the file.
typedef struct sari_joint_size {
    const char* word; ///< NULL: the list ends
    size_t member;    ///< offset in sar_joint_def
    sari_size_rule rule;
    const char* hint;      ///< what it is
    const char* otherwise; ///< what to use where the rule is broken, or NULL
} sari_joint_size;

/// Parts of the picture of a joint, with points p and axes u of its ends a and b.
typedef enum sari_joint_part {
    SARI_SHOWS_PIN = 1,      ///< along u_a, through p_b
    SARI_SHOWS_BALL = 2,     ///< around p_b
    SARI_SHOWS_RAIL = 4,     ///< the line through p_a along u_a, as far as b goes
    SARI_SHOWS_BLOCK = 8,    ///< around p_b, along u_a
    SARI_SHOWS_SLEEVE = 16,  ///< around p_b, a tube along u_b
    SARI_SHOWS_PLANE = 32,   ///< through p_a across u_a
    SARI_SHOWS_CROSS = 64,   ///< pins along u_a and u_b
    SARI_SHOWS_WELD = 128,   ///< around p_b
    SARI_SHOWS_BAR = 256,    ///< from p_a to p_b
    SARI_SHOWS_WHEEL = 512,  ///< of the joint's radius, around p_b and across u_b
    SARI_SHOWS_GLOBE = 1024, ///< of the joint's radius, around p_b
    SARI_SHOWS_CURVE = 2048,
    SARI_SHOWS_BLADE = 4096, ///< at p_b along u_b
} sari_joint_part;

typedef struct sari_joint_type {
    const char *word, *text;
    unsigned shows;      ///< in pictures: some sari_joint_part
    const char* instead; ///< what to use in the plane, where there is none; may be NULL
    sari_joint_size size[2];
    int coordinates;
    sar_coordinate coordinate[3]; ///< that can be observed; the usual one first
    bool curved;                  ///< has a curve, in the plane of a's normal and axis x normal
    bool locks;                   ///< what its rows are, `locked` says
    bool on_velocities;           ///< holds velocities: a plane, which stays where it is
    const char* two_axes;         ///< SARI_OF_EACH: to who gives one direction for both
    const char* one_axis; ///< what is wrong where the axes are parallel as drawn, or `follow` finds
                          ///< no normal; NULL: nothing
    sari_joint_form plane, space;
    /// Of a body drawn nowhere, b, beside the one with the plane: shift its point and turn it.
    /// NULL: points meet. `axis` is a's, world axes.
    void (*place)(const struct sari_mechanism* m, int joint, const double axis[3], double R[9],
                  double point[3]);
} sari_joint_type;

enum { SARI_JOINT_TYPES = SAR_JOINT_TYPES };
extern const sari_joint_type* const sari_joint_types[SARI_JOINT_TYPES]; ///< by sar_joint_type

static inline const sari_joint_type* sari_type_of(const sar_joint_def* def)
{
    return sari_joint_types[def->type];
}

static inline const sari_joint_form* sari_form_of(const sar_joint_def* def, int dimension)
{
    return dimension == 2 ? &sari_type_of(def)->plane : &sari_type_of(def)->space;
}

static inline double sari_size_of(const sar_joint_def* def, const sari_joint_size* size)
{
    return *(const double*)((const char*)def + size->member);
}

static inline double* sari_size_in(sar_joint_def* def, const sari_joint_size* size)
{
    return (double*)((char*)def + size->member);
}

static inline bool sari_form_exists(const sari_joint_form* form)
{
    return form->conditions[0] || form->rows;
}

bool sari_form_has(const sari_joint_form* form, sari_condition_kind kind);
/// Are the axes parallel?
bool sari_form_aligns(const sari_joint_form* form);
/// Do the conditions say the same of a and b as of b and a?
bool sari_form_symmetric(const sari_joint_form* form);
int sari_motions_count(const sari_motions* motions);
int sari_motions_freedom(const sari_motions* motions);

extern const sar_joint_type sari_against_turning; ///< leaves a body all motions but rotations

/// Does the type have the coordinate, as one that can be observed?
bool sari_type_shows(const sari_joint_type* type, sar_coordinate coordinate);
bool sari_type_keeps(const sari_joint_type* type); ///< its coordinates are constant

enum { SARI_JOINT_SIZES = 8 }; ///< different ones, at most
/// All sizes of all types, each once; NULL after the last.
const sari_joint_size* sari_joint_size_at(int k);

#endif
