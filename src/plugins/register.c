/* Plug-ins: checked as a whole, then added to the axes. */
#include "base/status.h"
#include "plugins/plugins.h"

#include <dlfcn.h>
#include <string.h>

/* The same words as ours have, which fit into sar_options. */
static bool is_name(const char* name)
{
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && length < sizeof((sar_options*)0)->formulation &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static sar_status check_name(const char* name, bool taken, sar_error* error)
{
    if (!is_name(name))
        return sari_fail(error, SAR_E_ARG, "name",
                         "a method needs a name of at most 23 lower-case letters, digits and '-', "
                         "not \"%s\"",
                         name ? name : "");
    if (taken)
        return sari_fail(error, SAR_E_ARG, "name", "there is a \"%s\" already: choose another name",
                         name);
    return SAR_OK;
}

static sar_status check_formulation(const sar_plugin_formulation* f, sar_error* error)
{
    SARI_TRY(check_name(f->name, f->name && sari_formulation_named(f->name), error));
    if (!f->accelerations)
        return sari_fail(error, SAR_E_ARG, "accelerations",
                         "\"%s\" has no function `accelerations`, which every run starts with",
                         f->name);
    return SAR_OK;
}

static sar_status check_integrator(const sar_plugin_integrator* i, sar_error* error)
{
    SARI_TRY(check_name(i->name, i->name && sari_integrator_named(i->name), error));
    if (!i->step || i->order < 1)
        return sari_fail(error, SAR_E_ARG, "step",
                         "\"%s\" needs a function `step` and an order of 1 or more", i->name);
    return SAR_OK;
}

static int members(const sar_plugin* p)
{
    static int formulations, integrators; // so far
    if (formulations + p->formulation_count > SARI_PLUGGED ||
        integrators + p->integrator_count > SARI_PLUGGED)
        return 0;
    formulations += p->formulation_count, integrators += p->integrator_count;
    return 1;
}

static sar_status check(const sar_plugin* p, sar_error* error)
{
    if (p->version != SAR_PLUGIN_VERSION)
        return sari_fail(error, SAR_E_ARG, "version",
                         "the plug-in is of version %d of the interface, this library has %d: "
                         "compile it with the headers of this Sarrus",
                         p->version, SAR_PLUGIN_VERSION);
    if (p->formulation_count < 0 || p->integrator_count < 0 ||
        (p->formulation_count && !p->formulations) || (p->integrator_count && !p->integrators) ||
        p->formulation_count + p->integrator_count == 0)
        return sari_fail(error, SAR_E_ARG, "formulations", "the plug-in has no members");
    for (int k = 0; k < p->formulation_count; k++)
        SARI_TRY(check_formulation(&p->formulations[k], error));
    for (int k = 0; k < p->integrator_count; k++)
        SARI_TRY(check_integrator(&p->integrators[k], error));
    for (int k = 0; k < p->formulation_count; k++)
        for (int i = 0; i < k; i++)
            SARI_TRY(check_name(p->formulations[k].name,
                                strcmp(p->formulations[k].name, p->formulations[i].name) == 0,
                                error));
    return SAR_OK;
}

sar_status sar_plugin_register(const sar_plugin* plugin, sar_error* error)
{
    SARI_TRY(check(plugin, error));
    if (!members(plugin))
        return sari_fail(error, SAR_E_ARG, NULL,
                         "plug-ins may have %d formulations and %d integrators in all",
                         SARI_PLUGGED, SARI_PLUGGED);
    for (int k = 0; k < plugin->formulation_count; k++)
        sari_formulation_add(sari_plug_formulation(&plugin->formulations[k]));
    for (int k = 0; k < plugin->integrator_count; k++)
        sari_integrator_add(sari_plug_integrator(&plugin->integrators[k]));
    return SAR_OK;
}

sar_status sar_plugin_load(const char* path, sar_error* error)
{
    void* file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!file) return sari_fail(error, SAR_E_IO, "plugin", "%s", dlerror());
    const sar_plugin* plugin = dlsym(file, "sarrus_plugin");
    sar_status st = plugin ? sar_plugin_register(plugin, error)
                           : sari_fail(error, SAR_E_IO, "plugin",
                                       "%s has no symbol `sarrus_plugin`: it is no plug-in", path);
    if (st != SAR_OK) dlclose(file);
    return st;
}
