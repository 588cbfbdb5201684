/* The tangent chart, shared by the files chart*.c; its equations are at the head of chart.c.
 *
 * Matrices are stored by rows: V and T are n x d, W is n x r, D is r x d. */
#ifndef SARI_CHART_H
#define SARI_CHART_H

#include "base/arena.h"
#include "formulations/chart/singular.h"
#include "linalg/least_squares.h"
#include "math/vector.h"

enum {
    SARI_CHART_POINTS = 40,
    SARI_CHART_OTHERS = 3, ///< singular values that may be near zero at once, for one place
};

/// What is known at a place of the chart, from which others are predicted.
typedef struct sari_chart_point {
    double t;
    double *z, *zd;
    double *w, *D;   ///< the constraints solved for w(z, t), and dw/dz; sparse: W w, and no D
    double *w_t, *e; ///< dw/dt at rest, and the second derivative of w along the motion
    double* T;       ///< tangents of the motions that the constraints allow
} sari_chart_point;

/// A place in coordinates q, from which the numbers of a later chart are found.
typedef struct sari_chart_note {
    int valid;
    double *q, *v, *T;
} sari_chart_note;

/// Where a place was predicted from.
typedef struct sari_chart_prediction {
    const sari_chart_point* point; ///< the nearest that is known
    double way;                    ///< |dz| + |dw| from there
    double tau;                    ///< that the motion takes for it
} sari_chart_prediction;

/// How a place was reached, or why it was not.
typedef enum sari_chart_outcome {
    SARI_CHART_OK,
    SARI_CHART_NEAR,   ///< too near a singular configuration to be evaluated there
    SARI_CHART_BRANCH, ///< the iteration came out elsewhere than predicted
    SARI_CHART_LOST,   ///< the iteration did not converge
    SARI_CHART_UNDEFINED,
} sari_chart_outcome;

typedef struct sari_chart_engine sari_chart_engine;
typedef struct sari_chart_sparse sari_chart_sparse;

/// Where a chart is laid.
typedef struct sari_chart_base {
    double *q, t;
    double *V, *W; ///< G-orthonormal; G is M at the base
    double *GV, *GW;
    double* L;        ///< G = L L', n x n
    int metric_known; ///< since the last survey; it never changes where masses do not
    double ell;       ///< length of z that is one radian
    double
        usual; ///< size of B where no constraint is singular, at least; where all are, it has none
    int regularised;              ///< motions without mass were given some in G
    int massive;                  ///< M is G, now and at every place of the chart
    double* tangent;              ///< T at the end of the last step, for the next base
    double *tangent_q, tangent_t; ///< where that was; NaN: nowhere
} sari_chart_base;

/// How far the place that is being evaluated is from a singular configuration.
typedef struct sari_chart_nearness {
    double sigma;             ///< smallest singular value of B, or of [J; S], relative
    double *right, *left;     ///< its vectors: nw and nh numbers
    double sigma_usual;       ///< largest of those at the bases
    double *warm, warm_sigma; ///< right, and sigma, where the last step ended
    double delta, slope;      ///< [rad] to the singular set; change of sigma per radian
    double* along;            ///< of z: across that set
    double along_time;        ///< likewise of t, where there is no z
    double along_turn;        ///< [rad] by a unit of that
    int measured;             ///< delta was
} sari_chart_nearness;

/// Scratch, and results that the motion takes from the place.
typedef struct sari_chart_work {
    double* w_predicted;
    double *z_way, *z_line; ///< to the present place, and along the line that it is predicted on
    double *H, *Cd;         ///< d x d
    double* Dd;             ///< dD/dt; sparse: dT/dt
    double *Y, *Z;          ///< nh x max(r, d), and n x d
    double* refining;       ///< 2 nh x d, and n x d
    double *rhs, *g, *vector, *position, *drop;
    double *A_T, *KA, *S; ///< rows on velocities: mv x d, mv x d, mv x mv
    double* others;       ///< singular values that are near
    double *sums, *lower; ///< of the bridge, and of its rates with fewer places
    double* way;          ///< z and dz/dt of a state that is to meet the constraints
    double* svd;
    double *motion_of_z, *force_of_z, *force_here, *bias_here, *qdot_of_z; ///< of the Jacobian
} sari_chart_work;

/// Places from which others are predicted. The base is the first.
typedef struct sari_chart_cache {
    sari_chart_point point[SARI_CHART_POINTS];
    int points, oldest;
    double* memory; ///< of all points and of `at`, one after the other
    size_t size;    ///< numbers of one; 0: they have memory of their own
} sari_chart_cache;

/// The base that was left for a sample across a singular configuration, and the line there (chart/sides.c).
typedef struct sari_chart_side {
    double *q, t, *V, *v, *a; ///< the base, and the motion there
    double* T;                ///< tangents where it is from
    double *u, *along, along_time, turn;
    double delta, slope;
} sari_chart_side;

/// Frame of the constraints that may lose rank (chart/weak.c).
typedef struct sari_chart_frame {
    double *left, *right; ///< nh x r and r x r; NULL: there is none
    int* column;          ///< sparse: r coordinates, W's place
    double* product;      ///< nh x r: scratch
    double* part;         ///< r x r: scratch, and of the singular values
    double scale;         ///< the largest of them
    int strong;           ///< those that are not below the limit
} sari_chart_frame;

typedef struct sari_chart {
    sari_arena memory;
    sari_equations* sys;
    const sari_chart_engine* engine; ///< dense or sparse
    sari_chart_sparse* sparse;       ///< what the latter needs; NULL: it is not to be used
    int np, n;                       ///< numbers in q and in v
    int nh, mv;                      ///< rows on positions and on velocities
    int r, d;                        ///< generic rank of the first, and n - r
    int nw;                          ///< numbers in w: r, or n where W w takes its place
    double span;                     ///< [s] of the run
    double tolerance;                ///< of the motion
    double accumulation;             ///< that, in local errors
    double stalled;                  ///< [rad] corrections that may fall no more: they are rounding
    double* unit;                    ///< change of each coordinate that is one radian, or one size
    char* felt;                      ///< per coordinate: it limits the length of a step
    int felt_known, shapes;          ///< the latter: what is felt besides constraints, SARI_FELT_
    double* q_first;                 ///< where that was found
    double* row;                     ///< factors of the rows
    double Omega;                    ///< [1/s] pace of the motion: running maximum
    double* scale;                   ///< per state, likewise; 0: it counts as a velocity
    int* turn;                       ///< first of three coordinates that are a turn
    int turns;
    double* A_inv; ///< per turn: 3 x 3
    sari_chart_base base;

    /* the place that is being evaluated */
    sari_chart_point at;
    double *q, *x, *v, *a, *lambda;
    double* q_rows;  ///< where Phi_q is from: q but for a last correction, which is one of rounding
    double *AW, *AV; ///< A^-1 W, A^-1 V: W and V themselves where positions are vectors
    double *u, *ud, *zdd, *C; ///< C: d x d
    sari_least_squares f;     ///< of B = row Phi_q A^-1 W
    long factors;             ///< how often B was factored
    int refinements; ///< rounds that the factors need: they are those of a place beside; 0: here
    double still;    ///< change of B beyond rounding that tangents may do without
    sari_chart_nearness singular;
    int touching;               ///< motions were last seen to touch, not to cross
    int bridged;                ///< the place evaluated last was reached from both sides
    int rough;                  ///< or should have been, and could not
    sari_chart_outcome failure; ///< of the last place
    int no_mass;
    double failed_at;

    sari_chart_cache cache;
    sari_chart_note note[SARI_FIRST_ORDER_NOTES];
    sari_chart_side side;
    sari_chart_frame frame;
    struct {
        sari_rank_sample at[64]; ///< since the base
        int count;
    } watch;
    struct {
        int ambiguous;  ///< at rest where motions meet
        int any_branch; ///< such a start is taken as it is, with all of their tangents
        int singular;   ///< or moving along one of them
        int deficiency; ///< rank deficiency there, against the rank beside it
    } start;
    sari_chart_work work;
} sari_chart;

/// The algebra of the chart. Dense: W and the factors of B are formed, O(n^3) each time. Sparse: see
/// chart/sparse.h.
struct sari_chart_engine {
    const char* name; ///< that of the linear solver
    /* at a place, as the system is evaluated there */
    /// r, d, the tangents in c->base.tangent, and sigma. SAR_R_SINGULAR: not to be known.
    sar_status (*tangents)(sari_chart* c);
    int (*rank)(sari_chart* c);
    void (*way_back)(sari_chart* c, double* g); ///< to the constraints
    void (*lay_points)(sari_chart* c);          ///< room for them, and nw
    /* in the chart */
    sar_status (*set_base)(sari_chart* c, double t, const double* q, const double* T);
    void (*begin_cache)(sari_chart* c, const double* v, const double* a);
    int lazy;       ///< factors cost much more than corrections
    double rounded; ///< [rad] corrections that leave a tangent as it is
    sari_chart_prediction (*predict)(sari_chart* c, double t, const double* z); ///< w for z
    void (*go)(sari_chart* c);                                                  ///< q for z and w
    /// The factors, as the system is evaluated, and sigma; NULL: no correction will follow.
    void (*factor)(sari_chart* c, const sari_chart_point* from);
    double (*correct)(sari_chart* c);   ///< w, by (3); the length of the correction
    int (*set_tangents)(sari_chart* c); ///< and w_t, (4). 0: motions cannot be distinguished
    /// Does w, or where it is going, differ from what was predicted by more than a smooth surface does?
    int (*left_branch)(sari_chart* c, const sari_chart_prediction* from);
    sari_chart_outcome (*motion)(sari_chart* c, double t, const double* u);
    void (*multipliers)(sari_chart* c); ///< and accelerations
    /// v at the geometry last evaluated. NULL: only together with accelerations.
    sari_chart_outcome (*velocity)(sari_chart* c, const double* u);
    /// g = grad sigma by z along the tangents T, for a singular value with these vectors.
    void (*gradient)(sari_chart* c, double t, const double* T, double sigma, const double* right,
                     double* left, double* g);
    /// |d sigma/dt| where there is no z, and how fast bodies turn.
    double (*slope_in_time)(sari_chart* c, double t, const double* w_t, double* turn);
    /// The next singular value above those whose `count` right vectors are known, with its vectors.
    double (*next_value)(sari_chart* c, int count, const double* known, double* right,
                         double* left);
    /// Vectors of two singular values below `zero` become one pair that has the slope of both. 0: there is
    /// one alone. NULL: never.
    int (*mix)(sari_chart* c, double zero);
    /// sigma and the product of all singular values at the place last factored, but for a constant.
    sari_rank_sample (*measure)(const sari_chart* c, double t);
    /// Singular values below a limit at the place last factored; what was factored may be lost.
    int (*count_below)(sari_chart* c, double limit);
    void (*metric_times)(const sari_chart* c, const double* x, double* y); ///< y = G x
    /// q at the present z, from w; `whole`: T too, from D (dense) or as it is.
    void (*complete)(sari_chart* c, int whole);
};
extern const sari_chart_engine sari_chart_engine_dense, sari_chart_engine_sparse;

/// A base at (t, q) with the tangents T (n x d).
static inline sar_status sari_chart_set_base(sari_chart* c, double t, const double* q,
                                             const double* T)
{
    return c->engine->set_base(c, t, q, T);
}
/// The base is known to be at v and a: the first point of the cache.
static inline void sari_chart_begin_cache(sari_chart* c, const double* v, const double* a)
{
    c->engine->begin_cache(c, v, a);
}
/* chart/place.c */
/// What a place is found for: all that there is of it, q and w alone, or sigma.
typedef enum sari_chart_aim {
    SARI_CHART_GEOMETRY,
    SARI_CHART_PLACE,
    SARI_CHART_SIGMA
} sari_chart_aim;
/// `carefully`: not nearer to a singular configuration than it can be evaluated well. A sample gives sigma however
/// near it is; of the prediction where it fails.
sari_chart_outcome sari_chart_find(sari_chart* c, double t, const double* z, int carefully,
                                   sari_chart_aim purpose);
static inline sari_chart_outcome sari_chart_geometry(sari_chart* c, double t, const double* z,
                                                     int carefully)
{
    return sari_chart_find(c, t, z, carefully, SARI_CHART_GEOMETRY);
}
/// The place that w_predicted is for, where no singular configuration is near; q alone, or `whole` what
/// geometry gives.
sari_chart_outcome sari_chart_meet(sari_chart* c, double t, const double* z, int whole);
/// The factors become those of the place itself.
void sari_chart_refresh(sari_chart* c);
/// At the geometry last evaluated: zd, ud, v for quasi-velocities u.
static inline sari_chart_outcome sari_chart_motion(sari_chart* c, double t, const double* u)
{
    return c->engine->motion(c, t, u);
}
/// a and lambda there
static inline void sari_chart_multipliers(sari_chart* c)
{
    c->engine->multipliers(c);
}

/// q for the motion at a place: bodies need not be placed again for what rounding makes of it.
static inline const double* sari_chart_evaluated(const sari_chart* c)
{
    return c->turns ? c->q : c->q_rows;
}

/* chart.c */
void sari_chart_give(const sari_chart* c, sari_state* s); ///< the place evaluated last
void sari_chart_quasi_velocities(const sari_chart* c, const double* v, double* u); ///< at the base
/// Memory of the dense algebra, once.
sar_status sari_chart_take_dense(sari_chart* c);

/* chart/survey.c */
/// Units of coordinates and rows, rank, tangents at a state; SAR_R_SINGULAR: see `start.ambiguous`.
sar_status sari_chart_survey(sari_chart* c, const sari_state* s);
/// What counts as zero: rows that are not held do not count.
double sari_chart_zero(const sari_chart* c, double usual);
/// Columns of X (n x d) become orthonormal.
void sari_chart_orthonormalise(const sari_chart* c, int d, double* X);
/// Which coordinates limit the length of a step (chart/step_limits.c).
void sari_chart_survey_felt(sari_chart* c, const sari_state* s);
double sari_chart_felt_pace(sari_chart* c, const sari_state* s); ///< [rad/s] of these

/* chart/base.c */
/// T = T (V'G T)^-1. 0: the chart does not distinguish the motions.
int sari_chart_normalise(sari_chart* c, double* T);

/* chart/predict.c */
/// w for z, into at.w and w_predicted.
sari_chart_prediction sari_chart_predict(sari_chart* c, double t, const double* z);

/* chart/distance.c */
/// Is the present place too near a singular configuration, in parts of the usual distance?
int sari_chart_is_near(sari_chart* c, double t, const sari_chart_point* from, double part);

/* chart/geometry.c */
void sari_chart_dense_gradient(sari_chart* c, double t, const double* T, double sigma,
                               const double* right, double* left, double* g);
double sari_chart_dense_slope_in_time(sari_chart* c, double t, const double* w_t, double* turn);
double sari_chart_dense_next_value(sari_chart* c, int count, const double* known, double* right,
                                   double* left);
int sari_chart_dense_mix(sari_chart* c, double zero);
void sari_chart_dense_go(sari_chart* c);
void sari_chart_dense_factor(sari_chart* c, const sari_chart_point* from);
double sari_chart_dense_correct(sari_chart* c);
int sari_chart_dense_tangents(sari_chart* c);
int sari_chart_left_branch(sari_chart* c, const sari_chart_prediction* from);
/// Y = row (Phi_q X), nh x k, without slack.
void sari_chart_times(const sari_chart* c, const sari_csr* J, int k, const double* X, double* Y);
/// q at x, from a q nearby.
void sari_chart_place(sari_chart* c, const double* x);
/// A^-1 for the present q.
void sari_chart_turn_map(sari_chart* c);
void sari_chart_apply_inverse(const sari_chart* c, int k, double* X); ///< X = A^-1 X, n x k

/* chart/motion.c */
/// v at the geometry last evaluated.
sari_chart_outcome sari_chart_dense_velocity(sari_chart* c, const double* u);
sari_chart_outcome sari_chart_dense_motion(sari_chart* c, double t, const double* u);
/// u for dz/dt at the geometry last evaluated.
void sari_chart_quasi_velocities_here(sari_chart* c, const double* zd, double* u);
void sari_chart_dense_multipliers(sari_chart* c);
/// (10), for dH/dt in N, which is lost: dC/dt = C low(C^-1 N C'^-1), low: the lower triangle with half its
/// diagonal, and du/dt = C' zdd + dC/dt' zd.
void sari_chart_quasi_accelerations(sari_chart* c, double* N);
/// Dd, where Phi_q_rate is that along qdot; Phi_q and its factors as for the motion.
void sari_chart_tangent_rates(sari_chart* c, const double* qdot);
/// out = A^-1 (dA/dt) v for the motion qdot
void sari_chart_turn_rate(sari_chart* c, const double* qdot, const double* v, double* out);
/// x -= K^-1 A_T' S^-1 (A_T x + rest): to the rows on velocities, the nearest in kinetic energy.
void sari_chart_meet_velocity_rows(sari_chart* c, const double* rest, double* x);

/* chart/bridge.c */
/// Geometry and motion, across singular configurations if need be. `whole`: v, a, T and lambda too.
sari_chart_outcome sari_chart_evaluate(sari_chart* c, double t, const double* z, const double* u,
                                       int whole);
/// At the place itself.
sari_chart_outcome sari_chart_evaluate_here(sari_chart* c, double t, const double* z,
                                            const double* u, int whole, int carefully);
void sari_chart_keep(sari_chart* c); ///< the present place as a point of the cache

/* chart/sides.c: configurations on both sides of a singular one, see chart/singular.h */
void sari_chart_remember_base(sari_chart* c, const sari_state* s); ///< the base is at s

/* chart/weak.c: where the constraints lose rank */
void sari_chart_take_frame(sari_chart* c, sari_arena* memory, int r); ///< room for it

/* chart/jacobian.c */
sar_status sari_chart_jacobian(void* self, double t, const double* y, double* J);

/* chart/archive.c */
void sari_chart_archive(void* self, sari_archive* a);

/* chart/notes.c: places of the last step in the numbers of the next */
void sari_chart_take_notes(sari_chart* c, sari_arena* memory, int d); ///< room for them
void sari_chart_take_note(void* self, int k);
int sari_chart_recall(void* self, int k, double* y);

#endif
