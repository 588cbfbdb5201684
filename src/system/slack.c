#include "system/slack.h"

#include <math.h>

double sari_slack_drop(const sari_slack* slack, double* rows)
{
    const int m = slack->rows;
    double most = 0.0;
    for (int k = 0; k < slack->count; k++) {
        const double* u = slack->u + (long)k * m;
        double along = 0.0;
        for (int r = 0; r < m; r++) along += u[r] * rows[r];
        for (int r = 0; r < m; r++) rows[r] -= along * u[r];
        most = fmax(most, fabs(along));
    }
    return most;
}
