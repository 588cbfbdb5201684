/* What forces need before they act: their laws and loads, which coordinates these depend on, where the
 * entries of K and C are, and room for all. */
#include "system/forces/forces.h"

#include "base/memory.h"
#include "base/status.h"
#include "system/forces/forces_parts.h"
#include "system/forces/loads.h"

#include <math.h>
#include <string.h>

sar_status sari_force_block_plan(sari_system* s, sari_force_block* b, const sari_term_list* rows,
                                 const sari_term_list* cols, sari_pattern* pattern)
{
    b->rows = rows;
    b->cols = cols;
    b->at = SARI_TAKE(&s->memory, int, rows->n * cols->n);
    if (!b->at) return SAR_E_NOMEM;
    for (int i = 0; i < rows->n; i++)
        for (int j = 0; j < cols->n; j++)
            SARI_TRY(sari_pattern_add(pattern, rows->i[i], cols->i[j]));
    return SAR_OK;
}

void sari_force_block_locate(sari_force_block* b, const sari_csr* K)
{
    int* at = b->at;
    for (int i = 0; at && i < b->rows->n; i++)
        for (int j = 0; j < b->cols->n; j++) *at++ = sari_csr_find(K, b->rows->i[i], b->cols->i[j]);
}

static int law_blocks(const sari_law* l)
{
    const sari_expression* expression = sari_law_expression(l);
    const int* used;
    int n = l->count, variables = expression ? sari_expression_variables(expression, &used) : 0;
    for (int i = 0; i < variables; i++) n += used[i] >= SARI_VARIABLE_SIGNAL;
    return n;
}

/* Reactions are listed, and constant: forces have no derivatives by them. */
static int takes_reaction(const sari_system* s, sari_force_set* f, int signal)
{
    if (!sari_signal_is_reaction(&s->model->signals[signal])) return 0;
    int known = 0;
    for (int k = 0; k < f->reactions; k++) known |= f->reaction[k] == signal;
    if (!known) f->reaction[f->reactions++] = signal;
    return 1;
}

static sar_status plan_law(sari_system* s, sari_force_set* f, sari_law* l, sari_pattern* pattern)
{
    const sari_term_list* depends = s->kinematics->scalar_depends;
    const sari_term_list* own = &depends[l->scalar];
    const int* used;
    int n = law_blocks(l), next = l->count;
    l->blocks = SARI_TAKE(&s->memory, sari_force_block, n);
    if (!l->blocks) return SAR_E_NOMEM;
    for (int k = 0; k < l->count; k++)
        SARI_TRY(sari_force_block_plan(s, &l->blocks[k], own,
                                       &depends[f->laws[l->first + k].scalar], pattern));
    const sari_law_states* states = f->laws[l->first].states;
    if (states) SARI_TRY(sari_force_block_plan(s, &l->by_state, own, &states->list, pattern));
    if (next == n) return SAR_OK;
    int variables = sari_expression_variables(sari_law_expression(l), &used);
    for (int i = 0; i < variables; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        int signal = used[i] - SARI_VARIABLE_SIGNAL;
        sari_force_block* block = &l->blocks[next++];
        if (takes_reaction(s, f, signal)) continue;
        f->signal_used[signal] = 1;
        SARI_TRY(sari_force_block_plan(s, block, own, &depends[s->mechanism->signal_scalar[signal]],
                                       pattern));
    }
    return SAR_OK;
}

/* The signals that any of a load's six expressions uses. */
static sar_status list_load_signals(sari_system* s, sari_force_set* f, sari_load_blocks* blocks)
{
    const sari_force* load = blocks->load;
    blocks->used = SARI_TAKE(&s->memory, int, s->model->signals_count);
    if (!blocks->used) return SAR_E_NOMEM;
    for (int signal = 0; signal < s->model->signals_count; signal++) {
        int found = 0;
        for (int k = 0; k < 6 && !found; k++) {
            const sari_expression* e = load->expression[k];
            const int* used;
            int n = e ? sari_expression_variables(e, &used) : 0;
            for (int i = 0; i < n; i++) found |= used[i] == SARI_VARIABLE_SIGNAL + signal;
        }
        if (found && !takes_reaction(s, f, signal)) blocks->used[blocks->used_count++] = signal;
    }
    blocks->slope = SARI_TAKE(&s->memory, sari_load_action, blocks->used_count);
    return blocks->slope ? SAR_OK : SAR_E_NOMEM;
}

/* Do the axes of a body depend on coordinates? */
static int can_turn(const sari_kinematics* k, int body)
{
    const int d = k->coordinates->mechanism->dimension;
    return !k->constant || k->map.p[k->nx * body + d] < k->map.p[k->nx * (body + 1)];
}

static sar_status plan_load(sari_system* s, sari_force_set* f, int index, sari_pattern* pattern)
{
    sari_load_blocks* blocks = &f->loads[index];
    const sar_load_def* def = blocks->load->def;
    SARI_TRY(list_load_signals(s, f, blocks));
    for (int e = 0; e < 2; e++) {
        const sari_body_map* map = &s->coordinates.body[e ? def->reaction.i : def->body.i];
        blocks->body[e] = (sari_term_list){map->nq, map->q};
        blocks->turns[e] =
            map->nq > 0 && can_turn(s->kinematics, e ? def->reaction.i : def->body.i);
        blocks->signal[e] = SARI_TAKE(&s->memory, sari_force_block, blocks->used_count);
        if (!blocks->signal[e]) return SAR_E_NOMEM;
    }
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++)
            SARI_TRY(sari_force_block_plan(s, &blocks->own[2 * r + c], &blocks->body[r],
                                           &blocks->body[c], pattern));
        for (int u = 0; u < blocks->used_count; u++) {
            int scalar = s->mechanism->signal_scalar[blocks->used[u]];
            f->signal_used[blocks->used[u]] = 1;
            SARI_TRY(sari_force_block_plan(s, &blocks->signal[r][u], &blocks->body[r],
                                           &s->kinematics->scalar_depends[scalar], pattern));
        }
    }
    return SAR_OK;
}

/* The forces that are there: those on a joint's coordinate come and go with it, others by phases. */
static void list_forces(const sari_system* s, sari_force_set* f)
{
    const char* there = s->mechanism->active + s->model->joints_count;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        const sari_force_list* list = &s->model->forces[t];
        const int count = sari_force_scalars(type, s->mechanism->dimension);
        for (int i = 0; i < list->count; i++) {
            const int joint = sari_force_joint(type, list->at[i].def), first = f->laws_count;
            const int present = sari_force_is_state(type) || *there++; // states stay
            const int other = sari_force_other_joint(type, list->at[i].def);
            if (!present || (joint >= 0 && !s->mechanism->active[joint]) ||
                (other >= 0 && !s->mechanism->active[other]))
                continue;
            if (!type->act) f->loads[f->loads_count++].load = &list->at[i];
            for (int k = 0; k < count; k++)
                f->laws[f->laws_count++] =
                    (sari_law){.scalar = s->mechanism->force_scalar[t][count * i + k],
                               .type = type,
                               .force = &list->at[i],
                               .component = k,
                               .first = first,
                               .count = count,
                               .asked = sari_force_asks(type, list->at[i].def) ? joint : -1,
                               .first_state = s->mechanism->force_state[t][i]};
        }
    }
}

/* Where polynomials are in X: the bodies that laws act on. */
static sar_status list_bodies(sari_system* s, sari_force_set* f)
{
    const sari_kinematics* k = s->kinematics;
    const int bodies = s->mechanism->bodies;
    if (k->constant || f->laws_count == 0) return SAR_OK;
    f->on_X = SARI_TAKE(&s->memory, double, s->mechanism->nx* bodies);
    f->body = SARI_TAKE(&s->memory, int, bodies);
    int* acted_on = SARI_TAKE(&s->memory, int, bodies);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int i = 0; i < f->laws_count; i++) {
        const sari_scalar* scalar = &k->scalar[f->laws[i].scalar];
        if (!sari_scalar_is_polynomial(scalar)) continue;
        for (int e = 0; e < 2; e++) {
            acted_on[k->slot[scalar->a][e]] = 1;
            if (sari_scalar_has_two(scalar)) acted_on[k->slot[scalar->b][e]] = 1;
        }
    }
    for (int b = 1; b < bodies; b++)
        if (acted_on[b]) f->body[f->bodies++] = b;
    return SAR_OK;
}

/* Room for gradients and second derivatives of what the forces depend on. */
static sar_status make_room(sari_system* s, sari_force_set* f)
{
    const sari_term_list* depends = s->kinematics->scalar_depends;
    const int signals = s->model->signals_count;
    int n = 0;
    for (int i = 0; i < f->laws_count; i++)
        if (depends[f->laws[i].scalar].n > n) n = depends[f->laws[i].scalar].n;
    for (int i = 0; i < signals; i++)
        if (f->signal_used[i] && depends[s->mechanism->signal_scalar[i]].n > n)
            n = depends[s->mechanism->signal_scalar[i]].n;
    for (int i = 0; i < f->loads_count; i++)
        for (int e = 0; e < 2; e++)
            if (f->loads[i].body[e].n > n) n = f->loads[i].body[e].n;
    for (int i = 0; i < f->bodies; i++)
        if (s->coordinates.body[f->body[i]].nq > n) n = s->coordinates.body[f->body[i]].nq;
    f->longest = n;
    f->gradients = SARI_TAKE(&s->memory, double, 3 * n * (f->laws_count + signals));
    f->signal_slope = SARI_TAKE(&s->memory, double, n* signals);
    f->together = SARI_TAKE(&s->memory, double, 2 * SARI_FORCE_SCALARS * n);
    f->slope = SARI_TAKE(&s->memory, double, n * f->laws_count);
    f->H = SARI_TAKE(&s->memory, double, n* n);
    f->work = SARI_TAKE(&s->memory, double, n* n);
    f->row = SARI_TAKE(&s->memory, double, n);
    if (s->memory.failed) return SAR_E_NOMEM;
    double* room = f->gradients;
    for (int i = 0; i < f->laws_count; i++, room += 3 * n) {
        f->value[i].g = room;
        f->part[i] = (sari_scalar_parts){.ga = room + n, .gb = room + 2 * n};
    }
    for (int i = 0; i < signals; i++, room += 3 * n) {
        f->signal[i].g = room;
        f->signal_part[i] = (sari_scalar_parts){.ga = room + n, .gb = room + 2 * n};
    }
    return SAR_OK;
}

sar_status sari_forces_create(sari_system* s, sari_pattern* pattern, sari_force_set** out)
{
    const sar_model* model = s->model;
    sari_force_set* f = SARI_TAKE(&s->memory, sari_force_set, 1);
    if (!f) return SAR_E_NOMEM;
    *out = f;
    int laws = 0, loads = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        laws += model->forces[t].count *
                sari_force_scalars(sari_force_types[t], s->mechanism->dimension);
        if (!sari_force_types[t]->act) loads += model->forces[t].count;
    }
    f->laws = SARI_TAKE(&s->memory, sari_law, laws);
    f->value = SARI_TAKE(&s->memory, sari_scalar_value, laws);
    f->signal_used = SARI_TAKE(&s->memory, int, model->signals_count);
    f->signal = SARI_TAKE(&s->memory, sari_scalar_value, model->signals_count);
    f->part = SARI_TAKE(&s->memory, sari_scalar_parts, laws);
    f->signal_part = SARI_TAKE(&s->memory, sari_scalar_parts, model->signals_count);
    f->reaction = SARI_TAKE(&s->memory, int, model->signals_count);
    f->variables = SARI_TAKE(&s->memory, double, SARI_VARIABLE_SIGNAL + model->signals_count);
    if (loads) f->loads = SARI_TAKE(&s->memory, sari_load_blocks, loads);
    if (s->memory.failed) return SAR_E_NOMEM;
    list_forces(s, f);
    for (int i = 0; i < f->laws_count; i++) {
        sari_law* l = &f->laws[i];
        if (l->component == 0 && sari_force_states(l->type, l->force->def))
            SARI_TRY(sari_law_states_plan(s, f, l, pattern));
        SARI_TRY(plan_law(s, f, l, pattern));
        if (l->component == 0) sari_laws_find_together(s, f, l);
    }
    for (int i = 0; i < f->loads_count; i++) SARI_TRY(plan_load(s, f, i, pattern));
    SARI_TRY(list_bodies(s, f));
    return make_room(s, f);
}

sar_status sari_forces_locate(sari_system* s)
{
    sari_force_set* f = s->forces;
    for (int i = 0; i < f->laws_count; i++) {
        for (int k = 0; k < law_blocks(&f->laws[i]); k++)
            sari_force_block_locate(&f->laws[i].blocks[k], &s->K);
        sari_force_block_locate(&f->laws[i].by_state, &s->K);
        if (f->laws[i].states) sari_law_states_locate(s, &f->laws[i]);
    }
    for (int i = 0; i < f->loads_count; i++) {
        sari_load_blocks* blocks = &f->loads[i];
        for (int k = 0; k < 4; k++) sari_force_block_locate(&blocks->own[k], &s->K);
        for (int e = 0; e < 2; e++)
            for (int u = 0; u < blocks->used_count; u++)
                sari_force_block_locate(&blocks->signal[e][u], &s->K);
    }
    return SAR_OK;
}
