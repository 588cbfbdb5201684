/* Instances of one model side by side: number k of instance l is lane l of the wide number k, and one
 * vector instruction works on several instances.
 *
 * What the lanes do is a step of al3 with the trapezoidal rule where nothing but the weight acts and
 * all rows are quadratic polynomials of q (natural coordinates), with what is measured after it:
 * equations (1)-(6) of formulations/al3.c, in the order of operations of the library's own step, so
 * that every lane has its bits. A lane whose step takes another course (more corrections than the
 * penalty is given, a pivot without digits, a violation) is left as it was, and that step is the
 * library's. */
#ifndef SARI_LANES_H
#define SARI_LANES_H

#include "base/arena.h"
#include "batch/code.h"
#include "simulation/simulation.h"
#include "solvers/sparse_symbolic.h"

enum { SARI_LANES = 8 };

/// One number of every instance: a cache line.
typedef struct sari_wide {
    _Alignas(64) double x[SARI_LANES];
} sari_wide;

/* Places in arrays of wide numbers are counted in bytes: then a place is an address without further
 * arithmetic, which is a third of all instructions else. */
typedef int sari_lane_place;

/// A variable of a row, as in sari_quadratic_entry.
typedef struct sari_lane_entry {
    sari_lane_place i, x[2];
    int more, end;
    int has; ///< SARI_LANES_B, SARI_LANES_SECOND: b, or c[1], is not zero in some lane
} sari_lane_entry;

enum { SARI_LANES_B = 1, SARI_LANES_SECOND = 2 };

/// A product of two numbers: of S, c J_a J_b; of its factor, see sari_lane_column.
typedef struct sari_lane_product {
    sari_lane_place a, b;
} sari_lane_product;

/// An entry of S: P's entry `mass` (-1: none), and products from `product` on, up to those of the next
/// entry. Tiles: less products from `less` on, it becomes one of L.
typedef struct sari_lane_value {
    sari_lane_place place, mass;
    sari_lane_place u; ///< tiles: where it is before it is divided by the pivot
    int row;           ///< tiles
    int product, less;
} sari_lane_value;

/// w_ck = L_ck d_k
typedef struct sari_lane_scaled {
    sari_lane_place w, L, pivot;
} sari_lane_scaled;

/// Tiles: a column of L. Its entries are values from `value` on, that of the diagonal first; `scaled`
/// from there on are needed before. u_rc is to be L_rc before it is divided by the pivot; products of
/// its entries are L_rk w_ck where k is before the block of c, else u_rk L_ck.
typedef struct sari_lane_column {
    int value, scaled;
} sari_lane_column;

/// Row i below a block of four columns, in which it has entries; L: zero where it has none.
typedef struct sari_lane_tile_row {
    sari_lane_place i, L[4];
} sari_lane_tile_row;

/// Columns from j on. The rows below are listed by their remainder by four: part p ends at row[end[p]].
typedef struct sari_lane_tile {
    sari_lane_place j, L[4][4]; ///< L[e][c]: L_ce
    int width, row, end[4];
} sari_lane_tile;

typedef enum sari_lane_solver {
    SARI_LANES_SMALL,  ///< solvers/dense_small.c
    SARI_LANES_TILES,  ///< solvers/dense_tiles.c
    SARI_LANES_SPARSE, ///< solvers/sparse.c
} sari_lane_solver;

/* The lists of the factor again, with addresses in the place of places: nothing is done as often. */
typedef struct sari_lane_pair {
    const sari_wide *a, *b;
} sari_lane_pair;

/// An entry: so many pairs are added, so many then subtracted, of those that follow each other.
typedef struct sari_lane_bound {
    const sari_wide* mass;
    sari_wide *to, *u;
    int adds, less;
} sari_lane_bound;

typedef struct sari_lane_bound_scaled {
    sari_wide* w;
    const sari_wide *L, *pivot;
} sari_lane_bound_scaled;

typedef struct sari_lane_bound_row {
    sari_lane_place i;
    const sari_wide* L[4];
} sari_lane_bound_row;

/// P + c J'J: where its numbers are, and its numbers.
typedef struct sari_lane_matrix {
    int n, m;
    int* first;                      ///< of the rows of J, as it is factored
    sari_lane_place *used_i, *taken; ///< taken: entries of Phi_q; NULL: all
    sari_lane_solver solver;
    int values; ///< numbers of S; tiles: of L, then u and w of a block, then a zero
    sari_lane_value* value;
    int value_count;
    sari_lane_product *product, *less;
    const sari_symbolic* symbolic; ///< sparse
    int tiles;
    sari_lane_tile* tile;
    sari_lane_tile_row* tile_row;
    sari_lane_column* column;
    sari_lane_scaled* w_list;
    sari_lane_pair* pair;
    sari_lane_bound* bound;
    sari_lane_bound_scaled* bound_w;
    sari_lane_bound_row* bound_row;
    sari_wide* mass; ///< P
    sari_wide *used, *scaled, *S, *inverse, *pivot, *w, *y;
    sari_wide *diagonal, *u; ///< programs: before it is reduced; small: as in tiles
} sari_lane_matrix;

/// What all instances have in common: where their numbers are, and how they iterate.
typedef struct sari_lane_pattern {
    int n, m;     ///< coordinates, rows of Phi
    int angles;   ///< whose turns are counted, by two polynomials each: rows after those of Phi
    int rows;     ///< m + 2 angles
    int* first;   ///< [rows + 1] their entries; those of Phi are the entries of Phi_q
    int* is_long; ///< [rows]
    sari_lane_entry* entry;
    int terms;
    sari_lane_place* term; ///< variables of further second derivatives
    /* M without entries that are zero; mass_from: which of the library's they are */
    int *mass_first, *mass_from;
    sari_lane_place* mass_i;
    int published, projections;
    /* axes of the bodies whose spin the monitor asks for: components X_0 + T q, with their rates T v */
    int dimension, bodies;
    int* axis_first; ///< entries of T, component after component, body after body
    sari_lane_place* axis_i;
} sari_lane_pattern;

/// What is known of a number that a step does not change.
typedef struct sari_lane_constant {
    enum { SARI_LANES_UNKNOWN, SARI_LANES_SAME, SARI_LANES_DIFFERENT } state; ///< in the lanes
    double value;                                                             ///< if it is the same
} sari_lane_constant;

enum { SARI_LANES_POOL = 32 };

/// Numbers that programs leave for others.
enum {
    SARI_SEEN_VIOLATION, ///< three
    SARI_SEEN_KINETIC = 3,
    SARI_SEEN_SIZE,    ///< square of the norm of dq,
    SARI_SEEN_LARGEST, ///< and its largest entry
    SARI_SEEN_GOOD,    ///< a mask: pivots are numbers
    SARI_SEEN_SPIN,
    SARI_SEEN_SIZES, ///< of velocities, now and then
    SARI_SEEN_TURN,
    SARI_SEEN
};

/// Parts of a step without loops, see programs.c; NULL: it is done by a loop.
typedef struct sari_lane_programs {
    int tried; ///< it is known whether there are any
    sari_program *rows, *used_rows, *factor, *residuals, *solve, *multipliers, *velocities, *bias,
        *accelerations, *measure;
    sari_program *look, *watch; ///< for the monitor: factor of its matrix; see sari_lane_watch
} sari_lane_programs;

/// All numbers of SARI_LANES instances.
typedef struct sari_lanes {
    sari_lane_pattern at;
    sari_lane_matrix matrix; ///< of a step; P = M
    sari_lane_matrix normal; ///< of the monitor; P is a multiple of D
    int weighs;              ///< some instance has weighed rows
    /* the instances */
    sari_wide* force;                                 ///< Q
    sari_wide *row_c, *entry_b, *entry_c[2], *term_c; ///< polynomials of the rows
    sari_wide* offset;                                ///< of Phi
    sari_wide* root;                                  ///< weights of rows
    sari_wide own, alpha;                             ///< penalties: of its choice, or given
    sari_wide beta, gamma, tolerance, patience;
    sari_wide start, step; ///< of the time grid
    sari_wide weight_0;    ///< potential energy: weight_0 - force . q
    sari_wide limit;       ///< of the violation of positions
    sari_wide energy_initial, work;
    sari_wide *turn_a, *turn_b; ///< angles as last counted
    /* the motion */
    sari_wide t, index; ///< steps done, of the grid
    sari_wide *q, *v, *a, *lambda;
    sari_wide t0, *q0, *v0, *a0, *lambda0; ///< before the last step
    sari_wide* J;                          ///< Phi_q
    /* what was measured: at the end of the last step, and extremes */
    sari_wide kinetic, potential, violation[3], balance_before, drift;
    sari_wide iterations, correction, max_drift, worst_drift, kinetic_max, energy_scale, lowest,
        highest, max_violation[3], shortest;
    /* work space */
    sari_wide *d, *dq, *f, *g, *mu, *residual, *Phi, *bias;
    /* what the monitor sees, see sari_sight */
    sari_wide *axis_0, *axis_t; ///< X_0, T
    sari_wide *D, *last, measure_shift, away_shift, measure, away, spin, turned;
    /* for programs */
    sari_wide *zero, *half, *one, *two,
        *without_sign;                       ///< constants; the last without the sign's bit
    sari_wide *least_part, *least, *largest; ///< of pivots: 4 epsilon, 1e-300, the largest number
    sari_wide *now_b, *now_c;                ///< of the present step
    sari_wide *tile, *seen;                  ///< [4] of a solve; [SARI_SEEN]
    sari_code code;
    long steps; ///< that were done without
    sari_lane_programs programs;
    sari_wide* numbers; ///< all arrays of wide numbers, one after the other
    int number_count;
    sari_lane_constant* constant; ///< of each of them
    sari_wide* pool;              ///< values that several numbers have in all lanes
    int pooled;
    signed char* where; ///< for sari_writer
    sari_arena memory;
} sari_lanes;

/// Where something else has to be done now.
typedef struct sari_lane_report {
    long steps;      ///< that all lanes did, but those in `failed` one less
    unsigned failed; ///< lanes as they were before the last of these steps: it is not theirs to do
    unsigned turned; ///< lanes whose angles have to be counted
} sari_lane_report;

/// Steps of the `active` lanes, up to `steps` of them; the numbers of others are overwritten.
typedef sari_lane_report sari_lane_kernel(sari_lanes* lanes, unsigned active, long steps);
/// The determinant of J'J + shift D, of which the monitor's measure is the logarithm, and how many of
/// its pivots are positive, in the lanes `which`, and perhaps in others. NaN where it takes more than a
/// product to tell.
typedef void sari_lane_glance(sari_lanes* lanes, unsigned which, const sari_wide* shift,
                              sari_wide* determinant, sari_wide* positive);
/// `spin` and `turned`, in the lanes `which`, and perhaps in others.
typedef void sari_lane_watch(sari_lanes* lanes, unsigned which);

/// Compiled for one kind of processor each.
typedef struct sari_lane_kernels {
    const char* name;
    long programs; ///< written after so many steps, which is when they have paid; -1: never
    sari_lane_kernel* run;
    sari_lane_glance* glance;
    sari_lane_watch* watch;
} sari_lane_kernels;

/// From the plainest on; those that this processor cannot run are left out.
int sari_lane_kernels_count(void);
const sari_lane_kernels* sari_lane_kernels_at(int k);

/* pattern.c */
sar_status sari_lane_pattern_make(sari_lanes* lanes, const sar_simulation* s, sari_arena* memory);
/// Has a simulation this pattern?
int sari_lane_pattern_fits(const sari_lanes* lanes, const sar_simulation* s);
/// Row r, one of Phi or of an angle, as the library has it.
typedef struct sari_lane_source {
    const sari_quadratics* from;
    int row;
} sari_lane_source;
sari_lane_source sari_lane_row(const sar_simulation* s, int r);
/// Component `row` of the axes, as one of all placements.
int sari_lane_axis(const sar_simulation* s, int row);
/// Are turns of it counted?
static inline int sari_lane_counts(const sari_scalar* s)
{
    return s->kind == SARI_SCALAR_ANGLE;
}

/* programs.c */
/// As far as this system lets them; to be done again where loading a lane undid it (tried == 0).
void sari_lanes_write_programs(sari_lanes* lanes);

/* load.c */
/// Why a simulation, which has started, is not for lanes; NULL: it is.
const char* sari_lanes_refuse(const sar_simulation* s);
/// Room for simulations like this one.
sar_status sari_lanes_create(const sar_simulation* like, sari_lanes** out);
void sari_lanes_destroy(sari_lanes* lanes);
/// A simulation into a lane; and its state alone, when it has moved meanwhile.
void sari_lanes_load(sari_lanes* lanes, int lane, const sar_simulation* s);
void sari_lanes_reload(sari_lanes* lanes, int lane, const sar_simulation* s);
/// Its state as it is now, for those who look on.
void sari_lanes_show(const sari_lanes* lanes, int lane, sar_simulation* s);
/// What the monitor will ask for next.
void sari_lanes_expect(sari_lanes* lanes, int lane, const sar_simulation* s);
/// All of it back, after so many steps in the lanes.
void sari_lanes_unload(const sari_lanes* lanes, int lane, sar_simulation* s, long steps);
/// Its angles are counted.
void sari_lanes_count_turns(sari_lanes* lanes, int lane, sar_simulation* s);

#endif
