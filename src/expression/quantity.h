/* Units as people write them, and what kind of quantity a value is.
 *
 * Numbers without a unit are in SI units and may be anything. A number with one is converted, and
 * remembers its dimension: powers of length, mass and time. Angles have none, as in SI. A number
 * without a unit that is a factor of one with a unit may have any unit itself: 10*(200 deg - x) may
 * be a torque, and 0.3*c^2, with a length c, a moment of inertia. */
#ifndef SARI_QUANTITY_H
#define SARI_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum sari_known {
    SARI_PLAIN,    ///< a number without a unit: fits everywhere, and is 1 in products
    SARI_MEASURED, ///< has the dimension
    SARI_OPEN,     ///< not known
} sari_known;

/// Has it a factor without a unit, which may have one?
typedef enum sari_factor {
    SARI_NO_FACTOR,
    SARI_FACTOR,      ///< yes
    SARI_FACTOR_USED, ///< and it had to have one already, for a sum
} sari_factor;

typedef struct sari_dimension {
    signed char length, mass, time; ///< powers
    signed char known;              ///< a sari_known
    signed char factor;             ///< a sari_factor
} sari_dimension;

/// A unit is `times` / `by` SI units. Two numbers, so that 12 mm is 12/1000 and rounded
/// once.
typedef struct sari_unit {
    double times, by;
    sari_dimension dimension;
} sari_unit;

/// Is this name something else than a unit here?
typedef bool (*sari_unit_taken)(void* context, const char* name, size_t length);

/// The unit at the beginning of `text`: "kN/m", "N m", "kg*m^2", "m/s2", without blanks around * and
/// /. Returns its length, 0 where there is none. `taken` may be NULL.
int sari_unit_read(const char* text, sari_unit_taken taken, void* context, sari_unit* out);

/// The unit that the name may be a typo of, or NULL.
const char* sari_unit_near(const char* name, size_t length);

bool sari_dimension_equal(sari_dimension a, sari_dimension b);
/// Do both have a dimension, and another one?
bool sari_dimension_differs(sari_dimension a, sari_dimension b);
/// And is there no factor whose unit could make them one?
bool sari_dimension_contradicts(sari_dimension a, sari_dimension b);
sari_dimension sari_dimension_product(sari_dimension a, sari_dimension b, int sign);
sari_dimension sari_dimension_power(sari_dimension a, double power);
/// Of what must be of one kind: a sum, the branches of a condition.
sari_dimension sari_dimension_either(sari_dimension a, sari_dimension b);

/// "a length [m]", "a stiffness [N/m]"
const char* sari_dimension_describe(sari_dimension d, char* text, size_t size);

/// The dimension of unit k in brackets of `text`, or of the last one before it. False: there is none, or
/// it is no unit alone.
bool sari_unit_listed(const char* text, int k, sari_dimension* out);
/// Is a value of this dimension one of the units in brackets of `text`: "[N/m] or [N m/rad]"? Where
/// there are none, or not only units, everything fits.
bool sari_dimension_fits(sari_dimension d, const char* text);
/// Does it fit by the unit of a factor alone? Then that unit is in `unit`: "kg", "N m".
bool sari_dimension_assumed(sari_dimension d, const char* text, char* unit, size_t size);
/// The unit that a value of this dimension lacks of the first one that `text` expects; "" if none.
const char* sari_dimension_lacks(sari_dimension d, const char* text, char* unit, size_t size);
/// "a stiffness [N/m]": what such a text expects.
const char* sari_unit_expected(const char* text, char* out, size_t size);

#endif
