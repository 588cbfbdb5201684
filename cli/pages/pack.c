#include "pages/pack.h"

#include "common/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef SARRUS_WITH_ZLIB
#include <zlib.h>
#endif

static void put(cli_pack* pack, unsigned char byte)
{
    if (pack->length == pack->capacity) {
        pack->capacity = pack->capacity ? 2 * pack->capacity : 1 << 16;
        pack->bytes = cli_resize(pack->bytes, pack->capacity);
    }
    pack->bytes[pack->length++] = byte;
}

/* Zigzag: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ... Seven bits a byte, the lowest first. */
static void put_integer(cli_pack* pack, int64_t value)
{
    uint64_t code = value < 0 ? 2 * (uint64_t)(-(value + 1)) + 1 : 2 * (uint64_t)value;
    for (; code >= 128; code >>= 7) put(pack, (unsigned char)(code & 127) | 128);
    put(pack, (unsigned char)code);
}

void cli_pack_quantised(cli_pack* pack, const double* values, int n, double quantum)
{
    int64_t last = 0, rate = 0;
    for (int k = 0; k < n; k++) {
        const int64_t value = llround(values[k] / quantum);
        put_integer(pack, value - last - rate);
        rate = value - last;
        last = value;
    }
}

void cli_pack_floats(cli_pack* pack, const double* values, int n)
{
    for (int byte = 0; byte < 4; byte++)
        for (int k = 0; k < n; k++) {
            const float value = (float)values[k];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            put(pack, (unsigned char)(bits >> 8 * byte));
        }
}

int cli_pack_deflate(cli_pack* pack)
{
#ifdef SARRUS_WITH_ZLIB
    uLongf length = compressBound((uLong)pack->length);
    unsigned char* smaller = cli_allocate(length, 1);
    if (compress2(smaller, &length, pack->bytes, (uLong)pack->length, 7) == Z_OK) {
        free(pack->bytes);
        *pack = (cli_pack){smaller, length, length};
        return 1;
    }
    free(smaller);
#else
    (void)pack;
#endif
    return 0;
}

void cli_pack_write(const cli_pack* pack, FILE* out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < pack->length; k += 3) {
        uint32_t word = 0;
        const size_t left = pack->length - k;
        for (size_t i = 0; i < 3; i++) word = word << 8 | (i < left ? pack->bytes[k + i] : 0);
        for (size_t i = 0; i < 4; i++)
            fputc(i <= left ? digits[word >> (18 - 6 * i) & 63] : '=', out);
    }
}

void cli_pack_clear(cli_pack* pack)
{
    free(pack->bytes);
    *pack = (cli_pack){0};
}
