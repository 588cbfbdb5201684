#!/bin/sh
# Every public header compiles alone, as C17 and as C++17, without a warning.
set -eu
cd "$(dirname "$0")/.."
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude"
count=0
for header in include/sarrus/*.h; do
    name=${header#include/}
    # twice: the guard has to work too
    program="#include \"$name\"
#include \"$name\"
int main(void) { return 0; }"
    echo "$program" | ${CC:-cc} -std=c17 -x c $flags -
    echo "$program" | ${CXX:-c++} -std=c++17 -x c++ $flags -
    count=$((count + 1))
done
echo "$count public headers compile alone as C17 and C++17"
