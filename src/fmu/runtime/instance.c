#include "fmu/runtime/instance.h"

#include "base/memory.h"
#include "base/status.h"
#include "input/files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------------------------- */

/* A bit of its own, all for logAll, none for another name. */
static unsigned bit_of(const char* category)
{
#define X(name, tells) name,
    static const char* const names[] = {SARI_FMU_LOG_LIST(X)};
#undef X
    const unsigned count = sizeof names / sizeof *names;
    if (!category || strcmp(category, "logAll") == 0) return category ? SARI_FMU_LOG_ALL : 0;
    for (unsigned k = 0; k < count; k++)
        if (strcmp(category, names[k]) == 0) return 1u << k;
    return 0;
}

static void tell(const sari_fmu* f, sari_fmu_status status, const char* category,
                 const char* format, va_list arguments)
{
    char text[1536];
    if (!f->log || ((bit_of(category) & ~f->logging) && status < SARI_FMU_DISCARD)) return;
    vsnprintf(text, sizeof text, format, arguments);
    f->log(f, status, category, text);
}

void sari_fmu_tell(const sari_fmu* f, sari_fmu_status status, const char* category,
                   const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(f, status, category, format, arguments);
    va_end(arguments);
}

sari_fmu_status sari_fmu_refuse(const sari_fmu* f, sari_fmu_status status, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(f, status, status == SARI_FMU_DISCARD ? "logStatusDiscard" : "logStatusError", format,
         arguments);
    va_end(arguments);
    return status;
}

sari_fmu_status sari_fmu_set_logging(sari_fmu* f, int on, size_t count,
                                     const char* const* categories)
{
    unsigned wanted = count == 0 ? SARI_FMU_LOG_ALL : 0;
    for (size_t k = 0; k < count; k++) {
        const unsigned bit = categories ? bit_of(categories[k]) : 0;
        if (bit == 0)
            return sari_fmu_refuse(f, SARI_FMU_ERROR, "there is no log category %s",
                                   categories && categories[k] ? categories[k] : "without a name");
        wanted |= bit;
    }
    f->logging = on ? wanted : 0;
    return SARI_FMU_OK;
}

static const char* mode_name(sari_fmu_mode mode)
{
    switch (mode) {
    case SARI_FMU_NEW:
        return "instantiated";
    case SARI_FMU_INITIALIZATION:
        return "in initialization mode";
    case SARI_FMU_EVENT:
        return "in event mode";
    case SARI_FMU_CONTINUOUS:
        return "in continuous-time mode";
    case SARI_FMU_STEP:
        return "between steps";
    case SARI_FMU_FAILED:
        return "after a step that was discarded";
    case SARI_FMU_ENDED:
        return "terminated";
    case SARI_FMU_CONFIGURED:
        return "in configuration mode";
    }
    return "nowhere";
}

int sari_fmu_may(const sari_fmu* f, const char* call, unsigned modes)
{
    if (!f) return 0;
    if ((unsigned)f->mode & modes) return 1;
    (void)sari_fmu_refuse(f, SARI_FMU_ERROR, "%s is not legal here: the instance is %s", call,
                          mode_name(f->mode));
    return 0;
}

/* ---- an instance ---------------------------------------------------------------------------- */

static sar_status open_model(sari_fmu* f, const char* folder, sar_error* error)
{
    char path[4096];
    size_t length;
    const char* why = "";
    snprintf(path, sizeof path, "%s/%s", folder, f->settings.model);
    char* text = sari_read_file(path, &length, &why);
    if (!text)
        return sari_fail(error, SAR_E_IO, NULL, "cannot read the resource %s: %s", path, why);
    const sar_status status = sar_source_open(text, length, path, &f->source);
    sari_release(text);
    return status == SAR_OK ? status
                            : sari_fail(error, status, NULL, "%s", sar_status_text(status));
}

static sar_status make_room(sari_fmu* f, sar_error* error)
{
    const sari_fmu_layout* l = &f->layout;
    f->parameter = SARI_NEW_ARRAY(double, l->parameters + 1);
    f->parameter_set = SARI_NEW_ARRAY(char, l->parameters + 1);
    f->input = SARI_NEW_ARRAY(double, l->inputs + 1);
    f->rate = SARI_NEW_ARRAY(double, l->inputs + 1);
    f->input_set = SARI_NEW_ARRAY(char, l->inputs + 1);
    f->output = SARI_NEW_ARRAY(double, l->outputs + 1);
    if (f->parameter && f->parameter_set && f->input && f->rate && f->input_set && f->output)
        return SAR_OK;
    return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
}

static sar_status fill(sari_fmu* f, const char* token, const char* folder, sar_error* error)
{
    SARI_TRY(sari_fmu_settings_read(folder, &f->settings, error));
    if (!token || strcmp(token, f->settings.token) != 0)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "the host's token %s is not that of these resources, %s: the description "
                         "is of another FMU",
                         token ? token : "(none)", f->settings.token);
    SARI_TRY(open_model(f, folder, error));
    if (sari_fmu_read_model(f) != SARI_FMU_OK)
        return sari_fail(error, SAR_E_MODEL, NULL, "the model of the resources cannot be read");
    f->layout = (sari_fmu_layout){.parameters = sar_model_parameters(f->model),
                                  .inputs = sar_model_inputs(f->model),
                                  .outputs = sar_model_outputs(f->model)};
    SARI_TRY(make_room(f, error));
    (void)sari_fmu_reset(f);
    return SAR_OK;
}

sari_fmu* sari_fmu_create(sari_fmu* f, const char* name, const char* token, const char* folder)
{
    sar_error error = {0};
    f->name = sari_copy_string(name ? name : "");
    f->mode = SARI_FMU_NEW;
    f->stale = 1;
    if (f->name && folder && fill(f, token, folder, &error) == SAR_OK) return f;
    (void)sari_fmu_refuse(f, SARI_FMU_ERROR, "%s",
                          folder ? error.message : "the host names no folder of resources");
    sari_fmu_destroy(f);
    return NULL;
}

void sari_fmu_destroy(sari_fmu* f)
{
    if (!f) return;
    sar_simulation_destroy(f->simulation);
    sari_fmu_forget_twin(f);
    sar_model_destroy(f->model);
    sar_source_close(f->source);
    sari_fmu_settings_release(&f->settings);
    void* owned[] = {f->name,   f->parameter, f->parameter_set, f->input, f->rate, f->input_set,
                     f->output, f->q,         f->lambda,        f->block, f->host};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sari_release(owned[k]);
    sari_release(f);
}
