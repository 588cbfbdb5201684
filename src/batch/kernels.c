/* Which loops this processor can run. */
#include "batch/lanes.h"

extern const sari_lane_kernels sari_lane_kernels_baseline;
#ifdef SARRUS_LANES_X86
extern const sari_lane_kernels sari_lane_kernels_avx2[], sari_lane_kernels_avx512[];
#endif

int sari_lane_kernels_count(void)
{
#ifdef SARRUS_LANES_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return 5;
    if (__builtin_cpu_supports("avx2")) return 3;
#endif
    return 1;
}

const sari_lane_kernels* sari_lane_kernels_at(int k)
{
#ifdef SARRUS_LANES_X86
    if (k > 2) return &sari_lane_kernels_avx512[k - 3];
    if (k > 0) return &sari_lane_kernels_avx2[k - 1];
#endif
    (void)k;
    return &sari_lane_kernels_baseline;
}
