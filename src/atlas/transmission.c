/* How force goes on: bars with two revolute joints carry it along their line. With v the velocity of the end that is driven and
 * e the direction of the bar, the transmission angle mu is that between bar and the direction across v,
 *
 *     sin mu = |e . v|/|v|,        90 degrees: all of the force moves; 0: none of it             (1)
 *
 * which in a four-bar is the angle between coupler and follower. The driven end is the one that is farther from the input,
 * counted in joints. */
#include "atlas/values.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { SECTIONS = 40 };
static const double GOLDEN = 0.61803398874989485;
static const double NOTHING = 1e-7; ///< an angle at which nothing is transmitted [rad]

/* Joints between bodies and the input: 0 of the body that it moves. */
static void count_joints(const sari_mechanism* m, int first, int* far)
{
    for (int b = 0; b < m->bodies; b++) far[b] = b == first ? 0 : m->bodies + 1;
    for (int round = 0; round < m->bodies; round++)
        for (int j = 0; j < m->model->joints_count; j++) {
            if (!m->active[j] || m->model->joints[j].relation) continue;
            const int a = m->pair[j].a.body.i, b = m->pair[j].b.body.i;
            if (a == 0 || b == 0) continue; // nothing goes through the ground
            if (far[a] + 1 < far[b]) far[b] = far[a] + 1;
            if (far[b] + 1 < far[a]) far[a] = far[b] + 1;
        }
}

/* Turns about one axis alone. */
static int is_revolute(const sari_mechanism* m, int j)
{
    const sari_joint_type* type = sari_joint_type_of(&m->model->joints[j]);
    const sari_joint_form* form = type ? sari_form_of(&m->pair[j], m->dimension) : NULL;
    return form && type->coordinates == 1 && sari_is_angle(type->coordinate[0]) &&
           sari_form_has(form, SARI_COINCIDE);
}

static int other_body(const sari_mechanism* m, int joint, int body)
{
    return m->pair[joint].a.body.i == body ? m->pair[joint].b.body.i : m->pair[joint].a.body.i;
}

/* The joints of a body, at most three. Of several with the same other body, redundant ones, the first. */
static int joints_of(const sari_mechanism* m, int body, int joint[3])
{
    int count = 0;
    for (int j = 0; j < m->model->joints_count; j++) {
        if (!m->active[j] || m->model->joints[j].relation) continue;
        if (m->pair[j].a.body.i != body && m->pair[j].b.body.i != body) continue;
        int twin = 0;
        while (twin < count && other_body(m, joint[twin], body) != other_body(m, j, body)) twin++;
        if (twin < count) continue;
        joint[count++] = j;
        if (count == 3) break;
    }
    return count;
}

/* The input: what a drive prescribes, else the first coordinate of a joint with the ground. */
static int find_input(const sar_map* map)
{
    const sari_values* values = map->values;
    const sari_mechanism* m = map->locus.sys->mechanism;
    for (int k = 0; k < values->count; k++)
        if (values->quantity[k].is_input) return k;
    for (int k = 0; k < values->count; k++) {
        if (values->quantity[k].joint.i < 0) break;
        const sar_joint_def* pair = &m->pair[values->quantity[k].joint.i];
        if (pair->a.body.i == 0 || pair->b.body.i == 0) return k;
    }
    return -1;
}

sar_status sari_bars_create(sar_map* map)
{
    const sari_mechanism* m = map->locus.sys->mechanism;
    sari_values* values = map->values;
    sari_arena scratch = {0};
    int* far = SARI_TAKE(&scratch, int, m->bodies + 1);
    values->bar = SARI_TAKE(&values->memory, sari_bar, m->bodies + 1);
    values->input = find_input(map);
    const int ok = far && values->bar;
    if (ok && values->input >= 0) {
        const sar_joint_def* pair = &m->pair[values->quantity[values->input].joint.i];
        count_joints(m, pair->b.body.i ? pair->b.body.i : pair->a.body.i, far);
        for (int b = 1; b < m->bodies; b++) {
            int joint[3];
            if (joints_of(m, b, joint) != 2 || !is_revolute(m, joint[0]) ||
                !is_revolute(m, joint[1]))
                continue;
            const int x = other_body(m, joint[0], b), y = other_body(m, joint[1], b);
            if (far[b] == 0 || x == 0 || y == 0 || far[x] == far[y]) continue;
            const int last = far[y] > far[x];
            values->bar[values->bars++] = (sari_bar){b, joint[!last], joint[last]};
        }
    }
    sari_arena_clear(&scratch);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

static void end_of(const sari_kinematics* k, int joint, int body, double p[3], double v[3])
{
    const sari_mechanism* m = k->coordinates->mechanism;
    const sar_end* end = m->pair[joint].a.body.i == body ? &m->pair[joint].a : &m->pair[joint].b;
    const double *X = k->X + m->nx * body, *Xd = k->Xd + m->nx * body;
    double R[9], w[3], arm[3], turned[3], rate[3];
    sari_rotation_of(m, X, R);
    sari_spin_of(m, X, Xd, w);
    for (int i = 0; i < 3; i++) arm[i] = end->point[i] - m->model->bodies[body].def.center[i];
    sari_rotate(R, arm, turned);
    sari_cross(w, turned, rate);
    for (int i = 0; i < 3; i++) {
        p[i] = turned[i] + (i < m->dimension ? X[i] : 0.0);
        v[i] = rate[i] + (i < m->dimension ? Xd[i] : 0.0);
    }
}

double sari_bar_angle(const sar_map* map, int bar)
{
    const sari_kinematics* k = map->locus.sys->kinematics;
    const sari_bar* b = &map->values->bar[bar];
    double p[2][3], v[2][3], e[3];
    end_of(k, b->from, b->body, p[0], v[0]);
    end_of(k, b->to, b->body, p[1], v[1]);
    for (int i = 0; i < 3; i++) e[i] = p[1][i] - p[0][i];
    const double speed = sari_norm3(v[1]), length = sari_norm3(e);
    if (!(speed > 1e-9 && length > 0.0)) return NAN;
    return sari_asin(fmin(1.0, fabs(sari_dot(e, v[1])) / (speed * length)));
}

/* mu at a part of the arc; NaN becomes the best, so that it is no least value. */
static double angle_at(sar_map* map, const sari_arc* arc, int bar, double at, double* q)
{
    sari_arc_at(map, arc, at, q, q + map->locus.n);
    sari_values_eval(map, q, q + map->locus.n);
    const double mu = sari_bar_angle(map, bar);
    return isnan(mu) ? 2.0 : mu;
}

/* The least value near `at`, by sections of +-`wide`. */
static double refine(sar_map* map, const sari_arc* arc, int bar, double* at, double wide, double* q)
{
    double a = fmax(0.0, *at - wide), b = fmin(1.0, *at + wide);
    double x = b - GOLDEN * (b - a), y = a + GOLDEN * (b - a);
    double fx = angle_at(map, arc, bar, x, q), fy = angle_at(map, arc, bar, y, q);
    for (int k = 0; k < SECTIONS && b - a > 1e-9; k++) {
        if (fx < fy) {
            b = y, y = x, fy = fx;
            x = b - GOLDEN * (b - a), fx = angle_at(map, arc, bar, x, q);
        } else {
            a = x, x = y, fx = fy;
            y = a + GOLDEN * (b - a), fy = angle_at(map, arc, bar, y, q);
        }
    }
    *at = 0.5 * (a + b);
    return fmin(fx, fy);
}

sar_status sari_bars_along(sar_map* map, const sari_arc* arc, sar_map_arc* out)
{
    sari_values* values = map->values;
    sari_arena scratch = {0};
    const size_t n = (size_t)map->locus.n;
    double* q = SARI_TAKE(&scratch, double, 2 * n + 1);
    sar_map_transmission* list = SARI_TAKE(&values->memory, sar_map_transmission, values->bars + 1);
    const int ok = q && list;
    for (int bar = 0; ok && bar < values->bars; bar++) {
        sar_map_transmission* to = &list[bar];
        *to = (sar_map_transmission){{values->bar[bar].body}, {values->bar[bar].to}, 2.0, 0.0};
        double way = 0.0, widest = 0.0;
        for (int i = 0; i < arc->points; i++) {
            sari_values_eval(map, arc->q + (size_t)i * n, arc->t + (size_t)i * n);
            const double mu = sari_bar_angle(map, bar);
            if (mu < to->least) to->least = mu, to->at = way / arc->length;
            if (i + 1 == arc->points) break;
            const double step = sari_arc_segment(map, arc, i);
            way += step, widest = fmax(widest, step / arc->length);
        }
        if (to->least < NOTHING) continue; // it cannot be less
        double at = to->at;
        const double least = to->least < 2.0 ? refine(map, arc, bar, &at, widest, q) : NAN;
        if (!(least >= to->least)) to->least = least, to->at = at;
    }
    if (ok) out->transmission = list, out->transmissions = values->bars;
    sari_arena_clear(&scratch);
    return ok ? SAR_OK : SAR_E_NOMEM;
}
