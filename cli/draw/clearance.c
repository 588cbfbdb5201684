/* The distance of two bodies in drawings: a line between the nearest points of their shapes. */
#include "draw/draw.h"

#include "common/command.h"

#include "sarrus/shape.h"

#include <string.h>

static int find_bodies(const cli_draw_job* j, const char* between, sar_body_id body[2])
{
    const char* comma = strchr(between, ',');
    const size_t lengths[2] = {comma ? (size_t)(comma - between) : 0,
                               comma ? strlen(comma + 1) : 0};
    const char* names[2] = {between, comma ? comma + 1 : ""};
    for (int k = 0; k < 2; k++)
        if (sar_model_find_body(j->scene.file.model, names[k], lengths[k], &body[k]) != SAR_OK ||
            sar_model_shapes(j->scene.file.model, body[k]) == 0) {
            cli_error("draw", "--clearance %s: wanted two bodies with shapes, A,B", between);
            return CLI_USAGE;
        }
    return 0;
}

int cli_clearance_draw(cli_draw_job* j, const char* between, int frame)
{
    sar_body_id body[2];
    sar_clearance gap;
    const int refused = find_bodies(j, between, body);
    if (refused) return refused;
    sar_model_clearance(j->scene.file.model, body[0], j->poses + SAR_POSE * body[0].i, body[1],
                        j->poses + SAR_POSE * body[1].i, &gap);
    const double size = sar_drawing_size(j->scene.drawing);
    double line[2][2], depth, middle[2];
    cli_project(&j->eye, gap.point_a, line[0], &depth);
    cli_project(&j->eye, gap.point_b, line[1], &depth);
    const cli_figure figure = {.depth = 1e9 * size,
                               .n = 2,
                               .fill = CLI_NO_COLOUR,
                               .stroke = 0xe11d48,
                               .width = 2.2,
                               .alpha = 1.0,
                               .frame = frame};
    cli_sheet_add(&j->sheet, figure, (const double(*)[2])line);
    for (int k = 0; k < 2; k++) middle[k] = 0.5 * (line[0][k] + line[1][k]);
    middle[1] += 0.06 * size;
    char text[64];
    snprintf(text, sizeof text, "%.4g m", gap.distance);
    cli_sheet_text(&j->sheet, middle, 1e9 * size, text);
    return 0;
}
