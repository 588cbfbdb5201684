#include "formulations/al3/transported_tangent.h"

#include "base/memory.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double TURNED = 0.1; ///< least determinant of B; that of a turn is one

static int length_of(const sari_csr* J, int r)
{
    return J->p[r + 1] - J->p[r];
}

static int are_alike(const sari_csr* J, int r)
{
    const int n = length_of(J, r), k = J->p[r], next = J->p[r + 1];
    return n > 1 && n == length_of(J, r + 1) &&
           memcmp(J->i + k, J->i + next, (size_t)n * sizeof *J->i) == 0 &&
           (!J->zero || memcmp(J->zero + k, J->zero + next, (size_t)n * sizeof *J->zero) == 0);
}

/* Rows that come in twos, in the order in which they stand; of three the first two. */
static int find_pairs(const sari_csr* J, sari_row_pair* out)
{
    int count = 0;
    for (int r = 0; r + 1 < J->rows; r++) {
        if (!are_alike(J, r)) continue;
        if (out) out[count].row = r;
        count++, r++;
    }
    return count;
}

void sari_transport_create(sari_transport* c, sari_arena* memory, const sari_equations* sys)
{
    int longest = 0;
    c->sys = sys;
    if (sys->vectors) return; // nothing turns
    for (int r = 0; r < sys->nc; r++)
        if (length_of(&sys->Phi_q, r) > longest) longest = length_of(&sys->Phi_q, r);
    c->q = SARI_TAKE(memory, double, sys->np);
    c->J = SARI_TAKE(memory, double, sys->Phi_q.p[sys->nc]);
    c->ahead = SARI_TAKE(memory, double, sys->nq);
    c->back = SARI_TAKE(memory, double, sys->nq);
    c->turned = SARI_TAKE(memory, double, 2 * longest);
    c->pairs = find_pairs(&sys->Phi_q, NULL);
    c->pair = SARI_TAKE(memory, sari_row_pair, c->pairs);
    if (!memory->failed) (void)find_pairs(&sys->Phi_q, c->pair);
}

void sari_transport_archive(sari_transport* c, sari_archive* a)
{
    sari_archive_numbers(a, c->q, (size_t)c->sys->np);
    sari_archive_numbers(a, c->J, (size_t)c->sys->Phi_q.p[c->sys->nc]);
}

void sari_transport_begin(sari_transport* c, const double* q)
{
    if (!c->q) return;
    memcpy(c->q, q, (size_t)c->sys->np * sizeof *q);
    memcpy(c->J, c->sys->Phi_q.x, (size_t)c->sys->Phi_q.p[c->sys->nc] * sizeof *c->J);
}

/* (2) and (3): with N and S the rows here and there, B = N S' (S S')^-1. */
static void compare(const sari_transport* c, sari_row_pair* pair)
{
    const sari_csr* J = &c->sys->Phi_q;
    const int r = pair->row, n = length_of(J, r);
    const double* S[2] = {c->J + J->p[r], c->J + J->p[r + 1]};
    double *N[2] = {c->turned, c->turned + n}, NS[2][2], SS[2][2];
    for (int k = 0; k < 2; k++) {
        memcpy(N[k], J->x + J->p[r + k], (size_t)n * sizeof(double));
        sari_coordinates_carry_row(c->sys->space, c->back, n, J->i + J->p[r + k], N[k]);
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            NS[i][k] = sari_vector_dot(n, N[i], S[k]), SS[i][k] = sari_vector_dot(n, S[i], S[k]);
    const double determinant = NS[0][0] * NS[1][1] - NS[0][1] * NS[1][0];
    const double own = SS[0][0] * SS[1][1] - SS[0][1] * SS[1][0];
    if (!(fabs(determinant) > TURNED * own)) { // that is no turn: as they are
        for (int i = 0; i < 4; i++) pair->by_gap[i / 2][i % 2] = i % 3 == 0;
        memcpy(pair->by_force, pair->by_gap, sizeof pair->by_gap);
        return;
    }
    const double inverse[2][2] = {{NS[1][1] / determinant, -NS[0][1] / determinant},
                                  {-NS[1][0] / determinant, NS[0][0] / determinant}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            pair->by_gap[i][k] = SS[i][0] * inverse[0][k] + SS[i][1] * inverse[1][k];
            pair->by_force[k][i] = pair->by_gap[i][k];
        }
}

void sari_transport_prepare(sari_transport* c, const double* q)
{
    if (!c->q) return;
    sari_coordinates_difference(c->sys->space, c->q, q, c->ahead);
    for (int i = 0; i < c->sys->nq; i++) c->back[i] = -c->ahead[i];
    for (int k = 0; k < c->pairs; k++) compare(c, &c->pair[k]);
}

static void mix(const double by[2][2], double* x)
{
    const double first = x[0], second = x[1];
    x[0] = by[0][0] * first + by[0][1] * second;
    x[1] = by[1][0] * first + by[1][1] * second;
}

void sari_transport_there(const sari_transport* c, double* f, double* g)
{
    if (!c->q) return;
    if (f) sari_coordinates_carry(c->sys->space, c->back, f);
    for (int k = 0; k < c->pairs; k++)
        mix((const double(*)[2])c->pair[k].by_gap, g + c->pair[k].row);
}

void sari_transport_here(const sari_transport* c, double* x, double* mu)
{
    if (!c->q) return;
    sari_coordinates_carry(c->sys->space, c->ahead, x);
    for (int k = 0; mu && k < c->pairs; k++)
        mix((const double(*)[2])c->pair[k].by_force, mu + c->pair[k].row);
}
