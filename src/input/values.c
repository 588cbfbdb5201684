#include "base/memory.h"
#include "base/status.h"
#include "expression/token.h"
#include "input/reader.h"
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE = SARI_READER_MESSAGE };

/* ---- expressions ---------------------------------------------------------------------------- */

typedef struct meaning {
    sari_reader* r;
    unsigned with;
    bool poisoned; // uses something whose error was reported
} meaning;

enum { VARIABLE_T, VARIABLE_X, VARIABLE_V, VARIABLE_SIGNAL };

static bool same(const char* word, const char* name, size_t length)
{
    return strlen(word) == length && memcmp(word, name, length) == 0;
}

const sari_constant* sari_find_constant(const sari_reader* r, const char* name, size_t length)
{
    const sari_scope* scope = r->scope;
    const sari_hash* hash = &scope->constants_by_name;
    for (int k = sari_hash_first(hash, sari_hash_code(name, length)); k >= 0;
         k = sari_hash_next(hash, k))
        if (same(scope->constants[k].name, name, length)) return &scope->constants[k];
    return NULL;
}

static bool find_constant(meaning* s, const char* name, size_t length, double* value)
{
    const sari_reader* r = s->r;
    const sari_scope* scope = r->scope;
    const size_t before = strlen(scope->prefix); // which the name has, once it is rewritten
    if (before > 0 && length > before && memcmp(name, scope->prefix, before) == 0)
        name += before, length -= before;
    if (scope->index && same(scope->index, name, length)) {
        *value = scope->index_value;
        return true;
    }
    const sari_constant* c = sari_find_constant(r, name, length);
    if (!c) return false;
    *value = c->failed ? 1.0 : c->value;
    s->poisoned |= c->failed;
    return true;
}

/* Was the parameter, or that there are none at all, reported already? */
static bool is_reported(const meaning* s, const char* name, size_t length)
{
    char message[100];
    const bool none = s->r->scope->constants_count == 0;
    if (memchr(name, '.', length)) return false;
    snprintf(message, sizeof message, "there is no parameter '%.*s'", (int)length, name);
    return s->r->lacks_section ||
           sari_diagnostics_has(s->r->diagnostics, none ? "there is no parameter '" : message);
}

/* Was some beginning of the name that of an element that was not added? */
static bool is_failed(const sari_reader* r, const char* name, size_t length)
{
    for (size_t k = 0; k <= length && r->failed.count > 0; k++)
        if ((k == length || name[k] == '.') && sari_remembers(&r->failed, name, k)) return true;
    return false;
}

/* Signals of elements that were not added are unknown to the model; that was reported already. */
static bool signal_is_poisoned(const sari_reader* r, const char* name, size_t length)
{
    const char* dot = memchr(name, '.', length);
    size_t head = dot ? (size_t)(dot - name) : length;
    const size_t known = r->model ? sari_model_head(r->model, name, length) : 0;
    if (r->incomplete || is_failed(r, name, length)) return true;
    if (known > 0) head = known;
    char message[100];
    snprintf(message, sizeof message, "no body or joint is called \"%.*s\"", (int)head, name);
    if (sari_diagnostics_has(r->diagnostics, message)) return true;
    sar_body_id body;
    return r->model && sar_model_find_body(r->model, name, head, &body) == SAR_OK && body.i >= 0 &&
           body.i < r->bodies_count && r->bodies[body.i].flawed;
}

/* NULL: none is near enough, or the error would not be shown. */
static const char* nearest_constant(sari_reader* r, const char* word)
{
    const sari_scope* s = r->scope;
    if (r->diagnostics->count == SARI_DIAGNOSTICS_MOST) return NULL;
    const char** words =
        sari_scratch_allocate(&r->texts, (size_t)(s->constants_count + 1) * sizeof *words);
    if (!words) return NULL;
    int count = 0;
    for (int k = 0; k < s->constants_count; k++) words[count++] = s->constants[k].name;
    if (s->index) words[count++] = s->index;
    return sari_nearest_word(word, words, count);
}

static int explain_unknown(meaning* s, const char* name, size_t length, char* why, size_t size)
{
    sari_reader* r = s->r;
    const char* limit = s->with & SARI_WITH_CURVE ? "curves depend on s and parameters alone"
                                                  : "this must be a constant";
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    if (memchr(name, '.', length)) {
        snprintf(why, size, "'%s': signals cannot be used here, %s", word, limit);
        return SARI_NAME_UNKNOWN;
    }
    if (same("t", name, length)) {
        snprintf(why, size, "'t': the time cannot be used here, %s", limit);
        return SARI_NAME_UNKNOWN;
    }
    const char* nearest = length > 1 ? nearest_constant(r, word) : NULL;
    if (nearest)
        snprintf(why, size, "there is no parameter '%s'; did you mean '%s'?", word, nearest);
    else
        snprintf(why, size, "there is no parameter '%s'", word);
    return SARI_NAME_UNKNOWN;
}

static int lookup(void* context, const char* name, size_t length, double* constant, char* why,
                  size_t size)
{
    meaning* s = context;
    if ((s->with & SARI_WITH_TIME) && same("t", name, length)) return VARIABLE_T;
    if ((s->with & (SARI_WITH_SPRING | SARI_WITH_PLACE | SARI_WITH_SURFACE)) &&
        same("x", name, length))
        return VARIABLE_X;
    if ((s->with & SARI_WITH_SURFACE) && same("y", name, length)) return VARIABLE_V;
    if ((s->with & SARI_WITH_SPRING) && same("v", name, length)) return VARIABLE_V;
    if ((s->with & SARI_WITH_CURVE) && same("s", name, length)) return VARIABLE_X;
    if (find_constant(s, name, length, constant)) return SARI_NAME_CONSTANT;
    if ((s->with & SARI_WITH_SIGNALS) && memchr(name, '.', length)) {
        s->poisoned |= signal_is_poisoned(s->r, name, length);
        return VARIABLE_SIGNAL;
    }
    if ((s->with & SARI_WITH_SIGNALS) && sari_is_state(s->r, name, length)) return VARIABLE_SIGNAL;
    // The model knows more about its names; but it still remembers the indices of finished repeats.
    // Inside of an assembly, names without a dot are its own.
    const sari_scope* scope = s->r->scope;
    if ((s->with & SARI_WITH_TIME) && !scope->outer &&
        !sari_remembers(&scope->indices, name, length)) {
        s->poisoned |= signal_is_poisoned(s->r, name, length); // a state that was not added
        return VARIABLE_SIGNAL;
    }
    if (is_reported(s, name, length)) {
        s->poisoned = true;
        *constant = 1.0;
        return SARI_NAME_CONSTANT;
    }
    return explain_unknown(s, name, length, why, size);
}

static sari_dimension dimension_of(void* context, const char* name, size_t length)
{
    const meaning* s = context;
    const size_t before = strlen(s->r->scope->prefix);
    const sari_constant* c = sari_find_constant(s->r, name, length);
    if (!c && length > before) c = sari_find_constant(s->r, name + before, length - before);
    if (c && c->dimension.known == SARI_MEASURED) return c->dimension;
    return (sari_dimension){.known = SARI_OPEN};
}

static const char UNIT[] = "unit"; // field of errors about it

static sar_status refuse_unit(const sari_reader* r, const char* text, sar_error* error)
{
    char wanted[200], found[96];
    return sari_fail(error, SAR_E_MODEL, UNIT, "%s expected, '%.60s' is %s",
                     sari_unit_expected(r->unit, wanted, sizeof wanted), text,
                     sari_dimension_describe(r->measured, found, sizeof found));
}

typedef enum outcome { VALUE, POISONED, WRONG } outcome;

/* Compile, and when `value` is given also evaluate. */
static outcome evaluate(sari_reader* r, const char* text, unsigned with, double* value,
                        sar_error* error)
{
    meaning s = {r, with, false};
    sari_expression* e = NULL;
    *error = (sar_error){.offset = -1};
    const sari_table_list tables = r->model ? sari_model_tables(r->model) : (sari_table_list){0};
    sar_status status =
        sari_expression_compile_measured(text, lookup, dimension_of, &s, &tables, &e, error);
    if (status == SAR_OK && value) *value = sari_expression_value(e, NULL);
    r->measured = status == SAR_OK ? sari_expression_dimension(e) : (sari_dimension){0};
    if (status == SAR_OK && !sari_dimension_fits(r->measured, r->unit))
        status = refuse_unit(r, text, error);
    sari_expression_destroy(e);
    if (status != SAR_OK && r->lacks_section) return POISONED; // a table, say
    if (status == SAR_E_NOMEM) {
        sari_fail_memory(r);
        return POISONED;
    }
    return status != SAR_OK ? WRONG : s.poisoned ? POISONED : VALUE;
}

bool sari_evaluate_outside(sari_reader* r, const char* text, double* value, sar_error* error)
{
    outcome result = evaluate(r, text, 0, value, error);
    if (result == POISONED) sari_fail_silently(r);
    if (result == VALUE && !isfinite(*value)) {
        sari_fail(error, SAR_E_MODEL, "", "the value is %g; it must be finite", *value);
        result = WRONG;
    }
    return result == VALUE;
}

/* ---- text with {expressions} ---------------------------------------------------------------- */

/* What YAML takes for a map may be meant as an expression: inside of [ ], `a > 0 ? 1 : 2` has a key. */
static void hint_about_maps(sari_reader* r, const sari_node* node)
{
    const sari_node* key = node->count == 1 ? node->keys[0] : NULL;
    const sari_node* value = key ? node->values[0] : NULL;
    if (!key || key->place.byte > node->place.byte || !key->plain || !key->text)
        sari_hint(r, "put quotes around a text that starts with {");
    else if (strchr(key->text, '?') && value->kind == SARI_NODE_SCALAR)
        sari_hint(r, "inside [ ] put quotes around an expression with '? :': \"%.60s : %.60s\"",
                  key->text, value->text);
    else
        sari_hint(r, "inside [ ] put quotes around a text with ': ' in it");
}

static bool expect_scalar(sari_reader* r, const sari_node* node, const char* what,
                          const char* wanted)
{
    char found[64];
    if (node->kind == SARI_NODE_SCALAR && node->length > 0) return true;
    sari_node_describe(node, found, sizeof found);
    sari_report(r, node, "%s must be %s, here is %s", what, wanted, found);
    if (node->kind == SARI_NODE_MAP) hint_about_maps(r, node);
    return false;
}

/* The whole number in braces that starts at text[open], as digits. Returns its end, or 0 after an
 * error. */
static size_t expand_braces(sari_reader* r, const sari_node* node, size_t open, char digits[16])
{
    const char* close = strchr(node->text + open, '}');
    if (!close) {
        sari_report_inside(r, node, (int)open, "this '{' has no '}'");
        return 0;
    }
    size_t length = (size_t)(close - node->text) - open - 1;
    const char* inner = sari_scratch_text(&r->texts, node->text + open + 1, length);
    if (!inner) {
        sari_fail_memory(r);
        return 0;
    }
    double value = 0.0;
    sar_error error;
    const char* unit = r->unit;
    r->unit = NULL;
    outcome result = evaluate(r, inner, 0, &value, &error);
    r->unit = unit;
    if (result == WRONG) {
        int offset = error.offset > 0 ? error.offset : 0;
        sari_report_inside(r, node, (int)open + 1 + offset, error.message);
        return 0;
    }
    if (result == POISONED) {
        sari_fail_silently(r);
        return 0;
    }
    if (!(fabs(value) <= 1e9) || value != floor(value)) {
        char message[128];
        snprintf(message, sizeof message, "the number in {} must be whole, this is %.9g", value);
        sari_report_inside(r, node, (int)open, message);
        return 0;
    }
    snprintf(digits, 16, "%ld", (long)value);
    return (size_t)(close - node->text) + 1;
}

sari_text sari_read_text(sari_reader* r, const sari_node* node, const char* what)
{
    sari_text nothing = {"", NULL};
    if (!expect_scalar(r, node, what, "a text")) return nothing;
    if (!strpbrk(node->text, "{}")) return (sari_text){node->text, NULL};

    // Braces hold at least two characters for at most eleven digits.
    size_t room = 6 * node->length + 16, used = 0;
    char* text = sari_take(r, room, 1);
    int* origin = sari_take(r, room, sizeof *origin);
    if (!text || !origin) return nothing;
    for (size_t k = 0; k < node->length;) {
        if (node->text[k] == '{') {
            char digits[16];
            size_t end = expand_braces(r, node, k, digits);
            if (!end) return nothing;
            for (const char* c = digits; *c; c++) {
                origin[used] = (int)k;
                text[used++] = *c;
            }
            k = end;
        } else if (node->text[k] == '}') {
            sari_report_inside(r, node, (int)k, "this '}' has no '{'");
            return nothing;
        } else {
            origin[used] = (int)k;
            text[used++] = node->text[k++];
        }
    }
    origin[used] = (int)node->length;
    return (sari_text){text, origin};
}

static int original_offset(const sari_text* t, int offset)
{
    if (offset < 0) return 0;
    int length = (int)strlen(t->text);
    if (offset > length) offset = length;
    return t->origin ? t->origin[offset] : offset;
}

void sari_report_at(sari_reader* r, const sari_node* node, int offset, const char* format, ...)
{
    char message[MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (node->kind != SARI_NODE_SCALAR || offset < 0) {
        sari_report(r, node, "%s", message);
        return;
    }
    enum {
        ANY = SARI_WITH_TIME | SARI_WITH_SPRING | SARI_WITH_SIGNALS | SARI_WITH_PLACE |
              SARI_WITH_SURFACE
    };
    sari_text t = sari_rewrite(r, sari_read_text(r, node, "this"), ANY);
    sari_report_inside(r, node, original_offset(&t, offset), message);
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* An expression that does not compile, or that is another quantity than `what`. */
static void report_wrong(sari_reader* r, const sari_node* node, const sari_text* t,
                         const char* what, const sar_error* error)
{
    if (strcmp(error->field, UNIT) == 0) {
        char message[MESSAGE];
        snprintf(message, sizeof message, "%.80s: %s", what, error->message);
        sari_report_inside(r, node, 0, message);
        char lacks[96];
        if (sari_dimension_lacks(r->measured, r->unit, lacks, sizeof lacks)[0])
            sari_hint(r, "it lacks a factor in [%s]; a number without a unit is in SI units",
                      lacks);
        else
            sari_hint(r, "a number without a unit is in SI units");
        return;
    }
    sari_report_inside(r, node, original_offset(t, error->offset), error->message);
    sari_hint_about_commas(r, node);
}

/* Which unit was taken for granted, where only that of a factor makes the value what it has to be. */
static void note_assumed_unit(sari_reader* r, const sari_node* node, const char* what,
                              const char* text)
{
    char unit[96], wanted[200], found[96];
    const sari_dimension d = r->measured;
    if (!sari_dimension_assumed(d, r->unit, unit, sizeof unit)) return;
    if (!unit[0])
        sari_note(r, node,
                  "%s: the terms of '%.60s' have different units; a number without one is taken "
                  "as the factor that makes them equal",
                  what, text);
    else
        sari_note(r, node, "%s: '%.60s' is %s times a number, which is taken in [%s]: %s", what,
                  text, sari_dimension_describe(d, found, sizeof found), unit,
                  sari_unit_expected(r->unit, wanted, sizeof wanted));
}

/* A number that is written as such, with or without a sign, where a number without a unit fits: the
 * expressions that most are, without compiling them. */
static bool read_literal(sari_reader* r, const sari_node* node, double* value)
{
    static const sari_dimension plain = {.known = SARI_PLAIN};
    sari_token token;
    if (node->kind != SARI_NODE_SCALAR || node->length == 0) return false;
    const int sign = node->text[0] == '-';
    if (sari_token_read(node->text, sign, &token, NULL) != SAR_OK) return false;
    if (token.kind != SARI_TOKEN_NUMBER || (size_t)(token.offset + token.length) != node->length)
        return false;
    if (!sari_dimension_fits(plain, r->unit)) return false;
    *value = sign ? -token.number : token.number;
    r->measured = plain;
    return true;
}

double sari_read_extended_number(sari_reader* r, const sari_node* node, const char* what)
{
    if (sari_has_tolerance(node)) return sari_read_toleranced(r, node, what);
    double value = 0.0;
    if (read_literal(r, node, &value)) return value;
    if (!expect_scalar(r, node, what, "a number or an expression")) return 0.0;
    int before = r->failures;
    sari_text t = sari_read_text(r, node, what);
    if (r->failures != before) return 0.0;
    t = sari_rewrite(r, t, 0);
    sar_error error;
    outcome result = evaluate(r, t.text, 0, &value, &error);
    if (result == WRONG) {
        report_wrong(r, node, &t, what, &error);
        return 0.0;
    }
    if (result == POISONED) sari_fail_silently(r);
    if (result == VALUE) note_assumed_unit(r, node, what, t.text);
    return result == VALUE ? value : 0.0;
}

double sari_read_number(sari_reader* r, const sari_node* node, const char* what)
{
    double value = sari_read_extended_number(r, node, what);
    if (isfinite(value)) return value;
    sari_report(r, node, "%s is %s; it must be a finite number", what,
                isnan(value) ? "not a number" : "infinite");
    return 0.0;
}

int sari_read_whole(sari_reader* r, const sari_node* node, const char* what)
{
    double value = sari_read_number(r, node, what);
    if (value == floor(value) && fabs(value) <= 1e9) return (int)value;
    sari_report(r, node, "%s must be a whole number, this is %.9g", what, value);
    return 0;
}

bool sari_expect_list(sari_reader* r, const sari_node* node, const char* what, int count)
{
    char found[64];
    if (node->kind == SARI_NODE_LIST && node->count == count) return true;
    sari_node_describe(node, found, sizeof found);
    sari_report(r, node, "%s must be a list of %d, here is %s", what, count, found);
    return false;
}

bool sari_expect_map(sari_reader* r, const sari_node* node, const char* what)
{
    char found[64];
    if (node->kind == SARI_NODE_MAP) return true;
    sari_node_describe(node, found, sizeof found);
    sari_report(r, node, "%s must be a map of keys and values, here is %s", what, found);
    if (node->kind == SARI_NODE_SCALAR && node->length == 0)
        sari_hint(r, "indent what belongs to it, write {} for an empty one, or remove the key");
    return false;
}

void sari_read_numbers(sari_reader* r, const sari_node* node, const char* what, int count,
                       double* out)
{
    for (int k = 0; k < count; k++) out[k] = 0.0;
    if (!sari_expect_list(r, node, what, count)) return;
    for (int k = 0; k < count; k++) {
        char item[96];
        if (read_literal(r, node->values[k], &out[k])) continue;
        snprintf(item, sizeof item, "%s[%d]", what, k);
        out[k] = sari_read_number(r, node->values[k], item);
    }
}

void sari_read_vector(sari_reader* r, const sari_node* node, const char* what, double out[3])
{
    out[2] = 0.0;
    if (node->kind == SARI_NODE_LIST && node->count != r->dimension && node->count >= 2 &&
        node->count <= 3) {
        sari_report(r, node, "%s has %d components; a vector of a %s model has %d", what,
                    node->count, r->dimension == 2 ? "planar" : "spatial", r->dimension);
        out[0] = out[1] = 0.0;
        return;
    }
    sari_read_numbers(r, node, what, r->dimension, out);
}

/* distance(A, B) as a signal, unless a table is called so. */
static void spell_distances(sari_reader* r, sari_text* t)
{
    const sari_table_list tables = r->model ? sari_model_tables(r->model) : (sari_table_list){0};
    if (!strstr(t->text, "distance(") || sari_table_find(&tables, "distance", 8)) return;
    char* copy = (char*)sari_scratch_text(&r->texts, t->text, strlen(t->text));
    if (!copy) return;
    sari_spell_distances(copy);
    t->text = copy;
}

const char* sari_read_expression(sari_reader* r, const sari_node* node, const char* what,
                                 unsigned with)
{
    if (!expect_scalar(r, node, what, "a number or an expression")) return NULL;
    int before = r->failures;
    sari_text t = sari_read_text(r, node, what);
    if (r->failures != before) return NULL;
    if (with & SARI_WITH_SIGNALS) spell_distances(r, &t);
    t = sari_rewrite(r, t, with);
    if (r->failures != before) return NULL;
    sar_error error;
    outcome result = evaluate(r, t.text, with, NULL, &error);
    if (result == WRONG) {
        report_wrong(r, node, &t, what, &error);
        return NULL;
    }
    if (result == POISONED) sari_fail_silently(r);
    if (result == VALUE) note_assumed_unit(r, node, what, t.text);
    return result == VALUE ? t.text : NULL;
}

/* ---- quantities ----------------------------------------------------------------------------- */

double sari_read_number_in(sari_reader* r, const sari_node* node, const char* what,
                           const char* unit)
{
    const char* before = r->unit;
    r->unit = unit;
    const double value = sari_read_number(r, node, what);
    r->unit = before;
    return value;
}

void sari_read_numbers_in(sari_reader* r, const sari_node* node, const char* what, int count,
                          const char* unit, double* out)
{
    const char* before = r->unit;
    r->unit = unit;
    sari_read_numbers(r, node, what, count, out);
    r->unit = before;
}

void sari_read_vector_in(sari_reader* r, const sari_node* node, const char* what, const char* unit,
                         double out[3])
{
    const char* before = r->unit;
    r->unit = unit;
    sari_read_vector(r, node, what, out);
    r->unit = before;
}

const char* sari_read_expression_in(sari_reader* r, const sari_node* node, const char* what,
                                    unsigned with, const char* unit)
{
    const char* before = r->unit;
    r->unit = unit;
    const char* text = sari_read_expression(r, node, what, with);
    r->unit = before;
    return text;
}

sari_dimension sari_dimension_of(sari_reader* r, const sari_node* node)
{
    double value;
    sar_error error;
    const int before = r->failures;
    const sari_dimension open = {.known = SARI_OPEN};
    if (sari_has_tolerance(node) && sari_node_get(node, "value"))
        node = sari_node_get(node, "value");
    if (node->kind != SARI_NODE_SCALAR || strpbrk(node->text, "{}")) return open;
    const outcome result = evaluate(r, node->text, 0, &value, &error);
    r->failures = before;
    return result == VALUE ? r->measured : open;
}
