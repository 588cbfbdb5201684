/* Units of a model: a length, a mass and an origin of its own.
 *
 * Methods work with numbers, and their limits (1e-9 of a correction, 1e-6 of a rank) mean something
 * only for numbers of the order of one. So every run works on a copy of its model in which the
 * bodies are about one unit long, the heaviest weighs about one, and the mechanism is near the
 * origin; what is observed is converted back. Units are powers of two, so that converting rounds
 * nothing: a model of another size runs through the same bits. Times and angles stay as they are.
 *
 * A force has the unit mass * length, a torque or an energy mass * length^2 (per second squared).
 */
#ifndef SARI_UNITS_H
#define SARI_UNITS_H

#include "model/model.h"

typedef struct sari_units {
    double length, mass; ///< [m], [kg]: the model's units
    double origin[3];    ///< [m]: what is its origin
    double level;        ///< [J]: potential energy of the weights there
    double size;         ///< of the bodies, in units of length: 1 to 2
    int of_states;       ///< 1: states of the model are counted in powers of two near their sizes
} sari_units;

static inline double sari_unit_of_force(const sari_units* u)
{
    return u->mass * u->length;
}

static inline double sari_unit_of_energy(const sari_units* u)
{
    return u->mass * u->length * u->length;
}

/// The power of two in x, 1 for nothing.
double sari_power_of_two(double x);

/// Those that fit the model. 0: out of memory.
int sari_units_of(const sar_model* model, sari_units* out);

/// The user's lengths and masses after all; origin and size stay.
static inline void sari_units_keep(sari_units* u)
{
    u->size *= u->length;
    u->length = u->mass = 1.0;
}

/// The user's units and origin, for equations that are shown.
static inline void sari_units_of_user(sari_units* u)
{
    *u = (sari_units){.length = 1.0, .mass = 1.0, .size = u->size * u->length};
}

/// Unit of a state of the model of this scale.
double sari_unit_of_state(const sari_units* u, double scale);

/// Unit of what a drive, coupling or constraint holds: a length, or 1 of an angle.
double sari_unit_of_condition(const sar_model* model, const sari_units* u, int joint);

double sari_unit_of_coordinate(const sari_units* u, sar_coordinate coordinate);

/// A copy of a model on its way to other units.
typedef struct sari_model_conversion {
    const sar_model* model;
    const sari_units* u;
    sar_model* copy;
    sari_conversion* variable; ///< of expressions
    bool failed;               ///< out of memory
} sari_model_conversion;

/// Text k of a force, with its result in units of `unit`, counted from `from`, and its own x and v.
void sari_convert_text(sari_model_conversion* c, sari_force* force, int k, sari_conversion x,
                       sari_conversion v, double unit, double from);

/// A copy of the model in these units. It shares names and tables with the model, which must
/// outlive it. NULL: out of memory.
sar_model* sari_model_in_units(const sar_model* model, const sari_units* u);
void sari_model_in_units_destroy(sar_model* copy);
/// An expression of the model for such a copy of it, with its result in units of `unit`. NULL: out of memory.
sari_expression* sari_expression_for_copy(const sar_model* model, const sari_units* u,
                                          sar_model* copy, const sari_expression* e, double unit);

#endif
