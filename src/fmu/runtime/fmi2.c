/* The functions of FMI 2.0. */
#include "fmu/fmi2.h"

#define FMI(name) fmi2##name
#define FMI_STATE(before, after) fmi2##before##FMUstate##after
#define FMI_DESERIALIZE fmi2DeSerializeFMUstate
#define FMI_RATES fmi2GetDerivatives
#define FMI_NUMBERS "real numbers"
#include "fmu/runtime/alike.h"

/// To the host's variadic logger: the text is an argument, so that a '%' in it stays one.
static void log_to_host(const sari_fmu* f, sari_fmu_status status, const char* category,
                        const char* text)
{
    const fmi2CallbackFunctions* host = f->host;
    if (host->logger)
        host->logger(host->componentEnvironment, f->name, (fmi2Status)status, category, "%s", text);
}

/* ---- life ----------------------------------------------------------------------------------- */

const char* fmi2GetTypesPlatform(void)
{
    return "default";
}

const char* fmi2GetVersion(void)
{
    return "2.0";
}

/// The path of a file: URI, or a path as it is; `%20` and the like become what they stand for.
static void path_of(const char* uri, char* path, size_t room)
{
    size_t used = 0;
    if (strncmp(uri, "file:", 5) == 0) {
        uri += 5;
        if (strncmp(uri, "//", 2) == 0) { // what follows is a host, mostly none
            uri += 2;
            while (*uri && *uri != '/') uri++;
        }
    }
    for (; *uri && used + 1 < room; uri++) {
        unsigned code;
        if (uri[0] == '%' && sscanf(uri + 1, "%2x", &code) == 1 && uri[1] && uri[2]) {
            path[used++] = (char)code;
            uri += 2;
        } else {
            path[used++] = *uri;
        }
    }
    path[used] = 0;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    char path[4096];
    (void)visible;
    sari_fmu* f = functions ? SARI_NEW(sari_fmu) : NULL;
    if (!f) return NULL;
    f->host = sari_copy(functions, 1, sizeof *functions);
    f->log = f->host ? log_to_host : NULL;
    f->logging = logging ? SARI_FMU_LOG_ALL : 0;
    f->exchange = type == fmi2ModelExchange;
    path_of(resources ? resources : "", path, sizeof path);
    return sari_fmu_create(f, name, guid, resources ? path : NULL);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    IF_LEGAL(SARI_FMU_NEW, -1);
    return (fmi2Status)sari_fmu_setup(f, start, has_stop ? stop : NAN,
                                      has_tolerance ? tolerance : NAN);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    IF_LEGAL(SARI_FMU_NEW, -1);
    f->mode = SARI_FMU_INITIALIZATION;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION, -1);
    if (sari_fmu_begin(f) != SARI_FMU_OK) return fmi2Error;
    f->mode = f->exchange ? SARI_FMU_EVENT : SARI_FMU_STEP;
    return fmi2OK;
}

/* ---- values --------------------------------------------------------------------------------- */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    IF_LEGAL(ANY, -1);
    return (fmi2Status)sari_fmu_get(f, vr, n, value);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    IF_LEGAL(BEFORE | RUNS, -1);
    return (fmi2Status)sari_fmu_set(f, vr, n, value);
}

#define OTHER_TYPE(type)                                                                           \
    fmi2Status fmi2Get##type(fmi2Component c, const fmi2ValueReference vr[], size_t n,             \
                             fmi2##type value[])                                                   \
    {                                                                                              \
        (void)vr, (void)value;                                                                     \
        return refuse_type(c, __func__, n);                                                        \
    }                                                                                              \
    fmi2Status fmi2Set##type(fmi2Component c, const fmi2ValueReference vr[], size_t n,             \
                             const fmi2##type value[])                                             \
    {                                                                                              \
        (void)vr, (void)value;                                                                     \
        return refuse_type(c, __func__, n);                                                        \
    }
OTHER_TYPE(Integer)
OTHER_TYPE(Boolean)
OTHER_TYPE(String)

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
                                        size_t unknowns, const fmi2ValueReference known[],
                                        size_t knowns, const fmi2Real seed[], fmi2Real result[])
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | RUNS, -1);
    return (fmi2Status)sari_fmu_directional(f, unknown, unknowns, known, knowns, seed, result);
}

/* ---- Model Exchange ------------------------------------------------------------------------- */

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    IF_LEGAL(SARI_FMU_CONTINUOUS | SARI_FMU_EVENT, 1);
    f->mode = SARI_FMU_EVENT;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info)
{
    int changed;
    double next;
    IF_LEGAL(SARI_FMU_EVENT, 1);
    const sari_fmu_status status = sari_fmu_update(f, &changed, &next);
    *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = changed,
                            .nextEventTimeDefined = next < INFINITY,
                            .nextEventTime = next < INFINITY ? next : 0.0};
    return (fmi2Status)status;
}

/* ---- Co-Simulation -------------------------------------------------------------------------- */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    IF_LEGAL(BEFORE | SARI_FMU_STEP, 0);
    return (fmi2Status)sari_fmu_set_rates(f, vr, n, order, value);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[])
{
    IF_LEGAL(SARI_FMU_STEP | SARI_FMU_FAILED | SARI_FMU_ENDED, 0);
    return (fmi2Status)sari_fmu_output_rates(f, vr, n, order, value);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real step, fmi2Boolean no_way_back)
{
    int event;
    double reached;
    IF_LEGAL(SARI_FMU_STEP, 0);
    (void)no_way_back;
    const sari_fmu_status status = sari_fmu_step(f, now, step, &event, &reached);
    if (status == SARI_FMU_DISCARD) f->mode = SARI_FMU_FAILED;
    return (fmi2Status)status;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    IF_LEGAL(ANY, 0);
    return (fmi2Status)sari_fmu_refuse(f, SARI_FMU_ERROR,
                                       "steps are done when they return: none can be cancelled");
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value)
{
    IF_LEGAL(ANY, 0);
    if (kind != fmi2DoStepStatus) return fmi2Discard;
    *value = f->mode == SARI_FMU_FAILED ? fmi2Discard : fmi2OK;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value)
{
    IF_LEGAL(ANY, 0);
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = f->t;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer* value)
{
    IF_LEGAL(ANY, 0);
    (void)kind, (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value)
{
    IF_LEGAL(ANY, 0);
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String* value)
{
    IF_LEGAL(ANY, 0);
    if (kind != fmi2PendingStatus) return fmi2Discard;
    *value = "";
    return fmi2OK;
}
