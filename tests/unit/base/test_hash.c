/* The hash index: what goes in is found, what is cut is not, and chains stay short for the names
 * that people and `repeat` make. */
#include "base/hash.h"
#include "sar_test.h"

enum { MANY = 100000 };

static char names[MANY][24];

static void fill_names(const char* format)
{
    for (int k = 0; k < MANY; k++) snprintf(names[k], sizeof names[k], format, k);
}

static unsigned code_of(const char* name)
{
    return sari_hash_code(name, strlen(name));
}

/// Number of the name; `*compared` is raised by the names looked at.
static int find(const sari_hash* hash, const char* name, long* compared)
{
    for (int k = sari_hash_first(hash, code_of(name)); k >= 0; k = sari_hash_next(hash, k)) {
        ++*compared;
        if (strcmp(names[k], name) == 0) return k;
    }
    return -1;
}

TEST(test_comparisons_do_not_grow)
{
    static const char* const formats[] = {"b%d", "link_%05d", "%d_left", "joint%dx", "a%08x"};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        sari_hash hash = {0};
        fill_names(formats[f]);
        for (int k = 0; k < MANY; k++) CHECK(sari_hash_add(&hash, code_of(names[k])));
        long compared = 0;
        for (int k = 0; k < MANY; k++) assert_int_equal(find(&hash, names[k], &compared), k);
        CHECK(compared < 2L * MANY); // 1.5 each is what chance would give
        compared = 0;
        assert_int_equal(find(&hash, "no such name", &compared), -1);
        CHECK(compared < 12);
        sari_hash_release(&hash);
    }
}

TEST(test_cut_things_are_gone)
{
    sari_hash hash = {0};
    long compared = 0;
    fill_names("n%d");
    assert_int_equal(find(&hash, "n1", &compared), -1);
    for (int k = 0; k < 1000; k++) CHECK(sari_hash_add(&hash, code_of(names[k])));
    sari_hash_cut(&hash, 300);
    for (int k = 0; k < 1000; k++)
        assert_int_equal(find(&hash, names[k], &compared), k < 300 ? k : -1);
    for (int k = 300; k < 1000; k++) CHECK(sari_hash_add(&hash, code_of(names[k])));
    for (int k = 0; k < 1000; k++) assert_int_equal(find(&hash, names[k], &compared), k);
    sari_hash_release(&hash);
}
