/* For every processor that the library runs on. */
#include "batch/wide_monitor.h"

const sari_lane_kernels sari_lane_kernels_baseline = {"baseline", -1, run, glance, watch};
