/* The pattern of L for a sparse L D L', found once. Nothing numeric here. */
#ifndef SARI_SPARSE_SYMBOLIC_H
#define SARI_SPARSE_SYMBOLIC_H

#include "base/arena.h"
#include "linalg/sparse/sparse_matrix.h"
#include "sarrus/base.h"

/// Columns of L with the same rows below them are eliminated together; at most this many.
#define SARI_PANEL_WIDTH 4

/// Columns first .. first+width-1 of L: full among themselves, and all with the `rows` row indices
/// below.
typedef struct sari_panel {
    int first, width;
    int rows;
    int row;   ///< start of its row indices in sari_symbolic.row
    int value; ///< where its first column starts in the values; the others follow, each one entry
               ///< shorter
    size_t target; ///< start of its targets in sari_symbolic.target
} sari_panel;

/// Values of L are stored as: the n pivots; then the strict lower triangle, column by column.
/// Column c of a panel holds its width-1-c entries inside the panel, then the `rows` ones below.
typedef struct sari_symbolic {
    int n;
    int* order; ///< [n] order[k] is the row of A eliminated k-th
    int values; ///< length of the values, n included
    int panels;
    sari_panel* panel;
    int* row;    ///< row indices, by panel
    int* target; ///< by panel, for rows a, then b >= a: where the product of rows a and b goes in
                 ///< the values
    int* place;  ///< [entries of A] where each goes in the values
    int widest;  ///< most rows below any panel
} sari_symbolic;

/// Order (approximate minimum degree), find the pattern of L, its panels and all positions.
sar_status sari_symbolic_init(sari_symbolic* s, sari_arena* memory, const sari_sym* A);

#endif
