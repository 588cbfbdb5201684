/* The structure of a YAML text, by recursive descent; its events are listed first and given one by one.
 *
 * What the model format refuses anyway ends the list: anchors, tags, aliases. Errors have libyaml's words and places, which people find
 * explained elsewhere. */
#include "input/yaml/text.h"

#include <string.h>

enum { DEEPEST = 100 }; // far beyond what a document may have

struct sari_yaml_events {
    sari_yaml_text text;
    sari_yaml_event* events;
    size_t count, room, given;
    int depth;
};

/* ---- events --------------------------------------------------------------------------------- */

static bool failed(sari_yaml_events* o, const char* context, const char* problem)
{
    return sari_yaml_fail(&o->text, context, problem);
}

static bool emit(sari_yaml_events* o, sari_yaml_event event)
{
    if (o->count == o->room) {
        const size_t room = o->room ? 2 * o->room : 64;
        sari_yaml_event* more = sari_scratch_allocate(o->text.memory, room * sizeof *more);
        if (!more) {
            o->text.no_memory = true;
            return false;
        }
        if (o->count) memcpy(more, o->events, o->count * sizeof *more);
        o->events = more;
        o->room = room;
    }
    o->events[o->count++] = event;
    return true;
}

static sari_yaml_event event_here(const sari_yaml_events* o, sari_yaml_kind kind)
{
    const sari_yaml_text* t = &o->text;
    return (sari_yaml_event){.kind = kind, .index = t->index, .line = t->line, .column = t->column};
}

static sari_yaml_event nothing_here(const sari_yaml_events* o)
{
    sari_yaml_event event = event_here(o, SARI_YAML_SCALAR);
    event.plain = true;
    event.text = "";
    return event;
}

/* A map begins before the event `first`: it turned out to be a key. */
static bool insert_map(sari_yaml_events* o, size_t first)
{
    sari_yaml_event map = o->events[first];
    map.kind = SARI_YAML_MAP;
    map.anchor = map.tag = map.plain = false;
    if (!emit(o, map)) return false;
    memmove(o->events + first + 1, o->events + first, (o->count - 1 - first) * sizeof map);
    o->events[first] = map;
    return true;
}

/* ---- tokens --------------------------------------------------------------------------------- */

static char here(const sari_yaml_events* o)
{
    return sari_yaml_peek(&o->text, 0);
}

static bool indicator(const sari_yaml_events* o, char c)
{
    return here(o) == c && !sari_yaml_at_end(&o->text) && sari_yaml_blank_at(&o->text, 1);
}

static bool begins_line(const sari_yaml_text* t)
{
    size_t k = t->at;
    while (k > 0 && t->text[k - 1] == ' ') k--;
    return k == 0 || sari_yaml_is_break(t->text[k - 1]);
}

/* Over blanks, comments and lines. Tabs are no indentation: they stay where a line or an entry begins. */
static void skip(sari_yaml_events* o, bool tabs)
{
    sari_yaml_text* t = &o->text;
    if (here(o) == '\t' || here(o) == ' ') tabs = tabs && (o->depth < 0 || !begins_line(t));
    for (;;) {
        const char c = here(o);
        if (c == '#' && !sari_yaml_at_end(t)) {
            while (!sari_yaml_at_end(t) && !sari_yaml_is_break(here(o))) sari_yaml_forward(t);
        } else if (sari_yaml_is_break(c)) {
            sari_yaml_forward(t);
            tabs = o->depth < 0;
        } else if (c == ' ' || (c == '\t' && tabs)) {
            sari_yaml_forward(t);
        } else {
            return;
        }
    }
}

// In [ ] and { } tabs are blanks everywhere.
static void skip_in_flow(sari_yaml_events* o)
{
    const int depth = o->depth;
    o->depth = -1;
    skip(o, true);
    o->depth = depth;
}

static bool cannot_start(sari_yaml_events* o)
{
    return failed(o, "while scanning for the next token",
                  "found character that cannot start any token");
}

static bool is_of_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '-';
}

/* Anchors, tags, aliases: one event that says so, and the end. */
static bool refused_property(sari_yaml_events* o)
{
    const char c = here(o);
    sari_yaml_event event = event_here(o, c == '*' ? SARI_YAML_ALIAS : SARI_YAML_SCALAR);
    event.text = "";
    event.anchor = c == '&';
    event.tag = c == '!';
    if (c != '!') {
        const char* context = c == '*' ? "while scanning an alias" : "while scanning an anchor";
        sari_yaml_forward(&o->text);
        const size_t from = o->text.at;
        while (is_of_name(here(o)) && !sari_yaml_at_end(&o->text)) sari_yaml_forward(&o->text);
        if (o->text.at == from || !(sari_yaml_blank_at(&o->text, 0) || strchr("?:,]}%@`", here(o))))
            return failed(o, context, "did not find expected alphabetic or numeric character");
    }
    emit(o, event);
    return false;
}

static bool starts_plain(const sari_yaml_events* o, bool flow)
{
    const char c = here(o);
    if (sari_yaml_at_end(&o->text) || sari_yaml_blank_at(&o->text, 0)) return false;
    if (!strchr("-?:,[]{}#&*!|>'\"%@`", c)) return true;
    if (sari_yaml_blank_at(&o->text, 1)) return false;
    return c == '-' || (!flow && (c == '?' || c == ':'));
}

/* A scalar, if one begins here. */
static bool take_scalar(sari_yaml_events* o, bool flow, int indent, bool* several)
{
    sari_yaml_event event = event_here(o, SARI_YAML_SCALAR);
    const char c = here(o);
    *several = false;
    if (c == '"' || c == '\'') {
        if (!sari_yaml_quoted(&o->text, &event, several)) return false;
    } else if (!flow && (c == '|' || c == '>')) {
        *several = true;
        if (!sari_yaml_block(&o->text, indent, &event)) return false;
    } else if (!starts_plain(o, flow)) {
        return cannot_start(o);
    } else if (!sari_yaml_plain(&o->text, flow, (size_t)(indent + 1), &event, several)) {
        return false;
    }
    return emit(o, event);
}

/* ---- [ ] and { } ---------------------------------------------------------------------------- */

static bool flow_node(sari_yaml_events* o);

static bool flow_is_value(const sari_yaml_events* o)
{
    return here(o) == ':' && !sari_yaml_at_end(&o->text);
}

// Behind a colon.
static bool flow_value(sari_yaml_events* o)
{
    sari_yaml_forward(&o->text);
    skip_in_flow(o);
    if (strchr(",]}", here(o)) && !sari_yaml_at_end(&o->text)) return emit(o, nothing_here(o));
    return flow_node(o);
}

// A node that may be a key: its end, and whether it is on one line.
static bool flow_key(sari_yaml_events* o, bool* one_line)
{
    const size_t line = o->text.line, count = o->count;
    if (!flow_node(o)) return false;
    // The gap behind a plain scalar belongs to it while it is searched for its end.
    const bool scalar = o->events[count].kind == SARI_YAML_SCALAR;
    *one_line = scalar && o->events[count].plain
                    ? !memchr(o->events[count].text, '\n', o->events[count].length)
                    : true;
    *one_line = *one_line && o->text.line == line;
    return true;
}

static bool flow_list_entry(sari_yaml_events* o)
{
    const size_t first = o->count;
    bool one_line;
    if (flow_is_value(o)) {
        if (!emit(o, nothing_here(o))) return false;
        one_line = true;
    } else if (!flow_key(o, &one_line)) {
        return false;
    }
    skip_in_flow(o);
    if (!flow_is_value(o) || !one_line) return true;
    return insert_map(o, first) && flow_value(o) && emit(o, event_here(o, SARI_YAML_END));
}

static bool flow_map_entry(sari_yaml_events* o)
{
    bool one_line = true;
    if (flow_is_value(o)) {
        if (!emit(o, nothing_here(o))) return false;
    } else if (!flow_key(o, &one_line)) {
        return false;
    }
    skip_in_flow(o);
    return flow_is_value(o) && one_line ? flow_value(o) : emit(o, nothing_here(o));
}

static bool flow_collection(sari_yaml_events* o)
{
    const bool list = here(o) == '[';
    const char close = list ? ']' : '}';
    if (!emit(o, event_here(o, list ? SARI_YAML_LIST : SARI_YAML_MAP))) return false;
    sari_yaml_forward(&o->text);
    for (bool first = true;; first = false) {
        skip_in_flow(o);
        if (!first && here(o) != close) {
            if (here(o) != ',')
                return failed(
                    o, list ? "while parsing a flow sequence" : "while parsing a flow mapping",
                    list ? "did not find expected ',' or ']'" : "did not find expected ',' or '}'");
            sari_yaml_forward(&o->text);
            skip_in_flow(o);
        }
        if (here(o) == close) break;
        if (!(list ? flow_list_entry(o) : flow_map_entry(o))) return false;
    }
    const bool done = emit(o, event_here(o, SARI_YAML_END));
    sari_yaml_forward(&o->text);
    return done;
}

static bool flow_node(sari_yaml_events* o)
{
    const char c = here(o);
    bool several;
    if (++o->depth > DEEPEST) return false;
    bool done;
    if (sari_yaml_at_end(&o->text) || sari_yaml_document_mark(&o->text) || strchr(",]}", c) ||
        indicator(o, '-') || indicator(o, '?'))
        done = failed(o, "while parsing a flow node", "did not find expected node content");
    else if (strchr("&*!", c))
        done = refused_property(o);
    else if (c == '[' || c == '{')
        done = flow_collection(o);
    else
        done = take_scalar(o, true, 0, &several);
    o->depth--;
    return done;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static bool block_node(sari_yaml_events* o, int indent, bool may_be_key);

static bool at_end_of_block(const sari_yaml_events* o)
{
    return sari_yaml_at_end(&o->text) || sari_yaml_document_mark(&o->text);
}

static bool no_value_here(sari_yaml_events* o)
{
    return failed(o, NULL, "mapping values are not allowed in this context");
}

/* The entries of a list at `column`; those of a map's value may be in the map's own column (`same`). */
static bool block_list(sari_yaml_events* o, int column, bool same)
{
    const int indent = column;
    if (!emit(o, event_here(o, SARI_YAML_LIST))) return false;
    while (!at_end_of_block(o) && (int)o->text.column == column && indicator(o, '-')) {
        sari_yaml_forward(&o->text);
        const sari_yaml_event empty = nothing_here(o);
        skip(o, false);
        const bool inside = !at_end_of_block(o) && (int)o->text.column > column;
        if (!(inside ? block_node(o, indent, true) : emit(o, empty))) return false;
        skip(o, !inside);
    }
    if (!at_end_of_block(o) && !same && (int)o->text.column >= column)
        return indicator(o, ':') ? no_value_here(o)
                                 : failed(o, "while parsing a block collection",
                                          "did not find expected '-' indicator");
    return emit(o, event_here(o, SARI_YAML_END));
}

// Behind the colon of a key in `column`.
static bool block_value(sari_yaml_events* o, int column)
{
    const size_t line = o->text.line;
    const sari_yaml_event empty = nothing_here(o);
    skip(o, true);
    if (at_end_of_block(o)) return emit(o, empty);
    if (o->text.line == line) {
        if (indicator(o, '-'))
            return failed(o, NULL, "block sequence entries are not allowed in this context");
        return block_node(o, column, false);
    }
    if ((int)o->text.column > column) return block_node(o, column, true);
    if ((int)o->text.column == column && indicator(o, '-')) return block_list(o, column, true);
    return emit(o, empty);
}

/* '? key', with its colon below. */
static bool explicit_key(sari_yaml_events* o, int column)
{
    sari_yaml_forward(&o->text);
    const sari_yaml_event empty = nothing_here(o);
    skip(o, true);
    const bool inside = !at_end_of_block(o) && (int)o->text.column > column;
    if (!(inside ? block_node(o, column, true) : emit(o, empty))) return false;
    skip(o, true);
    return ((int)o->text.column == column && indicator(o, ':')) ||
           failed(o, "while scanning a simple key", "could not find expected ':'");
}

static bool block_key(sari_yaml_events* o, int column);

/* Pairs in `column`; the first key is an event already, and its colon here. */
static bool block_map(sari_yaml_events* o, int column)
{
    for (;;) {
        sari_yaml_forward(&o->text);
        if (!block_value(o, column)) return false;
        skip(o, true);
        if (at_end_of_block(o) || (int)o->text.column < column) break;
        if (indicator(o, ':') && (int)o->text.column > column) return no_value_here(o);
        if ((int)o->text.column > column || indicator(o, '-') || strchr(",]}", here(o)))
            return failed(o, "while parsing a block mapping", "did not find expected key");
        if (!block_key(o, column)) return false;
    }
    return emit(o, event_here(o, SARI_YAML_END));
}

// A key that must be one.
static bool block_key(sari_yaml_events* o, int column)
{
    const size_t line = o->text.line;
    const char c = here(o);
    bool several = false;
    if (strchr("&*!", c)) return refused_property(o);
    if (indicator(o, '?')) return explicit_key(o, column);
    if (indicator(o, ':')) return emit(o, nothing_here(o));
    if (!(c == '[' || c == '{' ? flow_collection(o) : take_scalar(o, false, column, &several)))
        return false;
    while (sari_yaml_is_blank(here(o))) sari_yaml_forward(&o->text);
    if (!several && o->text.line == line && indicator(o, ':')) return true;
    skip(o, true);
    return failed(o, "while scanning a simple key", "could not find expected ':'");
}

static bool block_content(sari_yaml_events* o, int indent, bool may_be_key)
{
    const size_t first = o->count, line = o->text.line;
    const int column = (int)o->text.column;
    const char c = here(o);
    bool several = false;
    if (strchr("&*!", c)) return refused_property(o);
    if (strchr(",]}", c))
        return failed(o, "while parsing a block node", "did not find expected node content");
    if (indicator(o, '?'))
        return emit(o, event_here(o, SARI_YAML_MAP)) && explicit_key(o, column) &&
               block_map(o, column);
    if (indicator(o, '-')) return block_list(o, column, false);
    if (indicator(o, ':')) {
        if (!may_be_key) return no_value_here(o);
        return emit(o, nothing_here(o)) && insert_map(o, first) && block_map(o, column);
    }
    if (!(c == '[' || c == '{' ? flow_collection(o) : take_scalar(o, false, indent, &several)))
        return false;
    while (o->text.line == line && sari_yaml_is_blank(here(o))) sari_yaml_forward(&o->text);
    if (!indicator(o, ':')) return true;
    if (!may_be_key || several || o->text.line > line) return no_value_here(o);
    return insert_map(o, first) && block_map(o, column);
}

static bool block_node(sari_yaml_events* o, int indent, bool may_be_key)
{
    if (++o->depth > DEEPEST) return false;
    const bool done = block_content(o, indent, may_be_key);
    o->depth--;
    return done;
}

/* ---- the stream ----------------------------------------------------------------------------- */

static bool is_mark(const sari_yaml_events* o, const char* mark)
{
    return sari_yaml_document_mark(&o->text) && memcmp(o->text.text + o->text.at, mark, 3) == 0;
}

static void forward(sari_yaml_events* o, int count)
{
    while (count-- > 0) sari_yaml_forward(&o->text);
}

static bool document(sari_yaml_events* o)
{
    while (here(o) == '%' && o->text.column == 0 && !sari_yaml_at_end(&o->text)) {
        while (!sari_yaml_at_end(&o->text) && !sari_yaml_is_break(here(o)))
            sari_yaml_forward(&o->text);
        skip(o, false);
    }
    if (!emit(o, event_here(o, SARI_YAML_DOCUMENT))) return false;
    const size_t line = o->text.line;
    bool same_line = false;
    if (is_mark(o, "---")) {
        forward(o, 3);
        const sari_yaml_event empty = nothing_here(o);
        skip(o, true);
        if (at_end_of_block(o)) return emit(o, empty);
        same_line = o->text.line == line;
    }
    if (!block_node(o, -1, !same_line)) return false;
    skip(o, true);
    return true;
}

static bool stream(sari_yaml_events* o)
{
    for (;;) {
        skip(o, false);
        while (is_mark(o, "...")) {
            forward(o, 3);
            skip(o, true);
        }
        if (sari_yaml_at_end(&o->text)) return emit(o, event_here(o, SARI_YAML_STREAM_END));
        if (!document(o)) return false;
        if (!at_end_of_block(o))
            return indicator(o, ':') ? no_value_here(o)
                                     : failed(o, NULL, "did not find expected <document start>");
    }
}

/* ---- UTF-8 ---------------------------------------------------------------------------------- */

static int bytes_of(unsigned char c)
{
    return c < 0x80             ? 1
           : (c & 0xe0) == 0xc0 ? 2
           : (c & 0xf0) == 0xe0 ? 3
           : (c & 0xf8) == 0xf0 ? 4
                                : 0;
}

/* What is wrong with the character at `k`; NULL: nothing. */
static const char* fault_at(const char* text, size_t length, size_t k, int* width)
{
    const unsigned char c = (unsigned char)text[k];
    *width = bytes_of(c);
    if (*width == 0) return "invalid leading UTF-8 octet";
    if ((size_t)*width > length - k) return "incomplete UTF-8 octet sequence";
    unsigned long code = *width == 1 ? c : c & (0xffu >> (*width + 1));
    for (int i = 1; i < *width; i++) {
        const unsigned char more = (unsigned char)text[k + (size_t)i];
        if ((more & 0xc0) != 0x80) return "invalid trailing UTF-8 octet";
        code = code << 6 | (more & 0x3f);
    }
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[*width]) return "invalid length of a UTF-8 sequence";
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return "invalid Unicode character";
    if ((code < 0x20 && code != 9 && code != 10 && code != 13) || code == 0x7f ||
        (code >= 0x80 && code < 0xa0 && code != 0x85) || code == 0xfffe || code == 0xffff)
        return "control characters are not allowed";
    return NULL;
}

static bool check_text(sari_yaml_events* o)
{
    int width = 1;
    for (size_t k = 0; k < o->text.length; k += (size_t)width) {
        const char* fault = fault_at(o->text.text, o->text.length, k, &width);
        if (!fault) continue;
        o->text.wrong =
            (sari_yaml_event){.kind = SARI_YAML_NOT_UTF8, .problem = fault, .problem_offset = k};
        return false;
    }
    return true;
}

/* ---- reader --------------------------------------------------------------------------------- */

sari_yaml_events* sari_yaml_open(const char* text, size_t length, sari_scratch* memory)
{
    sari_yaml_events* o = sari_scratch_allocate(memory, sizeof *o);
    if (!o) return NULL;
    o->text = (sari_yaml_text){.text = text, .length = length, .memory = memory};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) o->text.at = 3; // byte order mark
    if (check_text(o)) stream(o);
    return o;
}

void sari_yaml_next(sari_yaml_events* o, sari_yaml_event* event)
{
    if (o->given < o->count)
        *event = o->events[o->given++];
    else if (o->text.no_memory)
        *event = (sari_yaml_event){.kind = SARI_YAML_NO_MEMORY};
    else if (o->text.wrong.problem)
        *event = o->text.wrong;
    else // refused before, by who builds the document
        *event = (sari_yaml_event){.kind = SARI_YAML_WRONG,
                                   .problem = "this is not part of the model format"};
}
