/// @file fmu.h
/// Models as FMUs: archives that other programs couple and run, by FMI 2.0 and 3.0 (docs/fmu.md).
#ifndef SARRUS_FMU_H
#define SARRUS_FMU_H

#include "sarrus/certificate.h"
#include "sarrus/load.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is exported, and how it runs.
typedef struct sar_fmu_def {
    const char* text; ///< of the model file, or of a robot file
    size_t length;
    const char* path;            ///< where it comes from: files that it names are found from there
    const sar_setting* settings; ///< parameters that are changed
    int settings_count;
    const sar_options* options; ///< the method, with nothing left open (sar_options_choose)
    int version;                ///< of FMI: 2 or 3
    const char*
        runtime; ///< path of sarrus-fmu.so; NULL: the one that is installed with the library
    const char*
        sources;   ///< folder with `src` and `include` of Sarrus, to be put in as well; NULL: no
    int reference; ///< 1: run it, and store the motion with estimates of its errors
} sar_fmu_def;

/// What was written.
typedef struct sar_fmu_report {
    int parameters, inputs, outputs;
    int states;                  ///< of Model Exchange; 0: it is not offered,
    char no_exchange[128];       ///< and why
    int indicators;              ///< of events, likewise
    int rows;                    ///< of the stored motion
    sar_certificate certificate; ///< of it; NaN: there is none
    double step;                 ///< [s] between its rows: the communication step
    size_t bytes;                ///< of the runtime
} sar_fmu_report;

/// Write an FMU. `report` may be NULL. SAR_E_MODEL: the model is invalid, or uses files that cannot be put in.
/// SAR_E_BUILD: there is no library of archives. SAR_E_ASSEMBLY, or > 0: the model does not run.
SAR_API sar_status sar_fmu_write(const sar_fmu_def* def, const char* path, sar_fmu_report* report,
                                 sar_error* error);

/// How an FMU does beside the motion that is stored in it.
typedef struct sar_fmu_check {
    int version; ///< of FMI
    char name[128];
    int rows;                ///< that were compared
    int same;                ///< 1: every number has the stored bits
    double largest;          ///< difference, as a part of the output's range
    double largest_time;     ///< [s]
    char largest_output[64]; ///< whose
    double allowed;          ///< the largest estimate of an error, likewise; NaN: there is none
    int restored; ///< 1: after its state was restored from bytes, the same bits came again
    int passed;   ///< 1: that, and all differences are below twice their estimates, or rounding
    int messages; ///< warnings and errors that the FMU has logged
    char message[256]; ///< the first of them
} sar_fmu_check;

/// Load an FMU of Sarrus as a host would, run it through its default experiment by Co-Simulation, save and restore
/// its state on the way, and compare it with what is stored in it. SAR_E_IO: it cannot be read; SAR_E_ARG: it is not
/// of Sarrus, or has no stored motion.
SAR_API sar_status sar_fmu_verify(const char* path, sar_fmu_check* out, sar_error* error);

#ifdef __cplusplus
}
#endif
#endif
