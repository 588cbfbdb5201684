/* The tree of relative coordinates: which joints it is made of, and their motions as nodes. */
#ifndef SARI_SPANNING_TREE_H
#define SARI_SPANNING_TREE_H

#include "coordinates/tree.h"
#include "system/coordinates.h"

/// Choose the tree of c->mechanism and lay it out: c->tree, and in c->met the conditions that it
/// meets by itself.
sar_status sari_spanning_tree(sari_coordinates* c);

#endif
