#!/bin/sh
# Draws the falling chain of README.md: docs/images/make_chain.sh [PROGRAM]
# Needs gnuplot. Run from the root of the repository.
set -eu
sarrus=${1:-sarrus}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

$sarrus run chain --set n=128 --set shape=1 --preset DCA --step 0.01 --sample 0.5 --end 6 --quiet -o "$work/shape.csv"

# one block of points for each row: the ground, then the ends x1, y1 ... x128, y128
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "x1") first = k; next }
         { print 0, 0, $1; for (k = first; k < NF; k += 2) print $k, $(k + 1), $1; print ""; print "" }' \
    "$work/shape.csv" > "$work/shape.txt"

gnuplot <<PLOT
set terminal svg size 760,420 font 'sans-serif,12' background '#ffffff'
set output 'docs/images/chain.svg'
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set size ratio -1
set xlabel 'x [m]'
set ylabel 'y [m]'
set key off
set cblabel 't [s]'
set palette defined (0 '#c7d9ec', 3 '#2f6fb3', 5 '#55257a', 6 '#c44e52')
plot '$work/shape.txt' using 1:2:3 with lines lw 1.5 lc palette
PLOT
