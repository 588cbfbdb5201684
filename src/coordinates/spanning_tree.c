/* Every joint of the tree takes as many coordinates as it leaves free, every joint that is cut as
 * many constraints as it has rows. So the tree is made of the joints with the most rows; among
 * equal ones that next to the ground comes first, so that paths are short. A joint marked `cut`
 * comes last; those without motions are always cut. So are joints that attach where their bodies
 * are: their place is not known yet. A body without a joint gets all the motions of a free body. */
#include "coordinates/spanning_tree.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"

#include <stdlib.h>

static const double NONE[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static const double* matrix_of(sari_frame_step step)
{
    static const double matrix[SARI_STEPS][9] = {[SARI_NO_MOTION] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                                 [SARI_STRAIGHT] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                                 [SARI_ROUND] = {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                                 [SARI_ROUND_TWICE] = {0, 1, 0, 0, 0, 1, 1, 0, 0},
                                                 [SARI_ACROSS] = {0, 0, 1, 0, -1, 0, 1, 0, 0}};
    return matrix[step];
}

/* What no joint holds. */
static const sari_motions FREE = {{{SARI_ROUND, SARI_SLIDE},
                                   {SARI_ROUND, SARI_SLIDE},
                                   {SARI_ROUND, SARI_SLIDE},
                                   {SARI_STRAIGHT, SARI_BALL}}};
static const sari_motions IN_PLANE = {
    {{SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_SLIDE}, {SARI_ROUND, SARI_TURN}}};

/* ---- choice --------------------------------------------------------------------------------- */

typedef struct weighed_body {
    double mass;
    int body;
} weighed_body;

typedef struct chooser {
    sari_arena memory;
    const sari_mechanism* m;
    int* rows;         ///< per joint of the model; 0: cannot be in the tree
    int* depth;        ///< per body: joints to the ground; -1: not in the tree yet
    int *first, *list; ///< joints of body b: list[first[b]] .. list[first[b + 1] - 1]
    int* from;         ///< per joint that waits: its body in the tree
    int*
        heap; ///< joints from the tree to other bodies, and some whose bodies both are in it by now
    int waiting;            ///< in the heap
    weighed_body* heavy;    ///< all bodies, the heaviest first
    int passed;             ///< of these are in the tree by now
    sari_tree_joint* joint; ///< chosen
    int joints;
} chooser;

static const sari_joint_form* form_of(const sari_mechanism* m, int joint)
{
    return sari_form_of(&m->model->joints[joint].pair, m->dimension);
}

/* A joint whose motions are not all that its conditions leave is always cut. */
static void count_rows(chooser* c)
{
    const sari_mechanism* m = c->m;
    const int all = m->dimension == 2 ? 3 : 6;
    for (int k = 0; k < m->conditions_count; k++)
        c->rows[m->conditions[k].joint] += m->conditions[k].poly_end - m->conditions[k].poly;
    for (int j = 0; j < m->model->joints_count; j++)
        if (c->rows[j] && (m->model->joints[j].pair.attach_here ||
                           c->rows[j] + sari_motions_freedom(&form_of(m, j)->motions) != all))
            c->rows[j] = 0;
}

static int is_cut(const chooser* c, int joint)
{
    return c->m->model->joints[joint].pair.cut;
}

/* Which joints a body has. */
static void list_joints(chooser* c)
{
    const sar_model* model = c->m->model;
    for (int j = 0; j < model->joints_count; j++) {
        if (c->rows[j] == 0) continue;
        c->first[model->joints[j].pair.a.body.i]++;
        c->first[model->joints[j].pair.b.body.i]++;
    }
    for (int b = 0; b < c->m->bodies; b++) c->first[b + 1] += c->first[b]; // where lists end
    for (int j = 0; j < model->joints_count; j++) {
        if (c->rows[j] == 0) continue;
        c->list[--c->first[model->joints[j].pair.a.body.i]] = j;
        c->list[--c->first[model->joints[j].pair.b.body.i]] = j;
    }
}

/* Does joint j come before joint k? Both wait. */
static int before(const chooser* c, int j, int k)
{
    const int depth_j = c->depth[c->from[j]], depth_k = c->depth[c->from[k]];
    if (is_cut(c, j) != is_cut(c, k)) return is_cut(c, k);
    if (c->rows[j] != c->rows[k]) return c->rows[j] > c->rows[k];
    return depth_j != depth_k ? depth_j < depth_k : j < k;
}

static void push(chooser* c, int j)
{
    int at = c->waiting++;
    for (; at > 0 && before(c, j, c->heap[(at - 1) / 2]); at = (at - 1) / 2)
        c->heap[at] = c->heap[(at - 1) / 2];
    c->heap[at] = j;
}

static int pop(chooser* c)
{
    const int first = c->heap[0], last = c->heap[--c->waiting];
    int at = 0;
    for (int next = 1; next < c->waiting; next = 2 * at + 1) {
        if (next + 1 < c->waiting && before(c, c->heap[next + 1], c->heap[next])) next++;
        if (!before(c, c->heap[next], last)) break;
        c->heap[at] = c->heap[next];
        at = next;
    }
    c->heap[at] = last;
    return first;
}

static int other_body(const chooser* c, int joint, int body)
{
    const sar_joint_def* def = &c->m->model->joints[joint].pair;
    return def->a.body.i == body ? def->b.body.i : def->a.body.i;
}

/* Body b is in the tree: what hangs on it may come next. */
static void reach(chooser* c, int b, int depth)
{
    c->depth[b] = depth;
    for (int k = c->first[b]; k < c->first[b + 1]; k++) {
        const int j = c->list[k];
        if (c->depth[other_body(c, j, b)] >= 0) continue;
        c->from[j] = b;
        push(c, j);
    }
}

/* The joint that comes next, or -1 when none reaches a body that is not in the tree. */
static int next_joint(chooser* c)
{
    while (c->waiting) {
        const int j = pop(c);
        if (c->depth[other_body(c, j, c->from[j])] < 0) return j;
    }
    return -1;
}

static int by_mass(const void* a_, const void* b_)
{
    const weighed_body *a = a_, *b = b_;
    if (a->mass != b->mass) return a->mass > b->mass ? -1 : 1;
    return (a->body > b->body) - (a->body < b->body);
}

static void weigh(chooser* c)
{
    for (int b = 1; b < c->m->bodies; b++)
        c->heavy[b - 1] = (weighed_body){c->m->model->bodies[b].def.mass, b};
    qsort(c->heavy, (size_t)(c->m->bodies - 1), sizeof *c->heavy, by_mass);
}

/* Bodies only get into the tree, so that those passed need no second look. */
static int heaviest_outside(chooser* c)
{
    while (c->depth[c->heavy[c->passed].body] >= 0) c->passed++;
    return c->heavy[c->passed].body;
}

static void choose(chooser* c)
{
    count_rows(c);
    list_joints(c);
    weigh(c);
    for (int b = 1; b < c->m->bodies; b++) c->depth[b] = -1;
    reach(c, 0, 0);
    while (c->joints < c->m->bodies - 1) {
        const int j = next_joint(c), parent = j < 0 ? 0 : c->from[j];
        const int child = j < 0 ? heaviest_outside(c) : other_body(c, j, parent);
        reach(c, child, c->depth[parent] + 1);
        c->joint[c->joints++] = (sari_tree_joint){.joint = j, .parent = parent, .child = child};
    }
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Columns x, y = z x x, z, of the two that are given */
static void frame_of(const double x[3], const double z[3], double E[9])
{
    double y[3];
    sari_cross(z, x, y);
    for (int k = 0; k < 3; k++) E[3 * k] = x[k], E[3 * k + 1] = y[k], E[3 * k + 2] = z[k];
}

static void frame_of_end(const sari_mechanism* m, const sar_end* e, double E[9])
{
    double x[3], other[3];
    if (sari_norm3(e->axis) < 0.5) { // has none
        memcpy(E, NONE, sizeof NONE);
        return;
    }
    memcpy(x, e->normal, sizeof x);
    if (sari_norm3(x) < 0.5) sari_perpendiculars(m, e, x, other);
    frame_of(x, e->axis, E);
}

/* Turned by half a turn about x, or y: the other two axes point the other way. */
static void flip(double E[9], int about)
{
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            if (c != about) E[3 * k + c] = -E[3 * k + c];
}

/* Columns c of the two frames as drawn: do they point the same way? */
static double along(const sari_mechanism* m, const sari_tree_joint* j, int c)
{
    double R[9], a[3] = {j->E_p[c], j->E_p[3 + c], j->E_p[6 + c]};
    double b[3] = {j->E_c[c], j->E_c[3 + c], j->E_c[6 + c]};
    sari_rotation_of(m, m->X0 + m->nx * j->parent, R);
    sari_rotate(R, a, a);
    sari_rotation_of(m, m->X0 + m->nx * j->child, R);
    sari_rotate(R, b, b);
    return sari_dot(a, b);
}

/* Conditions leave open which way an axis points; the drawing decides. */
static void agree_with_drawing(const sari_mechanism* m, sari_tree_joint* j,
                               const sari_joint_form* form)
{
    if (!sari_form_aligns(form)) return;
    if (along(m, j, 2) < 0.0) flip(j->E_c, m->dimension == 2 ? 1 : 0);
    if (sari_form_has(form, SARI_SAME_ORIENTATION) && along(m, j, 0) < 0.0) flip(j->E_c, 2);
}

static void arm(const sari_mechanism* m, int body, const double point[3], double s[3])
{
    const double* center = m->model->bodies[body].def.center;
    for (int k = 0; k < 3; k++) s[k] = point[k] - (body ? center[k] : 0.0);
}

static const sari_motions* set_frames(const sari_mechanism* m, sari_tree_joint* j)
{
    const int planar = m->dimension == 2;
    memcpy(j->E_p, NONE, sizeof NONE);
    memcpy(j->E_c, NONE, sizeof NONE);
    if (j->joint < 0) return planar ? &IN_PLANE : &FREE;
    const sar_joint_def* def = &m->model->joints[j->joint].pair;
    const sari_joint_form* form = form_of(m, j->joint);
    const int back = def->a.body.i == j->child, one_sided = !sari_form_symmetric(form);
    const sari_motions* motions = back && one_sided ? &form->back : &form->motions;
    const sar_end *p = back ? &def->b : &def->a, *c = back ? &def->a : &def->b;
    arm(m, j->parent, p->point, j->s_p);
    arm(m, j->child, c->point, j->s_c);
    if (!one_sided || !back) frame_of_end(m, p, j->E_p); // the line is a's
    if (!one_sided || back) frame_of_end(m, c, j->E_c);
    if (back && sari_motions_count(motions)) { // coordinates are those of b against a
        const int about = planar && form->axis ? 1 : 0;
        if (!one_sided) flip(j->E_p, about);
        if (!motions->tail) flip(j->E_c, about); // of two displacements it would turn one
    }
    agree_with_drawing(m, j, form);
    return motions;
}

/* ---- layout --------------------------------------------------------------------------------- */

/* Pose of the joint's frame in the node of the parent body. */
static void joint_pose(const sari_tree* t, const sari_tree_joint* j, double R[9], double r[3])
{
    const double* body = t->body_R + 9 * j->parent;
    sari_multiply3(body, j->E_p, R);
    sari_rotate(body, j->s_p, r);
    for (int k = 0; k < 3; k++) r[k] += t->body_r[3 * j->parent + k];
}

static void add_nodes(sari_tree* t, sari_tree_joint* j, const sari_motions* s, int* np, int* nq)
{
    const int count = sari_motions_count(s);
    double R[9], r[3], back[9];
    int last = t->body_node[j->parent];
    joint_pose(t, j, R, r);
    j->first = t->nodes;
    j->count = count;
    memcpy(j->tail, matrix_of(s->tail), sizeof j->tail);
    for (int i = 0; i < count; i++) {
        sari_tree_node* node = &t->node[t->nodes];
        *node = (sari_tree_node){.motion = s->part[i].motion,
                                 .parent = last,
                                 .joint = j->joint,
                                 .p = *np,
                                 .q = *nq,
                                 .n = s->part[i].motion == SARI_BALL ? 3 : 1};
        sari_multiply3(i ? NONE : R, matrix_of(s->part[i].step), node->R);
        if (!i) memcpy(node->r, r, sizeof r);
        *np += node->n == 3 ? 4 : 1;
        *nq += node->n;
        last = t->nodes++;
    }
    t->body_node[j->child] = last;
    for (int k = 0; k < 9; k++) back[k] = j->E_c[3 * (k % 3) + k / 3];
    double* body = t->body_R + 9 * j->child;
    sari_multiply3(j->tail, back, body);
    if (!count) sari_multiply3(R, body, body);
    sari_rotate(body, j->s_c, t->body_r + 3 * j->child);
    for (int k = 0; k < 3; k++)
        t->body_r[3 * j->child + k] = (count ? 0.0 : r[k]) - t->body_r[3 * j->child + k];
}

/* Coordinates between every body and the ground. */
static sar_status list_ways(sari_coordinates* c)
{
    const sari_tree* t = c->tree;
    int* way = SARI_NEW_ARRAY(int, t->nq);
    sar_status st = way ? SAR_OK : SAR_E_NOMEM;
    for (int b = 1; b < c->mechanism->bodies && st == SAR_OK; b++) {
        int n = 0;
        for (int i = t->body_node[b]; i >= 0; i = t->node[i].parent)
            for (int k = t->node[i].n - 1; k >= 0; k--) way[n++] = t->node[i].q + k;
        for (int k = 0; k < n / 2; k++) {
            int swap = way[k];
            way[k] = way[n - 1 - k];
            way[n - 1 - k] = swap;
        }
        c->body[b].nq = n;
        c->body[b].q = sari_arena_copy(&c->memory, way, (size_t)n, sizeof *way);
        if (c->memory.failed) st = SAR_E_NOMEM;
    }
    sari_release(way);
    return st;
}

/* in_tree: per joint of the model, zero at first */
static void mark_met(sari_coordinates* c, int* in_tree)
{
    const sari_mechanism* m = c->mechanism;
    for (int j = 0; j < c->tree->joints; j++)
        if (c->tree->joint[j].joint >= 0) in_tree[c->tree->joint[j].joint] = 1;
    for (int k = 0; k < m->conditions_count; k++)
        if (in_tree[m->conditions[k].joint]) c->met[k] = 1;
}

/* Balls that roll, turn about their centre of mass, and carry nothing. */
static void mark_balls(sari_tree* t)
{
    const sari_mechanism* m = t->mechanism;
    for (int j = 0; j < t->joints; j++) {
        const sari_tree_joint* joint = &t->joint[j];
        const int last = joint->first + joint->count - 1;
        int alone = m->ball[joint->child] && joint->count && t->node[last].motion == SARI_BALL &&
                    sari_norm3(t->body_r + 3 * joint->child) == 0.0;
        if (alone) t->node[last].outer = 1;
    }
    for (int j = 0; j < t->joints; j++) {
        const int carrier = t->body_node[t->joint[j].parent];
        if (carrier >= 0) t->node[carrier].outer = 0;
    }
}

static sar_status lay_out(sari_coordinates* c, chooser* chosen)
{
    const sari_mechanism* m = c->mechanism;
    int nodes = 0, np = 0, nq = 0;
    const sari_motions** motions = SARI_TAKE(&chosen->memory, const sari_motions*, chosen->joints);
    if (!motions) return SAR_E_NOMEM;
    for (int j = 0; j < chosen->joints; j++) {
        motions[j] = set_frames(m, &chosen->joint[j]);
        nodes += sari_motions_count(motions[j]);
        for (int i = 0; i < sari_motions_count(motions[j]); i++) {
            const int ball = motions[j]->part[i].motion == SARI_BALL;
            np += ball ? 4 : 1;
            nq += ball ? 3 : 1;
        }
    }
    sari_tree* t = c->tree = sari_tree_create(m, nodes, np, nq);
    c->evaluator = &sari_evaluator_tree;
    if (!t) return SAR_E_NOMEM;
    t->joints = chosen->joints;
    t->joint = sari_arena_copy(&t->memory, chosen->joint, (size_t)t->joints, sizeof *t->joint);
    if (!t->joint) return SAR_E_NOMEM;
    t->nodes = np = nq = 0;
    t->body_node[0] = -1;
    memcpy(t->body_R, NONE, sizeof NONE);
    for (int j = 0; j < t->joints; j++) add_nodes(t, &t->joint[j], motions[j], &np, &nq);
    if (m->velocity_rows_count) mark_balls(t);
    sari_tree_complete(t);
    return SAR_OK;
}

static int make_room(chooser* c)
{
    const int joints = c->m->model->joints_count;
    c->rows = SARI_TAKE(&c->memory, int, joints);
    c->depth = SARI_TAKE(&c->memory, int, c->m->bodies);
    c->first = SARI_TAKE(&c->memory, int, c->m->bodies + 1);
    c->list = SARI_TAKE(&c->memory, int, 2 * joints);
    c->from = SARI_TAKE(&c->memory, int, joints);
    c->heap = SARI_TAKE(&c->memory, int, joints);
    c->heavy = SARI_TAKE(&c->memory, weighed_body, c->m->bodies);
    c->joint = SARI_TAKE(&c->memory, sari_tree_joint, c->m->bodies);
    return !c->memory.failed;
}

static sar_status list_turns(sari_coordinates* c)
{
    const sari_tree* t = c->tree;
    c->turns = SARI_TAKE(&c->memory, int, t->nq);
    for (int i = 0; c->turns && i < t->nodes; i++)
        if (t->node[i].motion == SARI_BALL) c->turns[t->node[i].q] = t->node[i].outer ? -1 : 1;
    return c->turns ? SAR_OK : SAR_E_NOMEM;
}

sar_status sari_spanning_tree(sari_coordinates* c)
{
    const sari_mechanism* m = c->mechanism;
    chooser chosen = {.m = m};
    sar_status st = SAR_E_NOMEM;
    if (make_room(&chosen)) {
        choose(&chosen);
        st = lay_out(c, &chosen);
        memset(chosen.from, 0, (size_t)m->model->joints_count * sizeof(int));
        if (st == SAR_OK) mark_met(c, chosen.from);
    }
    sari_arena_clear(&chosen.memory);
    SARI_TRY(st);
    SARI_TRY(list_turns(c));
    return list_ways(c);
}
