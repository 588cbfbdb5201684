/* A host for FMUs in tests: exports a model, unpacks it, and loads the binary through the published prototypes. */
#ifndef FMU_HOST_H
#define FMU_HOST_H

#include "fmu/fmi2.h"
#include "fmu/fmi3.h"
#include "fmu/zip.h"
#include "sarrus/sarrus.h"
#include "temporary_folder.h"

#include <dlfcn.h>
#include <sys/stat.h>

/// Functions of a loaded FMU: `two.DoStep`, `three.DoStep`.
typedef struct fmu {
    char folder[160], token[64];
    void* library;
    struct {
#define FMU_MEMBER(result, name, arguments) result(*name) arguments;
        SARI_FMI2_LIST(FMU_MEMBER)
    } two;
    struct {
        SARI_FMI3_LIST(FMU_MEMBER)
#undef FMU_MEMBER
    } three;
    sar_model* model; ///< the same, for the library beside it
    sar_options options;
    int parameters, inputs, outputs;
} fmu;

/// Messages of an instance.
typedef struct fmu_log {
    int count, singular, events, warnings, discards, errors;
    char last[2000];
} fmu_log;

static inline void note_message(fmu_log* log, int status, const char* category, const char* text)
{
    log->count++;
    log->singular += strcmp(category, "logSingularLinearSystems") == 0;
    log->events += strcmp(category, "logEvents") == 0;
    log->warnings += status == fmi2Warning;
    log->discards += status == fmi2Discard;
    log->errors += status == fmi2Error;
    snprintf(log->last, sizeof log->last, "%s", text);
}

static inline void fmu_logger_2(void* to, fmi2String name, fmi2Status status, fmi2String category,
                                fmi2String format, ...)
{
    char text[2000];
    va_list arguments;
    (void)name;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (to) note_message(to, (int)status, category, text);
}

static inline void fmu_logger_3(void* to, fmi3Status status, fmi3String category, fmi3String text)
{
    if (to) note_message(to, (int)status, category, text);
}

static inline char* read_whole(const char* path, size_t* length)
{
    FILE* in = fopen(path, "rb");
    if (!in) fail_msg("cannot read %s", path);
    char* text = malloc(1 << 22);
    *length = fread(text, 1, (1 << 22) - 1, in);
    text[*length] = 0;
    fclose(in);
    return text;
}

static inline void fmu_read_token(fmu* f)
{
    char path[256];
    size_t length;
    snprintf(path, sizeof path, "%s/resources/sarrus.txt", f->folder);
    char* text = read_whole(path, &length);
    CHECK(sscanf(text, "token %63s", f->token) == 1);
    free(text);
}

static inline void fmu_load(fmu* f, int version)
{
    char pattern[256], path[512];
    snprintf(pattern, sizeof pattern, "ls %s/binaries/%s/*.so", f->folder,
             version == 2 ? "linux64" : "x86_64-linux");
    FILE* list = popen(pattern, "r");
    CHECK(list && fgets(path, sizeof path, list));
    pclose(list);
    path[strcspn(path, "\n")] = 0;
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) fail_msg("%s", dlerror());
#define FMU_FIND(result, name, arguments)                                                          \
    *(void**)&f->two.name = dlsym(f->library, "fmi2" #name);                                       \
    if (!f->two.name) fail_msg("no fmi2" #name);
    SARI_FMI2_LIST(FMU_FIND)
#undef FMU_FIND
#define FMU_FIND(result, name, arguments)                                                          \
    *(void**)&f->three.name = dlsym(f->library, "fmi3" #name);                                     \
    if (!f->three.name) fail_msg("no fmi3" #name);
    SARI_FMI3_LIST(FMU_FIND)
#undef FMU_FIND
}

/// `method`: "name=value name=value ...", over that of the model. fmu_close it.
static inline fmu fmu_of_text(const char* text, const char* path, const char* method, int version)
{
    static int number;
    fmu f = {.options = sar_options_default()};
    char copy[512], *messages = NULL, archive[200];
    const char *names[16], *values[16];
    int count = 0;
    sar_error error = {0};
    if (sar_model_parse(text, strlen(text), path, NULL, 0, &f.model, &f.options, &messages) !=
        SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    snprintf(copy, sizeof copy, "%s", method);
    for (char* word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        names[count] = word;
        values[count] = strchr(word, '=') + 1;
        *strchr(word, '=') = 0;
        count++;
    }
    CHECK_STATUS(sar_options_apply(&f.options, names, values, count, 0, NULL, &error), SAR_OK);
    CHECK_STATUS(sar_options_choose(&f.options, f.model, NULL, 0, &error), SAR_OK);
    snprintf(archive, sizeof archive, "%s/%d.fmu", test_folder, ++number);
    snprintf(f.folder, sizeof f.folder, "%s/%d", test_folder, number);
    const sar_fmu_def def = {.text = text,
                             .length = strlen(text),
                             .path = path,
                             .options = &f.options,
                             .version = version};
    if (sar_fmu_write(&def, archive, NULL, &error) != SAR_OK) fail_msg("%s", error.message);
    CHECK(mkdir(f.folder, 0700) == 0);
    CHECK_STATUS(sari_zip_unpack(archive, f.folder, &error), SAR_OK);
    f.parameters = sar_model_parameters(f.model);
    f.inputs = sar_model_inputs(f.model);
    f.outputs = sar_model_outputs(f.model);
    fmu_read_token(&f);
    fmu_load(&f, version);
    return f;
}

static inline fmu fmu_of(const char* path, const char* method, int version)
{
    size_t length;
    char* text = read_whole(path, &length);
    const fmu f = fmu_of_text(text, path, method, version);
    free(text);
    return f;
}

static inline void fmu_close(fmu* f)
{
    dlclose(f->library);
    sar_model_destroy(f->model);
}

/// Value references: sarrus numbers time, parameters, inputs, outputs, states, derivatives.
static inline unsigned fmu_parameter(const fmu* f, const char* name)
{
    for (int k = 0; k < f->parameters; k++)
        if (strcmp(sar_model_parameter_name(f->model, k), name) == 0) return (unsigned)(1 + k);
    fail_msg("no parameter %s", name);
    return 0;
}
static inline unsigned fmu_input(const fmu* f, int k)
{
    return (unsigned)(1 + f->parameters + k);
}
static inline unsigned fmu_output(const fmu* f, int k)
{
    return (unsigned)(1 + f->parameters + f->inputs + k);
}
static inline unsigned fmu_state(const fmu* f, int k)
{
    return (unsigned)(1 + f->parameters + f->inputs + f->outputs + k);
}

static inline fmi2Component fmu_instantiate_2(const fmu* f, fmi2Type type, fmu_log* log)
{
    char where[200];
    // as hosts write it: an escaped character is a character
    snprintf(where, sizeof where, "file://%s/%%72esources", f->folder);
    const fmi2CallbackFunctions back = {fmu_logger_2, calloc, free, NULL, log};
    return f->two.Instantiate("a", type, f->token, where, &back, fmi2False, log != NULL);
}

static inline fmi3Instance fmu_instantiate_3(const fmu* f, bool events, fmu_log* log)
{
    char where[200];
    snprintf(where, sizeof where, "%s/resources/", f->folder);
    return f->three.InstantiateCoSimulation("a", f->token, where, false, log != NULL, events,
                                            events, NULL, 0, log, fmu_logger_3, NULL);
}

/// To the first step, at t = start.
static inline void fmu_initialise_2(const fmu* f, fmi2Component c)
{
    CHECK_STATUS(f->two.SetupExperiment(c, 0, 0, f->options.start, 1, f->options.end), fmi2OK);
    CHECK_STATUS(f->two.EnterInitializationMode(c), fmi2OK);
    CHECK_STATUS(f->two.ExitInitializationMode(c), fmi2OK);
}
static inline void fmu_initialise_3(const fmu* f, fmi3Instance c)
{
    CHECK_STATUS(f->three.EnterInitializationMode(c, 0, 0, f->options.start, 1, f->options.end),
                 fmi3OK);
    CHECK_STATUS(f->three.ExitInitializationMode(c), fmi3OK);
}

static inline void fmu_outputs_2(const fmu* f, fmi2Component c, double* y)
{
    unsigned vr[32];
    for (int k = 0; k < f->outputs; k++) vr[k] = fmu_output(f, k);
    CHECK_STATUS(f->two.GetReal(c, vr, (size_t)f->outputs, y), fmi2OK);
}

#endif
