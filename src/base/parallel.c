#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

void sari_parallel_shared(int threads, int n, sari_range* work, void* self)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    {
        const long part = omp_get_thread_num(), parts = omp_get_num_threads();
        work(self, (int)(n * part / parts), (int)(n * (part + 1) / parts));
    }
#else
    (void)threads;
    work(self, 0, n);
#endif
}

int sari_parallel_cores(void)
{
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}
