/* Distance of two convex shapes, each a core of points or a cylinder with a radius around it. See convex.c. */
#ifndef SARI_CONVEX_H
#define SARI_CONVEX_H

/// In its own frame, which is R (row-major, to the world) at p.
typedef struct sari_convex {
    const double (*point)[3];
    int points;   ///< their hull; of a cylinder the middles of its two ends
    int cylinder; ///< 1: with flat ends, `radius` about its axis; 0: `radius` about the hull
    double radius;
    double thick[3]; ///< added to and taken from every point: a plate
    int planar;      ///< z counts for nothing
    const double* R;
    const double* p;
} sari_convex;

typedef struct sari_gap {
    double distance;   ///< negative: how far one has to be moved to be free of the other
    double a[3], b[3]; ///< points of the two, world; of overlapping ones the deepest
} sari_gap;

/// Allocates nothing. The distance is exact to rounding for hulls, and to 1e-12 of the sizes where cylinders are round.
void sari_convex_gap(const sari_convex* a, const sari_convex* b, sari_gap* out);

#endif
