/* Arrows of forces in drawings. */
#include "draw/draw.h"

#include "math/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const arrow_kinds[] = {"reactions", "forces", "weights"};

int cli_arrows_check(const char* list)
{
    cli_words words = {0};
    cli_words_split(&words, list, ", ");
    int known = words.count > 0;
    for (int k = 0; k < words.count; k++) {
        int found = 0;
        for (int i = 0; i < 3; i++) found |= strcmp(words.items[k], arrow_kinds[i]) == 0;
        known &= found;
    }
    cli_words_clear(&words);
    return known;
}

enum { REACTIONS, FORCES, WEIGHTS, ARROW_KINDS };
static const long arrow_colours[] = {0xe11d48, 0x2563eb, 0x8a6d00};

/// What acts on which point of a body.
typedef struct arrow {
    int kind, which, body; ///< body < 0: nothing to be drawn
    double point[3], radius;
} arrow;

static arrow arrow_at(const cli_draw_job* j, int kind, int k)
{
    const sar_model* model = j->scene.file.model;
    arrow a = {.kind = kind, .which = k, .body = -1};
    sar_end first, second;
    if (kind == WEIGHTS) {
        a.body = k;
        sar_model_find_point(model, (sar_body_id){k}, "center", 6, a.point);
    } else if (kind == FORCES) {
        const sar_force_place place = sar_model_force_place(model, (sar_force_id){k});
        a.which += sar_model_joints(model);
        a.body = place.body.i;
        a.radius = place.radius;
        memcpy(a.point, place.point, sizeof a.point);
    } else if (sar_model_joint_ends(model, k, &first, &second)) {
        a.body = second.body.i;
        memcpy(a.point, second.point, sizeof a.point);
    }
    return a;
}

static void force_of(const cli_draw_job* j, const arrow* a, double t, double force[3])
{
    if (a->kind != WEIGHTS) {
        cli_scene_action(&j->scene, t, a->which, force);
        return;
    }
    sar_model_gravity(j->scene.file.model, force);
    for (int k = 0; k < 3; k++) force[k] *= sar_model_body_mass(j->scene.file.model, a->which);
}

/* From `from` along the force; a wheel is pushed where it touches the ground. The head is flat. */
static void draw_arrow(cli_draw_job* j, const arrow* a, const double force[3], double scale)
{
    const double size = sar_drawing_size(j->scene.drawing), head = 0.08 * size;
    double from[3], to[3], up[3], p[2], q[2], depth;
    cli_place(j->poses, a->body, a->point, from);
    sar_drawing_up(j->scene.drawing, up);
    for (int k = 0; k < 3; k++) from[k] -= a->radius * up[k], to[k] = from[k] + scale * force[k];
    cli_project(&j->eye, from, p, &depth);
    cli_project(&j->eye, to, q, &depth);
    const double x = q[0] - p[0], y = q[1] - p[1], length = sari_hypot(x, y);
    if (!(length > 0.02 * size)) return;
    const double h = fmin(head, length), cx = h * x / length, cy = h * y / length;
    const double shaft[2][2] = {{p[0], p[1]}, {q[0] - cx, q[1] - cy}};
    const double tip[3][2] = {{q[0], q[1]},
                              {q[0] - cx - 0.35 * cy, q[1] - cy + 0.35 * cx},
                              {q[0] - cx + 0.35 * cy, q[1] - cy - 0.35 * cx}};
    const cli_figure common = {.depth = 1e9 * size,
                               .fill = CLI_NO_COLOUR,
                               .stroke = arrow_colours[a->kind],
                               .width = 2.2,
                               .alpha = 0.9,
                               .frame = -1};
    cli_figure line = common, end = common;
    line.n = 2;
    end.n = 3, end.closed = 1, end.width = 0.5, end.fill = arrow_colours[a->kind];
    cli_sheet_add(&j->sheet, line, shaft);
    cli_sheet_add(&j->sheet, end, tip);
}

/* All arrows at a time; returns the largest force. With a scale of 0 nothing is drawn. */
static double draw_arrows(cli_draw_job* j, double t, double scale)
{
    const sar_model* model = j->scene.file.model;
    const int counts[] = {sar_model_joints(model), sar_model_forces(model),
                          sar_model_bodies(model)};
    double most = 0.0;
    for (int kind = 0; kind < ARROW_KINDS; kind++)
        for (int k = 0; k < counts[kind] && strstr(j->want.forces, arrow_kinds[kind]); k++) {
            const arrow a = arrow_at(j, kind, k);
            double force[3];
            if (a.body < 0) continue;
            force_of(j, &a, t, force);
            const double size =
                sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
            if (!isfinite(size)) continue;
            most = fmax(most, size);
            if (scale > 0) draw_arrow(j, &a, force, scale);
        }
    return most;
}

/* The largest is as long as a body. The note tells the scale. */
char* cli_arrows_draw(cli_draw_job* j)
{
    const int n = j->want.count ? j->want.count : 1;
    double most = 0.0;
    for (int k = 0; k < n; k++)
        most = fmax(most, draw_arrows(j, j->want.count ? j->want.times[k] : j->scene.time[0], 0.0));
    if (most == 0.0) return cli_format("no forces");
    for (int k = 0; k < n; k++) {
        const double t = j->want.count ? j->want.times[k] : j->scene.time[0];
        cli_scene_poses(&j->scene, t, j->poses);
        draw_arrows(j, t, sar_drawing_size(j->scene.drawing) / most);
    }
    char digits[32];
    snprintf(digits, sizeof digits, "%.3g", most);
    return cli_format("arrow of %.3g m: %g N", sar_drawing_size(j->scene.drawing), atof(digits));
}
