/* The page of a run: --view. */
#include "run/job.h"

#include "common/command.h"
#include "pages/live.h"
#include "pictures/scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_job_prepare_view(cli_request* want, const char* name, const sar_model* model)
{
    if (!want->wants_view) return 0;
    if (!want->view) want->view = cli_format("%s.html", name);
    int refused = cli_page_check(want->view, "run");
    if (!refused) refused = cli_page_admit(model, "run");
    if (!refused && want->page.live) refused = cli_live_check("run");
    want->page.settings = &want->settings;
    if (refused || want->output) return refused;
    const char* folder = getenv("TMPDIR");
    want->unnamed = cli_format("%s/sarrus-XXXXXX.h5", folder && *folder ? folder : "/tmp");
    int file = mkstemps(want->unnamed, 3);
    if (file < 0) {
        cli_error("run", "cannot write %s: %s", want->unnamed, strerror(errno));
        return CLI_FAILED;
    }
    close(file);
    want->output = want->unnamed;
    return 0;
}

int cli_job_write_view(const cli_request* want, const char* model, int outcome)
{
    cli_scene scene = {0};
    int failed = cli_scene_read(&scene, want->output, NULL, &want->settings, "run");
    if (!failed) failed = cli_scene_refuse(&scene, "run");
    if (!failed) failed = cli_scene_draw(&scene, "run");
    scene.label = want->unnamed ? model : NULL;
    if (!failed) failed = cli_page_write(&want->page, want->view, &scene, 1, "run");
    cli_scene_clear(&scene);
    return failed && outcome == CLI_DONE ? failed : outcome;
}
