/* The sources of the runtime, for hosts that compile FMUs for machines of their own, and how to build them: in FMI 2.0 a
 * list in the description, in 3.0 sources/buildDescription.xml. They do without SUNDIALS and OpenMP, and need expat. */
#include "base/memory.h"
#include "base/status.h"
#include "fmu/export.h"
#include "fmu/zip.h"
#include "input/files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

static const char* const FOLDERS[] = {
    "include/sarrus",  "src/base",       "src/math",   "src/linalg",      "src/expression",
    "src/model",       "src/elements",   "src/system", "src/coordinates", "src/formulations",
    "src/integrators", "src/simulation", "src/input",  "src/import",      "src/fmu/runtime"};
static const char* const FILES[] = {"src/fmu/settings.c", "src/fmu/settings.h", "src/fmu/fmi2.h",
                                    "src/fmu/fmi3.h"};

static int ends_with(const char* name, const char* ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

/// Is it no part of the runtime?
static int is_left_out(const char* name)
{
    return strstr(name, "integrators/sundials") || strstr(name, "simulation/citations.c");
}

typedef struct walk {
    const sari_fmu_export* e;
    sari_zip* zip; ///< to put files into; NULL: to list them
    FILE* list;    ///< names of what is compiled
    const char* format;
    sar_error* error;
} walk;

static sar_status visit_file(const walk* w, const char* name)
{
    char path[2 * PATH], target[PATH];
    size_t length;
    const char* why = "";
    const int compiled = ends_with(name, ".c");
    if (is_left_out(name) || (!compiled && !ends_with(name, ".h"))) return SAR_OK;
    if (w->list && compiled) fprintf(w->list, w->format, name);
    if (!w->zip) return SAR_OK;
    snprintf(path, sizeof path, "%s/%s", w->e->def->sources, name);
    snprintf(target, sizeof target, "sources/%s", name);
    char* text = sari_read_file(path, &length, &why);
    if (!text) return sari_fail(w->error, SAR_E_IO, NULL, "cannot read %s: %s", path, why);
    const sar_status status = sari_zip_add(w->zip, target, text, length, w->error);
    sari_release(text);
    return status;
}

static sar_status visit_folder(const walk* w, const char* name)
{
    char path[2 * PATH], inside[PATH];
    struct dirent** found = NULL;
    snprintf(path, sizeof path, "%s/%s", w->e->def->sources, name);
    const int count = scandir(path, &found, NULL, alphasort);
    sar_status status = SAR_OK;
    if (count < 0)
        return sari_fail(
            w->error, SAR_E_IO, NULL,
            "there are no sources of Sarrus in %s: a clone has them, and an installation "
            "in share/sarrus",
            path);
    for (int k = 0; k < count; k++) {
        const char* entry = found[k]->d_name;
        snprintf(inside, sizeof inside, "%s/%s", name, entry);
        if (entry[0] != '.' && status == SAR_OK)
            status = strchr(entry, '.') ? visit_file(w, inside) : visit_folder(w, inside);
        free(found[k]);
    }
    free((void*)found);
    return status;
}

static sar_status visit_all(const walk* w)
{
    for (size_t k = 0; k < sizeof FOLDERS / sizeof *FOLDERS; k++)
        SARI_TRY(visit_folder(w, FOLDERS[k]));
    for (size_t k = 0; k < sizeof FILES / sizeof *FILES; k++) SARI_TRY(visit_file(w, FILES[k]));
    return SAR_OK;
}

sar_status sari_fmu_add_sources(const sari_fmu_export* e, struct sari_zip* zip, sar_error* error)
{
    return visit_all(&(walk){.e = e, .zip = zip, .error = error});
}

void sari_fmu_list_sources(const sari_fmu_export* e, FILE* to)
{
    if (!e->def->sources) return;
    fputs("    <SourceFiles>\n", to);
    (void)visit_all(&(walk){.e = e, .list = to, .format = "      <File name=\"%s\"/>\n"});
    fputs("    </SourceFiles>\n", to);
}

void sari_fmu_describe_build(const sari_fmu_export* e, FILE* to)
{
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
            "  <BuildConfiguration modelIdentifier=\"%s\">\n"
            "    <SourceFileSet language=\"C17\" compilerOptions=\"-O2 -ffp-contract=off\">\n",
            e->identifier);
    (void)visit_all(&(walk){.e = e, .list = to, .format = "      <SourceFile name=\"%s\"/>\n"});
    fputs("      <PreprocessorDefinition name=\"_POSIX_C_SOURCE\" value=\"200809L\"/>\n"
          "      <PreprocessorDefinition name=\"_DEFAULT_SOURCE\"/>\n"
          "      <IncludeDirectory name=\"src\"/>\n      <IncludeDirectory name=\"include\"/>\n"
          "    </SourceFileSet>\n",
          to);
    static const char* const libraries[] = {"expat", "m"};
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++)
        fprintf(to, "    <Library name=\"%s\"/>\n", libraries[k]);
    fputs("  </BuildConfiguration>\n</fmiBuildDescription>\n", to);
}
