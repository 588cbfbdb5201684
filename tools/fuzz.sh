#!/bin/sh
# Run every fuzzer of a build for FUZZ_SECONDS:   tools/fuzz.sh BUILD
# New inputs stay in BUILD/corpus, so that the next run goes on from there; what fails is kept there too.
set -eu
build=$1
seconds=${FUZZ_SECONDS:-60}
seeds=$(dirname "$0")/../tests/fuzz
for fuzzer in "$build"/fuzz_*; do
    [ -x "$fuzzer" ] || continue
    name=$(basename "$fuzzer")
    corpus=$build/corpus/$name
    mkdir -p "$corpus"
    given=$seeds/corpus-${name#fuzz_}
    [ -d "$given" ] || given=""
    printf '\n--- %s for %s s\n' "$name" "$seconds"
    "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$corpus/failed-" -verbosity=0 "$corpus" $given >"$build/$name.log" 2>&1 || {
        tail -n 40 "$build/$name.log"
        echo "$name failed: the input is in $corpus/failed-*" >&2
        exit 1
    }
    grep -E 'number_of_executed_units|peak_rss_mb' "$build/$name.log" || true
done
echo
echo "No fuzzer found anything in $seconds s"
