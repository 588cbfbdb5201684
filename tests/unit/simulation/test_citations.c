/* The bibliography inside the library is the file docs/references.bib. */
#include "sar_test.h"

#include "sarrus/methods.h"
#include "simulation/citations.h"

TEST(entries_are_found_by_key)
{
    CHECK(sar_bibtex("no such key") == NULL);
    CHECK(sar_bibtex("") == NULL);
    CHECK(sar_bibtex(NULL) == NULL);
    CHECK_TEXT(sar_bibtex("newmark1959"),
               "@article{newmark1959,\n"
               "  author  = {Newmark, N. M.},\n"
               "  title   = {A method of computation for structural dynamics},\n"
               "  journal = {Journal of the Engineering Mechanics Division, ASCE},\n"
               "  volume  = {85},\n"
               "  number  = {EM3},\n"
               "  pages   = {67--94},\n"
               "  year    = {1959}\n"
               "}\n");
    const char* accents = sar_bibtex("malczyk2018");
    CHECK(accents &&
          strstr(accents, "Malczyk, Pawe{\\l} and Fr{\\k{a}}czek, Janusz and Gonz{\\'a}lez"));
}

/* Put together, the entries are the file without its comments and empty lines. */
TEST(nothing_is_lost_on_the_way)
{
    FILE* file = fopen(SARRUS_ROOT "/docs/references.bib", "r");
    CHECK(file != NULL);
    char line[512];
    const sari_citation* entry = sari_citations;
    const char* at = entry->entry;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '%' || line[0] == '\n') continue;
        CHECK(entry->key != NULL);
        if (strncmp(at, line, strlen(line)) != 0) fail_msg("%s: wanted %s", entry->key, line);
        at += strlen(line);
        if (*at == '\0') at = (++entry)->entry;
    }
    fclose(file);
    CHECK(entry->key == NULL && entry - sari_citations > 20);
}
