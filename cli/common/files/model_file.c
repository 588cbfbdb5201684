#include "common/files/model_file.h"

#include "common/command.h"
#include "common/files/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- settings ------------------------------------------------------------------------------- */

int cli_settings_add(cli_settings* settings, const char* command, const char* text)
{
    size_t length = strcspn(text, "=");
    if (length == 0 || !text[length] || !text[length + 1]) {
        cli_error(command, "--set %s: expected name=value, as in --set m=2", text);
        return CLI_USAGE;
    }
    cli_words_add(&settings->names, "%.*s", (int)length, text);
    cli_words_add(&settings->values, "%s", text + length + 1);
    return 0;
}

char* cli_settings_text(const cli_settings* settings)
{
    char* text = cli_format("%s", "");
    for (int k = 0; k < settings->names.count; k++) {
        cli_append(&text, "%s=%s\n", settings->names.items[k], settings->values.items[k]);
    }
    return text;
}

void cli_settings_take(cli_settings* settings, const char* text)
{
    cli_words lines = {0};
    cli_words_split(&lines, text, "\n");
    for (int k = 0; k < lines.count; k++)
        if (strchr(lines.items[k], '=')) cli_settings_add(settings, NULL, lines.items[k]);
    cli_words_clear(&lines);
}

sar_setting* cli_settings_list(const cli_settings* settings, int more)
{
    const int count = settings->names.count;
    sar_setting* list = cli_allocate((size_t)(count + more) + 1, sizeof *list);
    for (int k = 0; k < count; k++)
        list[k] = (sar_setting){settings->names.items[k], settings->values.items[k]};
    return list;
}

void cli_settings_clear(cli_settings* settings)
{
    cli_words_clear(&settings->names);
    cli_words_clear(&settings->values);
}

/* ---- where models are ----------------------------------------------------------------------- */

cli_words cli_plugins;

const char* cli_program(void)
{
    const char* reported = getenv("SARRUS_PROGRAM");
    return reported && *reported ? reported : "/proc/self/exe";
}

/// Where `kind` of data is: in the working directory, beside the program's folder (a build in the
/// source tree), and where it is installed.
void cli_data_folders(const char* kind, cli_words* folders)
{
    char* program = realpath(cli_program(), NULL);
    char* slash = program ? strrchr(program, '/') : NULL;
    cli_words_add(folders, "%s", kind);
    if (slash) {
        *slash = 0;
        cli_words_add(folders, "%s/../%s", program, kind);
        cli_words_add(folders, "%s/../share/sarrus/%s", program, kind);
    }
    free(program);
}

static int is_folder(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int exists(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

static const char EXAMPLES[] = "examples/models";

/// `path` if there is such a file, else NULL; it is freed then.
static char* if_file(char* path)
{
    if (exists(path) && !is_folder(path)) return path;
    free(path);
    return NULL;
}

/// The first of these files that is there, in any of the folders for `kind` of data, or NULL.
static char* find_data(const char* kind, const char* name, const char* ending)
{
    cli_words folders = {0};
    cli_data_folders(kind, &folders);
    char* found = NULL;
    for (int k = 0; k < folders.count && !found; k++)
        found = if_file(cli_format("%s/%s%s", folders.items[k], name, ending));
    cli_words_clear(&folders);
    return found;
}

/// Path of the model that `name` means, or NULL. To be freed.
static char* find_model(const char* name)
{
    static const char* const endings[] = {"", ".yaml", ".yml", ".json"};
    int length = (int)strlen(name);
    while (length > 1 && name[length - 1] == '/') length--;
    char* found = if_file(cli_format("%s", name));
    if (!found) found = if_file(cli_format("%.*s/model.yaml", length, name));
    for (int k = 1; !found && k < 4; k++) found = if_file(cli_format("%s%s", name, endings[k]));
    if (found || strchr(name, '/')) return found;
    found = cli_problem_file(name, "model.yaml");
    if (!found) found = find_data(EXAMPLES, name, ".yaml");
    return found ? found : find_data(EXAMPLES, name, "/model.yaml");
}

char* cli_problem_file(const char* problem, const char* file)
{
    char* inside = cli_format("/%s", file);
    char* found = find_data("problems", problem, inside);
    free(inside);
    return found;
}

/// Name of the model that an entry of a folder is: "robot" for robot.yaml where `files` count,
/// "four-bar" for a folder with a model.yaml. NULL: none. To be freed.
static char* model_of_entry(const char* folder, const char* entry, int files)
{
    const size_t length = strlen(entry);
    if (entry[0] == '.') return NULL;
    if (files && length > 5 && strcmp(entry + length - 5, ".yaml") == 0)
        return cli_format("%.*s", (int)length - 5, entry);
    char* inside = if_file(cli_format("%s/%s/model.yaml", folder, entry));
    char* name = inside ? cli_format("%s", entry) : NULL;
    free(inside);
    return name;
}

static void names_of_models(const char* kind, int files, cli_words* names)
{
    cli_words folders = {0};
    cli_data_folders(kind, &folders);
    for (int k = 0; k < folders.count; k++) {
        DIR* folder = opendir(folders.items[k]);
        if (!folder) continue;
        for (const struct dirent* entry; (entry = readdir(folder));) {
            char* name = model_of_entry(folders.items[k], entry->d_name, files);
            if (name) cli_words_add_once(names, name);
            free(name);
        }
        closedir(folder);
    }
    cli_words_clear(&folders);
}

void cli_problem_names(cli_words* names)
{
    names_of_models("problems", 0, names);
}

void cli_example_names(cli_words* names)
{
    names_of_models(EXAMPLES, 1, names);
}

void cli_model_names(cli_words* names)
{
    cli_problem_names(names);
    cli_example_names(names);
}

static void complain_not_found(const char* name, const char* command)
{
    cli_words models = {0};
    cli_model_names(&models);
    const char* nearest = cli_nearest(name, (const char* const*)models.items, models.count);
    if (nearest)
        cli_error(command,
                  "no model file '%s', and no problem or example of that name; did you mean '%s'?",
                  name, nearest);
    else
        cli_error(command, "no model file '%s', and no problem or example of that name", name);
    cli_hint("'sarrus help' lists the problems and examples.");
    cli_words_clear(&models);
}

/* ---- reading -------------------------------------------------------------------------------- */

/// What is in a stream, with a zero behind it; NULL with errno on failure. A device may never end:
/// beyond the largest model nothing is read, and the reader says that it is too large.
static char* read_all(FILE* in, size_t* length)
{
    const size_t most = (size_t)SAR_MODEL_BYTES + 2; // one byte too many, and the zero
    size_t capacity = 1 << 16;
    char* text = cli_resize(NULL, capacity);
    *length = 0;
    for (size_t got; (got = fread(text + *length, 1, capacity - *length - 1, in)) > 0;) {
        *length += got;
        if (capacity == most && capacity - *length < 2) break;
        if (capacity - *length >= 2) continue;
        capacity = 2 * capacity < most ? 2 * capacity : most;
        text = cli_resize(text, capacity);
    }
    text[*length] = 0;
    if (!ferror(in)) return text;
    free(text);
    return NULL;
}

static int read_model(const char* name, const char* command, cli_model_file* file)
{
    int standard = strcmp(name, "-") == 0;
    file->path = standard ? cli_format("standard input") : find_model(name);
    if (!file->path) {
        complain_not_found(name, command);
        return CLI_MODEL;
    }
    FILE* in = standard ? stdin : fopen(file->path, "rb");
    if (in) cli_inputs_add_stream(fileno(in));
    if (in) file->text = read_all(in, &file->length);
    int failed = errno;
    if (in && !standard) fclose(in);
    if (file->text) return 0;
    cli_error(command, "cannot read the model '%s': %s", file->path, strerror(failed));
    return CLI_MODEL;
}

/// The model of the file's text.
static int parse(const char* command, const cli_settings* settings, cli_model_file* file)
{
    sar_setting* list = cli_settings_list(settings, 0);
    sar_status status =
        sar_model_parse(file->text, file->length, file->path, list, settings->names.count,
                        &file->model, &file->method, &file->complaints);
    free(list);
    for (int k = 0; file->model && k < sar_model_files(file->model); k++)
        cli_inputs_add(sar_model_file(file->model, k));
    if (file->complaints) fputs(file->complaints, stderr);
    if (status == SAR_OK) return 0;
    if (!file->complaints) cli_error(command, "%s: %s", file->path, sar_status_text(status));
    return status == SAR_E_NOMEM ? CLI_FAILED : CLI_MODEL;
}

int cli_model_open(const char* name, const char* command, const cli_settings* settings,
                   cli_model_file* file)
{
    *file = (cli_model_file){.method = sar_options_default()};
    int refused = read_model(name, command, file);
    return refused ? refused : parse(command, settings, file);
}

int cli_model_take(const char* text, const char* path, const char* command,
                   const cli_settings* settings, cli_model_file* file)
{
    *file = (cli_model_file){.method = sar_options_default()};
    file->path = cli_format("%s", path);
    file->text = cli_format("%s", text);
    file->length = strlen(text);
    return parse(command, settings, file);
}

void cli_model_warnings(const cli_model_file* file, cli_words* warnings)
{
    cli_words lines = {0};
    cli_words_split(&lines, file->complaints, "\n");
    for (int k = 0; k < lines.count; k++)
        if (strstr(lines.items[k], ": warning: ")) cli_words_add_once(warnings, lines.items[k]);
    cli_words_clear(&lines);
}

void cli_model_close(cli_model_file* file)
{
    sar_model_destroy(file->model);
    sar_text_free(file->complaints);
    free(file->path);
    free(file->text);
    *file = (cli_model_file){0};
}

int cli_model_has_parameter(const sar_model* model, const char* name)
{
    for (int k = 0; k < sar_model_parameters(model); k++)
        if (strcmp(sar_model_parameter_name(model, k), name) == 0) return 1;
    return 0;
}
