#include "simulation/singular/continuity.h"

#include "math/vector.h"

#include <math.h>

static const double SAME = 0.93; ///< cosine of an angle between velocities on one branch

static double norm(const sari_normal* n, const double* v)
{
    return sqrt(sari_normal_square(n, v));
}

int sari_velocities_agree(const sari_normal* n, const sari_moving* before, const sari_state* now,
                          double spin)
{
    const double half = 0.5 * (now->t - before->t), FAR = 1.0; // [rad]
    const double SLOW = 0.3, SURELY = 1.01;                    // well above rounding
    if (2.0 * half * spin > FAR) return 1;
    double uu = 0.0, vv = 0.0, uv = 0.0;
    for (int i = 0; i < n->J.cols; i++) {
        double u = before->v[i] + half * before->a[i], v = now->v[i] - half * now->a[i];
        uu += n->D[i] * u * u, vv += n->D[i] * v * v, uv += n->D[i] * u * v;
    }
    const double square = sari_normal_square(n, now->v);
    const double rest = SURELY * SLOW * SLOW * sari_min(before->square, square);
    if (uv > 0.0 && uv * uv > SURELY * SAME * SAME * (uu * vv) && uu > rest && vv > rest) return 1;
    const double slow = SLOW * fmin(sqrt(before->square), sqrt(square));
    return !((uu > slow * slow && vv > slow * slow ? uv / sqrt(uu * vv) : 0.0) < SAME);
}

/* (D + c Phi_q'Phi_q) x = D u makes x the part of u in the null space: the angle between them. */
int sari_velocity_goes_on(sari_normal* n, const sari_moving* before, double t, double fastest,
                          double* carried, double* rhs)
{
    double dt = t - before->t;
    // Where the motion turns round, the velocity carried on says nothing; but then it has hardly
    // moved since.
    if (dt * norm(n, before->a) > 0.5 * norm(n, before->v)) dt = 0.0;
    for (int i = 0; i < n->J.cols; i++) carried[i] = before->v[i] + dt * before->a[i];
    const double size = norm(n, carried);
    if (size <= 1e-3 * sqrt(fastest)) return 1; // at rest there is no direction to compare
    for (int i = 0; i < n->J.cols; i++) {
        n->lin.P.x[n->lin.P.p[i]] = n->D[i];
        rhs[i] = n->D[i] * carried[i];
    }
    n->lin.c = 1e9 / n->scale;
    if (sari_constrained_factor(&n->lin) < 0) return 1;
    n->lin.solver.ops->solve(n->lin.solver.self, rhs);
    return !(norm(n, rhs) / size < SAME);
}
