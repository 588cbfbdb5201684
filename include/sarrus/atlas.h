/// @file atlas.h
/// The map of a mechanism: all its configurations, found once. Every way in which its loops close, every curve of
/// motion, the singular configurations at which curves meet, how they connect, and how sure it is that nothing is
/// missing.
///
///     sar_map* map;
///     sar_map_options options = sar_map_options_default();
///     sar_map_create(model, &options, &map, NULL);
///     const sar_map_arc* arc;
///     const int arcs = sar_map_arcs(map, &arc);
///     sar_map_place place;
///     sar_map_find(map, "A2@0.3", &place, NULL);
///     sar_map_pose(map, &place, 1.0, poses, velocities);
///     sar_simulation_set_state(simulation, poses, velocities, NULL);
///
/// Drives are no part of a map: their coordinates are its inputs. With `locked` they hold their coordinates where
/// they are at the start, and the map consists of the assembly modes.
///
/// Only create allocates. Lists belong to the map.
#ifndef SARRUS_ATLAS_H
#define SARRUS_ATLAS_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_map sar_map;

typedef struct sar_map_options {
    int locked;      ///< 1: drives hold their coordinates
    int starts;      ///< configurations at random from which loops are closed, at least
    int most_starts; ///< and at most; between them until 95 % of such starts would find nothing new
    int most_arcs, most_nodes; ///< limits; a map that reaches one says so
} sar_map_options;
SAR_API sar_map_options sar_map_options_default(void);

/// `model` must outlive the map and not change. SAR_E_ASSEMBLY: loops do not close. SAR_E_INCOMPAT: it has
/// non-holonomic constraints, or more than 150 natural coordinates.
SAR_API sar_status sar_map_create(const sar_model* model, const sar_map_options* options,
                                  sar_map** out, sar_error* error);
SAR_API void sar_map_destroy(sar_map* map);

/// Singular configurations of a mechanism with two degrees of freedom, with respect to two quantities. They are curves, and
/// the map consists of them: its arcs, nodes and ranges. Two inputs: where these lose control of the mechanism (of the second
/// kind). The two coordinates of a point in the plane: where it cannot move in some direction, which is the boundary of
/// its workspace and curves within it (of the first kind).
typedef struct sar_map_singular {
    const char* input[2]; ///< quantities, "J1.angle"; NULL: the point
    sar_body_id body;     ///< of the point
    double point[3];      ///< in the frame of the body
    const char* name;     ///< of the point in quantities: NAME.x and NAME.y
} sar_map_singular;
/// As sar_map_create. SAR_E_ARG: there is no such quantity or body. SAR_E_INCOMPAT: other than two degrees of freedom, or a
/// point in space.
SAR_API sar_status sar_map_create_singular(const sar_model* model, const sar_map_singular* what,
                                           const sar_map_options* options, sar_map** out,
                                           sar_error* error);

typedef struct sar_map_summary {
    int coordinates, conditions; ///< natural coordinates and rows
    int nullity;                 ///< degrees of freedom of velocities at the drawn start
    int dimension;  ///< and of motions; -1 in a singular configuration: as many as its curves say
    int components; ///< that are not connected: to get from one to another it has to be taken apart
    int arcs, nodes, modes; ///< curves, singular configurations, configurations without any motion
    int starts, closed;     ///< starts at random, and those from which the loops were closed
    double
        unseen; ///< at most this part of starts (of those that close) leads to something that is not in the map, at
    ///< 95 % confidence
    int complete; ///< 0: a limit was reached, or a curve or singular configuration could not be resolved
    const char* start; ///< name of what the drawn start is on, "A1@0.25"
} sar_map_summary;
SAR_API sar_map_summary sar_map_summarise(const sar_map* map);

/* ---- what is observed ------------------------------------------------------------------------ */

/// Coordinates of joints, by the order of the model.
typedef struct sar_map_quantity {
    const char* name; ///< "J1.angle"
    sar_joint_id joint;
    sar_coordinate coordinate;
    int is_angle; ///< [rad], else [m]
    int is_input; ///< a drive prescribes it
} sar_map_quantity;
SAR_API int sar_map_quantities(const sar_map* map, const sar_map_quantity** list);
SAR_API int
sar_map_input(const sar_map* map); ///< the quantity that is the input of transmission; -1: none

/* ---- curves ---------------------------------------------------------------------------------- */

typedef enum sar_map_end {
    SAR_MAP_CLOSED,   ///< there is none: the curve is closed
    SAR_MAP_NODE,     ///< a singular configuration
    SAR_MAP_INFINITE, ///< farther than 20 sizes of the model
    SAR_MAP_STUCK,    ///< it could not be followed
    SAR_MAP_LIMIT     ///< more steps than a curve may have
} sar_map_end;

typedef struct sar_map_range {
    double least, greatest; ///< of angles: continuous along the curve
    int turns;              ///< of a closed curve: by how many revolutions it ends elsewhere
} sar_map_range;

/// Where a coordinate turns back: with it as the input a dead point.
typedef struct sar_map_dead_point {
    double at; ///< 0 ... 1 along the curve
    int quantity;
    double value;
} sar_map_dead_point;

/// Least transmission angle of a bar with two revolute joints: between the bar and the direction across the velocity of the
/// end that it drives. pi/2: all force goes on, 0: none. The input is what a drive prescribes, else the first coordinate of
/// a joint with the ground.
typedef struct sar_map_transmission {
    sar_body_id bar;
    sar_joint_id joint; ///< that it drives
    double least;       ///< [rad]; NaN: it does not move
    double at;          ///< 0 ... 1 along the curve
} sar_map_transmission;

typedef struct sar_map_arc {
    const char* name; ///< "A1"
    int component;
    int freedoms; ///< of velocities: 1; more: it is singular all along
    int closed;
    int node[2]; ///< where it begins and ends, or -1
    sar_map_end end[2];
    double length;              ///< in natural coordinates, sizes of the model
    int points;                 ///< that were computed
    const sar_map_range* range; ///< per quantity
    int dead_points;
    const sar_map_dead_point* dead_point;
    int transmissions;
    const sar_map_transmission* transmission;
} sar_map_arc;
SAR_API int sar_map_arcs(const sar_map* map, const sar_map_arc** list);

/* ---- singular configurations and modes ------------------------------------------------------- */

/// A curve that leaves a node.
typedef struct sar_map_half {
    int arc, end; ///< it begins (0) or ends (1) here; -1: it was not followed
    int partner;  ///< the half-branch of the same node in which a smooth motion goes on; -1: none
} sar_map_half;

typedef struct sar_map_node {
    const char* name; ///< "S1"
    int component;
    int freedoms; ///< of velocities
    int halves;   ///< curves that leave it
    const sar_map_half* half;
    int motions;   ///< smooth curves through it
    int dimension; ///< of the largest component of more than one dimension that meets here; 0: none
    int resolved;  ///< 0: curves could not be counted
    const double* value; ///< per quantity
} sar_map_node;
SAR_API int sar_map_nodes(const sar_map* map, const sar_map_node** list);

/// What is connected.
typedef struct sar_map_component {
    int dimension; ///< of its largest part; 0: an assembly mode without motion
    int arcs, nodes;
    const char*
        name;      ///< dimension 0: "M1"; more than 1: "F1"; else that of its first curve or node
    int seen;      ///< starts that led to it
    int has_start; ///< the drawn start is on it: it is reached without taking anything apart
    const double* value; ///< per quantity, of a configuration on it
} sar_map_component;
SAR_API int sar_map_components(const sar_map* map, const sar_map_component** list);

/* ---- places ---------------------------------------------------------------------------------- */

typedef struct sar_map_place {
    int node, arc, component; ///< one of them, the others -1
    double at;                ///< 0 ... 1 along an arc
    int motion;               ///< of a node: the smooth motion, from 0; -1: none is named
} sar_map_place;
/// "S1"; "S1/2": its second motion; "A3": the middle of a curve; "A3@0.25"; "M1", "F1"; "start". SAR_E_ARG: there is no
/// such place, `error` says what there is.
SAR_API sar_status sar_map_find(const sar_map* map, const char* name, sar_map_place* out,
                                sar_error* error);
/// Poses (7 numbers for each body but the ground: origin [m], quaternion w x y z) and, where not NULL, velocities (6 each:
/// of the origin, and angular, world axes) as of sar_simulation_set_state. `speed`: of the fastest body [rad/s] or sizes of
/// the model a second, along the curve or the motion of the node; 0 or no motion: at rest.
SAR_API sar_status sar_map_pose(sar_map* map, const sar_map_place* place, double speed,
                                double* poses, double* velocities);
/// Values of all quantities, angles between -pi and pi, and their rates along the curve (may be NULL).
SAR_API sar_status sar_map_values(sar_map* map, const sar_map_place* place, double* values,
                                  double* rates);
/// Transmission angles [rad] at a place, by the list of sar_map_arc; NaN at rest.
SAR_API sar_status sar_map_transmission_angles(sar_map* map, const sar_map_place* place,
                                               double* angles);

#ifdef __cplusplus
}
#endif
#endif
