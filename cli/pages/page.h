/* One file that shows runs: the mechanism moving, curves, and what happened. It holds all that it
 * needs and loads nothing. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "common/text.h"
#include "pictures/scene.h"

typedef struct cli_page {
    const char* title; ///< NULL: the name of the model
    const char* notes; ///< may be NULL
    cli_words plots;   ///< curves to begin with, "y" or "x:y"; none: the usual ones
    int rows;          ///< of each run, about: more are thinned; 0: as many as the page can bear
    int still;         ///< a report: without the mechanism
    int live;          ///< with the solver inside
    const cli_settings* settings; ///< of the live model; may be NULL
    cli_words options;            ///< of its runs, "name=value"
} cli_page;

/// Does this build have pages, and can `path` be written? 0, or an exit code after a message.
int cli_page_check(const char* path, const char* command);
/// Can a page show the motion of this model? 0, or an exit code after a message.
int cli_page_admit(const sar_model* model, const char* command);
/// The runs of some results. 0, or an exit code after a message.
int cli_page_write(const cli_page* page, const char* path, cli_scene* scenes, int count,
                   const char* command);
/// The page without a run: a model is written in it.
int cli_page_write_playground(const char* path, const char* command);
void cli_page_put_json(FILE* out, const char* text); ///< inside a script
/// In the browser, if there is a desktop. 1: opened.
int cli_page_open(const char* path);

#endif
