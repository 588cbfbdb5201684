/* The words of an expression: numbers, names and signs, and the advice for signs of other
 * languages. */
#ifndef SARI_EXPRESSION_TOKEN_H
#define SARI_EXPRESSION_TOKEN_H

#include "sarrus/base.h"
#include <stdbool.h>

typedef enum sari_token_kind {
    SARI_TOKEN_END,
    SARI_TOKEN_NUMBER,
    SARI_TOKEN_NAME,
    SARI_TOKEN_OPEN,
    SARI_TOKEN_CLOSE,
    SARI_TOKEN_COMMA,
    SARI_TOKEN_QUESTION,
    SARI_TOKEN_COLON,
    SARI_TOKEN_CARET,
    SARI_TOKEN_PLUS,
    SARI_TOKEN_MINUS,
    SARI_TOKEN_STAR,
    SARI_TOKEN_SLASH,
    SARI_TOKEN_LESS,
    SARI_TOKEN_AT_MOST,
    SARI_TOKEN_GREATER,
    SARI_TOKEN_AT_LEAST,
    SARI_TOKEN_EQUAL,
    SARI_TOKEN_DIFFERENT,
    SARI_TOKEN_AND,
    SARI_TOKEN_OR,
    SARI_TOKEN_NOT,
} sari_token_kind;

typedef struct sari_token {
    sari_token_kind kind;
    int offset, length; ///< in the text, in characters
    double number;
} sari_token;

/// The token at or after character `offset` of `text`. SAR_E_MODEL when there is no valid one.
sar_status sari_token_read(const char* text, int offset, sari_token* token, sar_error* error);

/// sari_fail with SAR_E_MODEL and the character where it is wrong.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
sar_status
sari_expression_fail(sar_error* error, int offset, const char* format, ...);

/// Print at most this much of a word in messages.
static inline int sari_shown(int length)
{
    return length < 60 ? length : 60;
}

/// May a value begin with a token of this kind?
bool sari_token_starts_value(sari_token_kind kind);

#endif
