#!/bin/sh
# The demonstration behind `make demo`: a double four-bar through its ten singular configurations, against the exact solution.
set -eu
cd "$(dirname "$0")/.."
sarrus=${BUILD:-build}/sarrus
[ -x "$sarrus" ] || {
    echo "demo: $sarrus is not there; 'make demo' builds it first" >&2
    exit 1
}
mkdir -p demo

say() {
    printf '\n--- %s\n' "$1"
}
show() { # say what is run, then run it
    printf '$ %s\n' "$*" | sed "s|$sarrus|sarrus|"
    "$@"
}

cat <<'TEXT'

A double four-bar: five rods of 1 m in two parallelograms, thrown over from upright at 1 m/s. Twice in each turn
all rods lie on one line. There the constraints lose two ranks at once, the mechanism could go on in three
different ways, and the equations of most methods have no solution. It happens ten times in 10 s.
TEXT

say 'What is it made of?'
show "$sarrus" check n-four-bar

say 'Run it: every value at every step into demo/n-four-bar.h5, a picture into demo/n-four-bar.svg'
show "$sarrus" run n-four-bar --step 5e-3 -o demo/n-four-bar.h5 --all --plot demo/n-four-bar.svg

say 'The summary says how large its errors are: "error". Is that true? Beside the exact solution (elliptic functions):'
show "$sarrus" compare demo/n-four-bar.h5 problems/n-four-bar/reference.csv

say 'A fifth of the step: the trapezoidal rule is of second order, so the error falls by a factor of 25'
show "$sarrus" run n-four-bar -q --step 1e-3 -o demo/fine.h5
show "$sarrus" compare demo/fine.h5 problems/n-four-bar/reference.csv --plot demo/compare.svg

say 'A step that is too long, and the program says so (exit code 6)'
show "$sarrus" run n-four-bar -q --step 2e-2 || true

say 'No step at all: one tolerance, and the method follows from the model'
show "$sarrus" run n-four-bar --tolerance 1e-8 --sample 0.01 -o demo/automatic.csv
show "$sarrus" compare demo/automatic.csv problems/n-four-bar/reference.csv

say 'See it move: one page for the browser'
show "$sarrus" view demo/n-four-bar.h5 --title 'A double four-bar through its singular configurations' -o demo/n-four-bar.html || true

cat <<'TEXT'

What to look at next
  demo/n-four-bar.html    the mechanism in motion, its curves and its verdict: open it in a browser
  demo/n-four-bar.svg     the motion and the energy drift; dashed lines: the ten singular configurations
  demo/compare.svg        the run with the small step, the exact solution, and how far they are apart
  demo/n-four-bar.h5      everything: opens in Python (h5py), MATLAB, Octave
  problems/               the other mechanisms that come with it; try 'build/sarrus run bricard'
  docs/getting-started.md a model of your own, step by step
TEXT
