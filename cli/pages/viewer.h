/* The script and the style of the pages, bundled by viewer/build.mjs when the program is built. */
#ifndef CLI_VIEWER_H
#define CLI_VIEWER_H

#include <stddef.h>

extern const unsigned char cli_viewer_script[], cli_viewer_style[];
extern const size_t cli_viewer_script_length, cli_viewer_style_length;
extern const char* const cli_viewer_missing; ///< why this build has none; NULL: it has

#endif
