/* The solver inside a page: its WebAssembly, the worker that runs it, and the model. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "pages/page.h"

/// Does this build have it? 0, or an exit code after a message.
int cli_live_check(const char* command);
/// Elements of the page: the model with its files, settings and options; the worker; the WebAssembly. `scene` NULL: no model, for the
/// playground.
void cli_live_put(FILE* out, const cli_page* page, const cli_scene* scene);

/// Made by cmake/live.cmake, deflated; cli_live_missing says why there is none, or is NULL.
extern const unsigned char cli_live_worker[], cli_live_wasm[], cli_live_playground[];
extern const size_t cli_live_worker_length, cli_live_wasm_length, cli_live_playground_length;
extern const char* const cli_live_missing;

#endif
