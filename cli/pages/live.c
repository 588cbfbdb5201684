#include "pages/live.h"

#include "common/command.h"
#include "common/files/json.h"
#include "pages/pack.h"

#include <stdlib.h>
#include <string.h>

int cli_live_check(const char* command)
{
    if (!cli_live_missing) return 0;
    cli_error(command, "this build of Sarrus has no live pages: %s", cli_live_missing);
    cli_hint("'make wasm' in its sources installs emscripten and builds them in (Debian).");
    return CLI_FAILED;
}

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    char* text = NULL;
    size_t length = 0, piece;
    if (!file) return NULL;
    do {
        text = cli_resize(text, length + 65537);
        piece = fread(text + length, 1, 65536, file);
        length += piece;
    } while (piece > 0);
    text[length] = 0;
    fclose(file);
    return text;
}

/* Paths below the folder of the model are told from there: pages are for other machines, too. */
static const char* shown_path(const char* path, const char* model)
{
    const char* slash = strrchr(model, '/');
    const size_t folder = slash ? (size_t)(slash - model) + 1 : 0;
    return folder && strncmp(path, model, folder) == 0 ? path + folder : path;
}

static void put_files(cli_json* j, const cli_model_file* file)
{
    cli_json_open(j, "files", '[');
    for (int k = 0; k < sar_model_files(file->model); k++) {
        const char* path = sar_model_file(file->model, k);
        char* text = read_text(path);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "path", shown_path(path, file->path));
        cli_json_text(j, "text", text);
        cli_json_close(j);
        free(text);
    }
    cli_json_close(j);
}

static void put_model(FILE* out, const cli_page* page, const cli_scene* scene)
{
    char* json = NULL;
    size_t length = 0;
    FILE* memory = open_memstream(&json, &length);
    if (!memory) return;
    cli_json j = cli_json_begin(memory);
    cli_json_open(&j, NULL, '{');
    if (scene) {
        const cli_model_file* file = &scene->file;
        char* settings = page->settings ? cli_settings_text(page->settings) : NULL;
        cli_json_text(&j, "name", shown_path(file->path, file->path));
        cli_json_text(&j, "text", file->text);
        put_files(&j, file);
        cli_json_text(&j, "settings", settings ? settings : "");
        free(settings);
        cli_json_open(&j, "options", '[');
        for (int k = 0; k < page->options.count; k++)
            cli_json_text(&j, NULL, page->options.items[k]);
        cli_json_close(&j);
    } else {
        cli_json_boolean(&j, "playground", 1);
    }
    cli_json_close(&j);
    fclose(memory);
    fputs("<script type=\"application/json\" id=\"live\">", out);
    cli_page_put_json(out, json);
    fputs("</script>\n", out);
    free(json);
}

static void put_bytes(FILE* out, const char* id, const unsigned char* bytes, size_t length)
{
    const cli_pack pack = {(unsigned char*)bytes, length, length};
    fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
    cli_pack_write(&pack, out);
    fputs("</script>\n", out);
}

void cli_live_put(FILE* out, const cli_page* page, const cli_scene* scene)
{
    put_model(out, page, scene);
    put_bytes(out, "live-worker", cli_live_worker, cli_live_worker_length);
    put_bytes(out, "live-wasm", cli_live_wasm, cli_live_wasm_length);
    if (!scene) put_bytes(out, "live-examples", cli_live_playground, cli_live_playground_length);
}
