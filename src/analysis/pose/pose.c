/* A pose from outside: its rows, the model without drives in joint coordinates, and where it starts. */
#include "analysis/pose/pose.h"

#include "base/memory.h"
#include "base/status.h"
#include "coordinates/tree.h"
#include "linalg/lcp.h"
#include "linalg/rank.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/parts.h"
#include "simulation/simulation.h"
#include "system/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1500 };              ///< coordinates: matrices are full
static const double JOINED = 10.0; ///< precisions of the drawing that add up around a loop

sar_pose_row sar_pose_row_default(void)
{
    return (sar_pose_row){.weight = 1.0, .lower = -INFINITY, .upper = INFINITY};
}

/* ---- rows ----------------------------------------------------------------------------------- */

/// What is made on the way.
typedef struct plan {
    sar_pose* p;
    sar_model* model; ///< the user's
    sar_error* error;
    sar_simulation* start;
    sari_expression** user; ///< compiled in the user's units, one per row
    char* drive;            ///< per joint: a drive that stays
    int capacity;
} plan;

static sar_status check_row(const sar_pose_row* row, sar_error* error)
{
    if (!row->expression || !row->expression[0])
        return sari_fail(error, SAR_E_ARG, "expression", "the expression is missing");
    if (!(row->weight > 0.0) || !isfinite(row->weight))
        return sari_fail(error, SAR_E_ARG, "weight", "%.80s: the weight is %g; it must be positive",
                         row->expression, row->weight);
    if (isnan(row->lower) || isnan(row->upper) || row->lower > row->upper)
        return sari_fail(error, SAR_E_ARG, "lower", "%.80s: no value is between %g and %g",
                         row->expression, row->lower, row->upper);
    if (isinf(row->value))
        return sari_fail(error, SAR_E_ARG, "value", "%.80s: the value is not finite",
                         row->expression);
    return SAR_OK;
}

/* Does it use positions alone? */
static sar_status check_signals(const plan* at, const sari_expression* e, const char* text)
{
    const int* used;
    const int count = sari_expression_variables(e, &used);
    int signals = 0;
    for (int k = 0; k < count; k++) {
        const int s = used[k] - SARI_VARIABLE_SIGNAL;
        signals += s >= 0;
        if (s >= 0 && at->model->signals[s].level > 0)
            return sari_fail(at->error, SAR_E_MODEL, "expression",
                             "%.120s: a pose has no rates; use positions alone", text);
    }
    if (signals > 0) return SAR_OK;
    return sari_fail(at->error, SAR_E_MODEL, "expression",
                     "%.120s is the same in every pose: name a signal, as in hand.origin.x", text);
}

static sar_status add_row(plan* at, const sar_pose_row* from)
{
    sar_pose* p = at->p;
    sari_expression* e;
    sar_error local = {0};
    const sar_status st =
        sari_model_compile(at->model, from->expression, SARI_USE_RATES, "expression", &e, &local);
    if (st != SAR_OK)
        return sari_fail(at->error, st, "expression", "%.120s: %s", from->expression,
                         local.message);
    sari_expression_destroy(at->user[p->rows]); // one that was refused
    at->user[p->rows] = e;
    SARI_TRY(check_signals(at, e, from->expression));
    p->row[p->rows++] = (sari_pose_row){
        .role = from->role,
        .name = sari_arena_copy(&p->memory, from->expression, strlen(from->expression) + 1, 1),
        .weight = from->weight,
        .wanted = from->value,
        .lower = from->lower,
        .upper = from->upper};
    return p->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* The name of a drive: it stays. */
static int keeps_drive(plan* at, const sar_pose_row* row)
{
    sar_joint_id joint;
    if (row->role != SAR_POSE_KEEP ||
        sar_model_find_joint(at->model, row->expression, strlen(row->expression), &joint) != SAR_OK)
        return 0;
    if (!sar_model_joint_is_drive(at->model, joint.i, NULL)) return 0;
    at->drive[joint.i] = 1;
    return 1;
}

/* ---- start conditions that tell a pose ------------------------------------------------------ */

static int add_shown(plan* at, const char* owner, const char* word)
{
    char name[256];
    sar_error ignored = {0}, *error = at->error;
    sar_pose_row row = sar_pose_row_default();
    snprintf(name, sizeof name, "%s.%s", owner, word);
    row.role = SAR_POSE_SHOW;
    row.expression = name;
    at->error = &ignored;
    const sar_status st = add_row(at, &row);
    at->error = error;
    return st == SAR_OK;
}

static void show_body(plan* at, int body)
{
    static const char* const plane[] = {"origin.x", "origin.y", "angle"};
    static const char* const space[] = {"origin.x", "origin.y", "origin.z", "rx", "ry", "rz"};
    const int planar = at->model->dimension == 2;
    for (int k = 0; k < (planar ? 3 : 6); k++)
        add_shown(at, at->model->bodies[body].name, planar ? plane[k] : space[k]);
}

/* The coordinates of a joint of the tree by their names; where they have none, the place of its body. */
static void show_joint(plan* at, const sar_tree_joint* joint)
{
    static const char* const words[2][2] = {{"angle", "angle2"}, {"displacement", "displacement2"}};
    const int before = at->p->rows;
    int count[2] = {0};
    for (int k = 0; k < joint->motions; k++) {
        const int slide = joint->motion[k] == SAR_TREE_SLIDE;
        const int fine =
            joint->joint >= 0 && joint->motion[k] != SAR_TREE_BALL && count[slide] < 2 &&
            add_shown(at, at->model->joints[joint->joint].name, words[slide][count[slide]++]);
        if (fine) continue;
        for (int r = before; r < at->p->rows; r++) {
            sari_expression_destroy(at->user[r]);
            at->user[r] = NULL;
        }
        at->p->rows = before;
        show_body(at, joint->body);
        return;
    }
}

static sar_status show_tree(plan* at)
{
    const int count = at->model->bodies_count + at->model->joints_count;
    sar_tree_joint* list = SARI_NEW_ARRAY(sar_tree_joint, count);
    if (!list) return SAR_E_NOMEM;
    const int before = at->p->rows, found = sar_simulation_tree(at->start, list, count);
    for (int k = 0; k < found && k < count; k++)
        if (list[k].body > 0) show_joint(at, &list[k]);
    at->p->starts = at->p->rows - before;
    sari_release(list);
    return SAR_OK;
}

/* ---- limits of the model -------------------------------------------------------------------- */

static void add_limit(sar_pose* p, const char* name, int scalar, const sari_expression* e,
                      double unit, double lower, double upper)
{
    sari_pose_row* row = &p->row[p->rows++];
    *row = (sari_pose_row){.role = SAR_POSE_LIMIT,
                           .name = (char*)name,
                           .scalar = scalar,
                           .unit = unit,
                           .weight = 1.0,
                           .lower = lower,
                           .upper = upper};
    row->e = (sari_expression*)e; // of the model in units, which releases it
}

static void add_limits(sar_pose* p)
{
    const sar_model* m = p->model;
    for (int j = 0; j < m->joints_count; j++) {
        const sari_joint* joint = &m->joints[j];
        if (joint->bounded)
            add_limit(p, joint->name, -1, joint->value, sari_unit_of_condition(m, &p->units, j),
                      joint->lower, joint->upper);
    }
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        for (int k = 0; type->interval && k < m->forces[t].count; k++) {
            const sari_force* f = &m->forces[t].at[k];
            const double unit = sari_force_turns(type, f->def) ? 1.0 : p->units.length;
            double lower, upper;
            type->interval(f->def, &lower, &upper);
            const int scalars = sari_force_scalars(type, m->dimension);
            add_limit(p, f->name, p->system->mechanism->force_scalar[t][scalars * k], NULL, unit,
                      lower, upper);
        }
    }
}

static int count_limits(const sar_model* m)
{
    int count = 0;
    for (int j = 0; j < m->joints_count; j++) count += m->joints[j].bounded;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        if (sari_force_types[t]->interval) count += m->forces[t].count;
    return count;
}

/* ---- the system ----------------------------------------------------------------------------- */

static sar_status find_start(plan* at, const sar_options* options)
{
    sar_options o = sar_options_default();
    sar_assembly report;
    snprintf(o.coordinates, sizeof o.coordinates, "relative");
    o.start = options->start;
    o.end = o.start + 1.0;
    o.drawing = options->drawing;
    o.equilibrium = options->equilibrium;
    o.best_effort = 1;
    SARI_TRY(sar_simulation_create(at->model, &o, &at->start, at->error));
    const sar_status st = sar_simulation_assemble(at->start, &report);
    at->p->gap = JOINED * report.gap / at->start->units.length;
    if (st == SAR_OK) return SAR_OK;
    return sari_fail(at->error, st, NULL, "the start cannot be put together: %s",
                     sar_simulation_failure(at->start));
}

static sar_status make_system(plan* at)
{
    sar_pose* p = at->p;
    p->units = at->start->units;
    p->t = at->start->state.t;
    p->model = sari_model_in_units(at->model, &p->units);
    char* set = SARI_NEW_ARRAY(char, sari_model_set_size(at->model) + 1);
    sar_status st = p->model && set ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK) {
        sari_model_set_after(p->model, 0, set);
        for (int j = 0; j < p->model->joints_count; j++)
            if (p->model->joints[j].bounded ||
                (p->model->joints[j].relation && p->model->joints[j].relation->prescribes &&
                 !at->drive[j]))
                set[j] = 0;
        st = sari_system_create_with(p->model, set, sari_coordinates_find("relative"),
                                     SARI_MASS_ENTRIES, &p->system, at->error);
    }
    sari_release(set);
    if (st != SAR_OK) return st;
    p->n = p->system->nq - p->system->states;
    p->phi = p->system->nc - p->system->velocity_rows;
    for (int k = 0; k < p->rows; k++) p->kept += p->row[k].role == SAR_POSE_KEEP;
    for (int k = 0; k < p->rows; k++) p->wants += p->row[k].role == SAR_POSE_WANT;
    p->hard = p->phi + p->kept + p->wants; // at most
    if (p->n <= MOST && p->hard <= MOST) return SAR_OK;
    return sari_fail(
        at->error, SAR_E_ARG, NULL,
        "poses are sought with up to %d coordinates and conditions; there are %d and %d", MOST,
        p->n, p->hard);
}

/* Expressions of the rows in units of the model; lengths in sizes. */
static sar_status convert_rows(plan* at)
{
    sar_pose* p = at->p;
    const double size = p->units.length * p->units.size;
    for (int k = 0; k < p->rows; k++) {
        sari_pose_row* row = &p->row[k];
        row->unit = sari_uses_lengths(at->model, at->user[k]) ? size : 1.0;
        row->e = sari_expression_for_copy(at->model, &p->units, p->model, at->user[k], row->unit);
        if (!row->e) return SAR_E_NOMEM;
        row->wanted /= row->unit;
        row->lower /= row->unit;
        row->upper /= row->unit;
    }
    return SAR_OK;
}

static int add_signal(sar_pose* p, int variable)
{
    for (int s = 0; s < p->signals; s++)
        if (p->signal[s].variable == variable) return 1;
    const int scalar = p->system->mechanism->signal_scalar[variable - SARI_VARIABLE_SIGNAL];
    if (scalar < 0) return 0;
    const int n = p->system->kinematics->scalar_depends[scalar].n;
    p->signal[p->signals++] =
        (sari_pose_signal){variable, scalar, SARI_TAKE(&p->memory, double, n + 1)};
    return 1;
}

static sar_status list_signals(plan* at)
{
    sar_pose* p = at->p;
    p->signal = SARI_TAKE(&p->memory, sari_pose_signal, p->model->signals_count + 1);
    p->variables = SARI_TAKE(&p->memory, double, SARI_VARIABLE_SIGNAL + p->model->signals_count);
    p->by = SARI_TAKE(&p->memory, double, SARI_VARIABLE_SIGNAL + p->model->signals_count);
    if (p->memory.failed) return SAR_E_NOMEM;
    for (int k = 0; k < p->rows; k++) {
        sari_pose_row* row = &p->row[k];
        p->limits += row->role == SAR_POSE_LIMIT;
        row->g = SARI_TAKE(&p->memory, double, p->n + 1);
        row->used_count = row->e ? sari_expression_variables(row->e, &row->used) : 0;
        for (int i = 0; i < row->used_count; i++)
            if (row->used[i] >= SARI_VARIABLE_SIGNAL && !add_signal(p, row->used[i]))
                return sari_fail(at->error, SAR_E_MODEL, "expression",
                                 "%.120s depends on more than positions", row->name);
    }
    return p->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static sar_status take_memory(sar_pose* p)
{
    sari_arena* m = &p->memory;
    const size_t n = (size_t)p->n, l = (size_t)p->limits, np = (size_t)p->system->np,
                 nq = (size_t)p->system->nq;
    double** places[] = {&p->q,         &p->start, &p->reference, &p->best,
                         &p->candidate, &p->trial, &p->other,     &p->chosen};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        *places[k] = SARI_TAKE(m, double, np + 1);
    double** vectors[] = {&p->d, &p->step, &p->work, &p->c, &p->y, &p->y0};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = SARI_TAKE(m, double, nq + 1);
    double** squares[] = {&p->Z, &p->H, &p->K};
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
        *squares[k] = SARI_TAKE(m, double, n* n + 1);
    const size_t lcp = (size_t)sari_lcp_room(p->limits);
    const size_t svd = n + n * n + sari_svd_workspace(p->n, p->n);
    p->room = SARI_TAKE(m, double, (lcp > svd ? lcp : svd) + 1);
    p->plus = SARI_TAKE(m, double, 2 * n + 1);
    p->h = SARI_TAKE(m, double, p->hard + 1);
    p->lambda = SARI_TAKE(m, double, (size_t)p->hard + l + 1);
    p->B = SARI_TAKE(m, double, l* n + 1);
    p->push = SARI_TAKE(m, double, l* n + 1);
    p->b = SARI_TAKE(m, double, 2 * l + 1);
    p->A = SARI_TAKE(m, double, l* l + 1);
    p->w = SARI_TAKE(m, double, l + 1);
    p->z = SARI_TAKE(m, double, l + 1);
    p->side = SARI_TAKE(m, int, l + 1);
    p->listed = SARI_TAKE(m, int, l + 1);
    p->basis = SARI_TAKE(m, int, l + 1);
    p->slides = SARI_TAKE(m, char, nq + 1);
    if (p->hard > 0) SARI_TRY(sari_qr_create(p->n, p->hard, &p->qr));
    sari_pose_hold(p, 0);
    return m->failed ? SAR_E_NOMEM : SAR_OK;
}

/* The place of the simulation in these coordinates; offsets as drawn and revolutions are counted from it. */
static sar_status take_start(plan* at)
{
    sar_pose* p = at->p;
    sari_system* sys = p->system;
    const sari_mechanism* m = sys->mechanism;
    const sar_simulation* s = at->start;
    const sari_tree* tree = sys->coordinates.tree;
    for (int k = 0; k < tree->nodes; k++)
        p->slides[tree->node[k].q] = tree->node[k].motion == SARI_SLIDE;
    double* rest = SARI_NEW_ARRAY(double, m->nx * m->bodies + 3 * m->bodies);
    if (!rest) return SAR_E_NOMEM;
    sari_kinematics_update(s->system->kinematics, s->state.q, NULL, 1);
    sys->coordinates.ops->from_placement(&sys->coordinates, s->system->kinematics->X, rest,
                                         rest + m->nx * m->bodies, p->start, p->step);
    sari_release(rest);
    sari_turns_start(sys, p->t);
    sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN, p->t, p->start, NULL);
    sari_kinematics_update(sys->kinematics, p->start, NULL, 1);
    sari_turns_resolve_halves(sys->kinematics);
    sari_system_set_offsets(sys);
    sari_turns_commit(sys->kinematics, p->t);
    for (int k = 0; k < p->rows; k++)
        if (isnan(p->row[k].wanted)) p->row[k].wanted = 0.0;
    return SAR_OK;
}

/* What is kept, wanted or preferred as at the start. */
static sar_status keep_start(plan* at, const sar_pose_row* rows)
{
    sar_pose* p = at->p;
    memcpy(p->q, p->start, (size_t)p->system->np * sizeof(double));
    if (sari_pose_evaluate(p, p->q) != SAR_OK)
        return sari_fail(at->error, SAR_R_NOT_FINITE, NULL,
                         "what is wanted has no value at the start");
    for (int k = 0, given = 0; k < p->given; k++, given++) {
        while (keeps_drive(at, &rows[given])) given++;
        if (isnan(rows[given].value)) p->row[k].wanted = p->row[k].value;
    }
    return SAR_OK;
}

static sar_status build(plan* at, const sar_options* options, const sar_pose_row* rows, int count)
{
    sar_pose* p = at->p;
    SARI_TRY(find_start(at, options));
    for (int k = 0; k < count; k++) {
        SARI_TRY(check_row(&rows[k], at->error));
        if (!keeps_drive(at, &rows[k])) SARI_TRY(add_row(at, &rows[k]));
    }
    p->given = p->rows;
    SARI_TRY(show_tree(at));
    SARI_TRY(make_system(at));
    SARI_TRY(convert_rows(at));
    p->owned = p->rows;
    add_limits(p);
    SARI_TRY(list_signals(at));
    SARI_TRY(take_memory(p));
    SARI_TRY(take_start(at));
    return keep_start(at, rows);
}

sar_status sar_pose_create(sar_model* model, const sar_options* options, const sar_pose_row* rows,
                           int count, sar_pose** out, sar_error* error)
{
    const int signals = model->signals_count;
    plan at = {.p = SARI_NEW(sar_pose), .model = model, .error = error};
    at.capacity = count + 6 * model->bodies_count + 1;
    const int all = at.capacity + count_limits(model);
    at.user = SARI_NEW_ARRAY(sari_expression*, at.capacity);
    at.drive = SARI_NEW_ARRAY(char, model->joints_count + 1);
    if (at.p) at.p->row = SARI_TAKE(&at.p->memory, sari_pose_row, all);
    sar_status st = at.p && at.user && at.drive && !at.p->memory.failed ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK) st = build(&at, options, rows, count);
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the pose");
    for (int k = 0; at.user && k < at.capacity; k++) sari_expression_destroy(at.user[k]);
    sari_release(at.user);
    sari_release(at.drive);
    sar_simulation_destroy(at.start);
    sari_model_forget_signals(model, signals);
    if (st == SAR_OK)
        *out = at.p;
    else
        sar_pose_destroy(at.p);
    return st;
}

void sar_pose_destroy(sar_pose* p)
{
    if (!p) return;
    for (int k = 0; k < p->owned; k++) sari_expression_destroy(p->row[k].e);
    sari_system_destroy(p->system);
    sari_model_in_units_destroy(p->model);
    sari_qr_clear(&p->qr);
    sari_arena_clear(&p->memory);
    sari_release(p);
}

/* ---- solving -------------------------------------------------------------------------------- */

sar_status sar_pose_set(sar_pose* p, int row, double value)
{
    if (row < 0 || row >= p->given || !isfinite(value)) return SAR_E_ARG;
    p->row[row].wanted = value / p->row[row].unit;
    return SAR_OK;
}

/* Shown rows too, and revolutions are counted from here. */
static sar_status commit(sar_pose* p)
{
    const sar_status st = sari_pose_evaluate(p, p->q);
    sari_turns_commit(p->system->kinematics, p->t);
    for (int k = 0; k < p->rows; k++)
        if (p->row[k].role == SAR_POSE_SHOW)
            p->row[k].value = sari_expression_value(p->row[k].e, p->variables);
    return st;
}

sar_status sar_pose_solve(sar_pose* p, int starts, sar_pose_report* report)
{
    sar_pose_report own;
    const sar_status st = sari_pose_search(p, starts, report ? report : &own);
    commit(p);
    return st;
}

void sar_pose_reset(sar_pose* p)
{
    memcpy(p->q, p->start, (size_t)p->system->np * sizeof(double));
    commit(p);
}

sar_status sar_pose_table(sar_pose* p, int starts, int count, int wanted, const int* rows,
                          const double* values, sar_pose_report* reports, double* shown)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < wanted; k++)
            SARI_TRY(sar_pose_set(p, rows[k], values[(long)i * wanted + k]));
        const sar_status st = sar_pose_solve(p, starts, &reports[i]);
        if (st != SAR_OK && st != SAR_R_NO_CONV) return st;
        for (int k = 0; shown && k < p->starts; k++)
            shown[(long)i * p->starts + k] = sar_pose_start_value(p, k);
    }
    return SAR_OK;
}

/* ---- what was found ------------------------------------------------------------------------- */

/* Start conditions stand between the rows that were given and the limits of the model. */
static const sari_pose_row* row_at(const sar_pose* p, int row)
{
    if (row < 0 || row >= p->rows - p->starts) return NULL;
    return &p->row[row < p->given ? row : row + p->starts];
}

int sar_pose_rows(const sar_pose* p)
{
    return p->rows - p->starts;
}

const char* sar_pose_row_name(const sar_pose* p, int row)
{
    const sari_pose_row* at = row_at(p, row);
    return at ? at->name : NULL;
}

sar_status sar_pose_row_value(const sar_pose* p, int row, double* value, double* miss)
{
    const sari_pose_row* at = row_at(p, row);
    if (!at) return SAR_E_ARG;
    if (value) *value = at->unit * at->value;
    const double off = sari_pose_miss(at);
    if (miss) *miss = fabs(off) <= sari_pose_exact ? 0.0 : at->unit * off;
    return SAR_OK;
}

int sar_pose_starts(const sar_pose* p)
{
    return p->starts;
}

const char* sar_pose_start_name(const sar_pose* p, int k)
{
    return p->row[p->given + k].name;
}

double sar_pose_start_value(const sar_pose* p, int k)
{
    const sari_pose_row* row = &p->row[p->given + k];
    return row->unit * row->value;
}

void sar_pose_body(const sar_pose* p, sar_body_id body, double position[3], double quaternion[4])
{
    const sari_mechanism* m = p->system->mechanism;
    const double* X = p->system->kinematics->X + m->nx * body.i;
    double R[9], center[3];
    for (int i = 0; i < 3; i++) position[i] = 0.0;
    for (int i = 0; i < 4; i++) quaternion[i] = i == 0;
    if (body.i == 0) return;
    sari_rotation_of(m, X, R);
    sari_quaternion_of_rotation(R, quaternion);
    sari_rotate(R, m->model->bodies[body.i].def.center, center);
    for (int i = 0; i < m->dimension; i++)
        position[i] = p->units.length * (X[i] - center[i]) + p->units.origin[i];
}
