/* sar_fmu_verify: an FMU, run as a host would and compared with the motion that is stored in it. Then it
 * is run anew; in the middle its state is serialised, and the rest is run twice: the same bits have to come again. */
#define _XOPEN_SOURCE 700 // nftw
#include "base/memory.h"
#include "base/status.h"
#include "fmu/fmi2.h"
#include "fmu/fmi3.h"
#include "fmu/settings.h"
#include "fmu/zip.h"
#include "import/xml.h"
#include "input/files.h"
#include "sarrus/fmu.h"
#include "sarrus/result.h"

#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct calls {
#define MEMBER_2(result, name, arguments) result(*v2##name) arguments;
    SARI_FMI2_LIST(MEMBER_2)
#define MEMBER_3(result, name, arguments) result(*v3##name) arguments;
    SARI_FMI3_LIST(MEMBER_3)
} calls;

/// An FMU that is unpacked, loaded and instantiated.
typedef struct host {
    char folder[64];
    void* library;
    calls call;
    int version;
    char token[128], identifier[128];
    unsigned* reference; ///< of the columns of the stored motion
    double* range;       ///< of these
    int outputs;
    double start, stop, step;
    sar_result* stored;
    void* instance;
    sar_fmu_check* check;
} host;

/* ---- the description ------------------------------------------------------------------------ */

static double number_of(const sari_xml* node, const char* name, double otherwise)
{
    const char* text = node ? sari_xml_get(node, name) : NULL;
    return text ? strtod(text, NULL) : otherwise;
}

static void copy(char* to, size_t room, const char* text)
{
    snprintf(to, room, "%.*s", (int)room - 1, text ? text : "");
}

static sar_status take_description(host* h, const sari_xml* root, sar_error* error)
{
    const char* version = sari_xml_get(root, "fmiVersion");
    const sari_xml* by = sari_xml_child(root, "CoSimulation");
    const sari_xml* experiment = sari_xml_child(root, "DefaultExperiment");
    const sari_xml* variables = sari_xml_child(root, "ModelVariables");
    h->version = version ? atoi(version) : 0;
    if ((h->version != 2 && h->version != 3) || !by || !variables || !experiment)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "its description is not one of Co-Simulation by FMI 2.0 or 3.0 with a "
                         "default experiment");
    copy(h->token, sizeof h->token,
         sari_xml_get(root, h->version == 2 ? "guid" : "instantiationToken"));
    copy(h->identifier, sizeof h->identifier, sari_xml_get(by, "modelIdentifier"));
    copy(h->check->name, sizeof h->check->name, sari_xml_get(root, "modelName"));
    h->check->version = h->version;
    h->start = number_of(experiment, "startTime", 0.0);
    h->stop = number_of(experiment, "stopTime", NAN);
    h->step = number_of(experiment, "stepSize", NAN);
    h->reference = SARI_NEW_ARRAY(unsigned, sar_result_columns(h->stored) + 1);
    if (!h->reference) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    SARI_XML_EACH(v, variables, NULL)
    {
        const char *cause = sari_xml_get(v, "causality"), *name = sari_xml_get(v, "name");
        const int column = name ? sar_result_find(h->stored, name) : -1;
        if (column < 0 || !cause || strcmp(cause, "output") != 0) continue;
        h->reference[h->outputs++] = (unsigned)number_of(v, "valueReference", 0.0);
        if (column != h->outputs - 1)
            return sari_fail(error, SAR_E_ARG, NULL,
                             "its outputs are not those of the stored motion");
    }
    return SAR_OK;
}

static sar_status read_description(host* h, sar_error* error)
{
    char path[128];
    const char* why = "";
    sari_scratch memory = {0};
    sari_diagnostics* found = SARI_NEW(sari_diagnostics);
    sari_source source = {.name = "modelDescription.xml"};
    sari_xml* root = NULL;
    snprintf(path, sizeof path, "%s/modelDescription.xml", h->folder);
    char* text = sari_read_file(path, &source.length, &why);
    source.text = text;
    sar_status st = text && found ? sari_xml_parse(&source, &memory, found, &root) : SAR_E_IO;
    if (st == SAR_OK)
        st = take_description(h, root, error);
    else
        st = sari_fail(error, SAR_E_IO, NULL, "it has no description that can be read%s%s",
                       *why ? ": " : "", why);
    sari_scratch_clear(&memory);
    sari_release(found);
    sari_release(text);
    return st;
}

static sar_status read_motion(host* h, sar_error* error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/resources/reference.csv", h->folder);
    if (access(path, R_OK) != 0)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "there is no motion in it to compare with: it is not of Sarrus, or was "
                         "exported with --no-reference");
    return sar_result_read(path, &h->stored, error);
}

/* ---- the binary ----------------------------------------------------------------------------- */

static sar_status load(host* h, sar_error* error)
{
    char path[512];
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", h->folder,
             h->version == 2 ? "linux64" :
#if defined(__aarch64__)
                             "aarch64-linux",
#else
                             "x86_64-linux",
#endif
             h->identifier);
    h->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!h->library)
        return sari_fail(error, SAR_E_IO, NULL, "its binary cannot be loaded: %s", dlerror());
    const char* missing = NULL;
    void* symbol;
#define FIND(of, name)                                                                             \
    symbol = h->version == of ? dlsym(h->library, "fmi" #of #name) : NULL;                         \
    if (!symbol && h->version == of) missing = "fmi" #of #name;                                    \
    memcpy(&h->call.v##of##name, &symbol, sizeof symbol);
#define FIND_2(result, name, arguments) FIND(2, name)
    SARI_FMI2_LIST(FIND_2)
#define FIND_3(result, name, arguments) FIND(3, name)
    SARI_FMI3_LIST(FIND_3)
    if (!missing) return SAR_OK;
    return sari_fail(error, SAR_E_IO, NULL, "its binary has no function %s", missing);
}

static void note(host* h, int status, const char* text)
{
    if (status == fmi2OK) return;
    if (h->check->messages++ == 0) copy(h->check->message, sizeof h->check->message, text);
}

static void log_2(fmi2ComponentEnvironment of, fmi2String name, fmi2Status status,
                  fmi2String category, fmi2String format, ...)
{
    char text[512];
    va_list arguments;
    (void)name, (void)category;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    note(of, (int)status, text);
}

static void log_3(fmi3InstanceEnvironment of, fmi3Status status, fmi3String category,
                  fmi3String text)
{
    (void)category;
    note(of, (int)status, text);
}

/* Both versions at once: 0 is fmi2OK and fmi3OK. */

static int instantiate(host* h)
{
    const calls* c = &h->call;
    char where[128];
    snprintf(where, sizeof where, h->version == 2 ? "file://%s/resources" : "%s/resources/",
             h->folder);
    const fmi2CallbackFunctions back = {
        .logger = log_2, .allocateMemory = calloc, .freeMemory = free, .componentEnvironment = h};
    h->instance =
        h->version == 2
            ? c->v2Instantiate(h->check->name, fmi2CoSimulation, h->token, where, &back, 0, 1)
            : c->v3InstantiateCoSimulation(h->check->name, h->token, where, false, true, false,
                                           false, NULL, 0, h, log_3, NULL);
    return h->instance ? 0 : 1;
}

static int initialise(host* h)
{
    const calls* c = &h->call;
    if (h->version == 2)
        return (int)c->v2SetupExperiment(h->instance, 0, 0.0, h->start, 1, h->stop) ||
               (int)c->v2EnterInitializationMode(h->instance) ||
               (int)c->v2ExitInitializationMode(h->instance);
    return (int)c->v3EnterInitializationMode(h->instance, false, 0.0, h->start, true, h->stop) ||
           (int)c->v3ExitInitializationMode(h->instance);
}

static int get(host* h, double* values)
{
    const size_t n = (size_t)h->outputs;
    return h->version == 2 ? (int)h->call.v2GetReal(h->instance, h->reference, n, values)
                           : (int)h->call.v3GetFloat64(h->instance, h->reference, n, values, n);
}

static int step(host* h, double t)
{
    bool event, end, early;
    double reached;
    return h->version == 2 ? (int)h->call.v2DoStep(h->instance, t, h->step, 0)
                           : (int)h->call.v3DoStep(h->instance, t, h->step, false, &event, &end,
                                                   &early, &reached);
}

/// The state as bytes, and back from them.
static int save(host* h, char** bytes, size_t* size)
{
    const calls* c = &h->call;
    void* state = NULL;
    int failed = h->version == 2 ? (int)c->v2GetFMUstate(h->instance, &state) ||
                                       (int)c->v2SerializedFMUstateSize(h->instance, state, size)
                                 : (int)c->v3GetFMUState(h->instance, &state) ||
                                       (int)c->v3SerializedFMUStateSize(h->instance, state, size);
    *bytes = failed ? NULL : sari_allocate(*size, 1);
    if (!*bytes) return 1;
    return h->version == 2
               ? (int)c->v2SerializeFMUstate(h->instance, state, *bytes, *size) ||
                     (int)c->v2FreeFMUstate(h->instance, &state)
               : (int)c->v3SerializeFMUState(h->instance, state, (uint8_t*)*bytes, *size) ||
                     (int)c->v3FreeFMUState(h->instance, &state);
}

static int restore(host* h, const char* bytes, size_t size)
{
    const calls* c = &h->call;
    void* state = NULL;
    if (h->version == 2)
        return (int)c->v2DeSerializeFMUstate(h->instance, bytes, size, &state) ||
               (int)c->v2SetFMUstate(h->instance, state) ||
               (int)c->v2FreeFMUstate(h->instance, &state);
    return (int)c->v3DeserializeFMUState(h->instance, (const uint8_t*)bytes, size, &state) ||
           (int)c->v3SetFMUState(h->instance, state) || (int)c->v3FreeFMUState(h->instance, &state);
}

/* ---- comparing ------------------------------------------------------------------------------ */

/// What differences of an output are compared with: what the export has found, or how far it goes.
static double range_of(const host* h, int output)
{
    const double* x = sar_result_column(h->stored, output);
    double least = INFINITY, most = -INFINITY, range;
    char path[128], line[4096];
    int at = 0;
    snprintf(path, sizeof path, "%s/resources/" SARI_FMU_SETTINGS_FILE, h->folder);
    FILE* from = fopen(path, "r");
    while (from && fgets(line, sizeof line, from))
        if (sscanf(line, "range %lf", &range) == 1 && at++ == output) least = 0.0, most = range;
    if (from) fclose(from);
    for (int i = 0; !isfinite(least) && i < h->check->rows; i++)
        least = fmin(least, x[i]), most = fmax(most, x[i]);
    return fmax(most - least, 1e-9 * fmax(fabs(least), fabs(most)));
}

static void compare_value(host* h, int row, int k, double value)
{
    sar_fmu_check* c = h->check;
    const double* stored = sar_result_column(h->stored, k);
    char name[160];
    snprintf(name, sizeof name, "%s.error", sar_result_name(h->stored, k));
    const int estimate = sar_result_find(h->stored, name);
    const double error = estimate < 0 ? NAN : sar_result_column(h->stored, estimate)[row];
    const double range = h->range[k], apart = fabs(value - stored[row]);
    if (value == stored[row] || (isnan(value) && isnan(stored[row]))) {
        if (error / range > c->allowed || isnan(c->allowed)) c->allowed = error / range;
        return;
    }
    c->same = 0;
    if (!(apart <= fmax(1e-9 * range, isnan(error) ? 0.0 : 2.0 * fabs(error)))) c->passed = 0;
    if (!(apart / range <= c->largest)) {
        c->largest = apart / range;
        c->largest_time = sar_result_time(h->stored)[row];
        copy(c->largest_output, sizeof c->largest_output, sar_result_name(h->stored, k));
    }
}

/// Rows from `from` to `to`, with the steps between them, into `values`: a row after the other.
static int run(host* h, int from, int to, double* values)
{
    const double* t = sar_result_time(h->stored);
    for (int row = from; row < to; row++) {
        if (row > 0 && step(h, t[row - 1])) return 0;
        if (get(h, values + (size_t)row * (size_t)h->outputs)) return 0;
    }
    return 1;
}

static int reset(host* h)
{
    return h->version == 2 ? (int)h->call.v2Reset(h->instance) : (int)h->call.v3Reset(h->instance);
}

/// Once through, beside what is stored; then anew, with the second half twice, from the same bytes.
static int run_all(host* h)
{
    const int rows = h->check->rows, middle = rows / 2;
    const size_t row = (size_t)h->outputs * sizeof(double);
    double* values = sari_allocate((size_t)rows, 2 * row + 1);
    char* bytes = NULL;
    size_t size = 0;
    double* again = values ? values + (size_t)rows * (size_t)h->outputs : NULL;
    int done = values && run(h, 0, rows, values);
    for (int i = 0; done && i < rows; i++)
        for (int k = 0; k < h->outputs; k++) compare_value(h, i, k, values[i * h->outputs + k]);
    done = done && reset(h) == 0 && initialise(h) == 0 && run(h, 0, middle, values) &&
           save(h, &bytes, &size) == 0 && run(h, middle, rows, values) &&
           restore(h, bytes, size) == 0 && run(h, middle, rows, again);
    h->check->restored = done && memcmp(values + (size_t)middle * (size_t)h->outputs,
                                        again + (size_t)middle * (size_t)h->outputs,
                                        (size_t)(rows - middle) * row) == 0;
    h->check->passed &= h->check->restored;
    sari_release(bytes);
    sari_release(values);
    return done;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int remove_one(const char* path, const struct stat* about, int kind, struct FTW* at)
{
    (void)about, (void)kind, (void)at;
    return remove(path);
}

static void clear(host* h)
{
    if (h->instance && h->version == 2) h->call.v2FreeInstance(h->instance);
    if (h->instance && h->version == 3) h->call.v3FreeInstance(h->instance);
    if (h->library) (void)dlclose(h->library);
    sar_result_destroy(h->stored);
    sari_release(h->reference);
    sari_release(h->range);
    if (h->folder[0]) (void)nftw(h->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static sar_status verify(host* h, const char* path, sar_error* error)
{
    sar_fmu_check* c = h->check;
    SARI_TRY(sari_zip_unpack(path, h->folder, error));
    SARI_TRY(read_motion(h, error));
    SARI_TRY(read_description(h, error));
    SARI_TRY(load(h, error));
    c->rows = sar_result_rows(h->stored);
    c->same = c->passed = 1;
    h->range = SARI_NEW_ARRAY(double, h->outputs + 1);
    if (!h->range) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    for (int k = 0; k < h->outputs; k++) h->range[k] = range_of(h, k);
    if (instantiate(h) != 0 || initialise(h) != 0)
        return sari_fail(error, SAR_E_ARG, NULL, "it cannot be initialised: %s", c->message);
    if (run_all(h)) return SAR_OK;
    c->passed = 0;
    return sari_fail(error, SAR_R_NO_CONV, NULL, "it does not run to the end: %s", c->message);
}

sar_status sar_fmu_verify(const char* path, sar_fmu_check* out, sar_error* error)
{
    *out = (sar_fmu_check){.allowed = NAN};
    host h = {.check = out};
    const char* where = getenv("TMPDIR");
    snprintf(h.folder, sizeof h.folder, "%s/sarrus-XXXXXX",
             where && strlen(where) < 40 ? where : "/tmp");
    if (!mkdtemp(h.folder)) {
        h.folder[0] = 0;
        return sari_fail(error, SAR_E_IO, NULL, "no folder to unpack it in: %s", strerror(errno));
    }
    const sar_status status = verify(&h, path, error);
    clear(&h);
    return status;
}
