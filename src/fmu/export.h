/* What the parts of an export share. */
#ifndef SARI_FMU_EXPORT_H
#define SARI_FMU_EXPORT_H

#include "fmu/settings.h"
#include "sarrus/fmu.h"
#include "simulation/simulation.h"

typedef struct sari_fmu_export {
    const sar_fmu_def* def;
    sar_source* source;
    sar_model* model;
    sar_simulation* simulation; ///< assembled, at its start
    sari_fmu_layout layout;
    char identifier[128]; ///< of the binary: the name of the model as a name of C
    char token[48];
    char* text; ///< of the model file
    size_t length;
    char* calculated; ///< per parameter: it follows from others
    double step;      ///< [s] communication step
    int rows;
    double *time, *work, *values, *errors,
        *ranges; ///< the stored motion; errors NULL: none are known
    sar_fmu_report* report;
} sari_fmu_export;

/* description.c */
void sari_fmu_describe(const sari_fmu_export* e, FILE* to); ///< modelDescription.xml
void sari_fmu_document(const sari_fmu_export* e, FILE* to); ///< documentation/index.html

/* sources.c */
struct sari_zip;
sar_status sari_fmu_add_sources(const sari_fmu_export* e, struct sari_zip* zip, sar_error* error);
void sari_fmu_list_sources(const sari_fmu_export* e, FILE* to);   ///< of FMI 2.0; nothing without
void sari_fmu_describe_build(const sari_fmu_export* e, FILE* to); ///< sources/buildDescription.xml

/* runtime_file.c */
/// Beside the library or program that this is part of, or where it is installed. 0: it is not there.
int sari_fmu_find_runtime(char* path, size_t room);

/* reference.c */
/// The step between two rows: a whole number of steps where these are given.
double sari_fmu_communication_step(const sar_options* options);
/// Run the model and its reference run; both are optional.
sar_status sari_fmu_run(sari_fmu_export* e, sar_error* error);
void sari_fmu_write_motion(const sari_fmu_export* e, FILE* to); ///< as CSV

#endif
