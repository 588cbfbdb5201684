#include "common/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cli_json_measures(cli_json* j, const double* values, int reference, int groups)
{
    char group[32] = "";
    for (int m = 0; m < SAR_MEASURES; m++) {
        const sar_measure measure = sar_measure_at(m);
        const char* dot = strchr(measure.name, '.');
        const int length = dot ? (int)(dot - measure.name) : 0;
        if (measure.kind == SAR_KIND_ESTIMATE && isnan(values[m])) continue;
        if ((groups && !dot) || (!reference && measure.kind == SAR_KIND_ERROR)) continue;
        if ((int)strlen(group) != length || strncmp(group, measure.name, (size_t)length) != 0) {
            if (*group) cli_json_close(j);
            snprintf(group, sizeof group, "%.*s", length, measure.name);
            if (*group) cli_json_open(j, group, '{');
        }
        cli_json_number(j, dot ? dot + 1 : measure.name, values[m]);
    }
    if (*group) cli_json_close(j);
}

void cli_measures_of(const sar_trial* trial, double values[SAR_MEASURES])
{
    for (int m = 0; m < SAR_MEASURES; m++) values[m] = sar_measure_get(m, trial);
}
