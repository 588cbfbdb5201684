#include "common/place.h"

#include "common/command.h"
#include "common/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_place_is(const char* text)
{
    return strcmp(text, "start") == 0 ||
           (*text && strchr("ASMF", *text) && isdigit((unsigned char)text[1]));
}

/* Is it on a curve that is singular all along? */
static int is_shaky(const sar_map* map, const sar_map_place* place)
{
    const sar_map_arc* arc;
    sar_map_arcs(map, &arc);
    return place->arc >= 0 && arc[place->arc].freedoms > 1;
}

int cli_place_go(const char* command, const char* path, sar_model* model, const char* name,
                 double speed, sar_map** kept)
{
    sar_error error = {0};
    sar_map* map = NULL;
    sar_map_place place;
    const size_t bodies = (size_t)sar_model_bodies(model);
    double* poses = cli_allocate(13 * bodies, sizeof *poses);
    double* velocities = poses + 7 * bodies;
    sar_status status = sar_map_create(model, NULL, &map, &error);
    int outcome = status == SAR_E_ASSEMBLY ? CLI_ASSEMBLY : CLI_FAILED;
    if (status == SAR_OK) {
        status = sar_map_find(map, name, &place, &error);
        outcome = CLI_USAGE;
    }
    if (status == SAR_OK && speed != 0.0 && is_shaky(map, &place)) {
        cli_error(
            command,
            "%s: %s is shaky: there velocities do not follow from configurations, and a run leaves "
            "it; choose another curve, or --speed 0",
            path, name);
    } else if (status == SAR_OK) {
        status = sar_map_pose(map, &place, speed, poses, velocities);
        if (status == SAR_OK) status = sar_model_draw(model, poses, velocities);
        if (status != SAR_OK) cli_error(command, "%s: %s cannot be reached", path, name);
        outcome = status == SAR_OK ? 0 : CLI_FAILED;
    } else {
        cli_error(command, "%s: %s", path, error.message);
    }
    free(poses);
    if (outcome == 0 && kept)
        *kept = map;
    else
        sar_map_destroy(map);
    return outcome;
}

/* How far two poses are apart, in sizes and radians. */
static double apart(const double* a, const double* b, double size)
{
    double square = 0.0, dot = 0.0;
    for (int i = 0; i < 3; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
    for (int i = 3; i < 7; i++) dot += a[i] * b[i];
    return fmax(sqrt(square) / size, 2.0 * sqrt(fmax(0.0, 1.0 - dot * dot)));
}

const char* cli_place_node(sar_map* map, const sar_model* model, const sar_simulation* simulation,
                           double size)
{
    const sar_map_node* node;
    const int nodes = sar_map_nodes(map, &node), bodies = sar_model_bodies(model);
    double* poses = cli_allocate((size_t)(7 * bodies), sizeof *poses);
    const char* name = NULL;
    double nearest = 0.05; // steps need not end there
    for (int i = 0; i < nodes; i++) {
        const sar_map_place place = {i, -1, -1, 0.0, -1};
        double most = 0.0, pose[7];
        if (sar_map_pose(map, &place, 0.0, poses, NULL) != SAR_OK) continue;
        for (int b = 1; b < bodies; b++) {
            sar_simulation_pose(simulation, (sar_body_id){b}, pose, pose + 3);
            most = fmax(most, apart(pose, poses + (size_t)(7 * (b - 1)), size));
        }
        if (most < nearest) nearest = most, name = node[i].name;
    }
    free(poses);
    return name;
}
