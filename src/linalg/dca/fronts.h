/* The matrix as a tree of fronts: which variables are eliminated together, and where the Schur
 * complement of each goes. */
#ifndef SARI_DCA_FRONTS_H
#define SARI_DCA_FRONTS_H

#include "linalg/dca/tree.h"

/// Front f holds the variables index[first[f] .. first[f + 1]). The first pivots[f] of them are
/// eliminated in it; the others, its handles, are kept for its parent. Children come before their
/// parents.
typedef struct sari_dca_fronts {
    int n;            ///< variables
    int count;        ///< fronts
    int* first;       ///< [count + 1]
    int* pivots;      ///< [count]
    int* parent;      ///< [count] -1: none
    int* index;       ///< variables; grows: not in the arena
    int* map;         ///< like index: position of a handle in the parent's front
    int* child;       ///< children of f are child[child_first[f] .. child_first[f + 1])
    int* child_first; ///< [count + 1]
    int* home;        ///< [n] front in which a variable is eliminated
    int* row;         ///< entries to the left of the diagonal: row r has columns
    int* row_first;   ///< row[row_first[r] .. row_first[r + 1]), ascending, and is
    int* row_entry;   ///< entry row_entry[...] of the pattern
} sari_dca_fronts;

sar_status sari_dca_fronts_init(sari_dca_fronts* f, sari_arena* memory, const sari_sym* A,
                                const sari_structure* structure);

#endif
