/* Prototypes of FMI 3.0, written from the facts of the standard [fmi2022]: names, types, order of
 * arguments and values of enumerations. */
#ifndef SARI_FMI3_H
#define SARI_FMI3_H

#include "sarrus/base.h"

#include <stdbool.h>

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef char fmi3Char;
typedef const fmi3Char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum {
    fmi3IntervalNotYetKnown,
    fmi3IntervalUnchanged,
    fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time,
                                               fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                               fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean* early_return_requested,
                                               fmi3Float64* early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

// clang-format off
#define SARI_FMI3_VALUES(X, type) \
    X(fmi3Status, Get##type, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##type value[], size_t values)) \
    X(fmi3Status, Set##type, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3##type value[], size_t values))

/// All 75 functions: X(result, name, arguments).
#define SARI_FMI3_LIST(X) \
    X(const char*, GetVersion, (void)) \
    X(fmi3Status, SetDebugLogging, (fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])) \
    X(fmi3Instance, InstantiateModelExchange, (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, \
        fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)) \
    X(fmi3Instance, InstantiateCoSimulation, (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, \
        fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], \
        size_t intermediates, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, \
        fmi3IntermediateUpdateCallback update)) \
    X(fmi3Instance, InstantiateScheduledExecution, (fmi3String name, fmi3String token, fmi3String resources, \
        fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, \
        fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)) \
    X(void, FreeInstance, (fmi3Instance c)) \
    X(fmi3Status, EnterInitializationMode, (fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, \
        fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)) \
    X(fmi3Status, ExitInitializationMode, (fmi3Instance c)) \
    X(fmi3Status, EnterEventMode, (fmi3Instance c)) \
    X(fmi3Status, Terminate, (fmi3Instance c)) \
    X(fmi3Status, Reset, (fmi3Instance c)) \
    SARI_FMI3_VALUES(X, Float32) SARI_FMI3_VALUES(X, Float64) SARI_FMI3_VALUES(X, Int8) SARI_FMI3_VALUES(X, UInt8) \
    SARI_FMI3_VALUES(X, Int16) SARI_FMI3_VALUES(X, UInt16) SARI_FMI3_VALUES(X, Int32) SARI_FMI3_VALUES(X, UInt32) \
    SARI_FMI3_VALUES(X, Int64) SARI_FMI3_VALUES(X, UInt64) SARI_FMI3_VALUES(X, Boolean) SARI_FMI3_VALUES(X, String) \
    X(fmi3Status, GetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary value[], \
        size_t values)) \
    X(fmi3Status, SetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[], \
        const fmi3Binary value[], size_t values)) \
    X(fmi3Status, GetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock value[])) \
    X(fmi3Status, SetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock value[])) \
    X(fmi3Status, GetNumberOfVariableDependencies, (fmi3Instance c, fmi3ValueReference vr, size_t* count)) \
    X(fmi3Status, GetVariableDependencies, (fmi3Instance c, fmi3ValueReference dependent, size_t elements[], \
        fmi3ValueReference independent[], size_t independent_elements[], fmi3DependencyKind kinds[], size_t count)) \
    X(fmi3Status, GetFMUState, (fmi3Instance c, fmi3FMUState* state)) \
    X(fmi3Status, SetFMUState, (fmi3Instance c, fmi3FMUState state)) \
    X(fmi3Status, FreeFMUState, (fmi3Instance c, fmi3FMUState* state)) \
    X(fmi3Status, SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t* size)) \
    X(fmi3Status, SerializeFMUState, (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)) \
    X(fmi3Status, DeserializeFMUState, (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state)) \
    X(fmi3Status, GetDirectionalDerivative, (fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns, \
        const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 result[], \
        size_t results)) \
    X(fmi3Status, GetAdjointDerivative, (fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns, \
        const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 result[], \
        size_t results)) \
    X(fmi3Status, EnterConfigurationMode, (fmi3Instance c)) \
    X(fmi3Status, ExitConfigurationMode, (fmi3Instance c)) \
    X(fmi3Status, GetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 interval[], \
        fmi3IntervalQualifier qualifier[])) \
    X(fmi3Status, GetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counter[], \
        fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[])) \
    X(fmi3Status, GetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shift[])) \
    X(fmi3Status, GetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counter[], \
        fmi3UInt64 resolution[])) \
    X(fmi3Status, SetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 interval[])) \
    X(fmi3Status, SetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counter[], \
        const fmi3UInt64 resolution[])) \
    X(fmi3Status, SetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 shift[])) \
    X(fmi3Status, SetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counter[], \
        const fmi3UInt64 resolution[])) \
    X(fmi3Status, EvaluateDiscreteStates, (fmi3Instance c)) \
    X(fmi3Status, UpdateDiscreteStates, (fmi3Instance c, fmi3Boolean* needs_update, fmi3Boolean* terminate, \
        fmi3Boolean* nominals_changed, fmi3Boolean* values_changed, fmi3Boolean* has_next_event, fmi3Float64* next_event)) \
    X(fmi3Status, EnterContinuousTimeMode, (fmi3Instance c)) \
    X(fmi3Status, CompletedIntegratorStep, (fmi3Instance c, fmi3Boolean no_way_back, fmi3Boolean* enter_event_mode, \
        fmi3Boolean* terminate)) \
    X(fmi3Status, SetTime, (fmi3Instance c, fmi3Float64 time)) \
    X(fmi3Status, SetContinuousStates, (fmi3Instance c, const fmi3Float64 x[], size_t n)) \
    X(fmi3Status, GetContinuousStateDerivatives, (fmi3Instance c, fmi3Float64 rates[], size_t n)) \
    X(fmi3Status, GetEventIndicators, (fmi3Instance c, fmi3Float64 indicators[], size_t n)) \
    X(fmi3Status, GetContinuousStates, (fmi3Instance c, fmi3Float64 x[], size_t n)) \
    X(fmi3Status, GetNominalsOfContinuousStates, (fmi3Instance c, fmi3Float64 nominal[], size_t n)) \
    X(fmi3Status, GetNumberOfEventIndicators, (fmi3Instance c, size_t* n)) \
    X(fmi3Status, GetNumberOfContinuousStates, (fmi3Instance c, size_t* n)) \
    X(fmi3Status, EnterStepMode, (fmi3Instance c)) \
    X(fmi3Status, GetOutputDerivatives, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 order[], \
        fmi3Float64 value[], size_t values)) \
    X(fmi3Status, DoStep, (fmi3Instance c, fmi3Float64 now, fmi3Float64 step, fmi3Boolean no_way_back, \
        fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* reached)) \
    X(fmi3Status, ActivateModelPartition, (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time))
// clang-format on

#define SARI_FMI3_PROTOTYPE(result, name, arguments) SAR_API result fmi3##name arguments;
SARI_FMI3_LIST(SARI_FMI3_PROTOTYPE)
#undef SARI_FMI3_PROTOTYPE

#endif
