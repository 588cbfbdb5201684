/* For processors with AVX2. */
#include "batch/wide_monitor.h"

const sari_lane_kernels sari_lane_kernels_avx2[] = {
    {"avx2", -1, run, glance, watch}, {"avx2 with programs", 256, run, glance, watch}};
