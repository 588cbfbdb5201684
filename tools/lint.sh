#!/bin/sh
# Static analysis and formatting:   tools/lint.sh BUILD JOBS     (BUILD holds compile_commands.json)
set -u
build=$1
jobs=${2:-2}
cd "$(dirname "$0")/.."
failed=0

printf '\n--- clang-tidy\n'
# The commands are gcc's: clang does not know all of its options. One file at a time: what it says about headers would
# come many times.
commands=$build/clang
mkdir -p "$commands"
sed 's/ -fno-tree-loop-vectorize//; s/ -ffat-lto-objects//; s/ -fno-fat-lto-objects//' "$build/compile_commands.json" \
    >"$commands/compile_commands.json"
find src cli -name '*.c' | sort |
    xargs -P "$jobs" -n 4 clang-tidy -p "$commands" --quiet --warnings-as-errors='*,-clang-analyzer-*' 2>/dev/null || failed=1

printf '\n--- cppcheck\n'
# uninitvar: it takes fixed sizes for zero; clang-tidy's analyser does better. invalidPointerCast: tables of offsets.
cppcheck --quiet -j "$jobs" --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem --suppress=uninitvar --suppress=invalidPointerCast --error-exitcode=1 \
    -Iinclude -Isrc -Icli src cli || failed=1

printf '\n--- clang-format\n'
find src cli include tests examples bench -name '*.[ch]' | sort | while read -r file; do
    clang-format --dry-run --Werror "$file" >/dev/null 2>&1 || echo "    $file"
done >"$build/unformatted"
if [ -s "$build/unformatted" ]; then
    echo "'make format' would change"
    cat "$build/unformatted"
    failed=1
fi
[ $failed = 0 ] && echo "Nothing to complain about"
exit $failed
