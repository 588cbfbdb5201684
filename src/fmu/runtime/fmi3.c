/* The functions of FMI 3.0. */
#include "fmu/fmi3.h"

#define FMI(name) fmi3##name
#define FMI_STATE(before, after) fmi3##before##FMUState##after
#define FMI_DESERIALIZE fmi3DeserializeFMUState
#define FMI_RATES fmi3GetContinuousStateDerivatives
#define FMI_NUMBERS "Float64"
#include "fmu/runtime/alike.h"

typedef struct host {
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} host;

static void log_to_host(const sari_fmu* f, sari_fmu_status status, const char* category,
                        const char* text)
{
    const host* h = f->host;
    if (h->log) h->log(h->environment, (fmi3Status)status, category, text);
}

/* ---- life ----------------------------------------------------------------------------------- */

const char* fmi3GetVersion(void)
{
    return "3.0";
}

static sari_fmu* instantiate(fmi3String name, fmi3String token, fmi3String resources,
                             fmi3Boolean logging, fmi3InstanceEnvironment environment,
                             fmi3LogMessageCallback message, int exchange)
{
    const host callbacks = {environment, message};
    sari_fmu* f = SARI_NEW(sari_fmu);
    if (!f) return NULL;
    f->host = sari_copy(&callbacks, 1, sizeof callbacks);
    f->log = f->host ? log_to_host : NULL;
    f->logging = logging ? SARI_FMU_LOG_ALL : 0;
    f->exchange = exchange;
    return sari_fmu_create(f, name, token, resources);
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback message)
{
    (void)visible;
    return instantiate(name, token, resources, logging, environment, message, 1);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[],
                                         size_t intermediates, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback message,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)visible, (void)intermediate, (void)intermediates, (void)update;
    sari_fmu* f = instantiate(name, token, resources, logging, environment, message, 0);
    if (f) f->event_mode = event_mode, f->early = event_mode && early_return;
    return f;
}

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback message,
    fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    (void)clock, (void)lock, (void)unlock;
    if (message)
        message(environment, fmi3Error, "logStatusError",
                "this FMU has no Scheduled Execution: Co-Simulation is there");
    return NULL;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop)
{
    IF_LEGAL(SARI_FMU_NEW, -1);
    const sari_fmu_status status =
        sari_fmu_setup(f, start, has_stop ? stop : NAN, has_tolerance ? tolerance : NAN);
    if (status == SARI_FMU_OK) f->mode = SARI_FMU_INITIALIZATION;
    return (fmi3Status)status;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION, -1);
    if (sari_fmu_begin(f) != SARI_FMU_OK) return fmi3Error;
    f->mode = f->exchange || f->event_mode ? SARI_FMU_EVENT : SARI_FMU_STEP;
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    IF_LEGAL(SARI_FMU_CONTINUOUS | SARI_FMU_STEP, -1);
    if (!f->exchange && !f->event_mode)
        return (fmi3Status)sari_fmu_refuse(f, SARI_FMU_ERROR,
                                           "the instance was made without event mode");
    f->mode = SARI_FMU_EVENT;
    return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    IF_LEGAL(SARI_FMU_NEW, -1);
    f->mode = SARI_FMU_CONFIGURED;
    return fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    IF_LEGAL(SARI_FMU_CONFIGURED, -1);
    f->mode = SARI_FMU_NEW;
    return fmi3OK;
}

/* ---- values --------------------------------------------------------------------------------- */

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                          fmi3Float64 value[], size_t values)
{
    IF_LEGAL(ANY, -1);
    if (values != n) return (fmi3Status)sari_fmu_refuse(f, SARI_FMU_ERROR, "all are scalars");
    return (fmi3Status)sari_fmu_get(f, vr, n, value);
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                          const fmi3Float64 value[], size_t values)
{
    IF_LEGAL(BEFORE | RUNS, -1);
    if (values != n) return (fmi3Status)sari_fmu_refuse(f, SARI_FMU_ERROR, "all are scalars");
    return (fmi3Status)sari_fmu_set(f, vr, n, value);
}

#define OTHER_TYPE(type)                                                                           \
    fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n,              \
                             fmi3##type value[], size_t values)                                    \
    {                                                                                              \
        (void)vr, (void)value, (void)values;                                                       \
        return refuse_type(c, __func__, n);                                                        \
    }                                                                                              \
    fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n,              \
                             const fmi3##type value[], size_t values)                              \
    {                                                                                              \
        (void)vr, (void)value, (void)values;                                                       \
        return refuse_type(c, __func__, n);                                                        \
    }
OTHER_TYPE(Float32)
OTHER_TYPE(Int8)
OTHER_TYPE(UInt8)
OTHER_TYPE(Int16)
OTHER_TYPE(UInt16)
OTHER_TYPE(Int32)
OTHER_TYPE(UInt32)
OTHER_TYPE(Int64)
OTHER_TYPE(UInt64)
OTHER_TYPE(Boolean)
OTHER_TYPE(String)

/// Functions of variables that there are none of: X(name, arguments, names of what is left unused).
// clang-format off
#define OF_NOTHING(X) \
    X(GetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary value[], size_t values), \
        (void)sizes, (void)value, (void)values) \
    X(SetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[], const fmi3Binary value[], \
        size_t values), (void)sizes, (void)value, (void)values) \
    X(GetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock value[]), (void)value) \
    X(SetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock value[]), (void)value) \
    X(GetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 interval[], \
        fmi3IntervalQualifier qualifier[]), (void)interval, (void)qualifier) \
    X(GetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counter[], \
        fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[]), (void)counter, (void)resolution, (void)qualifier) \
    X(GetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shift[]), (void)shift) \
    X(GetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counter[], \
        fmi3UInt64 resolution[]), (void)counter, (void)resolution) \
    X(SetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 interval[]), \
        (void)interval) \
    X(SetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counter[], \
        const fmi3UInt64 resolution[]), (void)counter, (void)resolution) \
    X(SetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 shift[]), (void)shift) \
    X(SetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counter[], \
        const fmi3UInt64 resolution[]), (void)counter, (void)resolution)
// clang-format on
#define REFUSED(name, arguments, ...)                                                              \
    fmi3Status fmi3##name arguments                                                                \
    {                                                                                              \
        (void)vr, __VA_ARGS__;                                                                     \
        return refuse_type(c, __func__, n);                                                        \
    }
OF_NOTHING(REFUSED)

/// Outputs depend on all inputs, as far as is known, and in Model Exchange on states.
static fmi3Status dependencies(sari_fmu* f, fmi3ValueReference vr, size_t* count)
{
    int k;
    const sari_fmu_kind kind = sari_fmu_find(&f->layout, vr, &k);
    if (kind == SARI_FMU_NOTHING)
        return (fmi3Status)sari_fmu_refuse(f, SARI_FMU_ERROR, "there is no variable %u", vr);
    *count = 0;
    if (kind == SARI_FMU_OUTPUT || kind == SARI_FMU_DERIVATIVE)
        *count = (size_t)f->layout.inputs + (size_t)(f->exchange ? f->layout.states : 0);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t* count)
{
    IF_LEGAL(ANY, -1);
    return dependencies(f, vr, count);
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent,
                                       size_t elements[], fmi3ValueReference independent[],
                                       size_t independent_elements[], fmi3DependencyKind kinds[],
                                       size_t count)
{
    size_t have = 0;
    IF_LEGAL(ANY, -1);
    if (dependencies(f, dependent, &have) != fmi3OK || have != count) return fmi3Error;
    for (size_t i = 0; i < count; i++) {
        const int k = (int)i, inputs = f->layout.inputs;
        elements[i] = independent_elements[i] = 0;
        kinds[i] = fmi3Dependent;
        independent[i] = k < inputs ? sari_fmu_reference(&f->layout, SARI_FMU_INPUT, k)
                                    : sari_fmu_reference(&f->layout, SARI_FMU_STATE, k - inputs);
    }
    return fmi3OK;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
                                        size_t unknowns, const fmi3ValueReference known[],
                                        size_t knowns, const fmi3Float64 seed[], size_t seeds,
                                        fmi3Float64 result[], size_t results)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | RUNS, -1);
    if (seeds != knowns || results != unknowns) return fmi3Error;
    return (fmi3Status)sari_fmu_directional(f, unknown, unknowns, known, knowns, seed, result);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
                                    size_t unknowns, const fmi3ValueReference known[],
                                    size_t knowns, const fmi3Float64 seed[], size_t seeds,
                                    fmi3Float64 result[], size_t results)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | RUNS, -1);
    if (seeds != unknowns || results != knowns) return fmi3Error;
    return (fmi3Status)sari_fmu_adjoint(f, unknown, unknowns, known, knowns, seed, result);
}

/* ---- events --------------------------------------------------------------------------------- */

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | SARI_FMU_EVENT, -1);
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* needs_update,
                                    fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                    fmi3Boolean* values_changed, fmi3Boolean* has_next_event,
                                    fmi3Float64* next_event)
{
    int changed = 0;
    double next = INFINITY;
    IF_LEGAL(SARI_FMU_EVENT, -1);
    const sari_fmu_status status = f->exchange ? sari_fmu_update(f, &changed, &next) : SARI_FMU_OK;
    *needs_update = *terminate = *nominals_changed = false;
    *values_changed = changed;
    *has_next_event = next < INFINITY;
    *next_event = next < INFINITY ? next : 0.0;
    return (fmi3Status)status;
}

/* ---- Model Exchange ------------------------------------------------------------------------- */

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n)
{
    IF_LEGAL(ANY & ~SARI_FMU_NEW, 1);
    if (sari_fmu_begin(f) != SARI_FMU_OK) return fmi3Error;
    *n = (size_t)f->layout.indicators;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n)
{
    IF_LEGAL(ANY & ~SARI_FMU_NEW, 1);
    if (sari_fmu_begin(f) != SARI_FMU_OK) return fmi3Error;
    *n = (size_t)f->layout.states;
    return fmi3OK;
}

/* ---- Co-Simulation -------------------------------------------------------------------------- */

fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    IF_LEGAL(SARI_FMU_EVENT, 0);
    f->mode = SARI_FMU_STEP;
    return fmi3OK;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                    const fmi3Int32 order[], fmi3Float64 value[], size_t values)
{
    IF_LEGAL(SARI_FMU_STEP | SARI_FMU_FAILED | SARI_FMU_ENDED, 0);
    if (values != n) return (fmi3Status)sari_fmu_refuse(f, SARI_FMU_ERROR, "all are scalars");
    return (fmi3Status)sari_fmu_output_rates(f, vr, n, order, value);
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 step, fmi3Boolean no_way_back,
                      fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* reached)
{
    int event;
    IF_LEGAL(SARI_FMU_STEP, 0);
    (void)no_way_back;
    const sari_fmu_status status = sari_fmu_step(f, now, step, &event, reached);
    *event_needed = event;
    *terminate = false;
    *early_return = event && *reached < now + step;
    if (status == SARI_FMU_DISCARD) f->mode = SARI_FMU_FAILED;
    return (fmi3Status)status;
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    IF_LEGAL(ANY, -1);
    (void)clock, (void)time;
    return (fmi3Status)sari_fmu_refuse(f, SARI_FMU_ERROR, "this FMU has no Scheduled Execution");
}
