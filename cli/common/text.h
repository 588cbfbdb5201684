/* Messages on the terminal, colours, lists of words, and the nearest word to a misspelt one. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>
#include <stdio.h>

/// Zeroed memory, or the program ends: there is nothing sensible to do without it.
void* cli_allocate(size_t count, size_t size);
void* cli_resize(void* memory, size_t bytes);
char* cli_format(const char* format, ...) __attribute__((format(printf, 1, 2))); ///< free() it
/// *text becomes longer by what is formatted.
void cli_append(char** text, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// A growing list of texts that it owns. Zero-initialised is empty.
typedef struct cli_words {
    char** items;
    int count, capacity;
} cli_words;

void cli_words_add(cli_words* words, const char* format, ...) __attribute__((format(printf, 2, 3)));
void cli_words_add_once(cli_words* words, const char* word); ///< unless it is there already
/// Add every word of `text`, which separates them by any of `separators`, once.
void cli_words_split(cli_words* words, const char* text, const char* separators);
/// The same, as often as it is there.
void cli_words_split_all(cli_words* words, const char* text, const char* separators);
char* cli_words_join(const cli_words* words, const char* separator); ///< free() it
void cli_words_clear(cli_words* words);

/// The word of the list that `word` was probably meant to be, or NULL if none is near.
const char* cli_nearest(const char* word, const char* const* words, int count);

int cli_ends_with(const char* text, const char* ending); ///< and has something before it

const char* cli_plural(long count); ///< "s", or "" for one

/// "sarrus ..." as it could be typed again: words with special characters in quotes. free() it.
char* cli_quote_command(int count, char* const* words);

typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_GREEN, CLI_YELLOW, CLI_DIM } cli_style;

/// The escape sequence for a style: "" unless `out` is a terminal that wants colours (NO_COLOR).
const char* cli_paint(FILE* out, cli_style style);
int cli_is_terminal(FILE* out); ///< one that understands cursor movements

/// Whatever command calls cli_error: messages begin with this one, which the user has given. NULL: with their own.
void cli_speak_as(const char* command);
/// `sarrus COMMAND: error: ...` on stderr, with a line end. `command` may be NULL.
void cli_error(const char* command, const char* format, ...) __attribute__((format(printf, 2, 3)));
void cli_warning(const char* command, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_hint(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Print `text` broken at spaces, the first line going on at column `at`, the others indented.
/// Line ends in `text` are kept.
void cli_wrap(FILE* out, const char* text, int at, int indent, int width);

#endif
