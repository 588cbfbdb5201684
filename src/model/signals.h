/* Signals: the names with a dot that expressions know, crank.P.x or pin.angle.
 *
 * A signal is one line of SARI_SIGNAL_LIST and its value: in system/mechanism/signal_scalars.c if it is a
 * function of positions whose rates follow, in simulation/observation.c if outputs alone can use
 * it. A joint coordinate needs the line alone. */
#ifndef SARI_SIGNALS_H
#define SARI_SIGNALS_H

#include "sarrus/model.h"

#include <stdbool.h>

/// What expressions can use; bits.
enum {
    SARI_USE_RATES = 1,   ///< levels up to 1
    SARI_USE_ALL = 2,     ///< also accelerations, spins, reactions and energies
    SARI_USE_SPRING = 4,  ///< the names x and v
    SARI_USE_PLACE = 8,   ///< the name x: a place on a road
    SARI_USE_SPINS = 16,  ///< a condition on velocities: no states, and rates in world axes alone
    SARI_USE_CURVE = 32,  ///< the name s, and not t: a place on a curve
    SARI_USE_ALONG = 128, ///< positions alone: what a force acts along
    SARI_USE_FREE = 256,  ///< t alone; counts as the coordinate does on which the force acts
    SARI_USE_SURFACE =
        512, ///< the names x and y, and not t: a place on a surface; y takes the place of v
    SARI_USE_REACTIONS = 1024, ///< reactions too
    SARI_USE_GROUND = 64,      ///< the names x and y: a place on a ground; y takes the place of v
};

/// What a signal is said of: BODY.POINT.x, BODY.AXIS.x, BODY.angle, JOINT.angle, SPRING.length,
/// energy.total.
typedef enum sari_signal_owner {
    SARI_OF_POINT,
    SARI_OF_AXIS,
    SARI_OF_BODY,
    SARI_OF_TURN, ///< of a body or a joint; its words follow a rule
    SARI_OF_JOINT,
    SARI_OF_FORCE,
    SARI_OF_FORCE_TYPE, ///< words and units as the type of the force says
    SARI_OF_STATE,      ///< its name alone; its rate has a word
    SARI_OF_ENERGY
} sari_signal_owner;

#define SARI_METRES ("m", "m/s", "m/s^2")
#define SARI_RADIANS ("rad", "rad/s", "rad/s^2")
enum { SARI_NO_COORDINATE = -1 };

/// How the components of a vector change with the frame in which they are counted.
typedef enum sari_signal_vector {
    SARI_VECTOR_NO,
    SARI_VECTOR_PLACE, ///< its rates are polar
    SARI_VECTOR_POLAR, ///< velocities, forces
    SARI_VECTOR_AXIAL  ///< angular velocities, torques: a mirror image turns the other way
} sari_signal_vector;

/* X(kind, owner, words, units, length, mass, vector, coordinate, dimension, use, what)
 *
 *   words         by level (value, rate, acceleration) and component
 *   units         by level, for people
 *   length, mass  powers of the model's length and mass in the unit
 *   vector        whether the components of a level are those of a vector
 *   coordinate    of a joint, if it is one
 *   dimension     of the models that have it; 0: all
 *   use           which expressions know it; accelerations are for SARI_USE_ALL
 *   what          it is, for messages to the others
 */
// clang-format off
#define SARI_SIGNAL_LIST(X) \
    X(POINT, POINT, ({"x", "y", "z"}, {"vx", "vy", "vz"}, {"ax", "ay", "az"}), SARI_METRES, 1, 0, \
      PLACE, SARI_NO_COORDINATE, 0, RATES, "an acceleration") \
    X(DIRECTION, AXIS, ({"x", "y", "z"}, {"vx", "vy", "vz"}), ("", "1/s", ""), 0, 0, \
      POLAR, SARI_NO_COORDINATE, 0, RATES, "") \
    /* of a body in the world, or of a joint's second body seen from its first: yaw, zyx1 ... */ \
    X(TURN, TURN, ({NULL}), SARI_RADIANS, 0, 0, \
      NO, SARI_NO_COORDINATE, 3, RATES, "") \
    X(ROTATION_VECTOR, TURN, ({NULL}), SARI_RADIANS, 0, 0, \
      NO, SARI_NO_COORDINATE, 3, RATES, "") \
    X(QUATERNION, TURN, ({NULL}), (""), 0, 0, \
      NO, SARI_NO_COORDINATE, 3, ALL, "a number of a rotation") \
    X(BODY_ANGLE, BODY, ({"angle"}, {"rate"}, {"alpha"}), SARI_RADIANS, 0, 0, \
      NO, SARI_NO_COORDINATE, 2, RATES, "an acceleration") \
    X(BODY_SPIN, BODY, ({NULL}, {"wx", "wy", "wz"}, {"alphax", "alphay", "alphaz"}), SARI_RADIANS, 0, 0, \
      AXIAL, SARI_NO_COORDINATE, 3, RATES, "a component of the angular velocity") \
    /* of the shapes of a body from those of another: BODY.clearance@BODY, or distance(BODY, BODY) */ \
    X(CLEARANCE, BODY, ({"clearance"}), ("m"), 1, 0, \
      NO, SARI_NO_COORDINATE, 0, ALL, "a distance of shapes") \
    X(ANGLE, JOINT, ({"angle"}, {"rate"}), SARI_RADIANS, 0, 0, \
      NO, SAR_COORD_ANGLE, 0, RATES, "") \
    X(DISPLACEMENT, JOINT, ({"displacement"}, {"speed"}), SARI_METRES, 1, 0, \
      NO, SAR_COORD_DISPLACEMENT, 0, RATES, "") \
    X(DISTANCE, JOINT, ({"distance"}, {"speed"}), SARI_METRES, 1, 0, \
      NO, SAR_COORD_DISTANCE, 0, RATES, "") \
    X(ANGLE_2, JOINT, ({"angle2"}, {"rate2"}), SARI_RADIANS, 0, 0, \
      NO, SAR_COORD_ANGLE_2, 0, RATES, "") \
    X(DISPLACEMENT_2, JOINT, ({"displacement2"}, {"speed2"}), SARI_METRES, 1, 0, \
      NO, SAR_COORD_DISPLACEMENT_2, 0, RATES, "") \
    X(LENGTH, FORCE, ({"length"}, {"speed"}), SARI_METRES, 1, 0, \
      NO, SARI_NO_COORDINATE, 0, RATES, "") \
    /* of every force: on its body at its place, along its line or coordinate, and its power */ \
    X(APPLIED_FORCE, FORCE, ({"fx", "fy", "fz"}), ("N"), 1, 1, \
      POLAR, SARI_NO_COORDINATE, 0, ALL, "what a force does") \
    X(APPLIED_TORQUE, FORCE, ({"tx", "ty", "tz"}), ("N m"), 2, 1, \
      AXIAL, SARI_NO_COORDINATE, 0, ALL, "what a force does") \
    X(FORCE_ALONG, FORCE, ({"force"}), ("N"), 1, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "what a force does") \
    X(TORQUE_ALONG, FORCE, ({"torque"}), ("N m"), 2, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "what a force does") \
    X(POWER, FORCE, ({"power"}), ("W"), 2, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "what a force does") \
    X(FORCE, JOINT, ({"fx", "fy", "fz"}), ("N"), 1, 1, \
      POLAR, SARI_NO_COORDINATE, 0, ALL, "a reaction") \
    X(TORQUE, JOINT, ({"tx", "ty", "tz"}), ("N m"), 2, 1, \
      AXIAL, SARI_NO_COORDINATE, 0, ALL, "a reaction") \
    /* in N or N m, as what it acts along is a length or an angle */ \
    X(DRIVE, JOINT, ({"force", "torque"}), (""), 0, 0, \
      NO, SARI_NO_COORDINATE, 0, ALL, "the force of a drive") \
    X(ENERGY, ENERGY, ({"kinetic", "potential", "total"}), ("J"), 2, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "an energy") \
    /* the energy ledger of a run */ \
    X(WORK, FORCE, ({"work"}), ("J"), 2, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "a work") \
    X(DRIVE_WORK, JOINT, ({"work"}), ("J"), 2, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "a work") \
    X(LEDGER, ENERGY, ({"integrator", "projections", "impacts"}), ("J"), 2, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "an energy") \
    X(LEDGER_EVENTS, ENERGY, ({"phases", "jumps", "corrections"}), ("J"), 2, 1, \
      NO, SARI_NO_COORDINATE, 0, ALL, "an energy") \
    X(STATE, STATE, ({NULL}, {NULL}, {"rate"}), ("", "", ""), 0, 0, \
      NO, SARI_NO_COORDINATE, 0, RATES, "the rate of a state") \
    X(SHOWN, FORCE_TYPE, ({NULL}), (""), 0, 0, \
      NO, SARI_NO_COORDINATE, 0, ALL, "what a force does")
// clang-format on

#define SARI_SIGNAL_KIND(kind, ...) SARI_SIGNAL_##kind,
typedef enum sari_signal_kind { SARI_SIGNAL_LIST(SARI_SIGNAL_KIND) SARI_SIGNALS } sari_signal_kind;
#undef SARI_SIGNAL_KIND

typedef struct sari_signal {
    sari_signal_kind kind;
    int level;       ///< 0: value, 1: rate, 2: acceleration
    int body, joint; ///< -1 where it does not apply
    double point[3]; ///< body frame; DIRECTION: the axis
    int component; ///< TURN: 3 times the sequence, and which of its angles; QUATERNION: w, x, y, z,
                   ///< then the rotation vector
    int frame; ///< SIGNAL@FRAME, the body along whose axes it is; 0: the world. TURN of a joint:
               ///< its first body
    int axes;  ///< SIGNAL@NAME of a frame of the model: 1 + its number; 0: the axes of the body
    int own;   ///< TURN, BODY_ANGLE and the like: those of this frame, likewise
    int type, force; ///< of forces and states: which
    int starts; ///< start conditions that demand a value of it, 0 or 1; no part of what it means
} sari_signal;

typedef struct sari_signal_type {
    sari_signal_owner of;
    const char* word[3][3]; ///< by level and component; NULL: none
    const char* unit[3];
    int length, mass;
    sari_signal_vector vector;
    int coordinate;
    int dimension;
    unsigned use;
    const char* what;
} sari_signal_type;

/// A reaction.
static inline bool sari_signal_is_reaction(const sari_signal* s)
{
    return s->kind == SARI_SIGNAL_FORCE || s->kind == SARI_SIGNAL_TORQUE ||
           s->kind == SARI_SIGNAL_DRIVE;
}

/// Of the energy ledger: what has been added up since a run began.
static inline bool sari_signal_is_of_ledger(const sari_signal* s)
{
    return s->kind == SARI_SIGNAL_WORK || s->kind == SARI_SIGNAL_DRIVE_WORK ||
           s->kind == SARI_SIGNAL_LEDGER || s->kind == SARI_SIGNAL_LEDGER_EVENTS;
}

/// The twelve sequences of axes, turned with the body: "zyx" is yaw, pitch and roll.
enum { SARI_TURN_SEQUENCES = 12 };
extern const char* const sari_turn_sequences[SARI_TURN_SEQUENCES];

/// The axis of the turn that a word names, `yaw` or `zxz3`, of a component of a rotation vector or
/// quaternion, or of the rate of one; -1: none, or qw.
int sari_turn_axis(const char* word);

extern const sari_signal_type sari_signal_types[SARI_SIGNALS];

/// Unit of a signal: for people, and as powers of the model's length and mass.
typedef struct sari_signal_unit {
    const char* text; ///< "": it depends on what the signal is of
    int length, mass;
} sari_signal_unit;
sari_signal_unit sari_unit_of_signal(const sari_signal* signal);

/// Signals that are the components of a vector.
typedef struct sari_vector_words {
    const char* const* word; ///< three
    int component;           ///< the one that was searched for
    bool place, axial;       ///< at most one of them; neither: polar
} sari_vector_words;
/// Is the word of a signal of a point, a body or a joint a component of a vector?
bool sari_find_vector(sari_signal_owner of, const char* word, sari_vector_words* out);

#endif
