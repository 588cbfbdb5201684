/* What a parameter does, where its twins need not be asked along the run: slopes of the numbers that the equations consist
 * of, of the start, and of the rows themselves. Twins of large models are large, and parameters may be many. */
#include "sensitivity/al3/al3.h"

#include "base/status.h"
#include "math/vector.h"
#include "sensitivity/twins.h"
#include "system/turns.h"

#include <string.h>

enum { SAMPLES = 8 }; ///< of a part of the run, where forces are looked at

int sari_al3_same_forces(sari_al3_gradient* m, int k, double t, const double* q, const double* v)
{
    return sari_twin_same_forces(m->own.simulation->system, sari_al3_twin_system(m, k, 0), t, q, v);
}

/* In the part of the run that is there. */
static int same_forces_along(sari_al3_gradient* m, int k)
{
    const sari_al3_tape* tape = &m->tape;
    const int first = tape->checkpoint[tape->segment].entry,
              last = sari_al3_tape_last(tape, tape->segment);
    for (int i = 0; i <= SAMPLES; i++) {
        const sari_step_record r =
            sari_al3_tape_record(tape, first + (int)((long)(last - first) * i / SAMPLES));
        if (!sari_al3_same_forces(m, k, r.t, r.q, r.v_star)) return 0;
    }
    return 1;
}

/* Are all values of the rows at hand: at entries that are there, and no integrals? Where angles count revolutions: those of
 * the end of the run, where the simulation is. */
static int rows_are_there(const sar_sensitivity* s, const sari_al3_gradient* m)
{
    const sari_al3_tape* tape = &m->tape;
    const int last = tape->count - 1;
    if (m->counts && s->nominal.simulation->state.t != tape->t[last]) return 0;
    for (int r = 0; r < s->rows; r++) {
        const sari_al3_row* row = &m->row[r];
        if (row->over || row->forced) return 0;
        for (int i = 0; i < 2; i++) {
            const int entry = row->entry[i];
            if (row->weight[i] == 0.0) continue;
            if (m->counts && entry < last - 1) return 0;
            if (sari_al3_tape_segment(tape, entry) != tape->segment && entry != tape->first)
                return 0;
        }
    }
    return 1;
}

static sar_status take_rows(const sar_sensitivity* s, sari_al3_gradient* m, int k, double* out)
{
    if (m->counts)
        sari_turns_copy(s->nominal.simulation->system->kinematics,
                        m->own.simulation->system->kinematics);
    for (int r = 0; r < s->rows; r++) {
        const sari_al3_row* row = &m->row[r];
        out[r] = 0.0;
        for (int i = 0; i < 2; i++) {
            double slope;
            if (row->weight[i] == 0.0) continue;
            SARI_TRY(sari_al3_row_along(m, r, row->entry[i], NULL, k, &slope));
            out[r] += row->weight[i] * slope;
        }
    }
    return SAR_OK;
}

sar_status sari_al3_effect_take(const sar_sensitivity* s, sari_al3_gradient* m, int k)
{
    sari_al3_effect* x = &m->effect[k];
    const int n = m->tape.nq;
    if (m->way[k] != SARI_AL3_NUMBERS || m->own.simulation->bounds.count > 0 || m->tape.breaks ||
        !rows_are_there(s, m))
        return SAR_OK;
    if (!same_forces_along(m, k)) {
        m->way[k] = SARI_AL3_RESIDUALS;
        return SAR_OK;
    }
    x->start = SARI_TAKE(&m->memory, double, 2 * n);
    x->row = SARI_TAKE(&m->memory, double, s->rows);
    if (m->memory.failed) return SAR_E_NOMEM;
    sari_al3_start_by(m, k, x->start, x->start + n);
    SARI_TRY(take_rows(s, m, k, x->row));
    SARI_TRY(sari_al3_slopes_keep(m, k, &x->slopes));
    for (int i = 0; i < SARI_AL3_TWINS; i++) sari_twin_clear(&m->twin[SARI_AL3_TWINS * k + i]);
    x->known = 1;
    return SAR_OK;
}

void sari_al3_start_by(sari_al3_gradient* m, int k, double* dq, double* dv)
{
    sari_twin* twin = &m->twin[SARI_AL3_TWINS * k];
    const int n = m->tape.nq;
    if (m->effect[k].known) {
        memcpy(dq, m->effect[k].start, (size_t)n * sizeof(double));
        memcpy(dv, m->effect[k].start + n, (size_t)n * sizeof(double));
        return;
    }
    sari_twins_start(twin, m->change[k], dq, dv, m->n);
    if (sari_al3_twins_of(m, k) != 4) return;
    sari_twins_start(twin + 2, 2.0 * m->change[k], m->v, m->w, m->n);
    for (int i = 0; i < n; i++) { // 4/3 of the near ones, less 1/3 of the far ones
        dq[i] = (4.0 * dq[i] - m->v[i]) / 3.0;
        dv[i] = (4.0 * dv[i] - m->w[i]) / 3.0;
    }
}
