/* Loops that several threads share. What a range computes must not depend on where it begins or
 * ends: then the result has the same bits for any number of threads. */
#ifndef SARI_PARALLEL_H
#define SARI_PARALLEL_H

/// Elements first to end - 1 of a loop.
typedef void sari_range(void* self, int first, int end);

/// The same as below with more than one thread.
void sari_parallel_shared(int threads, int n, sari_range* work, void* self);

/// work(self, ...) for ranges that make up 0 to n - 1, one per thread; with one thread a plain call
/// that the compiler can see through.
static inline void sari_parallel(int threads, int n, sari_range* work, void* self)
{
    if (threads > 1)
        sari_parallel_shared(threads, n, work, self);
    else
        work(self, 0, n);
}

/// Threads that this machine runs at once; 1 without OpenMP.
int sari_parallel_cores(void);

#endif
