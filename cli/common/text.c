#include "common/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory --------------------------------------------------------------------------------- */

static void out_of_memory(void)
{
    fputs("sarrus: error: out of memory\n", stderr);
    exit(1);
}

void* cli_allocate(size_t count, size_t size)
{
    void* memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) out_of_memory();
    return memory;
}

void* cli_resize(void* memory, size_t bytes)
{
    void* moved = realloc(memory, bytes ? bytes : 1);
    if (!moved) out_of_memory();
    return moved;
}

__attribute__((nonnull(1))) static char* format_list(const char* format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char* text = cli_allocate((size_t)(length > 0 ? length : 0) + 1, 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char* cli_format(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char* text = format_list(format, arguments);
    va_end(arguments);
    return text;
}

void cli_append(char** text, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *more = format_list(format, arguments), *whole = cli_format("%s%s", *text, more);
    va_end(arguments);
    free(more);
    free(*text);
    *text = whole;
}

/* ---- words ---------------------------------------------------------------------------------- */

static void words_take(cli_words* words, char* text)
{
    if (words->count == words->capacity) {
        words->capacity = words->capacity ? 2 * words->capacity : 8;
        words->items = cli_resize(words->items, (size_t)words->capacity * sizeof(char*));
    }
    words->items[words->count++] = text;
}

void cli_words_add(cli_words* words, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    words_take(words, format_list(format, arguments));
    va_end(arguments);
}

void cli_words_add_once(cli_words* words, const char* word)
{
    for (int k = 0; k < words->count; k++)
        if (strcmp(words->items[k], word) == 0) return;
    cli_words_add(words, "%s", word);
}

static void split(cli_words* words, const char* text, const char* separators, int once)
{
    while (text && *text) {
        text += strspn(text, separators);
        size_t length = strcspn(text, separators);
        if (length > 0) {
            char* word = cli_format("%.*s", (int)length, text);
            if (once)
                cli_words_add_once(words, word);
            else
                cli_words_add(words, "%s", word);
            free(word);
        }
        text += length;
    }
}

void cli_words_split(cli_words* words, const char* text, const char* separators)
{
    split(words, text, separators, 1);
}

void cli_words_split_all(cli_words* words, const char* text, const char* separators)
{
    split(words, text, separators, 0);
}

char* cli_words_join(const cli_words* words, const char* separator)
{
    char* text = cli_format("%s", "");
    for (int k = 0; k < words->count; k++)
        cli_append(&text, "%s%s", k ? separator : "", words->items[k]);
    return text;
}

void cli_words_clear(cli_words* words)
{
    for (int k = 0; k < words->count; k++) free(words->items[k]);
    free(words->items);
    *words = (cli_words){0};
}

/* ---- the nearest word ----------------------------------------------------------------------- */

enum { LONGEST = 40 };

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b.
static int edit_distance(const char* a, const char* b)
{
    int rows = (int)strlen(a), columns = (int)strlen(b);
    if (rows > LONGEST || columns > LONGEST) return LONGEST;
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= rows; i++) d[i][0] = i;
    for (int j = 0; j <= columns; j++) d[0][j] = j;
    for (int i = 1; i <= rows; i++) {
        for (int j = 1; j <= columns; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = d[i - 1][j - 1] + !same;
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[rows][columns];
}

const char* cli_nearest(const char* word, const char* const* words, int count)
{
    int length = (int)strlen(word);
    int most = length < 3 ? 1 : length < 7 ? 2 : 3;
    const char* nearest = NULL;
    for (int k = 0; k < count; k++) {
        int distance = edit_distance(word, words[k]);
        if (distance > most || distance >= (int)strlen(words[k])) continue;
        most = distance - 1;
        nearest = words[k];
    }
    // a beginning is as good as a misspelling: "slider" for "slider-crank"
    for (int k = 0; k < count && !nearest && length >= 3; k++)
        if (strncmp(word, words[k], (size_t)length) == 0) nearest = words[k];
    return nearest;
}

const char* cli_plural(long count)
{
    return count == 1 ? "" : "s";
}

/* ---- a command line ------------------------------------------------------------------------- */

char* cli_quote_command(int count, char* const* words)
{
    char* line = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&line, &length);
    if (!out) out_of_memory();
    fputs("sarrus", out);
    for (int k = 0; k < count; k++) {
        int plain = words[k][0] && !strpbrk(words[k], " \t\n'\"\\$`!*?[](){}<>|&;#~^");
        fputs(plain ? " " : " '", out);
        for (const char* c = words[k]; *c; c++) {
            if (*c == '\'')
                fputs("'\\''", out);
            else
                fputc(*c, out);
        }
        if (!plain) fputc('\'', out);
    }
    fclose(out);
    return line;
}

/* ---- the terminal --------------------------------------------------------------------------- */

int cli_is_terminal(FILE* out)
{
    const char* kind = getenv("TERM");
    return isatty(fileno(out)) && !(kind && strcmp(kind, "dumb") == 0);
}

const char* cli_paint(FILE* out, cli_style style)
{
    static const char* const escape[] = {"\033[0m",  "\033[1m",  "\033[1;31m",
                                         "\033[32m", "\033[33m", "\033[2m"};
    const char* refused = getenv("NO_COLOR");
    if ((refused && *refused) || !cli_is_terminal(out)) return "";
    return escape[style];
}

static const char* speaker; ///< the command that a user has given, where one command calls another

void cli_speak_as(const char* command)
{
    speaker = command;
}

static void print_line(const char* command, cli_style style, const char* kind, const char* format,
                       va_list arguments)
{
    fflush(stdout);
    if (command && speaker) command = speaker;
    fprintf(stderr, "sarrus%s%s: %s%s:%s ", command ? " " : "", command ? command : "",
            cli_paint(stderr, style), kind, cli_paint(stderr, CLI_PLAIN));
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void cli_error(const char* command, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(command, CLI_RED, "error", format, arguments);
    va_end(arguments);
}

void cli_warning(const char* command, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(command, CLI_YELLOW, "warning", format, arguments);
    va_end(arguments);
}

void cli_hint(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void cli_wrap(FILE* out, const char* text, int at, int indent, int width)
{
    int column = at, empty = 1;
    while (*text) {
        if (*text == '\n') {
            fputc('\n', out);
            column = 0, empty = 1;
            text++;
            continue;
        }
        if (*text == ' ') {
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (!empty && column + 1 + length > width) {
            fputc('\n', out);
            column = 0, empty = 1;
        }
        if (column == 0) column += fprintf(out, "%*s", indent, "");
        if (!empty) column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
        empty = 0;
        text += length;
    }
    fputc('\n', out);
}

int cli_ends_with(const char* text, const char* ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}
