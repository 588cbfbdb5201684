/* Time of a pose from the one before: hands of robots along a circle in 500 steps, position and orientation. Microseconds of
 * CPU time per pose, the least of several rounds. */
#include "sarrus/sarrus.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { POSES = 500, ROUNDS = 7 };

typedef struct robot {
    const char *name, *path, *point, *body;
    double around[3], radius;
} robot;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One round; the largest number of iterations, -1 if a pose was missed. */
static int go_round(sar_pose* pose, const robot* r)
{
    int most = 0;
    for (int i = 0; i < POSES; i++) {
        sar_pose_report report;
        const double turn = 6.283185307179586 * i / POSES;
        sar_pose_set(pose, 0, r->around[0] + r->radius * cos(turn));
        sar_pose_set(pose, 1, r->around[1] + r->radius * sin(turn));
        if (sar_pose_solve(pose, 0, &report) != SAR_OK || !report.met) return -1;
        if (report.iterations > most) most = report.iterations;
    }
    return most;
}

static void measure(const robot* r)
{
    static const char* const words[] = {"x", "y", "z", "rx", "ry", "rz"};
    char text[6][64];
    sar_model* model = NULL;
    sar_options options = sar_options_default();
    sar_pose* pose = NULL;
    sar_pose_row want[6];
    sar_pose_report report;
    sar_error error = {0};
    if (sar_model_load(r->path, NULL, 0, &model, &options, NULL) != SAR_OK) return;
    for (int k = 0; k < 6; k++) {
        snprintf(text[k], sizeof text[k], "%s.%s", k < 3 ? r->point : r->body, words[k]);
        want[k] = sar_pose_row_default();
        want[k].expression = text[k];
        want[k].value = k < 3 ? r->around[k] : 0.0;
    }
    if (sar_pose_create(model, &options, want, 6, &pose, &error) != SAR_OK) {
        printf("%s: %s\n", r->name, error.message);
        sar_model_destroy(model);
        return;
    }
    sar_pose_solve(pose, 32, &report);
    double least = INFINITY;
    int iterations = go_round(pose, r);
    for (int k = 0; k < ROUNDS && iterations >= 0; k++) {
        const double begin = seconds();
        iterations = go_round(pose, r);
        least = fmin(least, seconds() - begin);
    }
    if (iterations < 0)
        printf("%-20s a pose was missed\n", r->name);
    else
        printf("%-20s %8.1f us a pose, at most %d iterations, %d coordinates\n", r->name,
               1e6 * least / POSES, iterations, report.coordinates);
    sar_pose_destroy(pose);
    sar_model_destroy(model);
}

int main(void)
{
    static const robot robots[] = {
        {"PUMA 560",
         SARRUS_ROOT "/problems/puma/model.yaml",
         "link6.hand",
         "link6",
         {0.4, 0.2, 0.3},
         0.1},
        {"delta robot",
         SARRUS_ROOT "/examples/models/delta-robot.yaml",
         "plate.origin",
         "plate",
         {0, 0, -0.75},
         0.1},
        {"Stewart platform",
         SARRUS_ROOT "/examples/models/stewart-platform.yaml",
         "platform.origin",
         "platform",
         {0, 0, 1.0},
         0.1},
    };
    for (int k = 0; k < 3; k++) measure(&robots[k]);
    return 0;
}
