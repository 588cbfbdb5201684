/* An allocator that counts, and fails when it is told to. */
#ifndef COUNTING_ALLOCATOR_H
#define COUNTING_ALLOCATOR_H

#include "sar_test.h"
#include "sarrus/base.h"

typedef struct counter {
    long allocations; ///< so far
    long live;        ///< not yet released
    long fail_at;     ///< the allocation that fails, counted from 1; 0: none
} counter;

static inline void* count_allocate(void* context, size_t bytes)
{
    counter* c = context;
    if (++c->allocations == c->fail_at) return NULL;
    void* memory = calloc(1, bytes ? bytes : 1);
    if (memory) c->live++;
    return memory;
}

static inline void count_release(void* context, void* memory)
{
    counter* c = context;
    if (memory) c->live--;
    free(memory);
}

static counter COUNTER;

static inline int use_counter(void** state)
{
    (void)state;
    COUNTER = (counter){0};
    sar_set_allocator(&(sar_allocator){count_allocate, count_release, &COUNTER});
    return 0;
}

static inline int drop_counter(void** state)
{
    (void)state;
    sar_set_allocator(NULL);
    return 0;
}

#endif
