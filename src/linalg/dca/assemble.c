/* What comes into the fronts of a batch before elimination: entries of the matrix, and what the
 * children left. */
#include "linalg/dca/task.h"

#include <string.h>

static void fill_zero(sari_vec4* front, int count)
{
    memset(front, 0, sizeof(sari_vec4) * (size_t)count);
}

static void assemble_leaf(const sari_dca_task* t)
{
    const sari_dca_plan* p = t->plan;
    fill_zero(t->front, p->pivots * p->rows - p->pivots * (p->pivots - 1) / 2);
    for (int k = 0; k < p->entries; k++) t->front[t->position[k]] = t->value[k];
}

static void assemble_aligned(const sari_dca_task* t)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_data* d = t->data;
    sari_vec4* restrict front = t->front;
    const int* list = t->position + p->entries;
    const int* child = d->batches.child + t->batch->child;
    for (int k = 0; k < p->zeros; k++) front[list[k]] = (sari_vec4){0};
    list += p->zeros;
    for (int c = 0; c < p->children; c++) {
        const sari_vec4* restrict from = d->rest + d->batches.batch[child[c]].rest;
        const int writes = list[1], adds = list[2];
        list += 3 + list[0];
        for (int k = 0; k < writes; k++, list += 2) front[list[0]] = from[list[1]];
        for (int k = 0; k < adds; k++, list += 2) front[list[0]] += from[list[1]];
    }
    for (int k = 0; k < p->entries; k++) front[t->position[k]] += t->value[k];
}

// Like assemble_aligned, each lane from another batch.
static void assemble_gathered(const sari_dca_task* t)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_batches* b = &t->data->batches;
    sari_vec4* restrict front = t->front;
    const int* list = t->position + p->entries;
    const int* source = b->child + t->batch->child;
    for (int k = 0; k < p->zeros; k++) front[list[k]] = (sari_vec4){0};
    list += p->zeros;
    for (int c = 0; c < p->children; c++, source += SARI_LANES) {
        const double* from[SARI_LANES];
        for (int l = 0; l < SARI_LANES; l++)
            from[l] = (const double*)(t->data->rest + b->batch[source[l] / SARI_LANES].rest) +
                      source[l] % SARI_LANES;
        const int writes = list[1], moves = writes + list[2];
        list += 3 + list[0];
        for (int k = 0; k < moves; k++, list += 2) {
            const int at = SARI_LANES * list[1];
            const sari_vec4 v = {from[0][at], from[1][at], from[2][at], from[3][at]};
            if (k < writes)
                front[list[0]] = v;
            else
                front[list[0]] += v;
        }
    }
    for (int k = 0; k < p->entries; k++) front[t->position[k]] += t->value[k];
}

// One child of one lane.
static void add_child(const sari_dca_task* t, int lane, int child)
{
    const sari_dca_batches* b = &t->data->batches;
    const sari_dca_fronts* f = &b->fronts;
    const int rows = t->plan->rows, source = b->at[child];
    const int *map = f->map + f->first[child] + f->pivots[child],
              handles = f->first[child + 1] - f->first[child] - f->pivots[child];
    const double* from =
        (const double*)(t->data->rest + b->batch[source / SARI_LANES].rest) + source % SARI_LANES;
    double* front = (double*)t->front + lane;
    for (int a = 0; a < handles; a++)
        for (int k = a; k < handles; k++, from += SARI_LANES) {
            const int r = map[a] > map[k] ? map[a] : map[k], c = map[a] > map[k] ? map[k] : map[a];
            front[sari_dca_at(rows, r, c) * SARI_LANES] += *from;
        }
}

static void assemble_loose(const sari_dca_task* t)
{
    const sari_dca_plan* p = t->plan;
    const sari_dca_fronts* f = &t->data->batches.fronts;
    fill_zero(t->front, p->rows * (p->rows + 1) / 2);
    for (int k = 0; k < p->entries; k++) t->front[t->position[k]] = t->value[k];
    for (int l = 0; l < t->batch->lanes; l++) {
        const int front = t->batch->front[l];
        for (int c = f->child_first[front]; c < f->child_first[front + 1]; c++)
            add_child(t, l, f->child[c]);
    }
}

void sari_dca_assemble(sari_dca_task* t)
{
    t->panel = t->plan->panel ? t->value : t->front;
    if (t->plan->panel) return;
    if (t->plan->kind == SARI_DCA_LEAF)
        assemble_leaf(t);
    else if (t->plan->kind <= SARI_DCA_ALIGNED)
        assemble_aligned(t);
    else if (t->plan->kind == SARI_DCA_GATHERED)
        assemble_gathered(t);
    else
        assemble_loose(t);
}
