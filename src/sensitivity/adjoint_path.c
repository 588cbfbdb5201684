#include "sensitivity/adjoint_path.h"

#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double CLOSE = 1e-9; ///< of the run: a row's time that is the end of a step

/* Times of steps and of rows. */
static void list_parts(sari_path* p)
{
    const sar_sensitivity* s = p->s;
    const sari_tape* tape = &s->tape;
    const double close = CLOSE * (tape->t[tape->count - 1] - p->start->t);
    double begin = p->start->t;
    for (int k = 0; k < tape->count; k++) {
        while (begin < tape->t[k]) {
            double end = tape->t[k];
            for (int r = 0; r < s->rows; r++) {
                const double t = s->row[r].t;
                if (t > begin + close && t < tape->t[k] - close) end = sari_min(end, t);
            }
            p->part[p->parts++] = (sari_path_part){begin, end, k};
            begin = end;
        }
    }
}

sar_status sari_path_take(sari_path* p, sari_arena* memory, const sar_sensitivity* s,
                          const sari_system* sys, const sari_state* start)
{
    *p = (sari_path){.s = s, .space = &sys->coordinates, .start = start, .first = -1};
    p->np = sys->np, p->nq = sys->nq;
    p->part = SARI_TAKE(memory, sari_path_part, s->tape.count + s->rows + 1);
    p->c = SARI_TAKE(memory, double, SARI_PATH_CONDITIONS * p->np);
    p->rates = SARI_TAKE(memory, double, 3 * p->np);
    if (memory->failed) return SAR_E_NOMEM;
    list_parts(p);
    p->ends = s->tape.count + 1 < SARI_PATH_ENDS ? s->tape.count + 1 : SARI_PATH_ENDS;
    return SAR_OK;
}

/* End k of a step, 0: the start. */
static double end_time(const sari_path* p, int k)
{
    return k == 0 ? p->start->t : p->s->tape.t[k - 1];
}

static const double* end_values(const sari_path* p, int k, const double** v, const double** a)
{
    const sari_tape* tape = &p->s->tape;
    *v = k == 0 ? p->start->v : sari_tape_v(tape, k - 1);
    *a = k == 0 ? p->start->a : sari_tape_a(tape, k - 1);
    return k == 0 ? p->start->q : sari_tape_q(tape, k - 1);
}

/* q, and its rates in units of the time: dq/dt = E v, d2q/dt2 = E a + dE/dt v with E of first degree in q */
static void set_end(sari_path* p, int k, double* q, double* rate, double* half)
{
    const double *v, *a, *from = end_values(p, k, &v, &a);
    memcpy(q, from, (size_t)p->np * sizeof(double));
    sari_coordinates_position_rates(p->space, from, v, rate);
    sari_coordinates_position_rates(p->space, from, a, half);
    if (p->np > p->nq) {
        double *moved = p->rates, *there = moved + p->np, *here = there + p->np;
        for (int i = 0; i < p->np; i++) moved[i] = from[i] + rate[i];
        sari_coordinates_position_rates(p->space, moved, v, there);
        sari_coordinates_position_rates(p->space, from, v, here);
        for (int i = 0; i < p->np; i++) half[i] += there[i] - here[i];
    }
    for (int i = 0; i < p->np; i++) rate[i] *= p->unit, half[i] *= 0.5 * p->unit * p->unit;
}

/* Divided differences, of places that are there three times each. */
static void find_polynomial(sari_path* p, int first)
{
    const int np = p->np, count = 3 * p->ends;
    p->first = first;
    p->origin = end_time(p, first);
    p->unit = (end_time(p, first + p->ends - 1) - p->origin) / (p->ends - 1);
    for (int k = 0; k < p->ends; k++)
        for (int i = 0; i < 3; i++)
            p->node[3 * k + i] = (end_time(p, first + k) - p->origin) / p->unit;
    for (int k = 0; k < p->ends; k++) {
        double* q = p->c + (size_t)(3 * k) * (size_t)np;
        set_end(p, first + k, q, q + np, q + 2 * np);
    }
    // column after column: at first the rows of a place are q, q', q''/2
    for (int i = 0; i < np; i++) {
        double table[SARI_PATH_CONDITIONS], slope[SARI_PATH_CONDITIONS];
        for (int k = 0; k < p->ends; k++)
            for (int j = 0; j < 3; j++) {
                table[3 * k + j] = p->c[(3 * k) * np + i];
                slope[3 * k + j] = p->c[(3 * k + 1) * np + i];
            }
        for (int level = 1; level < count; level++)
            for (int k = count - 1; k >= level; k--) {
                const double apart = p->node[k] - p->node[k - level];
                if (apart > 0.0)
                    table[k] = (table[k] - table[k - 1]) / apart;
                else
                    table[k] = level == 1 ? slope[k] : p->c[(k / 3 * 3 + 2) * np + i];
            }
        for (int k = 0; k < count; k++) p->c[k * np + i] = table[k];
    }
}

void sari_path_at(sari_path* p, int part, double t, double* q, double* v)
{
    const int step = p->part[part].step, last = p->s->tape.count + 1 - p->ends;
    int first = step - 1 < last ? step - 1 : last;
    first = first < 0 ? 0 : first;
    if (first != p->first) find_polynomial(p, first);
    const double x = (t - p->origin) / p->unit;
    const int count = 3 * p->ends;
    double* rate = p->rates;
    for (int i = 0; i < p->np; i++) {
        double value = p->c[(count - 1) * p->np + i], slope = 0.0;
        for (int k = count - 2; k >= 0; k--) {
            slope = slope * (x - p->node[k]) + value;
            value = value * (x - p->node[k]) + p->c[k * p->np + i];
        }
        q[i] = value, rate[i] = slope / p->unit;
    }
    sari_coordinates_normalise(p->space, q);
    sari_coordinates_velocities(p->space, q, rate, v);
}
