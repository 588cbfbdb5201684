#!/usr/bin/python3
"""Rows between steps: they are as accurate as the steps.

    tools/trust/rows.py [--models andrews,wiper ...] [--coordinates natural,relative] [--tolerance 1e-4,1e-5,1e-6,1e-8] [-j 2]
    tools/trust/rows.py --count 100 --seed 7 [--seconds 600]

Every problem, example and test model that runs by the automatic method, with rows every millisecond (at most 4000 of them), is
compared with itself at a tolerance of 1e-11, row by row. Errors grow along a motion, but they do not appear in a few rows and vanish
again: reported are rows whose error is beyond 100 tolerances and 30 times the errors around them. Rows next to a jump of an output
are left out. All of it takes hours: models are taken in an order that the seed gives, each in one kind of coordinates before any in the
next, until there are `count` of them or the time is over. Exit code 1 when there are any.
"""
import argparse
import glob
import os
import sys
import time

import numpy as np

import program

REFERENCE, MOST_ROWS = "1e-11", 4000
AROUND, STEEP = 30, 30.0     # rows to both sides, and how many times their errors
ALLOWED = 100.0              # tolerances, of a range
COORDINATES = "natural,cartesian,increments,relative"


def models(root):
    found = sorted(glob.glob(os.path.join(root, "problems/*/model.yaml")) + glob.glob(os.path.join(root, "examples/**/*.yaml"), recursive=True)
                   + glob.glob(os.path.join(root, "tests/models/**/*.yaml"), recursive=True))
    return [path for path in found if "bad" not in path.split(os.sep)]


def rows_of(sarrus, path, interval, *options):
    outcome = sarrus.run(path, *options, "--sample", repr(interval), "--certify=no")
    return outcome.rows if outcome.code in (0, 6) else {}


def outliers(rows, reference, tolerance):
    """(output, time, error in ranges) of rows that are off on their own."""
    found = []
    for name, true in reference.items():
        if name == "time" or name not in rows:
            continue
        true, got = np.array(true), np.array(rows[name])
        count = min(len(true), len(got))
        true, got = true[:count], got[:count]
        span = np.ptp(true) if np.all(np.isfinite(true)) else 0.0
        if count < 4 * AROUND or not span > 1e-6 * np.max(np.abs(true)) + 1e-12 or not np.all(np.isfinite(got)):
            continue
        error = np.abs(got - true) / span
        change = np.abs(np.diff(true)) / span
        for k in np.flatnonzero(error > ALLOWED * tolerance):
            low, high = max(0, k - AROUND), min(count, k + AROUND + 1)
            if error[k] <= STEEP * np.median(error[low:high]) or np.max(change[max(0, k - 2):k + 2], initial=0) > 4 * np.median(change[low:high]) + 1e-3:
                continue
            found.append((name, rows["time"][k], float(error[k])))
    return found


def compared(sarrus, path, kind, tolerances):
    """(name, outliers) of every run of a model in these coordinates that has a reference."""
    first = sarrus.run(path, "--tolerance", "1e-3", "--coordinates", kind, "--certify=no")
    times = first.rows.get("time") if first.code in (0, 6) else None
    if not times or not times[-1] > times[0]:
        return []
    interval = max(1e-3, (times[-1] - times[0]) / MOST_ROWS)
    reference = rows_of(sarrus, path, interval, "--tolerance", REFERENCE, "--coordinates", kind)
    done = []
    for tolerance in tolerances if reference else ():
        rows = rows_of(sarrus, path, interval, "--tolerance", tolerance, "--coordinates", kind)
        if rows:
            done.append((f"{os.path.relpath(path, sarrus.root)} {kind} {tolerance}", outliers(rows, reference, float(tolerance))))
    return done


def in_order(paths, coordinates, seed):
    """Every model in some coordinates, then in others."""
    order = np.random.default_rng(seed).permutation(len(paths))
    return [(paths[p], coordinates[(k + turn) % len(coordinates)]) for turn in range(len(coordinates)) for k, p in enumerate(order)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help="parts of their paths (default: all)")
    parser.add_argument("--coordinates", default=COORDINATES)
    parser.add_argument("--tolerance", default="1e-4,1e-5,1e-6,1e-8")
    parser.add_argument("--count", type=int, help="models in some coordinates (default: all, in all)")
    parser.add_argument("--seed", type=int, default=1, help="of their order")
    parser.add_argument("--seconds", type=float, default=1200, help="after which none is begun (default 1200)")
    program.add_options(parser)
    parser.set_defaults(timeout=20)
    options = parser.parse_args()
    sarrus = program.Program(options.program, options.timeout)
    sarrus.root = options.root
    paths = [p for p in models(options.root) if not options.models or any(part in p for part in options.models.split(","))]
    tasks = in_order(paths, options.coordinates.split(","), options.seed)[:options.count]
    end, total, bad, begun = time.monotonic() + options.seconds, 0, 0, 0

    def one(task):
        return compared(sarrus, *task, options.tolerance.split(",")) if time.monotonic() < end else None
    for done in program.in_parallel(options.jobs, one, tasks):
        begun += done is not None
        for name, found in done or ():
            total += 1
            bad += bool(found)
            if found:
                worst = max(found, key=lambda f: f[2])
                print(f"{name}: {len(found)} rows, worst {worst[0]} at {worst[1]:.6g} s by {worst[2]:.1e} of its range", flush=True)
    print(f"{total} runs of {begun} of {len(tasks)} models: {bad} with rows that are off on their own")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
