/* The functions that FMI 2.0 and 3.0 have alike. fmi2.c and fmi3.c include this once, each with
 *
 *     FMI(name)         the name or the type with the prefix of the standard
 *     FMI_STATE(a, b)   the name a FMUstate b, as the standard spells it
 *     FMI_DESERIALIZE, FMI_RATES   names of which little is alike
 *     FMI_NUMBERS       what all variables are, in words */
#include "base/memory.h"
#include "fmu/runtime/instance.h"

#include <math.h>
#include <string.h>

enum {
    RUNS = SARI_FMU_EVENT | SARI_FMU_CONTINUOUS | SARI_FMU_STEP | SARI_FMU_FAILED,
    BEFORE = SARI_FMU_NEW | SARI_FMU_INITIALIZATION | SARI_FMU_CONFIGURED,
    ANY = BEFORE | RUNS | SARI_FMU_ENDED
};

/// Is the call legal for this instance? `exchange`: -1: both kinds have it.
static int may(sari_fmu* f, const char* call, unsigned modes, int exchange)
{
    if (!sari_fmu_may(f, call, modes)) return 0;
    if (exchange < 0 || f->exchange == exchange) return 1;
    (void)sari_fmu_refuse(f, SARI_FMU_ERROR, "%s is a call of %s", call,
                          exchange ? "Model Exchange" : "Co-Simulation");
    return 0;
}

#define IF_LEGAL(modes, exchange)                                                                  \
    sari_fmu* f = c;                                                                               \
    if (!may(f, __func__, modes, exchange)) return FMI(Error)

FMI(Status) FMI(SetDebugLogging)(void* c, FMI(Boolean) on, size_t n, const FMI(String) categories[])
{
    IF_LEGAL(ANY, -1);
    return (FMI(Status))sari_fmu_set_logging(f, on, n, categories);
}

void FMI(FreeInstance)(void* c)
{
    sari_fmu_destroy(c);
}

FMI(Status) FMI(Terminate)(void* c)
{
    IF_LEGAL(RUNS, -1);
    sari_fmu_report_end(f);
    f->mode = SARI_FMU_ENDED;
    return FMI(OK);
}

FMI(Status) FMI(Reset)(void* c)
{
    IF_LEGAL(ANY, -1);
    return (FMI(Status))sari_fmu_reset(f);
}

/// Variables of a type of which there are none.
static FMI(Status) refuse_type(sari_fmu* f, const char* call, size_t n)
{
    if (!may(f, call, ANY, -1)) return FMI(Error);
    if (n == 0) return FMI(OK);
    return (FMI(Status))sari_fmu_refuse(f, SARI_FMU_ERROR, "%s: all variables are " FMI_NUMBERS,
                                        call);
}

/* ---- states --------------------------------------------------------------------------------- */

FMI(Status) FMI_STATE(Get, )(void* c, void** state)
{
    IF_LEGAL(ANY, -1);
    sari_fmu_state* s = *state;
    const sari_fmu_status status = sari_fmu_save(f, &s);
    *state = s;
    return (FMI(Status))status;
}

FMI(Status) FMI_STATE(Set, )(void* c, void* state)
{
    IF_LEGAL(ANY, -1);
    return (FMI(Status))sari_fmu_restore(f, state);
}

FMI(Status) FMI_STATE(Free, )(void* c, void** state)
{
    IF_LEGAL(ANY, -1);
    if (state) sari_fmu_state_release(*state), *state = NULL;
    return FMI(OK);
}

FMI(Status) FMI_STATE(Serialized, Size)(void* c, void* state, size_t* size)
{
    IF_LEGAL(ANY, -1);
    *size = sari_fmu_state_size(state);
    return *size ? FMI(OK) : FMI(Error);
}

FMI(Status) FMI_STATE(Serialize, )(void* c, void* state, FMI(Byte) bytes[], size_t size)
{
    IF_LEGAL(ANY, -1);
    return (FMI(Status))sari_fmu_state_write(f, state, bytes, size);
}

FMI(Status) FMI_DESERIALIZE(void* c, const FMI(Byte) bytes[], size_t size, void** state)
{
    IF_LEGAL(ANY, -1);
    sari_fmu_state* s;
    const sari_fmu_status status = sari_fmu_state_read(f, bytes, size, &s);
    *state = s;
    return (FMI(Status))status;
}

/* ---- Model Exchange ------------------------------------------------------------------------- */

FMI(Status) FMI(EnterContinuousTimeMode)(void* c)
{
    IF_LEGAL(SARI_FMU_EVENT, 1);
    f->mode = SARI_FMU_CONTINUOUS;
    return FMI(OK);
}

FMI(Status)
FMI(CompletedIntegratorStep)
(void* c, FMI(Boolean) no_way_back, FMI(Boolean) * enter_event_mode, FMI(Boolean) * terminate)
{
    int event = 0;
    IF_LEGAL(SARI_FMU_CONTINUOUS, 1);
    (void)no_way_back;
    const sari_fmu_status status = sari_fmu_complete_step(f, &event);
    *enter_event_mode = event;
    *terminate = 0;
    return (FMI(Status))status;
}

FMI(Status) FMI(SetTime)(void* c, double time)
{
    IF_LEGAL(SARI_FMU_CONTINUOUS | SARI_FMU_EVENT, 1);
    return (FMI(Status))sari_fmu_set_time(f, time);
}

FMI(Status) FMI(SetContinuousStates)(void* c, const double x[], size_t n)
{
    IF_LEGAL(SARI_FMU_CONTINUOUS, 1);
    return (FMI(Status))sari_fmu_set_states(f, x, n);
}

FMI(Status) FMI_RATES(void* c, double rates[], size_t n)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | RUNS, 1);
    return (FMI(Status))sari_fmu_get_rates(f, rates, n);
}

FMI(Status) FMI(GetEventIndicators)(void* c, double indicators[], size_t n)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | RUNS, 1);
    return (FMI(Status))sari_fmu_indicators(f, indicators, n);
}

FMI(Status) FMI(GetContinuousStates)(void* c, double x[], size_t n)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | RUNS, 1);
    return (FMI(Status))sari_fmu_get_states(f, x, n);
}

FMI(Status) FMI(GetNominalsOfContinuousStates)(void* c, double nominal[], size_t n)
{
    IF_LEGAL(SARI_FMU_INITIALIZATION | RUNS, 1);
    for (size_t i = 0; i < n; i++) nominal[i] = 1.0;
    return FMI(OK);
}
