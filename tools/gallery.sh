#!/bin/sh
# Draw all problems and examples, and write the page that shows them:   tools/gallery.sh [PROGRAM]
# The pictures go to docs/images/gallery, the page to docs/gallery.md. They move where that takes no more than LARGEST bytes.
set -eu
cd "$(dirname "$0")/.."
sarrus=${1:-build/sarrus}
folder=docs/images/gallery
LARGEST=90000
mkdir -p $folder
"$sarrus" draw slider-crank-1 --move --end 1.8 --trace rod.center --width 560 -o docs/images/slider-crank.svg
"$sarrus" draw bricard --move=2.5 --end 5 --width 360 -o docs/images/bricard.svg
{
    echo '# Gallery'
    echo
    echo 'The [problems](../problems/README.md) as `sarrus draw` shows them; `tools/gallery.sh` makes this page. `sarrus view NAME` shows all of them in motion, with their curves.'
    echo
    for model in problems/*/model.yaml; do
        name=$(basename "$(dirname "$model")")
        "$sarrus" draw "$model" --move=3 --width 420 -o $folder/"$name".svg
        [ "$(wc -c <$folder/"$name".svg)" -le $LARGEST ] || "$sarrus" draw "$model" --width 420 -o $folder/"$name".svg
        printf '## %s\n\n%s\n\n![%s](images/gallery/%s.svg)\n\n' "$name" "$(sed -n 's/^description: *//p' "$model")" "$name" "$name"
    done
    printf '# Examples\n\nModels to begin with, in `examples/models/`. Tests hold each against a closed form or another integration.\n\n'
    for model in examples/models/*.yaml examples/models/*/model.yaml; do
        name=$(basename "$model" .yaml)
        [ "$name" != model ] || name=$(basename "$(dirname "$model")")
        grep -q '^\(ports\|outputs\):' "$model" && ! grep -q '^ports:' "$model" || continue # a part of another
        "$sarrus" draw "$model" --move=3 --width 420 -o $folder/"$name".svg || continue
        [ "$(wc -c <$folder/"$name".svg)" -le $LARGEST ] || "$sarrus" draw "$model" --width 420 -o $folder/"$name".svg
        printf '## %s\n\n%s\n\n![%s](images/gallery/%s.svg)\n\n' "$name" "$(sed -n '/^#/!q; /^#  /q; /^#$/q; s/^# *//p' "$model" | tr '\n' ' ')" "$name" "$name"
    done
} >docs/gallery.md
