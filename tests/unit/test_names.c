/* Lists of names in messages. */
#include "base/names.h"
#include "sar_test.h"

static void names_are_added_once_in_a_row(void** state)
{
    (void)state;
    char list[64] = "";
    sari_add_name(list, sizeof list, "BA");
    sari_add_name(list, sizeof list, "A");
    sari_add_name(list, sizeof list, "A");
    sari_add_name(list, sizeof list, "BA");
    assert_string_equal(list, "BA, A, BA");
}

/* In memory of any size: whole names, and "..." as soon as one has no room. */
static void a_full_list_says_so(void** state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_added_once_in_a_row),
        cmocka_unit_test(a_full_list_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
