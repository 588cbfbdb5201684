/* How a definition is written in a model file: its keys, what they mean, their units, and where they go.
 * Reader, schema, manual, checks and units follow these tables. */
#ifndef SARI_DEFINITION_H
#define SARI_DEFINITION_H

#include "sarrus/model.h"

#include <stddef.h>

enum { SARI_FORCE_TEXTS = 6 }; ///< of a definition, at most

/// An expression of a definition.
typedef struct sari_definition_text {
    const char* field; ///< NULL: the list ends
    size_t member;     ///< a const char*; all members are offsets in the definition
    unsigned use;      ///< SARI_USE_...
    const char* usual; ///< where none is given; NULL: none
} sari_definition_text;

/// What a key of a model file is.
typedef enum sari_key_kind {
    SARI_READ_DIRECTIONS,    ///< by the reader of FRAMES
    SARI_READ_JOINT,         ///< by that of LINE or ANGLE
    SARI_READ_SLIDES,        ///< displacement or displacement2, by that of LINE
    SARI_READ_TURNS,         ///< angle or angle2, by that of ANGLE
    SARI_READ_MOVES,         ///< any coordinate, by that of MOTION
    SARI_READ_ALONG,         ///< an expression of positions in place of these, by that of all three
    SARI_READ_PLACE,         ///< BODY.POINT, the definition's place
    SARI_READ_TARGET,        ///< BODY, the definition's body
    SARI_READ_BODY,          ///< BODY: sar_body_id
    SARI_READ_FRAMES,        ///< two points, the definition's ends, with directions
    SARI_READ_LINE,          ///< two points, or a joint's displacement
    SARI_READ_ANGLE,         ///< of a joint: sar_coordinate
    SARI_READ_MOTION,        ///< the same, any that the joint has: its first where none is named
    SARI_READ_NUMBER,        ///< double
    SARI_READ_PRELOAD,       ///< the same, or the word `reaction`: the definition's by_reaction
    SARI_READ_TEXT,          ///< an expression, one of the definition's texts
    SARI_READ_VECTOR,        ///< a list of expressions, every other of the definition's texts
    SARI_READ_SPIN,          ///< the same; in the plane the one about z alone
    SARI_READ_MATRIX,        ///< of displacements and rotations: double[36]
    SARI_READ_TABLE,         ///< pairs: the definition's arrays
    SARI_READ_AXES,          ///< world or body: int
    SARI_READ_AXIS,          ///< x, y or z: int
    SARI_READ_ANSWER,        ///< yes or no: int
    SARI_READ_DIRECTION,     ///< double[3], body axes
    SARI_READ_TYRE_FILE,     ///< a .tir file: double[SAR_MAGIC_COUNT]
    SARI_READ_COEFFICIENTS,  ///< a map of the same
    SARI_READ_SIDE,          ///< left or right: int
    SARI_READ_END,           ///< a, b or middle: int
    SARI_READ_LAWS,          ///< expressions of x and v, one per axis of a frame
    SARI_READ_LAWS_OF_TURNS, ///< the same about the axes; in the plane the one about z alone
    SARI_READ_JOINTS,        ///< of a shaft or a belt: two that turn
    SARI_READ_PAIR,          ///< two positive numbers: double[2]
    SARI_READ_CROSSED,       ///< yes: the second of such a pair is negative
    SARI_READ_TERM,          ///< a joint, the next of a sum: sar_coupling_def
    SARI_READ_TERMS,         ///< two of them
    SARI_READ_SUM,           ///< any coordinates of any joints, with their coefficients
    SARI_READ_DRIVEN,        ///< two points, or any coordinate of a joint
    SARI_READ_VALUE,         ///< an expression of t, in the unit of that
    SARI_READ_AROUND,        ///< one direction, by the section
    SARI_READ_CABLE,         ///< BODY.POINT, any number of them
    SARI_READ_SURFACE,       ///< an expression of x and y, one of the definition's texts
    SARI_READ_POINTS,        ///< BODY.POINT, several: the definition's ends
    SARI_READ_FREE,          ///< a number, or an expression of t: the text of use SARI_USE_FREE
    SARI_READ_KINDS
} sari_key_kind;

/// MUST be given; one of those that MAY_ALONE be there must. A number that is finite, positive, or not
/// negative. Read ELSEWHERE, by the section itself.
enum {
    SARI_MUST = 1,
    SARI_MAY_ALONE = 2,
    SARI_FINITE = 4,
    SARI_ABOVE_ZERO = 8,
    SARI_FROM_ZERO = 16,
    SARI_ELSEWHERE = 32
};

typedef struct sari_file_key {
    const char* word; ///< NULL: the list ends
    sari_key_kind kind;
    size_t member;  ///< where it goes
    unsigned flags; ///< SARI_MUST ...
    const char*
        text; ///< for people; units in brackets are those of the number or expression, the first
              ///< along a length, the second about an angle: "[N] or [N m]"
} sari_file_key;

enum { SARI_FILE_KEYS = 14, SARI_FILE_WORDS = 3 };

/// A `type` of a model file, or all that a section has.
typedef struct sari_file_word {
    const char* word; ///< NULL: the list ends
    const char* text; ///< for people
    sari_file_key
        key[SARI_FILE_KEYS + 1]; ///< besides `type`, `when` and the like, in the order of reading
    const char* idle;            ///< to who gives nothing that acts; NULL: no such rule
} sari_file_word;

/// Members are offsets, 0: there is none.
typedef struct sari_definition {
    sari_file_word word[SARI_FILE_WORDS + 1];
    size_t size;       ///< of the definition, whose first member is its name
    const void* usual; ///< a definition of which nothing is given; NULL: all of it zero
    sari_definition_text text[SARI_FORCE_TEXTS + 1];
    size_t array[2], length; ///< numbers, const double*, and how many: int
    size_t ends;             ///< two sar_end
    size_t ends_count;       ///< int: so many; none: two
    size_t body, point;      ///< a place of a body
    size_t joint;            ///< sar_joint_id: it comes and goes with it
    size_t coordinate;       ///< sar_coordinate along which it acts; none: a length always
    size_t along;            ///< const char*: the expression along which it acts instead
    size_t by_reaction;      ///< int: does it ask for the reaction of its joint?
} sari_definition;

static inline void* sari_member(void* def, size_t member)
{
    return (char*)def + member;
}

#endif
