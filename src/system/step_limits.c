/* Which coordinates limit the length of a step? Not those along which a body may go any way without
 * anything that a step could pass over: no constraint changes with them, and of the forces only such
 * as are polynomials or functions of velocities and time. What has a shape, a range or an expression
 * of positions is felt: contacts, stops, tyres, tables of a length, bounds, conditions of phases,
 * and integrals over the run. */
#include "system/system_parts.h"

#include "elements/element.h"
#include "elements/force.h"

#include <math.h>
#include <string.h>

static void mark(const sari_system* s, int scalar, char* felt)
{
    if (scalar < 0) {
        memset(felt, 1, (size_t)s->nq);
        return;
    }
    const sari_term_list* list = &s->kinematics->scalar_depends[scalar];
    for (int k = 0; k < list->n; k++) felt[list->i[k]] = 1;
}

/* The rate of a coordinate does not depend on where it is. */
static int is_rate_of_coordinate(const sari_system* s, int signal)
{
    const int scalar = s->mechanism->signal_scalar[signal];
    return s->model->signals[signal].level > 0 && scalar >= 0 && s->kinematics->straight &&
           s->kinematics->straight[scalar];
}

static void mark_expression(const sari_system* s, const sari_expression* e, char* felt)
{
    const int* used;
    const int count = e ? sari_expression_variables(e, &used) : 0;
    for (int i = 0; i < count; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        const int signal = used[i] - SARI_VARIABLE_SIGNAL;
        if (!is_rate_of_coordinate(s, signal)) mark(s, s->mechanism->signal_scalar[signal], felt);
    }
}

/* Along the axis of a joint, in whatever coordinates. */
static int is_polynomial(const sari_kinematics* k, int scalar)
{
    return (k->straight && k->straight[scalar]) || k->scalar[scalar].kind == SARI_SCALAR_PLAIN;
}

/* Is the law by an expression a polynomial of straight lengths? It hides nothing. */
static int is_polynomial_law(const sari_system* s, const sari_expression* e)
{
    const int* used;
    const int count = sari_expression_variables(e, &used);
    if (!sari_expression_is_polynomial(e)) return 0;
    for (int i = 0; i < count; i++) {
        if (used[i] < SARI_VARIABLE_SIGNAL) continue;
        const int signal = used[i] - SARI_VARIABLE_SIGNAL,
                  scalar = s->mechanism->signal_scalar[signal];
        if (is_rate_of_coordinate(s, signal)) continue;
        if (s->model->signals[signal].level > 0 || scalar < 0) return 0;
        if (!is_polynomial(s->kinematics, scalar)) return 0;
    }
    return 1;
}

/* Has it a shape along its own length? */
static int feels_length(const sari_expression* e)
{
    const int* used;
    const int count = e ? sari_expression_variables(e, &used) : 0;
    for (int i = 0; i < count; i++)
        if (used[i] == SARI_VARIABLE_X) return !sari_expression_is_polynomial(e);
    return 0;
}

/* Is it a law of straight lengths and of rates alone, the same one everywhere? */
static int is_plain(const sari_system* s, const sari_force_type* type, const sari_force* force,
                    const int* scalar, int n)
{
    if (type->by_rates) return 1;
    if (!type->linear) return 0;
    if (type->is.length && *(const int*)((const char*)force->def + type->is.length) > 0) return 0;
    for (int k = 0; k < SARI_FORCE_TEXTS; k++)
        if (feels_length(force->expression[k])) return 0;
    for (int k = 0; k < n; k++)
        if (scalar[k] < 0 || !is_polynomial(s->kinematics, scalar[k])) return 0;
    return 1;
}

/* Does it change with the distance of two points, in direction and by a law without a shape? */
static int is_by_distance(const sari_system* s, const sari_force_type* type,
                          const sari_force* force, const int* scalar, int n)
{
    if (n != 1 || *scalar < 0 || s->kinematics->scalar[*scalar].kind != SARI_SCALAR_ROOT) return 0;
    if (type->is.length && *(const int*)((const char*)force->def + type->is.length) > 0) return 0;
    for (int k = 0; k < SARI_FORCE_TEXTS; k++)
        if (feels_length(force->expression[k])) return 0;
    return type->linear || type->by_distance;
}

/* Forces by the distance of two points, or all others. */
static void mark_forces(const sari_system* s, int by_distance, char* felt)
{
    const sari_mechanism* m = s->mechanism;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        const int n = m->dimension == 2 ? type->in_plane : type->in_space;
        for (int i = 0; i < s->model->forces[t].count; i++) {
            const sari_force* force = &s->model->forces[t].at[i];
            const int* scalar = n ? m->force_scalar[t] + n * i : NULL;
            for (int k = 0; !by_distance && k < SARI_FORCE_TEXTS; k++) {
                const sari_expression* e = force->expression[k];
                if (e && !is_polynomial_law(s, e)) mark_expression(s, e, felt);
            }
            if (is_plain(s, type, force, scalar, n)) continue;
            if (is_by_distance(s, type, force, scalar, n) != by_distance) continue;
            for (int k = 0; k < n; k++) mark(s, scalar[k], felt);
        }
    }
}

int sari_equations_felt(const sari_equations* equations, char* felt)
{
    const sari_system* s = (const sari_system*)equations;
    const sar_model* model = s->model;
    memset(felt, 0, (size_t)s->nq);
    mark_forces(s, 0, felt);
    for (int j = 0; j < model->joints_count; j++) mark_expression(s, model->joints[j].value, felt);
    for (int k = 0; k < model->phases_count; k++) {
        mark_expression(s, model->phases[k].when, felt);
        mark_expression(s, model->phases[k].provided, felt);
    }
    for (int k = 0; k < model->outputs_count; k++) {
        if (model->outputs[k].integral == SARI_OUTPUT_VALUE) continue;
        mark_expression(s, model->outputs[k].value, felt);
        mark_expression(s, model->outputs[k].over, felt);
    }
    int shapes = 0;
    for (int i = 0; i < s->nq; i++) shapes |= felt[i] ? SARI_FELT_SHAPES : 0;
    mark_forces(s, 1, felt);
    for (int i = 0; i < s->nq; i++) shapes |= felt[i] && !shapes ? SARI_FELT_DISTANCES : 0;
    for (int i = s->nq - s->states; i < s->nq; i++) felt[i] = 1;
    for (int e = 0; e < s->Phi_q.p[s->nc]; e++) felt[s->Phi_q.i[e]] = 1;
    return shapes;
}

/* Every scalar of these forces; counts only where there is no list yet. */
static int list_distances(const sari_system* s, int* list)
{
    const sari_mechanism* m = s->mechanism;
    int count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        const int n = m->dimension == 2 ? type->in_plane : type->in_space;
        for (int i = 0; n == 1 && i < s->model->forces[t].count; i++) {
            const int* scalar = m->force_scalar[t] + i;
            if (!is_by_distance(s, type, &s->model->forces[t].at[i], scalar, n)) continue;
            if (list) list[count] = *scalar;
            count++;
        }
    }
    return count;
}

sar_status sari_system_list_distances(sari_system* s)
{
    s->distances = list_distances(s, NULL);
    s->distance = SARI_TAKE(&s->memory, int, s->distances);
    if (s->memory.failed) return SAR_E_NOMEM;
    (void)list_distances(s, s->distance);
    return SAR_OK;
}

double sari_equations_nearest(const sari_equations* equations, const double* q)
{
    const sari_system* s = (const sari_system*)equations;
    double nearest = INFINITY;
    sari_kinematics_update(s->kinematics, q, NULL, 0);
    for (int i = 0; i < s->distances; i++) {
        sari_scalar_value value = {0};
        sari_scalar_eval(s->kinematics, s->distance[i], 0, &value);
        nearest = fmin(nearest, value.value);
    }
    return nearest / s->size;
}
