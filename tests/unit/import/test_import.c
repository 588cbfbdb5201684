/* Robot files through the importer: whatever the text, the answer is a model file or an explanation with a line; and whatever
 * allocation fails, nothing is lost. */
#include "counting_allocator.h"
#include "math/random.h"
#include "sar_test.h"
#include "sarrus/import.h"
#include "sarrus/load.h"

#ifdef __SANITIZE_ADDRESS__
enum { MUTATIONS = 600 };
#else
enum { MUTATIONS = 10000 };
#endif
enum { ROOM = 1 << 17 };

static const char FOLDER[] = SARRUS_ROOT "/tests/models/robots/";

static char* read_seed(const char* name, size_t* length)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", FOLDER, name);
    FILE* in = fopen(path, "rb");
    if (!in) fail_msg("cannot read %s", path);
    char* text = calloc(1, ROOM);
    *length = fread(text, 1, ROOM - 1, in);
    fclose(in);
    return text;
}

/* ---- mutations ------------------------------------------------------------------------------ */

static size_t pick(uint64_t* state, size_t below)
{
    const double x = 0.5 * (sari_random(state) + 1.0);
    const size_t k = (size_t)(x * (double)below);
    return k < below ? k : below - 1;
}

static size_t replace(char* text, size_t length, size_t at, size_t taken, const char* by)
{
    const size_t given = strlen(by);
    if (at + taken > length) taken = length - at;
    if (length - taken + given >= ROOM) return length;
    memmove(text + at + given, text + at + taken, length - at - taken);
    memcpy(text + at, by, given);
    return length - taken + given;
}

/* The value of some attribute or text becomes another. */
static size_t change_value(char* text, size_t length, uint64_t* state)
{
    static const char* const values[] = {"nan",
                                         "inf",
                                         "-1",
                                         "0",
                                         "1e308",
                                         "1e-320",
                                         "",
                                         "1 2 3",
                                         "a b",
                                         "${x}",
                                         "world",
                                         "__model__",
                                         "ball",
                                         "revolute",
                                         "fixed",
                                         "prismatic",
                                         "true",
                                         "free",
                                         "0 0 0",
                                         "-0",
                                         "1e999",
                                         "../../etc/passwd",
                                         "package://x/y",
                                         "999999999999",
                                         "screw",
                                         "universal",
                                         "mesh",
                                         "0 0 0 0 0 0"};
    size_t at = pick(state, length);
    while (at < length && text[at] != '"' && text[at] != '>') at++;
    if (at >= length) return length;
    size_t end = at + 1;
    while (end < length && text[end] != '"' && text[end] != '<') end++;
    return replace(text, length, at + 1, end - at - 1,
                   values[pick(state, sizeof values / sizeof values[0])]);
}

static size_t mutate(char* text, size_t length, uint64_t* state)
{
    static const char* const pieces[] = {"<",
                                         ">",
                                         "/>",
                                         "\"",
                                         "&",
                                         "<!--",
                                         "-->",
                                         "]]>",
                                         "\xff",
                                         "<link name='a'/>",
                                         "<joint/>",
                                         "<include file='x.xml'/>",
                                         "<default class='a'>",
                                         "<body>",
                                         "<?x?>",
                                         "<mimic joint='a'/>",
                                         "<model name='m'>",
                                         "<frame/>",
                                         "<replicate count='9'>"};
    char piece[200] = "";
    const size_t at = pick(state, length);
    switch (pick(state, 14)) { // most are other values: broken XML ends early
    case 0:
        text[at] = (char)(1 + pick(state, 255));
        return length;
    case 1:
        return replace(text, length, at, 1 + pick(state, 60), "");
    case 2:
        return replace(text, length, at, 0, pieces[pick(state, sizeof pieces / sizeof pieces[0])]);
    case 3: // twice
        memcpy(piece, text + at, length - at < 150 ? length - at : 150);
        piece[pick(state, 150)] = 0;
        return replace(text, length, pick(state, length), 0, piece);
    case 4:
        return at; // it ends there
    default:
        return change_value(text, length, state);
    }
}

/* ---- what must hold ------------------------------------------------------------------------- */

/* ":12:3: error: " is there. */
static int has_line(const char* messages)
{
    for (const char* c = strchr(messages, ':'); c; c = strchr(c + 1, ':')) {
        int line, column, used = 0;
        if (sscanf(c, ":%d:%d: error: %n", &line, &column, &used) == 2 && used > 0 && line > 0)
            return 1;
    }
    return 0;
}

typedef struct tally {
    int models, refused, rejected;
} tally;

static void try_text(const char* text, size_t length, tally* count)
{
    char *model = NULL, *messages = NULL, *more = NULL;
    sar_model* made = NULL;
    char* exact = malloc(length ? length : 1); // so that reading beyond it shows
    memcpy(exact, text, length);
    const sar_status status =
        sar_import_text(exact, length, "no/such/folder/robot.urdf", NULL, &model, &messages);
    free(exact);
    CHECK(status == SAR_OK || status == SAR_E_MODEL);
    CHECK((status == SAR_OK) == (model != NULL));
    if (status != SAR_OK) {
        count->refused++;
        if (!messages || !has_line(messages))
            CHECK(messages && strstr(messages, "no links")); // nothing to point at
    } else if (sar_model_parse(model, strlen(model), "robot.yaml", NULL, 0, &made, NULL, &more) ==
               SAR_OK) {
        count->models++;
    } else {
        CHECK(more && has_line(more));
        count->rejected++;
    }
    sar_model_destroy(made);
    sar_text_free(model);
    sar_text_free(messages);
    sar_text_free(more);
}

static void mutations_of(const char* const* seeds, int count, const char* format)
{
    uint64_t state = 7;
    tally sum = {0};
    char* text = calloc(1, ROOM);
    for (int s = 0; s < count; s++) {
        size_t length;
        char* seed = read_seed(seeds[s], &length);
        for (int k = 0; k < MUTATIONS / count; k++) {
            size_t now = length;
            memcpy(text, seed, length);
            for (size_t n = 1 + pick(&state, 3); n > 0 && now > 10; n--)
                now = mutate(text, now, &state);
            try_text(text, now, &sum);
        }
        free(seed);
    }
    free(text);
    print_message("%s: %d models, %d refused with a line, %d refused by the reader of models\n",
                  format, sum.models, sum.refused, sum.rejected);
    CHECK(sum.models > 0 && sum.refused > 0);
    CHECK(sum.rejected <=
          (sum.models + sum.refused) / 20); // nearly all faults are found by the importer
}

TEST(urdf_mutations)
{
    static const char* const seeds[] = {"gripper_mimic.urdf", "parallel_leg.urdf",
                                        "six_axis_arm.urdf", "features/faults.urdf"};
    mutations_of(seeds, 4, "URDF");
}

TEST(sdf_mutations)
{
    static const char* const seeds[] = {"features/frames.sdf", "five_bar.sdf", "gripper_mimic.sdf"};
    mutations_of(seeds, 3, "SDFormat");
}

TEST(mjcf_mutations)
{
    static const char* const seeds[] = {"features/compiler.xml", "gripper_loops.xml",
                                        "gripper_mimic.xml"};
    mutations_of(seeds, 3, "MJCF");
}

/* ---- memory --------------------------------------------------------------------------------- */

static void memory_of(const char* name)
{
    size_t length;
    char *seed = read_seed(name, &length), path[512];
    snprintf(path, sizeof path, "%s%s", FOLDER, name);
    for (long fail = 0; fail < 100000; fail++) {
        char *model = NULL, *messages = NULL;
        COUNTER = (counter){.fail_at = fail};
        const sar_status status = sar_import_text(seed, length, path, NULL, &model, &messages);
        const long allocations = COUNTER.allocations;
        if (fail > 0 && fail <= allocations && status != SAR_E_NOMEM)
            fail_msg("%s: allocation %ld failed, status %d\n%s", name, fail, (int)status,
                     messages ? messages : "");
        sar_text_free(model);
        sar_text_free(messages);
        CHECK(COUNTER.live == 0);
        if (fail > allocations) break;
    }
    free(seed);
}

TEST_WITH(allocations_that_fail, use_counter, drop_counter)
{
    memory_of("gripper_mimic.urdf");
    memory_of("cassie_side/robot.urdf");
    memory_of("features/frames.sdf");
    memory_of("features/compiler.xml");
}

/* ---- the same through the public functions -------------------------------------------------- */

TEST(sources_read_robots)
{
    size_t length;
    char *seed = read_seed("parallel_leg.urdf", &length), *messages = NULL;
    sar_source* source = NULL;
    sar_model* model = NULL;
    const sar_setting free_base = {"base_free", "1"};
    CHECK_STATUS(sar_source_open(seed, length, "leg.urdf", &source), SAR_OK);
    CHECK_STATUS(sar_source_model(source, &free_base, 1, &model, NULL, &messages), SAR_OK);
    CHECK(strstr(messages, "leg.urdf:") && strstr(messages, "note: 1 x "));
    const int joints = sar_model_joints(model);
    sar_model_destroy(model);
    sar_text_free(messages);
    CHECK_STATUS(sar_source_model(source, NULL, 0, &model, NULL, NULL), SAR_OK);
    CHECK(sar_model_joints(model) == joints + 1); // the one that fastens the base
    sar_model_destroy(model);
    sar_source_close(source);
    CHECK_STATUS(sar_source_open("<robot/>", 8, "empty.urdf", &source), SAR_OK);
    CHECK_STATUS(sar_source_model(source, NULL, 0, &model, NULL, &messages), SAR_E_MODEL);
    CHECK(strstr(messages, "the robot has no links"));
    sar_text_free(messages);
    sar_source_close(source);
    free(seed);
}
