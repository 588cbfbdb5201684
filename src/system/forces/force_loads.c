/* Loads among the forces: what they add to Q, and, where the action (F, T) of a load on X is G, to K and
 * C: (3) of forces.c. dG/dq has a part by the places of the bodies and one by the signals that the
 * expressions of the load use. */
#include "system/forces/forces_parts.h"
#include "system/forces/loads.h"

#include <math.h>
#include <string.h>

static void note_load(sari_system* s, const sari_force* load, const sari_load_action* action,
                      int slope)
{
    const sar_load_def* def = load->def;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += action->F[k] + action->T[k];
    if (isfinite(sum)) return;
    for (int k = 0; k < 3; k++) {
        sari_note_undefined(s, load->name, def->force[k], load->expression[2 * k], action->F[k],
                            slope);
        sari_note_undefined(s, load->name, def->torque[k], load->expression[2 * k + 1],
                            action->T[k], slope);
    }
}

static void load_action(const sari_force* load, const double* variables, sari_load_action* out)
{
    for (int k = 0; k < 3; k++) {
        const sari_expression *F = load->expression[2 * k], *T = load->expression[2 * k + 1];
        out->F[k] = F ? sari_expression_value(F, variables) : 0.0;
        out->T[k] = T ? sari_expression_value(T, variables) : 0.0;
    }
}

/* Expression k of a load: its forces, then its torques. */
static const sari_expression* expression_of(const sari_force* load, int k)
{
    return load->expression[k < 3 ? 2 * k : 2 * k - 5];
}

/* Derivatives of a load's action by the signals that it uses: one gradient of each expression. */
static void action_slopes(const sari_load_blocks* blocks, const double* variables,
                          sari_load_action* slope)
{
    double gradient[SARI_FORCE_VARIABLES];
    const int* used;
    memset(slope, 0, (size_t)blocks->used_count * sizeof *slope);
    for (int k = 0; k < 6; k++) {
        const sari_expression* e = expression_of(blocks->load, k);
        const int n = e ? sari_expression_variables(e, &used) : 0;
        if (n == 0) continue;
        sari_expression_gradient(e, variables, gradient);
        for (int u = 0; u < blocks->used_count; u++)
            for (int i = 0; i < n; i++)
                if (used[i] == SARI_VARIABLE_SIGNAL + blocks->used[u])
                    *(k < 3 ? &slope[u].F[k] : &slope[u].T[k - 3]) = gradient[i];
    }
}

/* K of a load that stays while its bodies move: column by column of both. */
static void add_own_stiffness(sari_system* s, const sari_load_blocks* blocks,
                              const sari_load_action* action, const double* G)
{
    const sar_load_def* def = blocks->load->def;
    const int body[2] = {def->body.i, def->reaction.i}, nx = s->mechanism->nx;
    double dX[24] = {0}, dG[24], *column = s->forces->row;
    if (s->kinematics->constant && !blocks->turns[1] && !sari_load_turns(def, action))
        return; // only the moment on the other body changes, which it does not feel
    for (int e = 0; e < 2; e++) {
        for (int j = 0; j < blocks->body[e].n; j++) { // coordinates of body[e]
            sari_body_column(s->kinematics, body[e], j, dX + nx * e);
            const unsigned changed =
                sari_load_turn(s->mechanism, def, s->kinematics->X, action, dX, dG);
            for (int r = 0; r < 2; r++) {
                if (blocks->body[r].n == 0) continue;
                const sari_force_block* b = &blocks->own[2 * r + e];
                if (changed >> r & 1u)
                    sari_body_pull(s->kinematics, body[r], dG + nx * r, column);
                else if (r == e)
                    memset(column, 0, (size_t)b->rows->n * sizeof *column);
                else
                    continue;
                if (r == e) sari_body_add_second(s->kinematics, body[r], G + nx * r, j, column);
                for (int i = 0; i < b->rows->n; i++) s->K.x[b->at[b->cols->n * i + j]] -= column[i];
            }
        }
        memset(dX + nx * e, 0, (size_t)nx * sizeof *dX);
    }
}

static void add_load_tangent(sari_system* s, int index, const sari_load_action* action,
                             const double* G)
{
    const sari_load_blocks* blocks = &s->forces->loads[index];
    const sari_force* load = blocks->load;
    const sar_load_def* def = load->def;
    const int body[2] = {def->body.i, def->reaction.i}, nx = s->mechanism->nx;
    double dG[24], *column = s->forces->row;
    add_own_stiffness(s, blocks, action, G);
    action_slopes(blocks, s->forces->variables, blocks->slope);
    for (int u = 0; u < blocks->used_count; u++) {
        note_load(s, load, &blocks->slope[u], 1);
        sari_load_on_X(s->mechanism, def, s->kinematics->X, &blocks->slope[u], dG);
        for (int r = 0; r < 2; r++) {
            if (blocks->body[r].n == 0) continue;
            sari_body_pull(s->kinematics, body[r], dG + nx * r, column);
            sari_add_signal_dependence(s, &blocks->signal[r][u], blocks->used[u], -1.0, column);
        }
    }
}

void sari_load_add(sari_system* s, int index, int tangent)
{
    const sari_force* load = s->forces->loads[index].load;
    const sar_load_def* def = load->def;
    sari_load_action action;
    double G[24] = {0}, *q = s->forces->row;
    const int body[2] = {def->body.i, def->reaction.i};
    load_action(load, s->forces->variables, &action);
    note_load(s, load, &action, 0);
    sari_load_on_X(s->mechanism, def, s->kinematics->X, &action, G);
    for (int e = 0; e < 2; e++) {
        const sari_body_map* map = &s->coordinates.body[body[e]];
        if (map->nq == 0) continue; // the ground
        sari_body_pull(s->kinematics, body[e], G + s->mechanism->nx * e, q);
        for (int i = 0; i < map->nq; i++) s->Q[map->q[i]] += q[i];
    }
    if (tangent) add_load_tangent(s, index, &action, G);
}

double sari_load_add_power(const sari_system* s, int i, double power)
{
    const sari_force* force = s->forces->loads[i].load;
    const sar_load_def* def = force->def;
    const int nx = s->mechanism->nx;
    sari_load_action load;
    double G[24] = {0};
    load_action(force, s->forces->variables, &load);
    sari_load_on_X(s->mechanism, def, s->kinematics->X, &load, G);
    for (int a = 0; a < nx; a++) {
        power += G[a] * s->kinematics->Xd[nx * def->body.i + a];
        if (def->reaction.i) power += G[nx + a] * s->kinematics->Xd[nx * def->reaction.i + a];
    }
    return power;
}

void sari_load_add_on_X(sari_system* s, const sari_force* load, double* G)
{
    const sar_load_def* def = load->def;
    const int nx = s->mechanism->nx;
    sari_load_action action;
    double part[24] = {0};
    load_action(load, s->forces->variables, &action);
    sari_load_on_X(s->mechanism, def, s->kinematics->X, &action, part);
    for (int a = 0; a < nx; a++) {
        G[nx * def->body.i + a] += part[a];
        if (def->reaction.i) G[nx * def->reaction.i + a] += part[nx + a];
    }
}
