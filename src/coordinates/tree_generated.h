/* M of a tree without its entries: as a matrix that the tree generates (linalg/tree/generated.h). */
#ifndef SARI_TREE_GENERATED_H
#define SARI_TREE_GENERATED_H

#include "coordinates/tree.h"
#include "linalg/tree/generated.h"

/// NULL: out of memory.
sari_generated* sari_tree_generated(const sari_tree* t);
/// Its numbers at the present places. Slopes are those of weight: K = slopes of M's tree.
void sari_tree_generate(sari_tree* t, sari_generated* g);

/// Operations for the entries of M and a factor. Along a tree nothing fills. `closed`: with rows that
/// join two branches to one of twice their length at most, whose factor costs four times as much.
double sari_tree_formed_work(const sari_tree* t, int closed);

#endif
