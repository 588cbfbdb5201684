/* A small writer of JSON. Numbers keep all their digits; what JSON cannot say (NaN, inf) is null.
 *
 *     cli_json j = cli_json_begin(out);
 *     cli_json_open(&j, NULL, '{');
 *     cli_json_text(&j, "status", "completed");
 *     cli_json_open(&j, "warnings", '[');
 *     cli_json_text(&j, NULL, "..."); // elements of an array have no key
 *     cli_json_close(&j);
 *     cli_json_close(&j);
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

typedef struct cli_json {
    FILE* out;
    int depth;
    char closing[32]; ///< the bracket that ends each open level
    int count[32];    ///< how many values each open level has
} cli_json;

cli_json cli_json_begin(FILE* out);
void cli_json_open(cli_json* j, const char* key, char bracket); ///< '{' or '['
void cli_json_close(cli_json* j);                               ///< a line end after the last one
void cli_json_text(cli_json* j, const char* key, const char* text); ///< NULL gives null
void cli_json_number(cli_json* j, const char* key, double value);
void cli_json_numbers(cli_json* j, const char* key, const double* values, int count); ///< an array
/// To seven digits: enough for pictures.
void cli_json_short(cli_json* j, const char* key, double value);
void cli_json_integer(cli_json* j, const char* key, long value);
void cli_json_boolean(cli_json* j, const char* key, int value);

#endif
