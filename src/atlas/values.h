/* What joints do along the curves of a map: values, ranges, dead points. */
#ifndef SARI_VALUES_H
#define SARI_VALUES_H

#include "atlas/atlas.h"

/// A bar with two revolute joints: it drives what is at `to`.
typedef struct sari_bar {
    int body, from, to;
} sari_bar;

typedef struct sari_values {
    sari_arena memory;
    int count;
    sar_map_quantity* quantity;
    sar_end* point; ///< per quantity: whose coordinate it is, where that is no joint's
    sari_bar* bar;
    int bars;
    int input;          ///< quantity, or -1
    double *now, *rate; ///< at the configuration that was evaluated last
} sari_values;

sar_status sari_values_create(sar_map* map);
/// One quantity more, for which there is room: a coordinate of a point, in units of the model. 0: out of memory.
int sari_values_add_point(sari_values* values, const sar_end* point, int axis, const char* name);
/// now and rate at q moving by v (NULL: rates are zero). Angles between -pi and pi.
void sari_values_eval(sar_map* map, const double* q, const double* v);

/// The point at `at` (0 ... 1) along an arc, with the tangent. 0: it could not be corrected, and is on the chord.
int sari_arc_at(sar_map* map, const sari_arc* arc, double at, double* q, double* t);
/// Likewise between its points i and i + 1, at the part f of the chord.
int sari_arc_between(sar_map* map, const sari_arc* arc, int i, double f, double* q, double* t);
/// Directions at a node: of its half-branch, outwards.
void sari_half_direction(sar_map* map, const sari_node* node, int half, double* u);

/// Ranges, dead points and values of everything, for sar_map_show.
sar_status sari_values_of_arc(sar_map* map, const sari_arc* arc, sar_map_arc* out);
/// Both points of all joints in space, 6 numbers each, at q; a copy that stays.
double* sari_joint_points(sar_map* map, const double* q);
const double* sari_values_at(sar_map* map, const double* q); ///< a copy that stays

/// Stops and bounds (limits.c): those that an arc crosses, and the name of one that forbids q, or NULL.
typedef struct sari_limits sari_limits;
sar_status sari_limits_create(sar_map* map);
sar_status sari_limits_of_arc(sar_map* map, const sari_arc* arc, sar_map_arc* out);
const char* sari_limits_beyond(sar_map* map, const double* q);

/// Bars that carry force, from the input on (transmission.c).
sar_status sari_bars_create(sar_map* map);
/// Transmission angle of a bar where values were evaluated last; NaN at rest.
double sari_bar_angle(const sar_map* map, int bar);
sar_status sari_bars_along(sar_map* map, const sari_arc* arc, sar_map_arc* out);

#endif
