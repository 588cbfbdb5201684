/* The bibliography, as built into the library from docs/references.bib. */
#ifndef SARI_SIMULATION_CITATIONS_H
#define SARI_SIMULATION_CITATIONS_H

typedef struct sari_citation {
    const char* key;
    const char* entry; ///< BibTeX, ends with a newline
} sari_citation;

extern const sari_citation sari_citations[]; ///< ends with a NULL key

#endif
