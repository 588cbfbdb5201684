#!/bin/sh
# Draws the pictures of docs/singular-configurations.md: docs/images/make_singular_configurations.sh [PROGRAM]
# Needs gnuplot. Run from the root of the repository.
set -eu
sarrus=${1:-sarrus}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# the double four-bar with its reaction in A0
sed 's/^outputs:/outputs:\n  fx: A0.fx/' problems/n-four-bar/model.yaml > "$work/four-bar.yaml"
near="--step 1e-3 --end 0.74 --quiet"
$sarrus run "$work/four-bar.yaml" $near --alpha 1e9 --rescue=0 --best-effort -o "$work/penalty.csv"
$sarrus run "$work/four-bar.yaml" $near -o "$work/default.csv"

# the slider-crank by penalty and explicit Euler, with its energy
sed 's/^outputs:/outputs:\n  E: energy.total/' problems/slider-crank-1/model.yaml > "$work/slider-crank.yaml"
$sarrus run "$work/slider-crank.yaml" --quiet --end 3 --sample 2e-3 -o "$work/sc-default.csv"
$sarrus run "$work/slider-crank.yaml" --quiet --formulation penalty --integrator euler --alpha 1e8 --omega 10 --xi 1 \
    --step 1e-5 --end 3 --sample 2e-3 -o "$work/sc-euler.csv"

# starts with a position error
index1="--formulation penalty --integrator trapezoidal-fixed-point --alpha 1e7 --omega 10 --xi 1 --newton-tolerance 1e-7"
for eps in 0 5e-3 1e-2 1.5e-2; do
    $sarrus run slider-crank-singular $index1 --best-effort --quiet --step 1e-3 --end 0.12 --assemble=0 --set eps=$eps \
        -o "$work/eps-$eps.csv"
done

gnuplot <<PLOT
set datafile separator ','
set terminal svg size 760,300 font 'sans-serif,12' background '#ffffff'
set grid lc rgb '#dddddd'
set border 3
set tics nomirror

set output 'docs/images/singular-reactions.svg'
set xlabel 't [s]'
set ylabel 'A0.fx [N]'
set xrange [0.69:0.74]
set key bottom right
plot '$work/penalty.csv' using 1:2 skip 1 with linespoints pt 7 ps 0.4 lc rgb '#c44e52' title 'alpha 1e9, penalty alone', \
     '$work/default.csv' using 1:2 skip 1 with linespoints pt 7 ps 0.4 lc rgb '#2f6fb3' title 'default'

set output 'docs/images/singular-energy.svg'
set ylabel 'energy [J]'
set xrange [0:3]
set key bottom left
plot '$work/sc-euler.csv' using 1:2 skip 1 with lines lw 2 lc rgb '#c44e52' title 'penalty, explicit Euler, h 1e-5 s', \
     '$work/sc-default.csv' using 1:2 skip 1 with lines lw 2 lc rgb '#2f6fb3' title 'default, h 1e-3 s'

set output 'docs/images/singular-branches.svg'
set xlabel 'xP [m]'
set ylabel 'xQ [m]'
set xrange [-0.25:0.05]
set yrange [-0.3:0.1]
set key bottom right
plot 2*x with lines lw 6 lc rgb '#dddddd' title 'slider-crank', 0 with lines lw 6 lc rgb '#eeddbb' title 'pendulum', \
     '$work/eps-0.csv' using 4:3 skip 1 with points pt 7 ps 0.4 lc rgb '#2f6fb3' title 'eps = 0', \
     '$work/eps-5e-3.csv' using 4:3 skip 1 with points pt 7 ps 0.4 lc rgb '#55a868' title '5 mm', \
     '$work/eps-1e-2.csv' using 4:3 skip 1 with points pt 7 ps 0.4 lc rgb '#8172b3' title '10 mm', \
     '$work/eps-1.5e-2.csv' using 4:3 skip 1 with points pt 7 ps 0.4 lc rgb '#c44e52' title '15 mm'
PLOT
