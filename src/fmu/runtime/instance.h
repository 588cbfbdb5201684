/* An instance of an FMU, behind the functions of FMI 2.0 and 3.0: the model of the resources and its
 * simulation. Nothing is shared between instances. Memory is allocated when one is instantiated,
 * initialised or asked for a state or for derivatives, never in a step. */
#ifndef SARI_FMU_INSTANCE_H
#define SARI_FMU_INSTANCE_H

#include "base/printf.h"
#include "fmu/settings.h"
#include "simulation/simulation.h"

/// The values are those of fmi2Status and fmi3Status.
typedef enum sari_fmu_status {
    SARI_FMU_OK,
    SARI_FMU_WARNING,
    SARI_FMU_DISCARD,
    SARI_FMU_ERROR,
    SARI_FMU_FATAL
} sari_fmu_status;

/// Where the instance is in the order of calls. Bits, so that sets of them can be named.
typedef enum sari_fmu_mode {
    SARI_FMU_NEW = 1,
    SARI_FMU_INITIALIZATION = 2,
    SARI_FMU_EVENT = 4,
    SARI_FMU_CONTINUOUS = 8,
    SARI_FMU_STEP = 16,
    SARI_FMU_FAILED = 32, ///< a step was discarded
    SARI_FMU_ENDED = 64,
    SARI_FMU_CONFIGURED = 128,
} sari_fmu_mode;

#define SARI_FMU_LOG_ALL (~0u)

/// How many of each the host has been told.
typedef struct sari_fmu_told {
    long passes, branches, not_converged;
    int switches, notes, jumps, passed;
    long impacts;
} sari_fmu_told;

typedef struct sari_fmu_slopes sari_fmu_slopes;
typedef struct sari_fmu sari_fmu;
struct sari_fmu {
    sari_fmu_mode mode;
    int exchange;     ///< Model Exchange, else Co-Simulation
    int event_mode;   ///< the host has event mode in Co-Simulation,
    int early;        ///< and steps end where something happens
    unsigned logging; ///< a bit for each category that the host wants
    /// To the host; `category` is one of the description.
    void (*log)(const sari_fmu* f, sari_fmu_status status, const char* category, const char* text);
    void* host; ///< of the version: callbacks
    char* name;

    sari_fmu_settings settings;
    sar_source* source;
    sar_model* model;
    sar_simulation* simulation; ///< NULL: not begun, or something has changed since
    sar_simulation* twin;       ///< for derivatives, made when first asked for,
    sari_fmu_slopes* slopes;    ///< with its equations along changes of states
    sari_fmu_layout layout;
    int stale; ///< the model is to be read again

    /* what the host has set */
    double *parameter, *input, *rate;
    char *parameter_set, *input_set; ///< 1: by the host; 2: since the last step
    double start, stop, tolerance;   ///< stop, tolerance: NaN if not given

    double t;       ///< the communication point, or the time of Model Exchange
    double* output; ///< at t
    int known;      ///< `output` is that of now
    sari_fmu_told told;

    /* Model Exchange */
    double *q, *p, *lambda; ///< states, and the multipliers after the last completed step,
    int multipliers, room_for_multipliers;
    int evaluated;        ///< the simulation is at (t, q, p)
    int changed;          ///< states are to be returned to the constraints
    unsigned char* block; ///< a state of the simulation, for the twin
    size_t room;
};

/// The folder is that of the resources. NULL after a message.
sari_fmu* sari_fmu_create(sari_fmu* blank, const char* name, const char* token, const char* folder);
void sari_fmu_destroy(sari_fmu* f);

/// To the host, if it wants it; errors always.
SARI_PRINTF(4, 5)
void sari_fmu_tell(const sari_fmu* f, sari_fmu_status status, const char* category,
                   const char* format, ...);
/// The same; returns the status.
SARI_PRINTF(3, 4)
sari_fmu_status sari_fmu_refuse(const sari_fmu* f, sari_fmu_status status, const char* format, ...);
/// Messages of these categories, of all if none is named. Errors are told in any case.
sari_fmu_status sari_fmu_set_logging(sari_fmu* f, int on, size_t count,
                                     const char* const* categories);
/// Is `call` legal in the present mode, one of `modes`? A message if not.
int sari_fmu_may(const sari_fmu* f, const char* call, unsigned modes);

/* initialise.c */
sari_fmu_status sari_fmu_setup(sari_fmu* f, double start, double stop, double tolerance);
/// Read the model, with the parameters that were set.
sari_fmu_status sari_fmu_read_model(sari_fmu* f);
/// Assemble the mechanism, unless that is done.
sari_fmu_status sari_fmu_begin(sari_fmu* f);
void sari_fmu_forget(sari_fmu* f); ///< the simulation: it is of other parameters or inputs
sari_fmu_status sari_fmu_reset(sari_fmu* f);
sar_options sari_fmu_options(const sari_fmu* f); ///< those of the export, over the host's time

/* values.c */
sari_fmu_status sari_fmu_get(sari_fmu* f, const unsigned* reference, size_t count, double* value);
sari_fmu_status sari_fmu_set(sari_fmu* f, const unsigned* reference, size_t count,
                             const double* value);
sari_fmu_status sari_fmu_set_rates(sari_fmu* f, const unsigned* reference, size_t count,
                                   const int* order, const double* value);
sari_fmu_status sari_fmu_output_rates(sari_fmu* f, const unsigned* reference, size_t count,
                                      const int* order, double* value);

/* step.c */
/// *event: something has happened, and the step ends there. *reached: in any case.
sari_fmu_status sari_fmu_step(sari_fmu* f, double now, double step, int* event, double* reached);
/// What was seen since the last time: singular passages, phases, impacts, warnings.
void sari_fmu_report(sari_fmu* f);
void sari_fmu_report_end(sari_fmu* f);
void sari_fmu_note_told(sari_fmu* f); ///< all that has happened so far

/* exchange.c: Model Exchange */
/// Rates of the states at (t, q, p), and outputs (may be NULL); `lambda`: first guess of the multipliers.
sar_status sari_fmu_evaluate(sar_simulation* s, double t, const double* q, const double* p,
                             const double* lambda, double* rates, double* outputs);
sari_fmu_status sari_fmu_exchange_begin(sari_fmu* f);
sar_status sari_fmu_hold_multipliers(sari_fmu* f, int count); ///< as many; room is made
sari_fmu_status sari_fmu_set_states(sari_fmu* f, const double* x, size_t count);
sari_fmu_status sari_fmu_get_states(sari_fmu* f, double* x, size_t count);
sari_fmu_status sari_fmu_get_rates(sari_fmu* f, double* rates, size_t count);
/// Event indicators, at (t, q, p).
sari_fmu_status sari_fmu_indicators(sari_fmu* f, double* z, size_t count);
sari_fmu_status sari_fmu_set_time(sari_fmu* f, double t);
sari_fmu_status sari_fmu_complete_step(sari_fmu* f, int* event);
/// Let happen what is due. *changed: states have new values; *next: time of the next event, infinite: none is known.
sari_fmu_status sari_fmu_update(sari_fmu* f, int* changed, double* next);

/* states.c */
typedef struct sari_fmu_state sari_fmu_state;
sari_fmu_status sari_fmu_save(sari_fmu* f, sari_fmu_state** state);
sari_fmu_status sari_fmu_restore(sari_fmu* f, const sari_fmu_state* state);
void sari_fmu_state_release(sari_fmu_state* state);
size_t sari_fmu_state_size(const sari_fmu_state* state);
sari_fmu_status sari_fmu_state_write(sari_fmu* f, const sari_fmu_state* state, void* bytes,
                                     size_t room);
sari_fmu_status sari_fmu_state_read(sari_fmu* f, const void* bytes, size_t count,
                                    sari_fmu_state** state);

/* slopes.c */
/// Model Exchange by a formulation that knows slopes? The twin is awake.
int sari_fmu_has_slopes(const sari_fmu* f);
/// Changes of rates and outputs along a change of the states, at those of the instance.
sar_status sari_fmu_change(sari_fmu* f, const double* states, double* rates, double* outputs);
void sari_fmu_forget_twin(sari_fmu* f);

/* derivatives.c */
/// result = d unknown/d known * seed.
sari_fmu_status sari_fmu_directional(sari_fmu* f, const unsigned* unknown, size_t unknowns,
                                     const unsigned* known, size_t knowns, const double* seed,
                                     double* result);
/// result = (d unknown/d known)' * seed.
sari_fmu_status sari_fmu_adjoint(sari_fmu* f, const unsigned* unknown, size_t unknowns,
                                 const unsigned* known, size_t knowns, const double* seed,
                                 double* result);

#endif
