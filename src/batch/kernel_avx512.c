/* For processors with AVX-512. */
#include "batch/wide_monitor.h"

const sari_lane_kernels sari_lane_kernels_avx512[] = {
    {"avx512", -1, run, glance, watch}, {"avx512 with programs", 256, run, glance, watch}};
