/// @file base.h
/// Used by all of Sarrus: the export macro, status codes, errors and the allocator hook.
#ifndef SARRUS_BASE_H
#define SARRUS_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SAR_API __attribute__((visibility("default")))
#else
#define SAR_API
#endif

#define SAR_VERSION "0.2.0"

/// The enumeration and the messages are expanded from this list.
/// 0: done.  > 0: recoverable, the caller may retry with a smaller step.  < 0: stop.
#define SAR_STATUS_LIST(X)                                                                         \
    X(SAR_OK, 0, "no error")                                                                       \
    X(SAR_R_SINGULAR, 1, "matrix is singular to working precision")                                \
    X(SAR_R_NO_CONV, 2, "iteration did not converge")                                              \
    X(SAR_R_NOT_FINITE, 3, "a value is not finite")                                                \
    X(SAR_R_VIOLATED, 4, "constraints are violated")                                               \
    X(SAR_E_ARG, -1, "invalid argument")                                                           \
    X(SAR_E_NOMEM, -2, "out of memory")                                                            \
    X(SAR_E_MODEL, -3, "invalid model")                                                            \
    X(SAR_E_INCOMPAT, -4, "these methods cannot work together")                                    \
    X(SAR_E_ASSEMBLY, -5, "the mechanism cannot be assembled")                                     \
    X(SAR_E_IO, -6, "input or output failed")                                                      \
    X(SAR_E_BUILD, -7, "this build lacks the needed library")

typedef enum sar_status {
#define SAR_STATUS_ENUM(name, value, text) name = value,
    SAR_STATUS_LIST(SAR_STATUS_ENUM)
#undef SAR_STATUS_ENUM
} sar_status;

/// The message of a status; never NULL.
SAR_API const char* sar_status_text(sar_status status);

/// What went wrong, as text for the user. Filled by functions that take a `sar_error*`
/// (which may be NULL) whenever they return something other than SAR_OK.
typedef struct sar_error {
    sar_status status;
    char field[64];    ///< the wrong field or key, "force[1]" for an element; "": none
    int offset;        ///< index of the first wrong character in that field's text; -1: unknown
    char message[384]; ///< what is wrong and what to do about it
} sar_error;

/// All memory comes from here. Set it once, before anything is created; not thread safe.
typedef struct sar_allocator {
    void* (*allocate)(void* context, size_t bytes); ///< zeroed memory, or NULL
    void (*release)(void* context, void* memory);   ///< `memory` may be NULL
    void* context;
} sar_allocator;

/// Use `allocator` for all later allocations; NULL goes back to calloc and free.
SAR_API void sar_set_allocator(const sar_allocator* allocator);

#ifdef __cplusplus
}
#endif
#endif
