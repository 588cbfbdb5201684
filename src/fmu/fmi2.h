/* Prototypes of FMI 2.0 for Model Exchange and Co-Simulation, written from the facts of the standard
 * [fmi2014]: names, types, order of arguments and values of enumerations. The types are those of its
 * platform "default". */
#ifndef SARI_FMI2_H
#define SARI_FMI2_H

#include "sarrus/base.h"

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char* fmi2String;

enum { fmi2False = 0, fmi2True = 1 };

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;

typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;

typedef enum {
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category,
                   fmi2String message, ...);
    void* (*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void*);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

/// All 44 functions: X(result, name, arguments).
// clang-format off
#define SARI_FMI2_LIST(X) \
    X(const char*, GetTypesPlatform, (void)) \
    X(const char*, GetVersion, (void)) \
    X(fmi2Status, SetDebugLogging, (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])) \
    X(fmi2Component, Instantiate, (fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, \
        const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging)) \
    X(void, FreeInstance, (fmi2Component c)) \
    X(fmi2Status, SetupExperiment, (fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, \
        fmi2Boolean has_stop, fmi2Real stop)) \
    X(fmi2Status, EnterInitializationMode, (fmi2Component c)) \
    X(fmi2Status, ExitInitializationMode, (fmi2Component c)) \
    X(fmi2Status, Terminate, (fmi2Component c)) \
    X(fmi2Status, Reset, (fmi2Component c)) \
    X(fmi2Status, GetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])) \
    X(fmi2Status, GetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[])) \
    X(fmi2Status, GetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[])) \
    X(fmi2Status, GetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[])) \
    X(fmi2Status, SetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])) \
    X(fmi2Status, SetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[])) \
    X(fmi2Status, SetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[])) \
    X(fmi2Status, SetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[])) \
    X(fmi2Status, GetFMUstate, (fmi2Component c, fmi2FMUstate* state)) \
    X(fmi2Status, SetFMUstate, (fmi2Component c, fmi2FMUstate state)) \
    X(fmi2Status, FreeFMUstate, (fmi2Component c, fmi2FMUstate* state)) \
    X(fmi2Status, SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t* size)) \
    X(fmi2Status, SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)) \
    X(fmi2Status, DeSerializeFMUstate, (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state)) \
    X(fmi2Status, GetDirectionalDerivative, (fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns, \
        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[], fmi2Real result[])) \
    X(fmi2Status, EnterEventMode, (fmi2Component c)) \
    X(fmi2Status, NewDiscreteStates, (fmi2Component c, fmi2EventInfo* info)) \
    X(fmi2Status, EnterContinuousTimeMode, (fmi2Component c)) \
    X(fmi2Status, CompletedIntegratorStep, (fmi2Component c, fmi2Boolean no_way_back, fmi2Boolean* enter_event_mode, \
        fmi2Boolean* terminate)) \
    X(fmi2Status, SetTime, (fmi2Component c, fmi2Real time)) \
    X(fmi2Status, SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t n)) \
    X(fmi2Status, GetDerivatives, (fmi2Component c, fmi2Real rates[], size_t n)) \
    X(fmi2Status, GetEventIndicators, (fmi2Component c, fmi2Real indicators[], size_t n)) \
    X(fmi2Status, GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t n)) \
    X(fmi2Status, GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real nominal[], size_t n)) \
    X(fmi2Status, SetRealInputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t n, \
        const fmi2Integer order[], const fmi2Real value[])) \
    X(fmi2Status, GetRealOutputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t n, \
        const fmi2Integer order[], fmi2Real value[])) \
    X(fmi2Status, DoStep, (fmi2Component c, fmi2Real now, fmi2Real step, fmi2Boolean no_way_back)) \
    X(fmi2Status, CancelStep, (fmi2Component c)) \
    X(fmi2Status, GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status* value)) \
    X(fmi2Status, GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real* value)) \
    X(fmi2Status, GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer* value)) \
    X(fmi2Status, GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value)) \
    X(fmi2Status, GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String* value))
// clang-format on

#define SARI_FMI2_PROTOTYPE(result, name, arguments) SAR_API result fmi2##name arguments;
SARI_FMI2_LIST(SARI_FMI2_PROTOTYPE)
#undef SARI_FMI2_PROTOTYPE

#endif
