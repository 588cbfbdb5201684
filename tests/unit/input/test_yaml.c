/* The reader of YAML beside libyaml: the same events for the models of this project, and the same verdict on texts that were
 * made of them by damage. */
#include "input/yaml/events.h"
#include "sarrus/load.h"

#include "sar_test.h"

#include <glob.h>

#ifdef WITH_LIBYAML
#include "libyaml_events.h"

enum { MOST = 1 << 20, EVENTS = 40000 };
static sari_yaml_event theirs[EVENTS], ours[EVENTS];
static char text[MOST], damaged[1024];
static uint64_t seed = 5;

static unsigned random_below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* One event after the other into `out`, by libyaml or by our reader. */
static int read_all(bool library, const char* from, size_t length, sari_scratch* memory,
                    sari_yaml_event* out)
{
    reader* theirs_at = library ? open_library(from, length) : NULL;
    sari_yaml_events* ours_at = library ? NULL : sari_yaml_open(from, length, memory);
    int count = 0;
    for (bool ended = false; !ended && count < EVENTS; count++) {
        sari_yaml_event* e = &out[count];
        if (library)
            next_library(theirs_at, e);
        else
            sari_yaml_next(ours_at, e);
        if (e->text) e->text = sari_scratch_text(memory, e->text, e->length);
        ended =
            e->kind >= SARI_YAML_STREAM_END || e->kind == SARI_YAML_ALIAS || e->anchor || e->tag;
    }
    if (library) close_library(theirs_at);
    return count;
}

static bool same_event(const sari_yaml_event* a, const sari_yaml_event* b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == SARI_YAML_SCALAR &&
        (a->length != b->length || memcmp(a->text, b->text, a->length) != 0 ||
         a->plain != b->plain))
        return false;
    // where nothing stands has no place that matters
    return a->kind > SARI_YAML_MAP || (a->kind == SARI_YAML_SCALAR && a->length == 0) ||
           (a->index == b->index && a->line == b->line && a->column == b->column);
}

/* 0: the same; 1: other events; 2: one refuses it; 3: both do, with other words. */
static int compare(const char* from, size_t length)
{
    sari_scratch memory = {0};
    const int n = read_all(true, from, length, &memory, theirs);
    const int m = read_all(false, from, length, &memory, ours);
    const sari_yaml_event a = theirs[n - 1], b = ours[m - 1];
    int outcome = 0;
    if ((a.kind == SARI_YAML_STREAM_END) != (b.kind == SARI_YAML_STREAM_END))
        outcome = 2;
    else if (a.kind != SARI_YAML_STREAM_END)
        outcome = a.kind == b.kind && (!a.problem || strcmp(a.problem, b.problem) == 0) ? 0 : 3;
    else
        for (int k = 0; k < n && !outcome; k++)
            outcome = n != m || !same_event(&theirs[k], &ours[k]);
    sari_scratch_clear(&memory);
    return outcome;
}

static size_t read_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    const size_t length = fread(text, 1, MOST, file);
    fclose(file);
    return length;
}

/* Some lines of the text, with up to three characters changed, lost or too many. */
static size_t damage(size_t length)
{
    static const char signs[] = " \n:,[]{}-#'\"|>&*!?\t%@`abc().\\~=+";
    size_t from = length > 600 ? random_below(length - 500) : 0, n = 0;
    while (from > 0 && text[from - 1] != '\n') from--;
    n = length - from < 600 ? length - from : 600;
    memcpy(damaged, text + from, n);
    for (unsigned k = 1 + random_below(3); k > 0 && n > 0; k--) {
        const size_t at = random_below(n);
        const unsigned how = random_below(3);
        if (how == 0) memmove(damaged + at + 1, damaged + at, n++ - at);
        if (how == 1) memmove(damaged + at, damaged + at + 1, --n - at);
        if (how != 1) damaged[at] = signs[random_below(sizeof signs - 1)];
    }
    return n;
}

TEST(reads_what_libyaml_reads)
{
    static const char* const folders[] = {"/problems/*/*.yaml", "/examples/*.yaml",
                                          "/examples/*/*.yaml", "/tests/models/*.yaml"};
    int texts = 0, refused = 0, words = 0;
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++) {
        char pattern[1024];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s%s", SARRUS_ROOT, folders[f]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t k = 0; k < found.gl_pathc; k++) {
            const size_t length = read_file(found.gl_pathv[k]);
            if (compare(text, length) != 0) fail_msg("%s is read differently", found.gl_pathv[k]);
            for (int round = 0; round < 10; round++, texts++) {
                const int outcome = compare(damaged, damage(length));
                CHECK(outcome != 1);
                refused += outcome == 2;
                words += outcome == 3;
            }
        }
        globfree(&found);
    }
    CHECK(texts > 1000);
    // '?' and odd places of tabs: regression limits
    CHECK_AT_MOST(refused, 0.01 * texts);
    CHECK_AT_MOST(words, 0.06 * texts);
}
#else
TEST(reads_what_libyaml_reads)
{
    skip();
}
#endif

TEST(gives_texts_in_every_style)
{
    static const char source[] =
        "a: 'it''s'\nb: \"x\\ty\\u00e9\"\nc: |\n  one\n\n   two\nd: >-\n  one\n  two\n"
        "e: more\n  words\n\n  here\nf: {g: [1, h: 2], i}\n";
    static const char* const wanted[] = {"a", "it's",
                                         "b", "x\ty\xc3\xa9",
                                         "c", "one\n\n two\n",
                                         "d", "one two",
                                         "e", "more words\nhere",
                                         "f", "g",
                                         "1", "h",
                                         "2", "i",
                                         ""};
    sari_scratch memory = {0};
    sari_yaml_events* events = sari_yaml_open(source, strlen(source), &memory);
    size_t scalars = 0;
    sari_yaml_event e = {0};
    while (e.kind != SARI_YAML_STREAM_END) {
        sari_yaml_next(events, &e);
        CHECK(e.kind <= SARI_YAML_STREAM_END);
        if (e.kind == SARI_YAML_SCALAR) CHECK_TEXT(e.text, wanted[scalars++]);
    }
    CHECK(scalars == sizeof wanted / sizeof wanted[0]);
    sari_scratch_clear(&memory);
}

TEST(documents_become_json)
{
    static const char source[] = "a: 1e8\nb: [x, 'it''s', \"two\\nlines\\\\\"]\nc: {d: , e: {}}\n";
    char *json, *messages;
    CHECK_STATUS(sar_yaml_json(source, sizeof source - 1, "a.yaml", &json, &messages), SAR_OK);
    CHECK_TEXT(json, "{\"a\":\"1e8\",\"b\":[\"x\",\"it's\",\"two\\u000alines\\\\\"],"
                     "\"c\":{\"d\":\"\",\"e\":{}}}");
    CHECK(!messages);
    sar_text_free(json);
    CHECK_STATUS(sar_yaml_json("a: [1", 5, "a.yaml", &json, &messages), SAR_E_MODEL);
    CHECK(!json && strstr(messages, "a.yaml:1:"));
    sar_text_free(messages);
    CHECK_STATUS(sar_yaml_json("", 0, "a.yaml", &json, &messages), SAR_E_MODEL);
    CHECK(!json && messages);
    sar_text_free(messages);
}
