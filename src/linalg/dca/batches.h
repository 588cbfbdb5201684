/* Fronts of like shape, four at a time: one lane of a vector each. All indices that the
 * numeric phase needs are computed here once. */
#ifndef SARI_DCA_BATCHES_H
#define SARI_DCA_BATCHES_H

#include "linalg/dca/fronts.h"

enum { SARI_LANES = 4 };

/// A front is packed: the lower triangle by columns, its pivots first. Its first `pivots` columns
/// are the panel, the rest is the triangle of its handles. Entry (r, c), r >= c, is at:
static inline int sari_dca_at(int rows, int r, int c)
{
    return c * (rows - 1) - c * (c - 1) / 2 + r;
}

/// How the handles of the children come into a front.
typedef enum sari_dca_kind {
    SARI_DCA_LEAF,     ///< no children
    SARI_DCA_SERIAL,   ///< aligned, and as in a chain: pivots j; children with (l, j) and (j, r)
    SARI_DCA_ALIGNED,  ///< lane by lane from one batch per child, to the same positions
    SARI_DCA_GATHERED, ///< from several batches per child, to the same positions
    SARI_DCA_LOOSE,    ///< from anywhere to anywhere
} sari_dca_kind;

/// What batches may share: numbers in `list`. After these
///     diagonal[pivots]   which of the entries are the pivots' diagonals
///     position[entries]  in the packed front; not there if `panel`
///     zero[zeros]        positions that no child writes to
/// and for each child its number of handles, of first writes and of additions, then
///     map[handles], write[writes][2], add[adds][2]: position here, number there.
/// The last two are there if all lanes write to the same positions.
typedef struct sari_dca_plan {
    int pivots, rows;
    int kind;     ///< sari_dca_kind
    int panel;    ///< the storage is the whole panel, in its order
    int entries;  ///< vectors in the storage
    int children; ///< that follow
    int zeros;
} sari_dca_plan;

enum { SARI_PLAN_HEAD = sizeof(sari_dca_plan) / sizeof(int) };

typedef struct sari_dca_batch {
    int plan;               ///< where in `list`
    int lanes;              ///< in use, 1 to 4
    int front[SARI_LANES];  ///< of each lane
    int child;              ///< where in `child` its children begin: their batches if aligned,
                            ///< batch * 4 + lane for each lane if gathered
    int parent;             ///< batch that is aligned with this child; -1: none
    int map;                ///< parent >= 0: where in `list` the handles' positions there are
    int variable;           ///< where in `variable`: rows * 4 numbers, by lanes
    size_t value;           ///< its entries in the storage: these are in vectors
    size_t factor;          ///< its panel in L, 1 / pivot in place of the diagonal
    size_t rest;            ///< the triangle that it leaves to its parent
    size_t side;            ///< its part of the right-hand side, [rows]
    double pad[SARI_LANES]; ///< 1 in lanes that are not in use: they factor 1
} sari_dca_batch;

typedef struct sari_dca_batches {
    sari_dca_fronts fronts;
    int count;
    sari_dca_batch* batch; ///< children before parents
    int units;
    int* unit; ///< [units + 1] independent ones are batch[unit[u] .. unit[u + 1]); the last unit,
               ///< which may be empty, comes after all others
    int* list;
    int* variable;
    int* child;
    int* at;                             ///< [fronts] batch * 4 + lane
    int* place;                          ///< [entries of the pattern] number in the storage
    size_t values, factors, rests, side; ///< vectors in all
    size_t widest;                       ///< vectors of the largest front
    double flops;
    int depth, largest; ///< fronts from the root to the lowest leaf; rows of the largest
} sari_dca_batches;

/// Clear it whatever comes of it: what grew is not in the arena.
sar_status sari_dca_batches_init(sari_dca_batches* b, sari_arena* memory, const sari_sym* A,
                                 const sari_structure* structure);
void sari_dca_batches_clear(sari_dca_batches* b);

static inline const sari_dca_plan* sari_dca_plan_of(const sari_dca_batches* b, int batch)
{
    return (const sari_dca_plan*)(b->list + b->batch[batch].plan);
}

#endif
