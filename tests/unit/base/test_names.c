/* Lists of names in messages. */
#include "base/names.h"
#include "sar_test.h"

TEST(names_are_added_once_in_a_row)
{
    char list[64] = "";
    sari_add_name(list, sizeof list, "BA");
    sari_add_name(list, sizeof list, "A");
    sari_add_name(list, sizeof list, "A");
    sari_add_name(list, sizeof list, "BA");
    assert_string_equal(list, "BA, A, BA");
}

/* In memory of any size: whole names, and "..." as soon as one has no room. */
TEST(a_full_list_says_so)
{
    for (size_t size = 1; size < 40; size++) {
        char list[48];
        memset(list, 'x', sizeof list);
        list[0] = 0;
        for (int k = 0; k < 9; k++) sari_add_name(list, size, k % 2 ? "crank" : "rod");
        CHECK(strlen(list) < size && list[size] == 'x');
        const size_t length = strlen(list);
        if (size >= 6) CHECK(length >= 3 && strcmp(list + length - 3, "...") == 0);
        CHECK(strncmp(list, "rod, crank, rod, crank, rod, crank", length > 3 ? length - 3 : 0) ==
              0);
    }
}
