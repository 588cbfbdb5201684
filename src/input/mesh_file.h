/* Triangles from a file: STL, as text or binary, and OBJ. */
#ifndef SARI_MESH_FILE_H
#define SARI_MESH_FILE_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>

enum { SARI_MESH_TRIANGLES = 200000 }; ///< at most: pictures would not gain from more

typedef struct sari_mesh {
    double (*point)[3];
    int (*triangle)[3]; ///< numbers of points
    int points, points_capacity, triangles, triangles_capacity;
    sari_hash by_place; ///< STL: points at the same place are one
    char why[200];      ///< it cannot be used
} sari_mesh;

/// `obj`: the text is OBJ, else STL. False with the reason in `why`, or without one when there is no
/// memory. Clear it in any case.
bool sari_mesh_read(sari_mesh* mesh, const char* text, size_t length, bool obj);
void sari_mesh_clear(sari_mesh* mesh);

#endif
