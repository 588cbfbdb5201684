/* Columns of numbers, packed for a page: viewer/src/data.js unpacks them. */
#ifndef CLI_PACK_H
#define CLI_PACK_H

#include <stddef.h>
#include <stdio.h>

typedef struct cli_pack {
    unsigned char* bytes;
    size_t length, capacity;
} cli_pack;

/// Multiples of `quantum` as second differences: motions are smooth, so that these are small.
void cli_pack_quantised(cli_pack* pack, const double* values, int n, double quantum);
/// 32-bit floats, the first bytes of all, then the second ones, and so on.
void cli_pack_floats(cli_pack* pack, const double* values, int n);
/// Deflated if this build can, as base64. 1: deflated.
int cli_pack_deflate(cli_pack* pack);
void cli_pack_write(const cli_pack* pack, FILE* out);
void cli_pack_clear(cli_pack* pack);

#endif
