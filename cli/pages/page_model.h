/* The model of a page, as JSON. */
#ifndef CLI_PAGE_MODEL_H
#define CLI_PAGE_MODEL_H

#include "common/files/json.h"
#include "sarrus/drawing.h"

void cli_page_put_model(cli_json* j, const sar_model* model, const sar_drawing* drawing);
void cli_page_put_mark(cli_json* j, const sar_mark* m);

#endif
