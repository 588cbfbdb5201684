#include "import/xml.h"

#include <expat.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// The text of an element that is open.
typedef struct open_text {
    char* text;
    size_t used, room;
} open_text;

typedef struct reader {
    XML_Parser parser;
    const sari_source* source;
    sari_scratch* memory;
    sari_diagnostics* errors;
    sari_xml *root, *at;
    open_text* texts; ///< by depth
    int depth, elements;
    bool no_memory, refused;
} reader;

static sari_place place_now(const reader* r)
{
    const XML_Index byte = XML_GetCurrentByteIndex(r->parser);
    return (sari_place){.line = (int)XML_GetCurrentLineNumber(r->parser),
                        .column = (int)XML_GetCurrentColumnNumber(r->parser) + 1,
                        .byte = byte > 0 ? (size_t)byte : 0,
                        .source = r->source};
}

static void stop(reader* r)
{
    (void)XML_StopParser(r->parser, XML_FALSE);
}

static void* take(reader* r, size_t bytes)
{
    void* memory = sari_scratch_allocate(r->memory, bytes);
    if (!memory) {
        r->no_memory = true;
        stop(r);
    }
    return memory;
}

static void refuse(reader* r, const char* what, const char* hint)
{
    if (r->refused) return;
    r->refused = true;
    sari_diagnostics_add(r->errors, place_now(r), "%s", what);
    sari_diagnostics_hint(r->errors, "%s", hint);
    stop(r);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The namespaces of tools are part of the words; others, which writers of XML make up, are not. */
static const char* without_namespace(const char* name)
{
    const char* colon = strchr(name, ':');
    if (!colon || strncmp(name, "drake:", 6) == 0 || strncmp(name, "xacro:", 6) == 0) return name;
    return colon + 1;
}

static const char* copy(reader* r, const char* text)
{
    const size_t length = strlen(text);
    char* mine = take(r, length + 1);
    if (mine) memcpy(mine, text, length);
    return mine;
}

/* ---- what expat calls ----------------------------------------------------------------------- */

static bool add_attributes(reader* r, sari_xml* node, const char** pairs)
{
    sari_xml_attribute** last = &node->attributes;
    for (int k = 0; pairs[k]; k += 2) {
        if (strncmp(pairs[k], "xmlns", 5) == 0) continue;
        sari_xml_attribute* a = take(r, sizeof *a);
        if (!a) return false;
        a->name = copy(r, without_namespace(pairs[k]));
        a->value = copy(r, pairs[k + 1]);
        if (!a->name || !a->value) return false;
        *last = a, last = &a->next;
    }
    return true;
}

static void XMLCALL begin(void* context, const char* name, const char** pairs)
{
    reader* r = context;
    if (r->no_memory || r->refused) return;
    if (r->depth >= SARI_XML_DEPTH - 1) {
        refuse(r, "elements lie more than 2000 deep in each other",
               "is a tag not closed? No robot is that deep");
        return;
    }
    if (++r->elements > SARI_XML_ELEMENTS) {
        refuse(r, "there are more than two million elements", "split the file");
        return;
    }
    sari_xml* node = take(r, sizeof *node);
    if (!node) return;
    node->name = copy(r, without_namespace(name));
    node->text = "";
    node->place = place_now(r);
    node->parent = r->at;
    if (!node->name || !add_attributes(r, node, pairs)) return;
    if (!r->at)
        r->root = node;
    else if (r->at->last)
        r->at->last->next = node;
    else
        r->at->first = node;
    if (r->at) r->at->last = node;
    r->at = node;
    r->texts[++r->depth] = (open_text){0};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void XMLCALL end(void* context, const char* name)
{
    reader* r = context;
    (void)name;
    if (r->no_memory || r->refused || !r->at) return;
    open_text* t = &r->texts[r->depth--];
    while (t->used > 0 && is_blank(t->text[t->used - 1])) t->used--;
    if (t->used > 0) {
        t->text[t->used] = 0;
        char* text = t->text;
        while (is_blank(*text)) text++;
        r->at->text = text;
    }
    r->at = r->at->parent;
}

static void XMLCALL characters(void* context, const char* text, int length)
{
    reader* r = context;
    if (r->no_memory || r->refused || !r->at || length <= 0) return;
    open_text* t = &r->texts[r->depth];
    if (t->used == 0) // nothing but blanks so far
        while (length > 0 && is_blank(*text)) text++, length--;
    if (length == 0) return;
    const size_t wanted = t->used + (size_t)length + 1;
    if (wanted > t->room) {
        const size_t room = 2 * wanted;
        char* bigger = take(r, room);
        if (!bigger) return;
        if (t->used) memcpy(bigger, t->text, t->used);
        t->text = bigger, t->room = room;
    }
    memcpy(t->text + t->used, text, (size_t)length);
    t->used += (size_t)length;
}

static void XMLCALL entity(void* context, const char* name, int is_parameter, const char* value,
                           int length, const char* base, const char* system, const char* public_id,
                           const char* notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system,
        (void)public_id, (void)notation;
    refuse(context, "the document declares entities, which are not read",
           "write the text itself in their place: entities can reach other files, or grow without "
           "end");
}

static void XMLCALL doctype(void* context, const char* name, const char* system,
                            const char* public_id, int has_internal)
{
    (void)name, (void)has_internal;
    if (system || public_id)
        refuse(context, "the document takes entities from another file, which is not read",
               "remove the document type: robot files need none");
}

static void XMLCALL skipped(void* context, const char* name, int is_parameter)
{
    (void)name, (void)is_parameter;
    refuse(context, "the document uses an entity that is not part of XML",
           "only &lt; &gt; &amp; &quot; &apos; and numbers are known");
}

/* ---- reading -------------------------------------------------------------------------------- */

static void explain(reader* r)
{
    const enum XML_Error code = XML_GetErrorCode(r->parser);
    if (code == XML_ERROR_NO_MEMORY) {
        r->no_memory = true;
        return;
    }
    if (r->refused || r->no_memory) return;
    const char* text = XML_ErrorString(code);
    sari_diagnostics_add(r->errors, place_now(r), "this is not XML: %s",
                         text ? text : "unknown error");
    if (code == XML_ERROR_INVALID_TOKEN)
        sari_diagnostics_hint(r->errors, "write &lt; for < and &amp; for & in values; comments "
                                         "must not contain two dashes");
    if (code == XML_ERROR_NO_ELEMENTS)
        sari_diagnostics_hint(r->errors, "the file ends before anything begins");
}

static sar_status parse(reader* r)
{
    enum { PART = 1 << 20 };
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin, end);
    XML_SetCharacterDataHandler(r->parser, characters);
    XML_SetStartDoctypeDeclHandler(r->parser, doctype);
    XML_SetEntityDeclHandler(r->parser, entity);
    XML_SetSkippedEntityHandler(r->parser, skipped);
    const char* text = r->source->text;
    size_t left = r->source->length;
    bool good = true;
    do {
        const size_t part = left < PART ? left : PART;
        good = XML_Parse(r->parser, text, (int)part, part == left) == XML_STATUS_OK;
        text += part, left -= part;
    } while (good && left > 0);
    if (!good) explain(r);
    if (r->no_memory) return SAR_E_NOMEM;
    return good && !r->refused && r->root ? SAR_OK : SAR_E_MODEL;
}

sar_status sari_xml_parse(const sari_source* source, sari_scratch* memory, sari_diagnostics* errors,
                          sari_xml** root)
{
    reader r = {.source = source, .memory = memory, .errors = errors};
    *root = NULL;
    r.texts = sari_scratch_allocate(memory, (SARI_XML_DEPTH + 1) * sizeof *r.texts);
    r.parser = r.texts ? XML_ParserCreate(NULL) : NULL;
    if (!r.parser) return SAR_E_NOMEM;
    const sar_status status = parse(&r);
    XML_ParserFree(r.parser);
    if (status == SAR_OK) *root = r.root;
    return status;
}

/* ---- looking at it -------------------------------------------------------------------------- */

int sari_xml_is(const sari_xml* node, const char* name)
{
    return strcmp(node->name, name) == 0;
}

static const sari_xml* find(const sari_xml* node, const char* name)
{
    while (node && name && !sari_xml_is(node, name)) node = node->next;
    return node;
}

const sari_xml* sari_xml_child(const sari_xml* node, const char* name)
{
    return node ? find(node->first, name) : NULL;
}

const sari_xml* sari_xml_next(const sari_xml* node, const char* name)
{
    return find(node->next, name);
}

const char* sari_xml_get(const sari_xml* node, const char* attribute)
{
    for (const sari_xml_attribute* a = node ? node->attributes : NULL; a; a = a->next)
        if (strcmp(a->name, attribute) == 0) return a->value;
    return NULL;
}

sari_place sari_xml_place_of(const sari_xml* node, const char* attribute)
{
    const sari_source* s = node->place.source;
    const size_t length = strlen(attribute);
    char quote = 0;
    for (size_t k = node->place.byte + 1; k + length < s->length; k++) {
        const char c = s->text[k];
        if (quote) {
            if (c == quote) quote = 0;
            continue;
        }
        if (c == '>') break;
        if (c == '"' || c == '\'') quote = c;
        const char after = s->text[k + length];
        if (is_blank(s->text[k - 1]) && memcmp(s->text + k, attribute, length) == 0 &&
            (after == '=' || is_blank(after))) {
            static const sari_diagnostics none = {0}; // the place says in which text
            return sari_place_forward(&none, node->place, k);
        }
    }
    return node->place;
}
