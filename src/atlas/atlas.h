/* The map of a mechanism: curves (arcs) of configurations, the singular configurations (nodes) at which they meet, and
 * what has more dimensions. Shared by the files of this folder; equations are numbered in locus.h and at their heads. */
#ifndef SARI_ATLAS_H
#define SARI_ATLAS_H

#include "atlas/locus.h"
#include "sarrus/atlas.h"

/// A half-branch: the point of a curve on the sphere around a node.
typedef struct sari_half {
    double *q, *t; ///< t: outwards
    double* mid;   ///< the point at half the radius
    int nullity;   ///< 1; more: of a curve that is shaky all along
    int arc, end;  ///< the arc that begins (0) or ends (1) here; -1: none yet
    int seen;      ///< directions that led to it
    int partner;   ///< the half-branch of the same node into which a smooth motion leads; -1: none
} sari_half;

typedef struct sari_node {
    double* q;
    int nullity;
    double radius;
    int degenerate; ///< known to about 1e-3 only
    int resolved;   ///< 0: half-branches could not be counted
    sari_half* half;
    int halves, capacity;
    int dimension; ///< of the largest component of more than one dimension that meets here; 0: none
    int component;
    int seen; ///< starts
} sari_node;

typedef struct sari_arc {
    double *q, *t; ///< points and unit tangents, n numbers each
    int points, capacity, capacity_t;
    int nullity;
    int node[2], half[2]; ///< at its beginning and end; -1: none
    sar_map_end ends[2];
    int closed, removed;
    double length;
    int component, seen;
} sari_arc;

/// What has more dimensions than a curve, or fewer.
typedef struct sari_sheet {
    int dimension;
    double* q;
    int seen, component;
    const char* name;
    double* points; ///< dimension 0: of joints, in space
    int placement;  ///< likewise: modes with the same points are one
} sari_sheet;

/// Newton's method of deflation.c: its point, J V there, and what (5) needs.
typedef struct sari_deflation {
    double *q, *step;
    double *U, *V; ///< singular vectors of J at first, by rows
    double *JV, *T, *v, *w;
    int* pivot;
} sari_deflation;
int sari_deflation_take(sari_deflation* d, sari_arena* memory, int n, int m);

struct sar_map {
    sari_arena memory;
    sari_locus locus;
    sar_map_options options;
    sari_node* node;
    sari_arc* arc;
    sari_sheet* sheet;
    int nodes, nodes_capacity, arcs, arcs_capacity, sheets, sheets_capacity;
    int components, placements;
    long starts, closed; ///< tried; loops closed
    int limited;         ///< some limit was reached
    double unseen;
    int balance; ///< of assembly modes, see sar_map_summary
    int twofold; ///< unknowns are (q, v), and (q, -v) is the same point; the drawn start is none of them
    double* start; ///< q of the drawing
    sari_deflation deflation;
    double *along, *probe, *probe_t; ///< n numbers each, for node.c
    /* what is shown */
    struct sari_values* values;
    struct sari_limits* limits; ///< NULL: there are none
    sar_map_node* shown_node;
    sar_map_arc* shown_arc;
    sar_map_component* shown_component;
    sar_map_summary summary;
    sar_map_region* region;
    int regions, regions_capacity;
    char text[512];
};

/// A point q* near q0 with nullity k that is isolated among such points, by deflation (5); several k are tried.
typedef struct sari_located {
    double* q; ///< room given by the caller
    int nullity, degenerate;
} sari_located;
int sari_locate(sar_map* map, const double* q0, int least, int first, int most, double reach,
                sari_located* out);
/// Correct q to the curve along which nullity is k, on the guide; t: its tangent, in the sense of t as given. `known`: t is
/// near to it, and that it is a curve is known. 0: none.
int sari_fat_correct(sar_map* map, int k, const sari_guide* guide, double leash, double* q,
                     double* t, int known);

/// Does a curve of nullity k through q go on along t?
int sari_fat_goes_on(sar_map* map, int k, const double* q, const double* t);

/// A new node at q, not farther than `farthest` from it its sphere. Returns its number; -1: out of memory.
int sari_node_open(sar_map* map, const sari_located* at, double farthest);
/// The node in whose ball q is, or -1.
int sari_node_around(const sar_map* map, const double* q, double part);
/// Which half-branch of the node does a curve through q, inside its ball, belong to? -1: none.
int sari_node_match(sar_map* map, int node, const double* q, const double* t, int nullity);

/// What is at q: a regular point of `dimension`, with a tangent where that is 1; or none (0: not regular).
typedef struct sari_local {
    int nullity, regular, dimension;
} sari_local;
sari_local sari_local_at(sar_map* map, const double* q, double step);

/// Follow a curve from q along t until it closes or ends. `from`: the node whose half-branch this is, or -1.
sar_status sari_walk(sar_map* map, const double* q, const double* t, int nullity, int node,
                     int half, int* arc);
int sari_arc_append(sar_map* map, sari_arc* arc, const double* q, const double* t);
void sari_arc_release(sari_arc* arc);
double sari_arc_segment(const sar_map* map, const sari_arc* arc,
                        int i);                           ///< length from point i to i + 1
void sari_arc_reverse(const sar_map* map, sari_arc* arc); ///< the other way round
/// Is q on the arc? With its nearest point.
int sari_arc_has(sar_map* map, const sari_arc* arc, const double* q, int* nearest);

sar_status sari_explore(sar_map* map);
sar_status
sari_fold(sar_map* map); ///< one of each pair (q, v) and (q, -v), and no curves of v alone
sar_status sari_map_room(sar_map* map); ///< when the number of unknowns is known
sar_status sari_map_show(sar_map* map); ///< fill what users see
sar_status sari_regions_find(sar_map* map, const int y[2]); ///< of two quantities (regions.c)

#endif
