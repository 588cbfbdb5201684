# Turn a BibTeX file into a C table of keys and entries:
#   cmake -DINPUT=docs/references.bib -DOUTPUT=bibliography.c -P embed_bib.cmake
# An entry begins with "@type{key," at the start of a line and ends with a line that holds "}" alone; lines that
# begin with % are comments.
file(READ "${INPUT}" text)
string(REGEX REPLACE "\r" "" text "${text}")
string(REGEX REPLACE "\n%[^\n]*" "" text "\n${text}\n")
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
# Every line is now a string literal of its own. Open an entry before its first and close it after its last.
string(REGEX REPLACE "\n     \"(@[A-Za-z]+{)([^,]+),\\\\n\"" "\n    {\"\\2\",\n     \"\\1\\2,\\\\n\"" text "${text}")
string(REGEX REPLACE "\n     \"}\\\\n\"" "\n     \"}\\\\n\"},\n" text "${text}")
# What is left between the entries is empty lines.
string(REGEX REPLACE "\n     \"\\\\n\"" "" text "${text}")
string(REGEX REPLACE "^\\\\n\"" "" text "${text}")
string(REGEX REPLACE "\n     \"$" "" text "${text}")
file(WRITE "${OUTPUT}" "/* Made from the bibliography at build time: edit docs/references.bib instead. */
#include \"simulation/citations.h\"

const sari_citation sari_citations[] = {${text}
    {0, 0},
};
")
